"""Profiles of many shapes: in each, one thing is there n times and all else a few times.

A shape yields the lines of a file in the Callgrind format, or is the file of another profiler. The
function to look at is always named `main`: the one that calls, is called, or has the lines. Its
source is `main.c`, which `write_source` writes, beside the profile, for shapes with lines of their
own.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Iterator
from pathlib import Path

Lines = Iterator[str]

_MULTIPLIER = 7919  # a prime, which spreads the calls of a cycle
_CLASS_SIZE = 10  # methods of a class
_CYCLE_SIZE = 3  # functions of a small cycle
_RUN_SIZE = 100  # functions and calls of a run


def write_shape(name: str, rows: int, folder: Path) -> Path:
    """Write the profile of a shape, and its source; return the path of the profile."""
    path = folder / "callgrind.out.1"
    for run in folder.glob("run.*"):
        run.unlink()
    for number in range(rows // _RUN_SIZE if name == "runs" else 0):
        run = folder / f"run.{number}"
        run.write_text("".join(f"{line}\n" for line in _run(number)), encoding="ascii")
    content = SHAPES[name](rows)
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        with path.open("w", encoding="ascii") as file:
            file.writelines(f"{line}\n" for line in content)
    with (folder / "main.c").open("w", encoding="ascii") as source:
        source.writelines(f"x += {line};\n" for line in range(rows if name == "lines" else 3))
    return path


def _header(events: str = "Ir", positions: str = "line") -> Lines:
    yield from ("version: 1", "creator: made", f"positions: {positions}", f"events: {events}", "")


def _main(cost: int = 1) -> Lines:
    yield from ("ob=(1) program", "fl=(1) main.c", "fn=(1) main", f"1 {cost}")


def _call(callee: int, cost: int, name: str = "") -> Lines:
    yield from (f"cfn=({callee}){name}", "calls=1 1", f"1 {cost}")


def _functions(rows: int) -> Lines:
    yield from _header()
    yield from _main()
    for number in range(2, rows + 1):
        yield f"fn=({number}) function_{number}"
        yield f"{number} {number % 1000 + 1}"


def _files(rows: int) -> Lines:
    yield from _header()
    yield from _main()
    for number in range(2, rows + 1):
        yield f"fl=({number}) /source/folder_{number % 97}/file_{number}.c"
        yield f"fn=({number}) function_{number}"
        yield f"{number} {number % 1000 + 1}"


def _objects(rows: int) -> Lines:
    yield from _header()
    yield from _main()
    for number in range(2, rows + 1):
        yield f"ob=({number}) /usr/lib/folder_{number % 97}/library_{number}.so"
        yield f"fn=({number}) function_{number}"
        yield f"{number} {number % 1000 + 1}"


def _classes(rows: int) -> Lines:
    yield from _header()
    yield from _main()
    for number in range(2, rows + 1):
        class_ = number // _CLASS_SIZE
        yield f"fn=({number}) space_{class_ % 89}::Class_{class_}<int>::method_{number}(char*)"
        yield f"{number} {number % 1000 + 1}"


def _contexts(rows: int) -> Lines:
    """Functions separated by their callers, as `--separate-callers=2` names them."""
    yield from _header()
    yield from _main()
    for number in range(2, rows + 1):
        yield f"fn=({number}) function_{number % 1000}'caller_{number // 1000}'main"
        yield f"{number % 1000} {number % 1000 + 1}"


def _calls_from_one(rows: int) -> Lines:
    yield from _header()
    yield from _main()
    for number in range(2, rows + 1):
        yield from _call(number, number % 1000 + 1, f" function_{number}")
    for number in range(2, rows + 1):
        yield f"fn=({number})"
        yield f"{number} {number % 1000 + 1}"


def _callers_of_one(rows: int) -> Lines:
    yield from _header()
    yield from _main(rows)
    for number in range(2, rows + 1):
        yield f"fn=({number}) function_{number}"
        yield f"{number} {number % 1000 + 1}"
        yield from _call(1, 1)


def _sites_of_one_call(rows: int) -> Lines:
    """One function that calls another from many lines."""
    yield from _header()
    yield from _main()
    for number in range(1, rows + 1):
        yield from ("cfn=(2) callee", "calls=1 1", f"{number} 1")
    yield from ("fn=(2)", f"1 {rows}")


def _chain(rows: int) -> Lines:
    yield from _header()
    yield from _main()
    yield from _call(2, rows - 1, " function_2")
    for number in range(2, rows + 1):
        yield f"fn=({number})"
        yield f"{number} 1"
        if number < rows:
            yield from _call(number + 1, rows - number, f" function_{number + 1}")


def _recursion_levels(rows: int) -> Lines:
    yield from _header()
    yield from _main()
    yield from _call(2, rows - 1, " main'2")
    for number in range(2, rows + 1):
        yield f"fn=({number})"
        yield "2 1"
        if number < rows:
            yield from _call(number + 1, rows - number, f" main'{number + 1}")


def _ring(rows: int) -> Lines:
    yield from _chain(rows)
    yield from _call(1, rows)


def _great_cycle(rows: int) -> Lines:
    """A cycle in which each function calls the next one and two others."""
    yield from _header()
    yield from _main(rows)
    functions = rows // 3
    for number in range(1, functions + 1):
        yield f"fn=({number})"
        yield f"{number} {number % 1000 + 1}"
        for jump in (number, number * _MULTIPLIER, number * _MULTIPLIER + functions // 2):
            callee = jump % functions + 1
            yield from _call(callee, number % 100 + 1, f" function_{callee}" if callee > 1 else "")


def _small_cycles(rows: int) -> Lines:
    yield from _header()
    yield from _main()
    for first in range(2, rows, _CYCLE_SIZE):
        yield from _call(first, _CYCLE_SIZE, f" function_{first}")
    for first in range(2, rows, _CYCLE_SIZE):
        for member in range(_CYCLE_SIZE):
            yield f"fn=({first + member}) function_{first + member}"
            yield f"{first} 1"
            callee = first + (member + 1) % _CYCLE_SIZE
            yield from _call(callee, 1, f" function_{callee}")


def _run(number: int) -> Lines:
    """One of many runs of a small program, whose costs differ a little."""
    yield from _header()
    yield from _main()
    for callee in range(2, _RUN_SIZE // 2 + 1):
        yield from _call(callee, callee + number % 3, f" function_{callee}")
    for function in range(2, _RUN_SIZE // 2 + 1):
        yield f"fn=({function})"
        yield f"{function} {function + number % 3}"


def _parts(rows: int) -> Lines:
    yield from ("version: 1", "creator: made")
    for number in range(1, rows + 1):
        yield from (f"part: {number}", "events: Ir")
        yield from _main(number % 1000 + 1)


def _events(rows: int) -> Lines:
    yield from _header(" ".join(f"E{number}" for number in range(rows)))
    yield "fl=(1) main.c"
    yield "fn=(1) main"
    yield "1 " + " ".join(str(number % 1000 + 1) for number in range(rows))


def _repeated_event(rows: int) -> Lines:
    yield from _header("Ir " * rows)
    yield from _main()
    yield "2" + " 1" * rows


def _event_lines(rows: int) -> Lines:
    """Names and formulas of events that are mostly not there."""
    yield from _header()
    for number in range(rows):
        yield f"event: D{number} = {number} Ir : Derived {number}"
    yield from _main()


def _jumps(rows: int) -> Lines:
    yield from _header(positions="instr line")
    yield from ("ob=(1) program", "fl=(1) main.c", "fn=(1) main")
    for number in range(rows):
        address = 0x400000 + 4 * number
        target = 0x400000 + 4 * (number * _MULTIPLIER % rows)
        yield f"jcnd=3/{number % 97 + 3} 0x{target:x} {number % 1000 + 1}"
        yield f"0x{address:x} {number % 1000 + 1}"
        yield f"0x{address:x} {number % 1000 + 1} 1"


def _lines(rows: int) -> Lines:
    yield from _header()
    yield from _main()
    for number in range(1, rows + 1):
        yield f"{number} {number % 1000 + 1}"


def _instructions(rows: int) -> Lines:
    yield from _header(positions="instr line")
    yield from ("ob=(1) program", "fl=(1) main.c", "fn=(1) main")
    for number in range(rows):
        yield f"0x{0x400000 + 4 * number:x} {number % 1000 + 1} {number % 1000 + 1}"


def _inlined_files(rows: int) -> Lines:
    yield from _header()
    yield from _main()
    for number in range(2, rows + 1):
        yield f"fi=({number}) /source/folder_{number % 97}/file_{number}.h"
        yield f"{number} {number % 1000 + 1}"


def _header_lines(rows: int) -> Lines:
    yield from ("version: 1", "creator: made")
    for number in range(rows):
        yield f"desc: Remark {number}: on line {number}"
    yield "events: Ir"
    yield from _main()


def _headers_in_bodies(rows: int) -> Lines:
    """Header lines that each end a body."""
    yield from _header()
    yield from _main()
    for number in range(rows // 2):
        yield f"desc: Remark: {number}"
        yield "1 1"


def _unknown_headers(rows: int) -> Lines:
    """Lines of a body that look like header lines and are none."""
    yield from _header()
    yield from _main()
    for number in range(rows):
        yield f"remark_{number % 10}: {number}"


def _diagnostics(rows: int) -> Lines:
    """Lines that cannot be read, between lines that can."""
    yield from _header()
    yield from _main()
    for number in range(rows // 2):
        yield f"{number} 1"
        yield ("?", "1 x", "calls=x", "fn=(", "jump=")[number % 5]


def _python_chain(rows: int) -> bytes:
    """A chain as Python's profiler saves it: each function is called by the one before."""

    def key(number: int) -> tuple[str, int, str]:
        name = "main" if number == 1 else f"function_{number}"
        return f"/source/file_{number % 97}.py", number % 1000 + 1, name

    statistics = {}
    for number in range(1, rows + 1):
        times = 1e-6, (rows - number + 1) * 1e-6
        callers = {key(number - 1): (1, 1, *times)} if number > 1 else {}
        statistics[key(number)] = (1, 1, *times, callers)
    return marshal.dumps(statistics)


SHAPES: dict[str, Callable[[int], Lines | bytes]] = {
    "functions": _functions,
    "files": _files,
    "objects": _objects,
    "classes": _classes,
    "contexts": _contexts,
    "calls from one": _calls_from_one,
    "callers of one": _callers_of_one,
    "sites of one call": _sites_of_one_call,
    "chain": _chain,
    "recursion levels": _recursion_levels,
    "ring": _ring,
    "one great cycle": _great_cycle,
    "many small cycles": _small_cycles,
    "parts": _parts,
    "runs": lambda _rows: _run(0),
    "events": _events,
    "one event repeated": _repeated_event,
    "event lines": _event_lines,
    "jumps": _jumps,
    "lines": _lines,
    "instructions": _instructions,
    "inlined files": _inlined_files,
    "header lines": _header_lines,
    "headers in bodies": _headers_in_bodies,
    "unknown headers": _unknown_headers,
    "diagnostics": _diagnostics,
    "Python chain": _python_chain,
}
