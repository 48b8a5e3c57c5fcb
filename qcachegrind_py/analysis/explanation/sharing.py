"""How a cost is shared out along calls, step by step."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from qcachegrind_py.analysis.explanation.keys import AnyKey
from qcachegrind_py.profile.ids import NO_NODE, NodeId


class StepRule(Enum):
    """Where the value of a step comes from."""

    WHOLE = "whole"  # the whole cost of a function
    REST = "rest"  # what no call accounts for of the cost of a function that also begins a program
    INSIDE = "inside"  # its self cost and the calls that it makes, which differ from calls to it
    BALANCE = "balance"  # what a function has beyond the calls to it, or calls to it beyond that
    STAND_IN = "stand-in"  # all that other callers have, or all that is not attributed
    LIMITED = "limited"  # a call that costs more than the function called accounts for
    RECORDED = "recorded"  # the function before has its whole cost here: its calls count in full
    ALL = "all"  # one call has the whole cost of the function before: all that this has goes on
    SHARED = "shared"  # in proportion


@dataclass(frozen=True, slots=True)
class SharingStep:
    """One step from a function to the next.

    Shared out, the value is `amount` times `part` by `whole`, at most `amount` where that is known
    not to be exceeded.
    """

    rule: StepRule
    node: NodeId  # whose number it is
    value: int | float
    before: NodeId = NO_NODE  # the function that passes its cost on
    amount: int | float = 0  # what that function has here
    part: int | float = 0  # of it: the calls between both, or its self cost, or a number of calls
    whole: int | float = 0  # the inclusive cost of that function
    part_key: AnyKey | None = None  # names of these numbers; None for those without one
    amount_key: AnyKey | None = None
    whole_key: AnyKey | None = None
    is_exact: bool = False


@dataclass(frozen=True, slots=True)
class Sharing:
    """The steps by which a number was shared out.

    They follow one another along a path; of a flow they are added up, and `ignored` is what is then
    taken off: shares too small to be passed on, and what the whole cost is exceeded by.
    """

    steps: tuple[SharingStep, ...]
    is_exact: bool
    is_flow: bool = False
    ignored: float = 0.0
    is_complete: bool = False  # of a flow: all of the function's cost has arrived
    callers: int = 1  # levels of callers that a recording needs to prove it
