"""Validation of user-defined events, at the time of definition.

Once defined, events are applied silently: `EventTypes.with_user_events` adds those that fit a
profile and ignores the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from qcachegrind_py.profile.errors import EventNameError, FormulaError
from qcachegrind_py.profile.events import (
    BUILT_IN_FORMULAS,
    LONG_NAMES,
    EventType,
    EventTypes,
    UserEvent,
)
from qcachegrind_py.profile.formulas import parse_ratio

_INVALID_IN_NAME = re.compile(r"[\s+*/-]")
_MAX_SUGGESTIONS = 3


def check_user_event(
    user_event: UserEvent, events: EventTypes, others: Iterable[UserEvent]
) -> None:
    """Raise `FormulaError`, with the first mistake and its remedy, if the event is invalid.

    `events` are those of the open profile, with or without the user's own; `others` are the user's
    other definitions. Formulas may use all of these names and those of Valgrind's tools, since a
    definition made for one profile can be edited while another is open. Without an open profile,
    every name is allowed.
    """
    others = tuple(others)
    _check_name(user_event, events, {other.name for other in others})
    formula, divisor = parse_ratio(user_event.formula)
    named = tuple(dict.fromkeys(name for _, name in formula + divisor))
    text = user_event.formula.strip()
    derived = _known_derived(user_event, events, others)
    if user_event.name in named:
        raise FormulaError(text, f"names {user_event.name} itself: leave it out.")
    _check_known(text, named, {*events.names, *derived, *LONG_NAMES}, events)
    for name in named:
        if name in derived and derived[name].is_ratio:
            reason = f"adds up {name}, which is a ratio: write a sum of events in its place."
            raise FormulaError(text, reason)
    if path := _cycle_path(user_event.name, named, derived):
        reason = f"refers to itself: {' → '.join((user_event.name, *path))}. Leave {path[0]} out."
        raise FormulaError(text, reason)


def _check_name(definition: UserEvent, events: EventTypes, taken: set[str]) -> None:
    name = definition.name
    reason = _name_problem(name)
    if not reason and name in events.names:
        reason = "is that of a measured event: write another."
    elif not reason and name in taken:
        reason = "is that of another definition: write another, or change that definition."
    if reason:
        raise EventNameError(name, definition.formula, reason)


def _name_problem(name: str) -> str:
    """Return why formulas cannot use the name, with a remedy; empty if they can."""
    if not name.strip():
        return "is empty: write one by which formulas can name the event, such as MissRate."
    if match := _INVALID_IN_NAME.search(name):
        what = "a blank" if match[0].isspace() else f"the sign {match[0]}"
        better = re.sub(r"_+", "_", _INVALID_IN_NAME.sub("_", name)).strip("_")
        remedy = f"write {better}" if better else "write letters, digits and _"
        return f"has {what} in it, where formulas take a name to end: {remedy}."
    if not name.isprintable():
        return "has a character that cannot be seen: write letters, digits and _."
    if name[0].isdecimal():
        return "begins with a digit, which formulas take for a number: put a letter before it."
    return ""


def _known_derived(
    definition: UserEvent, events: EventTypes, others: Iterable[UserEvent]
) -> dict[str, EventType]:
    """Return the derived events that formulas may use: built-in, the profile's and the user's."""
    derived = {name: _parse_event(name, text) for name, (_, text) in BUILT_IN_FORMULAS.items()}
    derived |= {event.name: event for event in events.derived}
    for other in others:
        try:
            derived[other.name] = _parse_event(other.name, other.formula)
        except FormulaError:  # it may be older than the present rules
            continue
    taken = {*events.names, definition.name}
    return {name: event for name, event in derived.items() if name not in taken}


def _parse_event(name: str, text: str) -> EventType:
    formula, divisor = parse_ratio(text)
    return EventType(name, "", formula, divisor)


def _check_known(text: str, named: Iterable[str], known: set[str], events: EventTypes) -> None:
    unknown = [name for name in named if name not in known]
    if any(name.startswith("(") for name in unknown):
        reason = "has parentheses: leave them out, as all left of a slash is divided by all right"
        raise FormulaError(text, f"{reason} of it, and a factor is for one event.")
    if not unknown or not events.measured:
        return
    remedies = [_remedy(name, known) for name in unknown]
    examples = _join_words(events.names[:_MAX_SUGGESTIONS], "or")
    remedy = f"write {_join_words([r for r in remedies if r] or [examples], 'and')}."
    what = "which is not an event" if len(unknown) == 1 else "which are not events"
    raise FormulaError(text, f"names {_join_words(unknown, 'and')}, {what}: {remedy}")


def _remedy(name: str, known: set[str]) -> str:
    """Return the name that was probably meant; empty if none is similar."""
    terms = name.split("-")
    if len(terms) > 1 and known.issuperset(terms):
        return f"{' - '.join(terms)} with blanks"  # without blanks, a minus is part of a name
    same = [other for other in sorted(known) if other.lower() == name.lower()]
    return next(iter(same or get_close_matches(name, sorted(known), 1)), "")


def _join_words(words: Iterable[str], last: str) -> str:
    """Join words as in a sentence: a, b and c."""
    *before, end = words
    return f"{', '.join(before)} {last} {end}" if before else end


def _cycle_path(
    name: str, named: Iterable[str], derived: Mapping[str, EventType]
) -> tuple[str, ...]:
    """Return the chain of events from one in `named` back to `name`; empty if there is none."""
    paths: list[tuple[str, ...]] = [(first,) for first in named if first in derived]
    seen = {path[0] for path in paths}
    for path in paths:  # breadth-first: the list grows during the loop
        event = derived[path[-1]]
        for _, term in event.formula + event.divisor:
            if term == name:
                return (*path, name)
            if term in derived and term not in seen:
                seen.add(term)
                paths.append((*path, term))
    return ()
