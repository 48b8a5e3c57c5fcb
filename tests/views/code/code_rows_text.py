"""A small program as source and profile, and the content of a code view as text."""

from __future__ import annotations

from PySide6.QtTest import QTest

from qcachegrind_py.views.code.code_views import CodeView
from tests.columns import CODE_LINES
from tests.profile_text import THIN, dump_rows
from tests.user_input import LEFT, NONE, double_click_row, process_events, row_position

# `twice` is inlined into main and into other, which is in another file


def rows(view: CodeView, *columns: int) -> list[str]:
    """One line a row: location, self cost, inclusive cost, calls and text."""
    default = view.model.places("location", "self", "inclusive", "calls", "text")
    return [line.replace(THIN, "") for line in dump_rows(view.model, *(columns or default))]


def text_column(view: CodeView) -> int:
    """The column with the code."""
    return view.model.place("text")


def location_of_row(view: CodeView, row: int) -> str:
    """The line or address of a row."""
    return str(view.model.index(row, CODE_LINES.LOCATION).data())


def row_of(view: CodeView, start: str) -> int:
    """The first row whose location or text starts like this."""
    columns = CODE_LINES.LOCATION, text_column(view)
    found = dump_rows(view.model, *columns)
    return next(
        row
        for row, line in enumerate(found)
        if start in (line.split(" | ")[0], line.split(" | ", 1)[1][: len(start)])
    )


def current(view: CodeView) -> str:
    """The line or address of the current row."""
    return location_of_row(view, view.table.currentIndex().row())


def marked_locations(view: CodeView) -> list[str]:
    """The locations of the marked rows."""
    model, texts = view.model, view.model.listing.texts
    marked = (record for record in model.order.tolist() if model.is_marked(record))
    return [location for record in marked if (location := texts.location(record))]


def is_row_visible(view: CodeView, row: int) -> bool:
    """Whether a row is fully visible."""
    table = view.table
    top = table.rowViewportPosition(row)
    return top >= 0 and top + table.rowHeight(row) <= table.viewport().height()


def click(view: CodeView, start: str) -> None:
    """Click on a visible row."""
    place = row_position(view.table, row_of(view, start))
    assert view.table.viewport().rect().contains(place)
    QTest.mouseClick(view.table.viewport(), LEFT, NONE, place)
    process_events()


def double_click(view: CodeView, start: str) -> None:
    """Double-click on a visible row."""
    double_click_row(view.table, row_of(view, start))
