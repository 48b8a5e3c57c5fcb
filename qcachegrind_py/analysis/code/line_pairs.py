"""Which source lines of two versions of a file are the same, and how their costs changed.

Lines are paired by their text: a line added on top gives all others another number, and paired by
number each would seem to have changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np

from qcachegrind_py.analysis.code.line_costs import LineCosts
from qcachegrind_py.profile.tables import Int32Array, Int64Array


@dataclass(frozen=True, slots=True, eq=False)
class PairedLines:
    """The self costs of lines on both sides, shape (events, lines); 0 where a line has none.

    Lines are in order of the new text, each line that it lacks behind the one before it in the
    base.
    """

    base_line: Int64Array  # shape (lines,); 0: only the new text has the line
    new_line: Int64Array  # 0: only the base has it
    base: Int64Array
    new: Int64Array

    def __len__(self) -> int:
        return len(self.base_line)


def pair_lines(base: Sequence[str], new: Sequence[str]) -> Int32Array:
    """Return the number of each base line in the new text, shape (lines + 1,); 0: it is gone.

    Line 0 is the unknown line. Numbers ascend, as a line that has moved is gone and new. A text of
    20,000 lines takes 0.08 s with 50 edits, and 0.7 s with 500, so long ones belong in a job.
    """
    first, last = _equal_ends(base, new)
    number = np.zeros(len(base) + 1, np.int32)
    number[1 : first + 1] = np.arange(1, first + 1)
    number[len(base) + 1 - last :] = np.arange(len(new) + 1 - last, len(new) + 1)
    middle = SequenceMatcher(
        None, base[first : len(base) - last], new[first : len(new) - last]
    )  # which pairs frequent lines, such as braces, only beside others, and so stays fast
    for block in middle.get_matching_blocks():
        begin = first + block.a + 1
        number[begin : begin + block.size] = np.arange(block.size) + first + block.b + 1
    return number


def _equal_ends(base: Sequence[str], new: Sequence[str]) -> tuple[int, int]:
    """Return how many lines are equal at the beginning, and of the others at the end."""
    most = min(len(base), len(new))
    first = next((n for n in range(most) if base[n] != new[n]), most)
    most -= first
    last = next((n for n in range(most) if base[-1 - n] != new[-1 - n]), most)
    return first, last


def paired_costs(base: LineCosts, new: LineCosts, new_line: Int32Array) -> PairedLines:
    """Pair the costs of the lines of one file; `new_line` are those of `pair_lines`.

    Lines beyond the text, as of a source that is not the recorded one, pair by number.
    """
    there = np.where(
        (base.line >= 0) & (base.line < len(new_line)),
        new_line[np.clip(base.line, 0, len(new_line) - 1)],
        base.line,
    )
    there[base.line == 0] = 0
    is_paired = (there > 0) | (base.line == 0)
    lines, place = np.unique(np.concatenate((there[is_paired], new.line)), return_inverse=True)
    gone = np.flatnonzero(~is_paired)
    count = len(lines) + len(gone)
    own = np.zeros(len(base), np.int64)
    own[is_paired], own[gone] = place[: is_paired.sum()], len(lines) + np.arange(len(gone))
    both = place[is_paired.sum() :]
    result = PairedLines(
        _column(count, own, base.line),
        np.concatenate((lines, np.zeros(len(gone), np.int64))),
        _columns(count, own, base.self_cost),
        _columns(count, both, new.self_cost),
    )
    return _in_order(result, new_line)


def _column(count: int, place: Int64Array, values: Int32Array) -> Int64Array:
    column = np.zeros(count, np.int64)
    column[place] = values
    return column


def _columns(count: int, place: Int64Array, values: Int64Array) -> Int64Array:
    columns = np.zeros((len(values), count), np.int64)
    columns[:, place] = values
    return columns


def _in_order(lines: PairedLines, new_line: Int32Array) -> PairedLines:
    """Sort lines by their number in the new text; a gone one follows its predecessor."""
    before = np.maximum.accumulate(new_line)
    is_gone = (lines.new_line == 0) & (lines.base_line > 0)
    position = lines.new_line.copy()
    position[is_gone] = before[np.minimum(lines.base_line[is_gone], len(before) - 1)]
    order = np.lexsort((lines.base_line, is_gone, position))
    return PairedLines(
        lines.base_line[order],
        lines.new_line[order],
        lines.base[:, order],
        lines.new[:, order],
    )
