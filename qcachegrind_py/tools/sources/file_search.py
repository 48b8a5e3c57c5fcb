"""Where a file is that a profile names: a source, or an ELF object.

What is recorded is a path of the machine and the folder that the program was built in. It is looked
up by the user's rules, as it is, from the profile's folder and ours, among Rust's own sources, and
in search folders, where the longest tail in common wins. Two files that are as likely are a
question to the user, never a guess. Files are looked for here, not opened; what may be read at all,
`source_text` decides.
"""

from __future__ import annotations

import functools
import itertools
import os
import re
import stat
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from qcachegrind_py.profile.errors import AmbiguousFile, MissingFile, ProfileError
from qcachegrind_py.profile.progress import NoProgress, Progress
from qcachegrind_py.tools.sources.path_rules import (
    PathRule,
    common_suffix_length,
    expand_home,
    matches_object,
    possible_paths,
    split_path,
)
from qcachegrind_py.tools.sources.text_file import read_source

MAX_LISTED_PATHS = 12  # paths that an error lists
MAX_CANDIDATES = 100  # files that one lists
# Files and folders below one search folder: Linux has 90,000, LLVM 160,000, Chromium 450,000.
MAX_ENTRIES = 500_000
_MAX_PATH_LENGTH = 32_767  # of a path, on any system
_MAX_TAIL_PARTS = 64  # components of a recorded path that search folders are asked for
_CHECK_INTERVAL = 1000  # entries of a folder
_VERSION_CONTROL = {"CVS", "RCS", "SCCS", "_darcs", "{arch}"}  # the others are hidden folders

_COMMIT = re.compile(r"[0-9a-f]{9,40}")
_MAX_MANIFEST_SIZE = 8_000_000  # bytes; one of 2026 has 1,000,000


@dataclass(frozen=True, slots=True)
class SearchFolder:
    """A folder to look for files in, and below."""

    path: str
    """Absolute; may begin with `~`."""
    object: str = ""
    """Where not empty: only for sources of this ELF object, as in a rule."""


@dataclass(frozen=True, slots=True)
class FileSearch:
    """What the user has said about where files are. Asks the disk at each `find`."""

    rules: tuple[PathRule, ...] = ()
    folders: tuple[SearchFolder, ...] = ()
    bases: tuple[str, ...] = ()
    """What relative paths may be relative to: the profile's folder, the working folder."""

    def find(self, recorded: str, object_: str = "", progress: Progress | None = None) -> Path:
        """The file here that the profile calls `recorded`, in what belongs to `object_`.

        The first of these that exists: what rules make of the path, the path itself, or from each
        base; Rust's sources; search folders, those for the object before those for all. What is
        there and is no regular file is the answer only where there is nothing better.
        Raises MissingFile, AmbiguousFile and Cancelled.
        """
        looked = _SearchAttempt(recorded)
        if _is_valid_path(recorded):
            found = (
                looked.first_file(self._direct_paths(recorded, object_))
                or _find_rust_source(recorded, looked)
                or self._below_folders(recorded, object_, looked, progress or NoProgress())
                or looked.unsuitable
            )
            if found:
                return found
        raise MissingFile(recorded, tuple(looked.tried))

    def _direct_paths(self, recorded: str, object_: str) -> Iterator[str]:
        """The paths that follow from what is recorded without any search."""
        meant = possible_paths(recorded)
        for rule in self.rules:
            for path in filter(None, (rule.apply(each, object_) for each in meant)):
                yield from self._absolute(path)
        if _is_local_path(recorded):
            yield from dict.fromkeys((recorded, *meant))
        elif not split_path(recorded)[0]:
            for path in meant:
                yield from self._absolute(path)

    def _absolute(self, path: str) -> Iterable[str]:
        return (
            (path,)
            if Path(path).is_absolute()
            else (_path_below(base, path) for base in self.bases)
        )

    def _below_folders(
        self, recorded: str, object_: str, looked: _SearchAttempt, progress: Progress
    ) -> Path | None:
        """The file below the search folders, those for the object before those for all."""
        fitting = [
            each for each in self.folders if each.path and matches_object(each.object, object_)
        ]
        for is_own in (True, False):
            folders = [expand_home(each.path) for each in fitting if bool(each.object) is is_own]
            found = _find_by_tail(recorded, folders, looked)
            if found := found or _find_by_name(recorded, folders, looked, progress):
                return found
        return None


def clear_folder_listings() -> None:
    """List search folders anew when they are next needed: files may have come or gone."""
    _listing_cache.clear()
    _read_manifest.cache_clear()


@dataclass(slots=True)
class _SearchAttempt:
    """What one search has looked at."""

    recorded: str
    tried: list[str] = field(default_factory=list)
    unsuitable: Path | None = None  # the first that is there, and is no regular file

    def note_unsuitable(self, path: str) -> None:
        if len(self.tried) < MAX_LISTED_PATHS and path not in self.tried:
            self.tried.append(path)

    def first_file(self, paths: Iterable[str]) -> Path | None:
        """The first that is a regular file."""
        for path in paths:
            self.note_unsuitable(path)
            if self.file_identity(path):
                return Path(path)
        return None

    def single_file(self, paths: Iterable[str]) -> Path | None:
        """The one that is a regular file; raises AmbiguousFile. Links to one file are one."""
        files: dict[tuple[int, int], Path] = {}
        for path in paths:
            if identity := self.file_identity(path):
                files.setdefault(identity, Path(path))
            if len(files) == MAX_CANDIDATES:
                break
        if len(files) > 1:
            raise AmbiguousFile(self.recorded, tuple(sorted(files.values())))
        return next(iter(files.values()), None)

    def file_identity(self, path: str) -> tuple[int, int] | None:
        """What tells a regular file from all others; None if there is none."""
        try:
            status = Path(path).stat()
        except (OSError, ValueError):  # ValueError: no system has such a name
            return None
        if not stat.S_ISREG(status.st_mode):
            self.unsuitable = self.unsuitable or Path(path)
            return None
        return status.st_dev, status.st_ino


def _is_valid_path(recorded: str) -> bool:
    """Whether this can be the path of a file at all."""
    parts = split_path(recorded)[1] if len(recorded) <= _MAX_PATH_LENGTH else ()
    return bool(parts) and parts[-1] != ".."


def _is_local_path(recorded: str) -> bool:
    """Whether this is an absolute path of this machine; to ask Windows for others asks a server."""
    is_share = os.name == "nt" and recorded[:1] in "/\\" and recorded[1:2] in "/\\"
    return Path(recorded).is_absolute() and not is_share


def _path_below(folder: str, path: str) -> str:
    return f"{folder.rstrip('/' + os.sep)}/{path}"


def _find_by_tail(recorded: str, folders: Sequence[str], attempt: _SearchAttempt) -> Path | None:
    """The file at a tail of the recorded path in a folder, the longest tail before shorter ones.

    A base name alone is not enough, unless the folder's own path goes on as the recorded one does.
    """
    parts = _path_tail(recorded)
    for folder in folders:
        attempt.note_unsuitable(_path_below(folder, f"**/{parts[-1]}"))
    for begin in range(len(parts)):
        for folder in folders:
            path = _path_below(folder, "/".join(parts[begin:]))
            if common_suffix_length(parts, split_path(path)[1]) > 1 and attempt.file_identity(path):
                return Path(path)
    return None


def _find_by_name(
    recorded: str, folders: Sequence[str], attempt: _SearchAttempt, progress: Progress
) -> Path | None:
    """The file of that name that shares the longest tail with the recorded path."""
    parts = _path_tail(recorded)
    by_tail: dict[int, list[str]] = {}
    for folder in folders:
        for path in _list_folder(folder, progress).paths(parts[-1]):
            by_tail.setdefault(common_suffix_length(parts, split_path(path)[1]), []).append(path)
    found = (attempt.single_file(by_tail[length]) for length in sorted(by_tail, reverse=True))
    return next(filter(None, found), None)


def _path_tail(recorded: str) -> tuple[str, ...]:
    """The last components of a recorded path, without any `..`."""
    parts = split_path(recorded)[1]
    return tuple(part for part in parts if part != "..")[-_MAX_TAIL_PARTS:]


@dataclass(frozen=True, slots=True, eq=False)
class _FolderListing:
    """All files below a folder, in little memory."""

    folders: list[str]
    starts: list[int]  # where the files of each folder begin in `names`
    names: str  # with a zero before each, and after the last

    def paths(self, name: str) -> Iterator[str]:
        """The paths of all files of that name."""
        wanted = f"\0{name}\0"
        place = self.names.find(wanted)
        while place >= 0:
            yield _path_below(self.folders[bisect_right(self.starts, place) - 1], name)
            place = self.names.find(wanted, place + 1)


_listing_cache: dict[str, _FolderListing] = {}


def _list_folder(folder: str, progress: Progress) -> _FolderListing:
    """The files below a folder, listed once, near ones first; links to folders are not followed."""
    if known := _listing_cache.get(folder):
        return known
    folders, starts, names = [folder], [], ["\0"]
    length, room = 0, MAX_ENTRIES
    for each in folders:  # grows on the way
        files, subfolders = _folder_entries(each, room, progress)
        starts.append(length)
        names += (f"{name}\0" for name in files)
        length += sum(map(len, files)) + len(files)
        folders += sorted(subfolders)
        room -= len(files) + len(subfolders)
        if room <= 0:
            break
    return _listing_cache.setdefault(folder, _FolderListing(folders, starts, "".join(names)))


def _folder_entries(folder: str, most: int, progress: Progress) -> tuple[list[str], list[str]]:
    """Names of files in a folder, and paths of the folders to go on with."""
    files, subfolders = [], []
    progress.check(0.0, folder)
    try:
        with os.scandir(folder) as entries:
            for number, entry in enumerate(itertools.islice(entries, most)):
                if number % _CHECK_INTERVAL == 0:
                    progress.check(0.0, folder)
                if not entry.is_dir(follow_symlinks=False):
                    files.append(entry.name)
                elif not entry.name.startswith(".") and entry.name not in _VERSION_CONTROL:
                    subfolders.append(entry.path)
    except (OSError, ValueError):
        pass  # not there, or not ours to read: what is known of it is what there is
    return files, subfolders


def _find_rust_source(recorded: str, attempt: _SearchAttempt) -> Path | None:
    """A source of Rust's own libraries, which are recorded as `/rustc/COMMIT/library/…`.

    Of several versions that are installed, that of the commit; if none is known to be, they are as
    likely.
    """
    root, parts = split_path(recorded)
    if root != "/" or parts[0] != "rustc" or len(parts) < 3:
        return None
    folders = _rust_source_folders(attempt)
    proven = [folder for folder in folders if _is_of_commit(folder, parts[1])]
    likely = proven[:1] or folders
    return attempt.single_file(_path_below(str(folder), "/".join(parts[2:])) for folder in likely)


def _rust_source_folders(attempt: _SearchAttempt) -> list[Path]:
    """Where rustup, Fedora and Debian put Rust's sources."""
    rustup = os.environ.get("RUSTUP_HOME") or expand_home("~/.rustup")
    patterns = (
        (rustup, "toolchains/*/lib/rustlib/src/rust"),
        ("/usr", "lib/rustlib/src/rust"),
        ("/usr/src", "rustc-*"),
    )
    folders: list[Path] = []
    for folder, pattern in patterns:
        attempt.note_unsuitable(_path_below(folder, pattern))
        try:
            folders += sorted(Path(folder).glob(pattern))
        except OSError:
            continue
    return folders


def _is_of_commit(folder: Path, commit: str) -> bool:
    """Whether rustup says that the sources in this folder are of a commit."""
    if not _COMMIT.fullmatch(commit):
        return False
    return f"({commit[:9]} " in _read_manifest(
        folder.parents[1] / "multirust-channel-manifest.toml"
    )


@functools.lru_cache(maxsize=16)
def _read_manifest(path: Path) -> str:
    """What rustup knows of a toolchain: `version = "1.95.0 (59807616e 2026-04-14)"`."""
    try:
        lines = read_source(path, limit=_MAX_MANIFEST_SIZE).lines
    except ProfileError:
        return ""
    return "\n".join(line for line in lines if line.startswith("version"))
