"""Groups of inlined lines: lines of other files below the line that brought them in; no Qt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.costs.sums import sums_by_group
from qcachegrind_py.profile.events import CostArray, EventType, EventTypes
from qcachegrind_py.profile.tables import BoolArray, Int64Array


@dataclass(frozen=True, slots=True, eq=False)
class InlineGroups:
    """Each group is a line, its *host*, and the lines that the compiler inlined there."""

    of_location: Int64Array  # group of each host and inlined line; -1 for none
    host: Int64Array  # location of each group's host
    size: Int64Array  # inlined lines of each group

    def __len__(self) -> int:
        return len(self.host)

    def is_inlined(self) -> BoolArray:
        """Return the mask of the inlined lines: shape (locations,), bool."""
        inlined = self.of_location >= 0
        inlined[self.host] = False
        return inlined

    def sums(
        self, events: EventTypes, event: EventType, costs: Int64Array, cost_row: Int64Array
    ) -> CostArray:
        """Return the cost of each group in an event, hosts included: shape (groups,).

        `costs` has shape (measured events, rows), and `cost_row` is the row of each location; -1
        for none. Measured costs are summed, because a ratio of sums is no sum of ratios.
        """
        members = np.flatnonzero((self.of_location >= 0) & (cost_row >= 0))
        sums = sums_by_group(costs[:, cost_row[members]], self.of_location[members], len(self))
        return events.evaluate(event, sums)


def inline_groups(hosts: Int64Array) -> InlineGroups:
    """Return the groups; `hosts` is the location of each location's host, or the location itself.

    Inlined lines directly follow their host.
    """
    inlined = np.flatnonzero(hosts != np.arange(len(hosts)))
    host, number, size = np.unique(hosts[inlined], return_inverse=True, return_counts=True)
    of_location = np.full(len(hosts), -1, np.int64)
    of_location[inlined] = number
    of_location[host] = np.arange(len(host))
    return InlineGroups(of_location, host.astype(np.int64), size.astype(np.int64))
