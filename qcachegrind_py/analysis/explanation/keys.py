"""The names of the numbers that can be explained."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from qcachegrind_py.analysis.names.groups import Grouping
from qcachegrind_py.profile.ids import NO_NODE, NO_TEXT, NodeId, TextId


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


@dataclass(frozen=True, slots=True)
class CodePlace:
    """A source line, or an instruction if it has an address."""

    file: TextId = NO_TEXT
    line: int = 0
    address: int | None = None


@dataclass(frozen=True, slots=True)
class GroupKey:
    """A group of functions."""

    grouping: Grouping = Grouping.NONE
    name: str = ""


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
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
    is_program: bool = False  # the path begins where the whole program does
    of_recorded: bool = True  # the whole program has its recorded total, if that is larger
    expanded: frozenset[NodeId] = frozenset()  # cycles that the call graph shows as their members

    @property
    def is_count(self) -> bool:
        """Whether it is a number of calls, and no cost."""
        return self.measure is Measure.COUNT


AnyKey = NumberKey | EstimateKey
