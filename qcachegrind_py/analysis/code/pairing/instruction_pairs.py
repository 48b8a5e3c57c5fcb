"""Which instructions of two builds of a function are the same.

In one build these are the instructions with equal addresses. In two, they are aligned by their
bytes or their texts, which needs both programs; without them nothing is paired. Texts are compared
without addresses, then what is between pairs without numbers, and at last without operands.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

import numpy as np

from qcachegrind_py.analysis.code.instructions import (
    NO_CODE,
    UNPAIRED,
    Code,
    SymbolKey,
    masked_texts,
    pair_between,
    pair_sequences,
    without_numbers,
    without_operands,
)
from qcachegrind_py.analysis.costs.sums import find_rows
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import Int64Array, UInt64Array

NO_ROW = -1


class Alignment(Enum):
    """How the instructions of both sides are paired."""

    ADDRESSES = "addresses"  # of one build
    TEXTS = "texts"  # of two builds
    NOTHING = "nothing"  # a program is not known


@dataclass(frozen=True, slots=True, eq=False)
class CodeSide:
    """The instructions of one side in order of address, those without code included."""

    address: UInt64Array
    code_row: Int64Array  # of each in the code; -1: none
    code: Code = NO_CODE
    fixed: range = range(0)  # the addresses of a program that is linked to a fixed place

    def __len__(self) -> int:
        return len(self.address)


def pair_instructions(
    base: CodeSide,
    new: CodeSide,
    alignment: Alignment,
    symbol_key: SymbolKey = str,
    progress: Progress | None = None,
) -> Int64Array:
    """Return the row of each base instruction on the new side, shape (base rows,), or UNPAIRED.

    Costs without an address, at address 0, are always the same. Rows ascend. Raises `Cancelled`.
    """
    if alignment is Alignment.ADDRESSES:
        return find_rows(new.address, base.address)
    rows = np.full(len(base), UNPAIRED, np.int64)
    if alignment is Alignment.TEXTS:
        rows = _pair_texts(base, new, symbol_key, progress)
    if len(base) and len(new) and base.address[0] == new.address[0] == 0:
        rows[0] = 0
    return rows


def _pair_texts(
    base: CodeSide, new: CodeSide, symbol_key: SymbolKey, progress: Progress | None
) -> Int64Array:
    known = [np.flatnonzero(side.code_row != NO_ROW) for side in (base, new)]
    rows = np.full(len(base), UNPAIRED, np.int64)
    place = _places(base.code, new.code, (base.fixed, new.fixed), symbol_key, progress)
    is_paired = place != UNPAIRED
    rows[known[0][is_paired]] = known[1][place[is_paired]]
    return rows


def _places(
    base: Code,
    new: Code,
    fixed: tuple[range, range],
    symbol_key: SymbolKey,
    progress: Progress | None,
) -> Int64Array:
    """Return the place of each base instruction in the new code."""
    if base.raw == new.raw:
        return np.arange(len(base), dtype=np.int64)
    sides = zip((base, new), fixed, strict=True)
    texts = [masked_texts(code, addresses, symbol_key) for code, addresses in sides]
    place = pair_sequences(*_numbers(texts), progress)
    for rougher in (without_numbers, without_operands):
        rough = [[rougher(text) for text in side] for side in texts]
        place = pair_between(place, *_numbers(rough), progress)
    return place


def _numbers(texts: Iterable[list[str]]) -> tuple[Int64Array, Int64Array]:
    """Return numbers of the texts of both sides, equal for equal texts."""
    number: dict[str, int] = {}
    base, new = (
        np.array([number.setdefault(text, len(number)) for text in side], np.int64)
        for side in texts
    )
    return base, new


# ---------------------------------------------------------------- rows of both sides


@dataclass(frozen=True, slots=True, eq=False)
class AlignedRows:
    """The instructions of both sides as one list: shape (rows,), NO_ROW where a side has none.

    They are in order of the new side. What the base alone has follows its predecessor there.
    """

    base: Int64Array
    new: Int64Array

    def __len__(self) -> int:
        return len(self.base)


def align_rows(new_row: Int64Array, new_count: int) -> AlignedRows:
    """List the instructions of both sides; `new_row` is the result of `pair_instructions`.

    If nothing is paired, those of the base come last.
    """
    is_paired = new_row != UNPAIRED
    base_of_new = np.full(new_count, NO_ROW, np.int64)
    base_of_new[new_row[is_paired]] = np.flatnonzero(is_paired)
    gone = np.flatnonzero(~is_paired)
    before = np.maximum.accumulate(new_row)[gone] if is_paired.any() else new_count
    position = np.concatenate((np.arange(new_count), np.broadcast_to(before, len(gone))))
    base = np.concatenate((base_of_new, gone))
    new = np.concatenate((np.arange(new_count), np.full(len(gone), NO_ROW)))
    order = np.lexsort((base, new == NO_ROW, position))
    return AlignedRows(base[order], new[order])
