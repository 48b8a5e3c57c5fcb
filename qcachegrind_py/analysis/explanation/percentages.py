"""What the percentage of a number is of, and why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from qcachegrind_py.analysis.costs.scope import Parts, Scope
from qcachegrind_py.analysis.explanation.keys import NumberKey, NumberKind
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import NO_NODE


class BaseReason(Enum):
    """Why percentages are of a number."""

    RECORDED = "recorded"  # the file records a total, which is at least the sum
    NOT_RECORDED = "not recorded"  # the file records no total
    TOO_SMALL = "too small"  # the recorded total is less than the sum
    CHOSEN = "chosen"  # the user wants percentages of the sum
    PARENT = "parent"  # the unit is the percentage of the parent
    CODE = "code"  # the user wants percentages of the function in code views
    PART = "part"  # in the list of parts, they are of the part
    ACTIVE = "active"  # lists of all callers and callees are always of the active function


@dataclass(frozen=True, slots=True)
class PercentageRule:
    """How a view writes percentages: of a total, or of a number."""

    of_recorded: bool = True  # of the recorded total if it has one
    parts: Parts = None  # whose total it is
    parent: NumberKey | None = None  # the number it is of instead
    reason: BaseReason = BaseReason.PARENT
    is_of_base: bool = False  # a comparison: the parts are those of the base


@dataclass(frozen=True, slots=True)
class PercentageBase:
    """The number that is 100 %."""

    reason: BaseReason
    value: int | float
    key: NumberKey | None = None  # None: the total that the file records
    other: int | float | None = None  # the total that it is not: recorded or counted
    is_of_base: bool = False  # of the base in a comparison


def total_base(
    queries: ProfileQueries, event: EventType, parts: Parts, *, of_recorded: bool = True
) -> PercentageBase:
    """Return the total that percentages are of (docs/design.md, reading rule 6)."""
    total = queries.total(event, parts)
    key = NumberKey(NumberKind.TOTAL, NO_NODE)
    if total.recorded is None:
        return PercentageBase(BaseReason.NOT_RECORDED, total.counted, key)
    if not of_recorded:
        return PercentageBase(BaseReason.CHOSEN, total.counted, key, total.recorded)
    if total.recorded < total.counted:
        return PercentageBase(BaseReason.TOO_SMALL, total.counted, key, total.recorded)
    return PercentageBase(BaseReason.RECORDED, total.recorded, None, total.counted)


def rule_for(scope: Scope) -> PercentageRule:
    """Return that percentages are of the total of the scope."""
    return PercentageRule(parts=scope.parts)
