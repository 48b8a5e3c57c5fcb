"""Columns of numbers that may be estimates: of calls on paths, and what is exact in a row."""

from __future__ import annotations

import numpy as np

from qcachegrind_py.present.figures import Figures
from qcachegrind_py.present.table import Column, CountCells, GrowthCells, Shown, TextCells
from qcachegrind_py.present.unit import ESTIMATE
from qcachegrind_py.profile.numbers import UNDEFINED
from qcachegrind_py.profile.tables import BoolArray, Int64Array

ESTIMATED = f"{ESTIMATE}: estimated in proportion, because call paths are not recorded"
EXACTNESS = ("no", "cost only", "yes")


def is_estimated(figures: Figures, row: int) -> bool:
    """Return whether a number is an estimate."""
    return figures.is_estimate is not None and bool(figures.is_estimate[row])


class MarkedGrowthCells(GrowthCells):
    """Changes in percent, which are marked if a side is estimated."""

    __slots__ = ()

    def text(self, row: int) -> str:
        shown = self.figures.growth(row) if self.figures.is_compared else ""
        is_marked = shown not in ("", UNDEFINED) and is_estimated(self.figures, row)
        return ESTIMATE + shown if is_marked else shown


class PathCountCells(CountCells):
    """Numbers of calls on paths; a dash for what is no call, as a cycle for its member."""

    __slots__ = ()

    def text(self, row: int) -> str:
        counts = self.counts
        is_estimate = counts.is_estimate is not None and bool(counts.is_estimate[row])
        is_called = bool(counts.calls_text(row)) or (is_estimate and not counts.is_compared)
        return counts.text(row) if is_called else UNDEFINED


def exactness_column(cost: BoolArray | None, *others: BoolArray | None) -> Column:
    """Return the exported column that tells which numbers of a row are exact.

    The arguments tell which costs and which other numbers are estimates; None for none.
    """
    length = 0 if cost is None else len(cost)
    is_exact = np.ones(length, bool) if cost is None else ~cost
    all_exact = is_exact.copy()
    for other in others:
        all_exact &= True if other is None else ~other
    proven: Int64Array = is_exact.astype(np.int64) + all_exact
    tip = "Which of the numbers are exact: all, the cost only, or none"
    texts = TextCells([EXACTNESS[rank] for rank in proven.tolist()], ranks=proven)
    return Column("exact", "Proven", tip, texts, Shown.EXPORTED, width=10)
