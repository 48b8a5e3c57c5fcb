"""Journeys of a user in the lists: sorting, keys, selecting, searching."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QHeaderView, QStyle, QStyleOptionHeader
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.views.tables.item_model import Role
from qcachegrind_py.views.tables.record_table import RecordTable
from qcachegrind_py.views.tables.table_actions import text_export
from qcachegrind_py.views.widgets.colors import blended
from tests.columns import FUNCTIONS
from tests.seen_cell import SeenCell
from tests.user_input import go_to, ignore_offscreen_warnings, process_events

pytestmark = ignore_offscreen_warnings
OpenFile = Callable[..., None]
LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
_FUNCTIONS = 500


@pytest.fixture
def shown(window: MainWindow, open_file: OpenFile, tmp_path: Path, qtbot: QtBot) -> MainWindow:
    """A window with many functions; the names of the cheap ones are sorted like their costs."""
    path = tmp_path / "callgrind.out.1"
    lines = ["ob=/usr/lib/x86_64-linux-gnu/libapplication.so.2\nfl=/src/application_windows.cpp"]
    lines += [f"fn=f{n:03}\n1 {_FUNCTIONS - n}" for n in range(_FUNCTIONS)]
    calls = [f"cfn=f{n:03}\ncalls=1 1\n1 {_FUNCTIONS - n}" for n in range(_FUNCTIONS)]
    path.write_text("\n".join(["events: Ir", *lines, "fn=main", "1 0", *calls, ""]))
    window.resize(1366, 768)
    window.show()
    qtbot.waitExposed(window)
    open_file(path)
    go_to(window.session, window.navigation, "main")
    window.views.function_list.table.sort_by(FUNCTIONS.INCLUSIVE)
    process_events()
    return window


def visible_names(table: RecordTable) -> list[str]:
    """The names of the rows on the screen, from the top."""
    first = table.rowAt(0)
    last, model = table.rowAt(table.viewport().height() - 1), table.model()
    last = last if last >= 0 else model.rowCount() - 1
    return [model.index(row, FUNCTIONS.NAME).data() for row in range(first, last + 1)]


def ground(table: RecordTable, row: int) -> QColor:
    """The background of a row, at its end."""
    image = table.viewport().grab().toImage()
    return image.pixelColor(image.width() - 20, table.rowViewportPosition(row) + 4)


def test_sorting_shows_the_hottest_function(shown: MainWindow) -> None:
    """A click on a title shows the top of the list, wherever the active function is then."""
    table = shown.views.function_list.table
    assert visible_names(table)[0] == "main"  # active, at the top by inclusive cost
    header = table.horizontalHeader()
    place = QPoint(header.sectionViewportPosition(FUNCTIONS.SELF) + 9, header.height() // 2)
    QTest.mouseClick(header.viewport(), LEFT, pos=place)
    process_events()

    assert visible_names(table)[:2] == ["f000", "f001"]
    assert "main" not in visible_names(table)  # its self cost is 0: at the end
    assert table.currentIndex().siblingAtColumn(FUNCTIONS.NAME).data() == "main"


def test_home_and_end_go_to_the_ends_of_a_list(shown: MainWindow) -> None:
    """The first and last rows are current and selected as a whole."""
    table = shown.views.function_list.table
    table.setFocus()
    found = []
    for key in (Qt.Key.Key_End, Qt.Key.Key_Home):
        QTest.keyClick(table, key)
        process_events()
        rows = {index.row() for index in table.selectionModel().selectedRows()}
        found.append((table.currentIndex().row(), rows))
        assert table.visualRect(table.currentIndex()).intersects(table.viewport().rect())

    last = table.model().rowCount() - 1
    assert found == [(last, {last}), (0, {0})]


def test_a_selected_row_does_not_look_like_the_active_function(shown: MainWindow) -> None:
    """Arrow keys and a right click select; only the active function is in the full colour."""
    table = shown.views.function_list.table
    palette = table.palette()
    strong = palette.color(QPalette.ColorRole.Highlight)
    light = blended(strong, palette.color(QPalette.ColorRole.Base), 0.3)
    assert ground(table, 0) == strong
    table.setFocus()
    QTest.keyClick(table, Qt.Key.Key_Down)
    QTest.keyClick(table, Qt.Key.Key_Down)
    process_events()
    moved = ground(table, 0), ground(table, 2)
    QTest.keyClick(table, Qt.Key.Key_Return)
    process_events()

    assert moved == (strong, QColor(light.rgb()))
    assert (ground(table, 2), ground(table, 0) == strong) == (strong, False)


def test_a_search_shows_its_costliest_match(shown: MainWindow) -> None:
    """The list is at its top after a search, even if the active function matches far below."""
    functions = shown.views.function_list
    table = functions.table
    functions.search.setText("f498")
    QTest.keyClick(functions.search, Qt.Key.Key_Return)
    process_events()
    QTest.keyClick(table, Qt.Key.Key_Return)
    process_events()
    functions.search.setText("f")
    process_events()

    assert visible_names(table)[0] == "f000"


def cut_titles(table: RecordTable) -> list[str]:
    """The titles that do not fit their columns, with the sort arrow where it is."""
    header, cut = table.horizontalHeader(), []
    for column in range(header.count()):
        if not header.isSectionHidden(column):
            title = str(table.model().headerData(column, Qt.Orientation.Horizontal))
            if header.fontMetrics().horizontalAdvance(title) > title_room(header, column):
                cut.append(title)
    return cut


def title_room(header: QHeaderView, column: int) -> int:
    """The width that the style leaves for a title."""
    option = QStyleOptionHeader()
    option.initFrom(header)
    option.rect.setRect(0, 0, header.sectionSize(column), header.height())
    option.state |= QStyle.StateFlag.State_Horizontal
    if header.sortIndicatorSection() == column:
        option.sortIndicator = QStyleOptionHeader.SortIndicator.SortDown
    return header.style().subElementRect(QStyle.SubElement.SE_HeaderLabel, option, header).width()


def test_titles_have_room_for_the_sort_arrow(shown: MainWindow) -> None:
    """No title is cut, whichever column the list is sorted by."""
    found = []
    for table in (shown.views.function_list.table, shown.views.callees.table):
        for column in range(table.model().columnCount()):
            if not table.isColumnHidden(column):
                table.sortByColumn(column, Qt.SortOrder.DescendingOrder)
                process_events()
                found += cut_titles(table)

    assert found == []


def test_columns_follow_the_width(shown: MainWindow) -> None:
    """A wide list shows locations in full, a narrow one names alone; neither scrolls sideways."""
    functions, name = shown.views.function_list, FUNCTIONS.NAME
    dock, table = shown.docks.by_id["function_list"], functions.table
    location = FUNCTIONS.LOCATION
    found = []
    for width in (350, 1000, 350):
        shown.resizeDocks([dock], [width], Qt.Orientation.Horizontal)
        process_events()
        found.append((table.isColumnHidden(location), table.horizontalScrollBar().maximum()))
        if not table.isColumnHidden(location):
            text = table.model().index(0, location).data()
            wanted = table.fontMetrics().horizontalAdvance(text)
            assert table.columnWidth(location) > wanted
            longest = table.fontMetrics().horizontalAdvance(table.model().index(0, name).data())
            assert table.columnWidth(name) > longest

    assert found == [(True, 0), (False, 0), (True, 0)]
    assert "Location" in text_export(table)(
        NoProgress()
    )  # what is copied does not depend on the width


def test_space_activates_a_row(shown: MainWindow) -> None:
    """In lists and in the call tree, Space does what Return does."""
    table, found = shown.views.function_list.table, []
    table.setFocus()
    QTest.keyClick(table, Qt.Key.Key_Down)
    QTest.keyClick(table, Qt.Key.Key_Space)
    process_events()
    found.append(shown.navigation.context.function)
    callers = shown.views.callers.table
    callers.setFocus()
    callers.selectRow(0)
    QTest.keyClick(callers, Qt.Key.Key_Space)
    process_events()

    assert found == [table.model().index(1, 0).data(Role.FUNCTION)]
    assert visible_names(table)[0] == "main"
    assert shown.navigation.context.function == table.model().index(0, 0).data(Role.FUNCTION)


def test_lists_have_the_colours_of_the_pictures(shown: MainWindow, qtbot: QtBot) -> None:
    """A function's square before its name has the colour of its box, without a grouping, too."""
    shown.docks.show("callee_map")
    views = shown.views
    process_events()
    canvas = views.callee_map.map
    qtbot.waitUntil(lambda: canvas.picture is not None)
    style = canvas.picture.style
    for model in (views.function_list.model, views.callees.model):
        names = [column.key for column in model.columns].index("name")
        for row in range(3):
            index = model.index(row, names)
            square = SeenCell(index).color
            assert square is not None
            assert square.name() == style.color(index.data(Role.FUNCTION))


def test_keyboard_is_in_the_view_that_was_maximized(shown: MainWindow) -> None:
    """Also from the header of the window, and it stays where it was in the view."""
    table = shown.views.function_list.table
    keys = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    found = []
    table.setFocus()
    for _ in range(2):
        QTest.keyClick(shown, Qt.Key.Key_Return, keys)
        process_events()
        found.append(QApplication.focusWidget())
        QTest.keyClick(shown, Qt.Key.Key_Return, keys)
        process_events()
        table.clearFocus()

    assert found == [table, table]
