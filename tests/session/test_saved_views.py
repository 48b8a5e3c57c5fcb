"""Saved views of the open profile: found by names, shown as one step of the history."""

from dataclasses import replace

import pytest

from qcachegrind_py.analysis.filters.expression import parse_filter
from qcachegrind_py.analysis.names.function_names import Grouping
from qcachegrind_py.formats.saved_views import SavedFunction, SavedParts, SavedView
from qcachegrind_py.session.navigation import ViewSwitch
from qcachegrind_py.session.saved_views import (
    FoundView,
    enter_view,
    find_saved_function,
    find_view,
    present_view,
)
from tests.session.conftest import User
from tests.session.test_session_changes import TWO_CYCLES, WAYS

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


def shown_view(user: User, view: SavedView) -> tuple[str, ...]:
    """What the profile lacks of a view, when it is shown."""
    found: list[FoundView] = []
    enter_view(user.session, view, ViewSwitch(BEFORE, view), found.append)
    user.qtbot.waitUntil(lambda: bool(found))
    user.settle()
    return found[0].missing


def saved(user: User, name: str) -> SavedFunction:
    """The function of this name, as views have it."""
    return SavedFunction(*user.queries.names.identity(user.number(name)))


def shown(user: User) -> tuple[str, str, str]:
    """The active function and both events."""
    events = [each.name if each else "" for each in (user.context.event, user.context.second_event)]
    return user.active, events[0], events[1]


def restored(user: User) -> list[SavedView]:
    """The views to show again after steps in the history, from now on."""
    views: list[SavedView] = []
    user.navigation.view_restored.connect(views.append)
    return views


def open_same_names(user: User) -> None:
    """Open a profile with three functions of one name."""
    path = user.folder / "callgrind.out.1"
    path.write_text(SAME_NAMES)
    user.open(path)


def test_view_is_what_is_shown(user: User) -> None:
    """Saved by names, and the same again in another run in which all numbers differ."""
    user.open(user.draw(WAYS, "first"))
    events = user.queries.events
    user.navigation.set(event=events.find("Dr"), second_event=events.find("Ir"))
    user.go("c")
    user.session.set_grouping(Grouping.OBJECT)
    view = present_view(user.session, "c in Dr")
    assert view == SavedView(
        "c in Dr",
        function=saved(user, "c"),
        event="Dr",
        second_event="Ir",
        grouping=Grouping.OBJECT,
        unit="percent",
        cycles=True,
    )

    user.open(
        user.draw(
            "events: Bc Ir Dr\nx 1,1,1 -> main 1x9,9,9\n"
            + WAYS.split("Dr", 1)[1].replace(",", ",0,"),
            "other",
        )
    )
    assert shown_view(user, view) == ()
    assert shown(user) == ("c", "Dr", "Ir")
    assert user.context.grouping is Grouping.OBJECT


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
    user: User, file: str, object_: str, found: tuple[str, str]
) -> None:
    """The exact one, or that of an object, then of a file, of the same name in another folder."""
    open_same_names(user)
    function = find_saved_function(user.queries, SavedFunction("parse", file, object_))
    assert user.queries.names.identity(function) == ("parse", *found)


def test_what_the_profile_lacks_is_said(user: User) -> None:
    """The rest of the view is shown."""
    open_same_names(user)
    before = shown(user)
    view = SavedView(
        "x", "", SavedFunction("lex", "", ""), "Dr", "CEst", grouping=Grouping.FILE,
        parts=SavedParts((0, 2), 4),
    )  # fmt: skip
    assert shown_view(user, view) == (
        "The function “lex” is not in this profile.",
        "The event Dr is not in this profile.",
        "The event CEst is not in this profile.",
        "The view was saved with 2 of 4 parts, and this profile has 1.",
    )
    assert (shown(user), user.session.requested_grouping) == (before, Grouping.FILE)
    moved = SavedView("x", "", SavedFunction("parse", "/src/a.c", "/usr/lib/liby.so"))
    found = find_view(moved, user.session)
    assert found is not None
    assert found.missing == ("“parse” was saved in liby.so, and is in demo here.",)


def test_view_of_a_cycle_waits_for_its_scope(user: User) -> None:
    """A cycle is a node only in a scope with cycles, whose costs are computed first."""
    user.open(TWO_CYCLES)
    cycle = user.queries.cycle_of(user.number("a"), user.context.scope)
    user.navigation.select_function(cycle)
    view = present_view(user.session, "cycle")
    user.session.set_scope(replace(user.session.requested_scope, cycles=False))
    user.settle()
    user.go("main")

    user.session.set_scope(
        replace(user.session.requested_scope, cycles=True)
    )  # as the setting does
    shown_view(user, view)
    assert user.context.function == cycle


def test_parts_of_a_view(user: User) -> None:
    """The active ones; hidden ones are shown if the view needs them."""
    user.draw("main 1", "callgrind.out.7.1")
    user.draw("main 2", "callgrind.out.7.2")
    user.open(user.draw("main 4", "callgrind.out.7"))
    user.session.choose_parts(lambda choice, count: choice.choosing({0, 2}, count))  # type: ignore[arg-type]
    user.settle()
    view = present_view(user.session, "two parts")
    assert view.parts == SavedParts((0, 2), 3)
    user.session.choose_parts(lambda choice, count: choice.hiding({0}, count))  # type: ignore[arg-type]
    user.settle()

    shown_view(user, view)
    assert (user.context.scope.parts, user.context.hidden_parts) == ({0, 2}, set())
    shown_view(user, SavedView("all"))
    assert user.context.scope.parts is None


def test_a_view_is_one_step_of_the_history(user: User) -> None:
    """Going back over it asks for what was shown before, and going forward for the view again."""
    user.open(WAYS)
    views = restored(user)
    start = user.context.function
    view = SavedView("d", function=saved(user, "d"))
    shown_view(user, view)
    user.go("e")
    assert user.named(user.navigation.back_history) == ["d", user.named((start,))[0]]

    user.navigation.go_back()
    assert (views, user.active) == ([], "d")
    user.navigation.go_back()
    assert (views, user.context.function) == ([BEFORE], start)
    user.navigation.go_forward(2)
    assert (views, user.active) == ([BEFORE, view], "e")


def test_view_of_the_active_function_is_a_step_too(user: User) -> None:
    """It may have another event; reloading the profile keeps the step."""
    path = user.open(WAYS)
    views = restored(user)
    shown_view(user, SavedView("Dr", event="Dr"))
    user.open(path)
    assert user.navigation.back_history == (user.context.function,)
    user.navigation.go_back()
    assert (views, user.navigation.back_history) == ([BEFORE], ())


def test_view_with_folds_has_functions_of_the_folded_profile(user: User) -> None:
    """A function that the filter of before folds is found, and one that the view folds comes back.

    What is folded is not in the history; the view before names it.
    """
    user.open(WAYS)
    start = present_view(user.session, "start")
    leaf = saved(user, "d")
    user.go("d")
    before = replace(present_view(user.session, "before"), filter="")
    views = restored(user)

    def show(view: SavedView) -> None:
        user.session.set_filter(parse_filter(view.filter))
        enter_view(user.session, view)

    user.navigation.view_restored.connect(show)
    user.session.set_filter(parse_filter("fold:name:=d"))
    view = replace(start, name="folded", filter="fold:name:=d")
    enter_view(user.session, view, ViewSwitch(before, view))
    user.settle()
    assert user.active == "main"
    lost = SavedView("x", function=leaf)
    assert shown_view(user, lost) == ("The function “d” is folded into its callers.",)
    user.navigation.go_back()
    user.settle()
    views.clear()

    user.navigation.go_back()
    user.settle()
    assert (views, user.active) == ([before], "d")
    user.navigation.go_forward()
    user.settle()
    assert (views, user.active) == ([before, view], "main")


def test_step_to_a_folded_function_stays(user: User) -> None:
    """The view of before brings it back by name; other steps to folded functions are left out."""
    user.open(WAYS)
    user.go("d")
    before = replace(present_view(user.session, "before"), filter="")
    user.go("e")
    user.go("d")
    view = SavedView("c", function=saved(user, "c"))
    enter_view(user.session, view, ViewSwitch(before, view))
    views = restored(user)
    user.session.set_filter(parse_filter("fold:name:=d"))
    user.settle()
    assert user.named(user.navigation.back_history) == ["c", "e", "main"]
    user.navigation.go_back()
    assert views == [before]


def test_view_is_dropped_if_another_filter_is_wanted(user: User) -> None:
    """The user goes on typing while a profile is folded: what was awaited no longer comes."""
    user.open(WAYS)
    found: list[FoundView] = []
    user.session.set_filter(parse_filter("fold:name:=d"))
    enter_view(user.session, SavedView("x"), None, found.append)
    user.session.set_filter(parse_filter("fold:name:=e"))
    user.settle()
    assert found == []
