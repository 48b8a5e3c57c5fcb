"""The path to the active function, as clickable names."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.active_function import ActiveFunctionHeader, Breadcrumbs
from tests.user_input import (
    LEFT,
    active_name,
    go_to,
    ignore_offscreen_warnings,
    opened_menu,
    process_events,
    without_mnemonic,
)

Way = list[tuple[int, str]]
pytestmark = ignore_offscreen_warnings


@pytest.fixture
def crumbs(qapp: QApplication) -> Iterator[Breadcrumbs]:
    """A breadcrumb line, 600 wide."""
    holder, line = QWidget(), Breadcrumbs()
    line.setParent(holder)
    line.resize(600, 30)
    holder.show()
    yield line
    holder.close()
    holder.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def steps(line: Breadcrumbs) -> list[QToolButton]:
    """The visible buttons from the left, that of the menu included."""
    found = [button for button in line.findChildren(QToolButton) if button.isVisible()]
    return sorted(found, key=lambda button: button.x())


def shown(line: Breadcrumbs) -> list[str]:
    """The texts of the visible buttons."""
    return [without_mnemonic(button.text()) for button in steps(line)]


def in_the_menu(line: Breadcrumbs) -> list[str]:
    """The steps that do not fit."""
    return [
        without_mnemonic(action.text()) for action in opened_menu(steps(line)[0].menu()).actions()
    ]


def paths(count: int, name: str = "function") -> Way:
    """A path with this many steps."""
    return [(number, f"{name}{number}") for number in range(count)]


@pytest.mark.parametrize(
    ("count", "width"),
    [(3, 600), (10, 600), (10, 2000), (40, 60), (40, 200), (40, 333), (40, 600), (40, 1500)],
)
def test_first_steps_are_in_a_menu_if_space_is_short(
    crumbs: Breadcrumbs, count: int, width: int
) -> None:
    """At any width the visible buttons are complete, and at least one is visible."""
    crumbs.set_path(paths(count))
    crumbs.resize(width, 30)
    process_events()
    seen, names, wanted = steps(crumbs), shown(crumbs), [name for _, name in paths(count)]
    fits = seen[-1].geometry().right() < width
    has_room = all(button.width() >= button.sizeHint().width() for button in seen)

    assert len(seen) == 2 or (fits, has_room) == (True, True)  # the menu and the last step
    if (count, width) in ((3, 600), (10, 2000)):
        assert names == wanted
    else:
        assert (names[0], in_the_menu(crumbs) + names[1:]) == ("…", wanted)


def test_click_on_a_step_goes_there(crumbs: Breadcrumbs, qtbot: QtBot) -> None:
    """A click activates the button's present function, also in the menu."""
    chosen: list[int] = []
    crumbs.function_activated.connect(chosen.append)
    crumbs.set_path(paths(3))
    crumbs.set_path([(70, "a"), (80, "b"), (90, "c")])
    process_events()
    for button in steps(crumbs):
        qtbot.mouseClick(button, LEFT)
    crumbs.set_path(paths(40))
    process_events()
    actions = opened_menu(steps(crumbs)[0].menu()).actions()
    for action in (actions[0], actions[-1]):
        action.trigger()

    assert chosen == [70, 80, 90, 0, len(actions) - 1]


def test_steps_can_be_reached_by_keyboard(crumbs: Breadcrumbs) -> None:
    """Tab visits each step, which has its name as the accessible name."""
    crumbs.set_path(paths(3))
    process_events()
    reached = [button.focusPolicy().name for button in steps(crumbs)]

    assert reached == ["TabFocus"] * 3 or reached == ["StrongFocus"] * 3
    assert [button.accessibleName() for button in steps(crumbs)] == [n for _, n in paths(3)]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("operator&&", "operator&&"),
        ("<b>bold</b>", "<b>bold</b>"),
        ("a\u202eb\u2028c\nd", r"a\u202eb\u2028c\x0ad"),
    ],
)
def test_hostile_names_are_shown_as_text(crumbs: Breadcrumbs, name: str, expected: str) -> None:
    """Names are shown literally, in tooltips as well."""
    crumbs.set_path([(1, name)])
    process_events()
    (button,) = steps(crumbs)

    assert without_mnemonic(button.text()) == expected
    assert "<b>" not in button.toolTip()


def test_path_is_that_of_the_session(
    opened: Callable[..., ActiveFunctionHeader],
    session: Session,
    navigation: Navigation,
    qtbot: QtBot,
) -> None:
    """The line shows the session's path and goes back up along it."""
    line = opened(ActiveFunctionHeader, "main 1 -> a 1x9\na 2 -> b 1x7\nb 3 -> c 1x4\nc 4")
    go_to(session, navigation, "b")
    way = shown(line.breadcrumbs)
    qtbot.mouseClick(steps(line.breadcrumbs)[1], LEFT)
    process_events()

    assert (way, active_name(session, navigation)) == (["main", "a", "b"], "a")
    assert shown(line.breadcrumbs) == ["main", "a"]
