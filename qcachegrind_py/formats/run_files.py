"""Profiles on disk: those of one run (reading rule 9), those in a folder, and their summaries.

Callgrind writes dumps and threads beside the file it was told to: `callgrind.out.77` has the dumps
`callgrind.out.77.1`, …, the threads `callgrind.out.77-01`, …, and combinations such as
`callgrind.out.77.1-01`; with `--callgrind-out-file=cg`, so has `cg`. Gungraun renames them to
`NAME.77.t1.p1.out`. Names only suggest that files belong together: those of the same run state the
same creator, command and process, whatever they are called. Where files state no run, the process
in the name decides. What gungraun keeps of earlier runs, `NAME.old` and `NAME.base@OTHER`, is a
run of its own.
"""

from __future__ import annotations

import codecs
import heapq
import os
import re
import stat
import sys
import time
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from enum import Enum
from functools import partial
from itertools import count
from pathlib import Path, PurePosixPath

from qcachegrind_py.formats.compression import archive_kind, open_profile
from qcachegrind_py.formats.loading import HEAD_SIZE, detect_format
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.errors import NotAProfile, UnreadableFile
from qcachegrind_py.profile.files import archive_and_member, path_on_disk
from qcachegrind_py.profile.progress import NoProgress, Progress

_HEAD_SIZE = 4096  # bytes after decompression; the process stands before the command
_MOST_OTHERS = 200  # files looked into whose names say nothing
_CHUNK_SIZE = 1 << 20
_LINE = re.compile(rb"^(creator|cmd|pid|part|thread):(.*)$", re.MULTILINE)
_EARLIER = re.compile(r"\.old\Z|\.base@", re.DOTALL)
_CALLGRIND = re.compile(r"(?:\.\d+)?(?:-\d+)?")  # what Callgrind adds to a name
_GUNGRAUN = re.compile(r"(?:\.t\d+)?(?:\.p\d+)?\.out")  # what gungraun writes in place of `.out`

PartNumbers = tuple[bytes, bytes]  # the part and the thread that a header states; empty if none


@frozen(eq=True)
class RunIdentity:
    """The first `creator:`, `cmd:` and `pid:` of a file; a process has a number."""

    creator: bytes
    command: bytes
    process: bytes


def run_identity(path: Path) -> RunIdentity | None:
    """Return the identity that a file states; None if it states none, or is unreadable."""
    return _look_into(path)[0]


def run_files(
    paths: Iterable[str | os.PathLike[str]], progress: Progress | None = None
) -> tuple[Path, ...]:
    """Return the files and the others of their runs in the same folders, without empty ones.

    Looked into are the files with names of these runs, then up to 200 others. Of these, one that
    has the part of another is a copy, and is left out. Those of a run follow its first file, in
    order. Raises nothing for files that cannot be read, and `Cancelled` if the progress is
    cancelled.
    """
    search, found = _Search(progress or NoProgress()), dict[Path, None]()
    for path in map(Path, paths):
        if path not in found:
            found |= dict.fromkeys(search.run_of(path))
    return tuple(found)


def opened_files(path: Path) -> tuple[Path, ...]:
    """Return the files that naming this one opens: itself, and those of its run named after it.

    With threads, Callgrind leaves an empty file with the name it was told. The run is then that of
    the latest file beside it. They are in order, without empty ones.
    """
    return _opened_files(path, _names_in(path.parent))


def _opened_files(path: Path, names: Sequence[str]) -> tuple[Path, ...]:
    parts = _named_after(path, names)
    if not parts:
        return (path,)
    identities = {part: run_identity(part) for part in parts}
    latest = max([part for part in parts if identities[part]] or parts, key=_modified)
    run = run_identity(path) if _is_filled(path) else identities[latest]
    if run is None and not names_process(path):
        return (path,)
    own = sorted((part for part in parts if identities[part] == run), key=numeric_key)
    return skip_empty_files((path, *own))


def names_process(path: Path) -> bool:
    """Return whether the name ends with a number, as that of `callgrind.out.PID` does."""
    return re.fullmatch(r".+\.\d+", path.name) is not None


def parts_by_name(path: Path) -> tuple[Path, ...]:
    """Return the file and all others with names of its parts, in order, without empty ones.

    For names that no other run has used.
    """
    parts = _named_after(path, _names_in(path.parent))
    return skip_empty_files((path, *sorted(parts, key=numeric_key)))


def run_leaders(name: str) -> list[str]:
    """Return the names of files whose opening may include the file `name`, shortest first."""
    stem, earlier = split_earlier(name)
    whole = re.sub(r"-\d+\Z", "", stem)
    renamed = re.sub(rf"{_GUNGRAUN.pattern}\Z", ".out", stem)
    stems = dict.fromkeys((re.sub(r"\.\d+\Z", "", whole), whole, renamed))
    return [leader + earlier for leader in stems if leader != stem]


def skip_empty_files(paths: tuple[Path, ...]) -> tuple[Path, ...]:
    """Return the files that are not empty, or all if there are none."""
    filled = tuple(path for path in paths if not (path.is_file() and path.stat().st_size == 0))
    return filled or paths


class _Search:
    """Finds the runs of files; the number of files that it looks into is limited."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._others_left = _MOST_OTHERS
        self._folders: dict[Path, list[str]] = {}

    def run_of(self, path: Path) -> tuple[Path, ...]:
        """Return the file and the others of its run, in order."""
        if (archived := archive_and_member(path)) is not None:
            return self._run_in_archive(path, *archived)
        if path.parent not in self._folders:
            self._folders[path.parent] = _names_in(path.parent)
        names = self._folders[path.parent]
        found = list(_opened_files(path, names))
        run = next(filter(None, map(run_identity, found)), None)
        if run is None:
            return _run_by_name(path) or tuple(found)
        tried = {file.name for file in found}
        parts: set[PartNumbers] = set()
        for name in _named_alike(path.name, names, run):
            stated, part = self._look_into(path.with_name(name))
            if stated == run:
                parts.add(part)
                if name not in tried:
                    found.append(path.with_name(name))
            tried.add(name)
        if others := self._others(path, run, (name for name in names if name not in tried)):
            parts |= _all_parts(path)  # a profile that was saved has several
            for name, part in others:
                if part not in parts:
                    parts.add(part)
                    found.append(path.with_name(name))
        return tuple(sorted(found, key=numeric_key))

    def _run_in_archive(self, path: Path, archive: Path, name: str) -> tuple[Path, ...]:
        """Return the file and the others of its run in its folder of the archive, in order.

        As the archive is read once, the first files of the folder are looked into.
        """
        from qcachegrind_py.formats.archives import UnusableArchive  # as in `compression`

        run, part = self._look_into(path)
        if run is None:
            return (path,)
        own = PurePosixPath(name.lstrip("/"))
        found, parts = [path], {part}
        with suppress(UnreadableFile, UnusableArchive), closing(open_profile(archive)) as whole:
            for member in whole.members():
                self._progress.check(0.0)
                other = PurePosixPath(member.name)
                is_alike = split_earlier(other.name)[1] == split_earlier(own.name)[1]
                if other == own or other.parent != own.parent or not is_alike:
                    continue
                if not self._others_left:
                    break
                self._others_left -= 1
                beside = Path(f"{archive}!{member.name}")
                head = whole.member_stream(beside, member).head(_HEAD_SIZE)
                stated, part = _stated(head)
                if stated == run and part not in parts:
                    parts.add(part)
                    found.append(beside)
        return tuple(sorted(found, key=numeric_key))

    def _others(
        self, path: Path, run: RunIdentity, names: Iterable[str]
    ) -> list[tuple[str, PartNumbers]]:
        """Return the files of the run among others, and the part that each of them states."""
        if not self._others_left:
            return []
        earlier = split_earlier(path.name)[1]
        alike = (name for name in names if split_earlier(name)[1] == earlier)
        found = []
        for name in heapq.nsmallest(self._others_left, alike, partial(_distance, path.name)):
            self._others_left -= 1
            stated, part = self._look_into(path.with_name(name))
            if stated == run and any(part):
                found.append((name, part))
        return found

    def _look_into(self, path: Path) -> tuple[RunIdentity | None, PartNumbers]:
        self._progress.check(0.0)
        return _look_into(path)


# -------------------------------------------------------------------- names


def split_earlier(name: str) -> tuple[str, str]:
    """Return a name, and what follows that of an earlier run: `.old`, `.base@NAME` or nothing."""
    earlier = _EARLIER.search(name)
    return (name[: earlier.start()], name[earlier.start() :]) if earlier else (name, "")


_BEHIND_ALL = chr(sys.maxunicode)  # behind any character of a name


def _part_names(leader: str, names: Sequence[str]) -> list[str]:
    """Return the names that add a dump or a thread to this one, or nothing; none for a folder.

    `names` are sorted, so that not all the names of a folder are read for each of its files.
    """
    if not leader:
        return []
    stem, earlier = split_earlier(leader)
    base, found = stem.removesuffix(".out"), []
    begin, end = bisect_left(names, base), bisect_left(names, base + _BEHIND_ALL)
    for name in names[begin:end]:
        if name.endswith(earlier):
            stop = len(name) - len(earlier)
            if (name.startswith(stem) and _CALLGRIND.fullmatch(name, len(stem), stop)) or (
                base != stem and _GUNGRAUN.fullmatch(name, len(base), stop)
            ):
                found.append(name)
    return found


def _named_after(path: Path, names: Sequence[str]) -> list[Path]:
    """Return the files whose names add a dump or a thread to this one."""
    return [path.with_name(name) for name in _part_names(path.name, names) if name != path.name]


def _named_alike(name: str, names: Sequence[str], run: RunIdentity) -> list[str]:
    """Return the names that a file of this run may have beside one with the name `name`."""
    process = run.process.decode("latin-1")
    leaders = [*run_leaders(name), name]
    # the number of the process is not that of a dump: `callgrind.out` has the files of all runs
    own = (leader for leader in leaders if f"{leader}.{process}" not in leaders)
    return list(dict.fromkeys(each for leader in own for each in _part_names(leader, names)))


def _names_in(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208 -- paths of 1,000s would be slow
    except OSError:
        return []


def _distance(name: str, other: str) -> tuple[int, str]:
    """Return the key that sorts names by how much of their beginning is that of `name`."""
    pairs = enumerate(zip(name, other, strict=False))
    return -next((count for count, (one, two) in pairs if one != two), len(name)), other


def numeric_key(path: Path) -> tuple[list[int], str]:
    """Return by what the parts of a run are sorted: the numbers in their names."""
    return [int(number) for number in re.findall(r"\d+", path.name)], path.name


# -------------------------------------------------------------------- contents


def _look_into(path: Path) -> tuple[RunIdentity | None, PartNumbers]:
    try:
        file = open_profile(path)
    except UnreadableFile:
        return None, (b"", b"")
    with closing(file):
        head = file.head(_HEAD_SIZE)
        return (None, (b"", b"")) if archive_kind(head) else _stated(head)


def _stated(head: bytes) -> tuple[RunIdentity | None, PartNumbers]:
    values: dict[bytes, bytes] = {}
    for key, value in _LINE.findall(head.removeprefix(codecs.BOM_UTF8)):
        values.setdefault(key, value.strip(b" \t\r"))
    part = values.get(b"part", b""), values.get(b"thread", b"")
    if not values.get(b"creator") or not values.get(b"pid"):
        return None, part
    return RunIdentity(values[b"creator"], values.get(b"cmd", b""), values[b"pid"]), part


def _all_parts(path: Path) -> set[PartNumbers]:
    """Return the parts that all headers of a file state."""
    return set(_parts_in(_header_values(path)))


def _parts_in(values: Iterable[tuple[bytes, bytes]]) -> Iterator[PartNumbers]:
    part = thread = b""
    for key, value in values:
        if key == b"part":
            if part or thread:
                yield part, thread
            part, thread = value, b""
        elif key == b"thread":
            thread = value
    yield part, thread


def _header_values(path: Path) -> Iterator[tuple[bytes, bytes]]:
    """Yield the lines of a file that state a run or a part."""
    try:
        file = open_profile(path)
    except UnreadableFile:
        return
    with closing(file):
        cut = b""
        while chunk := file.head(_CHUNK_SIZE):
            lines, _, cut = (cut + chunk).rpartition(b"\n")
            for key, value in _LINE.findall(lines):
                yield key, value.strip(b" \t\r")
            cut = cut[:_CHUNK_SIZE]  # no such line is longer


def _run_by_name(path: Path) -> tuple[Path, ...]:
    """Return the files of a run that states nothing, if the name of its first has a process."""
    for leader in map(path.with_name, run_leaders(path.name)):
        if names_process(leader) and leader.exists() and path in (files := opened_files(leader)):
            return files
    return ()


def _is_filled(path: Path) -> bool:
    try:
        return path.stat().st_size > 0
    except OSError:
        return False


def _modified(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


# ---------------------------------------------------- files of a recording
# Each recording has a unique name, `callgrind.out.PROGRAM-DATE-TIME`. Callgrind appends the
# numbers of the process, the part and the thread: `.77`, `.77.1`, `.77-01`. Callgrind reports no
# error if the disk is full, so truncated files are recognised by their end.

_TAIL_SIZE = 4096  # bytes at the end that contain the totals
_TOTALS = re.compile(rb"^totals:([ \d]*)$", re.MULTILINE)


class Completeness(Enum):
    """Whether the files of a process are complete."""

    COMPLETE = "whole"
    TRUNCATED = "cut"  # the last lines are missing
    EMPTY = "nothing"  # no costs were counted, or nothing was written


@frozen(eq=True)
class RecordedRun:
    """The files of one process: `path` opens all of them."""

    process: int
    path: Path
    files: tuple[Path, ...]
    completeness: Completeness


def profile_file_name(program: str, now: float) -> str:
    """Return the file name for a profile of a program; `now` is in seconds since 1970."""
    return f"callgrind.out.{program}-{time.strftime('%Y%m%d-%H%M%S', time.localtime(now))}"


def unused_profile_path(folder: Path, program: str, now: float) -> Path:
    """Return a path whose name is no prefix of a file in the folder."""
    stem = profile_file_name(program, now)
    names = [path.name for path in folder.iterdir()] if folder.is_dir() else []
    tries = (stem if number == 1 else f"{stem}-{number}" for number in count(1))
    return folder / next(t for t in tries if not any(name.startswith(f"{t}.") for name in names))


def find_recorded_runs(profile: Path, process: int) -> list[RecordedRun]:
    """Find the runs recorded under the name of `profile`: `process` first, then its children."""
    pattern = re.compile(re.escape(profile.name) + r"\.(\d+)(?:\.\d+)?(?:-\d+)?")
    try:
        names = [pattern.fullmatch(path.name) for path in profile.parent.iterdir()]
    except OSError:
        return []
    numbers = sorted({int(name[1]) for name in names if name}, key=lambda n: (n != process, n))
    return [
        _recorded_run(profile.with_name(f"{profile.name}.{number}"), number) for number in numbers
    ]


def file_versions(path: Path) -> dict[Path, tuple[int, int]]:
    """Return the files of the process that writes to `path`, without empty ones.

    Size in bytes and time of the last change in ns tell whether a file has been written since.
    """
    states = ((file, file.stat()) for file in parts_by_name(path) if file.is_file())
    return {file: (state.st_size, state.st_mtime_ns) for file, state in states if state.st_size}


def _recorded_run(path: Path, process: int) -> RecordedRun:
    files = tuple(file for file in parts_by_name(path) if file.is_file())
    totals = [_recorded_total(file) for file in files]
    if any(total is None for total in totals) and any(file.stat().st_size for file in files):
        verdict = Completeness.TRUNCATED
    else:
        verdict = Completeness.COMPLETE if any(totals) else Completeness.EMPTY
    # opening the first file opens all of them, even if it is empty itself
    return RecordedRun(process, path if path.exists() or not files else files[0], files, verdict)


def _recorded_total(path: Path) -> int | None:
    """Return the sum of the totals at the end of a file, over all events; None if truncated."""
    with path.open("rb") as stream:
        stream.seek(max(0, path.stat().st_size - _TAIL_SIZE))
        matches = _TOTALS.findall(stream.read())
    return sum(map(int, matches[-1].split())) if matches else None


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
    part: PartNumbers = (b"", b"")  # that its first header states


def find_profiles(progress: Progress, folder: Path) -> list[FoundProfile]:
    """Find the profiles in a folder and up to four levels of subfolders, the latest first.

    A run with several files is listed once. Raises `UnreadableFile` if the folder is unreadable.
    """
    paths = files_below(folder)
    found: dict[Path, FoundProfile | None] = {}
    for number, path in enumerate(paths):
        progress.check(number / len(paths))
        found[path] = probe_file(path)
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


def files_below(folder: Path, depth: int = _MAX_DEPTH, most: int = MAX_FILES) -> list[Path]:
    """Return at most so many files in the folder and in folders below it, breadth-first.

    Links to folders are not followed. Raises `UnreadableFile` if the folder is unreadable.
    """
    paths: list[Path] = []
    level = [folder]
    for _ in range(depth):
        below: list[Path] = []
        for inner in level:
            entries = _directory_entries(inner, must_exist=inner == folder)
            below += (Path(entry) for entry in entries if entry.is_dir(follow_symlinks=False))
            paths += (Path(entry) for entry in entries if not entry.is_dir())
            if len(paths) >= most:
                return paths[:most]
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


def probe_file(path: Path) -> FoundProfile | None:
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
    run, part = _stated(head)
    command, size = _command_from_header(head), status.st_size
    return FoundProfile(path, command, size, status.st_mtime, 1, run, part)
