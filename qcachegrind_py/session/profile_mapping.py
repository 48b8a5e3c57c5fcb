"""Map nodes and code positions of one profile to their counterparts in another one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from qcachegrind_py.analysis.costs.recursion_levels import without_level
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.present.context import Position
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import (
    NO_FUNCTION,
    NO_NODE,
    NO_TEXT,
    FunctionId,
    NodeId,
    NodeMapping,
)
from qcachegrind_py.profile.profile import Profile

# name, file and object of a function, as they were recorded
FunctionIdentity = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class SavedLocation:
    """A location by names, valid for any run of the same program; fields are empty if unknown.

    `path` is the file it was in: in another file, a function is kept only if it still matters.
    """

    event: str = ""
    second_event: str = ""
    function: FunctionIdentity | None = None
    grouping: str = ""
    path: str = ""
    group_colors: tuple[tuple[str, str], ...] = ()  # chosen colours, as #rrggbb


_MIN_SHARE = 100  # a function with less than a hundredth of the total does not matter
_MAX_LEVEL = 5  # highest recursion level tried when looking for a function


def function_identity(
    queries: ProfileQueries, node: NodeId, scope: Scope
) -> FunctionIdentity | None:
    """Return what identifies the node in another run: for a cycle, its first member's identity."""
    if node == NO_NODE:
        return None
    return queries.names.identity(queries.first_member(node, scope))


def find_function(queries: ProfileQueries, identity: FunctionIdentity | None) -> FunctionId:
    """Return the function of that identity, or the one into which its recursion levels were folded.

    `NO_FUNCTION` if there is none, or if it is charged to its callers.
    """
    function, folding = _identical_function(queries, identity), queries.folding
    is_folded = folding is not None and function != NO_FUNCTION and folding.is_folded[function]
    return NO_FUNCTION if is_folded else function


def _identical_function(queries: ProfileQueries, identity: FunctionIdentity | None) -> FunctionId:
    if identity is None:
        return NO_FUNCTION
    name, *location = identity
    function = queries.names.find(name, *location)
    if function != NO_FUNCTION:
        return function
    base = without_level(name)
    levels = (base, *(f"{base}'{level}" for level in range(2, _MAX_LEVEL)))
    candidates = (queries.names.find(level, *location) for level in levels)
    return next((function for function in candidates if function != NO_FUNCTION), NO_FUNCTION)


def still_matters(
    queries: ProfileQueries, node: NodeId, event: EventType | None, scope: Scope
) -> bool:
    """Return whether a function is worth showing first in another file: at least 1 % inclusive."""
    if event is None or node == NO_NODE:
        return False
    measured = queries.measured_event(event)
    total = queries.total(measured, scope.parts).base
    return bool(queries.inclusive(measured, scope)[node] * _MIN_SHARE >= total)


def node_mapping(
    queries_before: ProfileQueries, scope_before: Scope, queries_after: ProfileQueries, scope: Scope
) -> NodeMapping:
    """Return a function that maps a node to the other profile; `NO_NODE` without a counterpart."""

    @cache
    def map_node(node: NodeId) -> NodeId:
        identity = function_identity(queries_before, node, scope_before)
        function = find_function(queries_after, identity)
        if function == NO_FUNCTION or queries_before.is_function(node):
            return function
        cycle = queries_after.cycle_of(function, scope)
        return function if cycle == NO_NODE else cycle

    return map_node


def map_position(position: Position | None, before: Profile, after: Profile) -> Position | None:
    """Return the position in the other profile; None if that does not contain the file."""
    if position is None:
        return None
    file = after.texts.index_of(before.texts[position.file])
    return Position(file, position.line, position.address) if file != NO_TEXT else None
