"""The transitions of the context when a profile is opened, folded or compared, and locations.

Each takes a context and returns the next one. What concerns one field alone is set by
`Navigation.set`, and what another function brings with it by `at_function`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from qcachegrind_py.analysis.calls.call_graph import (
    CallStack,
)
from qcachegrind_py.analysis.costs.recursion_levels import without_level
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.filters.expression import Filter
from qcachegrind_py.analysis.names.function_names import Grouping
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.context import NO_NAMES, NO_STACK, Context, Position
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.files import path_on_disk
from qcachegrind_py.profile.ids import (
    NO_FUNCTION,
    NO_NODE,
    NO_TEXT,
    FunctionId,
    NodeId,
    NodeMapping,
    function_at,
)
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.session.loading import LoadedProfile

if TYPE_CHECKING:
    from qcachegrind_py.analysis.comparison.comparison import Comparison

# name, file and object of a function, as they were recorded
FunctionIdentity = tuple[str, str, str]

_MIN_SHARE = 100  # a function with less than a hundredth of the total does not matter
_MAX_LEVEL = 5  # highest recursion level tried when looking for a function


# ---------------------------------------------------------------- locations


@frozen(eq=True)
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


def in_another_program(location: SavedLocation) -> SavedLocation:
    """Return where to begin in a program opened for the first time: with the events shown before.

    A function of the same name there is another function.
    """
    return replace(location, function=None, group_colors=())


def function_identity(
    queries: ProfileQueries, node: NodeId, scope: Scope
) -> FunctionIdentity | None:
    """Return what identifies the node in another run: for a cycle, its first member's identity."""
    if node == NO_NODE:
        return None
    return queries.names.identity(queries.first_member(node, scope))


def find_function(queries: ProfileQueries, identity: FunctionIdentity | None) -> FunctionId:
    """Return the function of that identity, or the one into which its recursion levels were folded.

    `NO_FUNCTION` if there is none, or if it is folded into its callers.
    """
    if identity is None:
        return NO_FUNCTION
    name, *location = identity
    base = without_level(name)
    levels = (name, base, *(f"{base}'{level}" for level in range(2, _MAX_LEVEL)))
    candidates = (queries.names.find(level, *location) for level in levels)
    function = next((function for function in candidates if function != NO_FUNCTION), NO_FUNCTION)
    return NO_FUNCTION if is_charged_to_callers(queries, function) else function


def is_charged_to_callers(queries: ProfileQueries, function: FunctionId) -> bool:
    """Return whether the filter folds a function."""
    folding = queries.folding
    return folding is not None and function != NO_FUNCTION and bool(folding.is_folded[function])


def node_mapping(
    before: ProfileQueries,
    scope_before: Scope,
    after: ProfileQueries,
    scope: Scope,
    find: Callable[[FunctionId], FunctionId] | None = None,
) -> NodeMapping:
    """Return a function that maps a node to the other profile; `NO_NODE` without a counterpart.

    `find` maps functions; by default they are found by their names.
    """

    @cache
    def map_node(node: NodeId) -> NodeId:
        if find is None or node == NO_NODE:
            function = find_function(after, function_identity(before, node, scope_before))
        else:
            function = find(before.first_member(node, scope_before))
        if function == NO_FUNCTION or before.is_function(node):
            return function
        cycle = after.cycle_of(function, scope)
        return function if cycle == NO_NODE else cycle

    return map_node


def with_sides_swapped(before: Comparison, after: Comparison) -> Callable[[FunctionId], FunctionId]:
    """Return a function that finds a function again after the sides were swapped.

    Its names may be others then, as those of the new side rule.
    """
    one, other = before.pairing, after.pairing

    def find(row: FunctionId) -> FunctionId:
        for members, rows in (
            (one.base_members(row), other.row_of_new),
            (one.new_members(row), other.row_of_base),
        ):
            if len(members):
                return function_at(rows, int(members[0]))
        return NO_FUNCTION

    return find


def map_position(position: Position | None, before: Profile, after: Profile) -> Position | None:
    """Return the position in the other profile; None if that does not contain the file."""
    if position is None:
        return None
    file = after.texts.index_of(before.texts[position.file])
    return Position(file, position.line, position.address) if file != NO_TEXT else None


# ---------------------------------------------------------------- transitions


def at_function(context: Context, node: NodeId) -> Context:
    """Go to a function; nothing is highlighted, since that was in the views of another one."""
    return replace(context, function=node, selected=NO_NODE, position=None)


def opened(
    context: Context,
    before: LoadedProfile | None,
    loaded: LoadedProfile,
    location: SavedLocation,
    mapping: NodeMapping | None,
) -> Context:
    """Show a profile that was opened in place of the one `before`, by default at its start.

    It is shown at the location, or, if it is another run of the program before, where the user is:
    `mapping` translates functions and cycles then.
    """
    queries, scope, files = loaded.queries, loaded.scope, loaded.read.chosen.paths
    chosen = [path for side in loaded.sides for path in side.chosen.paths]
    is_same_file = location.path in map(str, chosen)
    event = _first_event(location, loaded, is_same_file=is_same_file)
    function: NodeId
    if mapping is None or before is None:
        function, selected, position = find_function(queries, location.function), NO_NODE, None
    else:
        function, selected = mapping(context.function), mapping(context.selected)
        position = map_position(context.position, before.queries.profile, queries.profile)
    is_kept = is_same_file or _still_matters(queries, function, event, scope)
    if event is not None and (function == NO_NODE or not is_kept):
        base = None if loaded.comparison is None else loaded.comparison.base
        function, position = queries.initial_function(event, scope, base), None
    is_same_base = before is None or _base_files(before) == _base_files(loaded)
    return replace(
        _with_comparison(context, loaded.comparison),
        events=queries.events,
        event=event,
        second_event=queries.events.find(location.second_event),
        function=function,
        selected=selected,
        position=position,
        stack=NO_STACK,
        scope=scope,
        hidden_parts=loaded.hidden,
        grouping=Grouping.NONE,
        group_colors=location.group_colors,
        files=replace(context.files, bases=base_folders(files)),
        filter=_applicable(replace(context.filter, folds=loaded.folds), loaded.comparison),
        base_programs=context.base_programs if is_same_base else (),
    )


def folded(
    context: Context, loaded: LoadedProfile, filter_: Filter, mapping: NodeMapping
) -> Context:
    """Show the profile with other functions folded into their callers.

    A folded function that was active gives way to the function from which it was called.
    """
    candidates = map(mapping, (context.function, *reversed(context.stack.path_to_active)))
    function = next((node for node in candidates if node != NO_NODE), NO_NODE)
    if function == NO_NODE and context.event is not None:
        function = loaded.queries.initial_function(context.event, context.scope, context.base)
    return replace(
        context,
        events=loaded.queries.events,
        filter=filter_,
        function=function,
        selected=mapping(context.selected),
        position=context.position if function == context.function else None,
    )


def parts_compared(context: Context, loaded: LoadedProfile) -> Context:
    """Show parts compared with others, or no longer; functions are the same as before."""
    context = _with_comparison(context, loaded.comparison)
    filter_ = _applicable(context.filter, loaded.comparison)
    return replace(context, scope=loaded.scope, filter=filter_)


def with_events_of(
    context: Context, queries: ProfileQueries, compared: Comparison | None
) -> Context:
    """Offer the events that the profile has now; those shown are found again by their names."""
    events = queries.events
    event, second = (
        None if shown is None else events.find(shown.name)
        for shown in (context.event, context.second_event)
    )
    return replace(
        context,
        events=events,
        one_sided=_one_sided_events(compared),
        event=event or queries.default_event(),
        second_event=second,
    )


def seen_from(place: Context, context: Context) -> Context:
    """Return the context seen from another place, whose profile, function and path it gets."""
    return replace(
        context,
        profile=place.profile,
        function=place.function,
        stack=place.stack,
        selected=place.selected,
        position=place.position,
    )


def base_folders(paths: Sequence[Path]) -> tuple[str, ...]:
    """Return the bases of relative file names: the profile's folder, the working directory."""
    folders = [str(path_on_disk(path).parent) for path in paths[:1]]
    with contextlib.suppress(OSError):  # the working directory was deleted
        folders.append(str(Path.cwd()))
    return tuple(folders)


# ---------------------------------------------------------------- what follows


def _first_event(
    location: SavedLocation, loaded: LoadedProfile, *, is_same_file: bool
) -> EventType | None:
    """Return the event of the location, or the default one; in a comparison, one of both sides.

    An event that is 0 throughout is shown again in the file where the user chose it.
    """
    queries = loaded.queries
    usable, event = loaded.usable_events, queries.events.find(location.event)
    if event in usable and event is not None and (is_same_file or not queries.is_zero(event)):
        return event
    return queries.default_event(usable)


def _still_matters(
    queries: ProfileQueries, node: NodeId, event: EventType | None, scope: Scope
) -> bool:
    """Return whether a function is worth showing first in another file: at least 1 % inclusive."""
    if event is None or node == NO_NODE:
        return False
    measured = queries.measured_event(event)
    total = queries.total(measured, scope.parts).base
    return bool(queries.inclusive(measured, scope)[node] * _MIN_SHARE >= total)


def _base_files(loaded: LoadedProfile) -> object:
    """Return the files of a base: programs that were chosen for it are not those of another.

    Those that were chosen before the first profile was opened are for its base.
    """
    return None if loaded.base is None else loaded.base.chosen


def _with_comparison(context: Context, compared: Comparison | None) -> Context:
    base_parts = None if compared is None else compared.base.parts
    return replace(context, base_parts=base_parts, one_sided=_one_sided_events(compared))


def _one_sided_events(compared: Comparison | None) -> frozenset[str]:
    """Return the names of the events that only one side of a comparison has."""
    if compared is None:
        return NO_NAMES
    common = compared.events
    return frozenset(each.name for each in compared.queries.events.all if each not in common)


def _applicable(filter_: Filter, compared: Comparison | None) -> Filter:
    """Return the filter without terms about changes if nothing is compared."""
    return filter_.without_changes() if compared is None else filter_


def stack_after(before: Context, after: Context, queries: ProfileQueries) -> CallStack:
    """Return the call path to the active function after a change of the context."""
    if _stack_inputs(before) == _stack_inputs(after):
        return after.stack
    if after.function == NO_NODE or after.event is None:
        return NO_STACK
    measured = queries.measured_event(after.event)
    scope = _stack_scope(after, measured, queries)
    if (before.profile, before.scope) != (after.profile, after.scope):
        return queries.costliest_stack(after.function, measured, scope)
    if before.function != after.function or not after.stack.nodes:
        return queries.extended_stack(before.stack, after.function, measured, scope)
    return after.stack


def _stack_scope(context: Context, event: EventType, queries: ProfileQueries) -> Scope:
    """Return the scope of the calls that the path follows: in a comparison that of the new side.

    The path to a function that costs nothing there, as it is gone, is that in the base.
    """
    if context.base is None or queries.inclusive(event, context.scope)[context.function]:
        return context.scope
    return context.base


def _stack_inputs(context: Context) -> object:
    """Return the fields of the context on which the path to the active function depends."""
    return context.profile, context.scope, context.function, context.event is None
