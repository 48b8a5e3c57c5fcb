"""Search for profiles in a folder or an archive by file content."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from qcachegrind_py.formats.archives import UnusableArchive
from qcachegrind_py.formats.compression import open_profile
from qcachegrind_py.formats.detection import HEAD_SIZE, detect_format
from qcachegrind_py.formats.file_summary import command_from_header
from qcachegrind_py.formats.run_files import (
    RunIdentity,
    identity_from_head,
    names_process,
    run_leaders,
)
from qcachegrind_py.profile.errors import NotAProfile, UnreadableFile
from qcachegrind_py.profile.progress import Progress

_MAX_DEPTH = 5  # levels of nested folders
MAX_FILES = 5000  # maximum number of files examined


@dataclass(frozen=True, slots=True)
class FoundProfile:
    """A file that begins like a profile, or the first of several files of one run."""

    path: Path
    command: str  # the profiled command; empty if unknown
    size: int  # bytes on disk, over all files
    modified: float  # seconds since 1970
    file_count: int  # number of files of the run, which are opened together
    run: RunIdentity | None = None  # None if the file does not state it


def find_profiles(progress: Progress, folder: Path) -> list[FoundProfile]:
    """Find the profiles in a folder and up to four levels of subfolders, the latest first.

    A run with several files is listed once. Raises `UnreadableFile` if the folder is unreadable.
    """
    paths = _candidate_files(folder)
    found: dict[Path, FoundProfile | None] = {}
    for number, path in enumerate(paths):
        progress.check(number / len(paths))
        found[path] = _probe_file(path)
    runs: dict[tuple[Path, RunIdentity | None], list[FoundProfile]] = {}
    for path, profile in found.items():
        if profile is not None:
            runs.setdefault((_leader(path, profile, found), profile.run), []).append(profile)
    profiles = [_find_run(first, files) for (first, _run), files in runs.items()]
    return sorted(profiles, key=lambda profile: -profile.modified)


def find_archived_profiles(
    progress: Progress, archive: Path
) -> tuple[list[FoundProfile], UnreadableFile | None]:
    """Find the profiles in a zip or tar archive, the latest first; archives in it are not opened.

    Returns also why some may be missing, as the archive is damaged or exceeds a limit. Raises
    `UnreadableFile` if it cannot be opened at all.
    """
    found: list[FoundProfile] = []
    problem = None
    with closing(open_profile(archive)) as whole:
        try:
            for member in whole.members():
                progress.check(min(1.0, whole.position() / max(1, whole.size)))
                path = Path(f"{archive}!{member.name}")
                head = whole.member_stream(path, member).head(HEAD_SIZE)
                with suppress(NotAProfile):
                    detect_format(path, head)
                    command = command_from_header(head)
                    found.append(FoundProfile(path, command, member.size, member.modified, 1))
        except UnusableArchive as error:
            problem = UnreadableFile(archive, str(error))
    return sorted(found, key=lambda profile: (-profile.modified, profile.path)), problem


def _leader(path: Path, profile: FoundProfile, found: Mapping[Path, FoundProfile | None]) -> Path:
    """Return the file whose opening includes this one: of the same run, or empty; else itself."""
    for leader in map(path.with_name, run_leaders(path.name)):
        if leader in found and (profile.run or names_process(leader)):
            other = found[leader]
            if other.run == profile.run if other else _is_empty(leader):
                return leader
    return path


def _is_empty(path: Path) -> bool:
    try:
        return path.stat().st_size == 0
    except OSError:
        return False


def _candidate_files(folder: Path) -> list[Path]:
    """Return the files in the folder, breadth-first; links to folders are not followed."""
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
    """Return the entries of a folder by name; empty if unreadable, unless `must_exist`."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        if not must_exist:
            return []
        reason = f"cannot be read: {error.strerror or error}."
        raise UnreadableFile(folder, reason) from error


def _find_run(path: Path, files: list[FoundProfile]) -> FoundProfile:
    """Summarise a run under its first file, which may be empty."""
    return FoundProfile(
        path,
        command=next((file.command for file in files if file.command), ""),
        size=sum(file.size for file in files),
        modified=max(file.modified for file in files),
        file_count=len(files),
    )


def _probe_file(path: Path) -> FoundProfile | None:
    """Return the file if it is a readable profile, or None."""
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
    return FoundProfile(
        path,
        command_from_header(head),
        status.st_size,
        status.st_mtime,
        1,
        identity_from_head(head),
    )
