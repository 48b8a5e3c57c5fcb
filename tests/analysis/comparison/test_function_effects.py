"""The effects of all functions are those of each function."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

import qcachegrind_py as q
from qcachegrind_py.analysis.comparison.effects import (
    FunctionEffects,
    effects,
    function_effects,
    rounded,
)
from tests.profile_rows import profile_from
from tests.profile_text import profile_text

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
