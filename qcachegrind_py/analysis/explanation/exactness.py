"""What an estimate of a call path is, in words, and how to record it instead."""

from __future__ import annotations

from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.visible_text import visible_text

WHY_ESTIMATED = "only direct calls are recorded"
_PROGRAM = "PROGRAM"
_LONGEST_COMMAND = 400
_MAX_CALLERS = 100  # more make unreadable profiles


def exactness_text(is_exact: bool, how: str = "") -> str:
    """Return whether the cost of a call path is exact; `how` tells how to record an estimate."""
    if is_exact:
        return "The cost is exact: it follows from the recorded calls."
    estimate = f"≈ is an estimate: {WHY_ESTIMATED}."
    return f"{estimate} {how}" if how else estimate


def exact_recording_command(profile: Profile, callers: int) -> str:
    """Return the command that records costs by that many callers; empty unless for callgrind."""
    if not profile.creator.startswith("callgrind"):
        return ""
    program = _command_text(profile.command) or _PROGRAM
    count = max(1, min(callers, _MAX_CALLERS))
    return f"To record it: valgrind --tool=callgrind --separate-callers={count} {program}"


def _command_text(command: str) -> str:
    text = visible_text(command[: _LONGEST_COMMAND + 1])
    return text if len(text) <= _LONGEST_COMMAND else text[:_LONGEST_COMMAND] + "…"
