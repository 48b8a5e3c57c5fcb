"""Columns that the tables of nodes and calls share: counts, and base, new, growth and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from qcachegrind_py.models.base.column import Column
from qcachegrind_py.models.base.columns import with_estimate_mark
from qcachegrind_py.models.base.comparison_columns import ComparedRows, comparison_columns
from qcachegrind_py.models.graph.sides import UNKNOWN, ComparedCosts
from qcachegrind_py.profile.events import CostArray

RECORDED_GIVES_WAY = 3  # after location and counts
_GIVE_WAY = 6, 7, 5, 4  # base, new, growth and why, after the recorded costs
Compared = Callable[[], ComparedCosts | None]


def side_columns(compared: Compared) -> tuple[Column, ...]:
    """Return the columns Base, New, Growth and Why, with estimates marked."""

    def rows_of() -> ComparedRows | None:
        found = compared()
        return None if found is None else found.rows

    base, new, growth, why = (
        replace(column, gives_way=place)
        for column, place in zip(
            comparison_columns(rows_of, "Inclusive cost"), _GIVE_WAY, strict=True
        )
    )
    marked = [with_estimate_mark(column, _is_exact(compared)) for column in (base, new, growth)]
    return (
        _where_known(marked[0], compared, (0,)),
        _where_known(marked[1], compared, (1,)),
        _where_known(marked[2], compared, (0, 1)),
        why,
    )


def _is_exact(compared: Compared) -> Callable[[int], bool]:
    def is_exact(record: int) -> bool:
        found = compared()
        return found is None or bool(found.is_exact[record])

    return is_exact


def _where_known(column: Column, compared: Compared, sides: tuple[int, ...]) -> Column:
    """Return the column with a dash in place of numbers that one of these sides does not have."""
    plain_text = column.text

    def text(record: int) -> str:
        found = compared()
        if found is None or all(found.formats.has_cost[side] for side in sides):
            return plain_text(record)
        return UNKNOWN

    return replace(column, text=text)


def with_both_counts(column: Column, compared: Compared) -> Column:
    """Return a column of counts that shows those of both sides: 3 → 4."""
    plain_text, counts = column.text, column.numbers

    def text(record: int) -> str:
        found = compared()
        return plain_text(record) if found is None else found.count_text(record) or UNKNOWN

    def order() -> CostArray:
        found = compared()
        return counts() if found is None else np.abs(found.rows.count.change)

    return replace(column, text=text, sort_key=order, values=counts)
