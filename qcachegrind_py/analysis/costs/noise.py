"""The noise of samples: how much a cost changes from one run to the next by chance alone.

What is seen in k of n samples was there each time with a chance of about k/n, so that another run
of the same program sees it in another number of samples: a binomial one, whose standard deviation
is √(k·(1−k/n)). The difference of two runs has the noise of both.
"""

from __future__ import annotations

import numpy as np

from qcachegrind_py.analysis.costs.scope import BothSides, Parts
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.events import CostArray, EventType, Float64Array
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray, Int64Array

_DEVIATIONS = 2  # within so many standard deviations are 95 % of all changes by chance


@frozen(eq=True)
class Sampling:
    """The samples of both sides of a comparison, base and new, in one event."""

    samples: tuple[int, int]  # how many, at least 1
    costs: tuple[int, int]  # of all of them together, recorded or counted, at least 1

    def seen(self, cost: float, side: int) -> int:
        """Return in how many samples of a side such a cost was seen."""
        return round(cost / self.costs[side] * self.samples[side])

    def is_beyond(self, sides: BothSides) -> BoolArray:
        """Return which changes are larger than those by chance, shape (rows,)."""
        change = np.asarray(sides.change, np.float64)
        beyond: BoolArray = np.abs(change) > self.noise(sides)
        return beyond

    def noise(self, sides: BothSides, scales: tuple[float, float] = (1, 1)) -> Float64Array:
        """Return how large a change may be by chance: two standard deviations, shape (rows,).

        `scales` are what the costs of base and new are multiplied with before they are compared.
        """
        variance = np.zeros(len(sides.new))
        for side, costs in enumerate((sides.base, sides.new)):
            whole = np.float64(self.costs[side])
            variance += _variance(costs, whole, self.samples[side]) * scales[side] ** 2
        noise: Float64Array = _DEVIATIONS * np.sqrt(variance)
        return noise


@frozen
class SampledRevisions:
    """The samples of the revisions of a history in one event; shape (revisions,)."""

    samples: Int64Array  # how many; 0 where costs are exact
    costs: CostArray  # of all of them together

    def are_beyond(self, revision: Int64Array, before: CostArray, after: CostArray) -> BoolArray:
        """Return which steps are larger than changes by chance, shape (steps,).

        `before` and `after` are the costs up to a revision and from it on.
        """
        change = np.asarray(after, np.float64) - np.asarray(before, np.float64)
        variance = self._variance(before, revision - 1) + self._variance(after, revision)
        beyond: BoolArray = np.abs(change) > _DEVIATIONS * np.sqrt(variance)
        return beyond

    def _variance(self, costs: CostArray, revision: Int64Array) -> Float64Array:
        whole = np.maximum(np.asarray(self.costs[revision], np.float64), 1)
        samples = self.samples[revision]
        return np.where(samples > 0, _variance(costs, whole, np.maximum(samples, 1)), 0)


def _variance(
    costs: CostArray, whole: Float64Array | np.float64, samples: Int64Array | int
) -> Float64Array:
    """Return the variance of costs, of which the whole was seen in so many samples."""
    share = np.clip(np.asarray(costs, np.float64) / whole, 0, 1)
    variance: Float64Array = share * (1 - share) * whole**2 / samples
    return variance


def sample_count(profile: Profile, event: EventType, parts: Parts) -> int:
    """Return of how many samples the costs of parts are; 0 if some are exact, or derived."""
    active = range(len(profile.parts)) if parts is None else parts
    counts = [profile.parts[part].samples for part in active]
    if event.is_derived or None in counts:
        return 0
    return sum(each.get(event.name, 0) for each in counts if each is not None)
