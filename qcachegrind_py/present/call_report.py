"""The calls of functions in reports: callers and callees, and the costliest paths to functions.

Calls within a cycle are part of its cost and have none of their own: text says so, tables have an
empty cell, and JSON has null.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from qcachegrind_py.analysis.calls.call_graph import DirectCalls, costliest_path
from qcachegrind_py.analysis.folded_queries import FoldedQueries
from qcachegrind_py.analysis.names.function_names import FunctionNames, Labels
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.present.exact import (
    ESTIMATE_SIGN,
    TEXT_STYLE,
    ExactCells,
    FullNameCells,
    FunctionName,
    ObjectCells,
    PhraseCells,
    WordCells,
    chunks,
)
from qcachegrind_py.present.facts import folds_member
from qcachegrind_py.present.function_report import cost_columns, head
from qcachegrind_py.present.page import Listing, Page, Records
from qcachegrind_py.present.selection import ReportSelection, costliest_first
from qcachegrind_py.present.table import Column, Numbers, Table
from qcachegrind_py.profile.events import CostArray, EventType
from qcachegrind_py.profile.ids import NodeId, is_function, node_ids
from qcachegrind_py.profile.numbers import (
    ACTIVE,
    IN_CYCLE,
    UNDEFINED,
    format_call_count,
    format_count,
    percentage,
)
from qcachegrind_py.profile.tables import BoolArray, Int64Array, to_display
from qcachegrind_py.visible_text import visible_text

TreeSide = Literal["callers", "callees", "both"]
_MARKS = {"caller": "< ", "function": "* ", "callee": "> "}
Relation = Literal["caller", "function", "callee"]
Costs = tuple[int | float, ...]  # one for each event of the report


@dataclass(frozen=True, slots=True)
class CallRow:
    """A caller or callee of a node with the calls between the two, or the node itself."""

    relation: Relation
    node: NodeId  # a function or a cycle
    # None: calls were not counted, or a cycle and its member, which are not linked by calls
    count: int | None
    is_active: bool  # none of the calls had returned when the profile was written
    inclusive: Costs | None  # None: the calls are within a cycle, whose cost they are part of
    self_cost: Costs | None = None  # of the node itself; None for callers and callees
    is_estimated: bool = False  # count and cost of the calls are, or part of the self cost
    is_member: bool = False  # a member of the cycle that the row is listed below


@dataclass(frozen=True)
class CallRows:
    """The calls between the functions of a selection, costliest first."""

    selection: ReportSelection
    with_all_events: bool = False  # all measured events, and of the selection the derived ones
    with_all_calls: bool = False  # whatever filter, threshold and limit of the selection

    @cached_property
    def events(self) -> tuple[EventType, ...]:
        """The events in which rows have costs."""
        events = self.selection.events
        if not self.with_all_events:
            return events
        derived = (event for event in events if event.is_derived)
        return *self.selection.profile.events.measured, *derived

    def rows(self, node: NodeId) -> Iterator[CallRow]:
        """Yield the callers of a node, the node itself, and its callees."""
        yield from self.callers(node)
        yield self.itself(node)
        yield from self.callees(node)

    def itself(self, node: NodeId) -> CallRow:
        """Return the row of the node itself; its count is that of all calls to it."""
        costs = self.selection.queries.costs(self.selection.scope)
        (inclusive,), (self_cost,) = (
            self._event_costs(values[:, [node]]) for values in (costs.inclusive, costs.self_cost)
        )
        count = int(costs.called[node]) if costs.has_call_counts else None
        is_active = bool(costs.is_active[node])
        is_estimated = isinstance(self._queries, FoldedQueries) and bool(
            self._queries.has_estimates(self.selection.scope)[node]
        )
        return CallRow("function", node, count, is_active, inclusive, self_cost, is_estimated)

    def callers(self, node: NodeId) -> Iterator[CallRow]:
        """Yield the callers of a function, or those of a cycle from outside."""
        calls = self.selection.queries.callers(node, self.selection.scope)
        return self._rows("caller", node, calls, self._chosen(calls))

    def callees(self, node: NodeId) -> Iterator[CallRow]:
        """Yield the callees of a function, or the members of a cycle with their own costs."""
        calls = self.selection.queries.callees(node, self.selection.scope)
        rows, is_cycle = self._chosen(calls), self._is_cycle(node)
        return self._rows("callee", node, calls, rows, are_members=is_cycle)

    def call(self, caller: NodeId, callee: NodeId) -> CallRow:
        """Return the row of a callee, or of a member of the cycle `caller`.

        Raises `StopIteration` if the one does not call the other.
        """
        queries, scope = self.selection.queries, self.selection.scope
        if self._is_cycle(callee):
            calls = queries.callers(callee, scope)
            rows = np.flatnonzero(calls.node == caller)
            return replace(next(self._rows("callee", caller, calls, rows)), node=callee)
        calls = queries.callees(caller, scope)
        rows = np.flatnonzero(calls.node == callee)
        return next(self._rows("callee", caller, calls, rows, are_members=self._is_cycle(caller)))

    def _is_cycle(self, node: NodeId) -> bool:
        return not self.selection.queries.is_function(node)

    def _rows(
        self,
        relation: Relation,
        node: NodeId,
        calls: DirectCalls,
        rows: Int64Array,
        *,
        are_members: bool = False,
    ) -> Iterator[CallRow]:
        """Yield the callers or callees of a node."""
        is_counted = self._queries.costs(self.selection.scope).has_call_counts and not are_members
        for chunk in chunks(rows):
            numbers = (column[chunk].tolist() for column in (calls.count, calls.is_active))
            is_hidden = calls.in_cycle[chunk] & (not are_members)
            others = calls.node[chunk].astype(np.int64)
            estimated = self._are_estimated(relation, node, others)
            columns = (node_ids(others), *numbers, is_hidden.tolist(), estimated.tolist())
            costs = self._event_costs(calls.values[:, chunk])
            for other, count, is_active, is_within, is_estimated, inclusive in zip(
                *columns, costs, strict=True
            ):
                yield CallRow(
                    relation,
                    other,
                    count if is_counted else None,
                    is_active,
                    None if is_within else inclusive,
                    None,
                    is_estimated,
                    are_members,
                )

    @property
    def _queries(self) -> ProfileQueries:
        return self.selection.queries

    def _are_estimated(self, relation: Relation, node: NodeId, others: Int64Array) -> BoolArray:
        """Return whether the calls between a node and these callers or callees are estimates."""
        estimated, queries = np.zeros(len(others), bool), self._queries
        if isinstance(queries, FoldedQueries):
            nodes = np.full(len(others), node, np.int64)
            pair = (others, nodes) if relation == "caller" else (nodes, others)
            rows = queries.callbacks.rows(*pair)
            estimated[rows >= 0] = ~queries.callbacks.is_exact[rows[rows >= 0]]
        return estimated

    def _event_costs(self, values: Int64Array) -> list[Costs]:
        """Return the costs of each row of measured costs, shape (events, rows), in `events`."""
        evaluate = self.selection.queries.events.evaluate
        columns = [evaluate(event, values).tolist() for event in self.events]
        return list(zip(*columns, strict=True)) if columns else [()] * values.shape[1]

    # ---------------------------------------------------------------- the choice of rows

    def _chosen(self, calls: DirectCalls) -> Int64Array:
        """Return the rows of the calls that are listed, costliest first, else as recorded."""
        event, is_listed = self.selection.sort_event, np.ones(len(calls), bool)
        if event is None:
            return np.arange(len(calls))
        rows = costliest_first(calls.cost(self.selection.queries.events, event))
        if self.with_all_calls:
            return rows
        if self._least_cost is not None:
            is_listed &= self._measured_costs(calls, event) >= self._least_cost
        if self.visible is not None:
            is_listed &= self.visible[calls.node]
        return rows[is_listed[rows]][: self.selection.limit]

    def _measured_costs(self, calls: DirectCalls, event: EventType) -> CostArray:
        queries = self.selection.queries
        return calls.cost(queries.events, queries.measured_event(event))

    @cached_property
    def visible(self) -> BoolArray | None:
        """The mask of the functions and cycles that pass the filter, shape (nodes,); None: all."""
        selection, event = self.selection, self.selection.sort_event
        if event is None:
            return None
        return selection.queries.visible_nodes(selection.filter, event, selection.scope)

    @cached_property
    def _least_cost(self) -> int | None:
        """The least cost of calls that are listed: with a threshold of N %, 100 - N % of all."""
        event, threshold = self.selection.sort_event, self.selection.threshold
        if event is None or threshold is None:
            return None
        total = self.selection.total(self.selection.queries.measured_event(event))
        least = (100 - threshold) * Fraction(total) / 100
        return -(-least.numerator // least.denominator)


# ---------------------------------------------------------------- paths


@dataclass(frozen=True, slots=True)
class PathStep:
    """A function or cycle on a path, and the calls to it from the step above."""

    itself: CallRow
    call: CallRow | None  # None: the first step


def path_to(table: CallRows, node: NodeId) -> list[PathStep]:
    """Return the costliest path from a root to a node, which is the last step.

    It leads through callers that pass the filter, and has as many steps as the limit allows, of
    those next to the node. By a ratio, it is that of the first measured event.
    """
    queries, scope = table.selection.queries, table.selection.scope
    event, limit = table.selection.sort_event, table.selection.limit
    if event is None:
        return [PathStep(table.itself(node), None)]
    graph = queries.call_graph(queries.measured_event(event), scope)
    path = costliest_path(node, graph, table.visible)
    steps = [PathStep(table.itself(path[0]), None)]
    for caller, callee in pairwise(path):
        steps.append(PathStep(table.itself(callee), table.call(caller, callee)))
    return steps if limit is None else steps[max(0, len(steps) - limit) :]


# ---------------------------------------------------------------- for people


@dataclass(frozen=True, slots=True)
class _Line:
    """A row of text."""

    cost: Costs | None  # None: of a call within a cycle
    self_cost: Costs | None  # None: not shown
    count: str
    node: NodeId
    mark: str = ""
    is_estimated: bool = False  # part of the self cost is


def calls_page(selection: ReportSelection, nodes: Iterable[NodeId]) -> Page:
    """Return a block for each node: its callers, itself and its callees.

    The selection tells which callers, and which callees, are listed.
    """
    calls = CallRows(selection)
    blocks = [[_call_line(row) for row in calls.rows(node)] for node in nodes]
    return Page((_listing(calls, ("Incl.", "Called"), blocks),))


def tree_page(selection: ReportSelection, side: TreeSide) -> Page:
    """Return the facts of the profile, and the selected functions with all callers or callees."""
    calls, blocks = CallRows(selection, with_all_calls=True), list[list[_Line]]()
    for node in node_ids(selection.functions):
        rows = [calls.itself(node)]
        if side != "callees":
            rows = [*calls.callers(node), *rows]
        if side != "callers":
            rows += calls.callees(node)
        blocks.append(list(map(_call_line, rows)))
    return Page((head(selection), _listing(calls, ("Incl.", "Called"), blocks)))


def paths_page(selection: ReportSelection, nodes: Iterable[NodeId]) -> Page:
    """Return the costliest path to each node, from the root down.

    Each step has the cost of the calls from the step above, the first one inclusive cost.
    """
    calls = CallRows(selection)
    blocks = [
        [
            _Line(
                (step.call or step.itself).inclusive,
                step.itself.self_cost,
                _count_text(step.call),
                step.itself.node,
            )
            for step in path_to(calls, node)
        ]
        for node in nodes
    ]
    return Page((_listing(calls, ("Cost", "Calls"), blocks),))


def _call_line(row: CallRow) -> _Line:
    is_itself = row.relation == "function"
    count = format_call_count(row.count, TEXT_STYLE, is_active=row.is_active)
    return _Line(
        row.inclusive,
        row.self_cost,
        count if is_itself else _count_text(row),
        row.node,
        _MARKS[row.relation],
        is_itself and row.is_estimated,
    )


def _count_text(row: CallRow | None) -> str:
    """Return how many calls a caller or callee has; empty for a member of a cycle."""
    if row is None or row.is_member:
        return ""
    if row.count is None:
        return UNDEFINED
    sign = ESTIMATE_SIGN if row.is_estimated else ""
    return ACTIVE if row.is_active else f"{sign}{format_count(row.count, TEXT_STYLE)}x"


def _listing(calls: CallRows, titles: tuple[str, str], blocks: list[list[_Line]]) -> Listing:
    """Return the lines; `titles` are those of the first cost and of the count."""
    lines = [line for block in blocks for line in block]
    estimated = np.array([line.is_estimated for line in lines], bool)
    columns = list[Column]()
    for index, event in enumerate(calls.events):
        total, group = calls.selection.total(event), visible_text(event.name)
        cost, own = (
            _costs([line.cost for line in lines], index),
            _costs([line.self_cost for line in lines], index),
        )
        inclusive = ExactCells(cost[0], total=total, is_absent=cost[1], absent=IN_CYCLE)
        self_cost = ExactCells(
            own[0], total=total, is_absent=own[1], absent="", is_estimate=estimated
        )
        columns += (
            Column("inclusive", titles[0], "", inclusive, group=group),
            Column("self", "Self", "", self_cost, group=group),
        )
    counts = PhraseCells(
        np.zeros(len(lines)),
        least_width=len(ACTIVE),
        phrases=lambda rows: [lines[row].count for row in rows.tolist()],
    )
    node_names = NodeNames(calls.selection)
    names = FullNameCells(
        lambda rows: [node_names.full(lines[row].node) for row in rows.tolist()],
        lambda row: lines[row].mark,
    )
    indent = " " * max((len(line.mark) for line in lines), default=0)
    columns += (
        Column("count", titles[1], "", counts),
        Column("name", f"{indent}Function", "", names),
    )
    ends = np.cumsum([len(block) for block in blocks]).tolist()
    starts = frozenset([0, *ends[:-1]])
    return Listing(Table(tuple(columns), len(lines)), np.arange(len(lines)), "", starts)


def _costs(costs: Sequence[Costs | None], index: int) -> tuple[Numbers, BoolArray]:
    """Return the costs of rows in an event, 0 where there are none, and where that is."""
    is_absent = np.array([each is None for each in costs], bool)
    numbers = [0 if each is None else each[index] for each in costs]
    if any(isinstance(number, float) for number in numbers):
        return np.array(numbers, np.float64), is_absent
    return np.array(numbers, object), is_absent


class NodeNames:
    """What identifies functions and cycles: their cycle, and names as recorded."""

    def __init__(self, selection: ReportSelection) -> None:
        self._names = FunctionNames(selection.profile)
        self._labels = Labels(self._names, selection.queries.costs(selection.scope).cycle)

    def cycle(self, node: NodeId) -> int:
        """Return the number of the cycle that a node is, or belongs to; else 0."""
        return self._labels.cycle(node)

    def recorded(self, node: NodeId) -> FunctionName:
        """Return the name alone, file and object; a cycle has neither file nor object."""
        names = self._names
        if not is_function(node, len(names)):
            return FunctionName(self._labels.name(node))
        return FunctionName(names.name(node), names.file(node), names.object(node))

    def full(self, node: NodeId) -> FunctionName:
        """Return the name as people see it: with the cycle, or how many members that has."""
        name, labels = self._labels.name(node), self._labels
        if labels.is_cycle(node):
            return FunctionName(f"{name} ({labels.location(node)})")
        return replace(self.recorded(node), name=name)

    def members(self, node: NodeId) -> dict[str, Any]:
        """Return the same for JSON; file and object of a cycle are null."""
        each = self.recorded(node)
        file, object_ = to_display(each.file) or None, to_display(each.object) or None
        name = to_display(each.name)
        return {"name": name, "file": file, "object": object_, "cycle": self.cycle(node)}


# ---------------------------------------------------------------- for other programs


def calls_table(selection: ReportSelection, nodes: Iterable[NodeId]) -> Listing:
    """Return a row for each caller, node and callee.

    `entry` counts the nodes from 1, `active` is 0 or 1.
    """
    calls = CallRows(selection)
    rows = [(entry, row) for entry, node in enumerate(nodes, start=1) for row in calls.rows(node)]
    return _all_rows(
        (
            _numbers("entry", [entry for entry, _ in rows]),
            _words("relation", [row.relation for _, row in rows]),
            *_cost_columns(
                calls,
                {
                    "inclusive": [row.inclusive for _, row in rows],
                    "self": [row.self_cost for _, row in rows],
                },
            ),
            *_last_columns(calls, [(row.node, row) for _, row in rows]),
        ),
        len(rows),
    )


def paths_table(selection: ReportSelection, nodes: Iterable[NodeId]) -> Listing:
    """Return a row for each step; paths and steps count from 1, `cost` is that of the calls."""
    calls = CallRows(selection)
    steps = [
        (path, number, step)
        for path, node in enumerate(nodes, start=1)
        for number, step in enumerate(path_to(calls, node), start=1)
    ]
    return _all_rows(
        (
            _numbers("path", [path for path, _, _ in steps]),
            _numbers("step", [number for _, number, _ in steps]),
            *_cost_columns(
                calls,
                {
                    "cost": [
                        None if step.call is None else step.call.inclusive for _, _, step in steps
                    ],
                    "inclusive": [step.itself.inclusive for _, _, step in steps],
                    "self": [step.itself.self_cost for _, _, step in steps],
                },
            ),
            *_last_columns(calls, [(step.itself.node, step.call) for _, _, step in steps]),
        ),
        len(steps),
    )


def _all_rows(columns: tuple[Column, ...], length: int) -> Listing:
    return Listing(Table(columns, length), np.arange(length))


def _numbers(title: str, numbers: Sequence[int | None]) -> Column:
    is_absent = np.array([number is None for number in numbers], bool)
    known = np.array([number or 0 for number in numbers], object)
    return Column(title, title, "", ExactCells(known, is_absent=is_absent))


def _words(title: str, words: Sequence[str]) -> Column:
    cells = WordCells(lambda rows: [words[row] for row in rows.tolist()])
    return Column(title, title, "", cells)


def _cost_columns(calls: CallRows, kinds: dict[str, list[Costs | None]]) -> list[Column]:
    """Return the costs of each event; titles name the event if there are several."""
    columns, selection = list[Column](), calls.selection
    for index, event in enumerate(calls.events):
        of_event = f" {event.name}" if len(calls.events) > 1 else ""
        for kind, costs in kinds.items():
            numbers, is_absent = _costs(costs, index)
            total = selection.total(event)
            columns += cost_columns(f"{kind}{of_event}", numbers, total, selection, is_absent)
    return columns


def _last_columns(
    calls: CallRows, rows: Sequence[tuple[NodeId, CallRow | None]]
) -> tuple[Column, ...]:
    """Return count and activity of calls, and what identifies nodes."""
    names = NodeNames(calls.selection)
    recorded = [names.recorded(node) for node, _ in rows]
    return (
        _numbers("count", [None if row is None else row.count for _, row in rows]),
        _numbers("active", [int(row is not None and row.is_active) for _, row in rows]),
        _numbers("cycle", [names.cycle(node) for node, _ in rows]),
        _words("name", [each.name for each in recorded]),
        _words("file", [each.file for each in recorded]),
        _words("object", [each.object for each in recorded]),
    )


def calls_records(selection: ReportSelection, nodes: Sequence[NodeId]) -> Records:
    """Return an entry for each node with lists of callers and callees: a contract."""
    objects = _Objects(CallRows(selection, with_all_events=True))
    before = {**objects.head(), **folds_member(selection.queries)}
    entries = ObjectCells(lambda rows: [objects.entry(nodes[row]) for row in rows.tolist()])
    return Records(before, {"entries": (entries, np.arange(len(nodes)))})


def paths_records(selection: ReportSelection, nodes: Sequence[NodeId]) -> Records:
    """Return a list of steps for each node: a contract."""
    calls = CallRows(selection, with_all_events=True)
    objects = _Objects(calls)
    paths = [[objects.step(step) for step in path_to(calls, node)] for node in nodes]
    return Records({**objects.head(), "paths": paths}, {})


class _Objects:
    """Nodes and calls for JSON."""

    def __init__(self, calls: CallRows) -> None:
        self._calls, self._nodes = calls, NodeNames(calls.selection)
        self._totals = tuple(map(calls.selection.total, calls.events))
        self._events = [to_display(event.name) for event in calls.events]

    def head(self) -> dict[str, Any]:
        """Return the events, and what percentages are of."""
        return {"events": self._events, "base": self._by_event(self._totals)}

    def entry(self, node: NodeId) -> dict[str, Any]:
        """Return a node with its callers and callees."""
        calls, itself = self._calls, self._calls.itself(node)
        return {
            **self._nodes.members(node),
            "called": itself.count,
            "active": itself.is_active,
            **self._costs("self", itself.self_cost),
            **self._costs("inclusive", itself.inclusive),
            **self._estimated(itself),
            "callers": list(map(self._call, calls.callers(node))),
            "callees": list(map(self._call, calls.callees(node))),
        }

    def step(self, step: PathStep) -> dict[str, Any]:
        """Return a node of a path, and the calls to it."""
        itself = step.itself
        return {
            **self._nodes.members(itself.node),
            **self._costs("self", itself.self_cost),
            **self._costs("inclusive", itself.inclusive),
            "call": None if step.call is None else self._numbers(step.call),
        }

    def _call(self, row: CallRow) -> dict[str, Any]:
        return {**self._nodes.members(row.node), **self._numbers(row), **self._estimated(row)}

    def _numbers(self, row: CallRow) -> dict[str, Any]:
        inclusive = self._costs("inclusive", row.inclusive)
        return {"count": row.count, "active": row.is_active, **inclusive}

    def _estimated(self, row: CallRow) -> dict[str, bool]:
        """Return whether numbers of the row are estimates; nothing if no function is folded."""
        is_folded = self._calls.selection.queries.folding is not None
        return {"estimated": row.is_estimated} if is_folded else {}

    def _costs(self, kind: str, costs: Costs | None) -> dict[str, Any]:
        """Return costs by event as a member of an object, and their percentages as another."""
        members = {kind: None if costs is None else self._by_event(costs)}
        if self._calls.selection.with_percentages:
            members[f"{kind}_percent"] = None if costs is None else self._percentages(costs)
        return members

    def _by_event(self, costs: Costs) -> dict[str, int | float | None]:
        pairs = zip(self._events, costs, strict=True)
        return {name: cost if math.isfinite(cost) else None for name, cost in pairs}

    def _percentages(self, costs: Costs) -> dict[str, int | float | None]:
        each = zip(self._events, self._calls.events, costs, self._totals, strict=True)
        return {
            name: percentage(cost, total)
            for name, event, cost, total in each
            if event in self._calls.selection.events and not event.is_ratio
        }
