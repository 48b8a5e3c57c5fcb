"""Which functions of a base are which of a new profile: several passes, each among what is left.

1. Lambdas of a scope, and functions of libc for several processors: a family if the two sides have
   different ones.
2. Same family key, file and object: a pair if there is one on each side, else a family, which is
   compared as a whole. Functions with the same hash of Rust are a pair within it.
3. Same without template arguments: a family.
4. Moved: the name occurs once on each side, in different files.

Functions that the user has accepted as renamed come first. Code without symbols, named by
addresses, pairs by exact names only.

Renamed functions are proposed by nearly the same callees: nothing is paired by a proposal unless
the user accepts it. The thresholds are the defaults with which LLVM matches stale profiles.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from enum import Enum
from itertools import groupby

import numpy as np

from qcachegrind_py.analysis.comparison.sides import (
    NO_RULES,
    Counterparts,
    Identity,
    MatchingRules,
    Side,
    family_keys,
    find_counterparts,
    lambda_key,
    lineless_key,
    numbered_sides,
    object_name,
    processor_key,
    rows_of_libc,
    rust_hash,
    template_key,
)
from qcachegrind_py.analysis.costs.sums import segment_sums, sums_by_group
from qcachegrind_py.analysis.names.function_names import FunctionNames
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.ids import NO_FUNCTION, FunctionId, function_id, text_at
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import NoProgress, Progress
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array


class How(Enum):
    """By which rule functions of both sides were found to be the same."""

    NONE = None  # only one side has the function
    EXACT = "exact"
    PATH = "path"  # in another folder, or in an object of another version
    FAMILY = "family"  # clones, or another hash
    TEMPLATE = "template"  # other template arguments
    MOVED = "moved"  # in another file
    ACCEPTED = "accepted"  # renamed, as the user confirmed
    RULE = "rule"  # by a rule of the user


@frozen
class Pairing:
    """The rows that both sides have together: a function, a pair of them, or a family.

    The rows of the new side come first, in its order.
    """

    row_of_base: Int32Array  # shape (functions of the base,)
    row_of_new: Int32Array  # shape (functions of the new profile,)
    how: tuple[How, ...]  # of each row
    names: dict[int, str]  # of the rows that are not named like their first function: families
    counterparts: Counterparts

    def __len__(self) -> int:
        return len(self.how)

    def base_members(self, row: int) -> Int64Array:
        return np.flatnonzero(self.row_of_base == row)

    def new_members(self, row: int) -> Int64Array:
        """Return the functions of the new profile in a row."""
        return np.flatnonzero(self.row_of_new == row)


def pair_functions(
    base: Profile, new: Profile, rules: MatchingRules = NO_RULES, progress: Progress | None = None
) -> Pairing:
    progress = progress or NoProgress()
    counterparts = find_counterparts(base, new, rules)
    progress.check(0.2)
    sides = numbered_sides(base, new, rules, counterparts)
    progress.check(0.6)
    clusters = _Clusters(sides)
    _join_accepted(clusters, (base, new), rules.accepted)
    _join_lambdas(clusters)
    _join_processor_variants(clusters, (base, new))
    _join_same_keys(clusters, rules)
    progress.check(0.8)
    _join_by_key(clusters, lambda key: lineless_key(key) or key, How.FAMILY)
    _join_by_key(clusters, template_key, How.TEMPLATE)
    progress.check(0.9)
    _join_moved(clusters)
    _join_code_without_symbols(clusters, (base, new), counterparts.objects)
    return clusters.pairing((base, new), counterparts)


class _Clusters:
    """The functions of both sides that belong together, as found so far."""

    def __init__(self, sides: tuple[Side, Side]) -> None:
        self.sides = sides
        self.number = tuple(np.full(len(side), -1, np.int64) for side in sides)
        self.how: list[How] = []
        self.names: dict[int, str] = {}  # of families

    def left(self, side: int) -> Int64Array:
        """Return the functions of a side that are in no cluster yet."""
        return np.flatnonzero(self.number[side] < 0)

    def join(self, base: Int64Array, new: Int64Array, how: How, name: str | None = None) -> None:
        """Put these functions into one cluster."""
        for number, functions in zip(self.number, (base, new), strict=True):
            number[functions] = len(self.how)
        if name is not None:
            self.names[len(self.how)] = name
        self.how.append(how)

    def join_pairs(self, base: Int64Array, new: Int64Array, how: Sequence[How]) -> None:
        """Put each function of the base into a cluster with that of the new side."""
        numbers = np.arange(len(base)) + len(self.how)
        self.number[0][base], self.number[1][new] = numbers, numbers
        self.how += how

    def pairing(self, profiles: tuple[Profile, Profile], counterparts: Counterparts) -> Pairing:
        """Number the clusters as rows: those with new functions first, in their order."""
        count = len(self.how)
        for number in self.number:
            alone = np.flatnonzero(number < 0)
            number[alone] = np.arange(count, count + len(alone))
            count += len(alone)
        how = [*self.how, *(How.NONE for _ in range(count - len(self.how)))]
        both = np.concatenate((self.number[1], self.number[0]))
        _, first, row = np.unique(both, return_index=True, return_inverse=True)
        rank = np.empty(len(first), np.int32)
        rank[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
        cluster_of_row = both[np.sort(first)].tolist()
        rows = rank[row].astype(np.int32)
        names = {
            number: self.names[cluster]
            for number, cluster in enumerate(cluster_of_row)
            if cluster in self.names
        }
        new = len(self.number[1])
        return Pairing(
            rows[new:], rows[:new], tuple(how[c] for c in cluster_of_row), names, counterparts
        )


# ---------------------------------------------------------------- passes


def _join_accepted(
    clusters: _Clusters,
    profiles: tuple[Profile, Profile],
    accepted: Iterable[tuple[Identity, Identity]],
) -> None:
    """Join the renamed functions that the user has confirmed."""
    names = [FunctionNames(profile) for profile in profiles]
    for identities in accepted:
        base, new = (side.find(*one) for side, one in zip(names, identities, strict=True))
        if NO_FUNCTION not in (base, new):
            clusters.join(np.array([base]), np.array([new]), How.ACCEPTED)


def _join_same_keys(clusters: _Clusters, rules: MatchingRules) -> None:
    """Join functions with the same family key, file and object."""
    groups = _common_groups(clusters, [_by_place(side.key, side) for side in clusters.sides])
    clusters.join_pairs(*groups.single, _hows_of_pairs(clusters.sides, groups.single, rules))
    for members in groups.several:
        left = _join_same_hashes(clusters, *members)
        if len(left[0]) and len(left[1]):
            is_pair = len(left[0]) == len(left[1]) == 1
            name = None if is_pair else _family_name(clusters.sides, left)
            clusters.join(*left, How.FAMILY, name)


def _family_name(sides: tuple[Side, Side], members: tuple[Int64Array, Int64Array]) -> str:
    """Return the name of a family: the shorter of both keys, as one may have callers in it."""
    keys = (
        side.key_of(int(side_members[0])) for side, side_members in zip(sides, members, strict=True)
    )
    return min(keys, key=len)


def _hows_of_pairs(
    sides: tuple[Side, Side], pairs: tuple[Int64Array, Int64Array], rules: MatchingRules
) -> list[How]:
    """Return by what pairs with the same family key, file and object were found."""
    base, new = sides
    is_same_name = base.name[pairs[0]] == new.name[pairs[1]]
    is_same_path = base.path[pairs[0]] == new.path[pairs[1]]
    other_path = How.RULE if rules.file_rules else How.PATH
    hows = [How.EXACT if is_same else other_path for is_same in is_same_path.tolist()]
    for row in np.flatnonzero(~is_same_name).tolist():
        is_ruled = bool(rules.name_rules) and _has_other_keys(sides, pairs, row)
        hows[row] = How.RULE if is_ruled else How.FAMILY
    return hows


def _has_other_keys(
    sides: tuple[Side, Side], pairs: tuple[Int64Array, Int64Array], row: int
) -> bool:
    """Return whether the names of a pair, as recorded, have different family keys."""
    names = [side.recorded_name(int(one[row])) for side, one in zip(sides, pairs, strict=True)]
    return len(set(family_keys(names))) > 1


def _join_same_hashes(
    clusters: _Clusters, base: Int64Array, new: Int64Array
) -> tuple[Int64Array, Int64Array]:
    """Join members of a family that have the same hash of Rust; return the others."""
    hashes = [
        {rust_hash(side.name_of(function)): function for function in members.tolist()}
        for side, members in zip(clusters.sides, (base, new), strict=True)
    ]
    for common in sorted((hashes[0].keys() & hashes[1].keys()) - {""}):
        one, other = (np.array([side[common]]) for side in hashes)
        is_same = clusters.sides[0].path[one] == clusters.sides[1].path[other]
        clusters.join(one, other, How.EXACT if is_same.all() else How.PATH)
    left = [
        members[number[members] < 0]
        for number, members in zip(clusters.number, (base, new), strict=True)
    ]
    return left[0], left[1]


def _join_lambdas(clusters: _Clusters) -> None:
    """Join all lambdas of a scope if the two sides have different ones."""
    _join_variants(clusters, *_other_keys(clusters, lambda_key))


def _join_processor_variants(clusters: _Clusters, profiles: tuple[Profile, Profile]) -> None:
    """Join what libc has of a function for several processors if the sides ran different ones."""
    numbers: dict[str, int] = {}
    columns = []
    for side, profile in zip(clusters.sides, profiles, strict=True):
        key = np.full(len(side), -1, np.int64)
        for rows, is_static in rows_of_libc(profile):
            for number in np.unique(side.name[rows]).tolist():
                if text := processor_key(side.names.keys[number], is_static=is_static):
                    is_same = rows[side.name[rows] == number]
                    key[is_same] = numbers.setdefault(text, len(numbers))
        columns.append(np.where(key >= 0, (key << 32) + side.object, -1))
    _join_variants(clusters, columns, list(numbers))


def _join_variants(clusters: _Clusters, keys: Sequence[Int64Array], titles: Sequence[str]) -> None:
    """Join functions with equal keys of which the sides have different ones."""
    groups = _common_groups(clusters, keys)
    for members in (*zip(*groups.single, strict=True), *groups.several):
        base, new = map(np.atleast_1d, members)
        names = (side.key[rows] for side, rows in zip(clusters.sides, (base, new), strict=True))
        if len({frozenset(each.tolist()) for each in names}) > 1:
            clusters.join(base, new, How.FAMILY, titles[int(keys[1][new[0]]) >> 32])


def _join_by_key(clusters: _Clusters, other_key: Callable[[str], str], how: How) -> None:
    """Join functions of the same file and object by another key; those without one are left."""
    keys, titles = _other_keys(clusters, other_key)
    groups = _common_groups(clusters, keys)
    for base, new in (*zip(*groups.single, strict=True), *groups.several):
        base, new = np.atleast_1d(base), np.atleast_1d(new)
        clusters.join(base, new, how, titles[int(keys[1][new[0]]) >> 32])


def _other_keys(
    clusters: _Clusters, other_key: Callable[[str], str]
) -> tuple[list[Int64Array], list[str]]:
    """Return keys of the functions that are left, made of their family keys, and their texts."""
    numbers: dict[str, int] = {}
    columns = []
    for side, cluster in zip(clusters.sides, clusters.number, strict=True):
        number = np.full(len(side.names.keys), -1, np.int64)
        is_left = np.zeros(len(number), bool)
        is_left[side.name[cluster < 0]] = True
        for row in np.flatnonzero(is_left).tolist():
            if text := other_key(side.names.keys[row]):
                number[row] = numbers.setdefault(text, len(numbers))
        key = number[side.name]
        columns.append(np.where(key >= 0, _by_place(key, side), -1))
    return columns, list(numbers)


def _join_moved(clusters: _Clusters) -> None:
    """Join functions whose name occurs once on each side, in different files."""
    counts = [np.bincount(side.key) for side in clusters.sides]
    keys = []
    for side, number, count in zip(clusters.sides, clusters.number, counts, strict=True):
        is_left = (number < 0) & (count[side.key] == 1)
        is_left &= ~(side.is_address | side.is_unknown)
        keys.append(np.where(is_left, side.key, -1))
    pairs = _common_groups(clusters, keys).single
    clusters.join_pairs(*pairs, [How.MOVED] * len(pairs[0]))


def _join_code_without_symbols(
    clusters: _Clusters, profiles: tuple[Profile, Profile], objects: dict[str, str]
) -> None:
    """Join all code without symbols of an object of whose cost less than half could be paired."""
    is_address = [side.is_address for side in clusters.sides]
    if not all((mask & (n < 0)).any() for mask, n in zip(is_address, clusters.number, strict=True)):
        return
    members = [
        _by_object(profile, np.flatnonzero(mask), names)
        for profile, mask, names in zip(profiles, is_address, (objects, {}), strict=True)
    ]
    costs = [self_costs(profile) for profile in profiles]
    paired = set(clusters.number[0].tolist()) & set(clusters.number[1].tolist())
    for path in sorted(members[0].keys() & members[1].keys()):
        shares = [
            (cost[functions], np.isin(number[functions], list(paired - {-1})))
            for cost, number, functions in zip(
                costs, clusters.number, (members[0][path], members[1][path]), strict=True
            )
        ]
        total = sum(int(cost.sum()) for cost, _ in shares)
        if 2 * sum(int(cost[is_paired].sum()) for cost, is_paired in shares) < total:
            name = f"{object_name(path)}, no symbols"
            clusters.join(members[0][path], members[1][path], How.FAMILY, name)


def _by_object(
    profile: Profile, functions: Int64Array, names: dict[str, str]
) -> dict[str, Int64Array]:
    """Return the functions of each object, by its path on the new side."""
    column = profile.functions.object[functions]
    paths = {number: profile.texts[text_at(column, row)] for row, number in enumerate(column)}
    return {names.get(path, path): functions[column == number] for number, path in paths.items()}


def self_costs(profile: Profile) -> Int64Array:
    """Return the self cost of each function in the first event."""
    runs = segment_sums(profile.costs.of_event(0), profile.runs.start)
    return sums_by_group(runs, profile.runs.function, len(profile.functions))


# ---------------------------------------------------------------- groups


@frozen(eq=True)
class _Groups:
    """Functions of both sides with the same key: base, new."""

    single: tuple[Int64Array, Int64Array]  # one on each side
    several: list[tuple[Int64Array, Int64Array]]


def _common_groups(clusters: _Clusters, keys: Sequence[Int64Array]) -> _Groups:
    """Group the functions that are left by key; -1 is no key."""
    sorted_keys, functions = [], []
    for number, key in zip(clusters.number, keys, strict=True):
        left = np.flatnonzero((number < 0) & (key >= 0))
        order = left[np.argsort(key[left], kind="stable")]
        functions.append(order)
        sorted_keys.append(key[order])
    common = _common_sorted(sorted_keys[0], sorted_keys[1])
    begin, end = (
        [np.searchsorted(column, common, side=side) for column in sorted_keys]
        for side in ("left", "right")
    )
    is_single = (end[0] - begin[0] == 1) & (end[1] - begin[1] == 1)
    single = tuple(f[b[is_single]] for f, b in zip(functions, begin, strict=True))
    several = [
        tuple(f[b[i] : e[i]] for f, b, e in zip(functions, begin, end, strict=True))
        for i in np.flatnonzero(~is_single).tolist()
    ]
    return _Groups((single[0], single[1]), [(base, new) for base, new in several])


def _common_sorted(one: Int64Array, other: Int64Array) -> Int64Array:
    """Return the distinct keys that both sorted arrays have, without sorting them again."""
    distinct = one[np.diff(one, prepend=-1) > 0]
    place = np.searchsorted(other, distinct)
    is_there = place < len(other)
    is_there[is_there] = other[place[is_there]] == distinct[is_there]
    return distinct[is_there]


def _by_place(key: Int64Array, side: Side) -> Int64Array:
    """Return keys that are equal where these keys, file and object are."""
    return (key << 32) + side.place


# ---------------------------------------------------------------- renamed functions

_LEAST_ALIKE = 0.8
_FEWEST_CALLEES = 3
_MOST_CALLERS = 50  # unpaired callers of a callee: one that more call says little
_MOST_CALLEES = 400  # that are compared in order, which takes the square of their number

_Callees = dict[int, tuple[int, ...]]  # the rows that a function calls, in order of its lines


@frozen(eq=True)
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
