"""Take a number of a profile apart: into terms, and into the rows that it is the sum of."""

from __future__ import annotations

import numpy as np

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.explanation.code import at_place, calls_between
from qcachegrind_py.analysis.explanation.functions import (
    Composition,
    Group,
    called_count,
    inclusive_cost,
    self_cost,
)
from qcachegrind_py.analysis.explanation.numbers import (
    Explanation,
    NumberKey,
    NumberKind,
    ProfileSum,
    Term,
    TermKind,
)
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.events import EventType, as_number
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import Int64Array


def explain(queries: ProfileQueries, key: NumberKey, event: EventType, scope: Scope) -> Explanation:
    """Explain a number in an event and a scope; for counts, the event does not matter.

    It looks at all calls of the profile, some milliseconds for 100,000.
    """
    composition = _composition(queries, key, scope)
    rows, is_count = composition.rows, key.kind.is_count
    values = row_sums(queries.profile, rows, is_count=is_count)
    measured = () if is_count else queries.events.constituents(event)
    names = [each.name for each in queries.events.measured]
    chosen = values if is_count else values[[names.index(each.name) for each in measured]]
    is_itself = [group_key for _, group_key, _ in composition.groups] == [key]
    groups = () if is_itself else composition.groups
    return Explanation(
        key,
        event,
        _value(queries, values, event, is_count=is_count),
        _largest_first(tuple(_term(queries, each, event, is_count=is_count) for each in groups)),
        composition.left_out,
        rows,
        measured,
        tuple(chosen.tolist()),
    )


def _composition(queries: ProfileQueries, key: NumberKey, scope: Scope) -> Composition:
    """Return what a number consists of: its terms, or itself alone if it has none."""
    match key.kind:
        case NumberKind.SELF:
            return self_cost(queries, key.node, scope)
        case NumberKind.INCLUSIVE:
            return inclusive_cost(queries, key.node, scope)
        case NumberKind.CALLED:
            return called_count(queries, key.node, scope)
        case NumberKind.CALL_COST | NumberKind.CALL_COUNT:
            rows = calls_between(queries, key, scope)
            return Composition(((TermKind.SELF, key, rows),))
    rows, left_out = at_place(queries, key, scope)
    return Composition(((TermKind.SELF, key, rows),), left_out)


def _term(queries: ProfileQueries, group: Group, event: EventType, *, is_count: bool) -> Term:
    kind, key, rows = group
    values = row_sums(queries.profile, rows, is_count=is_count)
    calls = int(queries.profile.calls.count[rows.calls].sum())
    return Term(kind, key, _value(queries, values, event, is_count=is_count), calls)


def _largest_first(terms: tuple[Term, ...]) -> tuple[Term, ...]:
    """Return the self cost, then the other terms by size."""
    return tuple(sorted(terms, key=lambda term: (term.kind is not TermKind.SELF, -term.value)))


def _value(
    queries: ProfileQueries, values: Int64Array, event: EventType, *, is_count: bool
) -> int | float:
    if is_count:
        return int(values[0])
    return as_number(queries.events.evaluate(event, values[:, np.newaxis])[0])


def row_sums(profile: Profile, rows: ProfileSum, *, is_count: bool) -> Int64Array:
    """Return the sums of rows in all measured events, shape (events,); of counts, one number."""
    calls = profile.calls
    if is_count:
        return np.array([calls.count[rows.calls].sum()], np.int64)
    costs: Int64Array = profile.costs.values[:, rows.costs].sum(axis=1)
    of_calls: Int64Array = calls.values[:, rows.calls].sum(axis=1)
    return costs + of_calls
