"""Navigation: the current context, and the history back and forward."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from functools import partial
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QApplication

from qcachegrind_py.analysis.calls.call_graph import CallStack
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.filters.expression import parse_filter
from qcachegrind_py.analysis.names.function_names import Grouping
from qcachegrind_py.present.context import (
    AnnotationStyle,
    Change,
    Context,
    CostUnit,
    Position,
    changes_between,
)
from qcachegrind_py.profile.events import EventType, EventTypes
from qcachegrind_py.profile.numbers import NumberStyle
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.tools.sources.file_search import FileSearch

IR, DR = EventType("Ir", "Instruction Fetch"), EventType("Dr", "")
EVERYTHING = Change.all_changes()


@pytest.fixture
def nav(navigation: Navigation) -> Navigation:
    """Navigation in a profile, at function 0, with all signals delivered."""
    navigation.enter_profile(Context(event=IR, function=0))
    QCoreApplication.processEvents()
    return navigation


def signals_of(navigation: Navigation) -> list[tuple[int, Change]]:
    """The function and the change bits of every signal from now on."""
    signals: list[tuple[int, Change]] = []
    navigation.changed.connect(lambda context, change: signals.append((context.function, change)))
    return signals


def test_changed_is_emitted_once_a_turn_with_all_bits(nav: Navigation) -> None:
    """Changes within one turn are merged into one signal with the last values."""
    signals = signals_of(nav)

    nav.select_function(1)
    nav.set(event=DR)
    nav.select_function(2)
    nav.set(unit=CostUnit.ABSOLUTE)
    nav.set(scope=Scope(cycles=False), selected=4)
    before, at_once = list(signals), nav.context.function
    QCoreApplication.processEvents()
    QCoreApplication.processEvents()

    bits = Change.FUNCTION | Change.EVENT | Change.UNIT | Change.SCOPE | Change.SELECTION
    assert (before, at_once, signals) == ([], 2, [(2, bits)])


def test_equal_values_emit_nothing(nav: Navigation) -> None:
    """Selecting what is selected is neither a change nor a step; nor is a change taken back."""
    signals = signals_of(nav)

    nav.select_function(0)
    nav.select_function(-1)
    nav.set(event=EventType("Ir", "Instruction Fetch"))
    nav.set(unit=CostUnit.PERCENT)
    nav.set(scope=Scope(), filter=parse_filter(""))
    nav.set(event=DR)
    nav.set(event=IR)
    QCoreApplication.processEvents()

    assert (signals, nav.back_history) == ([], ())


def visited(nav: Navigation, *steps: int | Callable[[], object]) -> list[tuple[object, ...]]:
    """The function and both histories after each step, or after each function selected."""
    seen: list[tuple[object, ...]] = []
    for step in steps:
        if isinstance(step, int):
            nav.select_function(step)
        else:
            step()
        seen.append((nav.context.function, nav.back_history, nav.forward_history))
    return seen


def test_back_and_forward_walk_the_history(nav: Navigation) -> None:
    """Back and forward walk the history; selecting a function clears the forward history."""
    back, forward = nav.go_back, nav.go_forward

    assert visited(nav, 1, 2, back, back, back, forward, 5, forward, back) == [
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


def test_steps_of_several_at_once(nav: Navigation) -> None:
    """A menu entry goes over several functions at once, and views receive one change.

    More steps than there are lead to the end.
    """
    visited(nav, 1, 2, 3, 4)
    QCoreApplication.processEvents()
    signals = signals_of(nav)
    steps = (nav.go_back, 3), (nav.go_forward, 2), (nav.go_back, 99), (nav.go_forward, 99)

    assert visited(nav, *(partial(go, count) for go, count in steps), lambda: nav.go_back(0)) == [
        (1, (0,), (2, 3, 4)),
        (3, (2, 1, 0), (4,)),
        (0, (), (1, 2, 3, 4)),
        (4, (3, 2, 1, 0), ()),
        (4, (3, 2, 1, 0), ()),
    ]
    nav.go_back(3)
    QCoreApplication.processEvents()
    assert signals == [(1, Change.FUNCTION)]


def test_history_is_bounded(nav: Navigation) -> None:
    """The history keeps the last 200 steps."""
    for function in range(1, 1001):
        nav.select_function(function)

    steps = 0
    while nav.back_history:
        nav.go_back()
        steps += 1

    assert (steps, nav.context.function) == (200, 800)


def test_new_profile_changes_everything_and_clears_the_history(
    nav: Navigation,
) -> None:
    """A function of the old profile does not exist in the new one; settings are kept."""
    nav.set(unit=CostUnit.ABSOLUTE)
    nav.select_function(1)
    nav.select_function(2)
    nav.go_back()
    QCoreApplication.processEvents()
    signals = signals_of(nav)

    nav.set(unit=CostUnit.ABSOLUTE)
    nav.enter_profile(replace(nav.context, event=DR, function=1))
    at_once = list(signals)
    QCoreApplication.processEvents()

    assert at_once == signals == [(1, EVERYTHING)]
    assert (nav.back_history, nav.forward_history) == ((), ())
    expected = Context(profile=2, event=DR, function=1, unit=CostUnit.ABSOLUTE)
    assert nav.context == expected


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
        (replace(HERE, position=Position(1, 7)), Change.POSITION),
        (replace(HERE, files=FileSearch(bases=("/",))), Change.ANNOTATION),
        (replace(HERE, annotation=AnnotationStyle(fold_source=True)), Change.ANNOTATION),
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


def test_another_function_has_nothing_selected(nav: Navigation) -> None:
    """A highlight is cleared together with the function whose lists it was in."""
    nav.set(selected=7)
    nav.select_function(1)
    selected = [nav.context.selected]
    nav.set(selected=8)
    nav.go_back()
    selected.append(nav.context.selected)

    assert selected == [-1, -1]


def test_consequences_are_emitted_with_their_change(qapp: QApplication) -> None:
    """A handler that extends a change gets both contexts, and views receive all in one signal."""
    transitions: list[tuple[int, int]] = []

    def follow(before: Context, after: Context) -> Context:
        transitions.append((before.function, after.function))
        return replace(after, stack=CallStack((9, after.function), 1))

    nav = Navigation(follow)
    nav.enter_profile(Context(event=IR, function=0))
    QCoreApplication.processEvents()
    transitions.clear()
    contexts: list[tuple[Context, Change]] = []
    nav.changed.connect(lambda context, change: contexts.append((context, change)))

    nav.select_function(3)
    now = nav.context
    QCoreApplication.processEvents()

    assert transitions == [(0, 3)]
    assert (now.function, now.stack) == (3, CallStack((9, 3), 1))
    assert contexts == [(now, Change.FUNCTION)]


def test_history_is_renumbered_in_both_directions(nav: Navigation) -> None:
    """When functions get other numbers, both histories still lead to the same functions."""
    for function in (1, 2, 3):
        nav.select_function(function)
    nav.go_back()

    nav.map_history(lambda function: function + 10)

    assert (nav.back_history, nav.forward_history) == (
        (11, 10),
        (13,),
    )


def test_functions_that_became_one_are_one_step(nav: Navigation) -> None:
    """A step back always changes the function, even if two functions now share a number."""
    for function in (1, 2, 1):
        nav.select_function(function)

    nav.map_history(lambda function: 1 if function == 2 else function)
    nav.go_back()

    assert nav.context.function == 0
