"""Units: how costs, changes and their columns are written."""

from __future__ import annotations

import numpy as np
import pytest

from qcachegrind_py.present.figures import Counts, Figures
from qcachegrind_py.present.table import cost_column
from qcachegrind_py.present.unit import BASE, Divisors, Unit, share_text

THIN = "\N{THIN SPACE}"
COSTS, OLD = np.array([6]), np.array([3])


@pytest.mark.parametrize(
    ("divisors", "titles", "side"),
    [
        (None, ["Incl. ±", "Dr incl. ±"], "Dr"),
        (
            Divisors((100, 200), are_totals=True),
            ["Incl. ± (points)", "Dr incl. ± (points)"],
            "Dr %",
        ),
        (
            Divisors((100, 200), are_totals=False),
            ["Incl. ± per call", "Dr incl. ± per call"],
            "Dr per call",
        ),
    ],
)
def test_columns_of_a_second_event_are_named_after_it(
    divisors: Divisors | None, titles: list[str], side: str
) -> None:
    """Whatever the unit is, which follows the sign of a change."""
    units = [Unit(event, 100, wants_percent=False, divisors=divisors) for event in ("Ir", "Dr")]
    columns = [
        cost_column("i", "Incl.", "", Figures(unit, COSTS, OLD), is_second=is_second)
        for unit, is_second in zip(units, (False, True), strict=True)
    ]

    assert [column.heading for column in columns] == titles
    assert units[1].heading("Dr") == side


def test_each_side_is_divided_by_its_own_number() -> None:
    """Twice the cost in twice the calls is no change; nothing to divide by is a dash."""
    unit = Unit("Ir", divisors=Divisors((3, 6), are_totals=False))
    figures = Figures(unit, COSTS, OLD)
    lacking = Figures(Unit("Ir", divisors=Divisors((0, 6), are_totals=False)), COSTS, OLD)

    assert (figures.cell(0), figures.side_text(0, BASE)) == ("", "1.00 per call")
    assert (lacking.cell(0), lacking.side_text(0, BASE)) == ("–", "–")


@pytest.mark.parametrize("wants_percent", [True, False])
def test_a_cost_is_given_as_share_and_in_absolute_numbers(wants_percent: bool) -> None:
    """Both are there in either unit, so that nobody has to switch; estimates are marked."""
    unit = Unit("Ir", 2_000, wants_percent)
    exact, estimated = (unit.details(1_000, is_exact=exact) for exact in (True, False))

    assert exact == (f"50.00{THIN}%", f"1{THIN}000 Ir")
    assert [text.replace(THIN, "") for text in estimated] == ["≈50.00%", "≈1000 Ir"]


def test_a_cost_without_a_share() -> None:
    """A ratio has none, and neither has a cost in a profile whose total is 0."""
    assert Unit("CPI", 2.5, is_ratio=True).details(1.5) == ("1.500 CPI",)
    assert Unit("Ir").details(0) == ("0 Ir",)


def test_an_estimate_of_no_calls_is_not_a_dash() -> None:
    """A dash means that there is no call; a share of calls may be less than half a call."""
    counts = Counts(
        np.array([0, 0]), np.array([0, 0]), is_estimate=np.array([True, False]), without_calls="–"
    )

    assert [counts.text(row) for row in range(2)] == [f"≈{THIN}0", "–"]


@pytest.mark.parametrize(
    ("cost", "total", "text"),
    [(1, 10**6, "<0.01"), (0, 5, "0.00"), (5, 5, "100.00"), (1, 0, "–"), (50, 10**6, "0.01")],
)
def test_a_share_above_zero_is_never_zero(cost: int, total: int, text: str) -> None:
    """A cost that would be rounded to 0.00 % is told from one that is nothing."""
    assert share_text(cost, total) == text
