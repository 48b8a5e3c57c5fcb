"""Saved views of the open profile: what is shown, by names, and showing it again.

What a profile does not have is left out, and said in sentences; all else is shown. The filter, the
docks and the settings belong to the window, which applies them (`app/saved_views`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from qcachegrind_py.analysis.names.function_names import base_name
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.formats.saved_views import SavedFunction, SavedParts, SavedView
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.context import NO_PARTS, Context, PartChoice
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import NO_FUNCTION, NO_NODE, FunctionId, NodeId, PartId
from qcachegrind_py.session.context import (
    at_function,
    find_function,
    function_identity,
    is_charged_to_callers,
)
from qcachegrind_py.session.navigation import ViewSwitch
from qcachegrind_py.session.session import Session

_NO_FUNCTION = "The function “{}” is not in this profile."
_FOLDED = "The function “{}” is folded into its callers."
_OTHER_OBJECT = "“{}” was saved in {}, and is in {} here."
_NO_EVENT = "The event {} is not in this profile."
_ONE_SIDED = "The event {} is not in both profiles."
_OTHER_PARTS = "The view was saved with {} of {} parts, and this profile has {}."


def present_view(session: Session, name: str) -> SavedView:
    """Return what a session with an open profile shows, without filter and docks."""
    context, queries = session.navigation.context, session.queries
    function = None
    if queries is not None:
        identity = function_identity(queries, context.function, context.scope)
        if identity is not None:
            function = SavedFunction(*identity, not queries.is_function(context.function))
    return SavedView(
        name,
        function=function,
        event=context.event.name if context.event else "",
        second_event=context.second_event.name if context.second_event else "",
        grouping=session.requested_grouping,
        unit=context.unit.value,
        cycles=session.requested_scope.cycles,
        parts=_present_parts(session),
    )


def _present_parts(session: Session) -> SavedParts | None:
    """Return the active parts; None for all, and in comparisons, which have other parts."""
    parts, loaded = session.requested_scope.parts, session.loaded
    if parts is None or loaded is None or session.navigation.context.base_parts is not None:
        return None
    return SavedParts(tuple(sorted(parts)), len(loaded.profile.parts))


@frozen(eq=True)
class FoundView:
    """What the open profile has of a saved view."""

    function: FunctionId  # `NO_FUNCTION` if it has none
    event: EventType | None  # None: the present one stays
    second_event: EventType | None
    parts: PartChoice
    missing: tuple[str, ...]  # a sentence for each thing that it does not have, or elsewhere


def find_view(view: SavedView, session: Session) -> FoundView | None:
    """Look for what a view names in the open profile; None if no profile is open."""
    queries, loaded = session.queries, session.loaded
    if queries is None or loaded is None:
        return None
    context, missing = session.navigation.context, list[str]()
    function = NO_FUNCTION
    if view.function is not None:
        function = find_saved_function(queries, view.function)
        missing += _function_problems(queries, view.function, function)
    events = {name: queries.events.find(name) for name in (view.event, view.second_event) if name}
    for name, event in events.items():
        if event is None:
            missing.append(_NO_EVENT.format(name))
        elif name in context.one_sided:
            events[name] = None
            missing.append(_ONE_SIDED.format(name))
    parts, problems = _found_parts(view.parts, context, len(loaded.profile.parts))
    return FoundView(
        function,
        events.get(view.event),
        events.get(view.second_event),
        parts,
        (*missing, *problems),
    )


def find_saved_function(queries: ProfileQueries, saved: SavedFunction) -> FunctionId:
    """Return the function with this name, file and object, or else the most similar one.

    It has the same name and, if possible, an object of the same name in another folder. Without a
    function of this name that is not folded: `NO_FUNCTION`.
    """
    exact = find_function(queries, (saved.name, saved.file, saved.object))
    if exact != NO_FUNCTION:
        return exact

    def likeness(function: FunctionId) -> tuple[bool, bool]:
        _, file, object_ = queries.names.identity(function)
        return _same_name(object_, saved.object), _same_name(file, saved.file)

    named = queries.names.with_name(saved.name)
    shown = [function for function in named if not is_charged_to_callers(queries, function)]
    return max(shown, key=likeness, default=NO_FUNCTION)


def _same_name(path: str, other: str) -> bool:
    return base_name(path) == base_name(other)


def _function_problems(
    queries: ProfileQueries, saved: SavedFunction, found: FunctionId
) -> Sequence[str]:
    if found == NO_FUNCTION:
        is_folded = bool(queries.names.with_name(saved.name))
        return [(_FOLDED if is_folded else _NO_FUNCTION).format(saved.name)]
    object_ = queries.names.identity(found)[2]
    if not saved.object or _same_name(object_, saved.object):
        return ()
    names = base_name(saved.object), base_name(object_)
    return [_OTHER_OBJECT.format(queries.names.name(found), *names)]


def _found_parts(
    saved: SavedParts | None, context: Context, count: int
) -> tuple[PartChoice, Sequence[str]]:
    """Return the parts to show; the present ones where the profile has another number of parts."""
    present = PartChoice(context.scope.parts, context.hidden_parts)
    if context.base_parts is not None:
        return present, ()
    if saved is None:
        return PartChoice(), ()
    if saved.count != count:
        return present, [_OTHER_PARTS.format(len(saved.active), saved.count, count)]
    active = frozenset(map(PartId, saved.active))
    hidden = context.hidden_parts - active
    return PartChoice(hidden=hidden).choosing(active or NO_PARTS, count), ()


def enter_view(
    session: Session,
    view: SavedView,
    switch: ViewSwitch | None = None,
    then: Callable[[FoundView], object] = lambda _found: None,
) -> None:
    """Show a view; with a `switch`, its function is a new step of the history.

    The filter has been requested already: what it folds is waited for, since a folded profile has
    other functions. Costs of other parts or cycles are computed. `then` gets what was found.
    """
    _when_folded(session, lambda: _enter_found(session, view, switch, then))


def _when_folded(session: Session, then: Callable[[], None]) -> None:
    """Act when the folds of the requested filter are there; never if others are requested first."""
    requested, read = session.requested_filter, session.loaded and session.loaded.read

    def is_folded() -> bool:
        return session.loaded is None or session.loaded.folds == requested.folds

    def follow(*_change: object) -> None:
        is_same_profile = session.loaded is not None and session.loaded.read is read
        is_wanted = is_same_profile and session.requested_filter == requested
        if is_folded() or not is_wanted:
            session.navigation.changed.disconnect(follow)
            if is_wanted:
                then()

    if is_folded():
        then()
    else:
        session.navigation.changed.connect(follow)


def _enter_found(
    session: Session,
    view: SavedView,
    switch: ViewSwitch | None,
    then: Callable[[FoundView], object],
) -> None:
    """Change the context to what was found, when the costs in its scope are known."""
    found = find_view(view, session)
    if found is None:
        return
    scope = replace(session.requested_scope, parts=found.parts.active)

    def shown(context: Context) -> Context:
        return replace(
            context,
            event=found.event or context.event,
            second_event=found.second_event,
            hidden_parts=found.parts.hidden,
            scope=scope,
        )

    def enter() -> None:
        session.navigation.change(shown)
        _enter_function(session, view, found, switch)
        session.set_grouping(view.grouping)
        then(found)

    session.set_scope(scope, enter)


def _enter_function(
    session: Session, view: SavedView, found: FoundView, switch: ViewSwitch | None
) -> None:
    """Make the function active, or the cycle that it is in now."""
    node, queries, navigation = NodeId(found.function), session.queries, session.navigation
    if found.function == NO_FUNCTION or queries is None:
        node = NO_NODE
    elif view.function is not None and view.function.is_cycle:
        cycle = queries.cycle_of(node, navigation.context.scope)
        node = node if cycle == NO_NODE else cycle
    if switch is not None:
        navigation.enter_view(node, switch)
    elif node not in (NO_NODE, navigation.context.function):
        navigation.change(lambda context: at_function(context, node))
