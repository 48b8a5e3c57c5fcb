"""How a cost that is an estimate could be recorded: the command to profile the program with."""

from __future__ import annotations

from qcachegrind_py.models.plain_text import cell_text
from qcachegrind_py.profile.profile import Profile

_PROGRAM = "PROGRAM"
_MOST_CALLERS = 100  # more make profiles that nobody can read


def how_to_prove(profile: Profile, callers: int) -> str:
    """The command that records costs by so many callers; empty where no such tool wrote this."""
    if not profile.creator.startswith("callgrind"):
        return ""
    program = cell_text(profile.command) or _PROGRAM
    count = max(1, min(callers, _MOST_CALLERS))
    return f"To record it: valgrind --tool=callgrind --separate-callers={count} {program}"
