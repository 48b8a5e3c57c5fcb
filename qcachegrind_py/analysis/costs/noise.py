"""The noise of samples: how much a cost changes from one run to the next by chance alone.

What is seen in k of n samples was there each time with a chance of about k/n, so that another run
of the same program sees it in another number of samples: a binomial one, whose standard deviation
is √(k·(1−k/n)). The difference of two runs has the noise of both.
"""

from __future__ import annotations

import numpy as np

from qcachegrind_py.analysis.costs.scope import BothSides, Parts
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.events import EventType, Float64Array
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray

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
            samples, whole = self.samples[side], self.costs[side]
            share = np.clip(np.asarray(costs, np.float64) / whole, 0, 1)
            variance += samples * share * (1 - share) * (whole / samples * scales[side]) ** 2
        noise: Float64Array = _DEVIATIONS * np.sqrt(variance)
        return noise


def sample_count(profile: Profile, event: EventType, parts: Parts) -> int:
    """Return of how many samples the costs of parts are; 0 if some are exact, or derived."""
    active = range(len(profile.parts)) if parts is None else parts
    counts = [profile.parts[part].samples for part in active]
    if event.is_derived or None in counts:
        return 0
    return sum(each.get(event.name, 0) for each in counts if each is not None)
