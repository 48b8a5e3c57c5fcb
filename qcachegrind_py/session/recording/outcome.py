"""The outcome of a recording in sentences: how the program ended, which profiles were written."""

from __future__ import annotations

import contextlib
import shutil
import signal
from dataclasses import dataclass
from pathlib import Path

from qcachegrind_py.formats.run_files import Completeness, RecordedRun
from qcachegrind_py.profile.numbers import format_duration
from qcachegrind_py.tools.valgrind.recording import Recording

_SHORT_RUN = 1 << 20  # bytes: a disk with less free space counts as full


@dataclass(frozen=True, slots=True)
class RecordingOutcome:
    """The result of a recording that ended or failed to start."""

    recording: Recording
    seconds: float = 0.0
    exit_code: int | None = None  # None if a signal ended the program
    signal: int = 0
    was_stopped: bool = False  # by the user
    runs: tuple[RecordedRun, ...] = ()
    error_text: str = ""  # valgrind's last message, or why it could not be started

    @property
    def profiles_to_open(self) -> list[RecordedRun]:
        """The non-empty profiles, the program's own first."""
        return [run for run in self.runs if run.completeness is not Completeness.EMPTY]

    @property
    def is_complete(self) -> bool:
        """Whether the program's own profile was written completely."""
        return bool(self.runs) and self.runs[0].completeness is Completeness.COMPLETE

    def messages(self) -> str:
        """Return sentences about how the program ended and what was recorded."""
        if not self.runs:
            return f"No profile was written. {self.error_text}".strip()
        return f"{self._ending_message()} {self._profile_message()}".strip()

    def _ending_message(self) -> str:
        after = f"after {format_duration(self.seconds)}"
        name = Path(self.recording.program).name
        if self.was_stopped:
            return f"Stopped {after}."
        if self.signal:
            return f"{name} crashed {after}: {signal_name(self.signal)}."
        with_code = f" with code {self.exit_code}" if self.exit_code else ""
        return f"{name} ended {after}{with_code}."

    def _profile_message(self) -> str:
        run = self.runs[0]
        if run.completeness is Completeness.TRUNCATED:
            return _truncation_reason(run.path)
        if run.completeness is Completeness.EMPTY:
            return self._missing_profile_reason()
        is_short = self.was_stopped or self.signal
        return "The profile contains what was counted until then." if is_short else ""

    def _missing_profile_reason(self) -> str:
        options = self.recording.options
        if function := options.get("toggle_collect"):
            return f"Nothing was counted: the function “{function}” was never entered."
        if options.get("paused"):
            return "Nothing was counted: it started paused and was not resumed."
        return "Nothing was counted."


def _truncation_reason(path: Path) -> str:
    with contextlib.suppress(OSError):
        if shutil.disk_usage(path.parent).free < _SHORT_RUN:
            return f"The profile is incomplete: the disk of {path.parent} is full."
    return "The profile is incomplete."


def signal_name(number: int) -> str:
    """Return a signal's description and name."""
    try:
        return f"{signal.strsignal(number)} ({signal.Signals(number).name})"
    except ValueError:
        return f"signal {number}"
