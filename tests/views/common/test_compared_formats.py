"""Formats of changes in all units, as the lists of a comparison have them."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from qcachegrind_py.models.functions import NO_ROWS, FunctionModel

from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.present.former.cost_format import CostFormat
from qcachegrind_py.present.former.formats import change_format, side_format
from qcachegrind_py.present.former.measures import Measure
from tests.columns import FUNCTIONS


@pytest.mark.parametrize(
    ("unit", "titles", "side"),
    [
        (None, ["Incl. ±", "Self ±", "Dr incl. ±", "Dr self ±"], "Dr"),
        (
            CostUnit.SHARES,
            ["Incl. ± (points)", "Self ± (points)", "Dr incl. ± (points)", "Dr self ± (points)"],
            "Dr %",
        ),
        (
            CostUnit.PER_CALL,
            [
                *("Incl. ± per call", "Self ± per call"),
                *("Dr incl. ± per call", "Dr self ± per call"),
            ],
            "Dr per call",
        ),
    ],
)
def test_columns_of_a_second_event_are_named_after_it(
    qapp: object, unit: CostUnit | None, titles: list[str], side: str
) -> None:
    """Whatever the unit is, which follows the sign of a change."""
    divided = None if unit is None else Measure(unit, (100, 200))
    costs = [CostFormat(event, 100, as_percentage=False) for event in ("Ir", "Dr")]
    model = FunctionModel()
    model.set_rows(NO_ROWS, *(change_format(each, divided, 7) for each in costs))
    columns = (
        FUNCTIONS.INCLUSIVE,
        FUNCTIONS.SELF,
        FUNCTIONS.SECOND_INCLUSIVE,
        FUNCTIONS.SECOND_SELF,
    )

    heading = Qt.Orientation.Horizontal
    assert [model.headerData(column, heading).strip() for column in columns] == titles
    assert side_format(costs[1], divided, 0).heading("Dr") == side
