"""What is said of costs that are proven, and of estimates: why, and how to record them."""

from __future__ import annotations

from qcachegrind_py.models.base.plain_text import cell_text
from qcachegrind_py.profile.profile import Profile

_PROGRAM = "PROGRAM"
_MAX_CALLERS = 100  # more make profiles that nobody can read
WHY_ESTIMATED = "only single calls are recorded"


def exactness_text(is_exact: bool, how: str = "") -> str:
    """Whether the cost of a way of calls is proven; `how` an estimate could be recorded."""
    if is_exact:
        return "The cost is exact: what was recorded proves it."
    estimate = f"≈ is an estimate: {WHY_ESTIMATED}."
    return f"{estimate} {how}" if how else estimate


def exact_recording_command(profile: Profile, callers: int) -> str:
    """The command that records costs by so many callers; empty where no such tool wrote this."""
    if not profile.creator.startswith("callgrind"):
        return ""
    program = cell_text(profile.command) or _PROGRAM
    count = max(1, min(callers, _MAX_CALLERS))
    return f"To record it: valgrind --tool=callgrind --separate-callers={count} {program}"
