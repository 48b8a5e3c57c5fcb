"""The window withstands 500 random steps, and the run notices each kind of trouble."""

from __future__ import annotations

import io
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer, qWarning
from pytestqt.qtbot import QtBot

from tests.monkey.watch import Watch

_ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_500_random_steps_find_nothing(tmp_path: Path) -> None:
    """No exception, warning or long gap, and nothing left behind; in a process of its own.

    If this fails, `python -m tests.monkey` does the same again, as it prints.
    """
    ran = subprocess.run(
        [sys.executable, "-m", "tests.monkey", "--steps", "500", "--seed", "1"],
        cwd=_ROOT, capture_output=True, text=True, check=False,
        env={**_environment(), "TMPDIR": str(tmp_path)},
    )  # fmt: skip
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.splitlines()[1] == "seed 1, 500 steps from 1: 0 findings"
    assert list(tmp_path.iterdir()) == []


def _environment() -> dict[str, str]:
    return {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(_ROOT)}


@pytest.fixture
def watch(qtbot: QtBot) -> Iterator[Watch]:
    """A watch over this process; it knows of one step."""
    watch = Watch(7, io.StringIO(), limit=0.5)
    hooks = sys.excepthook, threading.excepthook, sys.unraisablehook
    watch.install()
    watch.begin_step("12 click")
    yield watch
    watch.remove()
    sys.excepthook, threading.excepthook, sys.unraisablehook = hooks


def _raise() -> None:
    raise ValueError("raised")


def _raise_in_thread() -> None:
    thread = threading.Thread(target=_raise)
    thread.start()
    thread.join()


def _raise_when_deleted() -> None:
    class Broken:
        def __del__(self) -> None:
            raise ValueError("raised")

    Broken()


def _work_too_long() -> None:
    end = time.thread_time() + 0.6
    while time.thread_time() < end:
        pass


@pytest.mark.parametrize(
    ("trouble", "finding"),
    [
        (_raise, "exception: "),
        (_raise_in_thread, "thread: "),
        (_raise_when_deleted, "unraisable"),
        (_work_too_long, "gap: 0."),
        (lambda: qWarning("warned"), "Qt: warned"),
        (lambda: logging.getLogger("any").warning("logged"), "log: logged"),
    ],
    ids=["slot", "thread", "deletion", "gap", "Qt", "log"],
)
def test_trouble_is_a_finding(
    watch: Watch,
    qtbot: QtBot,
    capsys: pytest.CaptureFixture[str],
    trouble: Callable[[], None],
    finding: str,
) -> None:
    """Each is kept and printed with the seed and the step."""
    QTimer.singleShot(0, trouble)
    qtbot.waitUntil(lambda: bool(watch.findings))
    assert watch.findings[0].startswith(finding)
    printed = capsys.readouterr().err
    assert printed.endswith("after\n  12 click: …\n\n")
    assert f"seed 7: {finding}" in printed
