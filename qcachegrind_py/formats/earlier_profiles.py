"""Earlier profiles beside a profile: `X.old` and `X.base@NAME`, as gungraun keeps them for X."""

from __future__ import annotations

import stat
from pathlib import Path

from qcachegrind_py.profile.progress import Progress

_MOST = 20  # more are no choice for a person


def earlier_profiles(progress: Progress, path: Path) -> tuple[Path, ...]:
    """Return the bases of a profile in its folder: the previous run, then named ones by name."""
    progress.check(0.0)
    old, prefix = path.with_name(f"{path.name}.old"), f"{path.name}.base@"
    try:
        named = sorted(each for each in path.parent.iterdir() if each.name.startswith(prefix))
    except OSError:
        named = []
    return tuple(each for each in (old, *named) if _is_file(each))[:_MOST]


def _is_file(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except (OSError, ValueError):
        return False
