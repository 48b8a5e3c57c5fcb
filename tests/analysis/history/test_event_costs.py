"""Costs of the window's event over the revisions, and functions of a history in a profile."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from qcachegrind_py.analysis.history import (
    EventCosts,
    History,
    Revision,
    courses,
    event_costs,
    nodes_of_functions,
    read_history,
)
from qcachegrind_py.profile.events import EventType, UserEvent
from qcachegrind_py.profile.ids import NO_NODE
from qcachegrind_py.profile.progress import NoProgress
from tests.profile_rows import profile_from
from tests.profile_text import profile_text


def history_of(*drawings: str) -> History:
    """A history of profiles given as text."""
    profiles = {
        str(n): profile_from(profile_text(text).encode()) for n, text in enumerate(drawings)
    }
    revisions = [Revision(f"r{name}", name) for name in profiles]
    return read_history(revisions, lambda file, _progress: profiles[file])


def costs_of(history: History, drawing: str, event: str) -> EventCosts | None:
    """The costs of an event that a profile given as text has, by the events of that profile."""
    profile = profile_from(profile_text(drawing).encode())
    user = UserEvent("Both", "", "Ir + 2 Dr"), UserEvent("Rate", "", "Dr / Ir")
    events = profile.events.with_user_events(user)
    found = events.find(event)
    assert found is not None
    return event_costs(NoProgress(), history, events, found)


def test_costs_of_a_measured_event() -> None:
    """Inclusive and self costs of functions, and the total, in each revision."""
    main = "events: Ir Dr\nmain 1,10 -> f 1x2,20\nf 2,20"
    costs = costs_of(history_of(main, main.replace("2,20", "5,50")), main, "Dr")

    assert costs is not None
    assert costs.inclusive.values.tolist() == [[30, 60], [20, 50]]
    assert costs.self_cost.values.tolist() == [[10, 10], [20, 50]]
    assert costs.total.values.tolist() == [[30, 60]]


def test_costs_of_an_event_that_the_user_defined() -> None:
    """A formula of the window applies to all revisions; a ratio is no sum and has no history."""
    history = history_of("events: Ir Dr\nmain 1,10", "events: Dr Ir\nmain 20,2")
    both = costs_of(history, "events: Ir Dr\nmain 1,10", "Both")

    assert both is not None
    assert both.total.values.tolist() == [[21, 42]]
    assert costs_of(history, "events: Ir Dr\nmain 1,10", "Rate") is None


def test_a_formula_replaces_one_of_the_same_name() -> None:
    """Costs follow the present definition of an event, not an earlier one."""
    history = history_of("events: Ir Dr\nmain 1,10")
    totals = []
    for factor in (1, 3):
        events = profile_from(profile_text("events: Ir Dr\nmain 1,10").encode()).events
        event = EventType("Own", "", ((Fraction(factor), "Dr"),))
        costs = event_costs(NoProgress(), history, events, event)
        totals.append(None if costs is None else costs.total.values.tolist())

    assert totals == [[[10]], [[30]]]


def test_an_event_that_a_revision_lacks_has_no_costs() -> None:
    """0 would be wrong where nothing was counted."""
    history = history_of("main 1", "events: Ir Dr\nmain 1,10")

    assert costs_of(history, "events: Ir Dr\nmain 1,10", "Dr") is None
    assert costs_of(history, "events: Ir Dr\nmain 1,10", "Both") is None


def test_steps_of_each_function() -> None:
    """Each function has its own steps, with the levels around them, and its largest one."""
    low, high = [10, 11, 10, 11, 10], [90, 91, 90, 91, 90]
    values = np.array([low + low, low + high, high + low], np.int64)
    found = courses(values)

    steps = [[part.tolist() for part in found.steps_of(row)] for row in range(3)]
    assert steps == [[[], [], []], [[5], [10], [90]], [[5], [90], [10]]]
    assert found.trends.step_revision.tolist() == [-1, 5, 5]


def test_functions_of_the_history_are_found_in_the_profile() -> None:
    """By name, file and object, or by a name that is the only one on both sides."""
    functions = (
        ("f", "a.c", "prog"),
        ("moved", "old.c", "prog"),
        ("twice", "other.c", "prog"),
        ("gone", "a.c", "prog"),
        ("twice", "a.c", "prog"),
    )
    text = "main@a.c@prog 1\nf@a.c@prog 1\nmoved@new.c@prog 1\ntwice@a.c@prog 1"
    profile = profile_from(profile_text(text).encode())
    nodes = nodes_of_functions(NoProgress(), functions, profile)

    assert nodes.tolist() == [1, 2, NO_NODE, NO_NODE, 3]
