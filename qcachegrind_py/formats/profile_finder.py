"""The profiles in a folder, found by what is in the files, for people to choose from."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from qcachegrind_py.formats.compression import open_profile
from qcachegrind_py.formats.detection import HEAD_SIZE, detect_format
from qcachegrind_py.formats.file_summary import command_from_header
from qcachegrind_py.formats.sibling_parts import run_leader
from qcachegrind_py.profile.errors import NotAProfile, UnreadableFile
from qcachegrind_py.profile.progress import Progress

_MAX_DEPTH = 5  # folders in folders
MAX_FILES = 5000  # looked into; a folder may have any number


@dataclass(frozen=True, slots=True)
class FoundProfile:
    """A file that begins like a profile, or all files of one run by their first one."""

    path: Path
    command: str  # that was profiled; empty where it does not say
    size: int  # as it lies on the disk
    modified: float  # seconds since 1970
    file_count: int  # of the same run, which it brings along


def find_profiles(progress: Progress, folder: Path) -> list[FoundProfile]:
    """The profiles in the folder and, up to four deep, in folders in it; the latest first.

    Of one run with several files there is only the first. Raises `UnreadableFile`.
    """
    paths = _candidate_files(folder)
    there = set(map(str, paths))
    runs: dict[str, list[FoundProfile]] = {}
    for number, path in enumerate(paths):
        progress.check(number / len(paths))
        if (profile := _probe_file(path)) is not None:
            runs.setdefault(run_leader(str(path), there), []).append(profile)
    found = [_find_run(Path(first), files) for first, files in runs.items()]
    return sorted(found, key=lambda profile: -profile.modified)


def _candidate_files(folder: Path) -> list[Path]:
    """The files in the folder, the less deep first; no link to a folder is followed."""
    paths: list[Path] = []
    level = [folder]
    for _ in range(_MAX_DEPTH):
        below: list[Path] = []
        for inner in level:
            entries = _directory_entries(inner, must_exist=inner == folder)
            below += (Path(entry) for entry in entries if entry.is_dir(follow_symlinks=False))
            paths += (Path(entry) for entry in entries if not entry.is_dir())
            if len(paths) >= MAX_FILES:
                return paths[:MAX_FILES]
        level = below
    return paths


def _directory_entries(folder: Path, *, must_exist: bool) -> list[os.DirEntry[str]]:
    """What is in a folder, by name; nothing where it cannot be read and need not be."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        if not must_exist:
            return []
        reason = f"cannot be read: {error.strerror or error}."
        raise UnreadableFile(folder, reason) from error


def _find_run(path: Path, files: list[FoundProfile]) -> FoundProfile:
    """A run by its first file, which may be an empty one that the others stand beside."""
    return FoundProfile(
        path,
        command=next((file.command for file in files if file.command), ""),
        size=sum(file.size for file in files),
        modified=max(file.modified for file in files),
        file_count=len(files),
    )


def _probe_file(path: Path) -> FoundProfile | None:
    """The file, if it is a profile; what cannot be read is none."""
    try:
        file = open_profile(path)
    except UnreadableFile:
        return None
    head = file.head(HEAD_SIZE)
    file.close()
    try:
        detect_format(path, head)
        status = path.stat()
    except (NotAProfile, OSError):
        return None
    return FoundProfile(path, command_from_header(head), status.st_size, status.st_mtime, 1)
