"""The functions of a profile as reports have them: for people, as a table, and in full as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from qcachegrind_py.analysis.costs.totals import part_totals, recorded_totals
from qcachegrind_py.analysis.facts import profile_facts
from qcachegrind_py.analysis.queries import FoldedQueries, unfolded_queries
from qcachegrind_py.formats.loading import display_name
from qcachegrind_py.present.exact import (
    ExactCells,
    FullNameCells,
    Record,
    ShareCells,
    ValueCells,
    call_cells,
    costs_by_event,
    plain_columns,
    recorded_names,
    share_in_text,
    truths,
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
from qcachegrind_py.present.table import Cells, Column, Table
from qcachegrind_py.profile.events import CostArray, EventType
from qcachegrind_py.profile.numbers import percentages
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import Int64Array, StringTable, to_display
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


CostsIn = Callable[[EventType], Mapping[str, ExactCells]]  # by kind, such as "self"


def _costs_in(selection: ReportSelection, event: EventType) -> dict[str, ExactCells]:
    """Return the costs of functions and cycles in an event; self costs may be estimates."""
    queries, scope = selection.queries, selection.scope
    total, width = selection.total(event), len("Incl.")
    estimated = queries.has_estimates(scope) if isinstance(queries, FoldedQueries) else None
    inclusive, own = queries.inclusive(event, scope), queries.self_cost(event, scope)
    return {
        "inclusive": ExactCells(inclusive, total=total, least_width=width),
        "self": ExactCells(own, total=total, is_estimate=estimated, least_width=width),
    }


def _text_table(selection: ReportSelection) -> Table:
    """Return costs in each event with percentages, called counts and names."""
    costs = selection.queries.costs(selection.scope)
    called = call_cells(costs.called, is_known=costs.has_call_counts, is_active=costs.is_active)
    titles = {"inclusive": "Incl.", "self": "Self"}
    of_costs = list(text_columns(selection, partial(_costs_in, selection), titles))
    event, rows = selection.sort_event, selection.nodes
    if event is not None and selection.order.key == "self":
        own = selection.queries.self_cost(event, selection.scope).copy()
        own[selection.queries.function_count :] = 0  # that of a cycle is its members'
        of_costs = with_cumulative(selection, of_costs, own, rows)
    columns = (
        *of_costs,
        Column("called", "Called", "", called),
        Column("name", "Function", "", FullNameCells(partial(shown_nodes, selection))),
    )
    return Table(columns, len(costs.called))


def text_columns(
    selection: ReportSelection, costs: CostsIn, titles: Mapping[str, str]
) -> Iterator[Column]:
    """Yield the columns of costs of these kinds, below the name of each event."""
    for event in selection.events:
        cells = costs(event)
        for kind, title in titles.items():
            yield Column(kind, title, "", cells[kind], group=visible_text(event.name))


def with_cumulative(
    selection: ReportSelection, columns: list[Column], costs: CostArray | None, rows: Int64Array
) -> list[Column]:
    """Return the columns with what share of the total the rows have so far, behind self costs.

    That is of the event that orders the rows, if it is shown, and has percentages.
    """
    event = selection.sort_event
    if costs is None or event is None or event not in selection.events:
        return columns
    cumulative = np.cumsum(costs[rows])
    shares = percentages(cumulative.tolist(), selection.total(event))
    if shares is None:
        return columns
    numbers = np.zeros(len(costs))
    numbers[rows] = shares
    group = visible_text(event.name)
    cells = ExactCells(numbers, form=share_in_text, least_width=len("100.00"))
    place = next(n for n, each in enumerate(columns) if (each.key, each.group) == ("self", group))
    return [
        *columns[: place + 1],
        Column("cumulative", "Cum. %", "", cells, group=group),
        *columns[place + 1 :],
    ]


# ---------------------------------------------------------------- names

Names = tuple[list[str], list[str], list[str]]  # names, files and objects


def shown_nodes(selection: ReportSelection, nodes: Int64Array) -> Iterator[tuple[str, str, str]]:
    """Return names that people read, files and objects; functions tell their cycle."""
    names, files, objects = recorded_nodes(selection, nodes, selection.texts)
    costs, count = selection.queries.costs(selection.scope), selection.queries.function_count
    cycles = costs.cycle[nodes].tolist()
    for place in np.flatnonzero(costs.cycle[nodes]).tolist():
        if nodes[place] < count:
            names[place] += f" <cycle {cycles[place]}>"
        else:
            members = len(costs.nodes_of_cycle(cycles[place])) - 1  # it is one of the nodes
            names[place] += f" ({members} members)"
    return zip(names, files, objects, strict=True)


def recorded_nodes(
    selection: ReportSelection, nodes: Int64Array, texts: StringTable | None = None
) -> Names:
    """Return names, files and objects, by default as recorded; a cycle has its number alone."""
    is_cycle = nodes >= selection.queries.function_count
    cycles = selection.queries.costs(selection.scope).cycle
    names, files, objects = recorded_names(selection.profile, np.where(is_cycle, 0, nodes), texts)
    for place in np.flatnonzero(is_cycle).tolist():
        names[place] = f"<cycle {cycles[nodes[place]]}>"
        files[place] = objects[place] = ""
    return names, files, objects


# ---------------------------------------------------------------- for other programs


def function_listing(selection: ReportSelection) -> Listing:
    """Return the table of TSV and CSV."""
    costs = selection.queries.costs(selection.scope)
    nothing = ExactCells(np.zeros(len(costs.called), np.int64))
    columns = plain_columns(
        *(
            cost_columns(selection, partial(_costs_in, selection))
            or [("inclusive", nothing), ("self", nothing)]
        ),
        ("called", _called(costs.called, is_known=costs.has_call_counts)),
        ("cycle", ExactCells(costs.cycle)),
        *name_cells(partial(recorded_names, selection.profile)).items(),
    )
    return Listing(Table(columns, len(costs.called)), selection.functions)


def cost_columns(selection: ReportSelection, costs: CostsIn) -> list[tuple[str, Cells]]:
    """Return the costs of all kinds by their titles, and percentages if they are asked for.

    Titles name the event only where there are several.
    """
    columns = list[tuple[str, Cells]]()
    for event in selection.events:
        of_event = f" {event.name}" if len(selection.events) > 1 else ""
        for kind, cells in costs(event).items():
            columns.append((f"{kind}{of_event}", cells))
            if selection.with_percentages:
                columns.append((f"{kind}{of_event} %", ShareCells(cells, 4)))
    return columns


def name_cells(ask: Callable[[Int64Array], Names]) -> dict[str, ValueCells]:
    """Return name, file and object of functions as recorded, which are looked up together."""
    latest: list[Any] = [None, ()]

    def column(place: int, rows: Int64Array) -> list[str]:
        if latest[0] is not rows:
            latest[:] = rows, ask(rows)
        names: list[str] = latest[1][place]
        return names

    return {
        title: ValueCells(partial(column, place))
        for place, title in enumerate(("name", "file", "object"))
    }


def _called(counts: Int64Array, *, is_known: bool) -> ExactCells:
    return ExactCells(counts, is_absent=None if is_known else np.ones(len(counts), bool))


def profile_records(selection: ReportSelection) -> Records:
    """Return the functions, calls, parts and diagnostics: the contract of docs/command.md.

    It has measured events in file order, all calls, and cycles as numbers on their members.
    """
    before, after = profile_members(selection)
    functions = _functions(selection), selection.functions
    return Records(before, {"functions": functions, "calls": _calls(selection)}, after)


def profile_members(selection: ReportSelection) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return what JSON says of the profile, and of its problems at the end."""
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
    return before, after


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


def cost_members(selection: ReportSelection, kind: str, measured: Int64Array) -> Record:
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
        to_display(event.name): ShareCells(ExactCells(in_event(event), total=total(event)))
        for event in selection.events
        if selection.with_percentages and not event.is_ratio
    }
    return {kind: costs, f"{kind}_percent": shares} if shares else {kind: costs}


def _functions(selection: ReportSelection) -> Record:
    costs = selection.queries.costs(selection.scope)
    return {
        **name_cells(partial(recorded_names, selection.profile)),
        "cycle": ExactCells(costs.cycle),
        "called": _called(costs.called, is_known=costs.has_call_counts),
        **cost_members(selection, "self", costs.self_cost),
        **cost_members(selection, "inclusive", costs.inclusive),
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
        "count": _called(edges.count, is_known=edges.has_counts),
        **cost_members(selection, "inclusive", edges.inclusive),
        **({} if edges.is_estimated is None else {"estimated": truths(edges.is_estimated)}),
    }
    return record, np.flatnonzero(is_shown)
