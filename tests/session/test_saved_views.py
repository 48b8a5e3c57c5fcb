"""Saved views of the open profile: found by names, shown as one step of the history."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication
from pytestqt.qtbot import QtBot

from qcachegrind_py.analysis.filters.expression import parse_filter
from qcachegrind_py.analysis.names.groups import Grouping
from qcachegrind_py.formats.saved_views import SavedFunction, SavedParts, SavedView
from qcachegrind_py.session.navigation import Navigation, ViewSwitch
from qcachegrind_py.session.saved_views import (
    FoundView,
    enter_view,
    find_saved_function,
    find_view,
    present_view,
)
from qcachegrind_py.session.session import Session
from tests.session.test_session_changes import TWO_CYCLES, WAYS, named, number, queries_of

Draw = Callable[..., Path]
OpenProfile = Callable[..., None]
BEFORE = SavedView("before")
SAME_NAMES = """\
events: Ir
ob=/old/bin/demo
fl=/src/a.c
fn=parse
1 5
ob=/old/lib/libx.so
fl=/src/b.c
fn=parse
2 7
fl=/src/c.c
fn=parse
3 9
"""
OTHER_RUN = """
    events: Bc Ir Dr
    x 1,1,1 -> main 1x9,9,9
    main 1,1,1 -> c 1x7,7,7
    c 7,7,7
    """


def shown_view(session: Session, view: SavedView, qtbot: QtBot) -> tuple[str, ...]:
    """What the profile lacks of a view, when it is shown."""
    found: list[FoundView] = []
    enter_view(session, view, ViewSwitch(BEFORE, view), found.append)
    qtbot.waitUntil(lambda: bool(found))
    settled(session, qtbot)
    return found[0].missing


def settled(session: Session, qtbot: QtBot) -> None:
    """Wait for the jobs of the session, and deliver what they announced."""
    qtbot.waitUntil(lambda: session.jobs.is_idle)
    QCoreApplication.processEvents()


def _identity(session: Session, name: str) -> tuple[str, str, str]:
    return queries_of(session).names.identity(number(session, name))


def shown(session: Session) -> tuple[str, str, str]:
    """The active function and both events."""
    context = session.navigation.context
    names = named(session, (context.function,), context.scope)
    events = [event.name if event else "" for event in (context.event, context.second_event)]
    return names[0], events[0], events[1]


def test_view_is_what_is_shown(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile, qtbot: QtBot
) -> None:
    """Saved by names, and the same again in another run in which all numbers differ."""
    open_profile(draw(WAYS, "first"))
    events = queries_of(session).events
    navigation.set(event=events.find("Dr"), second_event=events.find("Ir"))
    navigation.select_function(number(session, "c"))
    session.set_grouping(Grouping.OBJECT)
    view = present_view(session, "c in Dr")
    assert view == SavedView(
        "c in Dr",
        function=SavedFunction(*queries_of(session).names.identity(number(session, "c"))),
        event="Dr",
        second_event="Ir",
        grouping=Grouping.OBJECT,
        unit="percent",
        cycles=True,
    )

    open_profile(
        draw(
            "events: Bc Ir Dr\nx 1,1,1 -> main 1x9,9,9\n"
            + WAYS.split("Dr", 1)[1].replace(",", ",0,"),
            "other",
        )
    )
    assert shown_view(session, view, qtbot) == ()
    settled(session, qtbot)
    assert shown(session) == ("c", "Dr", "Ir")
    assert navigation.context.grouping is Grouping.OBJECT


@pytest.mark.parametrize(
    ("file", "object_", "found"),
    [
        ("/src/b.c", "/old/lib/libx.so", ("/src/b.c", "/old/lib/libx.so")),
        ("/home/me/c.c", "/new/lib/libx.so", ("/src/c.c", "/old/lib/libx.so")),
        ("/home/me/x.c", "/new/bin/demo", ("/src/a.c", "/old/bin/demo")),
        ("/home/me/x.c", "/new/bin/demo2", ("/src/a.c", "/old/bin/demo")),
        ("/src/c.c", "/new/bin/demo2", ("/src/c.c", "/old/lib/libx.so")),
    ],
)
def test_function_of_another_machine(
    session: Session, tmp_path: Path, open_profile: OpenProfile, file: str, object_: str,
    found: tuple[str, str],
) -> None:  # fmt: skip
    """The exact one, or that of an object, then of a file, of the same name in another folder."""
    path = tmp_path / "callgrind.out.1"
    path.write_text(SAME_NAMES)
    open_profile(path)
    function = find_saved_function(queries_of(session), SavedFunction("parse", file, object_))
    assert queries_of(session).names.identity(function) == ("parse", *found)


def test_what_the_profile_lacks_is_said(
    session: Session, tmp_path: Path, open_profile: OpenProfile, qtbot: QtBot
) -> None:
    """The rest of the view is shown."""
    path = tmp_path / "callgrind.out.1"
    path.write_text(SAME_NAMES)
    open_profile(path)
    before = shown(session)
    view = SavedView(
        "x", "", SavedFunction("lex", "", ""), "Dr", "CEst", grouping=Grouping.FILE,
        parts=SavedParts((0, 2), 4),
    )  # fmt: skip
    assert shown_view(session, view, qtbot) == (
        "The function “lex” is not in this profile.",
        "The event Dr is not in this profile.",
        "The event CEst is not in this profile.",
        "The view was saved with 2 of 4 parts, and this profile has 1.",
    )
    settled(session, qtbot)
    assert (shown(session), session.requested_grouping) == (before, Grouping.FILE)
    moved = SavedView("x", "", SavedFunction("parse", "/src/a.c", "/usr/lib/liby.so"))
    found = find_view(moved, session)
    assert found is not None
    assert found.missing == ("“parse” was saved in liby.so, and is in demo here.",)


def test_view_of_a_cycle_waits_for_its_scope(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile, qtbot: QtBot
) -> None:
    """A cycle is a node only in a scope with cycles, whose costs are computed first."""
    open_profile(draw(TWO_CYCLES))
    cycle = queries_of(session).cycle_of(number(session, "a"), navigation.context.scope)
    navigation.select_function(cycle)
    view = present_view(session, "cycle")
    session.set_scope(replace(session.requested_scope, cycles=False))
    settled(session, qtbot)
    navigation.select_function(number(session, "main"))

    session.set_scope(replace(session.requested_scope, cycles=True))  # as the setting does
    shown_view(session, view, qtbot)
    assert navigation.context.function == cycle


def test_parts_of_a_view(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile, qtbot: QtBot
) -> None:
    """The active ones; hidden ones are shown if the view needs them."""
    draw("main 1", "callgrind.out.7.1")
    draw("main 2", "callgrind.out.7.2")
    open_profile(draw("main 4", "callgrind.out.7"))
    session.choose_parts(lambda choice, count: choice.choosing([0, 2], count))  # type: ignore[list-item]  # ids
    settled(session, qtbot)
    view = present_view(session, "two parts")
    assert view.parts == SavedParts((0, 2), 3)
    session.choose_parts(lambda choice, count: choice.hiding([0], count))  # type: ignore[list-item]  # ids
    settled(session, qtbot)

    shown_view(session, view, qtbot)
    assert (navigation.context.scope.parts, navigation.context.hidden_parts) == ({0, 2}, set())
    shown_view(session, SavedView("all"), qtbot)
    assert navigation.context.scope.parts is None


def test_a_view_is_one_step_of_the_history(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile, qtbot: QtBot
) -> None:
    """Going back over it asks for what was shown before, and going forward for the view again."""
    open_profile(draw(WAYS))
    restored: list[SavedView] = []
    navigation.view_restored.connect(restored.append)
    start = navigation.context.function
    identity = queries_of(session).names.identity(number(session, "d"))
    view = SavedView("d", function=SavedFunction(*identity))
    shown_view(session, view, qtbot)
    navigation.select_function(number(session, "e"))
    assert named(session, navigation.back_history) == ["d", named(session, (start,))[0]]

    navigation.go_back()
    assert (restored, shown(session)[0]) == ([], "d")
    navigation.go_back()
    assert (restored, navigation.context.function) == ([BEFORE], start)
    navigation.go_forward(2)
    assert (restored, shown(session)[0]) == ([BEFORE, view], "e")


def test_view_of_the_active_function_is_a_step_too(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile, qtbot: QtBot
) -> None:
    """It may have another event; reloading the profile keeps the step."""
    path = draw(WAYS)
    open_profile(path)
    restored: list[SavedView] = []
    navigation.view_restored.connect(restored.append)
    shown_view(session, SavedView("Dr", event="Dr"), qtbot)
    open_profile(path)
    assert navigation.back_history == (navigation.context.function,)
    navigation.go_back()
    assert (restored, navigation.back_history) == ([BEFORE], ())


def test_view_with_folds_has_functions_of_the_folded_profile(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile, qtbot: QtBot
) -> None:
    """A function that the filter of before folds is found, and one that the view folds comes back.

    What is folded is not in the history; the view before names it.
    """
    open_profile(draw(WAYS))
    start = present_view(session, "start")
    leaf = _identity(session, "d")
    navigation.select_function(number(session, "d"))
    before = replace(present_view(session, "before"), filter="")
    restored: list[SavedView] = []

    def show(view: SavedView) -> None:
        restored.append(view)
        session.set_filter(parse_filter(view.filter))
        enter_view(session, view)

    navigation.view_restored.connect(show)
    session.set_filter(parse_filter("fold:name:=d"))
    view = replace(start, name="folded", filter="fold:name:=d")
    enter_view(session, view, ViewSwitch(before, view))
    settled(session, qtbot)
    assert shown(session)[0] == "main"
    lost = SavedView("x", function=SavedFunction(*leaf))
    assert shown_view(session, lost, qtbot) == (
        "The filter charges the function “d” to its callers.",
    )
    navigation.go_back()
    settled(session, qtbot)
    restored.clear()

    navigation.go_back()
    settled(session, qtbot)
    assert (restored, shown(session)[0]) == ([before], "d")
    navigation.go_forward()
    settled(session, qtbot)
    assert (restored, shown(session)[0]) == ([before, view], "main")


def test_step_to_a_folded_function_stays(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile, qtbot: QtBot
) -> None:
    """The view of before brings it back by name; other steps to folded functions are left out."""
    open_profile(draw(WAYS))
    navigation.select_function(number(session, "d"))
    before = replace(present_view(session, "before"), filter="")
    navigation.select_function(number(session, "e"))
    navigation.select_function(number(session, "d"))
    view = SavedView("c", function=SavedFunction(*_identity(session, "c")))
    enter_view(session, view, ViewSwitch(before, view))
    restored: list[SavedView] = []
    navigation.view_restored.connect(restored.append)
    session.set_filter(parse_filter("fold:name:=d"))
    settled(session, qtbot)
    assert named(session, navigation.back_history) == ["c", "e", "main"]
    navigation.go_back()
    assert restored == [before]


def test_view_is_dropped_if_another_filter_is_wanted(
    session: Session, navigation: Navigation, draw: Draw, open_profile: OpenProfile, qtbot: QtBot
) -> None:
    """The user goes on typing while a profile is folded: what was awaited no longer comes."""
    open_profile(draw(WAYS))
    found: list[FoundView] = []
    session.set_filter(parse_filter("fold:name:=d"))
    enter_view(session, SavedView("x"), None, found.append)
    session.set_filter(parse_filter("fold:name:=e"))
    settled(session, qtbot)
    assert found == []
