"""Findings about our files: settings, logs and crash reports, the desktop's entry; and about text.

Nothing is changed: neither the settings nor a folder.
"""

from __future__ import annotations

import codecs
import locale
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from qcachegrind_py.app.doctor.findings import Finding, State
from qcachegrind_py.app.doctor.python_packages import program_line
from qcachegrind_py.session.settings.ini_checks import settings_path, why_broken, why_not_writable

_ENTRY = "applications/qcachegrind_py.desktop"


def place_findings() -> Iterator[Finding]:
    """None of these keeps the program from working."""
    yield _settings(settings_path())
    yield _reports()
    if sys.platform.startswith("linux"):
        yield _desktop()
    yield _encoding()


def _settings(path: Path) -> Finding:
    broken = why_broken(path)
    if broken:
        how = "The next start keeps a copy beside it, and takes of it what makes sense."
        return Finding(State.NOTE, "Settings", f"{path}: {broken}", how)
    unwritable = why_not_writable(path)
    if unwritable:
        return Finding(State.NOTE, "Settings", f"{path}: are not remembered: {unwritable}")
    return Finding(State.GOOD, "Settings", f"{path}{'' if path.exists() else ', not there yet'}")


def _reports() -> Finding:
    try:
        from qcachegrind_py.app.crash.log_file import log_folder
        from qcachegrind_py.app.crash.report_store import CrashReportStore
    except ImportError:
        return Finding(State.NOTE, "Logs and reports", "nowhere, without platformdirs")
    folder = log_folder()
    number = len(CrashReportStore(folder).reports())
    crashes = f"{number} crash report{'' if number == 1 else 's'}" if number else "no crash reports"
    return Finding(State.GOOD, "Logs and reports", f"{folder}, {crashes}")


def _desktop() -> Finding:
    """Whether the user's desktop, or the system's, knows us."""
    home = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local/share")
    system = os.environ.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
    for folder in (home, *system.split(":")):
        if folder and (Path(folder) / _ENTRY).is_file():
            return Finding(State.GOOD, "Desktop", str(Path(folder) / _ENTRY))
    says = "profiles do not open by a double click"
    return Finding(State.NOTE, "Desktop", says, program_line("--install-desktop"))


def _encoding() -> Finding:
    """What text is written in."""
    encoding = locale.getencoding()
    language = locale.setlocale(locale.LC_CTYPE).partition(".")[0]
    if codecs.lookup(encoding).name == "utf-8":
        return Finding(State.GOOD, "Locale", f"{language}, {encoding}")
    says = f"{language}, {encoding}: names of files with other letters are not shown well"
    return Finding(State.NOTE, "Locale", says, "export LC_ALL=C.UTF-8")
