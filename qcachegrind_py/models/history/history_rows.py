"""The numbers of functions over the revisions of a program, as the list shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from itertools import pairwise

import numpy as np

from qcachegrind_py.analysis.comparison.sides import Identity
from qcachegrind_py.analysis.history.trends import Trends, trends
from qcachegrind_py.profile.events import CostArray
from qcachegrind_py.profile.tables import BoolArray, Int64Array

_LEVELS = "▁▂▃▄▅▆▇█"


class Measure(Enum):
    """Which cost of functions the list shows."""

    INCLUSIVE = "inclusive"
    SELF = "self"


@dataclass(frozen=True, eq=False)
class HistoryRows:
    """Functions and their costs over revisions: shape (functions,) unless another is given."""

    identities: Sequence[Identity]  # name, file and object as recorded
    names: Sequence[str]  # as they are shown
    full_names: Sequence[str]
    locations: Sequence[str]
    labels: Sequence[str]  # of the revisions
    values: CostArray  # shape (functions, revisions)
    is_there: BoolArray  # shape (functions, revisions): whether a revision has the function
    trends: Trends
    members: Int64Array  # the most functions that a revision has in a row: the sizes of families

    @property
    def newest(self) -> CostArray:
        """The cost in the newest revision."""
        return self.values[:, -1]

    @cached_property
    def total(self) -> CostArray:
        """The sum of the costs in all revisions."""
        total: CostArray = self.values.sum(axis=1)
        return total

    @cached_property
    def largest_change(self) -> int:
        """The size of the largest step or trend: that of a full bar."""
        parts = (part for part in (self.trends.largest_step, self.trends.trend) if len(part))
        return max((max(int(part.max()), -int(part.min())) for part in parts), default=0)

    def step_label(self, record: int) -> str:
        """Return the revision with the largest step of a function; empty if it has none."""
        at = int(self.trends.step_revision[record])
        return self.labels[at] if at >= 0 else ""


_NO_COSTS = np.empty((0, 1), np.int64)
NO_ROWS = HistoryRows(
    (), (), (), (), (),
    _NO_COSTS, _NO_COSTS.astype(bool), trends(_NO_COSTS), _NO_COSTS[:, 0],
)  # fmt: skip


def blocks(values: CostArray, is_there: BoolArray, count: int) -> str:
    """Return a row of costs as a line of blocks of eight heights, with blanks where it is not.

    Of more revisions than `count`, the highest of each group of neighbours is shown.
    """
    if not is_there.any():
        return ""
    known = values[is_there]
    lowest, highest = int(known.min()), int(known.max())
    floor = lowest if 2 * lowest > highest else min(lowest, 0)
    ends = np.linspace(0, len(values), min(count, len(values)) + 1).astype(int).tolist()
    text = []
    for begin, end in pairwise(ends):
        part = values[begin:end][is_there[begin:end]]
        text.append(_block(int(part.max()), floor, highest) if len(part) else " ")
    return "".join(text)


def _block(value: int, floor: int, highest: int) -> str:
    if highest <= floor:
        return _LEVELS[0] if highest <= 0 else _LEVELS[3]
    return _LEVELS[(value - floor) * (len(_LEVELS) - 1) // (highest - floor)]
