"""A linked session has its own active function; all else is as in the session it is linked to."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from qcachegrind_py.analysis.names.groups import Grouping
from qcachegrind_py.present.context import Change, Context, CostUnit
from qcachegrind_py.profile.ids import NO_NODE
from qcachegrind_py.session.linked_session import LinkedSession
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from tests.user_input import active_name, function_id, go_to, process_events

PROFILE = """
    events: Ir Dr
    main 5,3 -> f 1x9,9
    f 4,6 -> g 2x5,3
    g 5,3
    """
OTHER_RUN = """
    events: Ir Dr
    main 1,1 -> g 2x5,3
    g 5,3 -> f 1x9,9
    f 9,9
    """
Draw = Callable[..., Path]
OpenProfile = Callable[..., None]


@pytest.fixture
def linked(session: Session, draw: Draw, open_profile: OpenProfile) -> Iterator[LinkedSession]:
    """A session that is linked to one with an open profile."""
    open_profile(draw(PROFILE))
    second = LinkedSession(session, session)
    yield second
    second.setParent(None)
    second.deleteLater()


def active(session: Session) -> str:
    return active_name(session, session.navigation)


def test_it_begins_where_the_first_session_is(session: Session, linked: LinkedSession) -> None:
    """The active function, its path and all settings are those of the first session."""
    first, second = session.navigation.context, linked.navigation.context
    assert second == replace(first, profile=second.profile)
    assert linked.queries is session.queries


def test_functions_are_its_own(
    session: Session, navigation: Navigation, linked: LinkedSession
) -> None:
    """Going to a function in one session leaves function, history and selection of the other."""
    go_to(session, navigation, "f")
    go_to(linked, linked.navigation, "g")
    linked.navigation.set(selected=function_id(session, "main"))
    process_events()

    main = function_id(session, "main")
    assert (active(session), active(linked)) == ("f", "g")
    assert (navigation.back_history, linked.navigation.back_history) == ((main,), (main,))
    assert (navigation.context.selected, linked.navigation.context.selected) == (NO_NODE, main)


def test_it_follows_the_selection(
    session: Session, navigation: Navigation, linked: LinkedSession
) -> None:
    """A function selected in the first session becomes active, unless that is switched off."""
    navigation.set(selected=function_id(session, "g"))
    process_events()
    followed = active(linked)
    linked.follows = False
    navigation.set(selected=function_id(session, "f"))
    process_events()

    assert (followed, active(linked), active(session)) == ("g", "g", "main")


def test_settings_are_shared(
    session: Session, navigation: Navigation, linked: LinkedSession, qtbot: QtBot
) -> None:
    """An event, unit or grouping chosen in either session holds in both, announced once each."""
    seen: list[tuple[Context, Change]] = []
    linked.navigation.changed.connect(lambda *change: seen.append(change))
    events = navigation.context.events.all
    linked.navigation.set(event=events[1], unit=CostUnit.ABSOLUTE)
    process_events()
    linked.set_grouping(Grouping.FILE)
    qtbot.waitUntil(lambda: linked.navigation.context.grouping is Grouping.FILE)

    contexts = navigation.context, linked.navigation.context
    assert [(c.event, c.unit, c.grouping) for c in contexts] == [
        (events[1], CostUnit.ABSOLUTE, Grouping.FILE)
    ] * 2
    assert [change for _, change in seen] == [
        Change.EVENT | Change.UNIT,
        Change.GROUPING | Change.COLORS,
    ]


def test_another_run_keeps_the_function(
    session: Session, linked: LinkedSession, draw: Draw, open_profile: OpenProfile
) -> None:
    """Function and history are found by name in another run of the program."""
    go_to(linked, linked.navigation, "g")
    open_profile(draw(OTHER_RUN))

    main = function_id(session, "main")
    assert (active(session), active(linked)) == ("main", "g")
    assert linked.queries is session.queries
    assert linked.navigation.back_history == (main,)


def test_jobs_of_both_run_at_the_same_time(session: Session, linked: LinkedSession) -> None:
    """Equal slots of the two sessions do not cancel each other, and all jobs stop together."""
    first = session.jobs.start("graph", lambda progress: None)
    second = linked.jobs.start("graph", lambda progress: None)

    running = first.is_running, second.is_running
    linked.jobs.cancel("graph")
    assert running == (True, True)
    assert (first.is_running, second.is_running) == (True, False)
    assert session.jobs.is_running("graph")
    assert not linked.jobs.is_running("graph")
    session.jobs.stop()
    assert linked.jobs.is_idle
