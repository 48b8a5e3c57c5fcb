"""One numbering for the lines of two versions of a file: those of the new text, with gone ones.

A gone line stands behind the line before it in the base. Costs of both sides can then be shown in
one table, as if they were of one text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from qcachegrind_py.analysis.code.line_pairs import pair_lines
from qcachegrind_py.profile.tables import BoolArray, Int64Array

_AnyInts = npt.NDArray[np.integer]


@dataclass(frozen=True, slots=True, eq=False)
class Numbering:
    """The lines of both sides by common numbers from 1 on; number 0 is the unknown line."""

    base_line: Int64Array  # of each number, shape (numbers + 1,); 0: only the new text has the line
    new_line: Int64Array  # 0: only the base has it
    is_moved: BoolArray  # whether the line is elsewhere in the base, shape (numbers + 1,)
    known_base: Int64Array  # the lines of the base that have a number, in ascending order
    base_number: Int64Array  # the number of each of these
    new_number: Int64Array  # of each new line, shape (new lines + 1,)
    is_by_text: bool  # whether all lines were paired, by their texts, rather than those with cost

    def of_new(self, lines: _AnyInts) -> Int64Array:
        """Return the numbers of new lines; lines beyond the text follow all others."""
        last = len(self.new_number) - 1
        inside = self.new_number[np.clip(lines, 0, last)]
        beyond = np.asarray(lines, np.int64) + (len(self.new_line) - 1 - last)
        return np.where(lines > last, beyond, np.where(lines > 0, inside, lines))

    def of_base(self, lines: _AnyInts) -> Int64Array:
        """Return the numbers of lines of the base; lines beyond both texts pair by line."""
        known = self.known_base
        if not len(known):
            return self.of_new(lines)
        place = np.minimum(np.searchsorted(known, lines), len(known) - 1)
        is_beyond_new = np.asarray(lines) > len(self.new_number) - 1
        first = np.where(is_beyond_new, len(self.new_number) - 1, known[-1])
        beyond = np.asarray(lines, np.int64) - first + len(self.new_line) - 1
        number = np.where(known[place] == lines, self.base_number[place], beyond)
        return np.where(lines > 0, number, lines)

    def line(self, number: int) -> int:
        """Return the line in the new text, or in the base if that alone has it."""
        last = len(self.new_line) - 1
        if number <= 0:
            return number
        if number > last:
            return number - last + len(self.new_number) - 1
        return int(self.new_line[number]) or int(self.base_line[number])

    def base_line_of(self, number: int) -> int:
        """Return the line in the base; 0 if it has none or that is unknown."""
        return int(self.base_line[number]) if 0 < number < len(self.base_line) else 0

    def texts(self, base: Sequence[str], new: Sequence[str]) -> list[str]:
        """Return the texts by number, from number 1 on; unknown ones of the base are empty."""
        pairs = zip(self.new_line[1:].tolist(), self.base_line[1:].tolist(), strict=True)
        return [
            new[line - 1] if line else base[before - 1] if before <= len(base) else ""
            for line, before in pairs
        ]


def number_texts(base: Sequence[str], new: Sequence[str]) -> Numbering:
    """Return the numbering of two texts; belongs in a job as `pair_lines`."""
    target = pair_lines(base, new)[1:].astype(np.int64)
    moved = _moved_lines(base, new, target)
    target[moved] = _places(new, target, [base[line].strip() for line in moved.tolist()])
    is_moved = np.zeros(len(base), bool)
    is_moved[moved] = True
    return numbering(np.arange(1, len(base) + 1), target, len(new), is_moved, is_by_text=True)


def numbering(
    base_lines: Int64Array,
    target: Int64Array,
    new_count: int,
    is_moved: BoolArray | None = None,
    *,
    is_by_text: bool = False,
) -> Numbering:
    """Return the numbering of a new text and of lines of the base.

    `base_lines` ascend; `target` is the new line of each, 0 if it is gone. Targets ascend but for
    those of lines that have moved.
    """
    moved = np.zeros(len(base_lines), bool) if is_moved is None else is_moved
    before = np.maximum.accumulate(np.where(moved, 0, target))
    gone = target == 0
    line = np.concatenate((np.arange(1, new_count + 1), before[gone]))
    own_base = np.concatenate((np.zeros(new_count, np.int64), base_lines[gone]))
    order = np.lexsort((own_base, line))
    new_line = np.where(own_base > 0, 0, line)[order]
    base_line = own_base[order]
    number = np.zeros(new_count + 1, np.int64)
    number[new_line[new_line > 0]] = np.flatnonzero(new_line > 0) + 1
    new_line, base_line = (np.concatenate(([0], column)) for column in (new_line, base_line))
    beyond = len(new_line) - 1 - new_count
    base_number = np.where(
        target > new_count, target + beyond, number[np.minimum(target, new_count)]
    )
    base_number[gone] = np.flatnonzero(base_line > 0)
    in_text = ~gone & (target <= new_count)
    base_line[base_number[in_text]] = base_lines[in_text]
    is_elsewhere = np.zeros(len(new_line), bool)
    is_elsewhere[base_number[in_text & moved]] = True
    return Numbering(base_line, new_line, is_elsewhere, base_lines, base_number, number, is_by_text)


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
