"""The record dialog with a stub of valgrind: validation, messages, and opening the result."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QLineEdit, QMessageBox, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.recording.record_dialog import RecordDialog
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.session.recorder import recent_recordings
from qcachegrind_py.session.settings.store import Settings
from qcachegrind_py.tools.command_line import split
from qcachegrind_py.tools.valgrind.recording import Recording, all_options
from tests.fake_valgrind import install
from tests.user_input import (
    WindowUser,
    ignore_offscreen_warnings,
    process_events,
    without_mnemonic,
)

pytestmark = [
    ignore_offscreen_warnings,
    pytest.mark.skipif(sys.platform != "linux", reason="the stand-ins need /proc"),
]


class User(WindowUser):
    """A user with the record dialog open."""

    def __init__(self, window: MainWindow, folder: Path, qtbot: QtBot) -> None:
        super().__init__(window, qtbot)
        self.recorder = window.recording.recorder
        window.actions_["record"].trigger()
        assert window.recording.dialog is not None
        self.dialog: RecordDialog = window.recording.dialog
        self.form, self.run = self.dialog.form, self.dialog.run
        self.form.folder.setText(str(folder))
        self.form.output.setText(str(folder / "profiles"))

    def record(self, *arguments: str) -> None:
        self.form.program.setText("/bin/true")
        self.form.arguments.setText(" ".join(arguments))
        self.click(self.dialog.record)

    def wait_until_ready(self) -> None:
        self.wait(lambda: "ready" in self.run.output.toPlainText())

    def wait_for_end(self) -> None:
        self.wait(lambda: not self.recorder.is_running)
        self.wait(lambda: not self.window.session.is_opening)

    @property
    def opened(self) -> list[str]:
        return [path.name.rpartition("-")[2][6:] for path in self.window.session.paths]

    @property
    def notice(self) -> str:
        return self.window.notices.notice_texts().get("recording", "")


@pytest.fixture
def user(window: MainWindow, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> User:
    install(tmp_path / "bin")
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    return User(window, tmp_path, qtbot)


def test_invalid_input_blocks_recording(user: User, tmp_path: Path) -> None:
    """Each problem is reported while typing, and Record is disabled until it is fixed."""
    seen = []
    for program, arguments in (("", ""), ("nope", ""), ("true", "'a"), ("true", "'a b' $X \"\"")):
        user.form.program.setText(program)
        user.form.arguments.setText(arguments)
        seen.append((user.dialog.message.text(), user.dialog.record.isEnabled()))

    slow = "Programs run about 50 times slower while they are recorded, and get no keyboard input."
    assert seen == [
        (f"Choose a program. {slow}", False),
        ("The program nope was not found. Choose it with Browse, or enter its full path.", False),
        ("Arguments: Unclosed quote.", False),
        (slow, True),
    ]
    assert user.form.words.text() == "[a b] [$X] []"
    user.click(user.run.copy)
    copied = split(QGuiApplication.clipboard().text())
    assert copied == split(user.run.command.toPlainText())
    assert (copied[0], copied[-3:]) == (f"{tmp_path}/bin/valgrind", ["a b", "$X", ""])


def test_every_option_is_explained_and_taken(user: User) -> None:
    """Each option has an explanation and changes the command."""
    user.form.program.setText("true")
    options = user.dialog.options
    texts = [label.text() for label in options.findChildren(QLabel)]
    options.show_values({o.name: True for o in all_options() if o.default is False} | {
        "separate_callers": 3, "separate_recs": 4, "toggle_collect": "f", "dump_every": 1
    })  # fmt: skip
    shown = split(user.run.command.toPlainText())

    assert [o.name for o in all_options() if f"{o.benefit} {o.cost}".strip() not in texts] == []
    assert [o.switch for o in all_options() if not any(w.startswith(o.switch) for w in shown)] == []
    assert all(edit.accessibleDescription() for edit in options.editors.values())


def test_recorded_profile_opens(user: User, tmp_path: Path) -> None:
    """On success the profile replaces the dialog; the next dialog has the same fields."""
    user.dialog.options.show_values({"cache_sim": True})
    user.record("0", "'a b'")
    user.wait_for_end()

    (process,) = user.opened
    assert process.lstrip(".").isdigit()
    assert not user.dialog.isVisible()
    (recent,) = recent_recordings(Settings())
    folder, output = str(tmp_path), str(tmp_path / "profiles")
    options = {"cache_sim": True}
    assert recent == Recording("/bin/true", ("0", "a b"), folder, output, options=options)
    again = RecordDialog(Settings(), user.recorder, user.window)
    assert again.form.recording(again.options.values()) == recent
    assert [action.text() for action in again.form.recent.menu().actions()] == ["&1  true 0 'a b'"]


def test_failed_recording_keeps_the_dialog(user: User) -> None:
    """A crash or an empty profile is reported in the dialog; recorded costs still open."""
    user.record("nothing")
    user.wait_for_end()
    nothing = user.dialog.message.text(), user.opened, user.dialog.open_button.isVisible()
    user.record("crash")
    user.wait_for_end()
    crashed = user.dialog.message.text(), len(user.opened), user.dialog.open_button.isVisible()

    assert nothing[0].endswith("Nothing was counted.")
    assert nothing[1:] == ([], False)
    assert "Segmentation fault (SIGSEGV)" in crashed[0]
    assert crashed[1:] == (1, True)
    assert user.dialog.isVisible()


def test_a_part_opens_while_the_program_runs(user: User) -> None:
    """A dumped part opens while the program runs, and the dialog shows the progress."""
    user.record("wait")
    user.wait_until_ready()
    user.click(user.run.control.dump)
    user.wait(lambda: user.opened)
    user.wait(lambda: "Ir" in user.run.control.state.text())
    during = user.opened[0][-2:], user.dialog.isVisible(), user.recorder.is_running
    fields = user.form.isEnabled(), without_mnemonic(user.dialog.record.text())
    state = user.run.control.state.text()
    user.click(user.dialog.record)
    user.wait_for_end()

    assert during == (".1", True, True)
    assert fields == (False, "Stop")
    assert state.endswith(" · 12.35 k Ir since the last part · in work")
    assert not user.opened[0].endswith(".1")


def test_a_hidden_recording_goes_on(user: User) -> None:
    """Closing the dialog leaves a notice; the finished profile does not open by itself."""
    user.record("wait")
    user.wait_until_ready()
    QTest.keyClick(user.dialog, Qt.Key.Key_Escape)
    process_events()
    hidden = user.dialog.isVisible(), user.notice
    user.window.notices.close_all()  # as when a profile is opened meanwhile
    assert user.notice == hidden[1]
    user.recorder.stop()
    user.wait_for_end()

    assert hidden == (False, "true is being recorded.")
    assert user.notice.startswith("true: Stopped after ")
    assert user.opened == []
    (open_,) = [b for b in user.window.notices.findChildren(QPushButton) if b.text() == "Open"]
    user.click(open_)
    user.wait(lambda: len(user.opened) == 1)


def test_closing_the_window_asks(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """Closing the window during a recording asks first; then no process is left."""
    asked: list[str] = []

    def answer(box: QMessageBox) -> int:
        role = QMessageBox.ButtonRole.AcceptRole if asked else QMessageBox.ButtonRole.RejectRole
        asked.append(box.text())
        (button,) = [b for b in box.buttons() if box.buttonRole(b) == role]
        button.click()
        return 0

    monkeypatch.setattr(QMessageBox, "exec", answer)
    user.record("wait")
    user.wait_until_ready()
    stays = not user.window.close()
    still = user.recorder.is_running
    closed = user.window.close()

    assert (stays, still, closed) == (True, True, True)
    assert asked == ["true is still being recorded."] * 2
    assert not user.recorder.is_running


def test_without_valgrind_the_dialog_says_how_to_get_it(
    user: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The install command can be copied; after running it, one check suffices."""
    user.form.program.setText("/bin/true")
    path = os.environ["PATH"]
    monkeypatch.setenv("PATH", "/nowhere")
    user.dialog.find_valgrind()
    process_events()
    banner = user.dialog.banner
    missing = banner.isVisible(), user.dialog.record.isEnabled()
    (line,) = banner.findChildren(QLineEdit)
    (again,) = [
        b for b in banner.findChildren(QPushButton) if without_mnemonic(b.text()) == "Check Again"
    ]
    monkeypatch.setenv("PATH", path)
    user.click(again)

    assert missing == (True, False)
    assert "valgrind" in line.text() or not line.isVisible()
    assert (banner.isVisible(), user.dialog.record.isEnabled()) == (False, True)


def test_keyboard_and_names(user: User) -> None:
    """Every control has a name and is reached by Tab; Return starts the recording."""
    user.form.program.setText("/bin/true")
    reached: list[QWidget] = []
    widget = user.dialog.focusWidget()
    while widget is not None and widget not in reached:
        reached.append(widget)
        QTest.keyClick(widget, Qt.Key.Key_Tab)
        widget = user.dialog.focusWidget()
    buttons = [b for b in user.dialog.findChildren(QPushButton) if b.isVisible() and b.isEnabled()]
    edits = [user.form.program, user.form.arguments, user.form.environment, user.form.folder]
    wanted: list[QWidget] = [
        *buttons,
        *edits,
        user.form.extra,
        *user.dialog.options.editors.values(),
    ]

    names = [w.accessibleName() or getattr(w, "text", lambda: "")() for w in reached]
    assert [w for w in wanted if w not in reached] == []
    assert [w for w, name in zip(reached, names, strict=True) if not name] == []
    user.form.arguments.setFocus()
    QTest.keyClick(user.form.arguments, Qt.Key.Key_Return)
    assert user.recorder.command[-1] == "/bin/true"
    user.wait_for_end()
