"""The numbers that can be explained: their names, what an explanation has, and why one is high."""

from __future__ import annotations

from enum import Enum

import numpy as np

from qcachegrind_py.analysis.costs.function_costs import cycle_members, function_cycles
from qcachegrind_py.analysis.costs.scope import ALL_PARTS, Parts, Scope
from qcachegrind_py.analysis.names.function_names import Grouping
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import NO_NODE, NO_TEXT, NodeId, TextId
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.visible_text import visible_text


class NumberKind(Enum):
    """What a number counts."""

    SELF = "self"  # the self cost of a function or cycle
    INCLUSIVE = "inclusive"  # its inclusive cost
    CALLED = "called"  # how often it was called
    CALL_COST = "call cost"  # the inclusive cost of the calls from one function to another
    INNER_CALL_COST = "inner call cost"  # the same inside a cycle, where it adds nothing to costs
    CALL_COUNT = "call count"  # how many these are
    LINE_SELF = "line self"  # the self cost of a source line of a function
    LINE_INCLUSIVE = "line inclusive"  # this and the cost of the calls from there
    INSTRUCTION_SELF = "instruction self"  # the same of an instruction
    INSTRUCTION_INCLUSIVE = "instruction inclusive"
    GROUP_SELF = "group self"  # the self cost of all functions of a group
    TOTAL = "total"  # the self cost of all functions

    @property
    def is_count(self) -> bool:
        """Whether it is a number of calls, and no cost."""
        return self in (NumberKind.CALLED, NumberKind.CALL_COUNT)


@frozen(eq=True)
class CodePlace:
    """A source line, or an instruction if it has an address."""

    file: TextId = NO_TEXT
    line: int = 0
    address: int | None = None


@frozen(eq=True)
class GroupKey:
    """A group of functions."""

    grouping: Grouping = Grouping.NONE
    name: str = ""


@frozen(eq=True)
class NumberKey:
    """A sum of lines of a profile: what it counts, and of what.

    Calls have a place if only those from there are meant.
    """

    kind: NumberKind
    node: NodeId  # the function or cycle; of calls the caller; `NO_NODE` for groups and totals
    callee: NodeId = NO_NODE
    place: CodePlace = CodePlace()
    group: GroupKey = GroupKey()

    @property
    def is_count(self) -> bool:
        """Whether it is a number of calls, and no cost."""
        return self.kind.is_count


class EstimateKind(Enum):
    """How a cost gets to a function that is several calls away."""

    FRAME = "frame"  # along a path, as in flame graphs and maps
    BRANCH = "branch"  # along a path, as in the call tree
    REACHED = "reached"  # on all paths, as in the lists of all callers and callees
    GRAPH_NODE = "graph node"  # on all paths, as in the boxes of the call graph
    GRAPH_CALL = "graph call"  # through one of its arrows


class Measure(Enum):
    """What of a function is shared out."""

    COST = "cost"
    SELF = "self cost"
    COUNT = "calls"


@frozen(eq=True)
class EstimateKey:
    """A number that is shared out along calls, and exact in places.

    The `path` leads from the function that has the whole cost to the one that has the number: over
    all functions between them if it is one path, else it has these two. For an arrow of the call
    graph they are followed by its caller and its callee. With `up`, it leads to callers.
    """

    kind: EstimateKind
    path: tuple[NodeId, ...]
    measure: Measure = Measure.COST
    up: bool = False
    is_program: bool = False  # the path begins where the whole program does; `up`: inverted
    of_recorded: bool = True  # the whole program has its recorded total, if that is larger
    expanded: frozenset[NodeId] = frozenset()  # cycles that the call graph shows as their members

    @property
    def is_count(self) -> bool:
        """Whether it is a number of calls, and no cost."""
        return self.measure is Measure.COUNT

    @property
    def is_inverted(self) -> bool:
        """Whether the path begins with the self cost of a function."""
        return self.is_program and self.up and bool(self.path)


AnyKey = NumberKey | EstimateKey


def call_key(
    queries: ProfileQueries,
    scope: Scope,
    caller: NodeId,
    callee: NodeId,
    kind: NumberKind = NumberKind.CALL_COST,
) -> NumberKey:
    """Return cost or number of the calls; of a cycle to its member, it is what that member costs.

    A cycle does not call its members, so these calls have no number.
    """
    is_member = not queries.is_function(caller) and caller == queries.cycle_of(callee, scope)
    if is_member:
        return NumberKey(NumberKind.INCLUSIVE, callee)
    return NumberKey(kind, caller, callee)


# ---------------------------------------------------------------- costs shared out along calls


class StepRule(Enum):
    """Where the value of a step comes from."""

    WHOLE = "whole"  # the whole cost of a function
    OWN = "own"  # the self cost of a function
    REST = "rest"  # what no call accounts for of the cost of a function that also begins a program
    INSIDE = "inside"  # its self cost and the calls that it makes, which differ from calls to it
    BALANCE = "balance"  # what a function has beyond the calls to it, or calls to it beyond that
    STAND_IN = "stand-in"  # all that other callers have, or all that is not attributed
    LIMITED = "limited"  # a call that costs more than the function called accounts for
    RECORDED = "recorded"  # the function before has its whole cost here: its calls count in full
    ALL = "all"  # one call has the whole cost of the function before: all that this has goes on
    SHARED = "shared"  # in proportion


@frozen(eq=True)
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


@frozen(eq=True)
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


# ---------------------------------------------------------------- percentages


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


@frozen(eq=True)
class PercentageRule:
    """How a view writes percentages: of a total, or of a number."""

    of_recorded: bool = True  # of the recorded total if it has one
    parts: Parts = None  # whose total it is
    parent: NumberKey | None = None  # the number it is of instead
    reason: BaseReason = BaseReason.PARENT
    is_of_base: bool = False  # a comparison: the parts are those of the base


@frozen(eq=True)
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


# ---------------------------------------------------------------- explanations


@frozen(eq=True)
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


@frozen(eq=True)
class Term:
    """A term of a number, which is a number itself."""

    kind: TermKind
    key: NumberKey
    value: int | float  # in the event that is explained; a count if the number is one
    calls: int = 0  # how many calls it stands for


@frozen(eq=True)
class StackPath:
    """The functions on some stacks, from the outermost to the one that a number is of."""

    functions: tuple[NodeId, ...]
    value: int | float  # what these stacks bring to the number


class LeftOutReason(Enum):
    """Why calls are not in a number."""

    RECURSION = "recursion"  # the function calls itself: what that costs is in its cost already
    CYCLE = "cycle"  # calls inside a cycle


@frozen(eq=True)
class LeftOut:
    """Calls that are not in a number."""

    reason: LeftOutReason
    calls: int
    rows: int  # of the profile


@frozen
class ProfileSum:
    """The rows of a profile that a number is the sum of, each in file order."""

    costs: Int64Array  # rows of `Profile.costs`
    calls: Int64Array  # rows of `Profile.calls`

    def __len__(self) -> int:
        return len(self.costs) + len(self.calls)


NO_ROWS = np.empty(0, np.int64)


@frozen
class Explanation:
    """How a number comes about.

    The number is the sum of the terms, if there are any, and of the rows. Of a derived event these
    are sums of `measured` events, of which its formula is computed. An estimate has no rows: it is
    the product of numbers that do. Of recorded stacks, the number is the sum of the paths.
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
    paths: tuple[StackPath, ...] = ()  # to the costliest contexts, which `more` adds to
    contexts: int | None = None  # how many there are; None: the number is no sum of contexts
    bases: tuple[PercentageBase, ...] = ()  # what it is a percentage of
    sharing: Sharing | None = None  # of a number that is shared out along calls


# ---------------------------------------------------------------- estimates in words

WHY_ESTIMATED = "only direct calls are recorded"
_PROGRAM = "PROGRAM"
_LONGEST_COMMAND = 400
_MAX_CALLERS = 100  # more make unreadable profiles


def exactness_text(is_exact: bool, how: str = "") -> str:
    """Return whether the cost of a call path is exact; `how` tells how to record an estimate."""
    if is_exact:
        return "The cost is exact: it follows from the recorded calls."
    estimate = f"≈ is an estimate: {WHY_ESTIMATED}."
    return f"{estimate} {how}" if how else estimate


def exact_recording_command(profile: Profile, callers: int) -> str:
    """Return the command that records costs by that many callers; empty unless for callgrind."""
    if not profile.creator.startswith("callgrind"):
        return ""
    program = _command_text(profile.command) or _PROGRAM
    count = max(1, min(callers, _MAX_CALLERS))
    return f"To record it: valgrind --tool=callgrind --separate-callers={count} {program}"


def _command_text(command: str) -> str:
    text = visible_text(command[: _LONGEST_COMMAND + 1])
    return text if len(text) <= _LONGEST_COMMAND else text[:_LONGEST_COMMAND] + "…"


class ExcessCause(Enum):
    """A cause, as a clause that follows the percentage."""

    UNATTRIBUTED = "the recorded total, which includes costs of no function, is larger"
    NESTED = "calls within calls are counted again, as cycles are not detected"
    OTHER_PARTS = "it includes costs of parts that are not selected"
    WRONG = "more than these calls can cost; a counter overflowed, or costs were counted twice"


def excess_cause(
    queries: ProfileQueries, node: NodeId, event: EventType, scope: Scope
) -> ExcessCause:
    """Return why the inclusive cost of a function or cycle is above 100 %.

    Outside of cycles no two calls of a function overlap, as direct recursion does not count: its
    cost is at most the total. In a cycle that is not detected, each call costs at most the total.
    """
    cost, _ = queries.node_costs(node, event, scope)
    total = queries.total(event, scope.parts).base
    if cost <= total:
        return ExcessCause.UNATTRIBUTED
    if _is_nested(queries, node, scope):
        counts = _call_counts(queries, node, scope)
        # a count of 0 is of running calls: it is not known how many
        is_impossible = counts.all() and cost > total * max(1, int(counts.sum()))
        return ExcessCause.WRONG if is_impossible else ExcessCause.NESTED
    # with a frame, all parts are two sides of a comparison
    if scope.frame is None and cost <= queries.total(event, ALL_PARTS).base:
        return ExcessCause.OTHER_PARTS
    return ExcessCause.WRONG


def _is_nested(queries: ProfileQueries, node: NodeId, scope: Scope) -> bool:
    """Whether calls of the node can overlap: it is in a cycle that is not fully detected."""
    if scope.cycles and not scope.cut:
        return False
    return bool(function_cycles(queries.profile)[queries.first_member(node, scope)])


def _call_counts(queries: ProfileQueries, node: NodeId, scope: Scope) -> Int64Array:
    """Return the counts of all calls of the node, in any part: a call may begin in an earlier one.

    The shape is (calls,).
    """
    functions = queries.function_count
    is_function = queries.is_function(node)
    members = [node] if is_function else cycle_members(node, queries.costs(scope), functions)
    calls = queries.profile.calls
    counts: Int64Array = calls.count[np.isin(calls.callee, members)]
    return counts
