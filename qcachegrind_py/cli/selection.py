"""Options that choose what a report is about: events, order, parts, filter and threshold."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.filters.expression import NO_FILTER, Filter, parse_filter
from qcachegrind_py.analysis.queries import ProfileQueries, with_folds
from qcachegrind_py.cli.errors import USAGE_ERROR, CommandError
from qcachegrind_py.cli.folding import folds_of, report_idle_folds
from qcachegrind_py.present.selection import Order, ReportSelection, SortKey
from qcachegrind_py.profile.errors import FilterError, FormulaError
from qcachegrind_py.profile.events import (
    EventType,
    EventTypes,
    UserEvent,
    check_user_event,
    zeros_passed_over,
)
from qcachegrind_py.profile.ids import PartId
from qcachegrind_py.profile.numbers import has_percentages, why_no_percentages
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import StringTable
from qcachegrind_py.visible_text import print_message

_RANGE = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")
NOTHING_MATCHES = "--filter {}: no function matches."
_SORT_KEYS: tuple[SortKey, ...] = ("inclusive", "self", "called", "name")


def report_selection(
    profile: Profile, options: argparse.Namespace, texts: StringTable | None = None
) -> ReportSelection:
    """Return what the report is about; raises CommandError if the profile lacks some of it.

    `texts` are the names that filter and folds search, by default the demangled ones.
    """
    filter_ = filter_of(options.filter)
    folds = folds_of(options, filter_)
    if (filter_ or folds) and texts is None:
        from qcachegrind_py.tools.demangler import demangle_names  # slow, and used by filters only

        texts = demangle_names(profile.texts)
    parts = parts_of(options.parts, len(profile.parts))
    scope = Scope(None if parts is None else frozenset(parts), cycles=not options.no_cycles)
    queries = ProfileQueries(profile, texts)
    queries.set_user_events(defined_events(profile.events, options.events or ""))
    queries = with_folds(queries, folds)
    report_idle_folds(queries)
    shown = events_of(queries, options)
    if options.save is None or filter_:  # nothing else of what is saved depends on an event
        report_zeros(queries.events.all, shown, options)
    selection = ReportSelection(
        queries,
        shown,
        scope,
        order_of(queries.events, options.sort),
        filter_,
        options.threshold,
        options.limit,
        options.percent,
    )
    _check_threshold(selection)
    _check_filter(selection, options)
    return selection


def _check_threshold(selection: ReportSelection) -> None:
    event = selection.sort_event
    if selection.threshold is None or event is None:
        return
    event = selection.queries.measured_event(event)
    if not has_percentages(total := selection.total(event)):
        reason = why_no_percentages(event.name, total)
        raise CommandError(USAGE_ERROR, f"--threshold: {reason}.")


def _check_filter(selection: ReportSelection, options: argparse.Namespace) -> None:
    """Say that no function passes the filter; raises CommandError if it cannot be evaluated.

    An empty list is an answer, but there is nothing to be saved of it.
    """
    try:
        visible = selection.visible
    except FilterError as error:
        raise CommandError(USAGE_ERROR, f"--filter {error}") from error
    if visible is None or visible.any():
        return
    reason = NOTHING_MATCHES.format(options.filter)
    if options.save is not None or options.export_stacks is not None:
        raise CommandError(USAGE_ERROR, reason)
    print_message(reason)


def defined_events(events: EventTypes, text: str) -> tuple[UserEvent, ...]:
    """Return the events that `--events` defines, as in `Ir,IPD=Ir/Dr`.

    Raises CommandError if a formula is invalid.
    """
    defined: list[UserEvent] = []
    for word in _event_words(text):
        name, equals, formula = word.partition("=")
        if not equals or events.find(word) is not None:
            continue
        event = UserEvent(name.strip(), "", formula.strip())
        try:
            check_user_event(event, events, defined)
        except FormulaError as error:
            raise CommandError(USAGE_ERROR, f"--events: {error}") from error
        defined.append(event)
    return tuple(defined)


def _event_words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",")]


def events_of(queries: ProfileQueries, options: argparse.Namespace) -> tuple[EventType, ...]:
    """Return the events to show, by default the first that counted anything; none without any."""
    events = queries.events
    if options.events is None:
        default = queries.default_event()
        if options.event is not None:
            default = find_event(events, options.event)
        return () if default is None else (default,)
    names = (
        word if events.find(word) else word.partition("=")[0].strip()
        for word in _event_words(options.events)
    )
    return tuple(find_event(events, name) for name in dict.fromkeys(names))


def report_zeros(
    events: Sequence[EventType], shown: Sequence[EventType], options: argparse.Namespace
) -> None:
    """Print a message if the default event is not the first, which counted nothing."""
    is_default = options.event is None and options.events is None
    passed_over = zeros_passed_over(events, shown[0]) if is_default and shown else ""
    if passed_over:
        print_message(passed_over)


def find_event(events: EventTypes, name: str) -> EventType:
    """Return the event of that name; raises CommandError if there is none."""
    event = events.find(name)
    if event is None:
        names = ", ".join(event.name for event in events.all)
        reason = f"there are: {names}." if names else "the profile has none."
        raise CommandError(USAGE_ERROR, f"Unknown event {name}; {reason}")
    return event


def order_of(events: EventTypes, text: str | None) -> Order:
    """Return the order of a text such as `self`, `Dw` or `Dw:inclusive`."""
    for key in _SORT_KEYS:
        if text in (key, None):
            return Order(key)
    name, _, suffix = (text or "").rpartition(":")
    if name and events.find(text or "") is None:
        if suffix == "inclusive":
            return Order("inclusive", find_event(events, name))
        if suffix == "self":
            return Order("self", find_event(events, name))
    return Order("self", find_event(events, text or ""))


def filter_of(text: str | None, *, compares: bool = False) -> Filter:
    """Return the filter of a text, as in the window; raises CommandError if it is invalid.

    Terms about changes are invalid unless it `compares`.
    """
    try:
        return parse_filter(text, compares=compares) if text else NO_FILTER
    except FilterError as error:
        raise CommandError(USAGE_ERROR, f"--filter {error}") from error


def parts_of(text: str | None, count: int) -> tuple[PartId, ...] | None:
    """Return the part ids of a text such as `1,3-5`; None if there is no text."""
    if text is None:
        return None
    parts: set[PartId] = set()
    for word in text.split(","):
        match = _RANGE.fullmatch(word.strip())
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, 0)
        if not 1 <= first <= last <= count:
            existing = "there is only part 1" if count == 1 else f"there are parts 1 to {count}"
            hint = "" if match and first <= last else "; write them as 1,3 or 2-5"
            raise CommandError(USAGE_ERROR, f"--parts {text}: {existing}{hint}.")
        parts.update(map(PartId, range(first - 1, last)))
    return tuple(sorted(parts))
