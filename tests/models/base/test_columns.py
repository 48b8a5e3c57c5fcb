"""Columns shared by several tables: their bases, averages, order and second event."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt

from qcachegrind_py.models.base.column import Column
from qcachegrind_py.models.base.columns import cost_column, count_column, per_call_column
from qcachegrind_py.models.base.table import ArrayTableModel, Role
from qcachegrind_py.present.former.cost_format import CostFormat
from qcachegrind_py.profile.events import CostArray
from tests.profile_text import dump_rows, titles

ASCENDING, DESCENDING = Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder
ABSOLUTE, PERCENT = CostFormat("Ir", 200, False), CostFormat("Ir", 200)
RATIO = CostFormat("Rate", 0.5, is_ratio=True)


class Records(ArrayTableModel):
    """A table with these columns; each record's function has the record's number."""

    def __init__(self, records: int, *columns: Column) -> None:
        for position, column in enumerate(columns):
            setattr(self, column.key.upper(), position)
        super().__init__(columns)
        self._reset(records)

    def function_of(self, record: int) -> int:
        return record

    def tip_of(self, record: int) -> str:
        return f"record {record}"


def costs(*numbers: int | float) -> CostArray:
    """An array of the kinds that queries return: integers, large ones, or ratios."""
    if any(isinstance(number, float) for number in numbers):
        return np.array(numbers, np.float64)
    large = any(not -(2**63) <= number < 2**63 for number in numbers)
    return np.array(numbers, object if large else np.int64)


def cost_model(numbers: CostArray, format_: CostFormat, **options: Any) -> Records:
    """A table with one column of costs."""
    column = cost_column("cost", "Cost", "A tip", lambda: numbers, lambda: format_, **options)
    return Records(len(numbers), column)


def average_model(numbers: CostArray, counts: list[int], format_: CostFormat) -> Records:
    """A table with one column of costs per call."""
    of = np.array(counts, np.int64)
    column = per_call_column(
        "per_call", "Per call", "A tip", lambda: numbers, lambda: of, lambda: format_
    )
    return Records(len(numbers), column)


def test_every_column_passes_qt_model_checks(qtmodeltester: Any) -> None:
    """Qt accepts the cells of all kinds of costs: small, beyond 64 bits, ratios, none."""
    kinds: tuple[CostArray, ...] = (costs(1, -5), costs(2**70, 3), costs(0.5, math.nan), costs())
    for numbers in kinds:
        format_ = RATIO if numbers.dtype == np.float64 else PERCENT
        qtmodeltester.check(cost_model(numbers, format_))
        qtmodeltester.check(average_model(numbers, [1] * len(numbers), format_))


@pytest.mark.parametrize("kind", [np.int64, object])
def test_costs_are_sorted_by_number(kind: type) -> None:
    """Costs of all sizes sort as numbers in both directions; equal ones keep their order."""
    numbers = np.array([5, -(2**63), 2**63 - 1, 5, 0], kind)
    model = cost_model(numbers, ABSOLUTE)

    model.sort(0, ASCENDING)
    ascending = model.order.tolist()
    model.sort(0, DESCENDING)

    assert (ascending, model.order.tolist()) == ([1, 4, 0, 3, 2], [2, 0, 3, 4, 1])


def test_costs_beyond_64_bits_are_exact_and_sorted() -> None:
    """Python integers are displayed, sorted and copied exactly."""
    model = cost_model(costs(2**70 + 1, 7, -(2**70)), ABSOLUTE)

    copied = [model.plain_text(model.index(row, 0)) for row in range(3)]

    assert copied == [str(2**70 + 1), "7", str(-(2**70))]
    assert [line.replace("\N{THIN SPACE}", "") for line in dump_rows(model)] == copied


@pytest.mark.parametrize("order", [ASCENDING, DESCENDING])
def test_undefined_ratio_is_last_in_both_directions(order: Qt.SortOrder) -> None:
    """Infinite ratios sort as the largest and smallest numbers; undefined ones come last."""
    model = cost_model(costs(math.nan, 0.5, math.inf, -math.inf, math.nan), RATIO)

    model.sort(0, order)

    expected = ["-∞", "0.5000", "∞"]
    assert dump_rows(model) == (expected if order == ASCENDING else expected[::-1]) + ["–", "–"]


def test_percentage_is_of_the_record_s_base() -> None:
    """If records have bases of their own, cells and bars are shares of these."""
    bases = [50, 400, None]
    model = cost_model(costs(100, 100, 100), PERCENT, base=bases.__getitem__)

    assert dump_rows(model) == [">100.00", "25.00", "50.00"]
    assert [model.index(row, 0).data(Role.SHARE) for row in range(3)] == [1.0, 0.25, 0.5]


def test_second_event_is_named_in_the_title() -> None:
    """A column of the second event is optional, and names the event."""
    first = cost_column("inclusive", "Incl.", "", lambda: costs(), lambda: ABSOLUTE)
    second = cost_column("inclusive", "Incl.", "", lambda: costs(), lambda: PERCENT, is_second=True)
    average = per_call_column(
        "per_call",
        "Per call",
        "",
        lambda: costs(),
        lambda: costs(),
        lambda: PERCENT,
        is_second=True,
    )
    model = Records(0, first, second, average)

    assert titles(model, all_columns=True) == ["Incl.", "Ir incl. %", "Ir per call"]
    assert titles(model) == ["Incl."]
    assert [column.title for column in model.columns] == [
        "Incl.",
        "Incl. (second event)",
        "Per call (second event)",
    ]


@pytest.mark.parametrize(
    ("cost", "count", "text"),
    [(100, 3, "33"), (100, 0, "100"), (-100, 3, "-34"), (0, 5, "0"), (2**70, 2, str(2**69))],
)
def test_cost_of_one_call_is_rounded_down(cost: int, count: int, text: str) -> None:
    """An average is whole, absolute and exact; a function never called counts as called once."""
    model = average_model(costs(cost), [count], PERCENT)

    assert dump_rows(model)[0].replace("\N{THIN SPACE}", "") == text
    assert model.plain_text(model.index(0, 0)) == text


def test_ratio_has_no_cost_per_call() -> None:
    """A ratio is an average already: per call there is a dash, and dashes have no order."""
    model = average_model(costs(0.5, 9.0, 4.0), [1, 1, 2], RATIO)

    model.sort(0, DESCENDING)

    assert dump_rows(model) == ["–", "–", "–"]
    assert model.order.tolist() == [0, 1, 2]


def test_largest_text_is_as_wide_as_the_column() -> None:
    """The widest number is the one furthest from zero, even if negative; without costs it is empty.

    For ratios it is a long one: a small ratio has more digits than a large one.
    """
    texts = [
        cost_model(numbers, ABSOLUTE).largest_text(0)
        for numbers in (costs(5, -70000), costs(-(2**63), 3), costs(), costs(0.25, math.nan, -9.0))
    ]

    spaced = f"{-(2**63):,}".replace(",", "\N{THIN SPACE}")
    assert texts == ["-70\N{THIN SPACE}000", spaced, "", "0.00000000"]


def test_counts_are_shown_by_their_text() -> None:
    """A count is formatted like its column, and sorted and copied as a number."""
    counts = np.array([0, 30, 4], np.int64)
    column = count_column(
        "count", "Count", "", lambda: counts, lambda n: f"{n} times" if n else "never"
    )
    model = Records(3, column)
    model.sort(0, DESCENDING)

    assert dump_rows(model) == ["30 times", "4 times", "never"]
    assert [model.plain_text(model.index(row, 0)) for row in range(3)] == ["30", "4", "0"]


def test_numbers_stand_on_the_right_with_their_titles() -> None:
    """Numbers are right-aligned, and so are their titles."""
    model = cost_model(costs(1), ABSOLUTE)
    role, right = Qt.ItemDataRole.TextAlignmentRole, Qt.AlignmentFlag.AlignRight

    sides = (model.index(0, 0).data(role), model.headerData(0, Qt.Orientation.Horizontal, role))

    assert [Qt.AlignmentFlag(side) & right for side in sides] == [right, right]


class Misplaced(Records):
    """A list whose constants are not the positions of its columns."""

    def __init__(self, *positions: int) -> None:
        self.INCLUSIVE, self.COUNT = positions
        ArrayTableModel.__init__(self, (COUNT, INCLUSIVE))


INCLUSIVE = cost_column("inclusive", "Incl.", "", lambda: costs(), lambda: ABSOLUTE)
COUNT = count_column("count", "Count", "", lambda: costs(), str)


def test_constants_place_the_columns() -> None:
    """A column stands where the constant with its key says, in whatever order it is declared."""
    assert titles(Misplaced(0, 1)) == ["Incl.", "Count"]
    assert titles(Misplaced(1, 0)) == ["Count", "Incl."]
    for positions in ((0, 0), (0, 2), (1, 2)):
        with pytest.raises(ValueError, match="positions"):
            Misplaced(*positions)
