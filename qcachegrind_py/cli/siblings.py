"""Files of the same run as those on the command line, and profiles of folders."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from qcachegrind_py.formats.run_files import run_files
from qcachegrind_py.profile.errors import UnreadableFile
from qcachegrind_py.profile.progress import NoProgress

_MAX_NAMES = 10  # listed in a message


def with_siblings(files: Sequence[str]) -> list[str]:
    """Return the files and the others of their runs, without empty ones, each once."""
    return list(map(str, run_files(files)))


def siblings_hint(files: Sequence[str]) -> str:
    """Return which files of the same runs are not among these; empty if there are none."""
    named = list(map(Path, files))
    others = [path for path in run_files(named) if path not in named]
    if not others:
        return ""
    are_parts = "is a part" if len(others) == 1 else "are parts"
    them = "it" if len(others) == 1 else "them"
    return f"{_listed(others)} {are_parts} of the same run; name {them}, or use --siblings."


def folder_hint(folder: str) -> str:
    """Return which profiles are in a folder."""
    from qcachegrind_py.formats.profile_finder import find_profiles

    try:
        found = find_profiles(NoProgress(), Path(folder))
    except UnreadableFile:
        return ""
    if not found:
        return "There is no profile in it."
    return f"Name one of its profiles: {_listed([profile.path for profile in found])}."


def _listed(paths: Sequence[Path]) -> str:
    names = list(map(str, paths[:_MAX_NAMES]))
    if more := len(paths) - len(names):
        names.append(f"{more:,} more")
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
