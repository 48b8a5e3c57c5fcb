"""Questions to drawn profiles, and answers by name: a function's, or that of a cycle."""

from __future__ import annotations

from collections.abc import Iterable

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.queries import Questions
from qcachegrind_py.profile.events import Definition, EventType
from tests.profile_rows import profile_of
from tests.profile_text import profile_text

CYCLES = Scope()
NO_CYCLES = Scope(cycles=False)


def ask(drawing: str, *definitions: Definition) -> Questions:
    """The questions to the profile that is drawn, with these events of the user's."""
    questions = Questions(profile_of(profile_text(drawing)))
    questions.define_events(definitions)
    return questions


def event_of(questions: Questions, name: str) -> EventType:
    event = questions.events.find(name)
    assert event is not None
    return event


def entry_names(questions: Questions, scope: Scope) -> list[str]:
    """The names of all functions, and `<1>`, `<2>` for the cycles behind them."""
    names = [questions.profile.function_name(f) for f in range(questions.functions)]
    cycles = len(questions.costs(scope).cycle) - questions.functions
    return names + [f"<{number}>" for number in range(1, cycles + 1)]


def entry(questions: Questions, name: str, scope: Scope = CYCLES) -> int:
    return entry_names(questions, scope).index(name)


def named(questions: Questions, entries: Iterable[int], scope: Scope = CYCLES) -> list[str]:
    names = entry_names(questions, scope)
    return [names[number] for number in entries]
