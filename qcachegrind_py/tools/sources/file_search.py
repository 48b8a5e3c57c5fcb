"""Search for source files and binaries by recorded paths, with rules that replace paths.

A recorded path is valid on the machine and in the folder of the build. It is tried with the user's
rules, as it is, relative to the profile's folder and the working directory, among Rust's own
sources, and in search folders, where the longest common suffix wins. If two files are equally
likely, the user decides; nothing is guessed. Files are found here, not opened: `text_file` decides
which ones may be read, and `permission` which ones may be written into a report.
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
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.errors import (
    AmbiguousFile,
    MissingFile,
    PathRuleError,
    ProfileError,
    WithheldFile,
)
from qcachegrind_py.profile.progress import NoProgress, Progress

if TYPE_CHECKING:
    from qcachegrind_py.tools.sources.permission import SourcePermission

# ------------------------------------------------------------------- rules
# A rule replaces one path by another. Paths are compared by whole components, with both kinds of
# slashes, since a profile from Windows may be read elsewhere. Rules do not look at the disk.

_SLASHES = re.compile(r"[/\\]+")
_ROOT = re.compile(r"(?:([A-Za-z]:)(?=[/\\]|$))?([/\\]*)")
_INNER_DOT = re.compile(r"(?<=[^./\\])[/\\]+\.[/\\]+")
_WILDCARD = re.compile(r"([*?[])")
_EXAMPLE = "Enter FROM=TO, for example /build/x=~/x."


@frozen(eq=True)
class PathRule:
    """Files recorded at `original` are local at `replacement`."""

    original: str
    """A file or folder: its whole components are compared, so `/build/x` does not match
    `/build/xy`. `*`, `?` and `[` are wildcards within one component; `.` matches all relative
    paths.
    """
    replacement: str
    """The local path; may begin with `~`."""
    object: str = ""
    """If not empty, only for this ELF object: a path or base name, wildcards allowed."""

    def apply(self, path: str, object_: str = "") -> str | None:
        """Return the local path of a recorded path; None if the rule does not apply."""
        if not _matches_object(self.object, object_):
            return None
        root, parts = split_path(path)
        original_root, original = split_path(self.original)
        if root != original_root or len(original) > len(parts):
            return None
        if not all(map(fnmatchcase, parts, original)):
            return None
        return _join_path(expand_home(self.replacement), parts[len(original) :])


def parse_rule(text: str) -> PathRule:
    """Parse a rule written as `FROM=TO`; raises PathRuleError. Write `?` for an `=` in FROM."""
    original, sign, replacement = text.partition("=")
    if not sign:
        raise PathRuleError(text or "“”", "has no “=”.", _EXAMPLE)
    if not original.strip():
        raise PathRuleError(text, "has nothing before the “=”.", _EXAMPLE)
    if not replacement.strip():
        raise PathRuleError(text, "has nothing after the “=”.", _EXAMPLE)
    if "*" in replacement:
        raise PathRuleError(
            text, "has a “*” after the “=”, where a single path is required.", _EXAMPLE
        )
    return PathRule(original, replacement)


def rule_from_choice(recorded: str, path: Path) -> PathRule:
    """Return the rule that follows from choosing the file `path` for `recorded`.

    The common suffix of both paths is left out, so that the rule also serves the files beside it.
    If not even the names are equal, the rule is for this one file.
    """
    rules = [_rule_from_reading(candidate, path) for candidate in possible_paths(recorded)]
    return min(rules, key=lambda rule: len(split_path(rule.original)[1]))


def exact_rule(recorded: str, path: str) -> PathRule:
    """Return the rule for the file recorded as `recorded` alone."""
    return PathRule(_WILDCARD.sub(r"[\1]", recorded), path)


def _rule_from_reading(recorded: str, chosen: Path) -> PathRule:
    """Return the rule for one interpretation of a recorded path."""
    root, parts = split_path(recorded)
    common = _common_suffix_length(parts, chosen.parts)
    original = _join_path(root, parts[: len(parts) - common]) or "."
    replacement = chosen.parents[common - 1] if common else chosen
    return PathRule(_WILDCARD.sub(r"[\1]", original), str(replacement))


def possible_paths(recorded: str) -> tuple[str, ...]:
    """Return the possible meanings of a recorded path, without `.` and `..`; at least one.

    The likeliest is first. A relative path is a compiler's folder and a file, joined. In
    `./nptl/./nptl/a.c`, as libc has them, both are relative to the same folder: it may mean
    `nptl/a.c`, too.
    """
    paths = [_join_path(*split_path(recorded))]
    *before, last = _INNER_DOT.split(recorded)
    root, folder = split_path("/./".join(before))
    _, parts = split_path(last)
    if folder and not root and parts[: len(folder)] == folder:
        paths.append(_join_path("", parts))
    return tuple(paths)


@functools.lru_cache(1000)  # a search asks ten times for the same few
def split_path(path: str) -> tuple[str, tuple[str, ...]]:
    r"""Return the root (`/`, `C:/` or empty) and the components, with `.` and `..` resolved.

    Both slashes separate: `C:\a\..\b.c` is `C:/` and `b.c`. A `..` stays if it leads above the
    start of a relative path.
    """
    match = _ROOT.match(path)
    drive, slashes = match.groups("") if match else ("", "")
    parts: list[str] = []
    for part in _SLASHES.split(path[len(drive) + len(slashes) :]):
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part not in ("", ".") and (part != ".." or not (drive or slashes)):
            parts.append(part)
    return (f"{drive.upper()}/" if drive or slashes else ""), tuple(parts)


def _common_suffix_length(parts: tuple[str, ...], others: tuple[str, ...]) -> int:
    """Return the number of components that both end with."""
    count = 0
    for part, other in zip(reversed(parts), reversed(others), strict=False):
        if part != other:
            break
        count += 1
    return count


def _matches_object(pattern: str, object_: str) -> bool:
    """Whether a pattern matches the object's path or base name; an empty one matches all."""
    name = _SLASHES.split(object_)[-1]
    return not pattern or fnmatchcase(object_, pattern) or fnmatchcase(name, pattern)


def _join_path(folder: str, parts: tuple[str, ...]) -> str:
    """Join a folder and components; the folder alone if there are none."""
    if not parts or not folder:
        return folder or "/".join(parts)
    return "/".join((folder.rstrip("/" + os.sep), *parts))


def expand_home(path: str) -> str:
    """Replace a leading `~` by the user's home folder, if that is known."""
    try:
        return os.path.expanduser(path)  # noqa: PTH111 (Path drops what `..` of a link means)
    except ValueError:  # not a valid user name
        return path


# ---------------------------------------------------- base of a comparison


@frozen(eq=True)
class BaseSearch:
    """What the user said about the sources of the base."""

    rules: tuple[PathRule, ...] = ()  # for paths recorded in the base, tried before other rules
    revision: str = ""  # of the repository that has the new sources; empty: files only


NO_BASE_SEARCH = BaseSearch()


# ------------------------------------------------------------------ search

MAX_LISTED_PATHS = 12  # paths that an error lists
MAX_CANDIDATES = 100  # files that an error lists
# Files and folders below one search folder: Linux has 90,000, LLVM 160,000, Chromium 450,000.
MAX_ENTRIES = 500_000
_MAX_PATH_LENGTH = 32_767  # of a path, on any system
_MAX_TAIL_PARTS = 64  # last components of a recorded path that are looked for in search folders
_CHECK_INTERVAL = 1000  # entries of a folder
_VERSION_CONTROL = {"CVS", "RCS", "SCCS", "_darcs", "{arch}"}  # the others are hidden folders

_COMMIT = re.compile(r"[0-9a-f]{9,40}")
_MAX_MANIFEST_SIZE = 8_000_000  # bytes; one of 2026 has 1,000,000


@frozen(eq=True)
class SearchFolder:
    """A folder in which, and below which, files are searched."""

    path: str
    """Absolute; may begin with `~`."""
    object: str = ""
    """If not empty, only for sources of this ELF object, as in a rule."""


@frozen(eq=True)
class FileSearch:
    """The user's search settings; each `find` accesses the disk."""

    rules: tuple[PathRule, ...] = ()
    folders: tuple[SearchFolder, ...] = ()
    bases: tuple[str, ...] = ()
    """Bases of relative paths: the profile's folder, the working directory."""
    object_bases: tuple[str, ...] = ()
    """Further bases, which follow from a path in the profile, so that they permit nothing."""
    is_for_writing: bool = False
    """Whether sources are copied into a file or a pipe, which others may read: only those of the
    project, of the system's libraries and of `rules` and `folders` are then.
    """

    def find(self, recorded: str, object_: str = "", progress: Progress | None = None) -> Path:
        """Return the local file recorded as `recorded` in the object `object_`.

        The first of these that exists: the path rewritten by rules, the path itself, or relative to
        each base; Rust's sources; search folders, those for the object before those for all.
        Something other than a regular file is returned only if there is nothing better. Raises
        MissingFile, AmbiguousFile and Cancelled.
        """
        attempt = _SearchAttempt(recorded)
        if _is_valid_path(recorded):
            result = (
                attempt.first_file(self._direct_paths(recorded, object_))
                or _find_rust_source(recorded, attempt)
                or self._below_folders(recorded, object_, attempt, progress or NoProgress())
                or attempt.unsuitable
            )
            if result:
                return result
        raise MissingFile(recorded, tuple(attempt.tried))

    def find_source(
        self, recorded: str, object_: str = "", progress: Progress | None = None
    ) -> Path:
        """Like `find`, for a file whose text is shown; raises WithheldFile if it is not written."""
        path = self.find(recorded, object_, progress)
        if self.is_for_writing and (withheld := self.withheld(path)) is not None:
            raise withheld
        return path

    def withheld(self, path: Path) -> WithheldFile | None:
        """Return why the text of a file that was found is not written; None if it may be."""
        try:
            self._permission().check(path)
        except WithheldFile as reason:
            return reason
        return None

    def _permission(self) -> SourcePermission:
        """Return what may be written, by the places that the user, and not the profile, names."""
        from qcachegrind_py.tools.sources.permission import permission

        bases = tuple(str(Path(base).absolute()) for base in self.bases)
        targets = [expand_home(rule.replacement) for rule in self.rules]
        mapped = (str(Path(base, target)) for base in bases or ("",) for target in targets)
        named = (expand_home(folder.path) for folder in self.folders)
        return permission(tuple(named), tuple(mapped), bases)

    def _direct_paths(self, recorded: str, object_: str) -> Iterator[str]:
        """Yield the paths that follow from the recorded one without a search."""
        possible = possible_paths(recorded)
        for rule in self.rules:
            for path in filter(None, (rule.apply(option, object_) for option in possible)):
                yield from self._absolute(path)
        if _is_local_path(recorded):
            yield from dict.fromkeys((recorded, *possible))
        elif not split_path(recorded)[0]:
            for path in possible:
                yield from self._absolute(path)

    def _absolute(self, path: str) -> Iterable[str]:
        return (
            (path,)
            if Path(path).is_absolute()
            else (_path_below(base, path) for base in (*self.bases, *self.object_bases))
        )

    def _below_folders(
        self, recorded: str, object_: str, attempt: _SearchAttempt, progress: Progress
    ) -> Path | None:
        applicable = [
            folder
            for folder in self.folders
            if folder.path and _matches_object(folder.object, object_)
        ]
        for is_for_object in (True, False):
            folders = [
                expand_home(folder.path)
                for folder in applicable
                if bool(folder.object) is is_for_object
            ]
            result = _find_by_tail(recorded, folders, attempt)
            if result := result or _find_by_name(recorded, folders, attempt, progress):
                return result
        return None


def clear_folder_listings() -> None:
    """List search folders again when they are next needed, as files may have changed."""
    from qcachegrind_py.tools.sources.permission import forget_projects

    forget_projects()
    _listing_cache.clear()
    _read_manifest.cache_clear()


@dataclass(slots=True)
class _SearchAttempt:
    """The record of one search: tried paths, and the first unsuitable file."""

    recorded: str
    tried: list[str] = field(default_factory=list)
    unsuitable: Path | None = None  # the first that exists without being a regular file

    def note_unsuitable(self, path: str) -> None:
        if len(self.tried) < MAX_LISTED_PATHS and path not in self.tried:
            self.tried.append(path)

    def first_file(self, paths: Iterable[str]) -> Path | None:
        for path in paths:
            self.note_unsuitable(path)
            if self.file_identity(path):
                return Path(path)
        return None

    def single_file(self, paths: Iterable[str]) -> Path | None:
        """Return the only regular file, None if there is none; raises AmbiguousFile.

        Links to the same file count once.
        """
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
        """Return device and inode of a regular file; None if there is none."""
        try:
            status = os.stat(path)  # noqa: PTH116 (a Path takes three times as long)
        except (OSError, ValueError):  # ValueError: not a valid file name
            return None
        if not stat.S_ISREG(status.st_mode):
            self.unsuitable = self.unsuitable or Path(path)
            return None
        return status.st_dev, status.st_ino


def _is_valid_path(recorded: str) -> bool:
    parts = split_path(recorded)[1] if len(recorded) <= _MAX_PATH_LENGTH else ()
    return bool(parts) and parts[-1] != ".."


def _is_local_path(recorded: str) -> bool:
    """Whether this is an absolute local path; on Windows, testing a network path asks a server."""
    is_share = os.name == "nt" and recorded[:1] in "/\\" and recorded[1:2] in "/\\"
    return Path(recorded).is_absolute() and not is_share


def _path_below(folder: str, path: str) -> str:
    return f"{folder.rstrip('/' + os.sep)}/{path}"


def _find_by_tail(recorded: str, folders: Sequence[str], attempt: _SearchAttempt) -> Path | None:
    """Return the file at a suffix of the recorded path in a folder, trying longer suffixes first.

    A base name alone is not enough, unless the folder's own path continues the match.
    """
    parts = _path_tail(recorded)
    for folder in folders:
        attempt.note_unsuitable(_path_below(folder, f"**/{parts[-1]}"))
    for begin in range(len(parts)):
        for folder in folders:
            path = _path_below(folder, "/".join(parts[begin:]))
            common = _common_suffix_length(parts, split_path(path)[1])
            if common > 1 and attempt.file_identity(path):
                return Path(path)
    return None


def _find_by_name(
    recorded: str, folders: Sequence[str], attempt: _SearchAttempt, progress: Progress
) -> Path | None:
    """Return the file of that name that shares the longest suffix with the recorded path."""
    parts = _path_tail(recorded)
    by_tail: dict[int, list[str]] = {}
    for folder in folders:
        for path in _list_folder(folder, progress).paths(parts[-1]):
            by_tail.setdefault(_common_suffix_length(parts, split_path(path)[1]), []).append(path)
    candidates = (attempt.single_file(by_tail[length]) for length in sorted(by_tail, reverse=True))
    return next(filter(None, candidates), None)


def _path_tail(recorded: str) -> tuple[str, ...]:
    """Return the last components of a recorded path, without any `..`."""
    parts = split_path(recorded)[1]
    return tuple(part for part in parts if part != "..")[-_MAX_TAIL_PARTS:]


@frozen
class _FolderListing:
    """The names of all files below a folder, stored compactly."""

    folders: list[str]
    starts: list[int]  # offset of each folder's files in `names`
    names: str  # with a zero before each, and after the last

    def paths(self, name: str) -> Iterator[str]:
        needle = f"\0{name}\0"
        offset = self.names.find(needle)
        while offset >= 0:
            yield _path_below(self.folders[bisect_right(self.starts, offset) - 1], name)
            offset = self.names.find(needle, offset + 1)


_listing_cache: dict[str, _FolderListing] = {}


def _list_folder(folder: str, progress: Progress) -> _FolderListing:
    """List the files below a folder, near ones first; cached. Links to folders are not followed."""
    if cached := _listing_cache.get(folder):
        return cached
    folders, starts, names = [folder], [], ["\0"]
    length, entries_left = 0, MAX_ENTRIES
    for current in folders:  # grows during the loop
        files, subfolders = _folder_entries(current, entries_left, progress)
        starts.append(length)
        names += (f"{name}\0" for name in files)
        length += sum(map(len, files)) + len(files)
        folders += sorted(subfolders)
        entries_left -= len(files) + len(subfolders)
        if entries_left <= 0:
            break
    return _listing_cache.setdefault(folder, _FolderListing(folders, starts, "".join(names)))


def _folder_entries(
    folder: str, max_entries: int, progress: Progress
) -> tuple[list[str], list[str]]:
    """Return names of the files in a folder, and paths of its subfolders to search."""
    files, subfolders = [], []
    progress.check(0.0, folder)
    try:
        with os.scandir(folder) as entries:
            for number, entry in enumerate(itertools.islice(entries, max_entries)):
                if number % _CHECK_INTERVAL == 0:
                    progress.check(0.0, folder)
                if not entry.is_dir(follow_symlinks=False):
                    files.append(entry.name)
                elif not entry.name.startswith(".") and entry.name not in _VERSION_CONTROL:
                    subfolders.append(entry.path)
    except (OSError, ValueError):
        pass  # missing or not readable: list as much as possible
    return files, subfolders


def _find_rust_source(recorded: str, attempt: _SearchAttempt) -> Path | None:
    """Find a source of Rust's own libraries, which are recorded as `/rustc/COMMIT/library/…`.

    Of several installed versions, the one of that commit is returned; if it is unknown, all are
    equally likely.
    """
    root, parts = split_path(recorded)
    if root != "/" or parts[0] != "rustc" or len(parts) < 3:
        return None
    folders = _rust_source_folders(attempt)
    matching = [folder for folder in folders if _is_of_commit(folder, parts[1])]
    candidates = matching[:1] or folders
    return attempt.single_file(
        _path_below(str(folder), "/".join(parts[2:])) for folder in candidates
    )


def _rust_source_folders(attempt: _SearchAttempt) -> list[Path]:
    """Return the folders of Rust's sources as installed by rustup, Fedora and Debian."""
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
    """Whether rustup's manifest records that commit for the sources in this folder."""
    if not _COMMIT.fullmatch(commit):
        return False
    return f"({commit[:9]} " in _read_manifest(
        folder.parents[1] / "multirust-channel-manifest.toml"
    )


@functools.lru_cache(maxsize=16)
def _read_manifest(path: Path) -> str:
    """Return the version lines of a toolchain: `version = "1.95.0 (59807616e 2026-04-14)"`."""
    from qcachegrind_py.tools.sources.text_file import read_source  # which imports numpy

    try:
        lines = read_source(path, limit=_MAX_MANIFEST_SIZE).lines
    except ProfileError:
        return ""
    return "\n".join(line for line in lines if line.startswith("version"))
