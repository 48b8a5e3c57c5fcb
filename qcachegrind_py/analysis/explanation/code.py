"""The costs of calls, source lines and instructions, as rows."""

from __future__ import annotations

import numpy as np

from qcachegrind_py.analysis.code.location_costs import rows_of_function
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.explanation.functions import left_out_calls
from qcachegrind_py.analysis.explanation.keys import CodePlace, NumberKey, NumberKind
from qcachegrind_py.analysis.explanation.numbers import (
    NO_ROWS,
    LeftOut,
    LeftOutReason,
    ProfileSum,
)
from qcachegrind_py.analysis.explanation.rows import call_rows, members
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.ids import NodeId, function_id
from qcachegrind_py.profile.tables import BoolArray, Calls, Int32Array, Int64Array, UInt64Array

LeftOuts = tuple[LeftOut, ...]


def calls_between(
    queries: ProfileQueries, key: NumberKey, scope: Scope
) -> tuple[ProfileSum, LeftOuts]:
    """Return the calls from one function or cycle to another, or those from one place.

    Those from members of a cycle to the cycle are none. Between members they are counted, but have
    no cost.
    """
    calls, cycle = queries.profile.calls, queries.costs(scope).cycle
    by = members(queries, key.node, scope)[calls.caller]
    to = members(queries, key.callee, scope)[calls.callee]
    chosen = by & to
    if not queries.is_function(key.callee):
        chosen &= ~members(queries, key.callee, scope)[calls.caller]
    rows = call_rows(queries, chosen, scope)
    if key.place != CodePlace():
        rows = rows[_calls_at(calls, rows, key.place)]
    is_inside = cycle[key.node] > 0 and cycle[key.node] == cycle[key.callee]
    if is_inside and key.kind is NumberKind.CALL_COST:
        return ProfileSum(NO_ROWS, NO_ROWS), left_out_calls(queries, LeftOutReason.CYCLE, rows)
    return ProfileSum(NO_ROWS, rows), ()


def call_key(
    queries: ProfileQueries,
    scope: Scope,
    caller: NodeId,
    callee: NodeId,
    kind: NumberKind = NumberKind.CALL_COST,
) -> NumberKey:
    """Return cost or number of the calls; of a cycle to its member, it is what that member costs.

    A cycle does not call its members, so these calls have no number.
    """
    is_member = not queries.is_function(caller) and caller == queries.cycle_of(callee, scope)
    if is_member:
        return NumberKey(NumberKind.INCLUSIVE, callee)
    return NumberKey(kind, caller, callee)


def at_place(queries: ProfileQueries, key: NumberKey, scope: Scope) -> tuple[ProfileSum, LeftOuts]:
    """Return the costs of a line or an instruction of a function, and of the calls from there.

    As in the code views, calls of the function to itself or within its cycle are left out.
    """
    profile, place = queries.profile, key.place
    rows = rows_of_function(profile, function_id(key.node), scope.parts)
    of_costs = _is_at(rows.cost_file, profile.costs.line[rows.costs], place)
    of_calls = _calls_at(profile.calls, rows.calls, place)
    if place.address is not None:
        of_costs = _has_address(profile.costs.address, rows.costs, place.address)
    if key.kind in (NumberKind.LINE_SELF, NumberKind.INSTRUCTION_SELF):
        return ProfileSum(rows.costs[of_costs], NO_ROWS), ()
    calls, callee = rows.calls[of_calls], profile.calls.callee[rows.calls[of_calls]]
    cycle = queries.costs(scope).cycle
    is_recursive = callee == key.node
    is_inside = ~is_recursive & (cycle[callee] > 0) & (cycle[callee] == cycle[key.node])
    left_out = (
        *left_out_calls(queries, LeftOutReason.RECURSION, calls[is_recursive]),
        *left_out_calls(queries, LeftOutReason.CYCLE, calls[is_inside]),
    )
    return ProfileSum(rows.costs[of_costs], calls[~is_recursive & ~is_inside]), left_out


def _calls_at(calls: Calls, rows: Int64Array, place: CodePlace) -> BoolArray:
    if place.address is not None:
        return _has_address(calls.address, rows, place.address)
    return _is_at(calls.file[rows], calls.line[rows], place)


def _is_at(file: Int32Array, line: Int32Array, place: CodePlace) -> BoolArray:
    is_at: BoolArray = (file == place.file) & (line == place.line)
    return is_at


def _has_address(addresses: UInt64Array | None, rows: Int64Array, address: int) -> BoolArray:
    if addresses is None:
        return np.zeros(len(rows), bool)
    has_address: BoolArray = addresses[rows] == np.uint64(address)
    return has_address
