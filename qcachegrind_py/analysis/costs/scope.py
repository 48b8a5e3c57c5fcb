"""What is counted: the active parts, cycle detection, and columns that show costs or changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from operator import index
from typing import SupportsIndex

import numpy as np

from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.errors import NotInProfile
from qcachegrind_py.profile.events import CostArray, EventType
from qcachegrind_py.profile.ids import PartId
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray, Calls, Int32Array, Int64Array, at_rows

Parts = frozenset[PartId] | None  # indexes of the profile's parts; None for all
# Said outright inside this package: in a profile of two sides, all parts are both of them.
ALL_PARTS: Parts = None


def parts_of(profile: Profile, parts: Iterable[SupportsIndex] | None) -> Parts:
    """Return parts by their indexes; raise `NotInProfile` if the profile does not have one."""
    if parts is None:
        return None
    numbers = frozenset(map(index, parts))
    count = len(profile.parts)
    for number in sorted(numbers):
        if not 0 <= number < count:
            have = "one part, which is 0" if count == 1 else f"{count} parts, 0 to {count - 1}"
            raise NotInProfile(
                "part", number, f"The profile has {have}: there is no part {number}."
            )
    return frozenset(map(PartId, numbers))


def is_active(part: Int32Array, parts: frozenset[PartId]) -> BoolArray:
    """Return whether each row belongs to an active part; `part` is the part of each row."""
    if not parts or len(parts) <= max(parts) - min(parts):
        return np.isin(part, list(parts))
    # adjacent ones, as of a side or a run: comparing takes a tenth of the time of looking up
    active: BoolArray = (part >= min(parts)) & (part <= max(parts))
    return active


def calls_of_active_parts(profile: Profile, parts: Parts) -> Calls:
    """Return only the calls of the active parts, or all if `parts` is None."""
    calls = profile.calls
    if parts is None:
        return calls
    active = is_active(calls.part, parts)
    return calls if active.all() else at_rows(calls, active)


def counted_calls(profile: Profile, parts: Parts, frame: Parts) -> tuple[Calls, BoolArray | None]:
    """Return the calls of the frame, with the costs and counts of the active parts.

    Calls of the frame in other parts have neither cost nor count. The mask tells which calls are
    of active parts, shape (calls,); it is None if all are, as without a frame.
    """
    if frame is None:
        return calls_of_active_parts(profile, parts), None
    calls = calls_of_active_parts(profile, frame)
    if parts is None:
        return calls, None
    counted = is_active(calls.part, parts)
    count, values = np.where(counted, calls.count, 0), np.where(counted, calls.values, 0)
    return replace(calls, count=count, values=values), counted


@frozen(eq=True)
class Scope:
    """The settings that costs depend on; `parts` is None for all parts.

    With a `cut` above 0, cycle detection ignores each call that costs less than this share of the
    costliest call to its caller (KCachegrind's CycleCut).

    The `frame` is the parts that give cycles and calls, by default those that are counted. Answers
    to scopes of one frame have the same rows, also where a part has neither cost nor calls, so that
    they can be compared element by element.
    """

    parts: Parts = None
    cycles: bool = True
    cut: float = 0.0
    frame: Parts = None


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
