"""The costs of calls, source lines and instructions, as rows."""

from __future__ import annotations

import numpy as np

from qcachegrind_py.analysis.code.locations import rows_of_function
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.explanation.numbers import (
    NO_ROWS,
    CodePlace,
    NumberKey,
    NumberKind,
    ProfileSum,
)
from qcachegrind_py.analysis.explanation.rows import call_rows, members
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.ids import function_id
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array, UInt64Array


def calls_between(queries: ProfileQueries, key: NumberKey, scope: Scope) -> ProfileSum:
    """Return the calls from one function or cycle to another, without those inside a cycle."""
    calls = queries.profile.calls
    by = members(queries, key.node, scope)[calls.caller]
    to = members(queries, key.callee, scope)[calls.callee]
    chosen = by & to
    if not queries.is_function(key.callee):
        chosen &= ~members(queries, key.callee, scope)[calls.caller]
    return ProfileSum(NO_ROWS, call_rows(queries, chosen, scope))


def at_place(queries: ProfileQueries, key: NumberKey, scope: Scope) -> ProfileSum:
    """Return the costs of a line or an instruction of a function, and of the calls from there."""
    profile, place = queries.profile, key.place
    rows = rows_of_function(profile, function_id(key.node), scope.parts)
    of_costs = _is_at(rows.cost_file, profile.costs.line[rows.costs], place)
    of_calls = _is_at(profile.calls.file[rows.calls], profile.calls.line[rows.calls], place)
    if place.address is not None:
        of_costs = _has_address(profile.costs.address, rows.costs, place.address)
        of_calls = _has_address(profile.calls.address, rows.calls, place.address)
    includes_calls = key.kind in (NumberKind.LINE_INCLUSIVE, NumberKind.INSTRUCTION_INCLUSIVE)
    return ProfileSum(rows.costs[of_costs], rows.calls[of_calls] if includes_calls else NO_ROWS)


def _is_at(file: Int32Array, line: Int32Array, place: CodePlace) -> BoolArray:
    is_at: BoolArray = (file == place.file) & (line == place.line)
    return is_at


def _has_address(addresses: UInt64Array | None, rows: Int64Array, address: int) -> BoolArray:
    if addresses is None:
        return np.zeros(len(rows), bool)
    has_address: BoolArray = addresses[rows] == np.uint64(address)
    return has_address
