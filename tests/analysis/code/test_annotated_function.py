"""Costs of an annotated function: calls within its cycle add nothing to a line or instruction."""

from __future__ import annotations

import numpy as np

from qcachegrind_py.analysis.code.annotated_function import (
    AnnotatedCosts,
    AnnotatedLines,
    annotate_instructions,
    annotate_lines,
)
from qcachegrind_py.analysis.code.instructions import NO_CODE
from qcachegrind_py.analysis.code.location_costs import (
    file_lines,
    function_lines,
    instruction_costs,
)
from qcachegrind_py.analysis.costs.function_costs import function_costs, function_cycles
from qcachegrind_py.analysis.costs.scope import ALL_PARTS
from qcachegrind_py.analysis.names.function_names import FunctionNames
from qcachegrind_py.profile.ids import NO_FUNCTION
from qcachegrind_py.profile.profile import Profile
from tests.profile_rows import RECURSIVE, profile_from


def costs_of_rows(costs: AnnotatedCosts) -> list[tuple[int, int]]:
    """Self and inclusive cost of each row in the first event."""
    return list(zip(costs.self_cost[0].tolist(), costs.inclusive[0].tolist(), strict=True))


def lines_of(profile: Profile, name: str, *, cycles: bool = True) -> AnnotatedLines:
    (function,) = FunctionNames(profile).with_name(name)
    cycle = function_costs(profile, cycles=cycles).cycle
    return annotate_lines(profile, function, function_lines(profile, function), cycle, {})


def test_calls_within_the_cycle_add_nothing_to_lines() -> None:
    """Line 3 calls its own function; line 4 a member of the cycle, and a function outside it."""
    annotated = lines_of(profile_from(RECURSIVE), "f")

    assert annotated.lines.line.tolist() == [3, 4]
    assert costs_of_rows(annotated.costs) == [(10, 10), (7, 7 + 20)]
    assert annotated.costs.within_cycle.tolist() == [True, True, False]
    assert annotated.costs.calls.inclusive.tolist() == [[50, 30, 20]]


def test_without_cycles_only_calls_to_itself_add_nothing() -> None:
    """Without cycle detection, a call to another function always counts."""
    annotated = lines_of(profile_from(RECURSIVE), "f", cycles=False)

    assert costs_of_rows(annotated.costs) == [(10, 10), (7, 7 + 30 + 20)]
    assert annotated.costs.within_cycle.tolist() == [True, False, False]


def test_calls_into_a_cycle_from_outside_count() -> None:
    """The caller of a cycle is not a member of it."""
    annotated = lines_of(profile_from(RECURSIVE), "main")

    assert costs_of_rows(annotated.costs) == [(5, 5 + 100)]
    assert not annotated.costs.within_cycle.any()


def test_instructions_have_the_rule_of_lines() -> None:
    """The calls of an address keep their recorded costs; only some are added to the address."""
    profile = profile_from(RECURSIVE)
    (function,) = FunctionNames(profile).with_name("f")
    recorded = instruction_costs(profile, function)
    cycle = function_cycles(profile)
    annotated = annotate_instructions(profile, function, recorded, cycle, NO_CODE)

    assert annotated.address.tolist() == [0x20, 0x24]
    assert costs_of_rows(annotated.costs) == [(10, 10), (7, 7 + 20)]
    assert annotated.costs.calls.inclusive.tolist() == [[50, 30, 20]]


def test_lines_over_all_functions_keep_their_calls() -> None:
    """The lines of a whole file belong to no function that a call could lead back to."""
    profile = profile_from(RECURSIVE)
    lines = file_lines(profile, profile.texts.index_of("a.c"), ALL_PARTS)
    annotated = annotate_lines(profile, NO_FUNCTION, lines, function_cycles(profile), {})

    assert annotated.lines.line.tolist() == [1, 3, 4, 8, 12]
    assert costs_of_rows(annotated.costs) == [(5, 105), (10, 60), (7, 57), (6, 21), (20, 20)]


def test_cycles_are_those_of_the_function_costs() -> None:
    """`function_cycles` detects the same cycles as the function costs."""
    profile = profile_from(RECURSIVE)

    assert np.array_equal(function_cycles(profile), function_costs(profile).cycle)
    assert sorted(function_cycles(profile).tolist()) == [0, 0, 1, 1]


def test_texts_of_lines() -> None:
    """A line has the text of its file; without the file, or beyond its end, it has none."""
    profile = profile_from(RECURSIVE)
    lines = function_lines(profile, FunctionNames(profile).with_name("f")[0])
    file = profile.texts.index_of("a.c")
    for texts, wanted in (({}, [None, None]), ({file: ("1", "2", "three")}, ["three", None])):
        annotated = annotate_lines(profile, 0, lines, function_cycles(profile), texts)
        assert [annotated.text(row) for row in annotated.order] == wanted
