"""A journey of two people: one saves what there is to see, the other opens it elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QPushButton
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.saved_views.dialogs import ManageViewsDialog, SaveViewDialog
from qcachegrind_py.app.window import MainWindow
from tests.user_input import (
    active_name,
    go_to,
    ignore_offscreen_warnings,
    process_events,
    settle,
    without_mnemonic,
)

pytestmark = ignore_offscreen_warnings
KEY = Qt.Key
CTRL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
CTRL_ALT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
HERE = """
    events: Ir Dr
    main 10,1 -> parse 1x80,9, print 1x10,0
    parse 30,2 -> read 5x50,7
    read 50,7
    print 10,0
    """
THERE = """
    events: Ir
    main 12 -> parse 1x70
    parse 20 -> read 5x50
    read 50
    """


def test_a_view_is_saved_sent_and_opened_elsewhere(
    window: MainWindow,
    open_file: Callable[..., None],
    restarted_window: Callable[..., MainWindow],
    draw: Callable[..., Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    qtbot: QtBot,
) -> None:
    """All by keyboard; the second person has another run without one of the events."""
    sent = tmp_path / "sent.json"
    open_file(draw(HERE))
    settle(window, qtbot)
    go_to(window.session, window.navigation, "parse")
    window.filter_bar.set_text("incl>20%")
    QTest.keyClick(window, KEY.Key_E, Qt.KeyboardModifier.ControlModifier)  # the next event
    QTest.keyClick(window, KEY.Key_2, CTRL_ALT)  # the layout of code
    settle(window, qtbot)

    QTest.keyClick(window, KEY.Key_V, CTRL_SHIFT)
    process_events()
    dialog = window.findChildren(SaveViewDialog)[0]
    assert dialog.name.text() == "parse · Dr"
    QTest.keyClicks(dialog.name, "Reading")
    QTest.keyClick(dialog.name, KEY.Key_Tab)
    QTest.keyClicks(dialog.note, "Why five reads?")
    QTest.keyClick(dialog.buttons.button(dialog.buttons.StandardButton.Save), KEY.Key_Space)
    process_events()

    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)

    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(sent), ""))
    QTest.keyClick(window, KEY.Key_V, CTRL_ALT)
    process_events()
    manage = window.findChildren(ManageViewsDialog)[0]
    QTest.keyClick(manage.export_button, KEY.Key_Space)
    QTest.keyClick(manage, KEY.Key_Escape)
    process_events()
    assert sent.exists()

    window.settings.program(window.session.program).change_views(lambda _: ())
    other = restarted_window(draw(THERE, "callgrind.out.2"))
    other.docks.reset()
    start = active_name(other.session, other.navigation)
    other.open([sent])
    settle(other, qtbot)
    assert (active_name(other.session, other.navigation), other.filter_bar.text()) == (
        "parse", "incl>20%",
    )  # fmt: skip
    assert other.docks.is_seen("source")
    assert other.docks.is_seen("assembler")
    assert other.notices.notice_texts()["saved view"].splitlines() == [
        "Reading: Why five reads?",
        "The event Dr is not in this profile.",
    ]

    buttons = {button.text(): button for button in other.findChildren(QPushButton)}
    QTest.keyClick(buttons["Add to Saved Views"], KEY.Key_Space)
    settle(other, qtbot)
    other.actions_["back"].trigger()
    settle(other, qtbot)
    assert (active_name(other.session, other.navigation), other.filter_bar.text()) == (start, "")
    assert not other.docks.is_seen("assembler")

    menu = other.actions_.menus["saved_views"]
    menu.aboutToShow.emit()
    (chosen,) = [each for each in menu.actions() if without_mnemonic(each.text()) == "1  Reading"]
    chosen.trigger()
    settle(other, qtbot)
    assert active_name(other.session, other.navigation) == "parse"
