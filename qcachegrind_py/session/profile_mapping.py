"""Finds in one profile what was a place in another: the same function, cycle or line of code."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from qcachegrind_py.analysis.costs.recursion_levels import without_level
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.ids import (
    NO_FUNCTION,
    NO_NODE,
    NO_TEXT,
    FunctionId,
    NodeId,
    NodeMapping,
)
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.session.context import Position

FunctionIdentity = tuple[
    str, str, str
]  # name, file and object of a function, as they were recorded


@dataclass(frozen=True, slots=True)
class SavedLocation:
    """Names that hold for another run of the same program; empty where nothing is known."""

    event: str = ""
    second_event: str = ""
    function: FunctionIdentity | None = None
    grouping: str = ""


_MAX_LEVEL = 5  # of recursion that a function is looked for under


def function_identity(
    queries: ProfileQueries, node: NodeId, scope: Scope
) -> FunctionIdentity | None:
    """What a function is found by in another run; a cycle by its first member."""
    if node == NO_NODE:
        return None
    return queries.names.identity(queries.first_member(node, scope))


def find_function(queries: ProfileQueries, identity: FunctionIdentity | None) -> FunctionId:
    """The function of that name and place, or the one its recursion levels were folded to."""
    if identity is None:
        return NO_FUNCTION
    name, *place = identity
    function = queries.names.find(name, *place)
    if function != NO_FUNCTION:
        return function
    base = without_level(name)
    levels = (base, *(f"{base}'{level}" for level in range(2, _MAX_LEVEL)))
    found = (queries.names.find(level, *place) for level in levels)
    return next((function for function in found if function != NO_FUNCTION), NO_FUNCTION)


def node_mapping(
    queries_before: ProfileQueries, scope_before: Scope, queries_after: ProfileQueries, scope: Scope
) -> NodeMapping:
    """Gives for a function or cycle of one profile the one of the other; `NO_NODE` for none."""

    @cache
    def carried(node: NodeId) -> NodeId:
        function = find_function(
            queries_after, function_identity(queries_before, node, scope_before)
        )
        if function == NO_FUNCTION or queries_before.is_function(node):
            return function
        cycle = queries_after.cycle_of(function, scope)
        return function if cycle == NO_NODE else cycle

    return carried


def map_position(position: Position | None, before: Profile, after: Profile) -> Position | None:
    """The same line and address in the other profile; None where it does not name the file."""
    if position is None:
        return None
    file = after.texts.index_of(before.texts[position.file])
    return Position(file, position.line, position.address) if file != NO_TEXT else None
