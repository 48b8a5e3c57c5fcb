"""One numbering for the lines of two versions of a file: those of the new text, with gone ones.

A gone line stands behind the line before it in the base. Costs of both sides can then be shown in
one table, as if they were of one text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from qcachegrind_py.analysis.code.line_numbering import pair_lines
from qcachegrind_py.profile.tables import BoolArray, Int64Array

_AnyInts = npt.NDArray[np.integer]
_LARGEST = (1 << 31) - 1  # numbers are stored as lines are


@dataclass(frozen=True, slots=True, eq=False)
class Numbering:
    """The lines of both sides by common numbers from 1 on; number 0 is the unknown line.

    Lines that have no number here, as they are in no text, pair by line behind all others.
    """

    base_line: Int64Array  # of each number, shape (numbers + 1,); 0: the base lacks it, as far as
    new_line: Int64Array  # is known, and so for the new side
    is_moved: BoolArray  # whether the line is elsewhere in the base, shape (numbers + 1,)
    known_base: Int64Array  # the lines of the base that have a number, in ascending order
    base_number: Int64Array  # the number of each of these
    known_new: Int64Array
    new_number: Int64Array
    has_all_base: bool  # whether all lines of the base have a number, and not only those with cost
    has_all_new: bool
    passage: range  # the numbers of lines that were looked for in both texts; others tell nothing

    @property
    def last(self) -> int:
        """The last number."""
        return len(self.new_line) - 1

    def of_base(self, lines: _AnyInts) -> Int64Array:
        """Return the numbers of lines of the base."""
        return self._numbers(lines, self.known_base, self.base_number)

    def of_new(self, lines: _AnyInts) -> Int64Array:
        """Return the numbers of new lines."""
        return self._numbers(lines, self.known_new, self.new_number)

    def _numbers(self, lines: _AnyInts, known: Int64Array, number: Int64Array) -> Int64Array:
        line = np.asarray(lines, np.int64)
        found = np.minimum(line + self.last, _LARGEST)
        if len(known):
            place = np.minimum(np.searchsorted(known, line), len(known) - 1)
            found = np.where(known[place] == line, number[place], found)
        return np.where(line > 0, found, line)

    def lines_of(self, numbers: _AnyInts) -> tuple[Int64Array, Int64Array]:
        """Return the lines of base and new with these numbers; 0 where a side has none."""
        number = np.asarray(numbers, np.int64)
        inside = np.where((number > 0) & (number <= self.last), number, 0)
        beyond = np.maximum(number - self.last, 0)
        return self.base_line[inside] + beyond, self.new_line[inside] + beyond

    def line(self, number: int) -> int:
        """Return the line on the new side, or in the base if that alone has it."""
        if number <= 0:
            return number
        base, new = self.lines_of(np.array([number]))
        return int(new[0]) or int(base[0])

    def texts(self, base: Sequence[str], new: Sequence[str]) -> list[str]:
        """Return the texts by number, from number 1 on: the new one, else that of the base.

        A text that is not known is empty.
        """
        lines = zip(self.base_line[1:].tolist(), self.new_line[1:].tolist(), strict=True)
        return [
            new[line - 1]
            if 0 < line <= len(new)
            else base[before - 1]
            if 0 < before <= len(base)
            else ""
            for before, line in lines
        ]

    def swapped(self) -> Numbering:
        """Return the same numbers with base and new the other way round."""
        return Numbering(
            self.new_line,
            self.base_line,
            self.is_moved,
            self.known_new,
            self.new_number,
            self.known_base,
            self.base_number,
            self.has_all_new,
            self.has_all_base,
            self.passage,
        )


def number_texts(base: Sequence[str], new: Sequence[str]) -> Numbering:
    """Return the numbering of two texts; belongs in a job as `pair_lines`."""
    return _numbered(base, new, range(len(base)), range(len(new)))


def number_passages(
    base: Sequence[str], new: Sequence[str], base_passage: range, new_passage: range
) -> Numbering:
    """Return the numbering of a passage of one text that is now a passage of another one.

    Passages are ranges of indexes; lines around them that are equal in both texts belong to them,
    such as a comment above a function. Other lines of the base have no number.
    """
    return _numbered(base, new, *_with_equal_ends(base, new, base_passage, new_passage))


def _numbered(
    base: Sequence[str], new: Sequence[str], base_passage: range, new_passage: range
) -> Numbering:
    old = base[base_passage.start : base_passage.stop]
    present = new[new_passage.start : new_passage.stop]
    target = pair_lines(old, present)[1:].astype(np.int64)
    moved = _moved_lines(old, present, target)
    target[moved] = _places(present, target, [old[line].strip() for line in moved.tolist()])
    is_moved = np.zeros(len(old), bool)
    is_moved[moved] = True
    target[target > 0] += new_passage.start
    lines = np.arange(base_passage.start, base_passage.stop) + 1
    return numbering(lines, target, len(new), is_moved, passage=new_passage, has_all_base=True)


def _with_equal_ends(
    base: Sequence[str], new: Sequence[str], base_passage: range, new_passage: range
) -> tuple[range, range]:
    """Return passages with the equal lines before their first pair and behind their last one."""
    begin, start = base_passage.start, new_passage.start
    target = pair_lines(base[begin : base_passage.stop], new[start : new_passage.stop])[1:]
    paired = np.flatnonzero(target).tolist()
    if not paired:
        return base_passage, new_passage
    first, last = (
        (begin + line, start + int(target[line]) - 1) for line in (paired[0], paired[-1])
    )
    fewer = _equal_lines(base[: first[0]][::-1], new[: first[1]][::-1])
    more = _equal_lines(base[last[0] + 1 :], new[last[1] + 1 :])
    return (
        range(min(begin, first[0] - fewer), max(base_passage.stop, last[0] + 1 + more)),
        range(min(start, first[1] - fewer), max(new_passage.stop, last[1] + 1 + more)),
    )


def numbering(
    base_lines: Int64Array,
    target: Int64Array,
    new_count: int,
    is_moved: BoolArray | None = None,
    *,
    passage: range | None = None,
    has_all_base: bool = False,
) -> Numbering:
    """Return the numbering of a new text and of lines of the base.

    `base_lines` ascend; `target` is the new line of each, 0 if it is gone. Targets ascend but for
    those of lines that have moved. `passage` has the indexes of the lines among which they were
    looked for, by default all.
    """
    moved = np.zeros(len(base_lines), bool) if is_moved is None else is_moved
    passage = range(new_count) if passage is None else passage
    before = np.maximum.accumulate(np.where(moved, 0, target)).clip(passage.start)
    gone = target == 0
    line = np.concatenate((np.arange(1, new_count + 1), before[gone]))
    own_base = np.concatenate((np.zeros(new_count, np.int64), base_lines[gone]))
    order = np.lexsort((own_base, line))
    new_line = np.where(own_base > 0, 0, line)[order]
    base_line = own_base[order]
    new_number = np.flatnonzero(new_line > 0) + 1
    new_line, base_line = (np.concatenate(([0], column)) for column in (new_line, base_line))
    base_number = target + len(new_line) - 1  # of lines beyond the text
    in_text = ~gone & (target <= new_count)
    base_number[in_text] = new_number[target[in_text] - 1]
    base_number[gone] = np.flatnonzero(base_line > 0)
    base_line[base_number[in_text]] = base_lines[in_text]
    is_elsewhere = np.zeros(len(new_line), bool)
    is_elsewhere[base_number[in_text & moved]] = True
    return Numbering(
        base_line,
        new_line,
        is_elsewhere,
        base_lines,
        base_number,
        np.arange(1, new_count + 1),
        new_number,
        has_all_base,
        True,
        range(
            int(new_number[passage.start - 1]) + 1 if passage.start else 1,
            int(new_number[passage.stop]) if passage.stop < new_count else len(new_line),
        ),
    )


def _moved_lines(base: Sequence[str], new: Sequence[str], target: Int64Array) -> Int64Array:
    """Return the indexes of gone lines whose text is among the added ones, once on both sides.

    Their indentation may differ.
    """
    added = np.ones(len(new) + 1, bool)
    added[0], added[target] = False, False
    counts = dict[str, int]()
    for line in np.flatnonzero(added).tolist():
        text = new[line - 1].strip()
        counts[text] = counts.get(text, 0) + 1
    gone = dict[str, list[int]]()
    for line in np.flatnonzero(target == 0).tolist():
        gone.setdefault(base[line].strip(), []).append(line)
    moved = [
        lines[0]
        for text, lines in gone.items()
        if len(lines) == 1 and counts.get(text) == 1 and any(map(str.isalnum, text))
    ]
    return np.array(sorted(moved), np.int64)


def _places(new: Sequence[str], target: Int64Array, texts: Sequence[str]) -> Int64Array:
    """Return the added line with each text."""
    paired = set(target.tolist())
    places = {text.strip(): line for line, text in enumerate(new, 1) if line not in paired}
    return np.array([places[text] for text in texts], np.int64)


def _equal_lines(base: Sequence[str], new: Sequence[str]) -> int:
    """Return how many lines are equal at the beginning."""
    most = min(len(base), len(new))
    return next((n for n in range(most) if base[n] != new[n]), most)
