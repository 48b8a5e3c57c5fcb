"""The columns that several lists have: costs, counts, names, places, and the mark of estimates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from qcachegrind_py.analysis.names.function_names import ranks
from qcachegrind_py.analysis.names.labels import Labels
from qcachegrind_py.models.base.cost_format import CostFormat
from qcachegrind_py.models.base.plain_text import cell_text, plain_line
from qcachegrind_py.models.base.table import Column
from qcachegrind_py.profile.events import CostArray, as_number
from qcachegrind_py.profile.ids import NodeId, node_at
from qcachegrind_py.profile.tables import Int64Array

ESTIMATE = "≈\N{THIN SPACE}"
IN_CYCLE = "(cycle)"  # instead of the cost of a call that stays within the active cycle
_EXACT = ("no", "cost only", "yes")
ESTIMATED = f"{ESTIMATE}: shared out in proportion, as ways of calls are not recorded"


def cost_column(
    title: str,
    tip: str,
    costs: Callable[[], CostArray],
    format_: Callable[[], CostFormat],
    *,
    base: Callable[[int], int | float | None] = lambda _record: None,
    is_second: bool = False,
) -> Column:
    """A cost with its bar; the second event's name stands in the title, and it is optional.

    `base` says of a record what its percentage is of, where that is not the format's.
    """

    def heading() -> str:
        return format_().heading(f"{format_().event} {title.lower()}" if is_second else title)

    def value(record: int) -> int | float:
        return as_number(costs()[record])

    return Column(
        f"{title} (second event)" if is_second else title,
        tip,
        lambda r: format_().text(value(r), base(r)),
        costs,
        lambda r: format_().share(value(r), base(r)),
        heading,
        exact_text=lambda r: format_().exact_text(value(r)),
        is_optional=is_second,
    )


def per_call_column(
    title: str,
    tip: str,
    costs: Callable[[], CostArray],
    counts: Callable[[], Int64Array],
    format_: Callable[[], CostFormat],
    *,
    is_second: bool = False,
    is_optional: bool = False,
) -> Column:
    """The cost of one call on average, in whole counts; an active call counts as one."""

    def values() -> CostArray:
        if format_().is_ratio:
            return np.full(len(costs()), np.nan)
        return costs() // np.maximum(counts(), 1)

    def text(record: int) -> str:
        if format_().is_ratio:
            return "–"
        cost = costs()[record : record + 1] // max(1, int(counts()[record]))
        return format_().absolute_text(cost.tolist()[0])

    return Column(
        f"{title} (second event)" if is_second else title,
        tip,
        text,
        values,
        heading=(lambda: f"{format_().event} {title.lower()}") if is_second else None,
        is_optional=is_second or is_optional,
    )


def count_column(
    title: str, tip: str, counts: Callable[[], Int64Array], text: Callable[[int], str]
) -> Column:
    """A number of something."""
    return Column(title, tip, lambda r: text(int(counts()[r])), counts)


def with_estimate_mark(column: Column, is_exact: Callable[[int], bool]) -> Column:
    """The column with a mark before the numbers that are estimates."""
    text = column.text
    return replace(column, text=lambda r: text(r) if is_exact(r) else ESTIMATE + text(r))


def path_count_column(
    title: str,
    tip: str,
    counts: Callable[[], CostArray],
    is_exact: Callable[[int], bool],
    format_: Callable[[], CostFormat],
) -> Column:
    """How often something was called on ways of calls: marked where that is an estimate.

    A dash where a cycle stands for its member, which is no call.
    """

    def text(record: int) -> str:
        count = int(counts()[record])
        return format_().count_text(count) if count or not is_exact(record) else "–"

    return with_estimate_mark(Column(title, tip, text, counts), is_exact)


def exactness_column(
    records: Callable[[], int], cost: Callable[[int], bool], *others: Callable[[int], bool]
) -> Column:
    """Whether the cost of a record is exact, and its other numbers: for programs, as text.

    On the screen the marks say so.
    """

    def proven(record: int) -> int:
        return 1 + all(is_exact(record) for is_exact in others) if cost(record) else 0

    return Column(
        "Proven",
        "Whether the profile proves all numbers that might be estimates, the cost only, or none",
        lambda r: _EXACT[proven(r)],
        lambda: np.array([proven(record) for record in range(records())], np.int64),
        is_number=False,
        is_optional=True,
        is_export_only=True,
        width=10,
    )


def exactness_label(cost: bool, others: bool) -> str:
    """What is said there, of the cost and of the other numbers."""
    return _EXACT[1 + others if cost else 0]


def name_columns(
    title: str, labels: Callable[[], Labels | None], nodes: Callable[[], Int64Array]
) -> tuple[Column, Column]:
    """What the function or cycle of a record is called, and where it is."""

    def text(of: Callable[[Labels, NodeId], str], record: int) -> str:
        known = labels()
        return of(known, node_at(nodes(), record)) if known is not None else ""

    def order(of: Callable[[Labels, NodeId], str]) -> Int64Array:
        return ranks([text(of, record).lower() for record in range(len(nodes()))])

    return name_column(
        title,
        lambda r: text(Labels.name, r),
        lambda: order(Labels.name),
        lambda r: text(Labels.full_name, r),
    ), location_column(lambda r: text(Labels.location, r), lambda: order(Labels.location))


def name_column(
    title: str,
    text: Callable[[int], str],
    sort_key: Callable[[], Int64Array],
    full: Callable[[int], str] | None = None,
) -> Column:
    """What a record is called; it has the room that the others leave. `full` is the whole name."""
    return Column(
        title,
        "Name",
        lambda r: cell_text(text(r)),
        sort_key,
        export_text=lambda r: plain_line((full or text)(r)),
        is_number=False,
        stretches=True,
    )


def location_column(text: Callable[[int], str], sort_key: Callable[[], Int64Array]) -> Column:
    """Where a function is."""
    tip = "Program or library, and source file"
    return Column(
        "Location", tip, lambda r: cell_text(text(r)), sort_key, is_number=False, width=18
    )
