"""The interface to Qt: indexes, cells, and references to None."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt

from qcachegrind_py.views.tables.item_model import cell_value, make_index
from qcachegrind_py.views.tables.table_model import TableModel
from tests.profile_text import function_model, queries_for

CALLS = 20_000


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.int64(2**40), 2**40),
        (np.int32(-7), -7),
        (np.uint64(2**64 - 1), str(2**64 - 1)),
        (np.float64(0.25), 0.25),
        (np.bool_(True), True),
        (2**63 - 1, 2**63 - 1),
        (2**63, str(2**63)),
        (-(2**63), -(2**63)),
        (-(2**63) - 1, str(-(2**63) - 1)),
        ("text", "text"),
        (None, None),
    ],
)
def test_cell_converts_to_python_values(value: object, expected: object) -> None:
    """Qt takes a numpy scalar for an empty cell and fails on large integers: cells avoid both."""
    made = cell_value(value)

    assert (expected, type(expected)) == (made, type(made))


def filled_model(folder: Path) -> TableModel:
    """A model of three rows."""
    return function_model(queries_for(folder, "a 1\nb 2\nc 3"))


def test_make_index_takes_numbers_of_arrays(tmp_path: Path) -> None:
    """An index created from numpy numbers equals one created from Python's, and has no children."""
    model = filled_model(tmp_path)

    made = make_index(model, np.int64(2), np.int32(1))  # type: ignore[arg-type]

    assert (made.row(), made.column(), made.internalId()) == (2, 1, 0)
    assert made == model.index(2, 1)
    assert (model.rowCount(made), model.columnCount(QPersistentModelIndex(made))) == (0, 0)


def test_calls_from_qt_lose_no_reference_to_none(tmp_path: Path) -> None:
    """However often Qt receives None, its reference count stays: at 0 Python would abort."""
    model = filled_model(tmp_path)
    index = model.index(0, 0)
    header = Qt.Orientation.Horizontal
    before = sys.getrefcount(None)

    for _ in range(CALLS):
        index.data(Qt.ItemDataRole.DecorationRole)
        model.index(0, 2).data(Qt.ItemDataRole.UserRole + 2)
        model.headerData(0, header, Qt.ItemDataRole.DecorationRole)
        model.sort(0)
        model.rowCount(QModelIndex())

    lost = before - sys.getrefcount(None)
    assert lost < CALLS / 100
