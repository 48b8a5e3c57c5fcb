"""Check the tools that the program uses and the files that it keeps; change nothing."""

from __future__ import annotations

import codecs
import locale
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from qcachegrind_py.app.doctor.findings import Finding, State
from qcachegrind_py.app.doctor.python_packages import program_line
from qcachegrind_py.app.doctor.system_libraries import remedy
from qcachegrind_py.profile.numbers import plural
from qcachegrind_py.session.settings.ini_checks import settings_path, why_broken, why_not_writable
from qcachegrind_py.tools.command_line import program_path
from qcachegrind_py.tools.editor import known_editors

_ENTRY = "applications/qcachegrind_py.desktop"
_VALGRIND = dict.fromkeys(("apt-get", "dnf", "pacman", "zypper", "apk"), "valgrind")
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
        how = remedy(_VALGRIND) or "See https://valgrind.org"
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
        from qcachegrind_py.app.crash.log_file import log_folder
        from qcachegrind_py.app.crash.report_store import CrashReportStore
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
