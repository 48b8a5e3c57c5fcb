"""Files of the same run as those on the command line, and profiles of folders and archives."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from qcachegrind_py.formats.loading import is_temporary
from qcachegrind_py.formats.run_files import run_files
from qcachegrind_py.profile.errors import (
    IsADirectory,
    IsAnArchive,
    ProfileError,
    TooLargeForMemory,
    UnreadableFile,
)
from qcachegrind_py.profile.progress import NoProgress

_MAX_NAMES = 10  # of profiles to choose from in a message
_MAX_SIBLINGS = 3  # named in a message, as all of them can be read with one word


def with_siblings(files: Sequence[str]) -> list[str]:
    """Return the files and the others of their runs, without empty ones, each once."""
    return list(map(str, run_files(files)))


def siblings_hint(files: Sequence[str]) -> str:
    """Return which files of the same runs are not among these; empty if there are none."""
    named = set(map(Path, files))
    others = [path for path in run_files(files) if path not in named]
    if not others:
        return ""
    files_, them = ("file", "it") if len(others) == 1 else ("files", "them")
    names = _listed([path.name for path in others], _MAX_SIBLINGS)
    return f"{len(others):,} other {files_} of this run: {names}. --siblings reads {them}, too."


def error_hint(error: ProfileError) -> str:
    """Return what to name or allow instead: profiles in a folder or archive, memory; or nothing."""
    if isinstance(error, TooLargeForMemory):
        return "Allow more with --max-memory SIZE, or any amount with --max-memory none."
    if not isinstance(error, IsADirectory | IsAnArchive) or is_temporary(Path(error.path)):
        return ""
    from qcachegrind_py.formats.run_files import find_archived_profiles, find_profiles

    place, problem = Path(error.path), None
    try:
        if isinstance(error, IsADirectory):
            found = find_profiles(NoProgress(), place)
        else:
            found, problem = find_archived_profiles(NoProgress(), place)
    except UnreadableFile:
        return ""
    sentences = [] if problem is None else [str(problem)]
    if found:
        names = _listed([str(profile.path) for profile in found], _MAX_NAMES)
        sentences.append(f"Name one of its profiles: {names}.")
    return " ".join(sentences) or "There is no profile in it."


def _listed(all_names: Sequence[str], most: int) -> str:
    names = list(all_names[:most])
    if more := len(all_names) - len(names):
        names.append(f"{more:,} more")
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
