"""What a table of source lines or instructions consists of, record by record.

A *site* is a line or an instruction. Its record is followed by one for each call from there; a
heading may stand before it, and before a stretch of sites without cost one for the whole stretch,
which is seen where the stretch is folded. Texts and costs are not here; no Qt.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from qcachegrind_py.analysis.code.annotated_function import AnnotatedCosts
from qcachegrind_py.analysis.code.instructions import Int8Array
from qcachegrind_py.analysis.code.locations import LocationCalls
from qcachegrind_py.analysis.names.labels import Labels
from qcachegrind_py.models.code.jump_lanes import JumpLanes, assign_lanes
from qcachegrind_py.profile.events import CostArray, EventType, EventTypes, as_number
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array

_MIN_FOLD = 2  # sites: one line would not be saved by folding it


class RecordKind(IntEnum):
    """What a record is."""

    LOCATION = 0
    CALL = 1
    FOLD = 2
    HEADING = 3


@dataclass(frozen=True, slots=True, eq=False)
class Arrows:
    """A row a jump from one site to another."""

    source: Int64Array  # sites
    target: Int64Array
    executed: Int64Array
    followed: Int64Array
    conditional: BoolArray

    def __len__(self) -> int:
        return len(self.source)


@dataclass(frozen=True, slots=True, eq=False)
class CodeRecords:
    """The records in the order of the code."""

    kind: Int8Array
    location: Int64Array  # of a fold the first of its sites
    call: Int64Array  # row of the calls; -1 of all that is none
    record_of_location: Int64Array
    stretch: Int64Array  # the stretch without cost that the record is of, by number; -1 for none
    lengths: Int64Array  # of the stretches, in sites
    arrows: Arrows
    lanes: JumpLanes  # of the arrows, from record to record

    def __len__(self) -> int:
        return len(self.kind)

    @property
    def parent(self) -> Int64Array:
        """The record of the site that each record is about."""
        return self.record_of_location[self.location]


def code_records(
    cost_row: Int64Array,
    calls: LocationCalls,
    arrows: Arrows,
    context: int,
    headings: Iterable[int] = (),
) -> CodeRecords:
    """The records of the sites.

    `cost_row` is the row of each site's costs, to which `calls.site` refers, -1 for none. So many
    sites of `context` stay around each with cost, a heading, or the end of a recorded jump, when
    others fold.
    """
    sites = len(cost_row)
    has_heading = np.zeros(sites, bool)
    has_heading[list(headings)] = True
    stretch = _folded_stretches(_unfolded(cost_row, arrows, has_heading, context))
    begins = np.flatnonzero((stretch >= 0) & (np.diff(stretch, prepend=-1) != 0))
    has_fold = np.zeros(sites, bool)
    has_fold[begins] = True
    first_call, call_count = _call_ranges(cost_row, calls)
    lengths = 1 + call_count + has_heading + has_fold
    site = np.repeat(np.arange(sites), lengths)
    begin = np.cumsum(lengths) - lengths
    kind = np.full(len(site), RecordKind.CALL, np.int8)
    record_of_site = begin + has_heading + has_fold
    kind[begin[has_fold]] = RecordKind.FOLD
    kind[(begin + has_fold)[has_heading]] = RecordKind.HEADING
    kind[record_of_site] = RecordKind.LOCATION
    within = np.arange(len(site)) - record_of_site[site] - 1
    return CodeRecords(
        kind,
        site,
        np.where(kind == RecordKind.CALL, first_call[site] + within, -1),
        record_of_site,
        stretch[site],
        np.bincount(stretch[stretch >= 0], minlength=len(begins)).astype(np.int64),
        arrows,
        assign_lanes(record_of_site[arrows.source], record_of_site[arrows.target]),
    )


def _unfolded(
    cost_row: Int64Array, arrows: Arrows, has_heading: BoolArray, context: int
) -> BoolArray:
    """The sites that are not folded away."""
    marked = (cost_row >= 0) | has_heading
    marked[arrows.target[arrows.executed >= 0]] = True
    around = np.zeros(len(marked) + 1, np.int64)
    places = np.flatnonzero(marked)
    np.add.at(around, np.maximum(places - context, 0), 1)
    np.add.at(around, np.minimum(places + context + 1, len(marked)), -1)
    return np.cumsum(around)[:-1] > 0


def _folded_stretches(kept: BoolArray) -> Int64Array:
    """The number of the stretch each site is folded away in; -1 for none."""
    begins = ~kept & np.concatenate(([True], kept[:-1]))[: len(kept)]
    number = np.where(kept, -1, np.cumsum(begins) - 1)
    lengths = np.bincount(number[~kept], minlength=1)
    is_long = lengths >= _MIN_FOLD
    renumbered = np.where(is_long, np.cumsum(is_long) - 1, -1)
    return np.where(kept, -1, renumbered[number])


def _call_ranges(cost_row: Int64Array, calls: LocationCalls) -> tuple[Int64Array, Int64Array]:
    """The first row of each site's calls, and how many it has."""
    first = np.searchsorted(calls.location, cost_row, side="left")
    behind = np.searchsorted(calls.location, cost_row, side="right")
    return first, np.where(cost_row >= 0, behind - first, 0)


_NOTHING = np.empty(0, np.int64)
NO_CALLS = LocationCalls(_NOTHING, _NOTHING, _NOTHING, np.empty((0, 0), np.int64))
NO_ARROWS = Arrows(_NOTHING, _NOTHING, _NOTHING, _NOTHING, np.empty(0, bool))
NO_ANNOTATED_COSTS = AnnotatedCosts(
    NO_CALLS.inclusive, NO_CALLS.inclusive, NO_CALLS, np.empty(0, bool)
)
NO_RECORDS = code_records(_NOTHING, NO_CALLS, NO_ARROWS, 0)


@dataclass(frozen=True, slots=True, eq=False)
class CodeCosts:
    """The costs of the records in one event; zeros where there is none."""

    self_cost: CostArray
    inclusive: CostArray
    maximum: int | float = 0  # the inclusive cost of the costliest site: it has the longest bar


NO_COSTS = CodeCosts(_NOTHING, _NOTHING)


@dataclass(frozen=True, slots=True, eq=False)
class CodeRows:
    """What a table of code shows besides texts: where each site is, its costs and its calls."""

    records: CodeRecords
    cost_row: Int64Array  # of each site
    file: Int32Array  # of each site: number in the profile's texts
    line: Int32Array
    costs: AnnotatedCosts  # to whose rows `cost_row` refers
    labels: Labels | None

    @property
    def calls(self) -> LocationCalls:
        """The calls of the sites."""
        return self.costs.calls

    def record_costs(self, events: EventTypes, event: EventType | None) -> CodeCosts:
        """The costs of the records; those of calls within the cycle are 0."""
        records, row = self.records, self.cost_row[self.records.location]
        nothing = np.zeros(len(records), np.int64)
        if event is None:
            return CodeCosts(nothing, nothing)
        is_site = (records.kind == RecordKind.LOCATION) & (row >= 0)
        costs = self.costs
        own_costs = events.evaluate(event, costs.self_cost)
        with_calls = events.evaluate(event, costs.inclusive)
        of_calls = events.evaluate(event, np.where(costs.within_cycle, 0, self.calls.inclusive))
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
    NO_ANNOTATED_COSTS,
    None,
)
