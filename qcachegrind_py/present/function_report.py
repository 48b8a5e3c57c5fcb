"""The functions of a profile as reports have them: for people, as a table, and in full as JSON."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from qcachegrind_py.analysis.costs.call_edges import CallEdges
from qcachegrind_py.analysis.costs.totals import part_totals, recorded_totals
from qcachegrind_py.analysis.facts import profile_facts
from qcachegrind_py.analysis.folded_queries import FoldedQueries, unfolded_queries
from qcachegrind_py.formats.standard_input import display_name
from qcachegrind_py.present.exact import (
    ExactCells,
    FullNameCells,
    FunctionName,
    ObjectCells,
    Record,
    ShareCells,
    WordCells,
    call_cells,
    costs_by_event,
    exact,
    recorded_names,
)
from qcachegrind_py.present.facts import (
    facts_object,
    folding_facts,
    folds_member,
    head_facts,
    less_than_self_text,
)
from qcachegrind_py.present.page import Facts, Listing, Page, Records
from qcachegrind_py.present.selection import ReportSelection
from qcachegrind_py.present.table import Column, Table
from qcachegrind_py.profile.events import CostArray, EventType
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray, Int64Array, to_display
from qcachegrind_py.visible_text import visible_text


def function_page(selection: ReportSelection) -> Page:
    """Return the facts of the profile, then the functions and cycles."""
    return Page((head(selection), Listing(_text_table(selection), selection.nodes)))


def head(selection: ReportSelection) -> Facts:
    """Return the facts of the profile, with the sizes of its files."""
    queries, scope = selection.queries, selection.scope
    profile = unfolded_queries(queries).profile  # the facts are those of what was read
    facts = profile_facts(profile, scope.parts, queries.events)
    less = less_than_self_text(queries, scope)
    more = [("Doubtful", less)] if less else []
    return head_facts(facts, more=[*more, *folding_facts(queries, [scope])])


def _text_table(selection: ReportSelection) -> Table:
    """Return costs in each event with percentages, called counts and names."""
    queries, scope = selection.queries, selection.scope
    costs, columns = queries.costs(scope), list[Column]()
    estimated = queries.has_estimates(scope) if isinstance(queries, FoldedQueries) else None
    for event in selection.events:
        total, group = selection.total(event), visible_text(event.name)
        ask = queries.inclusive, queries.self_cost
        inclusive, own = (
            ExactCells(costs_of(event, scope), exact, total, marks, least_width=len("Incl."))
            for costs_of, marks in zip(ask, (None, estimated), strict=True)
        )
        columns += (
            Column("inclusive", "Incl.", "", inclusive, group=group),
            Column("self", "Self", "", own, group=group),
        )
    called = call_cells(costs.called, is_known=costs.has_call_counts, is_active=costs.is_active)
    columns += (
        Column("called", "Called", "", called),
        Column("name", "Function", "", FullNameCells(partial(_node_names, selection))),
    )
    return Table(tuple(columns), len(costs.called))


def _node_names(selection: ReportSelection, rows: Int64Array) -> list[FunctionName]:
    """Return the names of functions, which tell their cycle, and of cycles."""
    costs, count = selection.queries.costs(selection.scope), selection.queries.function_count
    located = map(FunctionName, *recorded_names(selection.profile, rows[rows < count]))
    names = []
    for node, cycle in zip(rows.tolist(), costs.cycle[rows].tolist(), strict=True):
        if node >= count:
            members = len(costs.nodes_of_cycle(cycle)) - 1  # it is one of the nodes
            names.append(FunctionName(f"<cycle {cycle}> ({members} members)"))
            continue
        name = next(located)
        if cycle:
            name = FunctionName(f"{name.name} <cycle {cycle}>", name.file, name.object)
        names.append(name)
    return names


# ---------------------------------------------------------------- for other programs


def function_table(selection: ReportSelection) -> Listing:
    """Return the table of TSV and CSV; titles name the event only where there are several."""
    queries, scope = selection.queries, selection.scope
    costs, columns = queries.costs(scope), list[Column]()
    nothing = np.zeros(len(costs.called), np.int64)
    kinds = (("inclusive", queries.inclusive), ("self", queries.self_cost))
    for event in selection.events:
        of_event = f" {event.name}" if len(selection.events) > 1 else ""
        for kind, ask in kinds:
            columns += cost_columns(
                f"{kind}{of_event}", ask(event, scope), selection.total(event), selection
            )
    if not columns:
        columns = [Column(kind, kind, "", ExactCells(nothing)) for kind, _ in kinds]
    called = ExactCells(
        costs.called, is_absent=None if costs.has_call_counts else np.ones(len(nothing), bool)
    )
    columns += (
        Column("called", "called", "", called),
        Column("cycle", "cycle", "", ExactCells(costs.cycle)),
    )
    names = name_columns(partial(recorded_names, selection.profile))
    return Listing(Table((*columns, *names), len(nothing)), selection.functions)


def cost_columns(
    title: str,
    costs: CostArray,
    total: int | float,
    selection: ReportSelection,
    is_absent: BoolArray | None = None,
) -> list[Column]:
    """Return a column of costs, and one of percentages if they are asked for."""
    columns = [Column(title, title, "", ExactCells(costs, is_absent=is_absent))]
    if selection.with_percentages:
        shares = ShareCells(costs, total, 4, is_absent)
        columns.append(Column(f"{title} %", f"{title} %", "", shares))
    return columns


def name_columns(
    ask: Callable[[Int64Array], tuple[list[str], list[str], list[str]]],
) -> tuple[Column, ...]:
    """Return name, file and object of functions as recorded, which are looked up together."""
    latest: list[Any] = [None, ()]

    def column(place: int, rows: Int64Array) -> list[str]:
        if latest[0] is not rows:
            latest[:] = rows, ask(rows)
        names: list[str] = latest[1][place]
        return names

    return tuple(
        Column(title, title, "", WordCells(partial(column, place)))
        for place, title in enumerate(("name", "file", "object"))
    )


def profile_records(selection: ReportSelection) -> Records:
    """Return the functions, calls, parts and diagnostics: the contract of docs/command.md.

    It has measured events in file order, all calls, and cycles as numbers on their members.
    """
    queries, scope = selection.queries, selection.scope
    profile = unfolded_queries(queries).profile  # the facts are those of what was read
    names, costs = profile.events.names, queries.costs(scope)
    recorded = recorded_totals(profile, scope.parts)
    counted = costs.self_cost[:, : queries.function_count]  # without those of cycles
    before: dict[str, Any] = {
        "file": to_display(display_name(profile.paths[0])),
        "creator": to_display(profile.creator),
        "command": to_display(profile.command),
        "header": facts_object(profile_facts(profile, scope.parts, queries.events)),
        "events": list(map(to_display, names)),
        "totals": costs_by_event(names, counted.sum(axis=1)),
        "summary": recorded and {to_display(name): cost for name, cost in recorded.items()},
        "parts": _part_objects(profile),
        **folds_member(queries),
    }
    after: dict[str, Any] = {
        "diagnostics": [
            {"line": d.line, "kind": d.kind, "message": d.message} for d in profile.diagnostics
        ],
        "diagnostic_count": profile.diagnostic_count,
    }
    functions = _functions(selection), selection.functions
    return Records(before, {"functions": functions, "calls": _calls(selection)}, after)


def _part_objects(profile: Profile) -> list[dict[str, Any]]:
    totals = part_totals(profile)
    return [
        {
            "file": to_display(display_name(part.path)),
            "part": part.part,
            "pid": part.pid,
            "thread": part.thread,
            "trigger": to_display(part.trigger),
            "totals": costs_by_event(profile.events.names, totals[:, index]),
        }
        for index, part in enumerate(profile.parts)
    ]


def _cost_members(selection: ReportSelection, kind: str, measured: Int64Array) -> Record:
    """Return costs by event, and percentages if they are asked for.

    `measured` are those of the measured events, shape (events, rows).
    """
    evaluate, total = selection.queries.events.evaluate, selection.total
    costs = dict[str, ExactCells]()
    for name, values in zip(selection.profile.events.names, measured, strict=True):
        costs[to_display(name)] = ExactCells(values)

    def in_event(event: EventType) -> CostArray:
        values: CostArray = evaluate(event, measured)
        return values

    for event in selection.events:
        if event.is_derived:
            costs[to_display(event.name)] = ExactCells(in_event(event))
    shares = {
        to_display(event.name): ShareCells(in_event(event), total(event))
        for event in selection.events
        if selection.with_percentages and not event.is_ratio
    }
    return {kind: costs, f"{kind}_percent": shares} if shares else {kind: costs}


def _functions(selection: ReportSelection) -> Record:
    costs, names = (
        selection.queries.costs(selection.scope),
        name_columns(partial(recorded_names, selection.profile)),
    )
    return {
        **{column.key: column.cells for column in names},
        "cycle": ExactCells(costs.cycle),
        "called": ExactCells(
            costs.called,
            is_absent=None if costs.has_call_counts else np.ones(len(costs.called), bool),
        ),
        **_cost_members(selection, "self", costs.self_cost),
        **_cost_members(selection, "inclusive", costs.inclusive),
        **_charges(selection),
    }


def _charges(selection: ReportSelection) -> Record:
    """Return what of the self costs is of folded functions; nothing if none is folded."""
    queries, scope = selection.queries, selection.scope
    if not isinstance(queries, FoldedQueries):
        return {}
    names, charged = selection.profile.events.names, queries.folding.charged(scope.parts)
    return {
        "charged": {to_display(name): ExactCells(charged[n]) for n, name in enumerate(names)},
        "estimated": truths(queries.folding.is_estimated(scope.parts)),
    }


def truths(mask: BoolArray) -> ObjectCells:
    """Return cells that are true or false."""
    return ObjectCells(lambda rows: mask[rows].tolist())


def _calls(selection: ReportSelection) -> tuple[Record, Int64Array]:
    """Return the calls between the functions shown, referring to them by their row."""
    queries, order = selection.queries, selection.functions
    edges = queries.call_edges(selection.scope)
    report_row = np.full(queries.function_count, -1, np.int64)
    report_row[order] = np.arange(len(order))
    is_shown = (report_row[edges.caller] >= 0) & (report_row[edges.callee] >= 0)
    record: Record = {
        "caller": ExactCells(report_row[edges.caller]),
        "callee": ExactCells(report_row[edges.callee]),
        "count": _counts(edges),
        **_cost_members(selection, "inclusive", edges.inclusive),
        **({} if edges.is_estimated is None else {"estimated": truths(edges.is_estimated)}),
    }
    return record, np.flatnonzero(is_shown)


def _counts(edges: CallEdges) -> ExactCells:
    unknown = None if edges.has_counts else np.ones(len(edges.count), bool)
    return ExactCells(edges.count, is_absent=unknown)
