"""The self costs of several functions: of a group, or of all."""

from __future__ import annotations

import numpy as np

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.explanation.keys import NumberKey, NumberKind
from qcachegrind_py.analysis.explanation.numbers import NO_ROWS, ProfileSum, Term, TermKind
from qcachegrind_py.analysis.explanation.rows import cost_rows
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.events import EventType, as_number
from qcachegrind_py.profile.ids import node_ids
from qcachegrind_py.profile.tables import BoolArray

MOST_TERMS = 200


def functions_of(queries: ProfileQueries, key: NumberKey, scope: Scope) -> BoolArray:
    """Return the functions of a group, or all for a total, shape (functions,)."""
    if key.kind is NumberKind.TOTAL:
        return np.ones(queries.function_count, bool)
    groups, group = queries.groups(key.group.grouping, scope), key.group
    row = groups.names.index(group.name) if group.name in groups.names else -1
    members: BoolArray = groups.group_of_node[: queries.function_count] == row
    return members


def rows_of(queries: ProfileQueries, members: BoolArray, scope: Scope) -> ProfileSum:
    """Return the rows of the self costs of these functions."""
    return ProfileSum(cost_rows(queries, members, scope), NO_ROWS)


def function_terms(
    queries: ProfileQueries, members: BoolArray, event: EventType, scope: Scope
) -> tuple[tuple[Term, ...], tuple[int, int]]:
    """Return the costliest of these functions, and number and cost of all others with cost.

    A ratio has no terms, as it is no sum.
    """
    if event.is_ratio:
        return (), (0, 0)
    costs = queries.self_cost(event, scope)[: queries.function_count]
    with_cost = np.flatnonzero(members & (costs != 0).astype(bool))
    ranked = with_cost[np.argsort(-costs[with_cost], kind="stable")]
    terms = tuple(
        Term(TermKind.FUNCTION, NumberKey(NumberKind.SELF, node), as_number(costs[node]))
        for node in node_ids(ranked[:MOST_TERMS])
    )
    rest = ranked[MOST_TERMS:]
    return terms, (len(rest), int(costs[rest].sum()))
