"""The numbers of a history: a row for each function, a column for each revision."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qcachegrind_py.analysis.history.history import RevisionSums
from qcachegrind_py.profile.events import EventType, EventTypes
from qcachegrind_py.profile.tables import Int64Array


class Columns:
    """The numbers of all revisions, which are filled in one after the other.

    Costs are those of the measured events, shape (events, functions, revisions).
    """

    def __init__(self, events: EventTypes, functions: int, revisions: int) -> None:
        """Begin with zeros."""
        shape, measured = (functions, revisions), len(events.measured)
        self.events = events
        self.self_values = np.zeros((measured, *shape), np.int64)
        self.inclusive_values = np.zeros((measured, *shape), np.int64)
        self.called = np.zeros(shape, np.int64)
        self.present = np.zeros(shape, bool)
        self.members = np.zeros(functions, np.int64)  # the most that a revision has in a row
        self.recorded = np.zeros((measured, revisions), np.int64)  # 0 without summaries
        self.has_recorded = np.zeros(revisions, bool)

    def fill(self, revision: int, rows: Int64Array, sums: RevisionSums) -> None:
        """Fill in a revision; `rows` are the distinct rows of the functions of its sums."""
        own = [sums.events.names.index(name) for name in self.events.names]
        self.self_values[:, rows, revision] = sums.self_values[own]
        self.inclusive_values[:, rows, revision] = sums.inclusive_values[own]
        self.called[rows, revision] = sums.called
        self.present[rows, revision] = True
        self.members[rows] = np.maximum(self.members[rows], sums.members)
        if sums.recorded is not None:
            self.recorded[:, revision] = [sums.recorded[event] for event in own]
            self.has_recorded[revision] = True


def common_events(tables: Sequence[EventTypes]) -> EventTypes:
    """Return the events that all tables have, in the order of the last one.

    Of a derived event, that is defined as there, they have all measured events it consists of.
    """
    newest = tables[-1]
    common = set(newest.names).intersection(*(table.names for table in tables))
    measured = tuple(event for event in newest.measured if event.name in common)
    derived = tuple(event for event in newest.derived if _consists_of(newest, event, common))
    return EventTypes(measured, derived)


def _consists_of(events: EventTypes, event: EventType, common: set[str]) -> bool:
    if event.is_ratio:
        return False
    weights = zip(events.names, events.weights(event), strict=True)
    return all(name in common for name, weight in weights if weight)
