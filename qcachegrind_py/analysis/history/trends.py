"""Each function of a history in three numbers: its trend, its largest step and its spread."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.history.trends import Steps, steps
from qcachegrind_py.profile.events import CostArray
from qcachegrind_py.profile.tables import Int64Array

_MOST_AT_AN_END = 5  # values whose median is the level at an end


@dataclass(frozen=True, slots=True, eq=False)
class Trends:
    """What several series of costs do over the revisions; arrays have the shape (series,)."""

    oldest: CostArray  # the level at the beginning
    trend: CostArray  # the level at the end less that
    largest_step: CostArray  # the change of the largest step; 0 without one
    step_revision: Int64Array  # its revision; -1 without one
    spread: CostArray  # the highest value less the lowest one
    steps: Steps


def trends(values: CostArray) -> Trends:
    """Describe series of costs, which are integers of shape (series, revisions).

    The level at each end is the median of five revisions, of three if there are less than ten, and
    of one if there are less than six. Steps are those of `steps`.
    """
    found = steps(values)
    largest, revision = np.zeros(len(values), values.dtype), np.full(len(values), -1, np.int64)
    order = np.argsort(abs(found.change), kind="stable")  # the largest one of a series is last
    largest[found.series[order]] = found.change[order]
    revision[found.series[order]] = found.revision[order]
    count = min(_MOST_AT_AN_END, max(1, values.shape[1] // 2))
    count -= count % 2 == 0
    ends = (np.sort(end, axis=1)[:, count // 2] for end in (values[:, :count], values[:, -count:]))
    oldest, newest = ends
    spread: CostArray = values.max(axis=1) - values.min(axis=1)
    return Trends(oldest, newest - oldest, largest, revision, spread, found)
