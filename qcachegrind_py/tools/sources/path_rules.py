"""Where files are that a profile names as another machine, or another folder, had them.

A rule says that what is recorded under one path is under another one here. Paths are compared as
whole components, both slashes alike, since a profile of Windows may be read elsewhere. Nothing here
looks at the disk; `file_search` does.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from qcachegrind_py.profile.errors import PathRuleError

_SLASHES = re.compile(r"[/\\]+")
_ROOT = re.compile(r"(?:([A-Za-z]:)(?=[/\\]|$))?([/\\]*)")
_INNER_DOT = re.compile(r"(?<=[^./\\])[/\\]+\.[/\\]+")
_WILDCARD = re.compile(r"([*?[])")
_EXAMPLE = "Write FROM=TO, such as /build/x=~/x."


@dataclass(frozen=True, slots=True)
class PathRule:
    """Files recorded at `original` are at `replacement` here."""

    original: str
    """A file or folder: its whole components are compared, so `/build/x` is not about `/build/xy`.
    `*`, `?` and `[` are wildcards within one component; `.` is about all relative paths."""
    replacement: str
    """What stands in its place; may begin with `~`."""
    object: str = ""
    """Where not empty: only for this ELF object, a path or base name, wildcards allowed."""

    def apply(self, path: str, object_: str = "") -> str | None:
        """The path here of what is recorded at `path` in `object_`; None where it is not meant."""
        if not matches_object(self.object, object_):
            return None
        root, parts = split_path(path)
        wanted_root, wanted = split_path(self.original)
        if root != wanted_root or len(wanted) > len(parts):
            return None
        if not all(map(fnmatchcase, parts, wanted)):
            return None
        return _join_path(expand_home(self.replacement), parts[len(wanted) :])


def parse_rule(text: str) -> PathRule:
    """A rule written as `FROM=TO`; raises PathRuleError. An `=` within FROM is written `?`."""
    original, sign, replacement = text.partition("=")
    if not sign:
        raise PathRuleError(text or "“”", "has no “=”.", _EXAMPLE)
    if not original.strip():
        raise PathRuleError(text, "has nothing before the “=”.", _EXAMPLE)
    if not replacement.strip():
        raise PathRuleError(text, "has nothing after the “=”.", _EXAMPLE)
    if "*" in replacement:
        raise PathRuleError(text, "has a “*” after the “=”, where one path has to stand.", _EXAMPLE)
    return PathRule(original, replacement)


def rule_from_choice(recorded: str, path: Path) -> PathRule:
    """The rule that somebody means who says that `recorded` is the file `chosen`.

    What both paths end with is left out, so that the rule serves the files beside it too. Where not
    even their names are equal, it is about this one file.
    """
    rules = [_rule_from_reading(reading, path) for reading in possible_paths(recorded)]
    return min(rules, key=lambda rule: len(split_path(rule.original)[1]))


def _rule_from_reading(reading: str, chosen: Path) -> PathRule:
    """The rule for one reading of what is recorded."""
    root, parts = split_path(reading)
    common = common_suffix_length(parts, chosen.parts)
    original = _join_path(root, parts[: len(parts) - common]) or "."
    replacement = chosen.parents[common - 1] if common else chosen
    return PathRule(_WILDCARD.sub(r"[\1]", original), str(replacement))


def possible_paths(recorded: str) -> tuple[str, ...]:
    """What a recorded path may mean, without `.` and `..`, likeliest first; at least one.

    A relative path is that of a compiler's folder and that of a file, joined. `./nptl/./nptl/a.c`,
    as libc has them, were joined though both are relative to the same folder: `nptl/a.c` too.
    """
    meant = [_join_path(*split_path(recorded))]
    *before, last = _INNER_DOT.split(recorded)
    root, folder = split_path("/./".join(before))
    _, parts = split_path(last)
    if folder and not root and parts[: len(folder)] == folder:
        meant.append(_join_path("", parts))
    return tuple(meant)


def split_path(path: str) -> tuple[str, tuple[str, ...]]:
    r"""The root (`/`, `C:/` or nothing) and the components, without `.` and with `..` resolved.

    Both slashes divide: `C:\a\..\b.c` is `C:/` and `b.c`. A `..` stays where it leads above what a
    relative path begins with.
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


def common_suffix_length(parts: tuple[str, ...], others: tuple[str, ...]) -> int:
    """How many components both end with."""
    count = 0
    for part, other in zip(reversed(parts), reversed(others), strict=False):
        if part != other:
            break
        count += 1
    return count


def matches_object(pattern: str, object_: str) -> bool:
    """Whether a pattern means the object, by its path or base name; the empty one means all."""
    name = _SLASHES.split(object_)[-1]
    return not pattern or fnmatchcase(object_, pattern) or fnmatchcase(name, pattern)


def _join_path(folder: str, parts: tuple[str, ...]) -> str:
    """A path below a folder; the folder itself where there are no parts."""
    if not parts or not folder:
        return folder or "/".join(parts)
    return "/".join((folder.rstrip("/" + os.sep), *parts))


def expand_home(path: str) -> str:
    """The path with the user's home folder for a leading `~`, where that is known."""
    try:
        return os.path.expanduser(path)  # noqa: PTH111 (Path drops what `..` of a link means)
    except ValueError:  # a name that no user can have
        return path
