"""Navigation: the current context, and the history back and forward."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QApplication

from qcachegrind_py.analysis.calls.call_graph import CallStack
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.filters.expression import parse_filter
from qcachegrind_py.analysis.names.groups import Grouping
from qcachegrind_py.present.context import Change, Context, CostUnit, changes_between
from qcachegrind_py.profile.events import EventType, EventTypes
from qcachegrind_py.profile.numbers import NumberStyle
from qcachegrind_py.session.navigation import Navigation

IR, DR = EventType("Ir", "Instruction Fetch"), EventType("Dr", "")
EVERYTHING = Change.all_changes()


@pytest.fixture
def profile_navigation(navigation: Navigation) -> Navigation:
    """Navigation in a profile, at function 0, with all signals delivered."""
    navigation.enter_profile(Context(event=IR, function=0))
    QCoreApplication.processEvents()
    return navigation


def signals_of(navigation: Navigation) -> list[tuple[int, Change]]:
    """The function and the change bits of every signal from now on."""
    signals: list[tuple[int, Change]] = []
    navigation.changed.connect(lambda context, change: signals.append((context.function, change)))
    return signals


def process_turn() -> None:
    """Process one turn of the event loop."""
    QCoreApplication.processEvents()


def test_changed_is_emitted_once_a_turn_with_all_bits(profile_navigation: Navigation) -> None:
    """Changes within one turn are merged into one signal with the last values."""
    signals = signals_of(profile_navigation)

    profile_navigation.select_function(1)
    profile_navigation.set(event=DR)
    profile_navigation.select_function(2)
    profile_navigation.set(unit=CostUnit.ABSOLUTE)
    profile_navigation.set(scope=Scope(cycles=False), selected=4)
    before = list(signals)
    process_turn()
    process_turn()

    bits = Change.FUNCTION | Change.EVENT | Change.UNIT | Change.SCOPE | Change.SELECTION
    assert ([], [(2, bits)]) == (before, signals)


def test_context_is_the_new_one_at_once(profile_navigation: Navigation) -> None:
    """The new context is available before the turn ends."""
    profile_navigation.select_function(3)

    assert profile_navigation.context.function == 3


def test_equal_values_emit_nothing(profile_navigation: Navigation) -> None:
    """Selecting what is already selected is neither a change nor a step in the history."""
    signals = signals_of(profile_navigation)

    profile_navigation.select_function(0)
    profile_navigation.select_function(-1)
    profile_navigation.set(event=EventType("Ir", "Instruction Fetch"))
    profile_navigation.set(unit=CostUnit.PERCENT)
    profile_navigation.set(scope=Scope(), filter=parse_filter(""))
    process_turn()

    assert (signals, profile_navigation.back_history) == ([], ())


def test_change_reversed_in_the_same_turn_emits_nothing(profile_navigation: Navigation) -> None:
    """A change and its reversal between two turns are not signalled."""
    signals = signals_of(profile_navigation)

    profile_navigation.set(event=DR)
    profile_navigation.set(event=IR)
    process_turn()

    assert signals == []


def test_back_and_forward_walk_the_history(profile_navigation: Navigation) -> None:
    """Back and forward walk the history; selecting a function clears the forward history."""
    visited = []
    for step in (
        lambda: profile_navigation.select_function(1),
        lambda: profile_navigation.select_function(2),
        profile_navigation.go_back,
        profile_navigation.go_back,
        profile_navigation.go_back,
        profile_navigation.go_forward,
        lambda: profile_navigation.select_function(5),
        profile_navigation.go_forward,
        profile_navigation.go_back,
    ):
        step()
        visited.append(
            (
                profile_navigation.context.function,
                profile_navigation.back_history,
                profile_navigation.forward_history,
            )
        )

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


def test_history_is_bounded(profile_navigation: Navigation) -> None:
    """The history keeps the last 200 steps."""
    for function in range(1, 1001):
        profile_navigation.select_function(function)

    steps = 0
    while profile_navigation.back_history:
        profile_navigation.go_back()
        steps += 1

    assert (steps, profile_navigation.context.function) == (200, 800)


def test_new_profile_changes_everything_and_clears_the_history(
    profile_navigation: Navigation,
) -> None:
    """A function of the old profile does not exist in the new one; settings are kept."""
    profile_navigation.set(unit=CostUnit.ABSOLUTE)
    profile_navigation.select_function(1)
    profile_navigation.select_function(2)
    profile_navigation.go_back()
    process_turn()
    signals = signals_of(profile_navigation)

    profile_navigation.enter_profile(replace(profile_navigation.context, event=DR, function=1))
    process_turn()

    assert signals == [(1, EVERYTHING)]
    assert (profile_navigation.back_history, profile_navigation.forward_history) == ((), ())
    expected = Context(profile=2, event=DR, function=1, unit=CostUnit.ABSOLUTE)
    assert profile_navigation.context == expected


def test_same_profile_again_counts_as_new(profile_navigation: Navigation) -> None:
    """Reloading signals that everything changed, even if every value is equal."""
    signals = signals_of(profile_navigation)

    profile_navigation.enter_profile(Context(event=IR, function=0))
    process_turn()

    assert signals == [(0, EVERYTHING)]


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
        (replace(HERE, grouping=Grouping.FILE), Change.GROUPING | Change.COLORS),
        (replace(HERE, group_colors=(("a.c", "#102030"),)), Change.COLORS),
        (replace(HERE, filter=FILTER), Change.FILTER),
        (replace(HERE, event=DR, function=6), Change.EVENT | Change.FUNCTION),
        (replace(HERE, profile=2), EVERYTHING),
    ],
)
def test_difference_names_what_differs(after: Context, expected: Change) -> None:
    """Two contexts differ in the bits of the fields that differ, in both directions."""
    assert (expected, expected) == (changes_between(HERE, after), changes_between(after, HERE))


def test_every_field_of_the_context_has_a_bit() -> None:
    """Every field has a bit, so that no change goes unnoticed."""
    others: dict[str, Any] = {field.name: object() for field in fields(Context)}

    silent = [
        name
        for name, other in others.items()
        if not changes_between(HERE, replace(HERE, **{name: other}))
    ]

    assert silent == []


def test_everything_has_every_bit() -> None:
    """`EVERYTHING` contains every bit, so that each view refreshes, whatever it depends on."""
    assert {bit for bit in Change if bit & EVERYTHING} == set(Change)


def test_steps_of_several_at_once(profile_navigation: Navigation) -> None:
    """A menu entry goes back over several functions, and forward over as many again.

    More steps than there are lead to the end.
    """
    for function in (1, 2, 3, 4):
        profile_navigation.select_function(function)
    visited = []
    for step in (
        lambda: profile_navigation.go_back(3),
        lambda: profile_navigation.go_forward(2),
        lambda: profile_navigation.go_back(99),
        lambda: profile_navigation.go_forward(99),
        lambda: profile_navigation.go_back(0),
    ):
        step()
        visited.append(
            (
                profile_navigation.context.function,
                profile_navigation.back_history,
                profile_navigation.forward_history,
            )
        )

    assert visited == [
        (1, (0,), (2, 3, 4)),
        (3, (2, 1, 0), (4,)),
        (0, (), (1, 2, 3, 4)),
        (4, (3, 2, 1, 0), ()),
        (4, (3, 2, 1, 0), ()),
    ]


def test_steps_are_emitted_once(profile_navigation: Navigation) -> None:
    """However many steps are taken at once, views receive one change: the destination."""
    for function in (1, 2, 3, 4):
        profile_navigation.select_function(function)
    process_turn()
    signals = signals_of(profile_navigation)

    profile_navigation.go_back(3)
    process_turn()

    assert signals == [(1, Change.FUNCTION)]


def test_another_function_has_nothing_selected(profile_navigation: Navigation) -> None:
    """A highlight is cleared together with the function whose lists it was in."""
    profile_navigation.set(selected=7)
    profile_navigation.select_function(1)
    selected = [profile_navigation.context.selected]
    profile_navigation.set(selected=8)
    profile_navigation.go_back()
    selected.append(profile_navigation.context.selected)

    assert selected == [-1, -1]


def test_consequences_are_emitted_with_their_change(qapp: QApplication) -> None:
    """A handler that extends a change gets both contexts, and views receive all in one signal."""
    transitions: list[tuple[int, int]] = []

    def follow(before: Context, after: Context) -> Context:
        transitions.append((before.function, after.function))
        return replace(after, stack=CallStack((9, after.function), 1))

    profile_navigation = Navigation(follow)
    profile_navigation.enter_profile(Context(event=IR, function=0))
    process_turn()
    transitions.clear()
    contexts: list[tuple[Context, Change]] = []
    profile_navigation.changed.connect(lambda context, change: contexts.append((context, change)))

    profile_navigation.select_function(3)
    now = profile_navigation.context
    process_turn()

    assert transitions == [(0, 3)]
    assert (now.function, now.stack) == (3, CallStack((9, 3), 1))
    assert contexts == [(now, Change.FUNCTION)]


def test_history_is_renumbered_in_both_directions(profile_navigation: Navigation) -> None:
    """When functions get other numbers, both histories still lead to the same functions."""
    for function in (1, 2, 3):
        profile_navigation.select_function(function)
    profile_navigation.go_back()

    profile_navigation.map_history(lambda function: function + 10)

    assert (profile_navigation.back_history, profile_navigation.forward_history) == (
        (11, 10),
        (13,),
    )


def test_functions_that_became_one_are_one_step(profile_navigation: Navigation) -> None:
    """A step back always changes the function, even if two functions now share a number."""
    for function in (1, 2, 1):
        profile_navigation.select_function(function)

    profile_navigation.map_history(lambda function: 1 if function == 2 else function)
    profile_navigation.go_back()

    assert profile_navigation.context.function == 0


def test_new_profile_is_emitted_at_once_and_only_once(navigation: Navigation) -> None:
    """A new profile is signalled at once, so no function of the old one is mistaken for its own."""
    signals = signals_of(navigation)

    navigation.set(unit=CostUnit.ABSOLUTE)
    navigation.enter_profile(replace(navigation.context, event=IR, function=3))
    at_once = list(signals)
    process_turn()

    assert at_once == signals == [(3, EVERYTHING)]
