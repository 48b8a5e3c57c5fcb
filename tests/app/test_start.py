"""Starting without Qt or a display: one sentence with the remedy, no traceback, no abort."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import qcachegrind_py
from tests.first_frame import STARTS, described, imported, listed
from tests.profile_text import EXAMPLE

ROOT = Path(qcachegrind_py.__file__).parents[1]
WITHOUT = (
    "Without a display, “qcachegrind-py report FILE” prints tables, and --screenshot PNG FILE \
saves a picture of the window.\n"
)
_DISPLAYS = ("QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY")
_LIBRARIES_FOR_LATER = (
    "PySide6.QtNetwork",
    "capstone",
    "numpy.ma.",
    "pygments",
    "pyqtgraph",
    "wasmtime",
)
_ON_LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="displays of Linux")


def started(
    tmp_path: Path, *arguments: str, stub: Path | None = None, **environment: str
) -> tuple[int, str]:
    """Exit code and standard error of the command in an environment without a display."""
    kept = {name: value for name, value in os.environ.items() if name not in _DISPLAYS}
    paths = [str(stub)] if stub is not None else []
    paths += os.environ["PYTHONPATH"].split(os.pathsep) if "PYTHONPATH" in os.environ else []
    ran = subprocess.run(
        [sys.executable, "-m", "qcachegrind_py", *arguments],
        cwd=ROOT,
        env={
            **kept,
            "HOME": str(tmp_path),
            "PYTHONPATH": os.pathsep.join(paths),
            "PYTHONUTF8": "1",
            "XDG_RUNTIME_DIR": str(tmp_path),
            **environment,
        },
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return ran.returncode, ran.stderr


@_ON_LINUX
def test_missing_display_is_reported(tmp_path: Path) -> None:
    """In a terminal the message names what works there."""
    assert started(tmp_path) == (
        1,
        "qcachegrind-py: There is no display: DISPLAY and WAYLAND_DISPLAY are not set.\n" + WITHOUT,
    )


@_ON_LINUX
def test_unknown_platform_is_reported(tmp_path: Path) -> None:
    """The message names the setting and how to unset it."""
    code, said = started(tmp_path, QT_QPA_PLATFORM="wat")

    assert code == 1
    assert said.startswith("qcachegrind-py: QT_QPA_PLATFORM is “wat”, but Qt only supports ")
    assert said.endswith("\nTo let Qt choose: unset QT_QPA_PLATFORM\n")
    assert said.count("\n") == 2


@_ON_LINUX
def test_unusable_display_is_reported(tmp_path: Path) -> None:
    """Whatever keeps X11 from starting, the message is one sentence with a remedy."""
    code, said = started(tmp_path, DISPLAY=":4711")

    assert code == 1
    assert said.startswith(
        ("qcachegrind-py: The display cannot be opened (DISPLAY=:4711): ",
         "qcachegrind-py: Qt cannot start: libx")  # without the libraries of X11
    )  # fmt: skip
    assert "Traceback" not in said


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        ("ModuleNotFoundError('x', name='PySide6')", "PySide6 is not installed"),
        ("ImportError('libno.so.1: cannot open shared object file: x')", "libno.so.1"),
    ],
)
@pytest.mark.parametrize("arguments", [(), ("--screenshot", "x.png", "x")])
def test_unloadable_qt_is_reported(
    tmp_path: Path, error: str, sentence: str, arguments: tuple[str, ...]
) -> None:
    """A failing import shows no traceback, with or without a window."""
    (tmp_path / "PySide6").mkdir()
    (tmp_path / "PySide6" / "__init__.py").write_text(f"raise {error}\n")

    code, said = started(tmp_path, *arguments, stub=tmp_path)

    assert code == 1
    assert sentence in said.splitlines()[0]
    assert "Traceback" not in said


_CRASH = """
import ctypes, sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from qcachegrind_py.app import start
from qcachegrind_py.app.window import MainWindow

def act(window):
    if sys.argv[1] == "crash":
        ctypes.string_at(0)
    print(window.notices.notice_texts().get("crash"))
    QTimer.singleShot(100, QApplication.quit)
    if sys.argv[1] == "error":
        window.no_such_method()

show = MainWindow.show
MainWindow.show = lambda window: (show(window), QTimer.singleShot(0, lambda: act(window)))
print(start.run([], None, (100, 100)))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals end programs elsewhere")
def test_crash_is_reported_at_the_next_start(tmp_path: Path) -> None:
    """A crash by a signal is reported and saved; an exception only saves a report."""
    environment = {**os.environ, "HOME": str(tmp_path), "QT_QPA_PLATFORM": "offscreen"}
    environment |= {"XDG_STATE_HOME": str(tmp_path / "s"), "XDG_CONFIG_HOME": str(tmp_path / "c")}
    ran = [
        subprocess.run(
            [sys.executable, "-c", _CRASH, word],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        for word in ("crash", "error")
    ]

    folder = tmp_path / "s/qcachegrind_py/log"
    reports = [path.read_text("utf-8") for path in sorted(folder.glob("crash-*"), key=_stem)]
    assert [one.returncode for one in ran] == [-signal.SIGSEGV, 0]
    assert ran[1].stdout == "The program crashed last time.\n0\n"
    assert "What:     Fatal Python error: Segmentation fault\n" in reports[0]
    assert 'File "<string>", line 10 in act' in reports[0]
    assert "AttributeError: 'MainWindow' object has no attribute 'no_such_method'" in reports[1]
    assert len(reports) == 2
    assert sorted(path.name for path in folder.glob("running-*")) == []
    assert folder.joinpath("qcachegrind_py.log").read_text().count(" started\n") == 2


def _stem(path: Path) -> str:
    return path.stem


@pytest.mark.parametrize("start", STARTS)
def test_start_imports_what_the_first_frame_shows(start: str) -> None:
    """Exactly the listed modules, each of which is paid for, and PySide reads no source.

    Numpy takes a tenth of a start; it is loaded when there is a profile.

    If one more is shown in the first frame, or one is no longer imported, `python -m
    tests.first_frame` writes the list anew.
    """
    modules, read = imported(STARTS[start])
    later = _LIBRARIES_FOR_LATER if STARTS[start] else (*_LIBRARIES_FOR_LATER, "numpy.lib")
    early = [name for name in modules if name.startswith(later)]

    assert described(start, modules).splitlines() == listed(start)
    assert (early, read) == ([], [])


_FINDERS = """
import sys, threading
from pathlib import Path

class Finders(list):
    def remove(self, finder):
        print(*(thread.name for thread in threading.enumerate()))
        super().remove(finder)

sys.meta_path = Finders(sys.meta_path)
from qcachegrind_py.app import start
start.run([sys.argv[1]], sys.argv[2], (100, 100))
"""


def test_no_thread_imports_while_finders_are_removed(tmp_path: Path) -> None:
    """An import skips a finder, and misses its module, if another thread shortens the list."""
    ran = subprocess.run(
        [sys.executable, "-c", _FINDERS, str(EXAMPLE), str(tmp_path / "x.png")],
        cwd=ROOT,
        env={**os.environ, "HOME": str(tmp_path), "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )

    assert (ran.returncode, ran.stderr) == (0, "")
    assert set(ran.stdout.splitlines()) <= {"MainThread"}
