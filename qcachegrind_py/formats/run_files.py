"""The files of one run: found from any of them (reading rule 9), and as a recording writes them.

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
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import closing, suppress
from enum import Enum
from functools import partial
from itertools import count
from pathlib import Path, PurePosixPath

from qcachegrind_py.formats.compression import archive_kind, open_profile
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.errors import UnreadableFile
from qcachegrind_py.profile.files import archive_and_member
from qcachegrind_py.profile.progress import NoProgress, Progress

_HEAD_SIZE = 4096  # bytes after decompression; the process stands before the command
_MOST_OTHERS = 200  # files looked into whose names say nothing
_CHUNK_SIZE = 1 << 20
_LINE = re.compile(rb"^(creator|cmd|pid|part|thread):(.*)$", re.MULTILINE)
_EARLIER = re.compile(r"\.old\Z|\.base@", re.DOTALL)
_CALLGRIND = re.compile(r"(?:\.\d+)?(?:-\d+)?")  # what Callgrind adds to a name
_GUNGRAUN = re.compile(r"(?:\.t\d+)?(?:\.p\d+)?\.out")  # what gungraun writes in place of `.out`

_PartNumbers = tuple[bytes, bytes]  # the part and the thread that a header states; empty if none


@frozen(eq=True)
class RunIdentity:
    """The first `creator:`, `cmd:` and `pid:` of a file; a process has a number."""

    creator: bytes
    command: bytes
    process: bytes


def identity_from_head(head: bytes) -> RunIdentity | None:
    """Return the identity that the first bytes of a file state; None without creator or pid."""
    return _stated(head)[0]


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


def _opened_files(path: Path, names: Iterable[str]) -> tuple[Path, ...]:
    parts = _named_after(path, names)
    if not parts:
        return (path,)
    identities = {part: run_identity(part) for part in parts}
    latest = max([part for part in parts if identities[part]] or parts, key=_modified)
    run = run_identity(path) if _is_filled(path) else identities[latest]
    if run is None and not names_process(path):
        return (path,)
    own = sorted((part for part in parts if identities[part] == run), key=_numeric_key)
    return skip_empty_files((path, *own))


def names_process(path: Path) -> bool:
    """Return whether the name ends with a number, as that of `callgrind.out.PID` does."""
    return re.fullmatch(r".+\.\d+", path.name) is not None


def parts_by_name(path: Path) -> tuple[Path, ...]:
    """Return the file and all others with names of its parts, in order, without empty ones.

    For names that no other run has used.
    """
    parts = _named_after(path, _names_in(path.parent))
    return skip_empty_files((path, *sorted(parts, key=_numeric_key)))


def run_leaders(name: str) -> list[str]:
    """Return the names of files whose opening may include the file `name`, shortest first."""
    stem, earlier = _split_earlier(name)
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
        parts: set[_PartNumbers] = set()
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
        return tuple(sorted(found, key=_numeric_key))

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
                is_alike = _split_earlier(other.name)[1] == _split_earlier(own.name)[1]
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
        return tuple(sorted(found, key=_numeric_key))

    def _others(
        self, path: Path, run: RunIdentity, names: Iterable[str]
    ) -> list[tuple[str, _PartNumbers]]:
        """Return the files of the run among others, and the part that each of them states."""
        if not self._others_left:
            return []
        earlier = _split_earlier(path.name)[1]
        alike = (name for name in names if _split_earlier(name)[1] == earlier)
        found = []
        for name in heapq.nsmallest(self._others_left, alike, partial(_distance, path.name)):
            self._others_left -= 1
            stated, part = self._look_into(path.with_name(name))
            if stated == run and any(part):
                found.append((name, part))
        return found

    def _look_into(self, path: Path) -> tuple[RunIdentity | None, _PartNumbers]:
        self._progress.check(0.0)
        return _look_into(path)


# -------------------------------------------------------------------- names


def _split_earlier(name: str) -> tuple[str, str]:
    """Return the name of a file in its run, and what marks it as one of an earlier run."""
    earlier = _EARLIER.search(name)
    return (name[: earlier.start()], name[earlier.start() :]) if earlier else (name, "")


def _part_names(leader: str, names: Iterable[str]) -> list[str]:
    """Return the names that add a dump or a thread to this one, or nothing; none for a folder."""
    if not leader:
        return []
    stem, earlier = _split_earlier(leader)
    base, found = stem.removesuffix(".out"), []
    for name in names:
        if name.startswith(base) and name.endswith(earlier):
            stop = len(name) - len(earlier)
            if (name.startswith(stem) and _CALLGRIND.fullmatch(name, len(stem), stop)) or (
                base != stem and _GUNGRAUN.fullmatch(name, len(base), stop)
            ):
                found.append(name)
    return found


def _named_after(path: Path, names: Iterable[str]) -> list[Path]:
    """Return the files whose names add a dump or a thread to this one."""
    return [path.with_name(name) for name in _part_names(path.name, names) if name != path.name]


def _named_alike(name: str, names: Collection[str], run: RunIdentity) -> list[str]:
    """Return the names that a file of this run may have beside one with the name `name`."""
    process = run.process.decode("latin-1")
    leaders = [*run_leaders(name), name]
    # the number of the process is not that of a dump: `callgrind.out` has the files of all runs
    own = (leader for leader in leaders if f"{leader}.{process}" not in leaders)
    return list(dict.fromkeys(each for leader in own for each in _part_names(leader, names)))


def _names_in(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 -- paths of 1,000s of files would be slow
    except OSError:
        return []


def _distance(name: str, other: str) -> tuple[int, str]:
    """Return the key that sorts names by how much of their beginning is that of `name`."""
    pairs = enumerate(zip(name, other, strict=False))
    return -next((count for count, (one, two) in pairs if one != two), len(name)), other


def _numeric_key(path: Path) -> tuple[list[int], str]:
    return [int(number) for number in re.findall(r"\d+", path.name)], path.name


# -------------------------------------------------------------------- contents


def _look_into(path: Path) -> tuple[RunIdentity | None, _PartNumbers]:
    try:
        file = open_profile(path)
    except UnreadableFile:
        return None, (b"", b"")
    with closing(file):
        head = file.head(_HEAD_SIZE)
        return (None, (b"", b"")) if archive_kind(head) else _stated(head)


def _stated(head: bytes) -> tuple[RunIdentity | None, _PartNumbers]:
    """Return the run and the first part that the first bytes of a file state."""
    values: dict[bytes, bytes] = {}
    for key, value in _LINE.findall(head.removeprefix(codecs.BOM_UTF8)):
        values.setdefault(key, value.strip(b" \t\r"))
    part = values.get(b"part", b""), values.get(b"thread", b"")
    if not values.get(b"creator") or not values.get(b"pid"):
        return None, part
    return RunIdentity(values[b"creator"], values.get(b"cmd", b""), values[b"pid"]), part


def _all_parts(path: Path) -> set[_PartNumbers]:
    """Return the parts that all headers of a file state."""
    return set(_parts_in(_header_values(path)))


def _parts_in(values: Iterable[tuple[bytes, bytes]]) -> Iterator[_PartNumbers]:
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
