"""Which files and objects of two builds are the same, by the ends of their paths."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence

from qcachegrind_py.analysis.names.syntax import common_length
from qcachegrind_py.profile.tables import UNKNOWN

_VERSION = re.compile(r"(\.so)(?:\.\d+)+$|-\d+(?:\.\d+)+(?=\.so$)")
_Folders = list[str]  # of a path, from its end


def file_counterparts(base: Sequence[str], new: Sequence[str]) -> dict[str, str]:
    """Return the new path of each base path that has one; the paths of a side are distinct.

    It is the same path, or else the one with the longest equal end, counted in whole folders, if
    only one is as long, and the base path is in turn the only best for it.
    """
    same = set(base) & set(new)
    left, free = ([path for path in paths if path not in same] for paths in (base, new))
    there, back = _closest(left, free), _closest(free, left)
    mutual = {path: other for path, other in there.items() if back.get(other) == path}
    return {path: path for path in same} | mutual


def object_counterparts(
    base: Sequence[str], new: Sequence[str], programs: tuple[str, str]
) -> dict[str, str]:
    """Return the new object of each base object that has one; the objects of a side are distinct.

    It is the same path, or else the only one with the same name without version. The two
    `programs`, that of the base and the new one, are the same, whatever they are called.
    """
    same = {path: path for path in set(base) & set(new)}
    if programs[0] in base and programs[1] in new and programs[0] not in same:
        same[programs[0]] = programs[1]
    left, free = (
        [path for path in paths if path not in taken]
        for paths, taken in ((base, same.keys()), (new, set(same.values())))
    )
    names = [Counter(map(object_name, paths)) for paths in (left, free)]
    by_name = {object_name(path): path for path in free}
    for path in left:
        name = object_name(path)
        if path != UNKNOWN and names[0][name] == names[1][name] == 1:
            same[path] = by_name[name]
    return same


def object_name(path: str) -> str:
    """Return the base name of an object without its version: libc.so of /lib/libc.so.6."""
    return _VERSION.sub(r"\1", path.replace("\\", "/").rpartition("/")[2])


def _closest(paths: Sequence[str], candidates: Sequence[str]) -> dict[str, str]:
    """Return for each path the only candidate with the longest equal end, if there is one.

    Sorted from their ends, the candidates with the longest equal end are beside the path.
    """
    ordered = sorted((_folders(path), path) for path in candidates if path != UNKNOWN)
    keys = [folders for folders, _ in ordered]
    closest: dict[str, str] = {}
    for path in paths:
        folders = _folders(path)
        place = bisect_left(keys, folders)
        near = range(max(0, place - 2), min(len(keys), place + 2))
        lengths = [common_length(folders, keys[index]) for index in near]
        longest = max(lengths, default=0)
        if longest and path != UNKNOWN and lengths.count(longest) == 1:
            closest[path] = ordered[near[lengths.index(longest)]][1]
    return closest


def _folders(path: str) -> _Folders:
    return path.replace("\\", "/").split("/")[::-1]
