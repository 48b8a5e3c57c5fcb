"""Journeys of a user who reads source and assembler side by side, in one panel or in two."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton

from qcachegrind_py.app.frame.panels import PanelWindow
from qcachegrind_py.app.window import MainWindow
from tests.user_input import ignore_offscreen_warnings, process_events

pytestmark = ignore_offscreen_warnings
CTRL = Qt.KeyboardModifier.ControlModifier
CTRL_ALT = CTRL | Qt.KeyboardModifier.AltModifier
CTRL_SHIFT = CTRL | Qt.KeyboardModifier.ShiftModifier


@pytest.fixture(name="split")
def _split(shown: MainWindow) -> Callable[[], PanelWindow]:
    """Opens the split by its key, and goes to its callees."""

    def split() -> PanelWindow:
        QTest.keyClick(shown, Qt.Key.Key_S, CTRL_ALT)
        process_events()
        panel = shown.split_dock.panel
        assert panel is not None
        panel.docks.show("callees")
        process_events()
        return panel

    return split


def seen(panel: PanelWindow | MainWindow) -> list[str]:
    """The docks of a panel that the user can see."""
    return [dock_id for dock_id in panel.docks.by_id if panel.docks.is_seen(dock_id)]


def press_side_by_side(window: MainWindow) -> bool:
    """Press the key, and return whether the menu item is checked then."""
    QTest.keyClick(window, Qt.Key.Key_B, CTRL_SHIFT)
    process_events()
    return window.actions_["side_by_side"].isChecked()


def test_the_menu_item_is_checked_while_both_are_side_by_side(shown: MainWindow) -> None:
    """Also after another layout was chosen, and after one of the two docks was closed."""
    found = [press_side_by_side(shown)]
    QTest.keyClick(shown, Qt.Key.Key_1, CTRL_ALT)  # the layout Overview
    process_events()
    found.append(shown.actions_["side_by_side"].isChecked())
    found.append(press_side_by_side(shown))
    shown.docks.by_id["assembler"].close()
    process_events()
    found.append(shown.actions_["side_by_side"].isChecked())

    assert found == [True, False, True, False]


def test_both_are_side_by_side_in_the_current_panel(
    shown: MainWindow, split: Callable[[], PanelWindow]
) -> None:
    """The split has them and gets its other views back; those of the window stay as they are."""
    panel = split()
    before = seen(shown), seen(panel)
    is_checked = press_side_by_side(shown)
    beside = seen(shown), seen(panel)
    QTest.keyClick(shown, Qt.Key.Key_F10)
    process_events()
    of_the_window = shown.actions_["side_by_side"].isChecked()
    QTest.keyClick(shown, Qt.Key.Key_F10)
    process_events()
    is_checked_again = press_side_by_side(shown)

    assert before[1] == ["callees", "picture"]
    assert beside == (before[0], ["source", "assembler"])
    assert (is_checked, of_the_window, is_checked_again) == (True, False, False)
    assert (seen(shown), seen(panel)) == before


def test_a_button_of_a_view_acts_in_the_panel_of_the_view(
    shown: MainWindow, split: Callable[[], PanelWindow]
) -> None:
    """A click on the button in the window's source, while the split has the keyboard focus."""
    shown.docks.show("source")
    process_events()
    panel = split()
    before = seen(panel)
    (button,) = [
        button
        for button in shown.views.source.findChildren(QToolButton)
        if button.defaultAction() is shown.actions_["side_by_side"]
    ]
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    process_events()

    assert {"source", "assembler"} <= set(seen(shown))
    assert seen(panel) == before
