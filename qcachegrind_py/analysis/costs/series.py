"""A column of costs: those of an event in a scope, or how they differ from those in another."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.events import CostArray, EventType
from qcachegrind_py.profile.tables import Int64Array


@frozen
class BothSides:
    """Costs or counts of the base and the new side, of equal shape; the change is new - base."""

    base: CostArray
    new: CostArray

    @property
    def change(self) -> CostArray:
        """What the new side has more than the base: exact, as Python integers if need be."""
        if self.base.dtype == self.new.dtype == np.int64 and not _may_overflow(self.base, self.new):
            change: CostArray = self.new - self.base
        else:
            kind = float if self.base.dtype.kind == "f" else object
            change = self.new.astype(kind) - self.base.astype(kind)
        return change


@frozen(eq=True)
class Series:
    """An event in a scope; `against` is the scope of a base, if the column shows changes.

    Both scopes have the same frame, so that their answers have the same rows.
    """

    event: EventType
    scope: Scope
    against: Scope | None = None

    @property
    def is_change(self) -> bool:
        """Whether the column shows how costs changed."""
        return self.against is not None

    def values(self, ask: Callable[[EventType, Scope], CostArray]) -> CostArray:
        """Return the costs or their changes; `ask` returns the costs of all rows in a scope."""
        sides = self.sides(ask)
        return sides.new if self.against is None else sides.change

    def sides(self, ask: Callable[[EventType, Scope], CostArray]) -> BothSides:
        """Return the costs of base and new; without a base both are those of the scope."""
        new = ask(self.event, self.scope)
        return BothSides(new if self.against is None else ask(self.event, self.against), new)


def _may_overflow(base: Int64Array, new: Int64Array) -> bool:
    """Whether a difference may need more than 64 bits."""
    if not len(base):
        return False
    extremes = [int(side.max()) for side in (base, new)], [int(side.min()) for side in (base, new)]
    largest = max(*map(abs, extremes[0]), *map(abs, extremes[1]))
    return largest >= 1 << 62
