"""Map recorded paths, from another machine or folder, to local paths by rules.

A rule replaces one path by another. Paths are compared by whole components, with both kinds of
slashes, since a profile from Windows may be read elsewhere. No disk access: `file_search` does
that.
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
_EXAMPLE = "Enter FROM=TO, for example /build/x=~/x."


@dataclass(frozen=True, slots=True)
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
        if not matches_object(self.object, object_):
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
    common = common_suffix_length(parts, chosen.parts)
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


def common_suffix_length(parts: tuple[str, ...], others: tuple[str, ...]) -> int:
    """Return the number of components that both end with."""
    count = 0
    for part, other in zip(reversed(parts), reversed(others), strict=False):
        if part != other:
            break
        count += 1
    return count


def matches_object(pattern: str, object_: str) -> bool:
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
