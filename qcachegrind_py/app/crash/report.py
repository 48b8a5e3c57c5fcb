"""Crash reports, without profile data and home folder, and the folder that keeps the latest."""

from __future__ import annotations

import contextlib
import faulthandler
import os
import platform
import re
import sys
import threading
import traceback
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, TextIO

from qcachegrind_py.formats.compression import atomic_write, is_unlocked, lock
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.errors import UnwritableFile
from qcachegrind_py.version import version_text
from qcachegrind_py.visible_text import visible_lines

_MAX_LENGTH = 100_000  # characters of a traceback; its middle is cut out
_LIBRARIES = ("PySide6", "numpy", "pyqtgraph")


@frozen(eq=True)
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


def log_folder() -> Path:
    """Return the folder of logs and crash reports; it may not exist yet."""
    import platformdirs  # the doctor works without it

    return Path(platformdirs.user_log_path("qcachegrind_py", appauthor=False))


def shorten_home(text: str) -> str:
    """Replace the home folder in the text by `~`, so that it does not show the user's name."""
    home = str(Path.home())
    return re.sub(rf"{re.escape(home)}(?![\w.-])", "~", text) if len(home) > 1 else text


def _heading(summary: str, when: datetime | None = None) -> str:
    when = when or datetime.now().astimezone()
    try:
        system = platform.freedesktop_os_release().get("PRETTY_NAME", "")
    except OSError:  # not Linux
        system = ""
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


_MAX_REPORTS = 10
_MAX_DUMP_BYTES = 200_000  # read from a dump
_FOLDER_MODE = 0o700


class CrashReportStore:
    """The saved reports of a folder, and the fault handler's file of this run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._run_file: TextIO | None = None

    def save(self, report: CrashReport) -> CrashReport:
        """Write the report to a file; return it with the path, or unchanged if that fails."""
        time = datetime.now().strftime("%Y-%m-%d-%H%M%S")
        names = (f"crash-{time}{number}.txt" for number in ("", *(f"-{n}" for n in range(2, 99))))
        try:
            self._make_folder()
            path = next(path for name in names if not (path := self.folder / name).exists())
            with atomic_write(path) as stream:
                stream.write(visible_lines(report.text).encode())
            _remove(self.reports()[:-_MAX_REPORTS])
        except (OSError, StopIteration, UnwritableFile):
            return report
        return replace(report, path=path)

    def reports(self) -> list[Path]:
        return sorted(self.folder.glob("crash-*.txt"), key=_age)

    def enable_fault_handler(self) -> None:
        """Let Python dump its threads to the file of this run on a fatal signal."""
        with contextlib.suppress(OSError):
            self._make_folder()
            self._run_file = self._run_path().open("w", encoding="utf-8")
            lock(self._run_file.fileno())
            faulthandler.enable(self._run_file)

    def disable_fault_handler(self) -> None:
        """Close and remove the file of this run, which ended normally."""
        if self._run_file is not None:
            faulthandler.disable()
            self._run_file.close()
            self._run_file = None
            _remove([self._run_path()])

    def previous_crash(self) -> CrashReport | None:
        """Save and return the report of the latest crash not yet reported; None without one."""
        runs = (path for path in self.folder.glob("running-*.txt") if path != self._run_path())
        dumps = [_consume_dump(path) for path in runs if is_unlocked(path)]
        crashes = [dump for dump in dumps if dump is not None]
        if not crashes:
            return None
        return [self.save(create_fault_report(text, when)) for when, text in sorted(crashes)][-1]

    def _run_path(self) -> Path:
        return self.folder / f"running-{os.getpid()}.txt"

    def _make_folder(self) -> None:
        self.folder.mkdir(_FOLDER_MODE, parents=True, exist_ok=True)


def _consume_dump(path: Path) -> tuple[datetime, str] | None:
    """Read and remove the file of a run; return time and dump, or None if it is empty."""
    try:
        with path.open("rb") as stream:
            text = stream.read(_MAX_DUMP_BYTES).decode("utf-8", "replace")
        when = datetime.fromtimestamp(path.stat().st_mtime).astimezone()
        path.unlink()
    except OSError:
        return None
    return (when, text) if text.strip() else None


def _age(path: Path) -> tuple[float, str]:
    with contextlib.suppress(OSError):
        return path.stat().st_mtime, path.name
    return 0.0, path.name


def _remove(paths: Iterable[Path]) -> None:
    for path in paths:
        with contextlib.suppress(OSError):
            path.unlink()
