"""A journey to the costs of a program that was started elsewhere, with the installed valgrind."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.recording.running_dialog import RunningDialog
from qcachegrind_py.app.window import MainWindow
from tests.user_input import (
    LEFT,
    WindowUser,
    active_name,
    ignore_offscreen_warnings,
    process_events,
    without_mnemonic,
)

NEEDED = ("valgrind", "vgdb")
MISSING = [name for name in NEEDED if shutil.which(name) is None]
pytestmark = [
    ignore_offscreen_warnings,
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}"),
]
LOOP = "while :; do :; done"
ALT = Qt.KeyboardModifier.AltModifier
CTRL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def process(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A shell that counts for ever under callgrind, in an environment unlike that of the window."""
    environment = os.environ | {"LOGNAME": "someone", "HOST": "elsewhere", "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        ["valgrind", "--tool=callgrind", "/bin/sh", "-c", LOOP],
        cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        yield process
        process.kill()


class User(WindowUser):
    """A user who looks at a program that runs in a terminal."""

    @property
    def dialog(self) -> RunningDialog:
        assert self.window.running.dialog is not None
        return self.window.running.dialog

    def choose(self, pid: int) -> None:
        """Open the dialog by its key, and click the program's row."""
        QTest.keyClick(self.window, Qt.Key.Key_D, CTRL_SHIFT)
        model, table = self.dialog.model, self.dialog.table
        self.wait(lambda: model.row_of(pid) >= 0)
        cell = table.visualRect(model.index(model.row_of(pid), 0))
        QTest.mouseClick(table.viewport(), LEFT, pos=cell.center())

    def dump(self) -> None:
        """Press the key of Dump Now, and wait until the part is shown."""
        before = self.window.session.queries
        QTest.keyClick(self.dialog, Qt.Key.Key_N, ALT)
        self.wait(lambda: self.window.session.queries is not before)

    @property
    def part_numbers(self) -> list[int]:
        queries = self.window.session.queries
        assert queries is not None
        return [part.part for part in queries.profile.parts]


@pytest.fixture
def user(window: MainWindow, qtbot: QtBot) -> User:
    window.resize(1280, 800)
    window.show()
    return User(window, qtbot)


def test_two_looks_at_a_program_that_runs_elsewhere(
    user: User, process: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    """Each dump is a part of the program's profile; the second one keeps the user's place."""
    user.choose(process.pid)
    panel = user.dialog.panel
    user.wait(lambda: panel.dump.isEnabled() and "Ir" in panel.state.text())
    state, stack = panel.state.text(), user.dialog.stack.text()
    user.dump()
    first, place = user.part_numbers, (user.window.session, user.window.navigation)
    QTest.keyClick(user.window, Qt.Key.Key_H, Qt.KeyboardModifier.ControlModifier)
    process_events()
    function = active_name(*place)
    user.dump()
    QTest.keyClick(user.dialog, Qt.Key.Key_U, ALT)
    user.wait(lambda: without_mnemonic(panel.pause.text()) == "Resume")
    user.wait(lambda: panel.state.text() == "paused")
    process.kill()
    user.wait(lambda: user.dialog.model.row_of(process.pid) < 0)

    assert re.fullmatch(r"counting · [\d.]+ [kMG]? ?Ir", state)
    assert len(stack.split(" ← ")) > 1
    assert (first, user.part_numbers) == ([1], [1, 2])
    assert active_name(*place) == function
    assert user.window.session.paths == (tmp_path / f"callgrind.out.{process.pid}",)
    assert user.dialog.message.text() == "sh has ended."
