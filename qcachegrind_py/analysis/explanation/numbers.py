"""The numbers that can be explained, and what an explanation consists of."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import NO_NODE, NO_TEXT, NodeId, TextId
from qcachegrind_py.profile.tables import Int64Array


class NumberKind(Enum):
    """What a number counts."""

    SELF = "self"  # the self cost of a function or cycle
    INCLUSIVE = "inclusive"  # its inclusive cost
    CALLED = "called"  # how often it was called
    CALL_COST = "call cost"  # the inclusive cost of the calls from one function to another
    CALL_COUNT = "call count"  # how many these are
    LINE_SELF = "line self"  # the self cost of a source line of a function
    LINE_INCLUSIVE = "line inclusive"  # this and the cost of the calls from there
    INSTRUCTION_SELF = "instruction self"  # the same of an instruction
    INSTRUCTION_INCLUSIVE = "instruction inclusive"

    @property
    def is_count(self) -> bool:
        """Whether it is a number of calls, and no cost."""
        return self in (NumberKind.CALLED, NumberKind.CALL_COUNT)


@dataclass(frozen=True, slots=True)
class CodePlace:
    """A source line, or an instruction if it has an address."""

    file: TextId = NO_TEXT
    line: int = 0
    address: int | None = None


@dataclass(frozen=True, slots=True)
class NumberKey:
    """A number of a profile: what it counts, and of what."""

    kind: NumberKind
    node: NodeId  # the function or cycle; of calls the caller
    callee: NodeId = NO_NODE
    place: CodePlace = CodePlace()


class TermKind(Enum):
    """What a term of a sum is."""

    SELF = "self"  # the self cost of the function
    CALLS_FROM = "calls from"  # the calls from another function
    CALLS_TO = "calls to"  # the calls to another function
    MEMBER = "member"  # a function of a cycle


@dataclass(frozen=True, slots=True)
class Term:
    """A term of a number, which is a number itself."""

    kind: TermKind
    key: NumberKey
    value: int | float  # in the event that is explained; a count if the number is one
    calls: int = 0  # how many calls it stands for


class LeftOutReason(Enum):
    """Why calls are not in a number."""

    RECURSION = "recursion"  # the function calls itself: what that costs is in its cost already
    CYCLE = "cycle"  # calls inside a cycle


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Calls that are not in a number."""

    reason: LeftOutReason
    calls: int
    rows: int  # of the profile


@dataclass(frozen=True, slots=True, eq=False)
class ProfileSum:
    """The rows of a profile that a number is the sum of, each in file order."""

    costs: Int64Array  # rows of `Profile.costs`
    calls: Int64Array  # rows of `Profile.calls`

    def __len__(self) -> int:
        return len(self.costs) + len(self.calls)


NO_ROWS = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class Explanation:
    """How a number comes about.

    The number is the sum of the terms, if there are any, and of the rows. Of a derived event these
    are sums of `measured` events, of which its formula is computed.
    """

    key: NumberKey
    event: EventType
    value: int | float
    terms: tuple[Term, ...]
    left_out: tuple[LeftOut, ...]
    rows: ProfileSum
    measured: tuple[EventType, ...]  # the event itself unless it is derived; none for counts
    sums: tuple[int, ...]  # of the rows in each of them; of counts one number
