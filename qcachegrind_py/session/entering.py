"""What follows from a change of the context, and the first context of a loaded profile."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qcachegrind_py.analysis.calls.call_graph import (
    CallGraph,
    CallStack,
    costliest_stack,
    extended_stack,
)
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.names.groups import Grouping
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.present.context import NO_NAMES, Context
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.files import path_on_disk
from qcachegrind_py.profile.ids import NO_FUNCTION, NO_NODE, NodeMapping
from qcachegrind_py.session.loading import LoadedProfile, usable_events
from qcachegrind_py.session.profile_mapping import (
    SavedLocation,
    find_function,
    map_position,
    node_mapping,
    still_matters,
)
from qcachegrind_py.tools.sources.file_search import FileSearch, PathRule, SearchFolder

if TYPE_CHECKING:
    from qcachegrind_py.analysis.comparison.comparison import Comparison


def context_at(
    location: SavedLocation,
    loaded: LoadedProfile,
    scope: Scope,
    before: LoadedProfile | None,
    *,
    is_same_file: bool,
) -> dict[str, Any]:
    """Return the context's fields for a location, by default at the initial function.

    `before` is the profile that was open until now.
    """
    queries, compared = loaded.queries, loaded.comparison
    event = _first_event(location, loaded, is_same_file=is_same_file)
    function = find_function(queries, location.function)
    is_kept = is_same_file or still_matters(queries, function, event, scope)
    if event is not None and (function == NO_FUNCTION or not is_kept):
        function = queries.initial_function(event, scope)
    return {
        "events": queries.events,
        "one_sided": one_sided_events(compared),
        "event": event,
        "second_event": queries.events.find(location.second_event),
        "function": function,
        "selected": NO_NODE,
        "position": None,
        "stack": CallStack(),
        "scope": scope,
        "base_parts": None if compared is None else compared.base.parts,
        "hidden_parts": loaded.hidden,
        "grouping": Grouping.NONE,
        "group_colors": location.group_colors,
        **_base_fields(before, loaded),
    }


def initial_location(
    location: SavedLocation, context: Context, queries: ProfileQueries | None
) -> SavedLocation:
    """Return the location in a program opened for the first time, from that in the one before.

    The current function is kept only if the user navigated to it.
    """
    location = replace(location, group_colors=())
    if queries is None or context.event is None:
        return location
    has_navigated = context.function != queries.initial_function(context.event, context.scope)
    return location if has_navigated else replace(location, function=None)


def file_search(
    rules: Sequence[PathRule], folders: Sequence[SearchFolder], paths: Sequence[Path]
) -> FileSearch:
    """Return where files of a profile are searched; incomplete rules and folders are ignored."""
    complete_rules = tuple(rule for rule in rules if rule.original and rule.replacement)
    named_folders = tuple(folder for folder in folders if folder.path)
    return FileSearch(complete_rules, named_folders, base_folders(paths))


def base_folders(paths: Sequence[Path]) -> tuple[str, ...]:
    """Return the bases of relative file names: the profile's folder, the working directory."""
    folders = [str(path_on_disk(path).parent) for path in paths[:1]]
    with contextlib.suppress(OSError):  # the working directory was deleted
        folders.append(str(Path.cwd()))
    return tuple(folders)


def event_fields(
    context: Context, queries: ProfileQueries, compared: Comparison | None
) -> dict[str, Any]:
    """Return the context's fields about events when there are others; those shown are kept."""
    events = queries.events
    event, second = (
        None if shown is None else events.find(shown.name)
        for shown in (context.event, context.second_event)
    )
    return {
        "events": events,
        "one_sided": one_sided_events(compared),
        "event": event or queries.default_event(),
        "second_event": second,
    }


def _first_event(
    location: SavedLocation, loaded: LoadedProfile, *, is_same_file: bool
) -> EventType | None:
    """Return the event of the location, or the default one; in a comparison, one of both sides.

    An event that is 0 throughout is shown again in the file where the user chose it.
    """
    queries = loaded.queries
    usable, event = usable_events(loaded), queries.events.find(location.event)
    if event in usable and event is not None and (is_same_file or not queries.is_zero(event)):
        return event
    return queries.default_event(usable)


def one_sided_events(compared: Comparison | None) -> frozenset[str]:
    """Return the names of the events that only one side of a comparison has."""
    if compared is None:
        return NO_NAMES
    common = compared.events
    return frozenset(each.name for each in compared.queries.events.all if each not in common)


def _base_fields(before: LoadedProfile | None, loaded: LoadedProfile) -> dict[str, Any]:
    """Return the context's fields about the files of a base, which another base does not have.

    Those that were chosen before the first profile was opened are for its base.
    """
    if before is None:
        return {}
    same = [side.base.chosen if side.base is not None else None for side in (before, loaded)]
    return {} if same[0] == same[1] else {"base_programs": ()}


def keep_context(
    context: Context,
    before: ProfileQueries,
    after: ProfileQueries,
    fields: dict[str, Any],
    *,
    is_same_file: bool,
) -> NodeMapping:
    """Add to the fields what another run of the program has of the present context.

    Returns how functions and cycles of before are mapped.
    """
    mapping = node_mapping(before, context.scope, after, fields["scope"])
    fields["selected"] = mapping(context.selected)
    function = mapping(context.function)
    is_kept = is_same_file or still_matters(after, function, fields["event"], fields["scope"])
    if function != NO_NODE and is_kept:
        position = map_position(context.position, before.profile, after.profile)
        fields |= {"function": function, "position": position}
    return mapping


def stack_after(before: Context, after: Context, queries: ProfileQueries) -> CallStack:
    """Return the call path to the active function after a change of the context."""
    if _stack_inputs(before) == _stack_inputs(after):
        return after.stack
    if after.function == NO_NODE or after.event is None:
        return CallStack()
    graph = _stack_graph(after, after.event, queries)
    if (before.profile, before.scope) != (after.profile, after.scope):
        return costliest_stack(after.function, graph)
    if before.function != after.function or not after.stack.nodes:
        cycle = queries.cycle_of(after.function, after.scope)
        return extended_stack(before.stack, after.function, graph, cycle)
    return after.stack


def _stack_graph(context: Context, event: EventType, queries: ProfileQueries) -> CallGraph:
    """Return the calls that the path follows: in a comparison those of the new side.

    The path to a function that costs nothing there, as it is gone, is that in the base.
    """
    measured = queries.measured_event(event)
    graph = queries.call_graph(measured, context.scope)
    if context.base is None or graph.inclusive[context.function]:
        return graph
    return queries.call_graph(measured, context.base)


def _stack_inputs(context: Context) -> object:
    """Return the fields of the context on which the path to the active function depends."""
    return context.profile, context.scope, context.function, context.event is None
