"""What the explanation of a number consists of."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.explanation.keys import AnyKey, NumberKey
from qcachegrind_py.analysis.explanation.percentages import PercentageBase, PercentageRule
from qcachegrind_py.analysis.explanation.sharing import Sharing
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.tables import Int64Array


@dataclass(frozen=True, slots=True)
class NumberRequest:
    """A number to explain, as a view shows it; what is None is that of the context."""

    key: AnyKey
    event: EventType | None = None
    scope: Scope | None = None
    percentages: PercentageRule | None = None


class TermKind(Enum):
    """What a term of a sum is."""

    SELF = "self"  # the self cost of the function
    FUNCTION = "function"  # the self cost of one of several functions
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
    are sums of `measured` events, of which its formula is computed. An estimate has no rows: it is
    the product of numbers that do.
    """

    key: AnyKey
    event: EventType
    value: int | float
    terms: tuple[Term, ...]
    left_out: tuple[LeftOut, ...]
    rows: ProfileSum
    measured: tuple[EventType, ...]  # the event itself unless it is derived; none for counts
    sums: tuple[int, ...]  # of the rows in each of them; of counts one number
    more: tuple[int, int | float] = (0, 0)  # how many smaller terms there are, and the sum of these
    bases: tuple[PercentageBase, ...] = ()  # what it is a percentage of
    sharing: Sharing | None = None  # of a number that is shared out along calls
