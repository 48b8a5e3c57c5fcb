"""Levels of recursion made one function again.

With `--separate-recs` Callgrind counts the second call of `f` on the stack as a function `f'2`, the
third as `f'3`. That keeps cycles apart, but spreads a function's cost over several rows. What has
callers in its name, `f'g`, is left as it is, and so is a level in front of them: `f'2'g`.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.string_table import StringTable
from qcachegrind_py.profile.tables import Functions, Int32Array, Int64Array, UInt64Array

_LEVEL = re.compile(rb"'([1-9][0-9]{0,8})\n")
_LEVEL_OF_NAME = re.compile(r"'[1-9][0-9]{0,8}$")
_COMPARED = 8  # bytes of each end of a text by which its equals are looked for first
_HASH_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # spreads these bytes over all bits


def without_level(name: str) -> str:
    """The name of the function that a recursion level is of."""
    return _LEVEL_OF_NAME.sub("", name)


def has_levels(profile: Profile) -> bool:
    """Whether any function is a level of recursion."""
    numbers, _ = _levels(profile.texts)
    return bool(np.isin(numbers, profile.functions.name).any())


def fold_levels(profile: Profile) -> Profile:
    """The profile with all levels of a function as one; calls between them are recursive ones.

    Functions are one if base name, file and object are the same. They bear the name of the lowest
    level among them, so that texts stay what they are. Nothing but columns of functions is copied,
    and a profile without levels is returned as it is.
    """
    if not has_levels(profile):
        return profile
    functions, row = _folded_functions(profile.functions, profile.texts)
    runs, calls, jumps = profile.runs, profile.calls, profile.jumps
    return replace(
        profile,
        functions=functions,
        runs=replace(runs, function=row[runs.function]),
        calls=replace(calls, caller=row[calls.caller], callee=row[calls.callee]),
        jumps=replace(
            jumps, function=row[jumps.function], target_function=row[jumps.target_function]
        ),
    )


def _folded_functions(functions: Functions, texts: StringTable) -> tuple[Functions, Int32Array]:
    """The functions that are left, in order of their first level, and the new row of each old."""
    base, level = _base_names(texts)
    _, place = np.unique(
        functions.file.astype(np.int64) * len(texts) + functions.object, return_inverse=True
    )
    keys = base[functions.name] * len(functions) + place
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int32)
    rank[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    row: Int32Array = rank[group]
    kept = np.sort(first)
    by_level = np.lexsort((level[functions.name], row))
    lowest = by_level[np.searchsorted(row[by_level], np.arange(len(kept)))]
    return Functions(functions.name[lowest], functions.file[kept], functions.object[kept]), row


def _levels(texts: StringTable) -> tuple[Int64Array, Int64Array]:
    """The texts that end in a level of at least 2, and these levels."""
    found = [(hit.start(), int(hit[1])) for hit in _LEVEL.finditer(texts.arena)]
    places, levels = np.array(found, np.int64).reshape(-1, 2).T
    numbers = np.searchsorted(texts.starts, places, side="right") - 1
    is_level = (levels >= 2) & (places > texts.starts[numbers]) & (numbers > 0)
    return numbers[is_level], levels[is_level]


def _base_names(texts: StringTable) -> tuple[Int64Array, Int64Array]:
    """For each text a number that all levels of a name share, and which level it is; 0 for none."""
    numbers, levels = _levels(texts)
    base, level = np.arange(len(texts)), np.zeros(len(texts), np.int64)
    level[numbers] = levels
    lines = [_text_line(texts, number).rpartition(b"'")[0] for number in numbers.tolist()]
    known = _text_indexes(set(lines), texts)
    for number, line in zip(numbers.tolist(), lines, strict=True):
        base[number] = known.setdefault(line, number)
    return base, level


def _text_line(texts: StringTable, number: int) -> bytes:
    return texts.arena[int(texts.starts[number]) : int(texts.starts[number + 1]) - 1]


def _text_indexes(lines: set[bytes], texts: StringTable) -> dict[bytes, int]:
    """The numbers of those lines that are texts; only what looks like one is read in Python."""
    wanted = sorted(lines)
    starts = np.concatenate(([0], np.cumsum([len(line) + 1 for line in wanted])))
    looks = _fingerprints(StringTable(b"\n".join(wanted) + b"\n", starts))
    alike = np.flatnonzero(np.isin(_fingerprints(texts), looks)).tolist()
    found = ((_text_line(texts, number), number) for number in alike if number)
    return {line: number for line, number in found if line in lines}


def _fingerprints(texts: StringTable) -> UInt64Array:
    """One number for the length, the first and the last bytes of each text."""
    arena = np.frombuffer(texts.arena, np.uint8)
    starts, stops = texts.starts[:-1, None], texts.starts[1:, None] - 1
    columns = np.arange(_COMPARED)
    places = np.hstack((starts + columns, np.maximum(stops - _COMPARED, starts) + columns))
    ends = arena.take(places, mode="clip")
    ends[places >= stops] = 0
    first, last = ends.view(np.uint64).T
    length: UInt64Array = (stops - starts)[:, 0].astype(np.uint64)
    looks: UInt64Array = (first * _HASH_MULTIPLIER + last) * _HASH_MULTIPLIER + length
    return looks
