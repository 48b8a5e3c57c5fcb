"""The rows of a table of code, and what each record costs in one event. No Qt, no texts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.code_sites import SiteCalls
from qcachegrind_py.analysis.labels import Labels
from qcachegrind_py.analysis.segments import sums_by_group
from qcachegrind_py.models.code_records import Arrows, CodeRecords, RecordKind, code_records
from qcachegrind_py.profile.events import CostArray, EventType, EventTypes, as_number
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array

_NOTHING = np.empty(0, np.int64)
NO_CALLS = SiteCalls(_NOTHING, _NOTHING, _NOTHING, np.empty((0, 0), np.int64))
NO_ARROWS = Arrows(_NOTHING, _NOTHING, _NOTHING, _NOTHING, np.empty(0, bool))
NO_RECORDS = code_records(_NOTHING, NO_CALLS, NO_ARROWS, 0)


@dataclass(frozen=True, slots=True, eq=False)
class CodeCosts:
    """The costs of the records in one event; zeros where there is none."""

    self_cost: CostArray
    inclusive: CostArray
    most: int | float = 0  # the inclusive cost of the costliest site: it has the longest bar


NO_COSTS = CodeCosts(_NOTHING, _NOTHING)


@dataclass(frozen=True, slots=True, eq=False)
class CodeRows:
    """What a table of code shows besides texts and costs: where each site is, and what it calls."""

    records: CodeRecords
    cost_row: Int64Array  # of each site
    file: Int32Array  # of each site: number in the profile's texts
    line: Int32Array
    calls: SiteCalls
    inside: BoolArray  # of each call: whether it stays in the cycle of the function
    labels: Labels | None

    def costs(
        self,
        events: EventTypes,
        event: EventType | None,
        own: Int64Array,
        inclusive: Int64Array,
    ) -> CodeCosts:
        """The costs of the records; `own` and `inclusive` are those of the rows of costs.

        Calls that stay inside the function's cycle are left out, as they are in the inclusive cost
        of functions.
        """
        records, row = self.records, self.cost_row[self.records.site]
        nothing = np.zeros(len(records), np.int64)
        if event is None:
            return CodeCosts(nothing, nothing)
        is_site = (records.kind == RecordKind.SITE) & (row >= 0)
        calls, inside = self.calls, self.inside
        inner = sums_by_group(calls.inclusive[:, inside], calls.site[inside], own.shape[1])
        own_costs = events.evaluate(event, own)
        with_calls = events.evaluate(event, inclusive - inner)
        of_calls = events.evaluate(event, np.where(inside, 0, calls.inclusive))
        self_cost = np.zeros(len(records), own_costs.dtype)
        sums = np.zeros(len(records), with_calls.dtype)
        self_cost[is_site] = own_costs[row[is_site]]
        sums[is_site] = with_calls[row[is_site]]
        is_call = records.kind == RecordKind.CALL
        sums[is_call] = of_calls[records.call[is_call]]
        return CodeCosts(self_cost, sums, as_number(sums[is_site].max()) if is_site.any() else 0)


NO_ROWS = CodeRows(
    NO_RECORDS,
    _NOTHING,
    np.empty(0, np.int32),
    np.empty(0, np.int32),
    NO_CALLS,
    np.empty(0, bool),
    None,
)
