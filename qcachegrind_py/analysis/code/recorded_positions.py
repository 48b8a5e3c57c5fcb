"""Which positions of costs a profile has: source lines, instructions."""

from __future__ import annotations

from qcachegrind_py.profile.profile import Profile


def has_lines(profile: Profile) -> bool:
    """Return whether source lines were recorded (Callgrind's `--dump-line=yes`, the default).

    With `--dump-line=no` all lines are 0 and files are known; without debug information all lines
    are 0 and files are unknown.
    """
    if not any("line" in part.positions for part in profile.parts):
        return False
    costs, files = profile.costs, profile.runs.file
    return not len(costs) or bool(costs.line.max() > 0) or not files.any()


def has_addresses(profile: Profile) -> bool:
    """Return whether instructions were recorded (Callgrind's `--dump-instr=yes`)."""
    return profile.costs.address is not None
