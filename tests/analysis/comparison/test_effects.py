"""Changes split into calls and cost per call, of all functions and of one with its calls."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import qcachegrind_py as q
from qcachegrind_py.analysis.comparison.comparison import Comparison, compare
from qcachegrind_py.analysis.comparison.effects import (
    Effects,
    Explanation,
    FunctionEffects,
    NotSplit,
    effects,
    explain_change,
    function_effects,
    rounded,
)
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.ids import NodeId, function_id
from tests.analysis.comparison.test_identities import generated, measured, programs
from tests.profile_rows import DATA, profile_from
from tests.profile_text import event_named, profile_text

COUNTS = st.tuples(st.integers(1, 2**63), st.integers(1, 2**63))
COSTS = st.tuples(st.integers(0, 2**63), st.integers(0, 2**63))


@pytest.mark.parametrize(
    ("counts", "costs", "expected"),
    [
        ((10, 20), (100, 200), Effects(Fraction(100), Fraction(0))),
        ((10, 10), (100, 300), Effects(Fraction(0), Fraction(200))),
        ((1, 3), (10, 60), Effects(Fraction(30), Fraction(20))),
        ((0, 3), (10, 60), None),
        ((3, 0), (10, 60), None),
    ],
)
def test_effects(counts: tuple[int, int], costs: tuple[int, int], expected: Effects | None) -> None:
    """Only calls, only cost per call, both, and no calls on one side."""
    assert effects(counts, costs) == expected


@given(COUNTS, COSTS)
def test_effects_add_up_and_change_sign(counts: tuple[int, int], costs: tuple[int, int]) -> None:
    """They are the change, exactly; swapped sides have the opposite ones."""
    there, back = effects(counts, costs), effects(counts[::-1], costs[::-1])
    assert there is not None
    assert back is not None
    assert (
        there.by_calls + there.per_call
        == costs[1] - costs[0]
        == sum(rounded(there, costs[1] - costs[0]))
    )
    assert (there.by_calls, there.per_call) == (-back.by_calls, -back.per_call)


LARGE = 2**62
CALLS = st.integers(0, 5) | st.integers(0, LARGE)


def effects_of(base: str, new: str) -> tuple[FunctionEffects, q.Comparison]:
    """The effects between two drawings in the first event."""
    compared = q.compare(profile_from(profile_text(base)), profile_from(profile_text(new)))
    return function_effects(compared, compared.events[0]), compared


@given(st.lists(st.tuples(CALLS, CALLS, CALLS, CALLS), min_size=1, max_size=4))
def test_effects_of_all_functions(numbers: list[tuple[int, int, int, int]]) -> None:
    """Each function has the rounded effects of its counts and costs, or none; also near 2^63."""
    sides = []
    for counts, costs in ((0, 2), (1, 3)):
        calls = ", ".join(
            f"f{row} {each[counts]}x{each[costs]}" for row, each in enumerate(numbers)
        )
        functions = "\n".join(f"f{row}@a.c {each[costs]}" for row, each in enumerate(numbers))
        sides.append(f"main@a.c 1 -> {calls}\n{functions}")
    found, compared = effects_of(*sides)
    names = compared.queries.names
    for function in range(compared.queries.function_count):
        name = names.name(function)
        if name == "main":
            continue
        n1, n2, c1, c2 = numbers[int(name[1:])]
        wanted = effects((n1, n2), (c1, c2))
        expected = rounded(wanted, c2 - c1) if wanted else (0, 0)
        assert (found.by_calls[function], found.per_call[function]) == expected
        assert found.is_known[function] == (wanted is not None)


def test_recursive_functions_have_no_effects() -> None:
    """A call of a function to itself, or within a cycle, has no cost of its own."""
    drawing = """
        main@a.c 1 -> self 2x10, one 2x30, plain 2x5
        self@a.c 10 -> self 4x5
        one@a.c 10 -> two 3x20
        two@a.c 20 -> one 1x5
        plain@a.c 5
        """
    found, compared = effects_of(drawing, drawing)
    names = map(compared.queries.names.name, range(compared.queries.function_count))
    known = dict(zip(names, found.is_known.tolist(), strict=True))
    assert known == {"main": False, "self": False, "one": False, "two": False, "plain": True}


def drawn(base: str, new: str) -> Comparison:
    """The comparison of two profiles in the words of profile text."""
    return compare(*(profile_from(profile_text(text).encode()) for text in (base, new)))


def explained(compared: Comparison, name: str = "main") -> Explanation:
    """The change of a function of this name."""
    node = compared.queries.names.with_name(name)[0]
    return explain_change(compared, node, compared.events[0])


def rows(compared: Comparison, name: str = "main") -> dict[str, tuple[object, ...]]:
    """Count, cost, both effects and the reason for none, of each callee."""
    explanation = explained(compared, name)
    names, effects = compared.queries.names, explanation.effects
    columns = (
        explanation.callee.tolist(),
        zip(explanation.count.base.tolist(), explanation.count.new.tolist(), strict=True),
        zip(explanation.cost.base.tolist(), explanation.cost.new.tolist(), strict=True),
        zip(effects.by_calls.tolist(), effects.per_call.tolist(), strict=True),
        explanation.not_split,
    )
    return {names.name(callee): tuple(rest) for callee, *rest in zip(*columns, strict=True)}


def test_more_calls_and_costlier_calls() -> None:
    """The change is that of the function itself and of each call."""
    compared = drawn(
        "main@a.c 10 -> more 10x100, dearer 5x50, both 1x10, same 2x20, gone 1x7",
        "main@a.c 13 -> more 20x200, dearer 5x90, both 3x60, same 2x20, young 4x8",
    )
    explanation = explained(compared)

    assert (explanation.inclusive, explanation.self_cost) == ((197, 391), (10, 13))
    assert (explanation.change, explanation.self_change, explanation.rest) == (194, 3, 0)
    assert rows(compared) == {
        "more": ((10, 20), (100, 200), (100, 0), NotSplit.NO),
        "dearer": ((5, 5), (50, 90), (0, 40), NotSplit.NO),
        "both": ((1, 3), (10, 60), (30, 20), NotSplit.NO),
        "same": ((2, 2), (20, 20), (0, 0), NotSplit.NO),
        "young": ((0, 4), (0, 8), (0, 0), NotSplit.NEW),
        "gone": ((1, 0), (7, 0), (0, 0), NotSplit.GONE),
    }


def test_where_an_explanation_stops() -> None:
    """Recursion, cycles and calls that had not returned have no cost per call."""
    recursive = drawn(
        "main@a.c 1 -> f 1x30\nf@a.c 10 -> f 2x20, g 1x20\ng@a.c 20",
        "main@a.c 1 -> f 1x40\nf@a.c 10 -> f 3x30, g 1x30\ng@a.c 30",
    )
    assert rows(recursive, "f") == {
        "f": ((2, 3), (0, 0), (0, 0), NotSplit.RECURSIVE),
        "g": ((1, 1), (20, 30), (0, 10), NotSplit.NO),
    }
    assert explained(recursive, "f").rest == 0
    circular = drawn(
        "main@a.c 1 -> f 1x30\nf@a.c 10 -> g 1x20\ng@a.c 20 -> f 1x5",
        "main@a.c 1 -> f 1x40\nf@a.c 10 -> g 2x30\ng@a.c 30 -> f 1x5",
    )
    assert rows(circular, "f")["g"] == ((1, 2), (0, 0), (0, 0), NotSplit.IN_CYCLE)
    running = drawn(
        "creator: callgrind-3\nmain@a.c 1 -> f 0x30", "creator: callgrind-3\nmain@a.c 1 -> f 2x40"
    )
    assert rows(running)["f"] == ((0, 2), (30, 40), (0, 0), NotSplit.NOT_COUNTED)


def test_a_cycle_is_explained_by_its_members() -> None:
    """They have no count, but add up to the change; its self cost is part of theirs."""
    compared = drawn(
        "main@a.c 1 -> f 1x30\nf@a.c 10 -> g 1x20\ng@a.c 20 -> f 1x5",
        "main@a.c 1 -> f 1x40\nf@a.c 10 -> g 2x30\ng@a.c 30 -> f 1x5",
    )
    cycle = NodeId(compared.queries.function_count)
    explanation = explain_change(compared, cycle, compared.events[0])

    assert (explanation.inclusive, set(explanation.not_split)) == ((30, 40), {NotSplit.IN_CYCLE})
    assert explanation.cost.change.sum() == explanation.change
    assert (explanation.self_change, explanation.rest) == (0, 0)


def test_ratios() -> None:
    """They cannot be added up."""
    compared = drawn("main@a.c 1", "main@a.c 1")
    ratio = replace(compared.events[0], formula=((1, "Ir"),), divisor=((1, "Ir"),))
    with pytest.raises(ValueError, match="ratio"):
        explain_change(compared, function_id(0), ratio)


@generated
@given(programs(), programs())
def test_parts_of_an_explanation_add_up(one: bytes, other: bytes) -> None:
    """Of every function: its own change, its calls and the rest; and effects to the calls."""
    there = compare(profile_from(one), profile_from(other))
    event = measured(there)[0]
    for node in range(len(there.queries.costs(there.new).cycle)):
        explanation = explain_change(there, NodeId(node), event)
        changes = explanation.cost.change
        assert explanation.self_change + sum(changes.tolist()) + explanation.rest == (
            explanation.change
        )
        known = explanation.effects.is_known
        effects = explanation.effects
        assert (effects.by_calls + effects.per_call)[known].tolist() == changes[known].tolist()
        for known_row, reason in zip(known.tolist(), explanation.not_split, strict=True):
            assert known_row is (reason is NotSplit.NO)


def test_a_real_change() -> None:
    """`order` sorts no more by itself: what it does itself shrinks, and its calls are costlier."""
    folder = DATA / "comparison"
    compared = compare(
        load(folder / "callgrind.out.sort-plain.xz"), load(folder / "callgrind.out.sort-digits.xz")
    )
    order = next(
        row
        for row in range(compared.queries.function_count)
        if compared.queries.names.name(function_id(row)).startswith("order(")
    )
    explanation = explain_change(compared, function_id(order), event_named(compared.queries, "Ir"))
    assert (explanation.change, explanation.self_change, explanation.rest) == (932_405, -207_070, 0)
