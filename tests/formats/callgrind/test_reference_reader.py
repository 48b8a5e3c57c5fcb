"""The reference reader against the format's examples, with hand-computed results."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from tests.analysis.reference_costs import function_costs
from tests.formats.callgrind.generated_profiles import profiles
from tests.formats.callgrind.reference_reader import Reading, read

SIMPLE = b"""\
# callgrind format
events: Cycles Instructions Flops
fl=file.f
fn=main
15 90 14 2
16 20 12
"""

EXTENDED = b"""\
# callgrind format
events: Instructions

fl=file1.c
fn=main
16 20
cfn=func1
calls=1 50
16 400
cfi=file2.c
cfn=func2
calls=3 20
16 400

fn=func1
51 100
cfi=file2.c
cfn=func2
calls=2 20
51 300

fl=file2.c
fn=func2
20 700
"""

COMPRESSED = b"""\
# callgrind format
events: Instructions

fl=(1) file1.c
fn=(1) main
16 20
cfn=(2) func1
calls=1 50
16 400
cfi=(2) file2.c
cfn=(3) func2
calls=3 20
16 400

fn=(2)
51 100
cfi=(2)
cfn=(3)
calls=2 20
51 300

fl=(2)
fn=(3)
20 700
"""

DEFINED_AHEAD = b"""\
# callgrind format
events: Instructions

# define file ID mapping
fl=(1) file1.c
fl=(2) file2.c
# define function ID mapping
fn=(1) main
fn=(2) func1
fn=(3) func2

fl=(1)
fn=(1)
16 20
cfn=(2)
calls=1 50
16 400
cfi=(2)
cfn=(3)
calls=3 20
16 400

fn=(2)
51 100
cfi=(2)
cfn=(3)
calls=2 20
51 300

fl=(2)
fn=(3)
20 700
"""

ABSOLUTE = b"""\
# callgrind format
positions: instr line
events: ticks

fn=func
0x80001234 90 1
0x80001237 90 5
0x80001238 91 6
"""

RELATIVE = b"""\
# callgrind format
positions: instr line
events: ticks

fn=func
0x80001234 90 1
+3 * 5
+1 +1 6
"""

MAIN = ("main", "file1.c", "")
FUNC1 = ("func1", "file1.c", "")
FUNC2 = ("func2", "file2.c", "")


def inclusive_by_name(reading: Reading) -> dict[str, list[int]]:
    costs = function_costs(reading, with_cycles=True)
    return {name: cost.inclusive for (name, _file, _object), cost in costs.items()}


def test_simple_example_missing_costs_are_zero() -> None:
    """A cost line with fewer costs than events has zeros for the rest."""
    reading = read(SIMPLE)
    main = ("main", "file.f", "")
    assert reading.events == ["Cycles", "Instructions", "Flops"]
    assert reading.costs == [
        (0, main, "file.f", 15, 0, (90, 14, 2)),
        (0, main, "file.f", 16, 0, (20, 12, 0)),
    ]
    assert reading.calls == []
    assert reading.jumps == []


def test_simple_example_positions_default_to_line() -> None:
    """Without `positions:` the single number before the costs is a line."""
    (part,) = read(SIMPLE).parts
    assert part.positions == ["line"]
    assert part.summary is None
    assert part.totals is None


@pytest.mark.parametrize("data", [EXTENDED, COMPRESSED], ids=["plain", "compressed"])
def test_extended_example_calls_are_no_self_cost(data: bytes) -> None:
    """The line after `calls=` is the cost of the call, with ids and without."""
    reading = read(data)
    assert reading.costs == [
        (0, MAIN, "file1.c", 16, 0, (20,)),
        (0, FUNC1, "file1.c", 51, 0, (100,)),
        (0, FUNC2, "file2.c", 20, 0, (700,)),
    ]
    assert reading.calls == [
        (0, MAIN, FUNC1, "file1.c", 16, 0, 1, (400,)),
        (0, MAIN, FUNC2, "file1.c", 16, 0, 3, (400,)),
        (0, FUNC1, FUNC2, "file1.c", 51, 0, 2, (300,)),
    ]


@pytest.mark.parametrize("data", [EXTENDED, COMPRESSED, DEFINED_AHEAD])
def test_extended_example_main_includes_820(data: bytes) -> None:
    """Inclusive cost is self cost plus the cost of calls: for main 20 + 400 + 400."""
    assert inclusive_by_name(read(data)) == {"main": [820], "func1": [400], "func2": [700]}


def test_id_defined_ahead_has_the_file_of_its_first_use() -> None:
    """The definition of an id binds no file: main and func1 are in file1.c, func2 in file2.c."""
    reading = read(DEFINED_AHEAD)
    assert [(cost.function, cost.file) for cost in reading.costs] == [
        (("main", "file1.c", ""), "file1.c"),
        (("func1", "file1.c", ""), "file1.c"),
        (("func2", "file2.c", ""), "file2.c"),
    ]


def test_relative_positions_read_as_absolute_ones() -> None:
    """`+n`, `-n` and `*` are relative to the position of the last cost line."""
    func = ("func", "", "")
    assert read(RELATIVE).costs == [
        (0, func, "", 90, 0x80001234, (1,)),
        (0, func, "", 90, 0x80001237, (5,)),
        (0, func, "", 91, 0x80001238, (6,)),
    ]
    assert read(RELATIVE) == read(ABSOLUTE)


@pytest.mark.slow
@settings(max_examples=50)
@given(profiles())
def test_generated_profile_is_read(data: bytes) -> None:
    """The reader accepts every generated profile, with a part and with events."""
    reading = read(data)
    assert reading.parts
    assert all(len(cost.costs) == len(reading.events) > 0 for cost in reading.costs)
