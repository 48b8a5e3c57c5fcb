"""Journeys through menus, keys and buttons, in the real window."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QDialogButtonBox,
    QFileDialog,
    QStyle,
    QWidget,
)
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.style import theme
from qcachegrind_py.app.window import MainWindow
from tests.profile_text import EXAMPLE
from tests.user_input import ignore_offscreen_warnings, process_events

OpenFile = Callable[..., None]
MIN_CONTRAST = 3  # of symbols, by the accessibility guidelines (WCAG 2.1, 1.4.11)
ON_A_PROFILE = (
    "jump", "search", "filter", "own_code", "next_hot", "previous_hot", "find_code", "find_next",
    "find_previous", "next_event", "new_event", "editor", "properties", "side_by_side", "all_parts",
    "back", "forward", "up", "reload", "add", "save", "report",
)  # fmt: skip
pytestmark = ignore_offscreen_warnings


@pytest.fixture
def dark(qapp: QApplication) -> Iterator[None]:
    """The dark palette for one test."""
    theme.apply_palette(dark=True)
    yield
    theme.apply_palette(dark=False)


def luminance(color: QColor) -> float:
    """The relative luminance of a colour, as WCAG defines it."""
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
        for part in (color.redF(), color.greenF(), color.blueF())
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(image: QImage) -> float:
    """The contrast of the pixel that differs most from the one in the corner."""
    ground = luminance(image.pixelColor(0, 0))
    pixels = (image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height()))
    found = max(map(luminance, pixels), key=lambda value: abs(value - ground))
    lighter, darker = max(found, ground), min(found, ground)
    return (lighter + 0.05) / (darker + 0.05)


def contrast_of(widget: QWidget) -> float:
    """The contrast of what a widget shows, without its frame."""
    image = widget.grab().toImage()
    edge = image.width() // 6
    return contrast(image.copy(image.rect().adjusted(edge, edge, -edge, -edge)))


def test_dock_buttons_are_visible_when_dark(
    dark: None, window: MainWindow, open_file: OpenFile
) -> None:
    """The buttons that float and close a dock are as legible in dark colours as in light ones."""
    theme.apply_palette(dark=True)  # the window is created in light colours
    open_file(EXAMPLE)
    functions = window.docks.by_id["function_list"]
    names = ("qt_dockwidget_floatbutton", "qt_dockwidget_closebutton")
    buttons = [functions.findChild(QAbstractButton, name) for name in names]

    found = [button is not None and contrast_of(button) >= MIN_CONTRAST for button in buttons]

    assert found == [True, True]


def test_arrows_of_file_dialogs_are_visible_when_dark(dark: None, qtbot: QtBot) -> None:
    """The buttons of Qt's own file dialog are light on a dark window."""
    dialog = QFileDialog()
    dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
    qtbot.addWidget(dialog)
    dialog.setDirectory("/usr/bin")
    dialog.show()
    names = ("backButton", "forwardButton", "toParentButton")
    found = (dialog.findChild(QAbstractButton, name) for name in names)
    buttons = [button for button in found if button is not None]
    for button in buttons:
        button.setEnabled(True)

    assert [contrast_of(button) >= MIN_CONTRAST for button in buttons] == [True] * 3


def test_clear_button_is_visible_when_dark(
    dark: None, window: MainWindow, open_file: OpenFile, qtbot: QtBot
) -> None:
    """The button that clears a search fades in until it is well visible."""
    theme.apply_palette(dark=True)
    open_file(EXAMPLE)
    search = window.views.function_list.search
    search.setText("main")
    (button,) = search.findChildren(QAbstractButton)

    qtbot.waitUntil(lambda: contrast_of(button) >= MIN_CONTRAST)


def test_buttons_of_dialogs_have_text_only(dark: None, qtbot: QtBot) -> None:
    """Desktops add icons to buttons such as Close, which are black on a dark window."""
    kinds = QDialogButtonBox.StandardButton.Close | QDialogButtonBox.StandardButton.Ok
    buttons = QDialogButtonBox(kinds)
    qtbot.addWidget(buttons)
    style = buttons.style()

    pixmaps = QStyle.StandardPixmap
    icons = (pixmaps.SP_DialogCloseButton, pixmaps.SP_DialogOkButton)
    assert [style.standardIcon(icon).isNull() for icon in icons] == [True, True]


def test_actions_wait_for_a_profile(window: MainWindow, open_file: OpenFile) -> None:
    """Without a profile, an action that would do nothing is grey in its menu, and so is its key."""
    before = [name for name in ON_A_PROFILE if window.actions_[name].isEnabled()]
    go_before = {action.isEnabled() for action in window.docks.go_to_actions}
    field_before = window.filter_bar.isEnabled()
    QTest.keyClick(window, Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(window, Qt.Key.Key_F4)
    dialog = QApplication.activeModalWidget()

    open_file(EXAMPLE)
    after = [
        name
        for name in ("jump", "search", "next_hot", "filter", "editor")
        if not window.actions_[name].isEnabled()
    ]
    go_after = {action.isEnabled() for action in window.docks.go_to_actions}

    assert (before, go_before, field_before, dialog) == ([], {False}, False, None)
    assert (after, go_after, window.filter_bar.isEnabled()) == ([], {True}, True)


def test_next_event_needs_a_second_one(
    window: MainWindow, open_file: OpenFile, tmp_path: Path
) -> None:
    """With a single event there is no next one."""
    (tmp_path / "cost.out").write_text("# callgrind format\nevents: Cost\nfn=main\n1 10\n")
    open_file(tmp_path / "cost.out")
    single = window.actions_["next_event"].isEnabled()
    open_file(EXAMPLE)
    process_events()

    assert (single, window.actions_["next_event"].isEnabled()) == (False, True)
