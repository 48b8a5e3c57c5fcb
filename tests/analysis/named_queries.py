"""Questions to drawn profiles, and answers by name: a function's, or that of a cycle."""

from __future__ import annotations

from collections.abc import Iterable

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.events import EventType, UserEvent
from tests.profile_rows import profile_from
from tests.profile_text import profile_text

CYCLES = Scope()
NO_CYCLES = Scope(cycles=False)


def queries_from(drawing: str, *definitions: UserEvent) -> ProfileQueries:
    """The questions to the profile that is drawn, with these events of the user's."""
    queries = ProfileQueries(profile_from(profile_text(drawing)))
    queries.set_user_events(definitions)
    return queries


def event_named(queries: ProfileQueries, name: str) -> EventType:
    event = queries.events.find(name)
    assert event is not None
    return event


def node_names(queries: ProfileQueries, scope: Scope) -> list[str]:
    """The names of all functions, and `<1>`, `<2>` for the cycles behind them."""
    names = [queries.profile.function_name(f) for f in range(queries.function_count)]
    cycles = len(queries.costs(scope).cycle) - queries.function_count
    return names + [f"<{number}>" for number in range(1, cycles + 1)]


def node_id(queries: ProfileQueries, name: str, scope: Scope = CYCLES) -> int:
    return node_names(queries, scope).index(name)


def names_of(queries: ProfileQueries, entries: Iterable[int], scope: Scope = CYCLES) -> list[str]:
    names = node_names(queries, scope)
    return [names[number] for number in entries]
