"""What the parts cost, counted and recorded, and what percentages are of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.active_parts import Parts
from qcachegrind_py.analysis.segments import segment_sums, sums_by_group
from qcachegrind_py.profile.events import EventType, EventTypes
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import Int64Array


@dataclass(frozen=True, slots=True)
class Total:
    """The total of one event. `base` is what percentages are of (DESIGN 4.6)."""

    counted: int | float  # the sum of the self costs; of a ratio, that of the sums
    recorded: int | float | None  # by the `summary:` lines, where there are any

    @property
    def base(self) -> int | float:
        """The recorded total where it is at least the counted one, else the counted one."""
        if self.recorded is not None and self.recorded >= self.counted:
            return self.recorded
        return self.counted


def part_totals(profile: Profile) -> Int64Array:
    """The sum of self costs of each part, shape (events, parts)."""
    runs = segment_sums(profile.costs.values, profile.runs.start)
    return sums_by_group(runs, profile.runs.part, len(profile.parts))


def recorded_totals(profile: Profile) -> dict[str, int] | None:
    """The sum of the `summary:` lines by event; None where no part has one."""
    summaries = [part.summary for part in profile.parts if part.summary is not None]
    if not summaries:
        return None
    names = profile.events.names
    return {name: sum(summary.get(name, 0) for summary in summaries) for name in names}


def total(
    profile: Profile,
    event: EventType,
    parts: Parts = None,
    events: EventTypes | None = None,
    counted: Int64Array | None = None,
) -> Total:
    """The total of an event over the active parts; a part without a summary counts as it is.

    `events` is the table that the event is of, where it is not the profile's own; `counted` are
    the part totals, where they are known.
    """
    counted = part_totals(profile) if counted is None else counted
    active = sorted(range(len(profile.parts)) if parts is None else parts)
    recorded = counted.copy()
    known = False
    for index in active:
        summary = profile.parts[index].summary
        if summary is not None:
            known = True
            recorded[:, index] = [summary.get(name, 0) for name in profile.events.names]
    sums = np.stack((counted[:, active].sum(axis=1), recorded[:, active].sum(axis=1)), axis=1)
    both = (events or profile.events).evaluate(event, sums)
    number = float if event.is_ratio else int  # int: Python's, which has no bound
    return Total(number(both[0]), number(both[1]) if known else None)
