"""What the frames of a frame tree cost in the base and in the new side of a comparison.

Both sides have the same frames, so that costs are compared row by row. A change is proven if the
costs of both sides are: an estimate changes with the costs of its callers, though what is called
there did not change.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from qcachegrind_py.analysis.costs.series import BothSides
from qcachegrind_py.profile.events import CostArray, Float64Array
from qcachegrind_py.profile.tables import BoolArray, Int64Array


@dataclass(frozen=True, slots=True, eq=False)
class FrameSide:
    """The frames as one side has them, shape (frames,); the columns are those of a frame tree."""

    cost: CostArray
    width: Float64Array
    is_exact: BoolArray
    calls: Int64Array
    has_exact_calls: BoolArray

    def of(self, rows: Int64Array) -> FrameSide:
        """Return these frames, in this order."""
        return FrameSide(*(getattr(self, field.name)[rows] for field in fields(self)))


@dataclass(frozen=True, slots=True, eq=False)
class FrameSides:
    """The frames of both sides, and how much of each frame is a net change."""

    base: FrameSide
    new: FrameSide
    net: Float64Array | None = None  # from 0 to 1, where widths are changes: shape (frames,)
    omitted_cost: tuple[float, float] = (0.0, 0.0)  # of all calls that have no frame: base and new

    @property
    def cost(self) -> BothSides:
        """The costs of both sides, and their change."""
        return BothSides(self.base.cost, self.new.cost)

    @property
    def calls(self) -> BothSides:
        """The numbers of calls on both sides."""
        return BothSides(self.base.calls, self.new.calls)

    @property
    def is_proven(self) -> BoolArray:
        """Which changes are proven, shape (frames,)."""
        proven: BoolArray = self.base.is_exact & self.new.is_exact
        return proven

    @property
    def has_exact_calls(self) -> BoolArray:
        """Which numbers of calls are exact on both sides, shape (frames,)."""
        exact: BoolArray = self.base.has_exact_calls & self.new.has_exact_calls
        return exact
