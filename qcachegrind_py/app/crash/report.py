"""The text of a crash report: versions, system and traceback, no profile data, no home folder.

The module imports no Qt; the version of Qt is reported if it is loaded already.
"""

from __future__ import annotations

import platform
import re
import sys
import threading
import traceback
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from qcachegrind_py.version import version_text

_MAX_LENGTH = 100_000  # characters of a traceback; its middle is cut out
_LIBRARIES = ("PySide6", "numpy", "pyqtgraph")


@dataclass(frozen=True, slots=True)
class CrashReport:
    """A report of one error, and how often it occurred."""

    summary: str  # the error in one line
    text: str  # the whole report
    location: str = ""  # type of the error and lines of its traceback: identifies recurring errors
    path: Path | None = None  # the saved report; None if it was not saved
    count: int = 1  # how often the error occurred
    is_previous_crash: bool = False  # whether it ended the previous run


def create_report(error: BaseException, thread: str = "") -> CrashReport:
    """Create the report of an exception; `thread` defaults to the current thread's name."""
    summary = "".join(traceback.format_exception_only(error)).strip()
    trace = "".join(traceback.format_exception(error))
    thread = thread or threading.current_thread().name
    text = f"{_heading(_single_line(summary))}Thread:   {thread}\n\n{_truncate_middle(trace)}"
    return CrashReport(_single_line(summary), shorten_home(text), _location(error))


def create_fault_report(dump: str, when: datetime) -> CrashReport:
    """Create the report of a crash of the previous run from faulthandler's thread dump."""
    summary = next((line for line in dump.splitlines() if line.strip()), "").strip()
    text = f"{_heading(summary, when)}\n{_truncate_middle(dump)}"
    return CrashReport(_single_line(summary), shorten_home(text), is_previous_crash=True)


def shorten_home(text: str) -> str:
    """Replace the home folder in the text by `~`, so that it does not show the user's name."""
    home = str(Path.home())
    return re.sub(rf"{re.escape(home)}(?![\w.-])", "~", text) if len(home) > 1 else text


def _heading(summary: str, when: datetime | None = None) -> str:
    when = when or datetime.now().astimezone()
    system = platform.freedesktop_os_release().get("PRETTY_NAME", "") if _is_linux() else ""
    versions = [
        f"{name} {version}"
        for name in _LIBRARIES
        if (version := getattr(sys.modules.get(name), "__version__", ""))
    ]
    return (
        f"What:     {summary}\n"
        f"When:     {when.isoformat(' ', 'seconds')}\n"
        f"Program:  {version_text()}\n"
        f"Python:   {platform.python_version()}, {sys.executable}\n"
        f"With:     {', '.join([*versions, *_qt_versions()])}\n"
        f"System:   {', '.join(part for part in (system, platform.platform()) if part)}\n"
    )


def _qt_versions() -> list[str]:
    """The version and platform of Qt, if it is loaded."""
    core: Any = sys.modules.get("PySide6.QtCore")
    gui: Any = sys.modules.get("PySide6.QtGui")
    if core is None or gui is None:
        return []
    return [f"Qt {core.qVersion()} on {gui.QGuiApplication.platformName() or 'no display yet'}"]


def _is_linux() -> bool:
    return any(path.exists() for path in (Path("/etc/os-release"), Path("/usr/lib/os-release")))


def _location(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    lines = (f"{frame.filename}:{frame.lineno}" for frame in frames)
    return " ".join([type(error).__qualname__, *lines])


def _single_line(text: str) -> str:
    """Join the lines into one of at most 200 characters."""
    line = " ".join(text.split())
    return line if len(line) <= 200 else f"{line[:199]}…"


def _truncate_middle(text: str) -> str:
    half = _MAX_LENGTH // 2
    return text if len(text) <= _MAX_LENGTH else f"{text[:half]}\n[…]\n{text[-half:]}"
