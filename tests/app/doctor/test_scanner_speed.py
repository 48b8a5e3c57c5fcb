"""What is said where the scanner is not compiled."""

from __future__ import annotations

import os
import re
import sys
import sysconfig
from pathlib import Path

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QStatusBar
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.doctor import scanner_speed
from qcachegrind_py.app.doctor.packages import compile_line
from qcachegrind_py.app.doctor.scanner_speed import (
    COMPILED_SPEED,
    INTERPRETED_SPEED,
    slow_scanner_text,
)
from qcachegrind_py.app.frame.status_bar import StatusBar
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.formats.callgrind.scanner import COMPILED
from qcachegrind_py.tools import system_packages

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("manager", "compiler", "first_step"),
    [
        ("apt-get", sys.executable, ""),
        ("dnf", "no-such-compiler", "dnf install gcc python3-devel && "),
        ("", "no-such-compiler", "Install a C compiler, then: "),
    ],
)
def test_remedy_has_only_the_steps_that_are_needed(
    manager: str,
    compiler: str,
    first_step: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A compiler is installed if it or Python's headers are missing; then this program again."""
    (tmp_path / "Python.h").touch()
    monkeypatch.setattr(sysconfig, "get_path", lambda _name: str(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: 0, raising=False)
    monkeypatch.setattr(system_packages, "package_manager", lambda: manager)
    monkeypatch.setattr(scanner_speed, "COMPILED", False)
    monkeypatch.setenv("CC", compiler)

    assert slow_scanner_text() == (
        "The scanner is not compiled and reads 3.5 MB/s instead of 290. "
        f"To compile it: {first_step}{compile_line()}"
    )


def test_status_bar_explains_while_opening(qtbot: QtBot) -> None:
    """The explanation is shown while a file is read, not while one is written, and in a tip."""
    bar = QStatusBar()
    qtbot.addWidget(bar)
    status = StatusBar(bar, QAction("Stop", bar))
    status.begin_progress("big")
    before = (status.file.text(), status.speed.isVisibleTo(bar))

    status.show_slow_scanner("Get a <compiler>.")
    status.begin_progress("big")
    opening = status.file.text()
    status.begin_progress("big", "Saving")

    assert (before, status.speed.isVisibleTo(bar)) == (("Opening big…", False), True)
    assert (opening, status.file.text()) == ("Opening big…  Get a <compiler>.", "Saving big…")
    assert "Get a &lt;compiler&gt;." in status.speed.toolTip()


def test_window_says_that_the_scanner_is_not_compiled(window: MainWindow) -> None:
    """Only with an interpreted scanner."""
    assert window.status_bar.speed.isVisible() == (not COMPILED)


@pytest.mark.parametrize("document", ["README.md", "docs/design.md"])
def test_documents_state_the_measured_speeds(document: str) -> None:
    """The first two speeds of a document are those that the program states."""
    text = (ROOT / document).read_text("utf-8")
    speeds = re.findall(r"([\d.]+) MB/s", text)[:2]

    assert [float(speed) for speed in speeds] == [COMPILED_SPEED, INTERPRETED_SPEED]
