"""How the self cost of a function changed, line by line, in all files that its code is from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.code.line_costs import LineCosts, lines_in_file
from qcachegrind_py.analysis.code.line_pairs import PairedLines, pair_lines, paired_costs
from qcachegrind_py.profile.ids import TextId, text_ids
from qcachegrind_py.profile.tables import Int32Array, Int64Array

_NO_TEXT = pair_lines((), ())  # without a text, lines pair by number


@dataclass(frozen=True, slots=True, eq=False)
class ChangedLines:
    """The lines of a function on both sides, file by file."""

    file: Int64Array  # number in the profile's texts, shape (lines,)
    lines: PairedLines

    def __len__(self) -> int:
        return len(self.file)


def changed_lines(
    base: LineCosts, new: LineCosts, new_line: Mapping[TextId, Int32Array]
) -> ChangedLines:
    """Pair the lines of a function, which have one row each, without hosts.

    `new_line` has the result of `pair_lines` for each file of which both texts are known. Lines of
    other files pair by number.
    """
    files = np.union1d(base.file, new.file)
    pairs = [
        paired_costs(
            lines_in_file(base, file), lines_in_file(new, file), new_line.get(file, _NO_TEXT)
        )
        for file in text_ids(files)
    ]
    count = [len(each) for each in pairs]
    none = np.zeros((len(base.self_cost), 0), np.int64)
    return ChangedLines(
        np.repeat(files.astype(np.int64), count),
        PairedLines(
            np.concatenate([none[0], *(each.base_line for each in pairs)]),
            np.concatenate([none[0], *(each.new_line for each in pairs)]),
            np.concatenate([none, *(each.base for each in pairs)], axis=1),
            np.concatenate([none, *(each.new for each in pairs)], axis=1),
        ),
    )
