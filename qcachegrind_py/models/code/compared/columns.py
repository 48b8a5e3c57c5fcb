"""The columns that code tables have while profiles are compared: the costs of both sides."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from qcachegrind_py.models.base.column import Column, InComparison
from qcachegrind_py.models.code.code_costs import CodeCosts
from qcachegrind_py.present.former.cost_format import CostFormat
from qcachegrind_py.profile.events import CostArray, as_number
from qcachegrind_py.profile.numbers import format_count
from qcachegrind_py.profile.tables import BoolArray, Int64Array

ARROW = "\N{THIN SPACE}→\N{THIN SPACE}"
LACKING = "–"  # a side did not record the event
BASE, NEW = 0, 1

Select = Callable[[CodeCosts], CostArray]


def side_column(
    key: str,
    title: str,
    tip: str,
    side: int,
    select: Select,
    costs: Callable[[], CodeCosts],
    format_: Callable[[], CostFormat],
    parents: Callable[[], Int64Array],
    has_cost: Callable[[int], bool],
    is_inner: Callable[[int], bool] = lambda _record: False,
    *,
    in_comparison: InComparison = InComparison.SHOWN,
) -> Column:
    """Return the column of the costs of one side, `BASE` or `NEW`.

    `parents` returns the record of each record's location, by which rows are sorted; `has_cost`
    tells whether a record can have costs, and `is_inner` whether it is a call within a cycle.
    """

    def values() -> CostArray:
        sides = costs().sides
        return np.zeros(len(parents()), np.int64) if sides is None else select(sides[side])

    def lacks_event() -> bool:
        rule = costs().rule
        return rule is not None and (rule.base_lacks_event, rule.new_lacks_event)[side]

    def text(record: int) -> str:
        if costs().sides is None or is_inner(record):
            return ""
        if lacks_event():
            return LACKING if has_cost(record) else ""
        value = as_number(values()[record])
        return format_().cell(value) if value else ""

    def export(record: int) -> str:
        value = as_number(values()[record])
        return "" if not value or lacks_event() or is_inner(record) else str(value)

    def exact(record: int) -> str:
        return "" if costs().sides is None else format_().tip(as_number(values()[record]))

    return Column(
        key,
        title,
        tip,
        text,
        lambda: values()[parents()],
        heading=lambda: format_().heading(title),
        export_text=export,
        exact_text=exact,
        values=values,
        is_optional=True,
        in_comparison=in_comparison,
        width=9,
    )


def plain_number(value: int | float) -> str:
    """Return a cost or a change for export; empty for none, and if it is unknown."""
    return str(value) if value and value == value else ""


def bar_length(value: int | float, maximum: int | float) -> float:
    """Return the length of the bar of a change, from -1 to 1; `maximum` is the largest size."""
    if not maximum or value != value:
        return 0.0
    return max(-1.0, min(1.0, value / maximum))


def counts_text(base: int, new: int, format_: CostFormat) -> str:
    """Return how often calls were made on both sides, once if equally often: 3 000 → 3 600."""
    if base == new:
        return format_count(new, format_.style)
    return f"{format_count(base, format_.style)}{ARROW}{format_count(new, format_.style)}"


def longest_counts(base: Int64Array, new: Int64Array, format_: CostFormat) -> str:
    """Return the longest text of call counts on both sides, approximately."""
    differs: BoolArray = base != new
    if not differs.any():
        return counts_text(0, 0, format_) if not len(new) else format_.count_text(int(new.max()))
    places = {int(np.where(differs, side, 0).argmax()) for side in (base, new)}
    texts = [counts_text(int(base[place]), int(new[place]), format_) for place in places]
    return max([*texts, format_.count_text(int(new.max()))], key=len)
