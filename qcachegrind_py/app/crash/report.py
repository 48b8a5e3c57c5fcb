"""The text of a crash report: versions, system, traceback; nothing of a profile, no home folder.

No Qt is imported: what of it is loaded is asked for its version.
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

_MAX_LENGTH = 100_000  # characters of a traceback: its two ends
_LIBRARIES = ("PySide6", "numpy", "pyqtgraph")


@dataclass(frozen=True, slots=True)
class CrashReport:
    """What went wrong."""

    summary: str  # the error in one line
    text: str  # the whole report
    location: str = (
        ""  # kind of error, files and lines on the way to it: another one is another error
    )
    path: Path | None = None  # where the report is, if it could be saved
    count: int = 1  # how often this was met
    is_previous_crash: bool = False  # whether the program ended by it the last time


def create_report(error: BaseException, thread: str = "") -> CrashReport:
    """A report of an exception that nobody caught; the thread is the current one."""
    summary = "".join(traceback.format_exception_only(error)).strip()
    trace = "".join(traceback.format_exception(error))
    thread = thread or threading.current_thread().name
    text = f"{_heading(_single_line(summary))}Thread:   {thread}\n\n{_truncate_middle(trace)}"
    return CrashReport(_single_line(summary), shorten_home(text), _location(error))


def create_fault_report(dump: str, when: datetime) -> CrashReport:
    """A report of what ended the program the last time, from Python's dump of its threads."""
    summary = next((line for line in dump.splitlines() if line.strip()), "").strip()
    text = f"{_heading(summary, when)}\n{_truncate_middle(dump)}"
    return CrashReport(_single_line(summary), shorten_home(text), is_previous_crash=True)


def shorten_home(text: str) -> str:
    """The text without the name of the user in paths."""
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
    """The version and the platform of Qt, where it is at work."""
    core: Any = sys.modules.get("PySide6.QtCore")
    gui: Any = sys.modules.get("PySide6.QtGui")
    if core is None or gui is None:
        return []
    return [f"Qt {core.qVersion()} on {gui.QGuiApplication.platformName() or 'no display yet'}"]


def _is_linux() -> bool:
    return any(path.exists() for path in (Path("/etc/os-release"), Path("/usr/lib/os-release")))


def _location(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    way = (f"{frame.filename}:{frame.lineno}" for frame in frames)
    return " ".join([type(error).__qualname__, *way])


def _single_line(text: str) -> str:
    """One line, not too long for a sentence."""
    line = " ".join(text.split())
    return line if len(line) <= 200 else f"{line[:199]}…"


def _truncate_middle(text: str) -> str:
    half = _MAX_LENGTH // 2
    return text if len(text) <= _MAX_LENGTH else f"{text[:half]}\n[…]\n{text[-half:]}"
