"""What is said of folded functions: what callers are charged with, and calls through them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from qcachegrind_py.analysis.names.syntax import fitted_name
from qcachegrind_py.analysis.queries import FoldedQueries
from qcachegrind_py.present.table import no_tip
from qcachegrind_py.present.unit import ESTIMATE
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import EventType, as_number
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.profile.numbers import plural
from qcachegrind_py.profile.tables import BoolArray, Int64Array

_NAME_IN_MARKS = 14  # characters of a folded function: the name of the row needs the room
_LINES_IN_NOTES = 8
_LEAST_CHARGE = 1000  # a charge of less than this part of the total has no mark


def no_mark(_node: NodeId) -> str:
    return ""


def comparison_mark(query: ViewQuery) -> Callable[[NodeId], str]:
    """Return a function for the words behind names that say how a function changed."""
    return query.mark if query.is_comparing else no_mark


def has_charges(query: ViewQuery) -> BoolArray | None:
    """Return which self costs have enough of folded functions to be marked, shape (nodes,)."""
    queries, event = query.queries, query.context.event
    if not isinstance(queries, FoldedQueries) or event is None or event.is_ratio:
        return None
    charged, total = queries.charged(event, query.context.scope), query.total(event).base
    has_mark: BoolArray = (charged != 0) & (charged * _LEAST_CHARGE >= total)
    return has_mark


def charge_text(query: ViewQuery, event: EventType, node: NodeId) -> str:
    """Return the part of a self cost that is of folded functions; empty if there is none."""
    queries, scope = query.queries, query.context.scope
    if not isinstance(queries, FoldedQueries) or event.is_ratio:
        return ""
    charged = as_number(queries.charged(event, scope)[node])
    if not charged:
        return ""
    mark = ESTIMATE if queries.has_estimates(scope)[node] else ""
    return f"self cost includes {mark}{query.unit(event).with_unit(charged)} folded"


def line_note(query: ViewQuery) -> str:
    """Return which lines of the active function have estimated costs; empty if none has."""
    queries, function = query.queries, query.context.function
    if not isinstance(queries, FoldedQueries):
        return ""
    lines = queries.folding.estimated_lines(function, query.context.scope.parts)
    shown = [str(line) for line in lines.tolist()]
    if not shown:
        return ""
    numbers = ", ".join(shown[:_LINES_IN_NOTES]) + (", …" if len(shown) > _LINES_IN_NOTES else "")
    noun = plural(len(shown), "line")
    return f"{ESTIMATE}costs of folded functions are estimates in {noun} {numbers}"


def self_estimates(query: ViewQuery) -> BoolArray | None:
    """Return whether self costs are partly estimates, shape (nodes,); None if none is."""
    if not isinstance(query.queries, FoldedQueries):
        return None
    return query.queries.has_estimates(query.context.scope)


def call_marks(
    query: ViewQuery, nodes: Int64Array, *, are_callees: bool
) -> tuple[Callable[[NodeId], str], Callable[[int], tuple[str, ...]], BoolArray | None]:
    """Return what is said of the active function's calls, and which of them are estimates.

    `nodes` are its callees, or its callers. The first function is for the words behind their names:
    how a function changed, and the folded one through which it is called, which the second one says
    in a sentence, by row. The mask has the shape (nodes,).
    """
    queries = query.queries
    if not isinstance(queries, FoldedQueries):
        return comparison_mark(query), no_tip, None
    active = np.full(len(nodes), query.context.function)
    ends = (active, nodes) if are_callees else (nodes, active)
    pairs, labels = queries.callbacks, query.labels()
    rows = pairs.rows(*ends)
    chosen = np.flatnonzero(rows >= 0)
    folded = {int(nodes[call]): pairs.folded(int(rows[call])) for call in chosen}

    def mark(node: NodeId) -> str:
        words = [query.mark(node)]
        if node in folded:
            words.append(f"via {_short(labels.name(folded[node]))}")
        return ", ".join(filter(None, words))

    def tip(row: int) -> tuple[str, ...]:
        through = folded.get(int(nodes[row]))
        return (
            () if through is None else (f"Called through {labels.name(through)}, which is folded",)
        )

    is_estimated = np.zeros(len(rows), bool)
    is_estimated[chosen] = ~pairs.is_exact[rows[chosen]]
    return mark, tip, is_estimated


def _short(name: str) -> str:
    """Return a name in so few characters that the name of the row has room beside it."""
    return fitted_name(name.partition("@")[0], lambda text: len(text) <= _NAME_IN_MARKS).text
