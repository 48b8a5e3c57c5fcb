"""The calls of functions in reports: callers and callees, and the costliest paths to functions.

Calls within a cycle are part of its cost and have none of their own: text says so, tables have an
empty cell, and JSON has null.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, partial
from typing import Any, Literal, NamedTuple

import numpy as np

from qcachegrind_py.analysis.calls.call_graph import DirectCalls, direct_calls
from qcachegrind_py.analysis.costs.sums import find_rows
from qcachegrind_py.analysis.queries import FoldedQueries, ProfileQueries
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.exact import (
    ESTIMATE_SIGN,
    TEXT_STYLE,
    ExactCells,
    FullNameCells,
    Lists,
    Member,
    Nullable,
    PhraseCells,
    Record,
    ValueCells,
    plain_columns,
    truths,
)
from qcachegrind_py.present.facts import folds_member
from qcachegrind_py.present.function_report import (
    cost_columns,
    cost_members,
    head,
    name_cells,
    recorded_nodes,
    shown_nodes,
    text_columns,
)
from qcachegrind_py.present.page import Listing, Page, Records
from qcachegrind_py.present.selection import ReportSelection, costliest_first
from qcachegrind_py.present.table import Cells, Column, Table, known_numbers
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import NodeId, node_ids
from qcachegrind_py.profile.numbers import (
    ACTIVE,
    IN_CYCLE,
    UNDEFINED,
    format_call_count,
    format_count,
)
from qcachegrind_py.profile.tables import BoolArray, Int64Array, to_display

TreeSide = Literal["callers", "callees", "both"]
_CALLER, _ITSELF, _CALLEE = 0, 1, 2
_RELATIONS = ("caller", "function", "callee")
_SIDE_OF = {_CALLER: "callers", _CALLEE: "callees"}
_SIGNS = ("< ", "* ", "> ")


class CallRows(NamedTuple):
    """Nodes, and their callers and callees with the calls between the two, shape (rows,) each.

    Costs are of the measured events, shape (events, rows); self costs are those of nodes alone, and
    0 for callers and callees.
    """

    relation: Int64Array  # what a row is for the node that it is listed with
    node: Int64Array  # a function or a cycle
    called: Int64Array  # how often
    is_counted: BoolArray  # not so where no calls are, and of a cycle's member, which is not called
    is_active: BoolArray  # none of the calls had returned when the profile was written
    inclusive: Int64Array
    is_inner: BoolArray  # calls within a cycle, whose cost they are part of
    self_cost: Int64Array
    is_estimate: BoolArray  # count and cost of the calls are, or part of the self cost
    is_member: BoolArray  # of the cycle that it is listed below

    @property
    def is_itself(self) -> BoolArray:
        """Which rows are of nodes themselves."""
        return np.equal(self.relation, _ITSELF)


@frozen(eq=True, slots=False)
class Calls:
    """The calls between the functions of a selection, costliest first."""

    selection: ReportSelection
    with_all_calls: bool = False  # whatever filter, threshold and limit of the selection

    def block(self, node: NodeId) -> CallRows:
        """Return the callers of a node, the node itself, and its callees."""
        return self.joined([self.callers(node), self.itself([node]), self.callees(node)])

    def joined(self, blocks: Iterable[CallRows]) -> CallRows:
        """Return the rows of these blocks, of which there may be none."""
        columns = zip(self.itself([]), *blocks, strict=True)
        return CallRows._make(np.concatenate(column, axis=-1) for column in columns)

    def itself(self, nodes: Sequence[NodeId]) -> CallRows:
        """Return the rows of nodes themselves; counts are those of all calls to them."""
        queries, scope, rows = self._queries, self.selection.scope, np.array(nodes, np.int64)
        costs, nothing = queries.costs(scope), np.zeros(len(rows), bool)
        is_estimate = nothing
        if isinstance(queries, FoldedQueries):
            is_estimate = queries.has_estimates(scope)[rows]
        return CallRows(
            np.full(len(rows), _ITSELF),
            rows,
            costs.called[rows],
            nothing | costs.has_call_counts,
            costs.is_active[rows],
            costs.inclusive[:, rows],
            nothing,
            costs.self_cost[:, rows],
            is_estimate,
            nothing,
        )

    def callers(self, node: NodeId) -> CallRows:
        """Return the callers of a function, or those of a cycle from outside."""
        calls = self._queries.callers(node, self.selection.scope)
        return self._rows(_CALLER, np.array(node), calls, self._chosen(calls))

    def callees(self, node: NodeId) -> CallRows:
        """Return the callees of a function, or the members of a cycle with their own costs."""
        calls = self._queries.callees(node, self.selection.scope)
        return self._rows(_CALLEE, np.array(node), calls, self._chosen(calls))

    def tree(self, nodes: Int64Array, side: TreeSide) -> tuple[CallRows, Int64Array]:
        """Return the blocks of many nodes as one, and the length of each, shape (nodes,).

        It is `block` for each of them, with the calls of all functions sorted at once: filter,
        threshold and limit do not apply.
        """
        places = np.arange(len(nodes))
        rows, of_block = [self.itself(node_ids(nodes))], [places]
        for relation in (_CALLER, _CALLEE):
            if side == _SIDE_OF[relation] or side == "both":
                for some, of_some in self._sides(relation, nodes):
                    rows.append(some)
                    of_block.append(of_some)
        joined, block = self.joined(rows), np.concatenate(of_block)
        order = np.lexsort((joined.relation, block))
        lengths = np.bincount(block, minlength=len(nodes))
        return CallRows._make(column[..., order] for column in joined), lengths

    def _sides(self, relation: int, nodes: Int64Array) -> Iterator[tuple[CallRows, Int64Array]]:
        """Yield callers or callees, costliest first, with the places of their nodes in `nodes`."""
        queries, scope = self._queries, self.selection.scope
        edges, functions = queries.call_edges(scope), queries.function_count
        place = np.full(functions, -1)
        is_function = nodes < functions
        place[nodes[is_function]] = np.flatnonzero(is_function)
        sides = edges.callee, edges.caller
        own, others = sides if relation == _CALLER else sides[::-1]
        listed = np.flatnonzero(place[own] >= 0)
        if relation == _CALLER:  # as `callers` has them
            listed = listed[np.argsort(own[listed], kind="stable")]
        calls = direct_calls(others[listed], listed, edges, queries.costs(scope))
        rows = self._chosen(calls)
        owners = own[listed[rows]]
        yield self._rows(relation, owners, calls, rows), place[owners]
        ask = self.callers if relation == _CALLER else self.callees
        for at in np.flatnonzero(~is_function).tolist():
            some = ask(NodeId(int(nodes[at])))
            yield some, np.full(len(some.node), at)

    def call(self, caller: NodeId, callee: NodeId) -> CallRows:
        """Return the row of a callee, or of a member of the cycle `caller`."""
        queries, scope = self._queries, self.selection.scope
        if queries.is_function(callee):
            calls = queries.callees(caller, scope)
            rows = np.flatnonzero(calls.node == callee)
            return self._rows(_CALLEE, np.array(caller), calls, rows)
        calls = queries.callers(callee, scope)
        rows = np.flatnonzero(calls.node == caller)
        row = self._rows(_CALLEE, np.array(caller), calls, rows)
        return row._replace(node=np.array([callee]))

    def _rows(
        self, relation: int, owner: Int64Array, calls: DirectCalls, rows: Int64Array
    ) -> CallRows:
        """Return callers or callees: of one node, shape (), or each of its own, shape (rows,)."""
        are_members = (owner >= self._queries.function_count) & (relation == _CALLEE)
        costs, nothing = self._queries.costs(self.selection.scope), np.zeros(len(rows), bool)
        others, values = calls.node[rows].astype(np.int64), calls.values[:, rows]
        return CallRows(
            np.full(len(rows), relation),
            others,
            calls.count[rows],
            nothing | (~are_members & costs.has_call_counts),
            calls.is_active[rows],
            values,
            calls.in_cycle[rows] & ~are_members,
            np.zeros_like(values),
            self._are_estimated(relation, owner, others),
            nothing | are_members,
        )

    @property
    def _queries(self) -> ProfileQueries:
        return self.selection.queries

    def _are_estimated(self, relation: int, owner: Int64Array, others: Int64Array) -> BoolArray:
        """Return whether the calls between owners and these callers or callees are estimates."""
        estimated, queries = np.zeros(len(others), bool), self._queries
        if isinstance(queries, FoldedQueries):
            owners = np.broadcast_to(owner, others.shape)
            pair = (others, owners) if relation == _CALLER else (owners, others)
            rows = queries.callbacks.rows(*pair)
            estimated[rows >= 0] = ~queries.callbacks.is_exact[rows[rows >= 0]]
        return estimated

    # ---------------------------------------------------------------- the choice of rows

    def _chosen(self, calls: DirectCalls) -> Int64Array:
        """Return the rows of the calls that are listed, costliest first, else as recorded."""
        event, is_listed = self.selection.sort_event, np.ones(len(calls), bool)
        if event is None:
            return np.arange(len(calls))
        events = self._queries.events
        rows = costliest_first(calls.cost(events, event))
        if self.with_all_calls:
            return rows
        if least_costs := self.selection.least_costs:
            is_listed = np.zeros(len(calls), bool)
            for measured, least in least_costs.items():
                is_listed |= calls.cost(events, measured) >= least
        if self._visible is not None:
            is_listed &= self._visible[calls.node]
        return rows[is_listed[rows]][: self.selection.limit]

    @cached_property
    def _visible(self) -> BoolArray | None:
        """The mask of the functions and cycles that pass the filter, shape (nodes,); None: all."""
        selection, event = self.selection, self.selection.sort_event
        if event is None:
            return None
        return selection.queries.visible_nodes(selection.filter, event, selection.scope)

    # ---------------------------------------------------------------- paths

    def path(self, node: NodeId) -> tuple[CallRows, CallRows]:
        """Return the steps of the costliest path from a root to a node, and the calls to them.

        The calls to a root are the root itself. The path leads through callers that pass the
        filter, and has as many steps as the limit allows, of those next to the node. By a ratio, it
        is that of the first measured event.
        """
        queries, scope = self._queries, self.selection.scope
        event, limit = self.selection.sort_event, self.selection.limit
        nodes: tuple[NodeId, ...] = (node,)
        if event is not None:
            measured = queries.measured_event(event)
            nodes = queries.costliest_path(node, measured, scope, self._visible)
        root, no = self.itself(nodes[:1]), np.array([False])
        root = root._replace(is_counted=no, is_active=no, is_member=~no)
        calls = self._along(root, np.array(nodes, np.int64))
        first = 0 if limit is None else max(0, len(nodes) - limit)
        steps, calls = (
            CallRows._make(column[..., first:] for column in rows)
            for rows in (self.itself(nodes), calls)
        )
        return steps, calls

    def _along(self, root: CallRows, nodes: Int64Array) -> CallRows:
        """Return the root, and the call from each node of a path to the next one."""
        queries, scope = self._queries, self.selection.scope
        edges, functions = queries.call_edges(scope), queries.function_count
        caller, callee = nodes[:-1], nodes[1:]
        is_plain = (caller < functions) & (callee < functions)
        wanted = caller[is_plain] * functions + callee[is_plain]
        rows = find_rows(edges.caller * functions + edges.callee, wanted)
        plain = direct_calls(edges.callee[rows], rows, edges, queries.costs(scope))
        calls = self._rows(_CALLEE, caller[is_plain], plain, np.arange(len(rows)))
        of_cycles = np.flatnonzero(~is_plain)
        others = (
            self.call(NodeId(int(caller[at])), NodeId(int(callee[at]))) for at in of_cycles.tolist()
        )
        joined = self.joined([root, calls, *others])
        places = np.concatenate(([0], np.flatnonzero(is_plain) + 1, of_cycles + 1))
        return CallRows._make(column[..., np.argsort(places)] for column in joined)


# ---------------------------------------------------------------- for people


def calls_page(selection: ReportSelection, nodes: Iterable[NodeId]) -> Page:
    """Return a block for each node: its callers, itself and its callees.

    The selection tells which callers, and which callees, are listed.
    """
    calls = Calls(selection)
    blocks = [calls.block(node) for node in nodes]
    lengths = np.array([len(rows.node) for rows in blocks], np.int64)
    return Page((_calls_listing(selection, calls.joined(blocks), lengths),))


def tree_page(selection: ReportSelection, side: TreeSide) -> Page:
    """Return the facts of the profile, and the selected functions with all callers or callees."""
    calls = Calls(selection, with_all_calls=True)
    listing = _calls_listing(selection, *calls.tree(selection.functions, side))
    return Page((head(selection), listing))


def _calls_listing(selection: ReportSelection, rows: CallRows, lengths: Int64Array) -> Listing:
    costs = partial(_call_costs, selection, rows)
    columns = (
        *text_columns(selection, costs, {"inclusive": "Incl.", "self": "Self"}),
        Column("count", "Called", "", _counts(rows)),
        _name_column(selection, rows, "  " if len(rows.node) else ""),
    )
    relation = rows.relation.tolist()
    table = Table(columns, len(rows.node), sign=lambda row: _SIGNS[relation[row]])
    return _in_blocks(table, lengths)


def paths_page(selection: ReportSelection, nodes: Iterable[NodeId]) -> Page:
    """Return the costliest path to each node, from the root down.

    Each step has the cost of the calls from the step above, the first one inclusive cost.
    """
    calls = Calls(selection)
    paths = [calls.path(node) for node in nodes]
    steps, called = (calls.joined(rows) for rows in zip(*paths, strict=True))
    columns = (
        *text_columns(
            selection,
            partial(_step_costs, selection, steps, called, called.is_inner),
            {"cost": "Cost", "self": "Self"},
        ),
        Column("count", "Calls", "", _counts(called)),
        _name_column(selection, steps),
    )
    lengths = np.array([len(rows.node) for rows, _ in paths], np.int64)
    return Page((_in_blocks(Table(columns, len(steps.node)), lengths),))


def _name_column(selection: ReportSelection, rows: CallRows, indent: str = "") -> Column:
    names = FullNameCells(lambda some: shown_nodes(selection, rows.node[some]))
    return Column("name", f"{indent}Function", "", names)


def _in_blocks(table: Table, lengths: Int64Array) -> Listing:
    ends = np.cumsum(lengths).tolist()
    return Listing(table, np.arange(table.length), "", frozenset([0, *ends[:-1]]))


def _counts(rows: CallRows) -> PhraseCells:
    """Return how often nodes were called, 3, and calls made, 3×; empty for a cycle's members."""
    columns = rows.relation, rows.called, rows.is_counted, rows.is_active, rows.is_estimate
    texts = []
    for relation, count, is_counted, is_active, is_estimate, is_member in zip(
        *map(np.ndarray.tolist, (*columns, rows.is_member)), strict=True
    ):
        if is_member:
            texts.append("")
        elif relation == _ITSELF:
            known = count if is_counted else None
            texts.append(format_call_count(known, TEXT_STYLE, is_active=is_active))
        elif not is_counted:
            texts.append(UNDEFINED)
        else:
            sign = ESTIMATE_SIGN if is_estimate else ""
            texts.append(ACTIVE if is_active else f"{sign}{format_count(count, TEXT_STYLE)}×")
    return PhraseCells(
        rows.called,
        least_width=len(ACTIVE),
        phrases=lambda some: [texts[row] for row in some.tolist()],
    )


# ---------------------------------------------------------------- costs


def _call_costs(
    selection: ReportSelection, rows: CallRows, event: EventType
) -> dict[str, ExactCells]:
    """Return the costs of calls and nodes in an event, and the self costs of the nodes alone."""
    evaluate, total = selection.queries.events.evaluate, selection.total(event)
    return {
        "inclusive": ExactCells(
            evaluate(event, rows.inclusive),
            total=total,
            is_absent=rows.is_inner,
            absent=IN_CYCLE,
        ),
        "self": ExactCells(
            evaluate(event, rows.self_cost),
            total=total,
            is_estimate=rows.is_estimate & rows.is_itself,
            is_absent=~rows.is_itself,
            absent="",
        ),
    }


def _step_costs(
    selection: ReportSelection,
    steps: CallRows,
    calls: CallRows,
    is_absent: BoolArray,
    event: EventType,
) -> dict[str, ExactCells]:
    """Return the costs of the calls to steps of paths, and those of the steps, in an event."""
    evaluate, total = selection.queries.events.evaluate, selection.total(event)
    return {
        "cost": ExactCells(
            evaluate(event, calls.inclusive), total=total, is_absent=is_absent, absent=IN_CYCLE
        ),
        "inclusive": ExactCells(evaluate(event, steps.inclusive), total=total),
        "self": ExactCells(evaluate(event, steps.self_cost), total=total),
    }


# ---------------------------------------------------------------- for other programs


def calls_table(selection: ReportSelection, nodes: Iterable[NodeId]) -> Listing:
    """Return a row for each caller, node and callee.

    `entry` counts the nodes from 1, `active` is 0 or 1.
    """
    calls = Calls(selection)
    blocks = [calls.block(node) for node in nodes]
    rows = calls.joined(blocks)
    relation = ValueCells(lambda some: [_RELATIONS[each] for each in rows.relation[some].tolist()])
    columns = (
        ("entry", _numbered(blocks)),
        ("relation", relation),
        *cost_columns(selection, partial(_call_costs, selection, rows)),
        *_last_columns(selection, rows, rows),
    )
    return Listing(Table(plain_columns(*columns), len(rows.node)), np.arange(len(rows.node)))


def paths_table(selection: ReportSelection, nodes: Iterable[NodeId]) -> Listing:
    """Return a row for each step; paths and steps count from 1, `cost` is that of the calls."""
    calls = Calls(selection)
    paths = [calls.path(node) for node in nodes]
    steps, called = (calls.joined(rows) for rows in zip(*paths, strict=True))
    numbers = [np.arange(len(rows.node)) + 1 for rows, _ in paths]
    is_absent = called.is_inner | called.is_itself
    columns = (
        ("path", _numbered([rows for rows, _ in paths])),
        ("step", ExactCells(np.concatenate(numbers))),
        *cost_columns(selection, partial(_step_costs, selection, steps, called, is_absent)),
        *_last_columns(selection, steps, called),
    )
    return Listing(Table(plain_columns(*columns), len(steps.node)), np.arange(len(steps.node)))


def _numbered(blocks: Sequence[CallRows]) -> ExactCells:
    """Return for each row which of the blocks it is of, counted from 1."""
    lengths = [len(rows.node) for rows in blocks]
    return ExactCells(np.repeat(np.arange(len(blocks)) + 1, lengths))


def _last_columns(
    selection: ReportSelection, nodes: CallRows, calls: CallRows
) -> Iterator[tuple[str, Cells]]:
    """Yield count and activity of calls, and what identifies nodes."""
    yield "count", ExactCells(calls.called, is_absent=~calls.is_counted)
    yield "active", ExactCells(calls.is_active.astype(np.int64))
    yield "cycle", ExactCells(selection.queries.costs(selection.scope).cycle[nodes.node])
    yield from name_cells(lambda rows: recorded_nodes(selection, nodes.node[rows])).items()


def calls_records(selection: ReportSelection, nodes: Sequence[NodeId]) -> Records:
    """Return an entry for each node with lists of callers and callees: a contract."""
    calls = Calls(selection)
    itself, sides = calls.itself(nodes), dict[str, Member]()
    for key, ask in (("callers", calls.callers), ("callees", calls.callees)):
        blocks = list(map(ask, nodes))
        rows = calls.joined(blocks)
        call = {
            **_node_members(selection, rows),
            **_call_members(selection, rows),
            **_estimated(selection, rows),
        }
        sides[key] = _lists(call, blocks)
    entry = {
        **_node_members(selection, itself),
        "called": ExactCells(itself.called, is_absent=~itself.is_counted),
        "active": truths(itself.is_active),
        **_node_costs(selection, itself),
        **_estimated(selection, itself),
        **sides,
    }
    before = {**_head(selection), **folds_member(selection.queries)}
    return Records(before, {"entries": (entry, np.arange(len(nodes)))})


def paths_records(selection: ReportSelection, nodes: Sequence[NodeId]) -> Records:
    """Return a list of steps for each node: a contract."""
    calls = Calls(selection)
    paths = [calls.path(node) for node in nodes]
    steps, called = (calls.joined(rows) for rows in zip(*paths, strict=True))
    step = {
        **_node_members(selection, steps),
        **_node_costs(selection, steps),
        "call": Nullable(_call_members(selection, called), called.is_itself),
    }
    lists = _lists(step, [rows for rows, _ in paths])
    return Records(_head(selection), {"paths": (lists, np.arange(len(paths)))})


def _head(selection: ReportSelection) -> dict[str, Any]:
    """Return all measured events and the derived ones of the selection, with their totals."""
    derived = (event for event in selection.events if event.is_derived)
    events = (*selection.profile.events.measured, *derived)
    names = [to_display(event.name) for event in events]
    totals = known_numbers(np.array(list(map(selection.total, events)), object))
    return {"events": names, "base": dict(zip(names, totals, strict=True))}


def _lists(member: Member, blocks: Sequence[CallRows]) -> Lists:
    ends = np.cumsum([len(rows.node) for rows in blocks])
    return Lists(member, np.array([0, *ends[:-1]]), ends)


def _node_members(selection: ReportSelection, rows: CallRows) -> Record:
    """Return what identifies nodes; file and object of a cycle are null."""
    names = name_cells(lambda some: recorded_nodes(selection, rows.node[some]))
    cycles = selection.queries.costs(selection.scope).cycle[rows.node]
    is_cycle = rows.node >= selection.queries.function_count
    return {
        "name": names["name"],
        "file": Nullable(names["file"], is_cycle),
        "object": Nullable(names["object"], is_cycle),
        "cycle": ExactCells(cycles),
    }


def _call_members(selection: ReportSelection, rows: CallRows) -> Record:
    costs = _cost_members(selection, "inclusive", rows.inclusive)
    return {
        "count": ExactCells(rows.called, is_absent=~rows.is_counted),
        "active": truths(rows.is_active),
        **{key: Nullable(member, rows.is_inner) for key, member in costs.items()},
    }


def _node_costs(selection: ReportSelection, rows: CallRows) -> Record:
    return {
        **_cost_members(selection, "self", rows.self_cost),
        **_cost_members(selection, "inclusive", rows.inclusive),
    }


def _cost_members(selection: ReportSelection, kind: str, measured: Int64Array) -> Record:
    """Return costs by event, and percentages if they are asked for, though ratios have none."""
    costs = cost_members(selection, kind, measured)
    shares: Record = {f"{kind}_percent": {}} if selection.with_percentages else {}
    return {kind: costs[kind], **shares, **costs}


def _estimated(selection: ReportSelection, rows: CallRows) -> Record:
    """Return whether numbers of the rows are estimates; nothing if no function is folded."""
    return {} if selection.queries.folding is None else {"estimated": truths(rows.is_estimate)}
