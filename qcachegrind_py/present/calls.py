"""The tables of calls: direct and transitive callers and callees, and the call stack."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from qcachegrind_py.analysis.calls.call_graph import DirectCalls
from qcachegrind_py.analysis.calls.cost_flow import TransitiveCalls, change_of_calls
from qcachegrind_py.analysis.costs.scope import Scope, Series
from qcachegrind_py.analysis.costs.sums import find_rows
from qcachegrind_py.analysis.explanation.numbers import exactness_text
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.figures import Counts, Figures, Reasons, excess_sign
from qcachegrind_py.present.folds import call_marks, comparison_mark
from qcachegrind_py.present.functions import NO_ROWS, NodeRows, node_tip
from qcachegrind_py.present.no_figures import NO_COUNTS, NO_FIGURES, NO_NUMBERS, NO_REASONS
from qcachegrind_py.present.table import (
    ACTIVE_TIP,
    ESTIMATED,
    Column,
    CountCells,
    NumberCells,
    Table,
    Value,
    cost_column,
    exactness_column,
    per_call_column,
    reason_column,
    side_columns,
)
from qcachegrind_py.present.unit import NO_UNIT
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import node_at, node_ids
from qcachegrind_py.profile.numbers import UNDEFINED
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray, Int64Array

_WHY_MORE = "More than the function's own cost: calls within calls are counted again"
CALLER, CALLEE = "Caller", "Callee"  # titles of the functions at the other end of calls


def no_calls_text(profile: Profile, title: str) -> str:
    """Return why a function has no callers, or callees, in a profile with calls."""
    if profile.contexts is None:
        return f"No {'callers' if title == CALLER else 'calls'} were recorded."
    if title == CALLER:
        return "All stacks with this function begin with it."
    return "No stack goes on below this function."


# ---------------------------------------------------------------- direct calls


def direct_call_table(query: ViewQuery, title: str) -> Table:
    """Return the calls of the active function; `title` is `CALLER` or `CALLEE`: their other end."""
    context, queries = query.context, query.queries
    ask = queries.callers if title == CALLER else queries.callees
    calls = ask(context.function, context.scope)
    before = None if context.base is None else ask(context.function, context.base)
    mark, folds, is_estimated = call_marks(query, calls.node, are_callees=title == CALLEE)
    count = _count(query, calls, before, is_estimated)
    cost = _call_costs(query, query.series, calls, before, is_estimated)
    second_cost = _call_costs(query, query.second_series, calls, before, is_estimated)
    reasons = Reasons(cost, count, _are_split(query, calls, before))
    excess = cost.sign

    def more(row: int) -> tuple[str, ...]:
        is_more = excess is not None and excess.at[row]
        return *folds(row), *((_WHY_MORE,) if is_more else ())

    tip = node_tip(query, calls.node, more)
    rows = NodeRows(query.labels(), calls.node, tip, mark)
    return _direct_table(title, cost, second_cost, count, reasons, rows)


def _count(
    query: ViewQuery,
    calls: DirectCalls | TransitiveCalls,
    before: DirectCalls | TransitiveCalls | None,
    is_estimate: BoolArray | None,
) -> Counts:
    old = calls if before is None else before
    return Counts(
        calls.count,
        old.count,
        query.context.numbers,
        active=(old.is_active, calls.is_active),
        is_estimate=is_estimate,
        without_calls=UNDEFINED,
    )


def _are_split(query: ViewQuery, calls: DirectCalls, before: DirectCalls | None) -> BoolArray:
    if before is None:
        return np.zeros(len(calls), bool)
    from qcachegrind_py.analysis.comparison.effects import are_calls_split

    return are_calls_split(before, calls, calls.node == query.context.function)


def _call_costs(
    query: ViewQuery,
    series: Series | None,
    calls: DirectCalls,
    before: DirectCalls | None,
    is_estimated: BoolArray | None,
) -> Figures:
    """Return the costs of calls in an event; zeros without one.

    A full bar is the active function's inclusive cost; of changes it is the largest one.
    """
    if series is None:
        return Figures.alone(NO_UNIT, np.zeros(len(calls), np.int64))
    event, function = series.event, query.context.function
    new = calls.cost(query.events, event)
    old = new if before is None else before.cost(query.events, event)
    if before is None:
        unit = query.call_unit(event, function)
        unit = replace(unit, bar_total=query.inclusive_cost(event, function))
    else:
        unit = query.unit(event)
    figures = Figures(
        unit,
        new,
        old,
        query.known(event),
        is_estimated,
        is_inner=calls.in_cycle,
        sampling=query.sampling(event),
    )
    if before is None and not unit.is_ratio:  # calls of calls are counted again
        own = query.inclusive_cost(event, function)
        figures = replace(figures, sign=excess_sign(np.asarray(new > own)))
    return figures.with_longest_bar() if before is not None and not unit.is_ratio else figures


def _direct_table(
    title: str,
    cost: Figures = NO_FIGURES,
    second_cost: Figures = NO_FIGURES,  # zeros without a second event
    count: Counts = NO_COUNTS,
    reasons: Reasons = NO_REASONS,
    rows: NodeRows = NO_ROWS,
) -> Table:
    cost_tip = "Inclusive cost of the calls; (cycle): included in the cost of the cycle"
    per_call_tip = "Average inclusive cost of one call, always absolute"
    columns = (
        cost_column("cost", "Incl.", cost_tip, cost),
        *side_columns(cost, "Inclusive cost of the calls"),
        per_call_column("per_call", "Per call", per_call_tip, cost, count, gives_way=3),
        cost_column("cost", "Incl.", cost_tip, second_cost, is_second=True),
        per_call_column(
            "per_call", "Per call", per_call_tip, second_cost, count, is_second=True, gives_way=2
        ),
        Column("count", "Calls", f"How often it was called. {ACTIVE_TIP}", CountCells(count)),
        reason_column(reasons),
    )
    return rows.table(title, columns)


NO_CALLERS, NO_CALLEES = map(_direct_table, (CALLER, CALLEE))


# ---------------------------------------------------------------- transitive calls


def transitive_call_table(query: ViewQuery, title: str) -> Table:
    """Return all direct and indirect callers or callees of the active function.

    Percentages are of the active function's inclusive cost, whatever the unit (KCachegrind's rule).
    """
    context, series = query.context, query.series
    if series is None:
        return NO_TRANSITIVE[title]
    is_up, event = title == CALLER, series.event
    ask = query.queries.transitive_callers if is_up else query.queries.transitive_callees
    calls, before = ask(context.function, event, context.scope), None
    unit = query.unit(event)
    if context.base is None:
        unit = replace(unit, total=query.inclusive_cost(event, context.function))
    else:
        before = ask(context.function, event, context.base)
        nodes = np.union1d(before.node, calls.node)
        before, calls = before.for_nodes(nodes), calls.for_nodes(nodes)
    old = calls if before is None else before
    both = calls if before is None else change_of_calls(before, calls)
    is_exact, is_self_exact = both.is_exact, both.is_exact & both.is_complete
    known, samples = query.known(event), query.sampling(event)
    cost = Figures(unit, calls.cost, old.cost, known, ~is_exact, sampling=samples)
    if before is not None:
        cost = cost.with_longest_bar()
    sides = calls.self_cost, old.self_cost
    self_cost = Figures(cost.unit, *sides, known, ~is_self_exact, sampling=samples)
    tip = node_tip(query, calls.node, lambda row: (exactness_text(bool(is_exact[row])),))
    return _transitive_table(
        title,
        cost,
        self_cost,
        _count(query, calls, before, ~is_exact),
        _DistanceCells(both.min_distance, both.max_distance),
        exactness_column(~is_exact, ~is_self_exact),
        NodeRows(query.labels(), calls.node, tip, comparison_mark(query)),
    )


@frozen
class _DistanceCells(NumberCells):
    """The calls between two functions: on the shortest and on the longest path."""

    shortest: Int64Array
    longest: Int64Array

    def text(self, row: int) -> str:
        nearest, farthest = int(self.shortest[row]), int(self.longest[row])
        return str(nearest) if nearest == farthest else f"{nearest}–{farthest}"

    def numbers(self) -> Int64Array:
        return self.shortest * (1 << 32) + self.longest

    def values(self, rows: Int64Array) -> list[Value]:
        texts = map(self.text, rows.tolist())
        return [int(text) if text.isdecimal() else text for text in texts]


_NO_DISTANCES = _DistanceCells(NO_NUMBERS, NO_NUMBERS)
_NOTHING_EXACT = exactness_column(None)


def _transitive_table(
    title: str,
    cost: Figures = NO_FIGURES,
    self_cost: Figures = NO_FIGURES,
    count: Counts = NO_COUNTS,
    distance: _DistanceCells = _NO_DISTANCES,
    exactness: Column = _NOTHING_EXACT,
    rows: NodeRows = NO_ROWS,
) -> Table:
    estimated = f"Percentages are of the active function's inclusive cost. {ESTIMATED}"
    part = "Part of the active function's cost that"
    columns = (
        cost_column("inclusive", "Incl.", f"{part} passed through here. {estimated}", cost),
        cost_column("self", "Self", f"{part} was spent here. {estimated}", self_cost),
        *side_columns(cost, "Inclusive cost"),
        Column(
            "distance",
            "Distance",
            "Number of calls between the functions: shortest and longest path",
            distance,
            gives_way=3,
        ),
        Column(
            "count",
            "Calls",
            f"Number of calls on these paths. {ESTIMATED}. {ACTIVE_TIP}",
            CountCells(count),
            gives_way=2,
        ),
    )
    return rows.table(title, columns, (exactness,))


NO_TRANSITIVE = {title: _transitive_table(title) for title in (CALLER, CALLEE)}


# ---------------------------------------------------------------- the call stack


def call_stack_table(query: ViewQuery) -> Table:
    """Return the path through the active function from the top down, with the calls along it."""
    nodes, labels = np.array(query.context.stack.nodes, np.int64), query.labels()
    second = query.second_series
    if second is not None and second.event.is_ratio:
        second = None
    cost, count = _steps(query, query.series, nodes)
    second_cost, _ = _steps(query, second, nodes)
    rows = NodeRows(
        labels,
        nodes,
        lambda row: tuple(labels.details(node_at(nodes, row))),
        comparison_mark(query),
    )
    return _stack_table(cost, second_cost, count, rows)


def _steps(query: ViewQuery, series: Series | None, nodes: Int64Array) -> tuple[Figures, Counts]:
    """Return the costs and the numbers of the calls along a path; zeros without a series."""
    if series is None:
        zeros = np.zeros(len(nodes), np.int64)
        return Figures.alone(NO_UNIT, zeros), Counts.alone(zeros)
    event, unit = query.queries.measured_event(series.event), query.unit(series.event)
    new = old = _steps_in(query, event, series.scope, nodes)
    if series.against is not None:
        old = _steps_in(query, event, series.against, nodes)
    known, samples = query.known(series.event), query.sampling(series.event)
    cost = Figures(unit, new[0], old[0], known, sampling=samples)
    if cost.is_compared and not unit.is_ratio:
        cost = cost.with_longest_bar()
    active, without = (old[2], new[2]), "" if query.profile.contexts is None else UNDEFINED
    return cost, Counts(new[1], old[1], unit.style, active=active, without_calls=without)


def _steps_in(
    query: ViewQuery, event: EventType, scope: Scope, nodes: Int64Array
) -> tuple[Int64Array, Int64Array, BoolArray]:
    """Return costs and counts of the calls from each function to the next, shape (functions,).

    The last array tells which calls were still running when the profile was written. The first
    function has no caller in the list: its inclusive cost and count 0 are used.
    """
    queries = query.queries
    if query.profile.contexts is not None:  # where functions may call themselves
        edges, functions = queries.call_edges(scope), queries.function_count
        key = edges.caller * functions + edges.callee
        rows = find_rows(key, nodes[:-1] * functions + nodes[1:])
        inside = queries.events.evaluate(event, edges.inclusive[:, rows]) * (rows >= 0)
        whole = queries.inclusive(event, scope)[nodes[:1]]
        return np.append(whole, inside), np.zeros(len(nodes), np.int64), np.zeros(len(nodes), bool)
    graph = queries.call_graph(event, scope)
    cost = [graph.inclusive[nodes[0]]]
    count, is_active = [0], [False]
    for caller, callee in zip(node_ids(nodes[:-1]), node_ids(nodes[1:]), strict=True):
        rows = graph.outgoing(caller)
        row = rows[graph.adjacency.callee[rows] == callee]
        cost.append(graph.cost[row].sum())
        count.append(int(graph.adjacency.count[row].sum()))
        is_active.append(bool(graph.adjacency.is_active[row].any()))
    return np.array(cost), np.array(count, np.int64), np.array(is_active)


def _stack_table(
    cost: Figures = NO_FIGURES,
    second_cost: Figures = NO_FIGURES,
    count: Counts = NO_COUNTS,
    rows: NodeRows = NO_ROWS,
) -> Table:
    cost_tip = "Cost of the calls from the function above"
    columns = (
        cost_column("cost", "Incl.", cost_tip, cost),
        *side_columns(cost, cost_tip),
        cost_column("cost", "Incl.", cost_tip, second_cost, is_second=True),
        Column(
            "count",
            "Calls",
            f"How often it was called from the function above. {ACTIVE_TIP}",
            CountCells(count),
        ),
    )
    return replace(rows.table("Function", columns), is_in_order=True)


NO_STACK = _stack_table()
