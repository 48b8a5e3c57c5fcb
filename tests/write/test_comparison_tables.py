"""Two profiles compared as TSV and CSV, and the order and choice of their rows."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import numpy as np
import pytest

from qcachegrind_py.present.change import (
    ComparisonOrder,
    ComparisonReport,
    cost_figures,
    only_rows,
    rows_in_order,
    undivided,
)
from qcachegrind_py.present.change_table import change_table
from qcachegrind_py.present.figures import Figures
from qcachegrind_py.write.separated import write_table
from tests.write.drawn_comparisons import comparison_of, in_shares, names_of, per_call


def table_of(comparison: ComparisonReport) -> list[list[str]]:
    """The cells of the TSV."""
    stream = io.StringIO()
    write_table(change_table(comparison), "tsv", stream)
    return [line.split("\t") for line in stream.getvalue().splitlines()]


def test_a_comparison_as_a_table() -> None:
    """Changes stand before both sides, and names of the base only where they are others."""
    assert table_of(comparison_of())[:3] == [
        [
            *("self change", "self base", "self new"),
            *("inclusive change", "inclusive base", "inclusive new"),
            *("by calls", "by cost per call", "called base", "called new", "pair"),
            *("name", "file", "object", "base name", "base file", "base object", "cycle"),
        ],
        [
            *("1250", "1000", "2250", "1450", "2000", "3450", "488", "962", "10", "12", "exact"),
            *("sort", "/src/sort.c", "/bin/app", "", "", "", "0"),
        ],
        [
            *("-300", "300", "0", "-300", "300", "0", "", "", "1", "0", "gone"),
            *("old", "/src/main.c", "/bin/app", "", "", "", "0"),
        ],
    ]


def test_several_events_stand_side_by_side() -> None:
    """The titles name the event if there are several."""
    comparison = comparison_of()
    titles, first, *_ = table_of(replace(comparison, events=comparison.measured))
    assert titles[:2] == ["self change Ir", "self base Ir"]
    assert titles[8:11] == ["self change Dw", "self base Dw", "self new Dw"]
    assert first[8:11] == ["20", "20", "40"]


def test_functions_with_another_name_in_the_base() -> None:
    """Where a function has been built as another clone, or moved, the base's names stand, too."""
    base = "sort@/src/sort.c@/bin/app 5\nf.isra.0@/src/a.c@/bin/app 3"
    new = "sort@/src/other.c@/bin/app 5\nf.isra.1@/src/a.c@/bin/app 3"
    rows = table_of(comparison_of(base, new))[1:]
    assert sorted(row[10:] for row in rows) == [
        ["family", "f.isra.1", "/src/a.c", "/bin/app", "f.isra.0", "", "", "0"],
        ["moved", "sort", "/src/other.c", "/bin/app", "", "/src/sort.c", "", "0"],
    ]


def test_shares_and_costs_per_call_in_a_table() -> None:
    """Fractions have all their digits, and what cannot be divided is an empty cell."""
    assert float(table_of(in_shares(comparison_of()))[1][1]) == 100 * 1000 / 2450
    divided = table_of(per_call(comparison_of(), "less", (500, 0)))[1]
    assert divided[:3] == ["", "2.0", ""]


def test_a_comparison_as_csv() -> None:
    """CSV has the cells of TSV, and no cell that a spreadsheet would take for a formula."""
    stream = io.StringIO()
    comparison = comparison_of("x@a.c 5", "=x@a.c 5")
    write_table(change_table(comparison), "csv", stream)
    rows = list(csv.reader(io.StringIO(stream.getvalue(), newline="")))
    assert {row[11] for row in rows} == {"name", "x", "'=x"}


@pytest.mark.parametrize(
    ("order", "names"),
    [
        (ComparisonOrder(), ["sort", "old", "less", "fresh", "main", "same"]),
        (ComparisonOrder("growth"), ["sort", "less", "fresh", "main", "same", "old"]),
        (ComparisonOrder("base"), ["sort", "less", "old", "main", "same", "fresh"]),
        (ComparisonOrder("new"), ["sort", "less", "main", "same", "fresh", "old"]),
        (ComparisonOrder("calls"), ["less", "sort", "fresh", "old", "main", "same"]),
        (ComparisonOrder("growth", "inclusive"), ["sort", "main", "less", "fresh", "same", "old"]),
    ],
)
def test_orders(order: ComparisonOrder, names: list[str]) -> None:
    """Functions are by the size of their change, by growth, by one side, or by calls."""
    comparison = comparison_of(order=order)
    assert names_of(comparison, comparison.functions.tolist()) == names


def test_order_of_undefined_numbers() -> None:
    """What has no number comes last, and large numbers are exact."""
    comparison = comparison_of("f@a.c 5\n g@a.c 1", "f@a.c 9223372036854775807\n g@a.c 1")
    event = comparison.event
    costs = cost_figures(event, "self", undivided)
    unknown = Figures(costs.unit, np.array([np.nan, 2.0]), np.array([1.0, 1.0]))
    assert rows_in_order(ComparisonOrder(), costs, comparison.called).tolist() == [0, 1]
    assert rows_in_order(ComparisonOrder(), unknown, comparison.called).tolist() == [1, 0]


@pytest.mark.parametrize(
    ("only", "names"),
    [
        ("grown", ["sort", "less", "fresh"]),
        ("shrunk", ["old"]),
        ("new", ["fresh"]),
        ("gone", ["old"]),
    ],
)
def test_only_some_functions(only: str, names: list[str]) -> None:
    """Functions that grew, shrank, are new or gone."""
    comparison = comparison_of()
    costs = comparison.figures()
    kept = only_rows(only, costs, comparison.pairs)
    assert names_of(comparison, np.flatnonzero(kept).tolist()) == sorted(
        names, key=names_of(comparison, range(6)).index
    )
