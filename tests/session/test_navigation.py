"""Where the user is, and the way there and back."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QApplication

from qcachegrind_py.analysis.calls.call_stack import CallStack
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.filters.expression import parse_filter
from qcachegrind_py.analysis.names.groups import Grouping
from qcachegrind_py.profile.events import EventType, EventTypes
from qcachegrind_py.profile.number_format import NumberStyle
from qcachegrind_py.session.context import Change, Context, CostUnit, changes_between
from qcachegrind_py.session.navigation import Navigation

IR, DR = EventType("Ir", "Instruction Fetch"), EventType("Dr", "")
EVERYTHING = Change.all_changes()


@pytest.fixture
def way(navigation: Navigation) -> Navigation:
    """In a profile, at function 0, with nothing left to be said."""
    navigation.enter_profile(event=IR, function=0)
    QCoreApplication.processEvents()
    return navigation


def said(navigation: Navigation) -> list[tuple[int, Change]]:
    """The function and the change bits of everything said from now on."""
    heard: list[tuple[int, Change]] = []
    navigation.changed.connect(lambda context, change: heard.append((context.function, change)))
    return heard


def turn() -> None:
    """One turn of the event loop."""
    QCoreApplication.processEvents()


def test_changed_is_said_once_a_turn_with_all_bits(way: Navigation) -> None:
    """What changes in one turn is said once, merged, with the last values."""
    heard = said(way)

    way.select_function(1)
    way.set(event=DR)
    way.select_function(2)
    way.set(unit=CostUnit.ABSOLUTE)
    way.set(scope=Scope(cycles=False), selected=4)
    before = list(heard)
    turn()
    turn()

    bits = Change.FUNCTION | Change.EVENT | Change.UNIT | Change.SCOPE | Change.SELECTION
    assert ([], [(2, bits)]) == (before, heard)


def test_context_is_the_new_one_at_once(way: Navigation) -> None:
    """Who asks need not wait for the turn's end."""
    way.select_function(3)

    assert way.context.function == 3


def test_equal_values_say_nothing(way: Navigation) -> None:
    """To choose what is chosen already is no change and no step of the way."""
    heard = said(way)

    way.select_function(0)
    way.select_function(-1)
    way.set(event=EventType("Ir", "Instruction Fetch"))
    way.set(unit=CostUnit.PERCENT)
    way.set(scope=Scope(), filter=parse_filter(""))
    turn()

    assert (heard, way.back_history) == ([], ())


def test_change_that_is_taken_back_in_the_same_turn_says_nothing(way: Navigation) -> None:
    """There and back between two turns leaves nothing to draw."""
    heard = said(way)

    way.set(event=DR)
    way.set(event=IR)
    turn()

    assert heard == []


def test_back_and_forward_walk_the_way(way: Navigation) -> None:
    """Back goes the way one came, forward the same way again; selecting forgets the rest."""
    visited = []
    for step in (
        lambda: way.select_function(1),
        lambda: way.select_function(2),
        way.go_back,
        way.go_back,
        way.go_back,
        way.go_forward,
        lambda: way.select_function(5),
        way.go_forward,
        way.go_back,
    ):
        step()
        visited.append((way.context.function, way.back_history, way.forward_history))

    assert visited == [
        (1, (0,), ()),
        (2, (1, 0), ()),
        (1, (0,), (2,)),
        (0, (), (1, 2)),
        (0, (), (1, 2)),
        (1, (0,), (2,)),
        (5, (1, 0), ()),
        (5, (1, 0), ()),
        (1, (0,), (5,)),
    ]


def test_history_is_bounded(way: Navigation) -> None:
    """A long walk keeps the last 200 steps."""
    for function in range(1, 1001):
        way.select_function(function)

    steps = 0
    while way.back_history:
        way.go_back()
        steps += 1

    assert (steps, way.context.function) == (200, 800)


def test_new_profile_changes_everything_and_clears_the_way(way: Navigation) -> None:
    """Function 5 of the old profile is no place of the new one; settings stay."""
    way.set(unit=CostUnit.ABSOLUTE)
    way.select_function(1)
    way.select_function(2)
    way.go_back()
    turn()
    heard = said(way)

    way.enter_profile(event=DR, function=1)
    turn()

    assert heard == [(1, EVERYTHING)]
    assert (way.back_history, way.forward_history) == ((), ())
    expected = Context(profile=2, event=DR, function=1, unit=CostUnit.ABSOLUTE)
    assert way.context == expected


def test_same_profile_again_is_another(way: Navigation) -> None:
    """Reloading says that everything changed, though every value is equal."""
    heard = said(way)

    way.enter_profile(event=IR, function=0)
    turn()

    assert heard == [(0, EVERYTHING)]


HERE = Context(1, event=IR, function=5)
FILTER = parse_filter("self>1%")


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (HERE, Change(0)),
        (Context(1, event=EventType("Ir", "Instruction Fetch"), function=5), Change(0)),
        (replace(HERE, scope=Scope(), filter=parse_filter("")), Change(0)),
        (replace(HERE, event=DR), Change.EVENT),
        (replace(HERE, event=None), Change.EVENT),
        (replace(HERE, second_event=DR), Change.EVENT),
        (replace(HERE, events=EventTypes((IR,), ())), Change.EVENTS),
        (replace(HERE, function=6), Change.FUNCTION),
        (replace(HERE, stack=CallStack((5, 6), 0)), Change.FUNCTION),
        (replace(HERE, selected=5), Change.SELECTION),
        (replace(HERE, scope=Scope(frozenset({0}))), Change.SCOPE),
        (replace(HERE, scope=Scope(cycles=False)), Change.SCOPE),
        (replace(HERE, scope=Scope(cut=0.1)), Change.SCOPE),
        (replace(HERE, unit=CostUnit.ABSOLUTE), Change.UNIT),
        (replace(HERE, of_recorded=False), Change.UNIT),
        (replace(HERE, numbers=NumberStyle(decimals=3)), Change.NUMBERS),
        (replace(HERE, short_names=True), Change.NAMES),
        (replace(HERE, grouping=Grouping.FILE), Change.GROUPING),
        (replace(HERE, filter=FILTER), Change.FILTER),
        (replace(HERE, event=DR, function=6), Change.EVENT | Change.FUNCTION),
        (replace(HERE, profile=2), EVERYTHING),
    ],
)
def test_difference_names_what_differs(after: Context, expected: Change) -> None:
    """Two contexts differ in the bits of the fields that differ, and in both directions."""
    assert (expected, expected) == (changes_between(HERE, after), changes_between(after, HERE))


def test_every_field_of_the_context_has_a_bit() -> None:
    """No field can change without anybody hearing of it."""
    others: dict[str, Any] = {field.name: object() for field in fields(Context)}

    silent = [
        name
        for name, other in others.items()
        if not changes_between(HERE, replace(HERE, **{name: other}))
    ]

    assert silent == []


def test_everything_has_every_bit() -> None:
    """Everything is all there is, so that a view that concerns anything refreshes."""
    assert {bit for bit in Change if bit & EVERYTHING} == set(Change)


def test_steps_of_several_at_once(way: Navigation) -> None:
    """A step from a menu goes back over several functions, and forward over as many again.

    More steps than there are lead to the end.
    """
    for function in (1, 2, 3, 4):
        way.select_function(function)
    visited = []
    for step in (
        lambda: way.go_back(3),
        lambda: way.go_forward(2),
        lambda: way.go_back(99),
        lambda: way.go_forward(99),
        lambda: way.go_back(0),
    ):
        step()
        visited.append((way.context.function, way.back_history, way.forward_history))

    assert visited == [
        (1, (0,), (2, 3, 4)),
        (3, (2, 1, 0), (4,)),
        (0, (), (1, 2, 3, 4)),
        (4, (3, 2, 1, 0), ()),
        (4, (3, 2, 1, 0), ()),
    ]


def test_steps_are_said_once(way: Navigation) -> None:
    """However many functions lie between, views hear of one change: to where the steps lead."""
    for function in (1, 2, 3, 4):
        way.select_function(function)
    turn()
    heard = said(way)

    way.go_back(3)
    turn()

    assert heard == [(1, Change.FUNCTION)]


def test_another_function_has_nothing_selected(way: Navigation) -> None:
    """What was highlighted is forgotten with the function whose lists it was seen in."""
    way.set(selected=7)
    way.select_function(1)
    selected = [way.context.selected]
    way.set(selected=8)
    way.go_back()
    selected.append(way.context.selected)

    assert selected == [-1, -1]


def test_what_follows_from_a_change_is_said_with_it(qapp: QApplication) -> None:
    """Who adds to a change sees both contexts, and views hear of it all at once."""
    asked: list[tuple[int, int]] = []

    def follow(before: Context, after: Context) -> Context:
        asked.append((before.function, after.function))
        return replace(after, stack=CallStack((9, after.function), 1))

    way = Navigation(follow)
    way.enter_profile(event=IR, function=0)
    turn()
    asked.clear()
    contexts: list[tuple[Context, Change]] = []
    way.changed.connect(lambda context, change: contexts.append((context, change)))

    way.select_function(3)
    now = way.context
    turn()

    assert asked == [(0, 3)]
    assert (now.function, now.stack) == (3, CallStack((9, 3), 1))
    assert contexts == [(now, Change.FUNCTION)]


def test_way_is_renumbered_in_both_directions(way: Navigation) -> None:
    """Where functions have other numbers, the ways back and forward lead to the same ones."""
    for function in (1, 2, 3):
        way.select_function(function)
    way.go_back()

    way.map_history(lambda function: function + 10)

    assert (way.back_history, way.forward_history) == ((11, 10), (13,))


def test_functions_that_became_one_are_one_step(way: Navigation) -> None:
    """A step back always leads somewhere else, though two functions have one number now."""
    for function in (1, 2, 1):
        way.select_function(function)

    way.map_history(lambda function: 1 if function == 2 else function)
    way.go_back()

    assert way.context.function == 0


def test_new_profile_is_said_at_once_and_only_once(navigation: Navigation) -> None:
    """Nobody may take a function of the old profile for one of the new: no turn lies between."""
    heard = said(navigation)

    navigation.set(unit=CostUnit.ABSOLUTE)
    navigation.enter_profile(event=IR, function=3)
    at_once = list(heard)
    turn()

    assert at_once == heard == [(3, EVERYTHING)]
