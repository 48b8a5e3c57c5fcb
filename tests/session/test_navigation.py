"""Where the user is, and the way there and back."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication

from qcachegrind_py.profile.events import EventType
from qcachegrind_py.session.context import Change, Context, CostUnit, difference
from qcachegrind_py.session.navigation import Navigation

IR, DR = EventType("Ir", "Instruction Fetch"), EventType("Dr", "")
EVERYTHING = Change.everything()


@pytest.fixture
def way(navigation: Navigation) -> Navigation:
    """In a profile, at function 0, with nothing left to be said."""
    navigation.enter_profile(IR, 0)
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
    way.set_event(DR)
    way.select_function(2)
    way.set_unit(CostUnit.ABSOLUTE)
    way.set_cycles(False)
    before = list(heard)
    turn()
    turn()

    bits = Change.FUNCTION | Change.EVENT | Change.UNIT | Change.CYCLES
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
    way.set_event(EventType("Ir", "Instruction Fetch"))
    way.set_unit(CostUnit.PERCENT)
    way.set_cycles(True)
    turn()

    assert (heard, way.can_go_back) == ([], False)


def test_change_that_is_taken_back_in_the_same_turn_says_nothing(way: Navigation) -> None:
    """There and back between two turns leaves nothing to draw."""
    heard = said(way)

    way.set_event(DR)
    way.set_event(IR)
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
        visited.append((way.context.function, way.can_go_back, way.can_go_forward))

    assert visited == [
        (1, True, False),
        (2, True, False),
        (1, True, True),
        (0, False, True),
        (0, False, True),
        (1, True, True),
        (5, True, False),
        (5, True, False),
        (1, True, True),
    ]


def test_history_is_bounded(way: Navigation) -> None:
    """A long walk keeps the last 200 steps."""
    for function in range(1, 1001):
        way.select_function(function)

    steps = 0
    while way.can_go_back:
        way.go_back()
        steps += 1

    assert (steps, way.context.function) == (200, 800)


def test_new_profile_changes_everything_and_clears_the_way(way: Navigation) -> None:
    """Function 5 of the old profile is no place of the new one; settings stay."""
    way.set_unit(CostUnit.ABSOLUTE)
    way.select_function(1)
    way.select_function(2)
    way.go_back()
    turn()
    heard = said(way)

    way.enter_profile(DR, 1)
    turn()

    assert heard == [(1, EVERYTHING)]
    assert (way.can_go_back, way.can_go_forward) == (False, False)
    expected = Context(profile=2, event=DR, function=1, unit=CostUnit.ABSOLUTE)
    assert way.context == expected


def test_same_profile_again_is_another(way: Navigation) -> None:
    """Reloading says that everything changed, though every value is equal."""
    heard = said(way)

    way.enter_profile(IR, 0)
    turn()

    assert heard == [(0, EVERYTHING)]


HERE = Context(1, IR, 5, None, True, CostUnit.PERCENT)


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (HERE, Change(0)),
        (Context(1, EventType("Ir", "Instruction Fetch"), 5), Change(0)),
        (Context(1, DR, 5), Change.EVENT),
        (Context(1, None, 5), Change.EVENT),
        (Context(1, IR, 6), Change.FUNCTION),
        (Context(1, IR, 5, frozenset({0})), Change.PARTS),
        (Context(1, IR, 5, None, False), Change.CYCLES),
        (Context(1, IR, 5, None, True, CostUnit.ABSOLUTE), Change.UNIT),
        (Context(1, DR, 6, None, False), Change.EVENT | Change.FUNCTION | Change.CYCLES),
        (Context(2, IR, 5), EVERYTHING),
    ],
)
def test_difference_names_what_differs(after: Context, expected: Change) -> None:
    """Two contexts differ in the bits of the fields that differ, and in both directions."""
    assert (expected, expected) == (difference(HERE, after), difference(after, HERE))


def test_everything_has_every_bit() -> None:
    """Everything is all there is, so that a view that concerns anything refreshes."""
    assert {bit for bit in Change if bit & EVERYTHING} == set(Change)
