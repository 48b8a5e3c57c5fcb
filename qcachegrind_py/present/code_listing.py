"""A table of source lines or instructions: what its records say, cost, and hide.

In a comparison each record has the costs of both sides, and shows how they changed. A closed group
of inlined lines shows the sum of its costs at the line that brought them in, so that the visible
costs always add up to those of the function.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from qcachegrind_py.analysis.code.annotated_function import AnnotatedCosts
from qcachegrind_py.present.code_records import (
    Arrows,
    CodeRows,
    RecordKind,
)
from qcachegrind_py.present.code_texts import CodeCells, CodeTexts
from qcachegrind_py.present.figures import Counts, Figures
from qcachegrind_py.present.jump_lanes import JumpLanes, assign_lanes
from qcachegrind_py.present.table import (
    Column,
    CostCells,
    CountCells,
    Numbers,
    Shown,
    SideCells,
    Table,
    Value,
    known_numbers,
)
from qcachegrind_py.present.unit import BASE, NEW, NO_UNIT, Unit
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import CostArray, EventType, EventTypes, as_number
from qcachegrind_py.profile.ids import NO_FUNCTION, FunctionId
from qcachegrind_py.profile.numbers import (
    ACTIVE,
    IN_CYCLE,
    UNDEFINED,
    format_count,
    plural,
)
from qcachegrind_py.profile.tables import BoolArray, Int64Array

_MAX_COSTLIEST = 200  # locations that the keys for costliest lines visit
# Arrows that get other lanes when a group is closed or opened: 5,000 take 25 ms in the GUI thread.
_MAX_MOVED_ARROWS = 5_000


# ---------------------------------------------------------------- costs


@dataclass(frozen=True, slots=True, eq=False)
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
        """Whether the costs have a base."""
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


@dataclass(frozen=True, slots=True, eq=False)
class CodeCosts:
    """The costs of the records in the first and the second event, and how often they call."""

    first: EventCosts
    second: EventCosts
    calls: Counts
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
        )
        for event in (query.context.event, query.context.second_event)
    )
    base_calls, calls = rows.call_counts()
    return CodeCosts(first, second, Counts(calls, base_calls, query.context.numbers), inputs)


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
) -> EventCosts:
    """Return the costs of the records in an event; zeros without one."""
    new = _side_costs(rows, events, event, rows.costs)
    base = new if rows.before is None else _side_costs(rows, events, event, rows.before)
    self_cost, inclusive, group_self, group_inclusive = (
        Figures(unit, *sides, known) for sides in zip(new, base, strict=True)
    )
    inclusive = replace(inclusive, is_inner=rows.is_inner)
    costs = EventCosts(self_cost, inclusive, group_self, group_inclusive, np.empty(0, np.int64))
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


@dataclass(frozen=True, eq=False, kw_only=True)
class CodeCostCells(CostCells):
    """The costs of records: blank for zero, and for records that have none."""

    rows: CodeRows

    def text(self, row: int) -> str:
        inner = self.figures.is_inner
        if inner is not None and inner[row]:
            return IN_CYCLE
        return self.figures.cell(row) if self.rows.has_cost[row] and self.numbers()[row] else ""

    def order(self) -> Numbers:
        values = self.numbers()[self.rows.records.parent]
        return np.abs(values) if self.is_change else values

    def numbers(self) -> Numbers:
        shown = self.figures.shown
        return np.where(self.rows.has_cost, shown, 0.0) if shown.dtype.kind == "f" else shown

    def values(self, rows: Int64Array) -> list[Value]:
        return [number or None for number in known_numbers(self.numbers()[rows])]

    def widest(self) -> str:
        largest = super().widest()
        inner = self.figures.is_inner
        return largest if inner is None or not inner.any() else max(largest, IN_CYCLE, key=len)


@dataclass(frozen=True, eq=False, kw_only=True)
class CodeSideCells(SideCells):
    """The costs of records on one side; dashes if it has not recorded the event."""

    rows: CodeRows

    def text(self, row: int) -> str:
        figures = self.figures
        if not figures.is_compared or self.rows.is_inner[row]:
            return ""
        if not figures.known[self.side]:
            return UNDEFINED if self.rows.has_cost[row] else ""
        return figures.side_cell(row, self.side) if self.numbers()[row] else ""

    def order(self) -> Numbers:
        return self.numbers()[self.rows.records.parent]

    def values(self, rows: Int64Array) -> list[Value]:
        if not self.figures.known[self.side]:
            return [None] * len(rows)
        return [number or None for number in known_numbers(self.numbers()[rows])]


@dataclass(frozen=True, eq=False, kw_only=True)
class CallCells(CountCells):
    """How often records call, base → new if that differs; lines without calls are blank."""

    rows: CodeRows

    def text(self, row: int) -> str:
        calls, call = self.counts, int(self.rows.records.call[row])
        if calls.base[row] or calls.new[row]:
            return calls.text(row)
        return "" if call < 0 else ACTIVE if self.rows.calls.is_active[call] else UNDEFINED

    def order(self) -> Numbers:
        return self.counts.order()[self.rows.records.parent]

    def values(self, rows: Int64Array) -> list[Value]:
        base, new = self.counts.base[rows].tolist(), self.counts.new[rows].tolist()
        pairs = zip(base, new, strict=True)
        return [now if before == now else f"{before} → {now}" for before, now in pairs]

    def base_numbers(self) -> Numbers | None:
        return None

    def widest(self) -> str:
        base, new = self.counts.base, self.counts.new
        differs = base != new
        # the largest new one, and the largest of each side that differs, approximately
        places = {int(np.where(differs, side, 0).argmax()) for side in (base, new) if len(side)}
        places |= {int(new.argmax())} if len(new) else set()
        texts = [self.text(place) for place in places]
        has_words = self.counts.is_compared or self.rows.calls.is_active.any()
        return max([*texts, ACTIVE if has_words else ""], key=len)

    def heading(self, title: str) -> str:
        return title if len(self.rows.calls) else ""


# ---------------------------------------------------------------- the table


@dataclass(frozen=True, eq=False)
class CodeListing:
    """The texts and costs of lines or instructions, with some groups of inlined lines closed."""

    texts: CodeTexts
    open_costs: CodeCosts  # with all groups open
    closed: BoolArray  # mask of the groups

    @staticmethod
    def of(texts: CodeTexts, costs: CodeCosts, *, hides_inlined: bool = False) -> CodeListing:
        """Return the listing with all groups open, or closed."""
        closed = np.full(len(texts.rows.records.groups), hides_inlined)
        return CodeListing(_styled(texts, costs), costs, closed)

    def with_costs(self, costs: CodeCosts) -> CodeListing:
        """Return the same code with other costs."""
        return replace(self, texts=_styled(self.texts, costs), open_costs=costs)

    def with_group(self, record: int, *, closed: bool) -> CodeListing:
        """Return the listing with the group of a record closed or open; itself if it is that."""
        group = self.rows.records.group_of(record)
        if group < 0 or bool(self.closed[group]) == closed:
            return self
        groups = self.closed.copy()
        groups[group] = closed
        return replace(self, closed=groups)

    @property
    def rows(self) -> CodeRows:
        """The records."""
        return self.texts.rows

    @property
    def is_compared(self) -> bool:
        """Whether costs are changes."""
        return self.open_costs.first.is_compared

    @cached_property
    def costs(self) -> CodeCosts:
        """The costs with the sums of closed groups at their hosts."""
        costs, records = self.open_costs, self.rows.records
        if not self.closed.any():
            return costs
        hosts = records.record_of_location[records.groups.host]
        hidden = self.hidden_locations
        visible = records.record_of_location[~hidden]
        first, second = (
            of_event.with_sums(self.closed, hosts, visible)
            for of_event in (costs.first, costs.second)
        )
        members = np.flatnonzero(hidden)
        to = hosts[records.groups.of_location[members]]
        sides = []
        for counts in (costs.calls.base, costs.calls.new):
            summed = counts.copy()
            np.add.at(summed, to, counts[records.record_of_location[members]])
            sides.append(summed)
        base, new = sides
        calls = replace(costs.calls, new=new, base=base if costs.calls.is_compared else new)
        return replace(costs, first=first, second=second, calls=calls)

    @cached_property
    def hidden_locations(self) -> BoolArray:
        """The mask of the inlined lines of closed groups, shape (locations,)."""
        groups = self.rows.records.groups
        is_closed = np.append(self.closed, False)  # the last one is for lines without a group
        hidden: BoolArray = groups.is_inlined() & is_closed[groups.of_location]
        return hidden

    @cached_property
    def jumps(self) -> tuple[Arrows, JumpLanes]:
        """The arrows with their lanes, between records.

        Arrows of hidden lines start and end at their hosts; those within a group vanish. Too many
        to do so in the GUI thread stay where they are, with ends that are hidden.
        """
        records = self.rows.records
        arrows, groups = records.arrows, records.groups
        if not self.closed.any() or len(arrows) > _MAX_MOVED_ARROWS:
            return arrows, records.lanes
        hidden = self.hidden_locations
        shown = np.arange(len(hidden))
        shown[hidden] = groups.host[groups.of_location[hidden]]
        source, target = shown[arrows.source], shown[arrows.target]
        visible = source != target
        record = records.record_of_location
        lanes = assign_lanes(record[source[visible]], record[target[visible]])
        return arrows.selected(visible), lanes

    # ---------------------------------------------------------------- what is hidden

    def visible(self, opened: Iterable[int] | None, *, in_code_order: bool) -> BoolArray:
        """Return the mask of the records that are neither folded nor in a closed group.

        Ranges without cost are folded but for the `opened` ones; None folds none, and so does any
        other order than that of the code, in which there are no source lines between instructions.
        """
        records = self.rows.records
        is_fold = records.kind == RecordKind.FOLD
        mask: BoolArray
        if opened is not None and in_code_order:
            is_open = np.zeros(len(records.lengths) + 1, bool)
            is_open[list(opened)] = True
            is_open[-1] = True  # records outside all ranges
            mask = is_open[records.stretch] != is_fold
        else:
            mask = ~is_fold
            if not in_code_order:
                mask &= records.kind != RecordKind.SOURCE
        if self.closed.any():
            mask &= ~self.hidden_locations[records.location]
        return mask

    def is_closed(self, record: int) -> bool:
        """Whether the record belongs to a closed group."""
        group = self.rows.records.group_of(record)
        return group >= 0 and bool(self.closed[group])

    def shown_record(self, record: int) -> int:
        """Return the record, or the host of a closed group that hides it."""
        records = self.rows.records
        is_hidden = self.is_closed(record) and records.is_inlined(record)
        return records.host_of(record) if is_hidden else record

    def hidden_members(self, record: int) -> Int64Array:
        """Return the records of the inlined lines that a host hides; empty for other records."""
        records = self.rows.records
        if not self.is_closed(record) or not records.is_host(record):
            return records.record_of_location[:0]
        group = records.group_of(record)
        host, size = int(records.groups.host[group]), int(records.groups.size[group])
        return records.record_of_location[host + 1 : host + 1 + size]

    def hidden_text(self, record: int) -> str:
        """Return how many inlined lines a line hides; empty if none."""
        hidden = len(self.hidden_members(record))
        noun = plural(hidden, "line")
        return f"{format_count(hidden, self.texts.style)} inlined {noun}" if hidden else ""

    # ---------------------------------------------------------------- the table

    @cached_property
    def table(self) -> Table:
        """The table of the records."""
        texts = self.texts
        table = self._table(texts)
        if not texts.withheld:
            return table
        written = self._table(texts.without_withheld())
        return replace(table, withheld=tuple(texts.withheld.values()), written=written)

    def _table(self, texts: CodeTexts) -> Table:
        before, behind = texts.columns()
        columns = (*before, *self._number_columns(), *behind)
        records = len(self.rows.records)
        return Table(columns, records, self.rows.callees, self._tip, texts.mark)

    def _tip(self, record: int) -> tuple[str, ...]:
        """Return the called function in full, or what is said of a line or an instruction."""
        function, labels = self.rows.function_of(record), self.rows.labels
        if function != NO_FUNCTION and labels is not None:
            return tuple(labels.details(function))
        return self.texts.tip(record, self.hidden_text(record))

    def _number_columns(self) -> tuple[Column, ...]:
        rows, costs = self.rows, self.costs
        self_tip = "Self cost of the line, without callees"
        inclusive_tip = (
            "Inclusive cost: the line and its callees; (cycle): calls back into the function "
            "are excluded"
        )
        first, second = costs.first, costs.second
        return (
            self._cost_column("self", "Self", self_tip, first.self_cost),
            self._cost_column("self", "Self", self_tip, second.self_cost, is_second=True),
            *self._side_columns("self_", "Self cost", first.self_cost),
            self._cost_column("inclusive", "Incl.", inclusive_tip, first.inclusive),
            self._cost_column(
                "inclusive", "Incl.", inclusive_tip, second.inclusive, is_second=True
            ),
            *self._side_columns("", "Inclusive cost", first.inclusive),
            Column(
                "calls",
                "Calls",
                "Number of calls from here",
                CallCells(costs.calls, rows=rows),
                width=8,
            ),
            Column(
                "jumps",
                "Jumps",
                "Jumps between lines; dashed: conditional",
                CodeCells(
                    says=lambda record: "; ".join(self.texts.jump_texts(record)),
                    keys=rows.records.parent,
                    is_titled=False,  # arrows need no title
                ),
                width=4,
            ),
        )

    def _cost_column(
        self, key: str, title: str, tip: str, figures: Figures, *, is_second: bool = False
    ) -> Column:
        """Return a cost column: empty for zero costs, with bars relative to the costliest line."""
        return Column(
            f"second_{key}" if is_second else key,
            f"{title} (second event)" if is_second else title,
            f"{tip}. Bars are relative to the costliest line",
            CodeCostCells(figures, title if is_second else "", rows=self.rows),
            Shown.OFFERED if is_second else Shown.ALWAYS,
            width=9,
        )

    def _side_columns(self, prefix: str, of: str, figures: Figures) -> Iterator[Column]:
        """Yield the columns of the base and of the new side; those of self costs are offered."""
        for side, key, name in ((BASE, "base", "the base"), (NEW, "new", "the new profile")):
            yield Column(
                f"{prefix}{key}",
                f"Self {key}" if prefix else key.capitalize(),
                f"{of} in {name}",
                CodeSideCells(figures, side, rows=self.rows),
                Shown.OFFERED_COMPARED if prefix else Shown.COMPARED,
                width=9,
            )


def _styled(texts: CodeTexts, costs: CodeCosts) -> CodeTexts:
    """Return the texts with counts in the style of the costs."""
    style = costs.calls.style
    return texts if texts.style == style else replace(texts, style=style)


def empty_listing(texts: CodeTexts) -> CodeListing:
    """Return the listing of these texts, which have no records."""
    nothing = event_costs(texts.rows, EventTypes((), ()), None)
    calls = Counts(*texts.rows.call_counts())
    return CodeListing.of(texts, CodeCosts(nothing, nothing, calls))
