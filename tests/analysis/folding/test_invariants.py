"""What holds whatever is folded, on real profiles."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest

import qcachegrind_py as q
from qcachegrind_py.analysis.costs.function_costs import FunctionCosts, function_costs
from qcachegrind_py.analysis.costs.sums import sums_by_group
from qcachegrind_py.analysis.costs.totals import part_totals
from qcachegrind_py.analysis.folding.fold import fold_functions
from qcachegrind_py.analysis.names.function_names import FunctionNames
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray
from tests.analysis.test_sum_invariants import FILES
from tests.profile_rows import DATA

each_file = pytest.mark.parametrize("name", FILES)
FILES_WITH_MAIN = [
    "cachey-everything/callgrind.out.22151.xz",
    "folds/callgrind.out.plain.xz",
    "latin1/callgrind.out.22456",
    "recur-dumps/callgrind.out.21941.xz",
    "recur-everything/callgrind.out.21921.xz",
    "separate-threads/*-0?",
    "threads-combined-bb/callgrind.out.22283.xz",
]
SHARES = (0.1, 0.5, 0.9)  # of the functions that are folded


@cache
def profile_of(name: str) -> Profile:
    return q.load(*sorted(DATA.glob(name)))


@pytest.fixture(autouse=True, scope="module")
def _clear_cache() -> Iterator[None]:
    yield
    profile_of.cache_clear()


def some_functions(profile: Profile, share: float, seed: int = 0) -> BoolArray:
    chance = random.Random(seed + int(share * 100))
    return np.array([chance.random() < share for _ in range(len(profile.functions))], bool)


def check_called(
    profile: Profile, before: FunctionCosts, after: FunctionCosts, folded: BoolArray
) -> None:
    """Who stays is called as often and at the same cost, unless by itself through folded ones.

    Where nobody called a function, its inclusive cost is that of its calls, which are shares now.
    """
    calls = profile.calls
    called = np.zeros((len(profile.parts), len(profile.functions)), np.int64)
    np.add.at(called, (calls.part, calls.callee), calls.count)
    makes_calls = np.zeros(called.shape, bool)
    makes_calls[calls.part, calls.caller] = True
    stays = ~folded & (before.cycle == 0)
    assert (before.called == after.called)[stays].all()
    only_called = stays & ((called > 0) | ~makes_calls).all(axis=0)
    assert (before.inclusive == after.inclusive)[:, only_called].all()


@each_file
@pytest.mark.parametrize("share", SHARES)
def test_totals_and_calls_stay(name: str, share: float) -> None:
    profile = profile_of(name)
    folded = some_functions(profile, share)
    before, folding = function_costs(profile), fold_functions(profile, folded)
    after = function_costs(folding.profile)
    assert part_totals(folding.profile).tolist() == part_totals(profile).tolist()
    assert not (folding.is_folded & folding.remains).any()
    for numbers in (after.self_cost, after.inclusive, after.called):
        assert not numbers[..., folding.is_folded].any()
    # the self cost of who was not to be folded has grown by what it is charged with
    change = after.self_cost - before.self_cost
    assert (change == folding.charged(None))[:, ~folded].all()
    check_called(profile, before, after, folded)


@each_file
def test_folds_do_not_depend_on_their_order(name: str) -> None:
    """What both orders prove is the same, and what folding both at once proves, too."""
    profile = profile_of(name)
    one, other = (some_functions(profile, 0.3, seed) for seed in (1, 2))
    at_once = fold_functions(profile, one | other)
    for first, second in ((one, other), (other, one)):
        halfway = fold_functions(profile, first)
        done = fold_functions(halfway.profile, second)
        proven = ~(at_once.is_estimated(None) | done.is_estimated(None))
        if halfway.charges.is_exact.all() and halfway.callbacks.is_exact_line.all():
            assert_equal_costs(at_once.profile, done.profile, proven)
        assert part_totals(done.profile).tolist() == part_totals(profile).tolist()


def assert_equal_costs(one: Profile, other: Profile, functions: BoolArray) -> None:
    before, after = function_costs(one), function_costs(other)
    assert before.self_cost[:, functions].tolist() == after.self_cost[:, functions].tolist()
    assert before.inclusive[:, functions].tolist() == after.inclusive[:, functions].tolist()


@pytest.mark.parametrize("name", FILES_WITH_MAIN)
def test_all_but_main_are_charged_to_it(name: str) -> None:
    """Its self cost is then its inclusive cost."""
    profile = profile_of(name)
    before, (main,) = function_costs(profile), FunctionNames(profile).with_name("main")
    assert adds_up(profile, before, main)
    folding = fold_functions(profile, np.arange(len(profile.functions)) != main)
    after = function_costs(folding.profile)
    assert not folding.is_estimated(None)[main]
    assert (after.inclusive == before.inclusive)[:, main].all()
    assert (after.self_cost == before.inclusive)[:, main].all()


def adds_up(profile: Profile, costs: FunctionCosts, main: int) -> bool:
    """Whether main and all that it leads to cost what they and their calls do."""
    calls, below = profile.calls, np.arange(len(profile.functions)) == main
    for _ in range(len(below)):
        count = below.sum()
        below[calls.callee[below[calls.caller]]] = True
        if below.sum() == count:
            break
    made = calls.caller != calls.callee
    cost = sums_by_group(calls.values[:, made], calls.caller[made], len(below))
    return bool((costs.self_cost + cost == costs.inclusive)[:, below & (costs.cycle == 0)].all())
