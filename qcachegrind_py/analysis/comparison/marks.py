"""What the rows of a comparison are besides pairs of one function with itself."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from qcachegrind_py.analysis.comparison.comparison import Comparison
from qcachegrind_py.analysis.comparison.matching import How
from qcachegrind_py.profile.tables import Int32Array

CYCLE_DIFFERS = "cycle differs"


class Mark(IntEnum):
    """How a row stands out."""

    NONE = 0
    NEW = 1  # only the new side has the function
    GONE = 2  # only the base has it
    MOVED = 3  # to another file
    FAMILY = 4  # several functions, which differ in what builds and processors add to names
    RENAMED = 5  # as the user said
    PROPOSED = 6  # of one side only, but much alike a function of the other with another name
    CYCLE = 7  # its cycle is another one, or none, on one side alone


MARK_WORDS = {
    Mark.NONE: "",
    Mark.NEW: "new",
    Mark.GONE: "gone",
    Mark.MOVED: "moved",
    Mark.FAMILY: "family",
    Mark.RENAMED: "renamed",
    Mark.PROPOSED: "renamed?",
    Mark.CYCLE: CYCLE_DIFFERS,
}
_MARK_OF = {How.MOVED: Mark.MOVED, How.ACCEPTED: Mark.RENAMED, How.RULE: Mark.RENAMED}


def row_marks(compared: Comparison) -> Int32Array:
    """Return the mark of each function, shape (functions,)."""
    pairing = compared.pairing
    marks = np.where(compared.split_cycle > 0, Mark.CYCLE, Mark.NONE).astype(np.int32)
    hows = np.array([_MARK_OF.get(how, Mark.NONE) for how in pairing.how], np.int32)
    marks[hows > 0] = hows[hows > 0]
    for rows in (pairing.row_of_base, pairing.row_of_new):
        marks[_counts(rows, len(pairing)) > 1] = Mark.FAMILY
    marks[list(pairing.names)] = Mark.FAMILY
    marks[~compared.in_base] = Mark.NEW
    marks[~compared.in_new] = Mark.GONE
    for rename in compared.renames:
        marks[pairing.row_of_base[rename.base]] = Mark.PROPOSED
        marks[pairing.row_of_new[rename.new]] = Mark.PROPOSED
    return marks


def _counts(rows: Int32Array, length: int) -> Int32Array:
    """Return how many functions of a side each row has."""
    return np.bincount(rows[rows >= 0], minlength=length).astype(np.int32)
