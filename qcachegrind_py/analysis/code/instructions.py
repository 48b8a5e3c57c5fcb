"""Decoded instructions as columns, and which of them are the same in two builds of a function.

In one build these are the instructions with equal addresses. In two, they are aligned by their
bytes or their texts, which needs both programs; without them nothing is paired. Texts are compared
without addresses, then what is between pairs without numbers, and at last without operands.

Linking puts code and data elsewhere in each build, so branch targets, distances to data, and in
programs that are linked to a fixed place also absolute addresses say nothing about the code. Names
of what an instruction refers to stay, as another function that is called is a difference.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from difflib import SequenceMatcher
from enum import Enum, IntEnum
from itertools import chain

import numpy as np
import numpy.typing as npt

from qcachegrind_py.analysis.costs.sums import find_rows
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.progress import NoProgress, Progress
from qcachegrind_py.profile.tables import Int32Array, Int64Array, UInt64Array

NO_ROW = -1  # a missing row, as in the results of `find_rows`
LONGEST_INSTRUCTION = 16  # bytes, on all machines
Int8Array = npt.NDArray[np.int8]


class Syntax(Enum):
    """The assembler syntax of x86 instructions."""

    ATT = "att"
    INTEL = "intel"


class InstructionKind(IntEnum):
    """The effect of an instruction on control flow."""

    PLAIN = 0
    JUMP = 1  # unconditional
    BRANCH = 2  # conditional
    CALL = 3
    RETURN = 4  # leaves the function or never returns
    DATA = 5  # bytes that are not an instruction


@frozen
class Code:
    """The instructions of a code range in order of address, one row each.

    Instructions do not overlap; there may be gaps between them.
    """

    address: UInt64Array
    size: Int32Array  # bytes
    kind: Int8Array
    target: UInt64Array  # of a direct jump or call; else 0
    mnemonic: tuple[str, ...]
    operands: tuple[str, ...]  # with names of targets: `1139 <fib>`
    raw: tuple[bytes, ...]

    def __len__(self) -> int:
        return len(self.address)

    def part(self, first: int, last: int) -> Code:
        """Return the rows from `first` to before `last`."""
        return Code(*(getattr(self, column.name)[first:last] for column in fields(self)))


NO_CODE = Code(
    np.empty(0, np.uint64),
    np.empty(0, np.int32),
    np.empty(0, np.int8),
    np.empty(0, np.uint64),
    (),
    (),
    (),
)


def concatenate_code(codes: Sequence[Code]) -> Code:
    """Return the rows of all codes, one after another."""
    if not codes:
        return NO_CODE
    return Code(
        np.concatenate([code.address for code in codes]),
        np.concatenate([code.size for code in codes]),
        np.concatenate([code.kind for code in codes]),
        np.concatenate([code.target for code in codes]),
        tuple(chain.from_iterable(code.mnemonic for code in codes)),
        tuple(chain.from_iterable(code.operands for code in codes)),
        tuple(chain.from_iterable(code.raw for code in codes)),
    )


# ---------------------------------------------------------------- texts without addresses

SymbolKey = Callable[[str], str]
"""Returns what stays of a symbol's name when a program is built again."""

_MASK = "·"
_MENTION = re.compile(r"  # [0-9a-f]+(?: <(.*)>)?$")  # of data relative to the next instruction
_IP_DISTANCE = re.compile(r"-?\w*(?P<att>\(%[er]ip\))|(?P<intel>\[[er]ip)[^\]]*\]")
_ADDRESS_MNEMONICS = frozenset({"adr", "adrp", "larl"})
_LAST_ADDRESS = re.compile(r"[0-9a-f]+(?: <(.*)>)?$")
_HEXADECIMAL = re.compile(r"(?<![\w-])0x[0-9a-f]+\b")
_NUMBER = re.compile(r"-?\b(?:0x[0-9a-f]+|\d+)\b")
_WORD = re.compile(r"-?[\w$%#]+")
_OFFSET = re.compile(r"\+0x[0-9a-f]+$")


def masked_texts(code: Code, fixed: range, symbol_key: SymbolKey) -> list[str]:
    """Return mnemonic and operands of each instruction without addresses, shape (instructions,).

    `fixed` are the addresses of a program that is linked to a fixed place, empty for others:
    numbers among them are addresses. Targets within the code are all alike.
    """
    is_inside = np.isin(code.target, code.address) & (code.target > 0)
    rows = zip(code.mnemonic, code.operands, code.target.tolist(), is_inside.tolist(), strict=True)
    return [
        f"{mnemonic} {_masked(mnemonic, operands, target, inside, fixed, symbol_key)}"
        for mnemonic, operands, target, inside in rows
    ]


def without_numbers(text: str) -> str:
    """Return a masked text without numbers, which change with the layout of stack and data."""
    return _NUMBER.sub(_MASK, text)


def without_operands(text: str) -> str:
    """Return a masked text with the shape of its operands only, as registers are chosen anew."""
    mnemonic, _, operands = text.partition(" ")
    return f"{mnemonic} {_WORD.sub(_MASK, operands)}"


def _masked(
    mnemonic: str, operands: str, target: int, is_inside: bool, fixed: range, symbol_key: SymbolKey
) -> str:
    if target:
        before, _address, name = operands.rpartition(f"{target:x} <")
        if not name or not _address:
            before, name = operands.removesuffix(f"{target:x}"), ""
        return before + (_MASK if is_inside else _place(name.removesuffix(">"), symbol_key))
    if mnemonic in _ADDRESS_MNEMONICS:
        return _LAST_ADDRESS.sub(lambda found: _place(found[1] or "", symbol_key), operands)
    if mention := _MENTION.search(operands):
        operands = _IP_DISTANCE.sub(_without_distance, operands[: mention.start()])
        operands = f"{operands} {_place(mention[1] or '', symbol_key)}"
    if fixed and "0x" in operands:
        return _HEXADECIMAL.sub(lambda found: _without_address(found[0], fixed), operands)
    return operands


def _without_distance(found: re.Match[str]) -> str:
    return f"{_MASK}{found['att']}" if found["att"] else f"{found['intel']}{_MASK}]"


def _without_address(number: str, fixed: range) -> str:
    return _MASK if int(number, 16) in fixed else number


def _place(name: str, symbol_key: SymbolKey) -> str:
    """Return the key of a named place; none if it is only near a symbol, as that may be another."""
    return _MASK if not name or _OFFSET.search(name) else symbol_key(name)


# ---------------------------------------------------------------- pairs of equal numbers

UNPAIRED = -1
_SHORT = 400 * 400  # product of both lengths
_LONGEST_RUN = 16
_Piece = tuple[int, ...]  # begin and end in the base, begin and end in the new sequence


def pair_sequences(
    base: Int64Array, new: Int64Array, progress: Progress | None = None
) -> Int64Array:
    """Return the place of each element of the base in the new sequence, or UNPAIRED.

    Paired elements are equal, and places ascend. Runs that occur once on each side divide long
    sequences into short ones (as in a patience diff), and short ones are aligned by their longest
    common runs: code repeats itself so much that the second alone would take minutes for a function
    of 100,000 instructions. Long stretches in which no run is unique stay unpaired. Raises
    `Cancelled`.
    """
    place = np.full(len(base), UNPAIRED, np.int64)
    _pair_piece(place, base, new, (0, len(base), 0, len(new)), progress or NoProgress())
    return place


def pair_between(
    place: Int64Array, base: Int64Array, new: Int64Array, progress: Progress | None = None
) -> Int64Array:
    """Return `place`, as of `pair_sequences`, with more pairs between those that it has."""
    result = place.copy()
    for piece in _gaps(place, len(new)).tolist():
        _pair_piece(result, base, new, piece, progress or NoProgress())
    return result


def _gaps(place: Int64Array, new_count: int) -> Int64Array:
    """Return the stretches between pairs with elements on both sides: shape (pieces, 4)."""
    rows = np.flatnonzero(place != UNPAIRED)
    ends = np.append(rows, len(place)), np.append(place[rows], new_count)
    begins = tuple(np.concatenate(([0], end[:-1] + 1)) for end in ends)
    has_both = (ends[0] > begins[0]) & (ends[1] > begins[1])
    pieces: Int64Array = np.stack((begins[0], ends[0], begins[1], ends[1]), axis=1)[has_both]
    return pieces


def _pair_piece(
    place: Int64Array, base: Int64Array, new: Int64Array, piece: _Piece, progress: Progress
) -> None:
    """Pair the elements of a piece, and write their places."""
    waiting = [piece]
    while waiting:
        progress.check(0.0)
        first, last, begin, end = _without_equal_ends(place, base, new, waiting.pop())
        one, other = base[first:last], new[begin:end]
        if not len(one) or not len(other):
            continue
        if len(one) * len(other) <= _SHORT:
            _pair_short(place[first:last], one, other, begin)
            continue
        rows, places = _anchors(one, other)
        place[first + rows] = begin + places
        if len(rows):
            found = np.full(len(one), UNPAIRED, np.int64)
            found[rows] = places
            offset = np.array([first, first, begin, begin])
            waiting += (tuple((gap + offset).tolist()) for gap in _gaps(found, len(other)))


def _without_equal_ends(
    place: Int64Array, base: Int64Array, new: Int64Array, piece: _Piece
) -> _Piece:
    """Pair what is equal at both ends of a piece, and return the rest."""
    first, last, begin, end = piece
    count = min(last - first, end - begin)
    equal = base[first : first + count] == new[begin : begin + count]
    head = count if equal.all() else int(np.argmin(equal))
    place[first : first + head] = np.arange(begin, begin + head)
    first, begin, count = first + head, begin + head, count - head
    equal = base[last - count : last][::-1] == new[end - count : end][::-1]
    tail = count if equal.all() else int(np.argmin(equal))
    place[last - tail : last] = np.arange(end - tail, end)
    return first, last - tail, begin, end - tail


def _pair_short(place: Int64Array, base: Int64Array, new: Int64Array, begin: int) -> None:
    matcher = SequenceMatcher(None, base.tolist(), new.tolist(), autojunk=False)
    for block in matcher.get_matching_blocks():
        there = begin + block.b
        place[block.a : block.a + block.size] = np.arange(there, there + block.size)


def _anchors(base: Int64Array, new: Int64Array) -> tuple[Int64Array, Int64Array]:
    """Return the beginnings of runs that occur once on each side, in the same order on both.

    The longest runs are preferred, up to a length, as they are hardly ever the same by chance.
    """
    levels, length = [(base, new)], 1
    while length < _LONGEST_RUN and min(map(len, levels[-1])) > length:
        levels.append(_doubled(*levels[-1], length))
        length *= 2
    for one, other in reversed(levels):
        rows, places = _unique_in_both(one, other)
        if len(rows):
            kept = _longest_ascent(places)
            return rows[kept], places[kept]
    nothing = np.zeros(0, np.int64)
    return nothing, nothing


def _doubled(base: Int64Array, new: Int64Array, length: int) -> tuple[Int64Array, Int64Array]:
    """Return numbers of runs twice as long as those that the given numbers stand for."""
    count = int(max(base.max(), new.max())) + 1
    runs = [side[:-length] * count + side[length:] for side in (base, new)]
    _, number = np.unique(np.concatenate(runs), return_inverse=True)
    one, other = np.split(number.astype(np.int64), [len(runs[0])])
    return one, other


def _unique_in_both(base: Int64Array, new: Int64Array) -> tuple[Int64Array, Int64Array]:
    """Return where the numbers are that occur once on each side, in order of the base."""
    found = [np.unique(side, return_index=True, return_counts=True) for side in (base, new)]
    (number, row, count), (new_number, place, new_count) = found
    number, row = number[count == 1], row[count == 1]
    new_number, place = new_number[new_count == 1], place[new_count == 1]
    _, here, there = np.intersect1d(number, new_number, return_indices=True)
    order = np.argsort(row[here])
    return row[here][order], place[there][order]


def _longest_ascent(places: Int64Array) -> Int64Array:
    """Return the indexes of a longest ascending subsequence of distinct numbers."""
    ends: list[int] = []  # the least number that ends an ascent of each length
    index_of_end: list[int] = []
    before = []
    for index, number in enumerate(places.tolist()):
        length = bisect_left(ends, number)
        before.append(index_of_end[length - 1] if length else -1)
        ends[length : length + 1], index_of_end[length : length + 1] = [number], [index]
    chain = [index_of_end[-1]]
    while before[chain[-1]] >= 0:
        chain.append(before[chain[-1]])
    return np.array(chain[::-1], np.int64)


# ---------------------------------------------------------------- pairs of instructions


class Alignment(Enum):
    """How the instructions of both sides are paired."""

    ADDRESSES = "addresses"  # of one build
    TEXTS = "texts"  # of two builds
    NOTHING = "nothing"  # a program is not known


@frozen
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


@frozen
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
