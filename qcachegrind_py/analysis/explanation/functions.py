"""The rules of inclusive costs and counts, as terms and rows.

They are those of `analysis.costs.function_costs`: in each part, a function that others called has
the cost of these calls, any other its self cost and that of the calls it makes. Members of cycles
have their self cost and that of the calls that leave the cycle.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.costs.sums import sums_by_group
from qcachegrind_py.analysis.explanation.keys import NumberKey, NumberKind
from qcachegrind_py.analysis.explanation.numbers import (
    NO_ROWS,
    LeftOut,
    LeftOutReason,
    ProfileSum,
    TermKind,
)
from qcachegrind_py.analysis.explanation.rows import call_rows, cost_rows, members
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.ids import NodeId, node_ids
from qcachegrind_py.profile.tables import BoolArray, Int64Array

Group = tuple[TermKind, NumberKey, ProfileSum]


@dataclass(frozen=True, slots=True, eq=False)
class Composition:
    """The groups of rows that a number consists of, each a term of it, and what is left out."""

    groups: tuple[Group, ...]
    left_out: tuple[LeftOut, ...] = ()

    @property
    def rows(self) -> ProfileSum:
        """All rows, in file order."""
        sums = [rows for _, _, rows in self.groups]
        if len(sums) == 1:  # sorting 70 million rows takes seconds
            return sums[0]
        costs, calls = [each.costs for each in sums], [each.calls for each in sums]
        return ProfileSum(
            np.sort(np.concatenate((NO_ROWS, *costs))), np.sort(np.concatenate((NO_ROWS, *calls)))
        )


def self_cost(queries: ProfileQueries, node: NodeId, scope: Scope) -> Composition:
    """Return the self cost of a function, or of the members of a cycle."""
    if queries.is_function(node):
        return Composition((_self_group(queries, node, scope, None),))
    functions = np.flatnonzero(members(queries, node, scope))
    groups = [_self_group(queries, NodeId(member), scope, None) for member in functions.tolist()]
    return Composition(tuple((TermKind.MEMBER, key, rows) for _, key, rows in groups))


def inclusive_cost(queries: ProfileQueries, node: NodeId, scope: Scope) -> Composition:
    """Return the inclusive cost of a function or cycle."""
    if queries.costs(scope).cycle[node]:
        return _cost_in_cycle(queries, node, scope)
    profile, calls = queries.profile, queries.profile.calls
    to, by = calls.callee == node, calls.caller == node
    received = call_rows(queries, to & ~by, scope)
    is_called = np.zeros(len(profile.parts), bool)
    is_called[calls.part[received]] = True
    all_to = call_rows(queries, to, scope)
    count = sums_by_group(calls.count[all_to], calls.part[all_to], len(profile.parts))
    by_others = is_called & (count > 0)  # the parts in which its cost is that of the calls to it
    received = received[by_others[calls.part[received]]]
    made = call_rows(queries, by & ~to, scope)
    made = made[~by_others[calls.part[made]]]
    groups = [
        *_call_groups(queries, TermKind.CALLS_FROM, received),
        *_call_groups(queries, TermKind.CALLS_TO, made),
    ]
    own = _self_group(queries, node, scope, by_others)
    if len(own[2]) or not groups:
        groups.insert(0, own)
    recursive = call_rows(queries, to & by, scope)
    return Composition(tuple(groups), left_out_calls(queries, LeftOutReason.RECURSION, recursive))


def _cost_in_cycle(queries: ProfileQueries, node: NodeId, scope: Scope) -> Composition:
    """Return the cost of a cycle or of a member: self costs, and calls that leave the cycle."""
    calls = queries.profile.calls
    inside = members(queries, queries.cycle_of(node, scope), scope)
    own = members(queries, node, scope)
    leaving = call_rows(queries, own[calls.caller] & ~inside[calls.callee], scope)
    staying = call_rows(queries, own[calls.caller] & inside[calls.callee], scope)
    left_out = left_out_calls(queries, LeftOutReason.CYCLE, staying)
    if queries.is_function(node):
        groups = [
            _self_group(queries, node, scope, None),
            *_call_groups(queries, TermKind.CALLS_TO, leaving),
        ]
        return Composition(tuple(groups), left_out)
    return Composition(tuple(_member_groups(queries, own, leaving, scope)), left_out)


def _member_groups(
    queries: ProfileQueries, own: BoolArray, leaving: Int64Array, scope: Scope
) -> Iterator[Group]:
    for member in node_ids(np.flatnonzero(own)):
        rows = ProfileSum(
            _self_group(queries, member, scope, None)[2].costs,
            leaving[queries.profile.calls.caller[leaving] == member],
        )
        yield TermKind.MEMBER, NumberKey(NumberKind.INCLUSIVE, member), rows


def called_count(queries: ProfileQueries, node: NodeId, scope: Scope) -> Composition:
    """Return how often a function was called, by itself, too; or a cycle, from outside."""
    calls, own = queries.profile.calls, members(queries, node, scope)
    chosen = own[calls.callee]
    left_out: tuple[LeftOut, ...] = ()
    if not queries.is_function(node):
        inside = call_rows(queries, chosen & own[calls.caller], scope)
        left_out = left_out_calls(queries, LeftOutReason.CYCLE, inside)
        chosen &= ~own[calls.caller]
    groups = _call_groups(
        queries, TermKind.CALLS_FROM, call_rows(queries, chosen, scope), NumberKind.CALL_COUNT
    )
    return Composition(tuple(groups), left_out)


def _self_group(
    queries: ProfileQueries, node: NodeId, scope: Scope, without: BoolArray | None
) -> Group:
    rows = cost_rows(queries, members(queries, node, scope), scope, without)
    return TermKind.SELF, NumberKey(NumberKind.SELF, node), ProfileSum(rows, NO_ROWS)


def _call_groups(
    queries: ProfileQueries,
    kind: TermKind,
    rows: Int64Array,
    number: NumberKind = NumberKind.CALL_COST,
) -> list[Group]:
    """Return a group for each pair of caller and callee, in the order of the functions."""
    calls, functions = queries.profile.calls, max(1, queries.function_count)
    pairs = calls.caller[rows].astype(np.int64) * functions + calls.callee[rows]
    order = np.argsort(pairs, kind="stable")
    found, starts = np.unique(pairs[order], return_index=True)
    groups = np.split(rows[order], starts[1:])
    return [
        (
            kind,
            NumberKey(number, NodeId(pair // functions), NodeId(pair % functions)),
            ProfileSum(NO_ROWS, group),
        )
        for pair, group in zip(found.tolist(), groups, strict=False)
    ]


def left_out_calls(
    queries: ProfileQueries, reason: LeftOutReason, rows: Int64Array
) -> tuple[LeftOut, ...]:
    """Return that these calls are left out; nothing if there are none."""
    if not len(rows):
        return ()
    return (LeftOut(reason, int(queries.profile.calls.count[rows].sum()), len(rows)),)
