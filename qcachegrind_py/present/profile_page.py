"""The page of a profile: facts, totals, flame graph, functions, and articles on the costliest."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.filters.expression import NO_FILTER, Filter
from qcachegrind_py.analysis.folded_queries import folded_mask, unfolded_queries
from qcachegrind_py.analysis.names.function_names import base_name
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.present.exact import (
    ESTIMATE_SIGN,
    ExactCells,
    FullNameCells,
)
from qcachegrind_py.present.facts import estimated_self_costs, folding_facts
from qcachegrind_py.present.flame_graph import FlameGraph, flame_graph
from qcachegrind_py.present.function_articles import Article, costliest_functions, share_cells
from qcachegrind_py.present.selection import Order, ReportSelection, SortKey
from qcachegrind_py.present.table import Column, FunctionName, Table
from qcachegrind_py.profile.events import CostArray, EventType
from qcachegrind_py.profile.files import path_on_disk
from qcachegrind_py.profile.ids import function_ids
from qcachegrind_py.profile.numbers import (
    ACTIVE,
    DEFAULT_STYLE,
    NumberStyle,
    format_cost,
    format_count,
    has_percentages,
    plural,
    unit_of,
)
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import Int64Array, to_display
from qcachegrind_py.tools.sources.file_search import FileSearch

DEFAULT_FUNCTION_LIMIT = 1000  # rows of the function table by default
_MAX_WARNINGS = 100


@dataclass(frozen=True, slots=True)
class PageOptions:
    """The selection of a page; `event` is None if the profile has none, or only a ratio."""

    event: EventType | None
    scope: Scope = field(default_factory=Scope)
    filter: Filter = NO_FILTER
    sort: SortKey = "inclusive"
    limit: int | None = DEFAULT_FUNCTION_LIMIT
    threshold: Fraction | None = None  # percent, as in `ReportSelection`


@dataclass(frozen=True, slots=True, eq=False)
class EventCosts:
    """An event of the page: what percentages are of, and the costs of all functions."""

    event: EventType
    total: int | float
    total_base: str  # what the total is, and what of it is not attributed; a dash without shares
    unit: str  # the total in seconds or bytes, if the event's name implies a unit
    inclusive: CostArray
    self_cost: CostArray


@dataclass(frozen=True, slots=True, eq=False)
class ProfilePage:
    """What the page shows; `table` is of all functions, `functions` are those listed in order."""

    title: str
    facts: tuple[tuple[str, str], ...]
    events: tuple[EventCosts, ...]
    event: int  # the one shown at first, and in all sections but the function table
    sort: SortKey
    table: Table
    functions: Int64Array
    caption: str
    called: tuple[int | None, ...]  # of the functions listed; None if calls are not counted
    articles: tuple[Article, ...]
    flame: FlameGraph | None
    notes: tuple[str, ...]  # about what the page omits
    warnings: tuple[tuple[str, str], ...]  # place and text of each odd line of the file
    warning_count: int  # may exceed the number listed


def profile_page(
    progress: Progress, queries: ProfileQueries, search: FileSearch, options: PageOptions
) -> ProfilePage:
    """Return the page; without costs if the profile has no events. Raises `Cancelled`."""
    progress.check(0.0)
    profile, scope = queries.profile, options.scope
    event = queries.measured_event(options.event) if options.event is not None else None
    costs = queries.costs(scope)
    order, visible = _functions(queries, options, event)
    shown = order[: options.limit]
    events = tuple(
        _event_costs(queries, each, scope) for each in queries.events.all if not each.is_ratio
    )
    at = next((at for at, each in enumerate(events) if each.event == event), 0)
    table = _function_table(queries, scope, events[at] if events else None)
    progress.check(0.2)
    flame, articles = None, tuple[Article, ...]()
    if event is not None:
        flame = flame_graph(queries, event, scope, options.filter, progress)
        progress.check(0.4)
        articles = tuple(costliest_functions(queries, search, event, scope, visible, progress))
    return ProfilePage(
        f"Profile of {to_display(base_name(profile.program_name))}",
        (
            *_facts(unfolded_queries(queries).profile, scope),
            *folding_facts(queries, [scope], DEFAULT_STYLE),
            *_event_facts(events[at] if events else None),
        ),
        events,
        at,
        options.sort,
        table,
        shown,
        _caption(len(shown), len(order), options.sort, events[at].event.name if events else ""),
        tuple(costs.called[shown].tolist()) if costs.has_call_counts else (None,) * len(shown),
        articles,
        flame,
        tuple(_omission_notes(queries, options, event, len(order))),
        tuple(
            (f"{each.path}:{each.line}" if each.line else each.path, each.message)
            for each in profile.diagnostics[:_MAX_WARNINGS]
        ),
        profile.diagnostic_count,
    )


def _functions(
    queries: ProfileQueries, options: PageOptions, event: EventType | None
) -> tuple[Int64Array, Int64Array]:
    """Return the functions that pass the filter: in the chosen, and in the profile's order."""
    order = ReportSelection(
        queries,
        () if event is None else (event,),
        options.scope,
        Order(options.sort),
        options.filter,
        options.threshold,
    ).functions
    visible = np.sort(order)
    if options.sort == "name":
        return visible[np.argsort(queries.names.name_ranks[visible], kind="stable")], visible
    return order, visible


# ---------------------------------------------------------------- sentences


def _facts(profile: Profile, scope: Scope) -> Iterator[tuple[str, str]]:
    """Yield the facts about the profile for the head of the page."""
    if profile.command:
        yield "Command", to_display(profile.command)
    yield "File" if len(profile.paths) == 1 else "Files", to_display(", ".join(profile.paths))
    with contextlib.suppress(OSError, ValueError):  # deleted, or not a valid path
        modified = path_on_disk(Path(profile.paths[0])).stat().st_mtime
        written = datetime.fromtimestamp(modified, UTC)
        yield "Date", f"{written:%Y-%m-%d %H:%M} UTC"
    if profile.creator:
        yield "Written by", to_display(profile.creator)
    count, active = len(profile.parts), scope.parts
    if active is not None:
        yield "Parts", f"{format_count(len(active))} of {format_count(count)}"
    elif count > 1:
        yield "Parts", format_count(count)
    times = [part.description("Timerange") for part in profile.parts]
    if len(times) == 1 and times[0]:
        yield "Time range", to_display(times[0])
    counts = (
        (len(profile.functions), "function"),
        (len(profile.calls), "call"),
        (len(profile.costs), "cost line"),
    )
    recorded = (f"{format_count(count)} {plural(count, noun)}" for count, noun in counts)
    yield "Recorded", ", ".join(recorded)


def _event_facts(costs: EventCosts | None) -> Iterator[tuple[str, str]]:
    if costs is None:
        return
    event = costs.event
    yield "Event", f"{event.name}, {event.long_name}" if event.long_name else event.name
    total = format_count(int(costs.total)) + (f" = {costs.unit}" if costs.unit else "")
    if has_percentages(costs.total):
        yield "Total", f"{total}; percentages are of {costs.total_base}"
    else:
        yield "Total", f"{total}, of which there are no percentages"


def _omission_notes(
    queries: ProfileQueries, options: PageOptions, event: EventType | None, shown: int
) -> Iterator[str]:
    """Yield what the page leaves out."""
    if options.filter:
        is_folded = folded_mask(queries)
        folded = 0 if is_folded is None else int(is_folded.sum())
        hidden = format_count(queries.function_count - folded - shown)
        yield f"Only functions matching the filter “{options.filter.text}”: {hidden} hidden."
    if event is None:
        yield "The profile has no events, so nothing has a cost."
    elif event != options.event and options.event is not None:
        yield f"{options.event.name} is a ratio; costs are those of {event.name}."


def _caption(shown: int, count: int, sort: SortKey, event: str) -> str:
    """Return how many functions are listed, and by which criterion."""
    if shown >= count:
        return f"All {format_count(count)} {plural(count, 'function')}."
    if not shown or sort == "name" or not event:
        return f"{format_count(shown)} of {format_count(count)} functions."
    criterion = "called most often" if sort == "called" else f"costliest by {sort} cost of {event}"
    return (
        f"The {format_count(shown)} of {format_count(count)} functions that are {criterion}; "
        "the others are not in this file."
    )


# ---------------------------------------------------------------- costs


def _event_costs(queries: ProfileQueries, event: EventType, scope: Scope) -> EventCosts:
    total, count = queries.total(event, scope.parts), queries.function_count
    quantity = unit_of(event.name, event.long_name)
    style = NumberStyle(use_si_prefixes=True)
    return EventCosts(
        event,
        total.base,
        _total_base(total.base, total.counted, total.recorded),
        format_cost(total.base, 0, False, style, quantity) if quantity else "",
        queries.inclusive(event, scope)[:count],
        queries.self_cost(event, scope)[:count],
    )


def _total_base(total: int | float, counted: int | float, recorded: int | float | None) -> str:
    """Return what percentages are of, and how recorded and counted totals differ."""
    if not has_percentages(total):
        return "–"
    if recorded is None:
        return "the sum of all self costs; the file records no total"
    if recorded == counted:
        return "the recorded total, which is the sum of all self costs"
    if recorded > counted:
        less = format_count(int(recorded - counted))
        return f"the recorded total, {less} of it not attributed"
    more = format_count(int(counted - recorded))
    return f"the sum of all self costs, {more} more than the file records"


def _function_table(queries: ProfileQueries, scope: Scope, costs: EventCosts | None) -> Table:
    """Return inclusive and self cost in an event, with shares, and calls of all functions."""
    count, all_costs = queries.function_count, queries.costs(scope)
    nothing = np.zeros(count, np.int64)
    total, sides = (
        (0, (nothing, nothing))
        if costs is None
        else (
            costs.total,
            (costs.inclusive, costs.self_cost),
        )
    )
    columns = [
        Column(key, title, "", cells)
        for kind, short, of_kind in zip(
            ("inclusive", "self"), ("Incl. %", "Self %"), sides, strict=True
        )
        for key, title, cells in (
            (kind, kind.capitalize(), ExactCells(of_kind, format_count)),
            (f"{kind}_share", short, share_cells(of_kind, total)),
        )
    ]
    called = ExactCells(
        all_costs.called[:count],
        format_count,
        is_absent=all_costs.is_active[:count],
        absent=ACTIVE,
    )
    if not all_costs.has_call_counts:
        called = ExactCells(nothing, is_absent=np.ones(count, bool))
    return Table(
        (
            *columns,
            Column("called", "Called", "", called),
            Column("name", "Function", "", FullNameCells(partial(_names, queries))),
        ),
        count,
        mark=partial(
            _mark, all_costs.cycle.tolist(), estimated_self_costs(queries, scope).tolist()
        ),
    )


def _names(queries: ProfileQueries, rows: Int64Array) -> list[FunctionName]:
    names = queries.names
    return [
        FunctionName(names.name(each), names.file(each), names.object(each))
        for each in function_ids(rows)
    ]


def _mark(cycle: list[int], is_estimated: list[bool], row: int) -> str:
    marks = f"cycle {cycle[row]}" if cycle[row] else "", ESTIMATE_SIGN if is_estimated[row] else ""
    return ", ".join(filter(None, marks))
