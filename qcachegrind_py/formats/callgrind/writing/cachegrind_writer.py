"""Writer of profiles that Cachegrind recorded, in the order that its own tools require.

`cg_annotate` and `cg_merge` accept `desc:` lines, `cmd:` and `events:` at the start, names in full,
every cost of a line, and `summary:` at the end; no ids, relative lines or other header lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from qcachegrind_py.formats.callgrind.writing.name_ids import encode_line
from qcachegrind_py.formats.callgrind.writing.selection import PartRows
from qcachegrind_py.profile.ids import TextId
from qcachegrind_py.profile.profile import Part, Profile
from qcachegrind_py.profile.tables import UNKNOWN, Int64Array

_KEYS = {"desc", "cmd", "events", "summary", "positions"}


def is_of_cachegrind(profile: Profile, part: Part) -> bool:
    """Return whether a part has all that Cachegrind records, and nothing else."""
    keys = {key for key, _ in part.header}
    functions, runs = profile.functions, profile.runs
    return bool(
        keys >= {"cmd", "events", "summary"}
        and keys <= _KEYS
        and part.positions == ("line",)
        and not len(profile.calls)
        and not len(profile.jumps)
        and not functions.object.any()
        and (functions.file[runs.function] == runs.file).all()
        and not (profile.costs.values < 0).any()
    )


def cachegrind_lines(
    profile: Profile,
    part: Part,
    rows: PartRows,
    events: Sequence[str],
    columns: Sequence[int],
    summary: Sequence[int],
) -> Iterator[bytes]:
    """Yield the lines of a part, some at a time; `columns` are the rows of its events in the costs.

    `summary` has a number for each of the events.
    """
    head = [f"desc: {text}" for key, text in part.header if key == "desc"]
    head += [f"cmd: {part.command}", f"events: {' '.join(events)}"]
    yield b"".join(encode_line(line) + b"\n" for line in head)
    last_file = -1
    for run in _in_order_of_files(profile, rows.runs):
        function = profile.runs.function[run]
        file, name = (int(c[function]) for c in (profile.functions.file, profile.functions.name))
        if file != last_file:
            yield _name(b"fl=", profile, file)
            last_file = file
        yield _name(b"fn=", profile, name)
        yield _cost_lines(profile, run, columns)
    yield f"summary: {' '.join(map(str, summary))}\n".encode()


def _in_order_of_files(profile: Profile, runs: Int64Array) -> list[int]:
    """Return the runs with those of a file together, and those of a function in it."""
    order: dict[tuple[int, int], list[int]] = {}
    files: dict[int, list[list[int]]] = {}
    for run in runs.tolist():
        function = int(profile.runs.function[run])
        file = int(profile.functions.file[function])
        of_function = order.get((file, function))
        if of_function is None:
            of_function = order[file, function] = []
            files.setdefault(file, []).append(of_function)
        of_function.append(run)
    return [run for functions in files.values() for runs in functions for run in runs]


def _cost_lines(profile: Profile, run: int, columns: Sequence[int]) -> bytes:
    start, stop = profile.runs.start[run : run + 2].tolist()
    lines = profile.costs.line[start:stop].tolist()
    costs = profile.costs.values[columns, start:stop].T.tolist()
    return "".join(
        f"{line} {' '.join(map(str, row))}\n" for line, row in zip(lines, costs, strict=True)
    ).encode()


def _name(key: bytes, profile: Profile, text: int) -> bytes:
    return key + encode_line(profile.texts[TextId(text)], UNKNOWN) + b"\n"
