"""Profiles on disk: in folders and archives, earlier ones, and summaries without loading them."""

from __future__ import annotations

import codecs
import os
import re
import stat
from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path

from qcachegrind_py.formats.compression import open_profile
from qcachegrind_py.formats.loading import HEAD_SIZE, detect_format
from qcachegrind_py.formats.run_files import (
    RunIdentity,
    identity_from_head,
    names_process,
    run_leaders,
)
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.errors import NotAProfile, UnreadableFile
from qcachegrind_py.profile.files import path_on_disk
from qcachegrind_py.profile.progress import Progress

# --------------------------------------------------------------- summaries
# Only the first kilobytes are read, so that lists of files fill quickly. Whether a file is a
# profile at all is checked when it is opened.

_SUMMARY_SIZE = 8 * 1024  # bytes after decompression; the command is in the first lines
_COMMAND = re.compile(rb"^cmd:[ \t]*(.*?)[ \t\r]*$", re.MULTILINE)


@frozen(eq=True)
class FileSummary:
    """The summary of one file."""

    path: Path
    modified: float | None  # seconds since 1970; None if the file is missing or unreadable
    command: str  # the profiled command; empty if not in the first lines


def summarize(path: Path) -> FileSummary:
    """Summarise a file; an unreadable file has no time and no command, and raises no error.

    A member of an archive has the time of the archive.
    """
    on_disk = path_on_disk(path)
    try:
        file = open_profile(on_disk)
    except UnreadableFile:
        return FileSummary(path, None, "")
    try:
        head = (
            file.head(_SUMMARY_SIZE) if on_disk == path else b""
        )  # an archive is searched for long
        written = on_disk.stat().st_mtime
    except OSError:  # gone meanwhile
        return FileSummary(path, None, "")
    finally:
        file.close()
    return FileSummary(path, written, _command_from_header(head))


def _command_from_header(head: bytes) -> str:
    """Return the profiled command from the first bytes of a file, or an empty string."""
    match = _COMMAND.search(head.removeprefix(codecs.BOM_UTF8))
    return match[1].decode("utf-8", "backslashreplace") if match else ""


def summarize_all(progress: Progress, paths: Sequence[Path]) -> tuple[FileSummary, ...]:
    """Summarise several files in order; this is a job, since disks may be slow or asleep."""
    summaries = []
    for number, path in enumerate(paths):
        progress.check(number / len(paths))
        summaries.append(summarize(path))
    return tuple(summaries)


# -------------------------------- earlier profiles, as gungraun keeps them

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


# ---------------------------------------- profiles in folders and archives

_MAX_DEPTH = 5  # levels of nested folders
MAX_FILES = 5000  # maximum number of files examined


@frozen(eq=True)
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
    from qcachegrind_py.formats.archives import UnusableArchive  # as in `compression`

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
                    command = _command_from_header(head)
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
        _command_from_header(head),
        status.st_size,
        status.st_mtime,
        1,
        identity_from_head(head),
    )
