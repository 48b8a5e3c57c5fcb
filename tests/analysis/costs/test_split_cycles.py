"""Cycles over both sides of a comparison that are other cycles, or none, on one side alone."""

from __future__ import annotations

import numpy as np

from qcachegrind_py.analysis.comparison.comparison import compare
from qcachegrind_py.analysis.costs.function_costs import function_cycles
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.costs.split_cycles import SplitCycle, split_cycles
from tests.profile_rows import profile_from
from tests.profile_text import profile_text


def split(base: str, new: str) -> tuple[SplitCycle, ...]:
    """The cycles over two drawn profiles that are others in the base or the new one alone."""
    compared = compare(profile_from(profile_text(base)), profile_from(profile_text(new)))
    queries, functions = compared.queries, len(compared.pairing)
    cycle = queries.costs(compared.new).cycle[:functions]
    return split_cycles(queries.profile, cycle, (compared.base, compared.new))


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
