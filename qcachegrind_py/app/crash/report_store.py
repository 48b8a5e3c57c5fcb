"""The folder of the latest crash reports, and detection of a crash of the previous run.

A crash in C ends the program before Python can write a report. So each run has a file of its own,
locked while it runs, to which Python's `faulthandler` dumps the threads on a fatal signal. A file
that is unlocked and not empty records a crash. Errors of the file system are ignored here.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from qcachegrind_py.formats.atomic_write import atomic_write, is_unlocked, lock
from qcachegrind_py.profile.errors import UnwritableFile
from qcachegrind_py.visible_text import visible_lines

if TYPE_CHECKING:
    from qcachegrind_py.app.crash.report import CrashReport

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
        """The files of the saved reports, oldest first."""
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
        crashes = [
            crash for path in self._stale_run_files() if (crash := _consume_dump(path)) is not None
        ]
        if not crashes:
            return None
        from qcachegrind_py.app.crash.report import create_fault_report

        return [self.save(create_fault_report(text, when)) for when, text in sorted(crashes)][-1]

    def _stale_run_files(self) -> Iterable[Path]:
        """The files of runs that have ended."""
        current = self._run_path()
        return [
            path
            for path in self.folder.glob("running-*.txt")
            if path != current and is_unlocked(path)
        ]

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
