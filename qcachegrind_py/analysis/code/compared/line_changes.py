"""How the self cost of a function changed, line by line, in all files that its code is from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.code.line_numbering import Numbering, Numberings, numbers_of_lines
from qcachegrind_py.analysis.code.location_costs import LineCosts
from qcachegrind_py.analysis.costs.sums import sums_by_group
from qcachegrind_py.profile.ids import text_ids
from qcachegrind_py.profile.tables import Int64Array


@dataclass(frozen=True, slots=True, eq=False)
class ChangedLines:
    """The lines of a function with their self costs on both sides, in order of file and number."""

    file: Int64Array  # number in the profile's texts, shape (lines,)
    number: Int64Array  # the common number of both sides; 0 is the unknown line
    base_line: Int64Array  # 0: the base lacks the line, as far as is known
    new_line: Int64Array
    base: Int64Array  # shape (events, lines); 0 where a line has none
    new: Int64Array

    def __len__(self) -> int:
        return len(self.file)


def changed_lines(base: LineCosts, new: LineCosts, numberings: Numberings) -> ChangedLines:
    """Pair the lines of a function. Lines of files without a numbering pair by number."""
    base_number = numbers_of_lines(base.file, base.line, numberings, lambda each: each.of_base)
    new_number = numbers_of_lines(new.file, new.line, numberings, lambda each: each.of_new)
    file = np.concatenate((base.file, new.file)).astype(np.int64)
    number = np.concatenate((base_number, new_number)).astype(np.int64)
    rows, place = np.unique(np.stack((file, number), axis=1), axis=0, return_inverse=True)
    place = place.reshape(-1)
    file, number = rows.T
    return ChangedLines(
        file,
        number,
        *_lines(file, number, numberings),
        sums_by_group(base.self_cost, place[: len(base)], len(rows)),
        sums_by_group(new.self_cost, place[len(base) :], len(rows)),
    )


def _lines(
    file: Int64Array, number: Int64Array, numberings: Numberings
) -> tuple[Int64Array, Int64Array]:
    """Return the lines of base and new with these numbers."""
    base_line, new_line = number.copy(), number.copy()
    for each in text_ids(np.unique(file)):
        numbering: Numbering | None = numberings.get(each)
        if numbering is not None:
            rows = np.flatnonzero(file == each)
            base_line[rows], new_line[rows] = numbering.lines_of(number[rows])
    return base_line, new_line
