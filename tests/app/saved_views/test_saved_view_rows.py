"""The list of saved views: texts, names that can be edited, and Qt's checks."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QPersistentModelIndex, Qt

from qcachegrind_py.app.saved_views.dialogs import SavedViewColumn, SavedViewTableModel
from qcachegrind_py.formats.saved_views import SavedFunction, SavedView

FULL = SavedView(
    "a\x1b", "first\nsecond", SavedFunction("f", "", ""), "Ir", "Dr", "self>1%", True
)  # fmt: skip
BARE = SavedView("b")


def texts(model: SavedViewTableModel) -> list[list[str]]:
    columns = range(model.columnCount())
    return [[str(model.index(row, c).data()) for c in columns] for row in range(model.rowCount())]


def test_model_passes_qt_model_checks(qtmodeltester: Any) -> None:
    """Also while its rows are replaced."""
    model = SavedViewTableModel((FULL, BARE))
    qtmodeltester.check(model)
    model.set_views((BARE,))
    model.set_views((FULL,))
    qtmodeltester.check(SavedViewTableModel())


def test_rows_say_what_a_view_has() -> None:
    """Of a note the first line; names are visible text."""
    model = SavedViewTableModel((FULL, BARE))
    assert texts(model) == [
        [r"a\x1b", "f", "Ir, Dr", "self>1%, only my code", "first"], ["b", "", "", "", ""],
    ]  # fmt: skip
    assert model.tip(0) == r"<qt>a\x1b<br>first<br>second</qt>"


def test_only_names_can_be_edited() -> None:
    """The model asks for it: names are unique, which the list of views knows."""
    model, asked = SavedViewTableModel((FULL, BARE)), list[tuple[str, str]]()
    model.rename_requested.connect(lambda *names: asked.append(names))
    editable = [
        bool(model.index(0, column).flags() & Qt.ItemFlag.ItemIsEditable)
        for column in SavedViewColumn
    ]
    assert editable == [True, False, False, False, False]
    assert [model.setData(model.index(1, 0), text) for text in (" c ", "", "b")] == [
        True, False, False,
    ]  # fmt: skip
    assert (asked, texts(model)[1][0]) == ([("b", "c")], "b")


def test_rows_that_keep_their_places_stay_selected() -> None:
    """As after renaming; after deleting they do not."""
    model = SavedViewTableModel((FULL, BARE))
    row = QPersistentModelIndex(model.index(1, 0))
    model.set_views((FULL, SavedView("c")))
    assert (row.row(), row.data()) == (1, "c")
    model.set_views((FULL,))
    assert not row.isValid()
