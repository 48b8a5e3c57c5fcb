"""Columns that lists have while profiles are compared: base, new, growth, calls, why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from qcachegrind_py.analysis.comparison.effects import effects, rounded
from qcachegrind_py.analysis.costs.series import BothSides
from qcachegrind_py.models.base.column import Column, InComparison
from qcachegrind_py.present.former.change_format import growth_text, signed
from qcachegrind_py.present.former.cost_format import NO_FORMAT, CostFormat
from qcachegrind_py.profile.events import CostArray, Float64Array, as_number
from qcachegrind_py.profile.numbers import format_count
from qcachegrind_py.profile.tables import BoolArray, Int64Array

ARROW = "\N{THIN SPACE}→\N{THIN SPACE}"
_LITTLE = 0.1  # of both effects together: one that is smaller is not named


@dataclass(frozen=True, slots=True, eq=False)
class ComparedRows:
    """What the rows of a list cost and how often they were called, in the base and now."""

    cost: BothSides  # inclusive costs, or those of calls
    count: BothSides
    is_split: BoolArray  # whether calls and cost per call are known to explain the change
    cost_format: CostFormat  # of the new side
    base_format: CostFormat

    @property
    def growth(self) -> Float64Array:
        """The change as a fraction of the cost in the base: infinite for what is new."""
        base, new = (np.asarray(side, np.float64) for side in (self.cost.base, self.cost.new))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(base == new, 0.0, (new - base) / np.abs(base))

    def is_called(self, record: int) -> bool:
        """Whether finished calls were counted on either side."""
        return bool(self.count.base[record] or self.count.new[record])


Rows = Callable[[], ComparedRows | None]


def comparison_columns(rows: Rows, of: str) -> tuple[Column, ...]:
    """Return the columns Base, New, Growth and Why; `of` names their costs."""
    why = Column(
        "why",
        "Why",
        "Whether the change comes from the number of calls, or from what a call costs",
        lambda r: why_text(rows(), r),
        lambda: _why_order(rows()),
        values=lambda: _no_numbers(rows()),  # words, which are measured row by row
        export_text=lambda r: why_text(rows(), r),
        exact_text=lambda r: why_tip(rows(), r),
        is_optional=True,
        in_comparison=InComparison.SHOWN,
        gives_way=6,
    )
    return (*side_columns(rows, of), why)


def side_columns(rows: Rows, of: str, prefix: str = "") -> tuple[Column, Column, Column]:
    """Return the columns Base, New and Growth; `prefix` is that of keys of optional columns."""
    name = f"{of.partition(' ')[0]} " if prefix else ""
    columns = (
        _side_column("base", "Base", f"{of} in the base", rows, gives_way=2),
        _side_column("new", "New", f"{of} in the new profile", rows, gives_way=3),
        Column(
            "growth",
            "Growth",
            f"The change in percent of the {of.lower()} in the base",
            lambda r: _growth_text(rows(), r),
            lambda: _growth_sizes(rows()),
            values=lambda: _growth(rows()),
            is_optional=True,
            in_comparison=InComparison.SHOWN,
            gives_way=5,
        ),
    )
    if not prefix:
        return columns
    base, new, growth = (
        replace(
            column,
            key=f"{prefix}{column.key}",
            title=f"{name}{column.title.lower()}",
            heading=None,
            in_comparison=InComparison.OFFERED,
            gives_way=0,
        )
        for column in columns
    )
    return base, new, growth


def _side_column(key: str, title: str, tip: str, rows: Rows, *, gives_way: int) -> Column:
    """Return the column of the costs of one side; `key` is base or new."""

    def values() -> CostArray:
        compared = rows()
        if compared is None:
            return np.empty(0, np.int64)
        return compared.cost.base if key == "base" else compared.cost.new

    def format_() -> CostFormat:
        compared = rows()
        if compared is None:
            return NO_FORMAT
        return compared.base_format if key == "base" else compared.cost_format

    def value(record: int) -> int | float:
        return as_number(values()[record])

    def text(record: int) -> str:
        return "" if rows() is None else format_().cell(value(record))

    def heading() -> str:
        return title if rows() is None else format_().heading(title)

    def exact(record: int) -> str:
        return "" if rows() is None else format_().tip(value(record))

    return Column(
        key,
        title,
        tip,
        text,
        values,
        heading=heading,
        exact_text=exact,
        is_optional=True,
        in_comparison=InComparison.SHOWN,
        gives_way=gives_way,
    )


def count_text(compared: ComparedRows, record: int) -> str:
    """Return how often a record was called, on both sides if that differs: 3 000 → 3 600."""
    style = compared.cost_format.style
    base, new = (int(side[record]) for side in (compared.count.base, compared.count.new))
    if base == new:
        return format_count(new, style)
    return f"{format_count(base, style)}{ARROW}{format_count(new, style)}"


def base_counts(compared: ComparedRows | None) -> Int64Array | None:
    """Return how often the rows were called in the base; None without a comparison."""
    return None if compared is None else np.asarray(compared.count.base, np.int64)


def why_text(compared: ComparedRows | None, record: int) -> str:
    """Return in words what made the cost of a record change: "more calls", "fewer, costlier".

    Empty if that is not known.
    """
    parts = _effects(compared, record)
    if parts is None:
        return ""
    by_calls, per_call = parts
    least = _LITTLE * (abs(by_calls) + abs(per_call))
    words = []
    if abs(by_calls) > least:
        words.append("more" if by_calls > 0 else "fewer")
    if abs(per_call) > least:
        words.append("costlier" if per_call > 0 else "cheaper")
    return f"{words[0]} calls" if len(words) == 1 else ", ".join(words)


def why_tip(compared: ComparedRows | None, record: int) -> str:
    """Return how much of the change comes from the number of calls and from their cost."""
    parts = _effects(compared, record)
    if compared is None or parts is None:
        return ""
    texts = [signed(compared.cost_format.absolute_text(abs(part)), part) for part in parts]
    return (
        f"{texts[0]} by the number of calls ({count_text(compared, record)}), "
        f"{texts[1]} by the cost per call"
    )


def _effects(compared: ComparedRows | None, record: int) -> tuple[int, int] | None:
    """Return the change by the number of calls and by cost per call; None if not known."""
    if compared is None or not compared.is_split[record]:
        return None
    costs = as_number(compared.cost.base[record]), as_number(compared.cost.new[record])
    if isinstance(costs[0], float) or isinstance(costs[1], float) or costs[0] == costs[1]:
        return None
    counts = int(compared.count.base[record]), int(compared.count.new[record])
    split = effects(counts, (costs[0], costs[1]))
    return None if split is None else rounded(split, costs[1] - costs[0])


def _why_order(compared: ComparedRows | None) -> Int64Array:
    """Return numbers by which rows of equal texts stand together: 100,000 rows take 0.1 s."""
    if compared is None or compared.cost.change.dtype.kind == "f":
        return _no_numbers(compared)
    from qcachegrind_py.analysis.comparison.effects import split_changes

    split = split_changes(compared.count, compared.cost, compared.is_split)
    by_calls, per_call = (effect.astype(np.float64) for effect in (split.by_calls, split.per_call))
    least = _LITTLE * (np.abs(by_calls) + np.abs(per_call))
    calls, cost = (
        np.where(np.abs(effect) > least, np.sign(effect), 0) for effect in (by_calls, per_call)
    )
    order: Int64Array = (3 * calls + cost).astype(np.int64)
    return order


def _no_numbers(compared: ComparedRows | None) -> Int64Array:
    return np.zeros(0 if compared is None else len(compared.is_split), np.int64)


def _growth_text(compared: ComparedRows | None, record: int) -> str:
    if compared is None:
        return ""
    base, new = (as_number(side[record]) for side in (compared.cost.base, compared.cost.new))
    return growth_text(base, new, compared.cost_format)


def _growth(compared: ComparedRows | None) -> Float64Array:
    return np.empty(0) if compared is None else compared.growth


def _growth_sizes(compared: ComparedRows | None) -> Float64Array:
    return np.abs(_growth(compared))
