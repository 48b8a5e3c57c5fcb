"""A history: the costs of each function in each revision of a program."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from qcachegrind_py.analysis.comparison.sides import Identity
from qcachegrind_py.analysis.history.history import Columns
from qcachegrind_py.profile.events import CostArray, EventType
from qcachegrind_py.profile.tables import BoolArray, Int64Array


@dataclass(frozen=True, slots=True)
class Revision:
    """A profile that a history is to be read from."""

    label: str  # what the user calls the revision
    file: str


@dataclass(frozen=True, eq=False)
class History:
    """The costs of many profiles: a row for each function, a column for each revision.

    A function that a revision does not have costs 0 there. Cycles are those of each revision.
    """

    labels: tuple[str, ...]  # of the revisions, the oldest first
    files: tuple[str, ...]
    functions: tuple[Identity, ...]  # name, file and object as in the newest revision that has it
    columns: Columns

    @property
    def events(self) -> tuple[EventType, ...]:
        """The events that all revisions have; of derived ones, they have all constituents."""
        return self.columns.events.all

    def event(self, name: str) -> EventType | None:
        """Return the event with this name, or None if a revision lacks it."""
        return self.columns.events.find(name)

    @property
    def called(self) -> Int64Array:
        """How often functions were called, recursive calls included; shape as of costs."""
        return self.columns.called

    @property
    def present(self) -> BoolArray:
        """Whether the revision has the function, shape (functions, revisions)."""
        return self.columns.present

    @property
    def members(self) -> Int64Array:
        """The most functions that a revision has in a row, shape (functions,): a family's size."""
        return self.columns.members

    def self_cost(self, event: EventType) -> CostArray:
        """Return the self costs, shape (functions, revisions): int64 if 64 bits suffice."""
        return self.columns.events.evaluate(event, self.columns.self_values)

    def inclusive(self, event: EventType) -> CostArray:
        """Return the inclusive costs, shape (functions, revisions): int64 if 64 bits suffice."""
        return self.columns.events.evaluate(event, self.columns.inclusive_values)

    def totals(self, event: EventType) -> CostArray:
        """Return the total of each revision, shape (revisions,): int64 if 64 bits suffice.

        It is the recorded one where that is at least the sum of the self costs (docs/design.md,
        reading rule 6).
        """
        counted = self.columns.events.evaluate(event, self._counted)
        recorded = self.columns.events.evaluate(event, self.columns.recorded)
        totals: CostArray = np.where(
            self.columns.has_recorded & (recorded >= counted), recorded, counted
        )
        return totals

    @cached_property
    def _counted(self) -> Int64Array:
        counted: Int64Array = self.columns.self_values.sum(axis=1)
        return counted
