"""Recursion levels: merges functions that Callgrind recorded separately for each level.

With `--separate-recs` Callgrind records the second activation of `f` on the stack as a function
`f'2`, the third as `f'3`. This separates cycles, but spreads the cost of a function over several
rows. Names with callers (`f'g`), and with a level in front of them (`f'2'g`), are left unchanged.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import (
    Functions,
    Int32Array,
    Int64Array,
    StringTable,
    UInt64Array,
)

_LEVEL = re.compile(rb"'([1-9][0-9]{0,8})\n")
_LEVEL_OF_NAME = re.compile(r"'[1-9][0-9]{0,8}$")
_COMPARED = 8  # bytes at each end of a text that its fingerprint is made of
_HASH_MULTIPLIER = 0x9E3779B97F4A7C15  # spreads these bytes over all bits


def without_level(name: str) -> str:
    return _LEVEL_OF_NAME.sub("", name)


def has_levels(profile: Profile) -> bool:
    """Return whether any function is a recursion level of another."""
    numbers, _ = _levels(profile.texts)
    return bool(np.isin(numbers, profile.functions.name).any())


def deepest_level(profile: Profile) -> int:
    """Return the highest recursion level of a function; 1 if none was recorded separately."""
    numbers, levels = _levels(profile.texts)
    return int(levels[np.isin(numbers, profile.functions.name)].max(initial=1))


def fold_levels(profile: Profile) -> Profile:
    """Merge all recursion levels of each function; calls between levels become recursive calls.

    Functions are merged if base name, file and object are the same. The result has the name of the
    lowest level among them, so that the string table is unchanged. Only columns of functions are
    copied; a profile without levels is returned unchanged.
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
    """Return the merged functions in order of first appearance, and the new row of each old one."""
    base, level = _base_names(texts)
    _, location = np.unique(
        functions.file.astype(np.int64) * len(texts) + functions.object, return_inverse=True
    )
    keys = base[functions.name] * len(functions) + location
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int32)
    rank[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    row: Int32Array = rank[group]
    first_rows = np.sort(first)
    by_level = np.lexsort((level[functions.name], row))
    lowest = by_level[np.searchsorted(row[by_level], np.arange(len(first_rows)))]
    return Functions(
        functions.name[lowest], functions.file[first_rows], functions.object[first_rows]
    ), row


def _levels(texts: StringTable) -> tuple[Int64Array, Int64Array]:
    """Return the numbers of the texts that end in a level of at least 2, and these levels."""
    matches = [(hit.start(), int(hit[1])) for hit in _LEVEL.finditer(texts.arena)]
    offsets, levels = np.array(matches, np.int64).reshape(-1, 2).T
    numbers = np.searchsorted(texts.starts, offsets, side="right") - 1
    is_level = (levels >= 2) & (offsets > texts.starts[numbers]) & (numbers > 0)
    return numbers[is_level], levels[is_level]


def _base_names(texts: StringTable) -> tuple[Int64Array, Int64Array]:
    """Return for each text a number shared by all levels of a name, and its level; 0: none."""
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
    """Return the text numbers of those lines that are texts.

    Fingerprints narrow the search, so that few texts are compared in Python.
    """
    requested = sorted(lines)
    starts = np.concatenate(([0], np.cumsum([len(line) + 1 for line in requested])))
    fingerprints = _fingerprints(StringTable(b"\n".join(requested) + b"\n", starts))
    candidates = np.flatnonzero(np.isin(_fingerprints(texts), fingerprints)).tolist()
    matches = ((_text_line(texts, number), number) for number in candidates if number)
    return {line: number for line, number in matches if line in lines}


def _fingerprints(texts: StringTable) -> UInt64Array:
    """Hash the length, the first and the last bytes of each text, uint64 of shape (texts,)."""
    arena = np.frombuffer(texts.arena, np.uint8)
    starts, stops = texts.starts[:-1, None], texts.starts[1:, None] - 1
    columns = np.arange(_COMPARED)
    offsets = np.hstack((starts + columns, np.maximum(stops - _COMPARED, starts) + columns))
    ends = arena.take(offsets, mode="clip")
    ends[offsets >= stops] = 0
    first, last = ends.view(np.uint64).T
    length: UInt64Array = (stops - starts)[:, 0].astype(np.uint64)
    multiplier = np.uint64(_HASH_MULTIPLIER)
    fingerprints: UInt64Array = (first * multiplier + last) * multiplier + length
    return fingerprints
