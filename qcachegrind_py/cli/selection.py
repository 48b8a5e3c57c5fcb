"""Options that choose what a report is about: events, order, parts, filter and threshold."""

from __future__ import annotations

import argparse
import re

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.filters.expression import NO_FILTER, Filter, parse_filter
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.cli.errors import USAGE_ERROR, CommandError
from qcachegrind_py.profile.errors import FilterError
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import PartId
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.string_table import StringTable
from qcachegrind_py.reports.selection import Order, ReportSelection, SortKey

_RANGE = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")
_SORT_KEYS: tuple[SortKey, ...] = ("inclusive", "self", "called", "name")


def report_selection(
    profile: Profile, options: argparse.Namespace, texts: StringTable | None = None
) -> ReportSelection:
    """Return what the report is about; raises CommandError if the profile lacks some of it.

    `texts` are the names that the filter searches, by default the demangled ones.
    """
    filter_ = filter_of(options.filter)
    if filter_ and texts is None:
        from qcachegrind_py.tools.demangler import demangle_names  # slow, and used by filters only

        texts = demangle_names(profile.texts)
    parts = parts_of(options.parts, len(profile.parts))
    scope = Scope(None if parts is None else frozenset(parts), cycles=not options.no_cycles)
    selection = ReportSelection(
        ProfileQueries(profile, texts),
        events_of(profile, options),
        scope,
        order_of(profile, options.sort),
        filter_,
        options.threshold,
        options.limit,
        options.percent,
    )
    if selection.visible is not None and not selection.visible.any():
        raise CommandError(USAGE_ERROR, f"--filter {options.filter}: no function passes it.")
    return selection


def events_of(profile: Profile, options: argparse.Namespace) -> tuple[EventType, ...]:
    """Return the events to show, by default the first; none if the profile has none."""
    if options.events:
        names = dict.fromkeys(map(str.strip, options.events.split(",")))
        return tuple(find_event(profile, name) for name in names)
    if options.event:
        return (find_event(profile, options.event),)
    return profile.events.all[:1]


def find_event(profile: Profile, name: str) -> EventType:
    """Return the event of that name; raises CommandError if there is none."""
    event = profile.events.find(name)
    if event is None:
        names = ", ".join(event.name for event in profile.events.all)
        reason = f"there are: {names}." if names else "the profile has none."
        raise CommandError(USAGE_ERROR, f"There is no event {name}; {reason}")
    return event


def order_of(profile: Profile, text: str | None) -> Order:
    """Return the order of a text such as `self`, `Dw` or `Dw:inclusive`."""
    for key in _SORT_KEYS:
        if text in (key, None):
            return Order(key)
    name, _, suffix = (text or "").rpartition(":")
    if name and suffix == "inclusive":
        return Order("inclusive", find_event(profile, name))
    if name and suffix == "self":
        return Order("self", find_event(profile, name))
    return Order("self", find_event(profile, text or ""))


def filter_of(text: str | None) -> Filter:
    """Return the filter of a text, as in the window; raises CommandError if it is invalid."""
    try:
        return parse_filter(text) if text else NO_FILTER
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
