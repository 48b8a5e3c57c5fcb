"""Texts about exact and estimated costs: why a cost is an estimate, how to record it exactly."""

from __future__ import annotations

from qcachegrind_py.models.base.plain_text import cell_text
from qcachegrind_py.profile.profile import Profile

_PROGRAM = "PROGRAM"
_MAX_CALLERS = 100  # more make unreadable profiles
WHY_ESTIMATED = "only single calls are recorded"


def exactness_text(is_exact: bool, how: str = "") -> str:
    """Return whether the cost of a call path is exact; `how` tells how to record an estimate."""
    if is_exact:
        return "The cost is exact: what was recorded proves it."
    estimate = f"≈ is an estimate: {WHY_ESTIMATED}."
    return f"{estimate} {how}" if how else estimate


def exact_recording_command(profile: Profile, callers: int) -> str:
    """Return the command that records costs by that many callers; empty unless for callgrind."""
    if not profile.creator.startswith("callgrind"):
        return ""
    program = cell_text(profile.command) or _PROGRAM
    count = max(1, min(callers, _MAX_CALLERS))
    return f"To record it: valgrind --tool=callgrind --separate-callers={count} {program}"
