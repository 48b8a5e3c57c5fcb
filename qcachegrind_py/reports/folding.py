"""What a report says of functions that are folded into their callers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.folded_queries import FoldedQueries
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.numbers import NumberStyle, format_count, plural
from qcachegrind_py.profile.tables import BoolArray, to_display
from qcachegrind_py.reports.facts import TEXT_STYLE
from qcachegrind_py.reports.table_export import cell_text

ESTIMATE_SIGN = "≈"


def folding_facts(
    queries: ProfileQueries, scopes: Sequence[Scope], style: NumberStyle = TEXT_STYLE
) -> Iterator[tuple[str, str]]:
    """Yield key and value of what is folded; nothing if nothing is.

    All values are printable, on one line. Estimates are those in any of the scopes.
    """
    if not isinstance(queries, FoldedQueries):
        return
    for fold in queries.folds:
        yield "Folded", cell_text(fold.text)
    folding = queries.folding
    folded, left = int(folding.is_folded.sum()), int(folding.remains.sum())
    verb = "is" if folded == 1 else "are"
    charged = f"{_functions(folded, style)} {verb} charged to the callers"
    if left:
        verb = "remains" if left == 1 else "remain"
        charged += f"; {format_count(left, style)} {verb}, since it is not known whom to charge"
    yield "Folded", charged
    yield "Folded", estimates_text(queries, scopes, style)


def estimates_text(
    queries: FoldedQueries, scopes: Sequence[Scope], style: NumberStyle = TEXT_STYLE
) -> str:
    """Return how many functions have estimates in their self costs, or that none has."""
    count = int(estimated_functions(queries, scopes).sum())
    if not count:
        return "the charged costs are exact"
    return f"self costs of {_functions(count, style)} are partly estimates ({ESTIMATE_SIGN})"


def estimated_functions(queries: FoldedQueries, scopes: Sequence[Scope]) -> BoolArray:
    """Return whether self costs are partly estimates in a scope, shape (functions,)."""
    estimated = np.zeros(queries.function_count, bool)
    for scope in scopes:
        estimated |= queries.folding.is_estimated(scope.parts)
    return estimated


def estimated_self_costs(queries: ProfileQueries, scope: Scope) -> BoolArray:
    """Return whether self costs are partly estimates, shape (functions,): none without folds."""
    if isinstance(queries, FoldedQueries):
        return queries.folding.is_estimated(scope.parts)
    return np.zeros(queries.function_count, bool)


def folding_note(queries: ProfileQueries, scope: Scope, *, of_lines: bool = False) -> str:
    """Return for forms without facts that there are estimates; empty if there are none.

    Lines of a function may have estimates where the function has none.
    """
    if queries.folding is None:
        return ""
    folding = queries.folding
    estimated = folding.is_estimated(scope.parts, of_lines=of_lines)
    if not (count := int(estimated.sum())):
        return ""
    costs = "Costs of lines of" if of_lines else "Self costs of"
    of_these = _functions(count, TEXT_STYLE)
    return f"{costs} {of_these} are partly estimates, since it is not recorded whom to charge."


def folds_member(queries: ProfileQueries) -> dict[str, Any]:
    """Return the member `"folds"` of JSON reports; none if nothing is folded."""
    if not isinstance(queries, FoldedQueries):
        return {}
    return {"folds": [to_display(fold.text) for fold in queries.folds]}


def _functions(count: int, style: NumberStyle) -> str:
    return f"{format_count(count, style)} {plural(count, 'function')}"
