"""Queries of small profiles, with results by the names of functions and cycles."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import strategies as st

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.events import EventType, UserEvent
from tests.profile_rows import profile_from
from tests.profile_text import profile_text

CYCLES = Scope()
NO_CYCLES = Scope(cycles=False)


def queries_from(text: str, *definitions: UserEvent) -> ProfileQueries:
    """The queries of a profile given as text, with these user events."""
    queries = ProfileQueries(profile_from(profile_text(text)))
    queries.set_user_events(definitions)
    return queries


def event_named(queries: ProfileQueries, name: str) -> EventType:
    event = queries.events.find(name)
    assert event is not None
    return event


def node_names(queries: ProfileQueries, scope: Scope) -> list[str]:
    """The names of all functions, followed by `<1>`, `<2>` for the cycles."""
    names = [queries.profile.function_name(f) for f in range(queries.function_count)]
    cycles = len(queries.costs(scope).cycle) - queries.function_count
    return names + [f"<{number}>" for number in range(1, cycles + 1)]


def node_id(queries: ProfileQueries, name: str, scope: Scope = CYCLES) -> int:
    return node_names(queries, scope).index(name)


def names_of(queries: ProfileQueries, nodes: Iterable[int], scope: Scope = CYCLES) -> list[str]:
    names = node_names(queries, scope)
    return [names[number] for number in nodes]


@st.composite
def contradictory_programs(draw: st.DrawFn, most: int) -> str:
    """A drawing of up to `most` functions, whose calls cost whatever they like."""
    names = [f"f{number}" for number in range(draw(st.integers(1, most)))]
    cost, rows = st.integers(0, 50), []
    for name in names:
        callees = draw(st.lists(st.sampled_from(names), unique=True, max_size=3))
        calls = ", ".join(f"{callee} {draw(st.integers(0, 2))}x{draw(cost)}" for callee in callees)
        rows.append(f"{name} {draw(cost)}" + (f" -> {calls}" if calls else ""))
    return "\n".join(rows)
