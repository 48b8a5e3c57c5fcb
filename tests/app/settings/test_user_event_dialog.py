"""User events: defined in a dialog, checked while typing, stored for other profiles."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialogButtonBox, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.settings.user_events import EventDialog
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.profile.events import UserEvent
from qcachegrind_py.session.settings.store import Settings
from tests.user_input import process_events

DRAWING = """
    events: Ir Dr D1mr
    main 100,20,2 -> f 1x50,10,1
    f 50,10,1
    """


@pytest.fixture
def window(
    window: MainWindow, draw: Callable[..., Path], open_file: Callable[..., None]
) -> MainWindow:
    """The window with the test profile."""
    open_file(draw(DRAWING))
    process_events()
    return window


def open_dialog(window: MainWindow) -> EventDialog:
    """The dialog that is open."""
    (dialog,) = [d for d in window.findChildren(EventDialog) if d.isVisible()]
    return dialog


def fill(dialog: EventDialog, name: str, long_name: str, formula: str) -> bool:
    """Fill in the fields; return whether OK is enabled."""
    dialog.name.setText(name)
    dialog.long_name.setText(long_name)
    dialog.formula.setText(formula)
    return ok(dialog).isEnabled()


def ok(dialog: EventDialog) -> QPushButton:
    """The OK button."""
    return dialog.buttons.button(QDialogButtonBox.StandardButton.Ok)


def events(window: MainWindow) -> list[str]:
    """The events that can be chosen."""
    return [window.event_combo.itemText(row) for row in range(window.event_combo.count())]


def add(window: MainWindow, name: str, long_name: str, formula: str, qtbot: QtBot) -> None:
    """Define an event, as a user does."""
    window.actions_["new_event"].trigger()
    dialog = open_dialog(window)
    assert fill(dialog, name, long_name, formula)
    qtbot.mouseClick(ok(dialog), Qt.MouseButton.LeftButton)
    process_events()


def test_event_is_added_and_shown_at_once(window: MainWindow, qtbot: QtBot) -> None:
    """A formula becomes an event that every view offers and the settings store."""
    before = events(window)
    add(window, "MissRate", "Miss rate", "D1mr / Dr", qtbot)

    assert set(events(window)) - set(before) == {"MissRate – Miss rate (derived)"}
    assert Settings().definitions == (UserEvent("MissRate", "Miss rate", "D1mr / Dr"),)


def test_invalid_formula_is_explained(window: MainWindow) -> None:
    """An invalid formula disables OK and shows the reason; an empty dialog shows none."""
    mistakes = {  # name and formula, and the word that is wrong
        ("X", "Nope + Ir"): "Nope",
        ("Ir", "2 Dr"): "Ir",
        ("X", "Ir +"): "",
        ("X", "X + Ir"): "X",
        ("two words", "Ir"): "two words",
    }
    window.actions_["new_event"].trigger()
    dialog, found = open_dialog(window), {}
    empty = dialog.problem.text(), ok(dialog).isEnabled()
    for (name, formula), word in mistakes.items():
        possible = fill(dialog, name, "", formula)
        said = dialog.problem.text()
        mended = (fill(dialog, "Fine", "", "Ir + 2 Dr"), dialog.problem.text())
        found[name, formula] = (possible, bool(said), word in said, mended)
    dialog.close()

    assert empty == ("", False)
    assert found == dict.fromkeys(mistakes, (False, True, True, (True, "")))


def test_return_takes_and_escape_does_not(window: MainWindow, qtbot: QtBot) -> None:
    """Return accepts and Escape rejects the dialog."""
    window.actions_["new_event"].trigger()
    dialog = open_dialog(window)
    fill(dialog, "Left", "", "Ir")
    qtbot.keyClick(dialog.formula, Qt.Key.Key_Escape)
    window.actions_["new_event"].trigger()
    dialog = open_dialog(window)
    qtbot.keyClicks(dialog.name, "Taken")
    qtbot.keyClicks(dialog.formula, "2 Ir")
    qtbot.keyClick(dialog.formula, Qt.Key.Key_Return)
    process_events()

    assert [d.name for d in window.settings.definitions] == ["Taken"]


def test_event_is_changed_and_keeps_its_place(window: MainWindow, qtbot: QtBot) -> None:
    """Change shows the present formula; the views show the new one at once."""
    add(window, "A", "", "2 Ir", qtbot)
    add(window, "B", "", "3 Ir", qtbot)
    window.navigation.set(event=window.navigation.context.events.find("A"))
    process_events()
    before = window.status_bar.total.text()
    event = window.navigation.context.event
    assert event is not None
    window.user_events.change(event)
    dialog = open_dialog(window)
    shown = [edit.text() for edit in dialog.findChildren(QLineEdit)]
    fill(dialog, "A", "Five", "5 Ir")
    qtbot.mouseClick(ok(dialog), Qt.MouseButton.LeftButton)
    process_events()

    assert shown == ["A", "", "2 Ir"]
    assert [(d.name, d.formula) for d in window.settings.definitions] == [
        ("A", "5 Ir"),
        ("B", "3 Ir"),
    ]
    assert (before, window.status_bar.total.text()) == ("Total A: 300", "Total Five: 750")


def test_removed_event_is_replaced(window: MainWindow, qtbot: QtBot) -> None:
    """Removing the shown event shows the first one; the settings drop it."""
    add(window, "A", "", "2 Ir", qtbot)
    event = window.navigation.context.events.find("A")
    assert event is not None
    window.navigation.set(event=event, second_event=event)
    process_events()
    window.user_events.remove(event)
    process_events()
    context = window.navigation.context

    assert context.event is not None
    assert (context.event.name, context.second_event) == ("Ir", None)
    assert Settings().definitions == ()
    assert "A" not in [text.split()[0] for text in events(window)]


def test_events_are_there_in_the_next_profile(
    window: MainWindow, draw: Callable[..., Path], open_file: Callable[..., None], qtbot: QtBot
) -> None:
    """A user event is offered in every profile that has its base events."""
    add(window, "MissRate", "", "D1mr / Dr", qtbot)
    open_file(draw("events: Ir Dr D1mr\nmain 1,2,3", "with"))
    having = "MissRate (derived)" in events(window)
    open_file(draw("events: Ir\nmain 1", "without"))
    process_events()

    assert having
    assert window.settings.definitions == (UserEvent("MissRate", "", "D1mr / Dr"),)
    assert window.notices.notice_texts() == {}


def test_hostile_names_of_events_are_text(
    window: MainWindow, open_file: Callable[..., None], tmp_path: Path
) -> None:
    """Any event name of a file is shown as plain text, at a bounded width."""
    path = tmp_path / "hostile"
    path.write_bytes(b"events: <b>x</b> " + b"y" * 100_000 + b"\nfl=a\nfn=main\n1 1 2\n")
    open_file(path)
    window.actions_["new_event"].trigger()
    dialog = open_dialog(window)
    width = dialog.width()
    labels = [label.text() for label in dialog.findChildren(type(dialog.problem))]
    dialog.close()

    assert any("<b>x</b>" in text for text in labels)
    assert width < 1280
    assert max(len(text) for text in labels) < 20_000
