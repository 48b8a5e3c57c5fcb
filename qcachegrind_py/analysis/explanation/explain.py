"""Take a number of a profile apart: into terms, and into the rows that it is the sum of."""

from __future__ import annotations

from dataclasses import replace

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
from qcachegrind_py.analysis.explanation.groups import (
    MOST_TERMS,
    function_terms,
    functions_of,
    rows_of,
)
from qcachegrind_py.analysis.explanation.keys import AnyKey, EstimateKey, NumberKey, NumberKind
from qcachegrind_py.analysis.explanation.numbers import (
    NO_ROWS,
    Explanation,
    ProfileSum,
    Term,
    TermKind,
)
from qcachegrind_py.analysis.explanation.percentages import (
    PercentageBase,
    PercentageRule,
    rule_for,
    total_base,
)
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.events import EventType, as_number
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import Int64Array


def explain(
    queries: ProfileQueries,
    key: AnyKey,
    event: EventType,
    scope: Scope,
    percentages: PercentageRule | None = None,
) -> Explanation:
    """Explain a number in an event and a scope; for counts, the event does not matter.

    It looks at all calls of the profile, some milliseconds for 100,000. Percentages are of the
    total of the scope unless a rule for them is given.
    """
    if isinstance(key, EstimateKey):
        explained = _explain_estimate(queries, key, event, scope)
    else:
        explained = _explain_sum(queries, key, event, scope)
    return replace(explained, bases=_bases(queries, explained, scope, percentages))


def _explain_sum(
    queries: ProfileQueries, key: NumberKey, event: EventType, scope: Scope
) -> Explanation:
    more: tuple[int, int | float]
    if key.kind in (NumberKind.GROUP_SELF, NumberKind.TOTAL):
        members = functions_of(queries, key, scope)
        composition = Composition(((TermKind.SELF, key, rows_of(queries, members, scope)),))
        terms, more = function_terms(queries, members, event, scope)
    else:
        composition = _composition(queries, key, scope)
        terms = _terms(queries, composition, key, event)
        rest = terms[MOST_TERMS:]
        terms, more = terms[:MOST_TERMS], (len(rest), _sum(rest))
    value, measured, sums = _evaluated(queries, composition.rows, event, is_count=key.is_count)
    return Explanation(
        key, event, value, terms, composition.left_out, composition.rows, measured, sums, more
    )


def _explain_estimate(
    queries: ProfileQueries, key: EstimateKey, event: EventType, scope: Scope
) -> Explanation:
    """Explain a number that is shared out; an exact one has the rows of the number it equals."""
    from qcachegrind_py.analysis.explanation.estimates import estimate

    event = queries.measured_event(event)  # ratios cannot be shared out
    value, sharing, exact_key = estimate(queries, key, event, scope)
    nothing = ProfileSum(NO_ROWS, NO_ROWS)
    found = Explanation(key, event, value, (), (), nothing, (), (), sharing=sharing)
    if exact_key is None:
        return found
    proof = explain(queries, exact_key, event, scope)
    if proof.value != value or isinstance(exact_key, EstimateKey):
        return found
    return replace(proof, key=key, sharing=sharing, terms=(), left_out=(), more=(0, 0))


def _evaluated(
    queries: ProfileQueries, rows: ProfileSum, event: EventType, *, is_count: bool
) -> tuple[int | float, tuple[EventType, ...], tuple[int, ...]]:
    """Return the number, the measured events it is computed of, and the sums in these."""
    values = row_sums(queries.profile, rows, is_count=is_count)
    measured = () if is_count else queries.events.constituents(event)
    names = [each.name for each in queries.events.measured]
    chosen = values if is_count else values[[names.index(each.name) for each in measured]]
    return _value(queries, values, event, is_count=is_count), measured, tuple(chosen.tolist())


def _bases(
    queries: ProfileQueries, explained: Explanation, scope: Scope, rule: PercentageRule | None
) -> tuple[PercentageBase, ...]:
    """Return what the number is a percentage of, as the view shows it, and of the total."""
    event = explained.event
    if explained.key.is_count or event.is_ratio:
        return ()
    rule = rule or rule_for(scope)
    total = total_base(queries, event, rule.parts, of_recorded=rule.of_recorded)
    total = replace(total, is_of_base=rule.is_of_base)
    if rule.parent is None:
        return (total,)
    whole = explain(queries, rule.parent, event, scope).value
    return (PercentageBase(rule.reason, whole, rule.parent), total)


def _composition(queries: ProfileQueries, key: NumberKey, scope: Scope) -> Composition:
    """Return what a number consists of: its terms, or itself alone if it has none."""
    match key.kind:
        case NumberKind.SELF:
            return self_cost(queries, key.node, scope)
        case NumberKind.INCLUSIVE:
            return inclusive_cost(queries, key.node, scope)
        case NumberKind.CALLED:
            return called_count(queries, key.node, scope)
        case NumberKind.CALL_COST | NumberKind.INNER_CALL_COST | NumberKind.CALL_COUNT:
            rows, left_out = calls_between(queries, key, scope)
        case _:
            rows, left_out = at_place(queries, key, scope)
    return Composition(((TermKind.SELF, key, rows),), left_out)


def _terms(
    queries: ProfileQueries, composition: Composition, key: NumberKey, event: EventType
) -> tuple[Term, ...]:
    if [group_key for _, group_key, _ in composition.groups] == [key]:
        return ()
    terms = tuple(_term(queries, each, event, is_count=key.is_count) for each in composition.groups)
    return _largest_first(terms)


def _term(queries: ProfileQueries, group: Group, event: EventType, *, is_count: bool) -> Term:
    kind, key, rows = group
    values = row_sums(queries.profile, rows, is_count=is_count)
    calls = int(queries.profile.calls.count[rows.calls].sum())
    return Term(kind, key, _value(queries, values, event, is_count=is_count), calls)


def _sum(terms: tuple[Term, ...]) -> int | float:
    total: int | float = 0
    for term in terms:
        total += term.value
    return total


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
    return _sums(profile.costs.values, rows.costs) + _sums(calls.values, rows.calls)


def _sums(values: Int64Array, rows: Int64Array) -> Int64Array:
    """Return the sums of rows in all events; those of a whole file, which may be many, at once."""
    if len(rows) == values.shape[1]:
        rows_of_all: Int64Array = values.sum(axis=1)
        return rows_of_all
    chosen: Int64Array = values[:, rows].sum(axis=1)
    return chosen
