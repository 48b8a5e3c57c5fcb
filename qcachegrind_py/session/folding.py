"""Folds of the open profile: its functions are charged to their callers, by a job."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from qcachegrind_py.analysis.filters.expression import Filter
from qcachegrind_py.analysis.folded_queries import with_folds
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.present.context import Context
from qcachegrind_py.profile.ids import NO_NODE, NodeId, NodeMapping
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.session.loading import InitialQuery, LoadedProfile, prepare_first_view
from qcachegrind_py.session.profile_mapping import node_mapping

if TYPE_CHECKING:
    from qcachegrind_py.analysis.filters.conditions import Fold

_SCOPES = 3  # of which results are kept
_COMPARED_SCOPES = 6


def folded(loaded: LoadedProfile, folds: tuple[Fold, ...]) -> LoadedProfile:
    """Return the profile with these folds in place of those that it has."""
    compared = loaded.comparison
    scopes = _SCOPES if compared is None else _COMPARED_SCOPES
    queries = with_folds(loaded.queries, folds, scopes=scopes)
    if compared is not None:
        compared = replace(compared, queries=queries)
    return replace(loaded, queries=queries, comparison=compared, folds=folds)


def fold_again(
    progress: Progress, loaded: LoadedProfile, context: Context, filter_: Filter
) -> LoadedProfile:
    """Fold a profile as the filter says, and compute the answers that views ask for first."""
    loaded = folded(loaded, filter_.folds)
    progress.check(0.5)
    event = "" if context.event is None else context.event.name
    loaded = replace(loaded, scope=context.scope)
    prepare_first_view(loaded, InitialQuery(event, context.scope, filter_, loaded.hidden))
    return loaded


def context_after_folding(
    context: Context, before: ProfileQueries, after: ProfileQueries
) -> tuple[NodeMapping, dict[str, Any]]:
    """Return how nodes are mapped, and the fields of the context that follow from other folds.

    A folded function that was active gives way to the function from which it was called.
    """
    mapping = node_mapping(before, context.scope, after, context.scope)
    function = mapping(context.function)
    if function == NO_NODE:
        function = _shown_caller(context, mapping)
    if function == NO_NODE and context.event is not None:
        function = after.initial_function(context.event, context.scope)
    return mapping, {
        "events": after.events,
        "function": function,
        "selected": mapping(context.selected),
        "position": context.position if function == context.function else None,
    }


def _shown_caller(context: Context, mapping: NodeMapping) -> NodeId:
    """Return the nearest function above the active one on its path that is not folded."""
    callers = map(mapping, reversed(context.stack.path_to_active))
    return next((node for node in callers if node != NO_NODE), NO_NODE)
