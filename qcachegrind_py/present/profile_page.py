"""The page of a profile: facts, totals, flame graph, functions, and articles on the costliest."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import field
from datetime import UTC, datetime
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.filters.expression import NO_FILTER, Filter
from qcachegrind_py.analysis.names.function_names import base_name
from qcachegrind_py.analysis.queries import ProfileQueries, folded_mask, unfolded_queries
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.exact import ESTIMATE_SIGN, ExactCells, FullNameCells
from qcachegrind_py.present.facts import estimated_self_costs, folding_facts
from qcachegrind_py.present.flame_graph import flame_graph
from qcachegrind_py.present.function_articles import costliest_functions, share_cells
from qcachegrind_py.present.page import (
    PAGE_LIMIT,
    Article,
    Articles,
    Block,
    Contents,
    EventCosts,
    Facts,
    FunctionList,
    Grid,
    Listing,
    Note,
    Oddities,
    Page,
    Section,
    flame_section,
)
from qcachegrind_py.present.selection import Order, ReportSelection, SortKey
from qcachegrind_py.present.table import Column, FunctionName, Table
from qcachegrind_py.profile.events import EventType
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
    readable_description,
    unit_of,
)
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import Int64Array, to_display
from qcachegrind_py.tools.sources.file_search import FileSearch

_MAX_WARNINGS = 100
_MAX_OPEN_EVENTS = 3  # a longer list is folded


@frozen(eq=True)
class PageOptions:
    """The selection of a page; `event` is None if the profile has none, or only a ratio."""

    event: EventType | None
    scope: Scope = field(default_factory=Scope)
    filter: Filter = NO_FILTER
    sort: SortKey = "inclusive"
    limit: int | None = PAGE_LIMIT
    threshold: Fraction | None = None  # percent, as in `ReportSelection`


def profile_page(
    progress: Progress, queries: ProfileQueries, search: FileSearch, options: PageOptions
) -> Page:
    """Return the page; without costs if the profile has no events. Raises `Cancelled`."""
    progress.check(0.0)
    profile, scope = queries.profile, options.scope
    event = queries.measured_event(options.event) if options.event is not None else None
    order, visible = _functions(queries, options, event)
    events = tuple(
        _event_costs(queries, each, scope) for each in queries.events.all if not each.is_ratio
    )
    at = next((at for at, each in enumerate(events) if each.event == event), 0)
    shown_event = events[at] if events else None
    progress.check(0.2)
    flame, articles = None, tuple[Article, ...]()
    if event is not None:
        passing = queries.visible_nodes(options.filter, event, scope)
        flame = flame_graph(queries, event, scope, passing, progress)
        progress.check(0.4)
        articles = tuple(costliest_functions(queries, search, event, scope, visible, progress))
    facts = (
        *_facts(unfolded_queries(queries).profile, scope),
        *folding_facts(queries, [scope], DEFAULT_STYLE),
        *_event_facts(shown_event),
    )
    notes = _omission_notes(queries, options, event, len(order))
    listed = order[: options.limit]
    of_articles: dict[int, str] = {each.function: f"f{each.function}" for each in articles}
    links = {function: f"f{function}" for function in listed.tolist()} | of_articles
    sections = [] if not events else [_totals(events)]
    if flame is not None:
        sections.append(flame_section(flame, links))
    blocks: list[Block] = [Note("The profile has no functions.")]
    if len(listed):
        listing = Listing(
            _function_table(queries, scope, shown_event),
            listed,
            links=of_articles,
            anchored=links.keys() - of_articles.keys(),
            sorted_by=options.sort,
        )
        called = _called(queries, scope, listed)
        caption = Note(_caption(len(listed), len(order), options.sort, shown_event))
        blocks = [caption, FunctionList(listing, events, at, called)]
    sections.append(Section("functions", "Functions", blocks, "Functions"))
    if articles:
        title = f"The costliest functions by {events[at].event.name}"
        sections.append(
            Section("details", title, [Articles(articles, links)], "Costliest functions")
        )
    if profile.diagnostic_count:
        sections.append(_oddities(profile))
    return Page(
        [Facts(facts), *(Note(text, is_problem=True) for text in notes), Contents()],
        f"Profile of {to_display(base_name(profile.program_name))}",
        sections,
        "profile",
    )


def _totals(events: Sequence[EventCosts]) -> Section:
    """Return the total of each event; a long list is folded."""
    count = len(events)
    grid = Grid(
        ("Event", "Total", "Percentages are of"),
        [(each.event.name, format_count(int(each.total)), each.total_base) for each in events],
        [(each.event.long_name, each.unit and f"= {each.unit}") for each in events],
        has_sentences=True,
    )
    title = f"Totals of {format_count(count)} {plural(count, 'event')}"
    return Section("totals", title, [grid], is_open=count <= _MAX_OPEN_EVENTS)


def _called(queries: ProfileQueries, scope: Scope, functions: Int64Array) -> list[int | None]:
    costs = queries.costs(scope)
    return costs.called[functions].tolist() if costs.has_call_counts else [None] * len(functions)


def _oddities(profile: Profile) -> Section:
    """Return what is odd in the files, as far as it was noted."""
    count = profile.diagnostic_count
    noted = profile.diagnostics[:_MAX_WARNINGS]
    lines = [
        (f"{each.path}:{each.line}" if each.line else each.path, each.message) for each in noted
    ]
    places = f"{format_count(count)} {plural(count, 'place')} of the file"
    sentence = f"{places} {'is' if count == 1 else 'are'} not in the expected format."
    blocks = Note(sentence), Oddities(lines, count - len(lines))
    return Section("oddities", "Problems", blocks, "Problems")


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
        yield "Time range", readable_description(to_display(times[0]))
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


def _caption(shown: int, count: int, sort: SortKey, costs: EventCosts | None) -> str:
    """Return how many functions are listed, and by which criterion."""
    if shown >= count:
        return f"All {format_count(count)} {plural(count, 'function')}."
    if sort == "name" or costs is None:
        return f"{format_count(shown)} of {format_count(count)} functions."
    of_costs = f"costliest by {sort} cost of {costs.event.name}"
    criterion = "called most often" if sort == "called" else of_costs
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
        return f"the recorded total ({less} not attributed)"
    more = format_count(int(counted - recorded))
    return f"the sum of all self costs ({more} more than the file records)"


def _function_table(queries: ProfileQueries, scope: Scope, costs: EventCosts | None) -> Table:
    """Return inclusive and self cost in an event, with shares, and calls of all functions."""
    count, all_costs = queries.function_count, queries.costs(scope)
    nothing = np.zeros(count, np.int64)
    total, sides = (
        (0, (nothing, nothing))
        if costs is None
        else (costs.total, (costs.inclusive, costs.self_cost))
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
        all_costs.called[:count], format_count, is_absent=all_costs.is_active[:count], absent=ACTIVE
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
