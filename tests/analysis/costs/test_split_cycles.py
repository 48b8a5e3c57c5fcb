"""Cycles over both sides of a comparison that are other cycles, or none, on one side alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from qcachegrind_py.analysis.comparison.comparison import Mark, compare, row_marks
from qcachegrind_py.analysis.comparison.selections import compare_repeats
from qcachegrind_py.analysis.costs.function_costs import SplitCycle, function_cycles, split_cycles
from qcachegrind_py.analysis.costs.scope import Scope
from tests.profile_rows import profile_from
from tests.profile_text import profile_text


def split(base: str, new: str) -> tuple[SplitCycle, ...]:
    """The cycles over two drawn profiles that are others in the base or the new one alone."""
    return compare(profile_from(profile_text(base)), profile_from(profile_text(new))).split_cycles


def test_a_cycle_of_one_side() -> None:
    """g calls f back in the new profile only; in the base the two are no cycle."""
    base = """
        main 1 -> f 1x10
        f 5 -> g 1x5
        g 5
        """
    new = """
        main 1 -> f 1x10
        f 5 -> g 1x5
        g 5 -> f 1x1
        """
    assert split(base, new) == (SplitCycle(number=1, functions=2, alone=((), (2,))),)
    assert split(new, base) == (SplitCycle(number=1, functions=2, alone=((2,), ())),)
    assert split(new, new) == split(base, base) == ()

    compared = compare(profile_from(profile_text(base)), profile_from(profile_text(new)))
    assert compared.split_cycle.tolist() == [0, 1, 1]
    assert row_marks(compared).tolist() == [Mark.NONE, Mark.CYCLE, Mark.CYCLE]
    recorded = compared.within(
        replace(compared.base, cycles=False), replace(compared.new, cycles=False)
    )
    assert recorded.split_cycle.tolist() == [0, 0, 0]


def test_cycles_of_some_runs() -> None:
    """The functions of repeated runs are in a cycle that only one run has, and say so, too."""
    run, other = (
        profile_from(profile_text(f"f@a.c 5 -> g 1x5\n g@a.c 5{call}"))
        for call in ("", " -> f 1x1")
    )
    assert compare_repeats([run, run], [run, run]).split_cycle.tolist() == [0, 0]
    assert compare_repeats([run, run], [other, run]).split_cycle.tolist() == [1, 1]


def test_two_cycles_that_a_call_unites() -> None:
    """a and b, c, d are cycles of their own until d calls a."""
    base = """
        a 1 -> b 1x9
        b 1 -> a 1x1, c 1x7
        c 1 -> d 1x6
        d 1 -> c 1x2
        e 1 -> c 1x2, e 1x1
        """
    new = f"{base.replace('d 1 -> c 1x2', 'd 1 -> c 1x2, a 1x1')}"

    assert split(base, new) == (SplitCycle(number=1, functions=4, alone=((2, 2), (4,))),)


def test_functions_that_a_side_lacks_split_no_cycle() -> None:
    """The base has no h: f and g are all that it has of the cycle, and a cycle there, too."""
    base = """
        f 5 -> g 1x5
        g 5 -> f 1x1
        """
    new = """
        f 5 -> g 1x5
        g 5 -> f 1x1, h 1x1
        h 1 -> f 1x1
        """
    gone = "main 1"

    assert split(base, new) == ()
    assert split(gone, new) == ()


def test_cycles_without_cheap_calls() -> None:
    """The cut of the scope holds for each side."""
    text = """
        main 1 -> f 1x1000
        f 500 -> g 1x500
        g 499 -> f 1x1
        """
    profile = profile_from(profile_text(text))
    no_cycle, cycle = (function_cycles(profile, cut=cut) for cut in (0.1, 0.0))

    assert (no_cycle.any(), np.count_nonzero(cycle)) == (False, 2)
    assert split_cycles(profile, cycle, [Scope()]) == ()
    assert split_cycles(profile, cycle, [Scope(cut=0.1)]) == (SplitCycle(1, 2, ((),)),)
