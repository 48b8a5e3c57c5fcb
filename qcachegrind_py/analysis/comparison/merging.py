"""One profile of both sides: the parts of the new one first, then those of the base.

Each row of a pairing is one function, so that base and new are selections of parts of one profile.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, TypeVar

import numpy as np

from qcachegrind_py.analysis.comparison.matching import Pairing
from qcachegrind_py.profile.merge import Numbering, merge_numbered
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import (
    UNKNOWN,
    Calls,
    Costs,
    Functions,
    Int32Array,
    Jumps,
    StringTable,
)

_Rows = TypeVar("_Rows", Costs, Calls, Jumps)

_RENUMBERED = ("part", "function", "caller", "callee", "target_function", "file", "target_file")


def merge_sides(base: Profile, new: Profile, pairing: Pairing) -> Profile:
    """Merge both profiles; the functions of the result are the rows of the pairing.

    Files and objects have the paths of the new side, those of the base alone their own.
    """
    texts = _Texts()
    new_text = texts.add(new)
    base_name = texts.add(base)  # also of functions
    base_path = texts.add(base, pairing.counterparts.files)
    base_object = texts.add(base, pairing.counterparts.objects)
    functions = Functions(*(np.zeros(len(pairing), np.int32) for _ in range(3)))
    for rows, table, columns in (
        (pairing.row_of_base, base.functions, (base_name, base_path, base_object)),
        (pairing.row_of_new, new.functions, (new_text, new_text, new_text)),  # overrules the base
    ):
        functions.name[rows] = columns[0][table.name]
        functions.file[rows] = columns[1][table.file]
        functions.object[rows] = columns[2][table.object]
    for row, name in pairing.names.items():
        functions.name[row] = texts.number(name)
    numberings = [
        Numbering(pairing.row_of_new, new_text),
        Numbering(pairing.row_of_base, base_path),
    ]
    return merge_numbered((new, base), numberings, texts.table(), functions)


def sharing_rows(profile: Profile, merged: Profile, *, is_base: bool) -> Profile:
    """Return a profile that has its rows in common with the merged one, where they are equal.

    Two profiles of 100 MB and the merged one take 230 MB less then, once the first are released.
    """
    if profile.events.names != merged.events.names:
        return profile
    return replace(
        profile,
        costs=_shared(profile.costs, merged.costs, is_base),
        calls=_shared(profile.calls, merged.calls, is_base),
        jumps=_shared(profile.jumps, merged.jumps, is_base),
    )


def with_own_rows(profile: Profile) -> Profile:
    """Return a profile that has no rows in common with a merged one, which can be released."""
    return replace(
        profile,
        costs=_copied(profile.costs),
        calls=_copied(profile.calls),
        jumps=_copied(profile.jumps),
    )


def _copied(rows: _Rows) -> _Rows:
    columns: dict[str, Any] = {}
    for field in fields(rows):
        column = getattr(rows, field.name)
        if column is not None and column.base is not None:
            columns[field.name] = column.copy()
            columns[field.name].flags.writeable = False
    return replace(rows, **columns)


def _shared(own: _Rows, merged: _Rows, is_base: bool) -> _Rows:
    """Return the columns of one side; only those with new numbers in the merged one are its own."""
    count = len(own)
    rows = slice(len(merged) - count, None) if is_base else slice(count)
    columns: dict[str, Any] = {}
    for field in fields(own):
        column = getattr(own, field.name)
        if field.name not in _RENUMBERED and column is not None:
            columns[field.name] = getattr(merged, field.name)[..., rows]
    return replace(own, **columns)


class _Texts:
    """The texts of both sides, each once."""

    def __init__(self) -> None:
        self._numbers: dict[bytes, int] = {UNKNOWN.encode(): 0}

    def add(self, profile: Profile, renamed: dict[str, str] | None = None) -> Int32Array:
        """Return the number of each text of the profile, shape (texts,); `renamed` are others."""
        others = {_encoded(text): _encoded(other) for text, other in (renamed or {}).items()}
        words = profile.texts.raw_strings()
        numbers = self._numbers
        return np.array(
            [numbers.setdefault(others.get(word, word), len(numbers)) for word in words], np.int32
        )

    def number(self, text: str) -> int:
        """Return the number of a text."""
        return self._numbers.setdefault(_encoded(text), len(self._numbers))

    def table(self) -> StringTable:
        """Return all texts by number."""
        return StringTable.from_bytes(self._numbers)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
