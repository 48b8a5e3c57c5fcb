"""The records of a table of source lines or instructions, and what they cost, without texts.

A *location* is a line or an instruction. Its record is followed by one record per call from there.
A heading and a source line may precede it. A range of locations without cost is preceded by one
record for the whole range, which is visible while the range is folded.

In a comparison each record has the costs of both sides. A closed group of inlined lines has the sum
of its costs at the line that brought them in, so that the visible costs always add up to those of
the function.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from enum import IntEnum
from functools import cached_property

import numpy as np

from qcachegrind_py.analysis.code.annotated_function import AnnotatedCosts
from qcachegrind_py.analysis.code.instructions import Int8Array
from qcachegrind_py.analysis.code.location_costs import LocationCalls
from qcachegrind_py.analysis.costs.noise import Sampling
from qcachegrind_py.analysis.costs.sums import sums_by_group
from qcachegrind_py.analysis.names.function_names import Labels
from qcachegrind_py.analysis.names.syntax import short_paths
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.figures import Counts, Figures
from qcachegrind_py.present.jump_lanes import JumpLanes, assign_lanes
from qcachegrind_py.present.unit import NO_UNIT, Unit
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import CostArray, EventType, EventTypes, as_number
from qcachegrind_py.profile.ids import (
    NO_FUNCTION,
    FunctionId,
    TextId,
    function_at,
    text_at,
    text_ids,
)
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array, StringTable

_MAX_COSTLIEST = 200  # locations that the keys for costliest lines visit
_MIN_FOLD = 2  # locations: folding a single one would save nothing


class RecordKind(IntEnum):
    """The kind of a record."""

    LOCATION = 0
    CALL = 1
    FOLD = 2
    HEADING = 3
    SOURCE = 4  # the source line of the instructions that follow


class LocationMark(IntEnum):
    """How the code of a location differs between the sides of a comparison."""

    NONE = 0
    NEW = 1  # only the new side has it
    GONE = 2  # only the base has it: a row without a place in the new code
    MOVED = 3  # the base has it elsewhere


MARK_WORDS = ("", "new", "gone", "moved")  # by mark


@frozen
class Arrows:
    """Jumps between locations, one row each."""

    source: Int64Array  # locations
    target: Int64Array
    executed: Int64Array
    followed: Int64Array
    conditional: BoolArray

    def __len__(self) -> int:
        return len(self.source)

    def selected(self, mask: BoolArray) -> Arrows:
        """Return only the jumps of a mask: shape (arrows,), bool."""
        return Arrows(
            self.source[mask],
            self.target[mask],
            self.executed[mask],
            self.followed[mask],
            self.conditional[mask],
        )


@frozen
class InlineGroups:
    """Each group is a line, its *host*, and the lines that the compiler inlined there."""

    of_location: Int64Array  # group of each host and inlined line; -1 for none
    host: Int64Array  # location of each group's host
    size: Int64Array  # inlined lines of each group

    def __len__(self) -> int:
        return len(self.host)

    def is_inlined(self) -> BoolArray:
        """Return the mask of the inlined lines: shape (locations,), bool."""
        inlined = self.of_location >= 0
        inlined[self.host] = False
        return inlined

    def sums(
        self, events: EventTypes, event: EventType, costs: Int64Array, cost_row: Int64Array
    ) -> CostArray:
        """Return the cost of each group in an event, hosts included: shape (groups,).

        `costs` has shape (measured events, rows), and `cost_row` is the row of each location; -1
        for none. Measured costs are summed, because a ratio of sums is no sum of ratios.
        """
        members = np.flatnonzero((self.of_location >= 0) & (cost_row >= 0))
        sums = sums_by_group(costs[:, cost_row[members]], self.of_location[members], len(self))
        return events.evaluate(event, sums)


def inline_groups(hosts: Int64Array) -> InlineGroups:
    """Return the groups; `hosts` is the location of each location's host, or the location itself.

    Inlined lines directly follow their host.
    """
    inlined = np.flatnonzero(hosts != np.arange(len(hosts)))
    host, number, size = np.unique(hosts[inlined], return_inverse=True, return_counts=True)
    of_location = np.full(len(hosts), -1, np.int64)
    of_location[inlined] = number
    of_location[host] = np.arange(len(host))
    return InlineGroups(of_location, host.astype(np.int64), size.astype(np.int64))


@frozen(slots=False)
class CodeRecords:
    """The records in code order."""

    kind: Int8Array
    location: Int64Array  # of a fold, the first of its locations
    call: Int64Array  # row of the calls; -1 if the record is no call
    record_of_location: Int64Array
    stretch: Int64Array  # number of the costless range containing the record; -1 for none
    lengths: Int64Array  # of the ranges, in locations
    groups: InlineGroups
    arrows: Arrows
    lanes: JumpLanes  # of the arrows, in records

    def __len__(self) -> int:
        return len(self.kind)

    @cached_property
    def parent(self) -> Int64Array:
        """The record of each record's location: shape (records,), int64."""
        return self.record_of_location[self.location]

    def is_location(self, record: int) -> bool:
        return bool(self.kind[record] == RecordKind.LOCATION)

    def group_of(self, record: int) -> int:
        """Return the group of a host, an inlined line or a call of these; -1 for others."""
        return int(self.groups.of_location[self.location[record]])

    def host_of(self, record: int) -> int:
        """Return the record of the line that brought a record in; else the record itself."""
        group = self.group_of(record)
        return record if group < 0 else int(self.record_of_location[self.groups.host[group]])

    def is_host(self, record: int) -> bool:
        """Whether the record is a line with inlined lines below it."""
        return self.group_of(record) >= 0 and self.host_of(record) == record

    def is_inlined(self, record: int) -> bool:
        group = self.group_of(record)
        return group >= 0 and bool(self.location[record] != self.groups.host[group])

    def jumps_of(self, record: int) -> Int64Array:
        """Return the arrows from and to a line or an instruction, the most frequent first."""
        if not self.is_location(record):
            return self.arrows.source[:0]
        location, arrows = int(self.location[record]), self.arrows
        found = np.flatnonzero((arrows.source == location) | (arrows.target == location))
        jumps: Int64Array = found[np.argsort(-arrows.followed[found], kind="stable")]
        return jumps

    def jump_targets(self, record: int) -> list[int]:
        """Return the records that a line or an instruction jumps to, the most frequent first."""
        jumps = self.jumps_of(record)
        jumps = jumps[self.arrows.source[jumps] == self.location[record]]
        targets: list[int] = self.record_of_location[self.arrows.target[jumps]].tolist()
        return list(dict.fromkeys(targets))


def code_records(
    cost_row: Int64Array,
    calls: LocationCalls,
    arrows: Arrows,
    context: int,
    headings: Iterable[int] = (),
    *,
    sources: Iterable[int] = (),
    hosts: Int64Array | None = None,
) -> CodeRecords:
    """Return the records of the locations.

    `cost_row`, shape (locations,), is the row of each location's costs, to which `calls.location`
    refers; -1 for none. `context` is the number of locations that are never folded around each one
    with cost, a heading, or the target of a recorded jump. `headings` and `sources` are the
    locations that a heading and a source line precede, the latter with cost. `hosts` are those of
    `inline_groups`, with cost; None: no line was inlined.
    """
    size = len(cost_row)
    groups = inline_groups(np.arange(size) if hosts is None else hosts)
    has_heading, has_source = (_mask(locations, size) for locations in (headings, sources))
    fold_range = _folded_stretches(_unfolded((cost_row >= 0) | has_heading, arrows, context))
    begins = np.flatnonzero((fold_range >= 0) & (np.diff(fold_range, prepend=-1) != 0))
    has_fold = np.zeros(size, bool)
    has_fold[begins] = True
    first_call, call_count = _call_ranges(cost_row, calls)
    lengths = 1 + call_count + has_heading + has_source + has_fold
    location = np.repeat(np.arange(size), lengths)
    begin = np.cumsum(lengths) - lengths
    kind = np.full(len(location), RecordKind.CALL, np.int8)
    record_of_location = begin + has_heading + has_source + has_fold
    kind[begin[has_fold]] = RecordKind.FOLD
    kind[(begin + has_fold)[has_heading]] = RecordKind.HEADING
    kind[(begin + has_fold + has_heading)[has_source]] = RecordKind.SOURCE
    kind[record_of_location] = RecordKind.LOCATION
    within = np.arange(len(location)) - record_of_location[location] - 1
    return CodeRecords(
        kind,
        location,
        np.where(kind == RecordKind.CALL, first_call[location] + within, -1),
        record_of_location,
        fold_range[location],
        np.bincount(fold_range[fold_range >= 0], minlength=len(begins)).astype(np.int64),
        groups,
        arrows,
        assign_lanes(record_of_location[arrows.source], record_of_location[arrows.target]),
    )


def _mask(locations: Iterable[int], size: int) -> BoolArray:
    mask = np.zeros(size, bool)
    mask[list(locations)] = True
    return mask


def _unfolded(is_marked: BoolArray, arrows: Arrows, context: int) -> BoolArray:
    """Return the mask of locations that are never folded: those around marked ones."""
    marked = is_marked.copy()
    marked[arrows.target[arrows.executed >= 0]] = True
    around = np.zeros(len(marked) + 1, np.int64)
    positions = np.flatnonzero(marked)
    np.add.at(around, np.maximum(positions - context, 0), 1)
    np.add.at(around, np.minimum(positions + context + 1, len(marked)), -1)
    return np.cumsum(around)[:-1] > 0


def _folded_stretches(unfolded: BoolArray) -> Int64Array:
    """Return the number of each location's folded range; -1 for none."""
    begins = ~unfolded & np.concatenate(([True], unfolded[:-1]))[: len(unfolded)]
    number = np.where(unfolded, -1, np.cumsum(begins) - 1)
    lengths = np.bincount(number[~unfolded], minlength=1)
    is_long = lengths >= _MIN_FOLD
    renumbered = np.where(is_long, np.cumsum(is_long) - 1, -1)
    return np.where(unfolded, -1, renumbered[number])


def _call_ranges(cost_row: Int64Array, calls: LocationCalls) -> tuple[Int64Array, Int64Array]:
    """Return the first row of each location's calls, and their number."""
    first = np.searchsorted(calls.location, cost_row, side="left")
    end = np.searchsorted(calls.location, cost_row, side="right")
    return first, np.where(cost_row >= 0, end - first, 0)


_NOTHING = np.empty(0, np.int64)
NO_CALLS = LocationCalls(
    _NOTHING, _NOTHING, _NOTHING, np.empty((0, 0), np.int64), np.empty(0, bool)
)
NO_ARROWS = Arrows(_NOTHING, _NOTHING, _NOTHING, _NOTHING, np.empty(0, bool))
NO_ANNOTATED_COSTS = AnnotatedCosts(
    NO_CALLS.inclusive, NO_CALLS.inclusive, NO_CALLS, np.empty(0, bool)
)
NO_RECORDS = code_records(_NOTHING, NO_CALLS, NO_ARROWS, 0)


@frozen(slots=False)
class CodeRows:
    """The rows of a table of code, without texts: locations, costs and calls.

    In a comparison, both sides have the same locations and calls, with costs of 0 on a side that
    lacks them; `costs` are those of the new side.
    """

    records: CodeRecords
    cost_row: Int64Array  # of each location
    file: Int32Array  # of each location: a TextId
    line: Int32Array
    costs: AnnotatedCosts  # `cost_row` refers to its rows
    labels: Labels | None
    before: AnnotatedCosts | None = None  # costs in the base of a comparison
    marks: Int8Array | None = None  # of each location: a `LocationMark`; None: there are none

    @property
    def calls(self) -> LocationCalls:
        return self.costs.calls

    def file_names(self, texts: StringTable) -> dict[TextId, str]:
        """Return the shortest distinct paths of the files, in a job: a million take seconds."""
        files = text_ids(np.unique(self.file))
        return dict(zip(files, short_paths(texts.lookup(files)), strict=True))

    def call_counts(self) -> tuple[Int64Array, Int64Array]:
        """Return the call count of each record in base and new: of a location, of all its calls.

        Both are the same if nothing is compared.
        """
        new = self._call_counts(self.costs)
        return (new if self.before is None else self._call_counts(self.before)), new

    def _call_counts(self, costs: AnnotatedCosts) -> Int64Array:
        records, calls = self.records, costs.calls
        counts = np.zeros(len(records), np.int64)
        call_records = np.flatnonzero(records.kind == RecordKind.CALL)
        counts[call_records] = calls.count[records.call[call_records]]
        parents = records.parent[call_records]  # in ascending order, as calls are below their line
        begins = np.flatnonzero(np.diff(parents, prepend=-1))
        if len(begins):
            counts[parents[begins]] = np.add.reduceat(counts[call_records], begins)
        return counts

    def mark_of(self, record: int) -> LocationMark:
        """Return how the location of a record differs between the sides; calls have no mark."""
        if self.marks is None or not self.records.is_location(record):
            return LocationMark.NONE
        return LocationMark(int(self.marks[self.records.location[record]]))

    def line_of(self, record: int) -> tuple[TextId, int]:
        """Return file and source line of a record; 0 if unknown."""
        location = int(self.records.location[record])
        return text_at(self.file, location), int(self.line[location])

    def function_of(self, record: int) -> FunctionId:
        """Return the called function; `NO_FUNCTION` if the record is no call."""
        return function_at(self.callees, record)

    @cached_property
    def callees(self) -> Int64Array:
        """The called function of each record; `NO_FUNCTION` if it is no call: (records,)."""
        callees = np.append(self.calls.callee, int(NO_FUNCTION))
        of_record: Int64Array = callees[self.records.call].astype(np.int64)
        return of_record

    @cached_property
    def is_costly_location(self) -> BoolArray:
        """The mask of the lines or instructions with costs on either side: shape (records,)."""
        is_location: BoolArray = self.records.kind == RecordKind.LOCATION
        return is_location & (self.cost_row[self.records.location] >= 0)

    @cached_property
    def has_cost(self) -> BoolArray:
        """The mask of the records that can have costs: also of calls."""
        is_call: BoolArray = self.records.call >= 0
        return self.is_costly_location | is_call

    @cached_property
    def is_inner(self) -> BoolArray:
        """The mask of the calls that stay inside the function's cycle: shape (records,)."""
        within = np.append(self.costs.within_cycle, False)
        inner: BoolArray = within[self.records.call]
        return inner


NO_ROWS = CodeRows(
    NO_RECORDS, _NOTHING, np.empty(0, np.int32), np.empty(0, np.int32), NO_ANNOTATED_COSTS, None
)


# ---------------------------------------------------------------- costs


@frozen
class EventCosts:
    """The costs of the records in an event, shape (records,), and of groups of inlined lines.

    They are 0 where a record has none, and for calls within the cycle.
    """

    self_cost: Figures
    inclusive: Figures
    # sums over each line with the lines inlined there, shape (groups,)
    group_self: Figures
    group_inclusive: Figures
    # records of the locations with the highest inclusive costs, costliest first, up to a limit
    costliest: Int64Array

    @property
    def is_compared(self) -> bool:
        return self.inclusive.is_compared

    def scaled(self, locations: Int64Array) -> EventCosts:
        """Return the costs with the costliest of these records, or largest change, as full bar."""
        sizes = self.inclusive.order()
        known = sizes[locations]
        costliest = _costliest(locations[known > 0], sizes)
        known = known[known == known]  # without NaN
        largest = as_number(known.max()) if len(known) else 0
        unit = self.inclusive.unit
        if self.is_compared:
            unit = replace(unit, longest_change=largest)
        else:
            unit = replace(unit, bar_total=largest)
        return replace(
            self,
            self_cost=replace(self.self_cost, unit=unit),
            inclusive=replace(self.inclusive, unit=unit),
            costliest=costliest,
        )

    def with_sums(self, groups: BoolArray, hosts: Int64Array, visible: Int64Array) -> EventCosts:
        """Return the costs with the sums of some groups at their hosts.

        `groups` is a mask of the groups, `hosts` the record of each group's host, and `visible` the
        records of the locations that remain visible.
        """
        self_cost = _with_sums(self.self_cost, self.group_self, groups, hosts)
        inclusive = _with_sums(self.inclusive, self.group_inclusive, groups, hosts)
        return replace(self, self_cost=self_cost, inclusive=inclusive).scaled(visible)


def _with_sums(figures: Figures, sums: Figures, groups: BoolArray, hosts: Int64Array) -> Figures:
    sides = []
    for costs, of_groups in ((figures.base, sums.base), (figures.new, sums.new)):
        summed = costs.copy()
        summed[hosts[groups]] = of_groups[groups]
        sides.append(summed)
    base, new = sides
    return replace(figures, new=new, base=base if figures.is_compared else new)


def _costliest(records: Int64Array, costs: CostArray) -> Int64Array:
    """Return the records with the highest costs, costliest first, of equal ones the first."""
    if len(records) > _MAX_COSTLIEST:  # sorting a million takes 150 ms, this 20
        at_least = np.partition(costs[records], -_MAX_COSTLIEST)[-_MAX_COSTLIEST]
        records = records[costs[records] >= at_least]
    costliest: Int64Array = records[np.argsort(-costs[records], kind="stable")[:_MAX_COSTLIEST]]
    return costliest


@frozen
class CodeCosts:
    """The costs of the records in the first and the second event, and how often they call."""

    first: EventCosts
    second: EventCosts
    calls: Counts
    are_of_function: bool = False  # percentages are of the function's inclusive cost
    inputs: object = None  # what they were computed for


def code_costs(
    query: ViewQuery,
    rows: CodeRows,
    function: FunctionId,
    before: CodeCosts | None = None,
    *,
    is_of_function: bool = True,
) -> CodeCosts:
    """Return the costs of all records; `before`, of the same records, if they are still right.

    `is_of_function` is false for code that is not of this function alone. A million records take 60
    ms, which the GUI thread spends only if the context has changed.
    """
    inputs = query.events, query.context
    if before is not None and before.inputs == inputs:
        return before
    if not query.is_comparing:
        rows = replace(rows, before=None)
    first, second = (
        event_costs(
            rows,
            query.events,
            event,
            _unit(query, event, function, rows, is_of_function=is_of_function),
            (True, True) if event is None else query.known(event),
            None if event is None else query.sampling(event),
        )
        for event in (query.context.event, query.context.second_event)
    )
    base_calls, calls = rows.call_counts()
    counts = Counts(calls, base_calls, query.context.numbers)
    are_of_function = is_of_function and query.context.percent_of_function
    return CodeCosts(first, second, counts, are_of_function, inputs)


def _unit(
    query: ViewQuery,
    event: EventType | None,
    function: FunctionId,
    rows: CodeRows,
    *,
    is_of_function: bool,
) -> Unit:
    """Return the unit, in which 100 % is the function's cost if the user wants that.

    In a comparison it is the cost of the function in the base, or now if it is new.
    """
    context = query.context
    if rows.before is None or context.base is None:
        unit_of = query.code_unit if is_of_function else query.call_unit
        return unit_of(event, function)
    if event is None or not (is_of_function and context.percent_of_function):
        return query.unit(event)
    costs = (
        as_number(query.queries.inclusive(event, scope)[function])
        for scope in (context.base, context.scope)
    )
    return replace(query.unit(event), total=next(filter(None, costs), 0))


def event_costs(
    rows: CodeRows,
    events: EventTypes,
    event: EventType | None,
    unit: Unit = NO_UNIT,
    known: tuple[bool, bool] = (True, True),
    samples: Sampling | None = None,
) -> EventCosts:
    """Return the costs of the records in an event; zeros without one."""
    new = _side_costs(rows, events, event, rows.costs)
    base = new if rows.before is None else _side_costs(rows, events, event, rows.before)
    self_cost, inclusive, group_self, group_inclusive = (
        Figures(unit, *sides, known, sampling=samples) for sides in zip(new, base, strict=True)
    )
    inclusive = replace(inclusive, is_inner=rows.is_inner)
    costs = EventCosts(self_cost, inclusive, group_self, group_inclusive, _NOTHING)
    return costs.scaled(np.flatnonzero(rows.is_costly_location))


def _side_costs(
    rows: CodeRows, events: EventTypes, event: EventType | None, costs: AnnotatedCosts
) -> tuple[CostArray, CostArray, CostArray, CostArray]:
    """Return self and inclusive costs on one side, of the records and of the groups."""
    records, groups = rows.records, rows.records.groups
    if event is None:
        zeros, no_sums = np.zeros(len(records), np.int64), np.zeros(len(groups), np.int64)
        return zeros, zeros, no_sums, no_sums
    is_location, is_call = rows.is_costly_location, records.call >= 0
    row = rows.cost_row[records.location][is_location]
    self_costs = events.evaluate(event, costs.self_cost)
    inclusive_costs = events.evaluate(event, costs.inclusive)
    call_costs = events.evaluate(event, np.where(costs.within_cycle, 0, costs.calls.inclusive))
    self_cost = np.zeros(len(records), self_costs.dtype)
    inclusive = np.zeros(len(records), inclusive_costs.dtype)
    self_cost[is_location] = self_costs[row]
    inclusive[is_location] = inclusive_costs[row]
    inclusive[is_call] = call_costs[records.call[is_call]]
    return (
        self_cost,
        inclusive,
        groups.sums(events, event, costs.self_cost, rows.cost_row),
        groups.sums(events, event, costs.inclusive, rows.cost_row),
    )
