"""The state that views show, as one frozen value, and what differs between two."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, Flag, auto

from qcachegrind_py.profile.events import EventType


class CostUnit(Enum):
    """How costs are written."""

    PERCENT = "percent"
    ABSOLUTE = "absolute"


class Change(Flag):
    """What of the context changed; a view names those that concern it."""

    PROFILE = auto()
    EVENT = auto()
    FUNCTION = auto()
    PARTS = auto()
    CYCLES = auto()
    UNIT = auto()

    @classmethod
    def everything(cls) -> Change:
        """All of them."""
        return ~cls(0)


@dataclass(frozen=True, slots=True)
class Context:
    """Where the user is. `profile` is a serial number: it changes with every opened profile."""

    profile: int = 0
    event: EventType | None = None
    function: int = -1  # the active function; -1 for none
    parts: frozenset[int] | None = None  # the active ones; None for all
    cycles: bool = True
    unit: CostUnit = CostUnit.PERCENT


_CHANGE_OF = {
    "profile": Change.PROFILE,
    "event": Change.EVENT,
    "function": Change.FUNCTION,
    "parts": Change.PARTS,
    "cycles": Change.CYCLES,
    "unit": Change.UNIT,
}


def difference(before: Context, after: Context) -> Change:
    """The change bits between two contexts; a new profile changes everything."""
    if before.profile != after.profile:
        return Change.everything()
    change = Change(0)
    for field, bit in _CHANGE_OF.items():
        if getattr(before, field) != getattr(after, field):
            change |= bit
    return change
