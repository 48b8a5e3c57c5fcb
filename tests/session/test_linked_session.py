"""A linked session has its own active function; all else is as in the session it is linked to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.names.function_names import Grouping
from qcachegrind_py.present.context import Change, Context, CostUnit
from qcachegrind_py.profile.ids import NO_NODE
from qcachegrind_py.session.linked_session import LinkedSession
from tests.session.conftest import User

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


@pytest.fixture
def other(user: User) -> Iterator[User]:
    """The user of a session that is linked to one with an open profile."""
    user.open(PROFILE)
    second = LinkedSession(user.session, user.session)
    yield User(second, user.qtbot, user.folder)
    second.setParent(None)
    second.deleteLater()


def test_it_begins_where_the_first_session_is(user: User, other: User) -> None:
    """The active function, its path and all settings are those of the first session."""
    assert other.context == replace(user.context, profile=other.context.profile)
    assert other.queries is user.queries


def test_functions_are_its_own(user: User, other: User) -> None:
    """Going to a function in one session leaves function, history and selection of the other."""
    main = user.number("main")
    user.go("f")
    other.go("g")
    other.navigation.set(selected=main)
    user.turn()

    assert (user.active, other.active) == ("f", "g")
    assert (user.navigation.back_history, other.navigation.back_history) == ((main,), (main,))
    assert (user.context.selected, other.context.selected) == (NO_NODE, main)


def test_it_follows_the_selection(user: User, other: User) -> None:
    """A function selected in the first session becomes active, unless that is switched off."""
    assert isinstance(other.session, LinkedSession)
    seen = []
    for follows, name in ((True, "g"), (False, "f")):
        other.session.follows = follows
        user.navigation.set(selected=user.number(name))
        user.turn()
        seen.append((other.active, user.active))

    assert seen == [("g", "main"), ("g", "main")]


def test_settings_are_shared(user: User, other: User) -> None:
    """An event, unit or grouping chosen in either session holds in both, announced once each."""
    seen: list[tuple[Context, Change]] = []
    other.navigation.changed.connect(lambda *change: seen.append(change))
    event = user.event("Dr")
    other.navigation.set(event=event, unit=CostUnit.ABSOLUTE)
    user.turn()
    other.session.set_grouping(Grouping.FILE)
    user.settle()

    contexts = user.context, other.context
    expected = (event, CostUnit.ABSOLUTE, Grouping.FILE)
    assert [(c.event, c.unit, c.grouping) for c in contexts] == [expected] * 2
    changes = [Change.EVENT | Change.UNIT, Change.GROUPING | Change.COLORS]
    assert [change for _, change in seen] == changes


def test_a_change_here_keeps_what_was_just_changed_there(user: User, other: User) -> None:
    """The first session's change has not been announced yet when the second one is used."""
    user.navigation.set(unit=CostUnit.ABSOLUTE)
    other.navigation.set(scope=Scope(cycles=False), function=user.number("g"))
    user.turn()

    for each in (user, other):
        assert (each.context.unit, each.context.scope.cycles) == (CostUnit.ABSOLUTE, False)
    assert (user.active, other.active) == ("main", "g")


def test_another_run_keeps_the_function(user: User, other: User) -> None:
    """Function and history are found by name in another run of the program."""
    other.go("g")
    user.open(OTHER_RUN)

    assert (user.active, other.active) == ("main", "g")
    assert other.queries is user.queries
    assert other.navigation.back_history == (user.number("main"),)


def test_jobs_of_both_run_at_the_same_time(user: User, other: User) -> None:
    """Equal slots of the two sessions do not cancel each other, and all jobs stop together."""
    first, second = (each.session.jobs.start("graph", lambda _: None) for each in (user, other))

    running = first.is_running, second.is_running
    other.session.jobs.cancel("graph")
    assert running == (True, True)
    assert (first.is_running, second.is_running) == (True, False)
    assert user.session.jobs.is_running("graph")
    assert not other.session.jobs.is_running("graph")
    user.session.jobs.stop()
    assert other.session.jobs.is_idle
