"""Column definitions shared by several lists: costs, counts, names, locations, estimate marks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from qcachegrind_py.analysis.names.function_names import Labels, ranks
from qcachegrind_py.models.base.column import Column
from qcachegrind_py.models.base.comparison_columns import ComparedRows, base_counts, count_text
from qcachegrind_py.present.former.change_format import ChangeFormat
from qcachegrind_py.present.former.cost_format import CostFormat
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.events import CostArray, as_number
from qcachegrind_py.profile.ids import NodeId, node_at
from qcachegrind_py.profile.numbers import ACTIVE
from qcachegrind_py.profile.tables import BoolArray, Int64Array

ESTIMATE = "≈\N{THIN SPACE}"
ACTIVE_TIP = f"{ACTIVE}: still running when the profile was written"
_EXACT = ("no", "cost only", "yes")
ESTIMATED = f"{ESTIMATE}: estimated in proportion, because call paths are not recorded"


def cost_column(
    key: str,
    title: str,
    tip: str,
    costs: Callable[[], CostArray],
    format_: Callable[[], CostFormat],
    *,
    base: Callable[[int], int | float | None] = lambda _record: None,
    excess: Callable[[int], str] | None = None,
    is_second: bool = False,
    gives_way: int = 0,
) -> Column:
    """Return a cost column with bars; one of the second event is optional and named after it.

    The key of a column of the second event begins with `second_`. `base` returns a record's base
    for percentages, or None for the format's own; `excess` tells why a record's is above 100.
    """

    def heading() -> str:
        return format_().heading(f"{format_().event} {title.lower()}" if is_second else title)

    def value(record: int) -> int | float:
        return as_number(costs()[record])

    def exact(record: int) -> str:
        if excess is None:
            return format_().tip(value(record), base(record))
        return format_().tip(value(record), base(record), partial(excess, record))

    def is_change() -> bool:
        return isinstance(format_(), ChangeFormat)

    return Column(
        f"second_{key}" if is_second else key,
        f"{title} (second event)" if is_second else title,
        tip,
        lambda r: format_().cell(value(r), base(r)),
        lambda: np.abs(costs()) if is_change() else costs(),
        lambda r: format_().share(value(r), base(r)),
        heading,
        values=costs,
        is_change=is_change,
        exact_text=exact,
        is_optional=is_second,
        gives_way=gives_way,
    )


def per_call_column(
    key: str,
    title: str,
    tip: str,
    costs: Callable[[], CostArray],
    counts: Callable[[], Int64Array],
    format_: Callable[[], CostFormat],
    *,
    is_second: bool = False,
    is_optional: bool = False,
    gives_way: int = 0,
    is_known: Callable[[], bool] = lambda: True,
) -> Column:
    """Return a column of average costs per call, in whole counts; an active call counts as one.

    There are none of ratios, and where the profile does not count calls.
    """

    def values() -> CostArray:
        if format_().is_ratio or not is_known():
            return np.full(len(costs()), np.nan)
        return costs() // np.maximum(counts(), 1)

    def text(record: int) -> str:
        if format_().is_ratio or not is_known():
            return "–"
        cost = costs()[record : record + 1] // max(1, int(counts()[record]))
        return format_().absolute_text(cost.tolist()[0])

    return Column(
        f"second_{key}" if is_second else key,
        f"{title} (second event)" if is_second else title,
        tip,
        text,
        values,
        heading=(lambda: f"{format_().event} {title.lower()}") if is_second else None,
        is_optional=is_second or is_optional,
        gives_way=gives_way,
    )


def count_column(
    key: str, title: str, tip: str, counts: Callable[[], Int64Array], text: Callable[[int], str]
) -> Column:
    """Return a column of counts."""
    return Column(key, title, tip, lambda r: text(int(counts()[r])), counts)


def called_column(
    tip: str,
    counts: Callable[[], Int64Array],
    is_active: Callable[[], BoolArray],
    format_: Callable[[], CostFormat],
    compared: Callable[[], ComparedRows | None] = lambda: None,
    *,
    is_known: Callable[[], bool],
) -> Column:
    """Return the column that says how often functions were called: base → new if compared.

    It has dashes where the profile does not count calls.
    """

    def text(record: int) -> str:
        if (rows := compared()) is not None and rows.is_called(record):
            return count_text(rows, record)
        count = int(counts()[record]) if is_known() else None
        return format_().call_count_text(count, bool(is_active()[record]))

    def order() -> Int64Array:
        rows = compared()
        return counts() if rows is None else np.abs(rows.count.change)

    def values() -> CostArray:
        return counts() if is_known() else np.full(len(counts()), np.nan)

    return Column(
        "called",
        "Called",
        f"{tip}. {ACTIVE_TIP}",
        text,
        order,
        values=values,
        base_values=lambda: base_counts(compared()),
        gives_way=4,
    )


def with_estimate_mark(column: Column, is_exact: Callable[[int], bool]) -> Column:
    """Return the column with a mark in front of estimated numbers."""
    plain_text = column.text

    def text(record: int) -> str:
        shown = plain_text(record)
        return ESTIMATE + shown if shown and not is_exact(record) else shown

    return replace(column, text=text)


def path_count_column(
    key: str,
    title: str,
    tip: str,
    counts: Callable[[], CostArray],
    is_exact: Callable[[int], bool],
    is_active: Callable[[int], bool],
    format_: Callable[[], CostFormat],
    compared: Callable[[], ComparedRows | None] = lambda: None,
) -> Column:
    """Return a column of call counts along call paths, with a mark in front of estimates.

    A cycle standing for its member shows a dash, as that is no call.
    """

    def text(record: int) -> str:
        count = int(counts()[record])
        if (rows := compared()) is not None and rows.is_called(record):
            return ("" if is_exact(record) else ESTIMATE) + count_text(rows, record)
        if is_active(record):
            return ACTIVE
        if not is_exact(record):
            return ESTIMATE + format_().count_text(count)
        return format_().count_text(count) if count else "–"

    return Column(
        key,
        title,
        f"{tip}. {ACTIVE_TIP}",
        text,
        counts,
        base_values=lambda: base_counts(compared()),
        gives_way=2,
    )


def exactness_column(
    records: Callable[[], int], cost: Callable[[int], bool], *others: Callable[[int], bool]
) -> Column:
    """Return a column that tells whether a record's cost and its other numbers are exact.

    It is only exported; on the screen, marks show the same.
    """

    def exactness(record: int) -> int:
        return 1 + all(is_exact(record) for is_exact in others) if cost(record) else 0

    return Column(
        "exact",
        "Proven",
        "Which of the numbers are exact: all, the cost only, or none",
        lambda r: _EXACT[exactness(r)],
        lambda: np.array([exactness(record) for record in range(records())], np.int64),
        is_number=False,
        is_optional=True,
        is_export_only=True,
        width=10,
    )


def exactness_label(cost: bool, others: bool) -> str:
    """Return the exported text for the exactness of the cost and of the other numbers."""
    return _EXACT[1 + others if cost else 0]


def name_columns(
    title: str, labels: Callable[[], Labels | None], nodes: Callable[[], Int64Array]
) -> tuple[Column, Column]:
    """Return the name and the location column for functions or cycles."""

    def text(of: Callable[[Labels, NodeId], str], record: int) -> str:
        known = labels()
        return of(known, node_at(nodes(), record)) if known is not None else ""

    def order(of: Callable[[Labels, NodeId], str]) -> Int64Array:
        return ranks([text(of, record).lower() for record in range(len(nodes()))])

    return name_column(
        "name",
        title,
        lambda r: text(Labels.name, r),
        lambda: order(Labels.name),
        lambda r: text(Labels.full_name, r),
    ), location_column(lambda r: text(Labels.location, r), lambda: order(Labels.location))


def name_column(
    key: str,
    title: str,
    text: Callable[[int], str],
    sort_key: Callable[[], Int64Array],
    full: Callable[[int], str] | None = None,
) -> Column:
    """Return the name column, which takes the remaining width; `full` is the export text."""
    return Column(
        key,
        title,
        "Name",
        lambda r: cell_text(text(r)),
        sort_key,
        export_text=full or text,
        is_number=False,
        stretches=True,
    )


def location_column(text: Callable[[int], str], sort_key: Callable[[], Int64Array]) -> Column:
    """Return the column of function locations."""
    tip = "Program or library, and source file"
    return Column(
        "location",
        "Location",
        tip,
        lambda r: cell_text(text(r)),
        sort_key,
        export_text=text,
        is_number=False,
        width=18,
        gives_way=1,
    )
