"""The columns of a comparison: what they say of base, new, calls and causes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from qcachegrind_py.analysis.costs.series import BothSides
from qcachegrind_py.models.base.comparison_columns import (
    ComparedRows,
    comparison_columns,
    count_text,
    why_text,
    why_tip,
)
from qcachegrind_py.present.former.cost_format import CostFormat
from qcachegrind_py.profile.numbers import NumberStyle
from tests.profile_text import THIN


def rows(
    costs: Sequence[tuple[int, int]], counts: Sequence[tuple[int, int]], *, split: bool = True
) -> ComparedRows:
    """Rows of these costs and counts, base before new."""
    cost, count = (np.array(pairs, np.int64).T for pairs in (costs, counts))
    return ComparedRows(
        BothSides(cost[0], cost[1]),
        BothSides(count[0], count[1]),
        np.full(len(costs), split),
        *[CostFormat("Ir", 1000, as_percentage=False, style=NumberStyle())] * 2,
    )


@pytest.mark.parametrize(
    ("costs", "counts", "words"),
    [
        ((100, 200), (10, 20), "more calls"),
        ((100, 50), (10, 5), "fewer calls"),
        ((100, 300), (10, 10), "costlier calls"),
        ((100, 30), (10, 10), "cheaper calls"),
        ((100, 600), (10, 20), "more, costlier"),
        ((100, 150), (10, 30), "more, cheaper"),
        ((100, 150), (10, 5), "fewer, costlier"),
        ((100, 100), (10, 5), ""),
        ((100, 105), (1000, 1001), "costlier calls"),
    ],
)
def test_why_says_what_changed(costs: tuple[int, int], counts: tuple[int, int], words: str) -> None:
    """Calls and cost per call are named, but for one that makes less than a tenth of both."""
    assert why_text(rows([costs], [counts]), 0) == words


def test_why_is_not_guessed() -> None:
    """Recursive functions and what only one side has called have no cause."""
    assert why_text(rows([(100, 200)], [(1, 2)], split=False), 0) == ""
    assert why_text(rows([(0, 200)], [(0, 2)]), 0) == ""


def test_the_tip_adds_up_to_the_change() -> None:
    """+350,118 is ½ · 600 · (131.29 + 206.67) = 101,388 by 600 more calls, and the rest."""
    compared = rows([(393_881, 743_999)], [(3000, 3600)])

    assert why_tip(compared, 0) == (
        f"+101{THIN}388 by the number of calls (3{THIN}000{THIN}→{THIN}3{THIN}600), "
        f"+248{THIN}730 by the cost per call"
    )


def test_counts_say_both_sides_where_they_differ() -> None:
    """An unchanged count stands alone."""
    compared = rows([(1, 1)] * 2, [(7, 7), (0, 3)])

    assert [count_text(compared, row) for row in range(2)] == ["7", f"0{THIN}→{THIN}3"]


def test_growth_is_sorted_by_its_size() -> None:
    """What is new grew endlessly; what is gone lost all; the export has the sign."""
    compared = rows([(0, 5), (10, 5), (5, 0), (4, 4)], [(1, 1)] * 4)
    _, _, growth, _ = comparison_columns(lambda: compared, "Inclusive cost")

    assert growth.sort_key().tolist() == [np.inf, 0.5, 1.0, 0.0]
    assert growth.numbers().tolist() == [np.inf, -0.5, -1.0, 0.0]


def test_equal_causes_stand_together() -> None:
    """Sorted by Why, rows with the same words are neighbours, whatever their costs."""
    compared = rows(
        [(100, 200), (100, 300), (100, 110), (100, 30), (50, 60)],
        [(10, 20), (10, 10), (10, 11), (10, 10), (10, 12)],
    )
    *_, why = comparison_columns(lambda: compared, "Inclusive cost")

    order = np.argsort(why.sort_key(), kind="stable")

    assert [why.text(int(row)) for row in order] == [
        "cheaper calls",
        "costlier calls",
        *["more calls"] * 3,
    ]
