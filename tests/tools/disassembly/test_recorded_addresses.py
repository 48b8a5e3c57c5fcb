"""Instructions of samplers: addresses are those of a process, or places in a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from qcachegrind_py.analysis.code.annotated_function import annotate_instructions
from qcachegrind_py.analysis.code.location_costs import instruction_costs
from qcachegrind_py.profile.ids import FunctionId
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.tools.annotation_inputs import find_function_code
from qcachegrind_py.tools.sources.file_search import FileSearch
from tests.formats.stacks.drawn_stacks import load_text
from tests.tools.disassembly.test_machine_code import BIN

# Calls of recur-O1 and lonely: the second line of a stack is where the first one returns to.
FIB = ((0x117D, "fib+0x6"), (0x1195, "fib+0x1e"), (0x119E, "fib+0x27"), (0x1331, "main+0x73"))
LONELY = ((0x401018, "f+0x1"), (0x40100A, "_start+0xa"))


def _sampled(
    folder: Path, program: str, stack: tuple[tuple[int, str], ...], *distances: int
) -> Profile:
    """A profile of one sample for each distance, in a process of its own."""
    samples = []
    for process, distance in enumerate(distances, 1):
        lines = (f"\t{each + distance:16x} {name} ({BIN / program})\n" for each, name in stack)
        samples.append(f"work {process} 1.0: 5 cycles:\n{''.join(lines)}\n")
    return load_text(folder, "".join(samples))


def _annotated(profile: Profile, name: str) -> tuple[list[str], str]:
    """Return the instructions with costs, and why they may not be the profiled ones."""
    names = profile.named_functions(range(len(profile.functions)))["name"]
    function = FunctionId(names.index(name))
    costs = instruction_costs(profile, function)
    found = find_function_code(profile, function, costs, FileSearch())
    no_cycles = np.zeros(len(profile.functions), np.int32)
    rows = annotate_instructions(profile, function, costs, no_cycles, found.code)
    lines = []
    for position, row in enumerate(rows.cost_row.tolist()):
        if row >= 0:
            own, whole = rows.recorded.self_cost[0, row], rows.recorded.inclusive[0, row]
            lines.append(f"{rows.address[position]:x} {rows.text(position)} {own} {whole}")
    return lines, str(found.problem or "")


@pytest.mark.parametrize("distance", [0, 0x555500000000, 0x7F00_0000_1000])
def test_code_is_found_and_calls_are_at_the_instructions_that_call(
    distance: int, tmp_path: Path
) -> None:
    """A return address is behind its call; some samplers record one within the call."""
    profile = _sampled(tmp_path, "recur-O1", FIB, distance)
    fib, here = f"{distance + 0x1177:x} <fib>", range(distance, distance + 0x2000)
    assert _annotated(profile, "fib") == (
        [
            f"{here[0x117D]:x} movl %edi, %ebx 5 5",
            f"{here[0x1190]:x} callq {fib} 0 5",
            f"{here[0x119A]:x} callq {fib} 0 5",
        ],
        "",
    )
    sort = f"{distance + 0x115E:x} <sort_them>"
    assert _annotated(profile, "main") == ([f"{here[0x132C]:x} callq {sort} 0 5"], "")


@pytest.mark.parametrize("distance", [0, -0x400000])
def test_places_in_the_file_of_a_program_linked_elsewhere(distance: int, tmp_path: Path) -> None:
    profile = _sampled(tmp_path, "lonely", LONELY, distance)
    assert _annotated(profile, "f") == ([f"{0x401018 + distance:x} retq 5 5"], "")
    start = f"{0x401005 + distance:x} callq {0x401017 + distance:x} <f> 0 5"
    assert _annotated(profile, "_start") == ([start], "")


def test_processes_with_an_object_at_several_places(tmp_path: Path) -> None:
    """Offsets in functions make them one, at the place that was met first."""
    profile = _sampled(tmp_path, "recur-O1", FIB, 0x555500000000, 0x555600000000)
    lines, problem = _annotated(profile, "fib")
    assert (lines[0], problem) == ("55550000117d movl %edi, %ebx 10 10", "")


def test_an_inlined_function_is_where_the_others_of_its_object_are(tmp_path: Path) -> None:
    """It is no symbol of the binary."""
    text = f"""work 1 1.0: 5 cycles:
\t    55550000117d inner+0x6 (inlined)
\t    55550000117d fib+0x6 ({BIN / "recur-O1"})

"""
    profile = load_text(tmp_path, text)
    assert _annotated(profile, "inner") == (["55550000117d movl %edi, %ebx 5 5"], "")
    assert _annotated(profile, "fib") == (["55550000117d movl %edi, %ebx 0 5"], "")


def test_addresses_of_another_build(tmp_path: Path) -> None:
    """Costs between instructions show it; functions of other names leave addresses as they are."""
    profile = _sampled(tmp_path, "recur-O1", ((0x117E, "fib+0x7"),), 0x555500000000)
    assert "It may be a different build" in _annotated(profile, "fib")[1]
    profile = _sampled(tmp_path, "recur-O1", ((0x117D, "another+0x7"),), 0x555500000000)
    lines, problem = _annotated(profile, "another")
    assert lines == ["55550000117d None 5 5"]
    assert "has no machine code at the addresses of the profile" in problem
