"""How a recording ended, in sentences: what the program did, and what there is of the profile."""

from __future__ import annotations

import contextlib
import shutil
import signal
from dataclasses import dataclass
from pathlib import Path

from qcachegrind_py.formats.recording_output import Completeness, RecordedRun
from qcachegrind_py.tools.valgrind.command import Recording

_MINUTE = 60
_SHORT_RUN = 1 << 20  # bytes that are free on a disk that is called full


@dataclass(frozen=True, slots=True)
class RecordingOutcome:
    """What there is when the program has ended, or was never started."""

    recording: Recording
    seconds: float = 0.0
    exit_code: int | None = None  # None where a signal ended it
    signal: int = 0
    was_stopped: bool = False  # by the user
    runs: tuple[RecordedRun, ...] = ()
    error_text: str = ""  # the last that valgrind said, or why it could not be started

    @property
    def profiles_to_open(self) -> list[RecordedRun]:
        """The profiles worth looking at, the program's own first."""
        return [run for run in self.runs if run.completeness is not Completeness.EMPTY]

    @property
    def is_complete(self) -> bool:
        """Whether the program's own profile is there and whole."""
        return bool(self.runs) and self.runs[0].completeness is Completeness.COMPLETE

    def messages(self) -> str:
        """What happened, and what there is now."""
        if not self.runs:
            return f"No profile was written. {self.error_text}".strip()
        return f"{self._ending_message()} {self._profile_message()}".strip()

    def _ending_message(self) -> str:
        after = f"after {duration(self.seconds)}"
        name = Path(self.recording.program).name
        if self.was_stopped:
            return f"Stopped {after}."
        if self.signal:
            return f"{name} crashed {after}: {signal_name(self.signal)}."
        with_code = f" with code {self.exit_code}" if self.exit_code else ""
        return f"{name} ended {after}{with_code}."

    def _profile_message(self) -> str:
        own = self.runs[0]
        if own.completeness is Completeness.TRUNCATED:
            return _truncation_reason(own.path)
        if own.completeness is Completeness.EMPTY:
            return self._missing_profile_reason()
        is_short = self.was_stopped or self.signal
        return "What was counted until then is in the profile." if is_short else ""

    def _missing_profile_reason(self) -> str:
        options = self.recording.options
        if function := options.get("toggle_collect"):
            return f"Nothing was counted: no function “{function}” was entered."
        if options.get("paused"):
            return "Nothing was counted: it began paused, and was not resumed."
        return "Nothing was counted, or nothing was kept of it."


def _truncation_reason(path: Path) -> str:
    with contextlib.suppress(OSError):
        if shutil.disk_usage(path.parent).free < _SHORT_RUN:
            return f"The profile is cut: the disk of {path.parent} is full."
    return "The profile is cut, and opens as far as it goes."


def signal_name(number: int) -> str:
    """What a signal is called by people and by programs."""
    try:
        return f"{signal.strsignal(number)} ({signal.Signals(number).name})"
    except ValueError:
        return f"signal {number}"


def duration(seconds: float) -> str:
    """A time as people say it: 4.2 s, 38 s, 3:07 min."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < _MINUTE:
        return f"{whole} s"
    return f"{whole // _MINUTE}:{whole % _MINUTE:02} min"
