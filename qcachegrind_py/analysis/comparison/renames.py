"""Proposals for renamed functions: of one side each, and calling nearly the same functions.

They are proposals only: nothing is paired by them unless the user accepts them. The thresholds are
the defaults with which LLVM matches stale profiles.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np

from qcachegrind_py.analysis.comparison.matching import Pairing, pair_functions
from qcachegrind_py.analysis.comparison.sides import NO_RULES, Identity, MatchingRules
from qcachegrind_py.analysis.names.function_names import FunctionNames
from qcachegrind_py.profile.ids import FunctionId, function_id
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import BoolArray, Int32Array

_LEAST_ALIKE = 0.8
_FEWEST_CALLEES = 3
_MOST_CALLERS = 50  # unpaired callers of a callee: one that more call says little
_MOST_CALLEES = 400  # that are compared in order, which takes the square of their number

_Callees = dict[int, tuple[int, ...]]  # the rows that a function calls, in order of its lines


@dataclass(frozen=True, slots=True)
class Rename:
    """A function of the base and one of the new profile that may be the same."""

    base: FunctionId
    new: FunctionId
    alike: float  # from 0.8 to 1: the share of their callees that are the same, in the same order


def pair_with_renames(
    base: Profile, new: Profile, rules: MatchingRules = NO_RULES, progress: Progress | None = None
) -> Pairing:
    """Pair the functions of two profiles; with those proposed as renamed if the rules say so."""
    pairing = pair_functions(base, new, rules, progress)
    if rules.accepts_renames and (renames := proposed_renames(base, new, pairing)):
        accepted = (*rules.accepted, *identities(base, new, renames))
        return pair_functions(base, new, replace(rules, accepted=accepted))
    return pairing


def proposed_renames(base: Profile, new: Profile, pairing: Pairing) -> tuple[Rename, ...]:
    """Return the pairs of unpaired functions that are best for each other, the most alike first."""
    rows = pairing.row_of_base, pairing.row_of_new
    in_both = np.isin(np.arange(len(pairing)), np.intersect1d(*rows))
    old, young = (
        _callees(profile, row, in_both) for profile, row in zip((base, new), rows, strict=True)
    )
    alike = {pair: _alikeness(old[pair[0]], young[pair[1]]) for pair in _candidates(old, young)}
    best = _only_best(alike, 0) & _only_best(alike, 1)
    renames = (Rename(function_id(one), function_id(two), alike[one, two]) for one, two in best)
    return tuple(sorted(renames, key=lambda each: (-each.alike, each.new)))


def identities(
    base: Profile, new: Profile, renames: Iterable[Rename]
) -> tuple[tuple[Identity, Identity], ...]:
    """Return the functions of these pairs in the form of `MatchingRules.accepted`."""
    old, young = FunctionNames(base), FunctionNames(new)
    return tuple((old.identity(each.base), young.identity(each.new)) for each in renames)


def _callees(profile: Profile, row: Int32Array, in_both: BoolArray) -> _Callees:
    """Return the callees of the functions of one side, those without counterpart included."""
    calls = profile.calls
    order = np.flatnonzero(~in_both[row[calls.caller]])
    order = order[np.lexsort((calls.line[order], calls.caller[order]))]
    pairs = zip(calls.caller[order].tolist(), row[calls.callee[order]].tolist(), strict=True)
    found = {
        caller: tuple(dict.fromkeys(callee for _, callee in called))
        for caller, called in groupby(pairs, lambda pair: pair[0])
    }
    return {
        caller: callees[:_MOST_CALLEES]
        for caller, callees in found.items()
        if len(callees) >= _FEWEST_CALLEES
    }


def _candidates(old: _Callees, young: _Callees) -> Iterator[tuple[int, int]]:
    """Yield the pairs of functions that have a callee in common, once or more often each."""
    callers: dict[int, list[int]] = defaultdict(list)
    for function, callees in young.items():
        for callee in callees:
            callers[callee].append(function)
    for function, callees in old.items():
        known = (callers[callee] for callee in callees if callee in callers)
        others = {other for some in known if len(some) <= _MOST_CALLERS for other in some}
        yield from ((function, other) for other in sorted(others))


def _alikeness(one: Sequence[int], other: Sequence[int]) -> float:
    """Return twice the length of the longest common sequence by the sum of both lengths."""
    total = len(one) + len(other)
    if 2 * len(set(one) & set(other)) < _LEAST_ALIKE * total:
        return 0.0
    return 2 * _common_length(one, other) / total


def _common_length(one: Sequence[int], other: Sequence[int]) -> int:
    """Return the length of the longest common subsequence; the elements of each are distinct.

    It is the longest increasing sequence of places in the other one.
    """
    place = {element: at for at, element in enumerate(other)}
    ends: list[int] = []
    for at in (place[element] for element in one if element in place):
        number = bisect_left(ends, at)
        ends[number : number + 1] = [at]
    return len(ends)


def _only_best(alike: dict[tuple[int, int], float], side: int) -> set[tuple[int, int]]:
    """Return the pairs with which no other one of a function on this side competes."""
    best: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for pair, value in alike.items():
        if value < _LEAST_ALIKE:
            continue
        known = best[pair[side]]
        if not known or value > alike[known[0]]:
            known[:] = [pair]
        elif value == alike[known[0]]:
            known.append(pair)
    return {pairs[0] for pairs in best.values() if len(pairs) == 1}
