"""The table of source and assembler: folds, hot lines, the cost ruler, sorting, long lines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontMetrics, QGuiApplication, QImage
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.views.code.code_views import SourceView
from tests.code_programs import PROFILE, SOURCES, lines_of
from tests.columns import CODE_LINES
from tests.user_input import (
    LEFT,
    NONE,
    choose_action,
    click_row,
    enabled_texts,
    ignore_offscreen_warnings,
    inspect_menu,
    process_events,
    row_menu,
)
from tests.views.code.code_rows_text import (
    click,
    current,
    is_row_visible,
    location_of_row,
    row_of,
    rows,
)
from tests.views.code.conftest import ShowCode, WriteFiles

Settle = Callable[[SourceView], None]
LONG = {"long.c": lines_of(400)}
LONG_PROFILE = """
    events: Ir Dr
    fl=long.c
    fn=f
    100 5 9
    300 50 1
    390 20 0
    """
FOLDED = [
    " | 98 lines without cost",
    "99 | line 99",
    "100 | line 100",
    "101 | line 101",
    " | 197 lines without cost",
    "299 | line 299",
    "300 | line 300",
    "301 | line 301",
    " | 87 lines without cost",
    "389 | line 389",
    "390 | line 390",
    "391 | line 391",
    " | 9 lines without cost",
]


def click_header(view: SourceView, column: int) -> None:
    """Click on a column's header."""
    header = view.table.horizontalHeader()
    place = QPoint(header.sectionViewportPosition(column) + 8, header.height() // 2)
    QTest.mouseClick(header.viewport(), LEFT, NONE, place)
    process_events()


def folded(view: SourceView) -> list[str]:
    """The locations and texts of the rows."""
    return rows(view, CODE_LINES.LOCATION, CODE_LINES.TEXT)


@pytest.fixture
def long_view(show_code: ShowCode, write_files: WriteFiles) -> SourceView:
    """The source of a file with 400 lines, three of them costly, unfolded."""
    write_files(LONG)
    shown: SourceView = show_code("source", LONG_PROFILE, "f", context_lines=1)
    return shown


@pytest.fixture
def folded_view(show_code: ShowCode, write_files: WriteFiles) -> SourceView:
    """The same, folded to one line around each with cost."""
    write_files(LONG)
    shown: SourceView = show_code("source", LONG_PROFILE, "f", context_lines=1, fold_source=True)
    return shown


# ---------------------------------------------------------------- folds


@pytest.mark.parametrize("by", ["click", "Return"])
def test_fold_is_opened(folded_view: SourceView, by: str) -> None:
    """A click on a fold, or Return, shows its lines, in view, and no others."""
    view = folded_view
    assert (folded(view), current(view)) == (FOLDED, "300")
    if by == "click":
        click(view, "87 lines")
    else:
        view.table.setCurrentIndex(view.model.index(8, 0))
        QTest.keyClick(view.table, Qt.Key.Key_Return)
        process_events()
    opened = [f"{n} | line {n}" for n in range(302, 389)]
    assert folded(view) == FOLDED[:8] + opened + FOLDED[9:]
    assert (current(view), is_row_visible(view, row_of(view, "302"))) == ("302", True)


def test_folding_is_a_setting(
    long_view: SourceView, navigation: Navigation, settle: Settle
) -> None:
    """The setting folds and unfolds everything; the current line stays visible."""
    view, style = long_view, navigation.context.annotation
    click_row(view.table, 302)  # line 303, far from any cost
    assert (len(folded(view)), current(view)) == (400, "303")

    navigation.set(annotation=replace(style, fold_source=True))
    settle(view)
    assert current(view) == "303"
    assert folded(view)[:8] == FOLDED[:8]
    assert is_row_visible(view, view.table.currentIndex().row())

    click_row(view.table, row_of(view, "300"))
    navigation.set(annotation=replace(style, fold_source=False))
    settle(view)
    assert (len(folded(view)), current(view)) == (400, "300")
    assert is_row_visible(view, view.table.currentIndex().row())


def test_reload_keeps_the_scroll_position(
    show_code: ShowCode, write_files: WriteFiles, navigation: Navigation, settle: Settle
) -> None:
    """Reloaded code keeps its scroll position, also with a fold at the top."""
    write_files(LONG)
    lines = "".join(f"{line} 1\n" for line in range(5, 400, 5))
    profile = f"events: Ir\nfl=long.c\nfn=f\n{lines}"
    view = show_code("source", profile, "f", context_lines=0, fold_source=True)
    bar = view.table.verticalScrollBar()
    click_row(view.table, 1)
    top = row_of(view, "205") - 1
    bar.setValue(top * view.table.rowHeight(0) + 3)
    process_events()
    place = current(view), bar.value()
    assert place[0] == "5"
    assert "without cost" in folded(view)[top]
    style = navigation.context.annotation
    navigation.set(annotation=replace(style, intel_syntax=True))
    settle(view)
    assert (current(view), bar.value()) == place


# ---------------------------------------------------------------- hot lines


def test_hot_lines_of_nothing(show_code: ShowCode, write_files: WriteFiles) -> None:
    """Without costs, the keys for hot lines do nothing."""
    write_files({"a.c": "one\ntwo\n"})
    view = show_code("source", "events: Ir\nfl=a.c\nfn=f\n1 0\n", "f")
    view.table.go_to_costliest(1)
    assert view.navigation.context.position is None


# ---------------------------------------------------------------- the cost ruler


def marked_rows(view: SourceView) -> list[str]:
    """The lines that clicks on the ruler's marks lead to, from the top."""
    image = view.panel.ruler.grab().toImage()
    middle, height = image.width() // 2, image.height()
    marks = [y for y in range(height) if image.pixelColor(middle, y).saturation() > 60]
    return list(dict.fromkeys(location_of_row(view, view.panel.ruler.row_at(y)) for y in marks))


def test_ruler_marks_costly_lines(long_view: SourceView, navigation: Navigation) -> None:
    """The ruler marks the lines with cost, for the shown event and row order."""
    view = long_view
    assert marked_rows(view) == ["100", "300", "390"]

    navigation.set(event=navigation.context.events.find("Dr"))
    process_events()
    assert marked_rows(view) == ["100", "300"]

    click_header(view, CODE_LINES.SELF)
    assert marked_rows(view) == ["100", "300"]  # lines 300 and 390 cost less and are below


def test_click_on_the_ruler_jumps(long_view: SourceView, navigation: Navigation) -> None:
    """A click scrolls to the marked line; the selection stays."""
    view = long_view
    click_row(view.table, 299)
    y = next(y for y in range(view.panel.ruler.height()) if view.panel.ruler.row_at(y) == 99)
    assert not is_row_visible(view, 99)
    QTest.mouseClick(view.panel.ruler, LEFT, NONE, QPoint(3, y))
    process_events()
    assert (is_row_visible(view, 99), current(view)) == (True, "300")


# ---------------------------------------------------------------- mouse, menu, long lines


@ignore_offscreen_warnings
def test_menu(show_code: ShowCode, write_files: WriteFiles) -> None:
    """A call offers its function, a line its editor and inlined lines; all rows can be copied."""
    write_files(SOURCES)
    view = show_code("source", PROFILE, "main")
    asked: list[int] = []
    view.menu_requested.connect(lambda _menu, function: asked.append(function))
    copies = ["Copy Cell", "Copy Row", "Copy Table as Text", "Copy Table as CSV", "Save Table…"]

    click(view, "12")
    assert inspect_menu(row_menu(view.table, row_of(view, "12")), enabled_texts) == [
        "Open Line in Editor",
        "Hide Inlined Lines Here",
        *copies,
    ]
    assert inspect_menu(row_menu(view.table, row_of(view, "helper")), enabled_texts) == [
        "Go to Function", *copies
    ]  # fmt: skip
    queries = view.session.queries
    assert queries is not None
    assert asked == [queries.names.with_name(name)[0] for name in ("main", "helper")]

    choose_action(row_menu(view.table, row_of(view, "12")), "Copy Table as CSV")
    lines = QGuiApplication.clipboard().text().splitlines()
    jump = "jumps here from 11: 9 of 10 times"
    assert lines[13] == f"12,40,140,10,{jump},        sum += helper(twice(i));"


def test_long_lines_can_be_scrolled_to(show_code: ShowCode, write_files: WriteFiles) -> None:
    """Only the text scrolls sideways; a very long line is copied in full."""
    long = "int very_long[] = {" + ", ".join(map(str, range(2_000))) + "};"
    write_files({"a.c": f"int a;\n{long}\n"})
    view = show_code("source", "events: Ir\nfl=a.c\nfn=f\n1 5\n", "f")
    table, bar = view.table, view.table.text_bar
    width = 1_000 * view.fontMetrics().averageCharWidth() * 0.8  # of the drawn part
    assert bar.isVisible()
    assert bar.maximum() + table.columnWidth(CODE_LINES.TEXT) > width

    def picture() -> tuple[QImage, QImage]:
        """What is left of the text of the second line, and the text."""
        process_events()
        area = table.visualRect(view.model.index(1, CODE_LINES.TEXT))
        image = table.viewport().grab().toImage()
        return image.copy(0, area.top(), area.left(), area.height()), image.copy(area)

    before, text = picture()
    bar.setValue(bar.maximum() // 2)
    costs, middle = picture()
    bar.setValue(bar.maximum())
    assert costs == before
    assert text != middle != picture()[1]

    click(view, "2")
    table.copy_rows()
    assert QGuiApplication.clipboard().text().split("\t")[-1] == long


def test_keys_scroll_the_text_alone(show_code: ShowCode, write_files: WriteFiles) -> None:
    """Right and Left scroll a long text, also after a click; Down does not."""
    write_files({"a.c": f"int a;\nint b = {'1 + ' * 100}1;\nint c;\n"})
    view = show_code("source", "events: Ir\nfl=a.c\nfn=f\n1 5\n3 1\n", "f")
    table, bar, columns = view.table, view.table.text_bar, view.table.horizontalScrollBar()
    area = table.visualRect(view.model.index(0, CODE_LINES.TEXT))
    QTest.mouseClick(table.viewport(), LEFT, NONE, area.center())
    values = []
    for key in "Right", "Right", "Right", "Left", "Down", "Down", "Left", "Left", "Left":
        QTest.keyClick(table, Qt.Key[f"Key_{key}"])
        values.append(bar.value() // bar.singleStep())
    assert (values, current(view)) == ([1, 2, 3, 2, 2, 2, 1, 0, 0], "3")
    assert (columns.value(), table.columnViewportPosition(CODE_LINES.LOCATION)) == (0, 0)

    view.resize(220, 400)
    process_events()
    area = table.visualRect(view.model.index(0, CODE_LINES.TEXT))
    assert columns.maximum() > 0
    assert area.right() > table.viewport().width()  # the text ends beyond the edge
    QTest.mouseClick(table.viewport(), LEFT, NONE, area.topLeft() + QPoint(3, 3))
    QTest.keyClick(table, Qt.Key.Key_Down)
    assert (current(view), columns.value()) == ("2", 0)

    write_files({"a.c": "int a;\n"})
    view = show_code("source", "events: Ir\nfl=a.c\nfn=f\n1 5\n", "f")
    QTest.keyClick(view.table, Qt.Key.Key_Right)
    assert (view.table.text_bar.isVisible(), view.table.text_bar.value()) == (False, 0)


def test_matches_are_highlighted(
    show_code: ShowCode, write_files: WriteFiles, qtbot: QtBot
) -> None:
    """Every occurrence of the search text is highlighted in any case, and nothing else.

    Ending the search removes the highlights.
    """
    write_files({"long.c": lines_of(400, l302="LINE 302 is after line 301")})
    view = show_code("source", LONG_PROFILE, "f")
    table = view.table
    last_seen = view.model.record(view.model.index(310, 0))
    qtbot.waitUntil(
        lambda: bool(view.model.listing.texts.colored_words(last_seen, view.model.colors))
    )  # coloured

    def pictures() -> dict[str, QImage]:
        """The texts of the lines in sight, without the selected one."""
        process_events()
        image = table.viewport().grab().toImage()
        first, last = table.rowAt(0) + 1, table.rowAt(table.viewport().height() - 1)
        area = {
            r: table.visualRect(view.model.index(r, CODE_LINES.TEXT)) for r in range(first, last)
        }
        return {
            location_of_row(view, r): image.copy(area[r]) for r in area if r != row_of(view, "300")
        }

    before = pictures()
    view.search.setText("INE 30")
    lit = pictures()
    view.search.setText("")

    assert {"299", "301", "305"} <= set(before)
    changed = {place for place, picture in lit.items() if picture != before[place]}
    assert changed == {place for place in before if place.startswith("30")}
    yellow = {
        place: [x for x in range(300) if lit[place].pixelColor(x, 1).saturation() > 60]
        for place in ("301", "302")
    }
    one = yellow["301"]
    assert one == list(range(one[0], one[-1] + 1))  # one contiguous range
    digit = view.fontMetrics().horizontalAdvance("0")
    assert 3 * digit < len(one) < 10 * digit
    assert abs(len(yellow["302"]) - 2 * len(one)) <= 2
    assert pictures() == before


def test_match_is_scrolled_into_view(show_code: ShowCode, write_files: WriteFiles) -> None:
    """A match beyond the edge scrolls into view sideways; a visible one scrolls nothing."""
    line = f"int first = {'1 + ' * 60}middle{' + 1' * 60}, last;"
    write_files({"a.c": f"int a;\n{line}\nint last;\n"})
    view = show_code("source", "events: Ir\nfl=a.c\nfn=f\n1 5\n", "f")
    table, bar = view.table, view.table.text_bar
    room, digit = table.columnWidth(CODE_LINES.TEXT), table._delegate.code_style.digit_width
    found = {}
    for text in ("middle", "1 + m", "last", "first"):
        view.search.setText(text)
        view.show_next_match()
        process_events()
        at = line.index(text) * digit - bar.value()  # from the left edge
        found[text] = current(view), 0 <= at <= at + len(text) * digit <= room, bar.value()
        table.go_to_record(0)

    assert {text: of[:2] for text, of in found.items()} == dict.fromkeys(found, ("2", True))
    assert (found["middle"][2], found["first"][2] < found["middle"][2]) == (found["1 + m"][2], True)
    assert found["last"][2] > found["middle"][2] > 0


def test_first_and_last_row_by_key(long_view: SourceView, navigation: Navigation) -> None:
    """Ctrl+Home and Ctrl+End select the first and the last row as the position."""
    found = []
    for key in (Qt.Key.Key_End, Qt.Key.Key_Home):
        QTest.keyClick(long_view.table, key, Qt.KeyboardModifier.ControlModifier)
        process_events()
        position = navigation.context.position
        assert position is not None
        rows_ = [index.row() for index in long_view.table.selectionModel().selectedRows()]
        found.append((current(long_view), position.line, rows_))
    assert found == [("400", 400, [399]), ("1", 1, [0])]


def test_current_row_stays_in_sight(long_view: SourceView) -> None:
    """Shrinking the view keeps a visible current row visible, and scrolls to no hidden one."""
    view, bar = long_view, long_view.table.verticalScrollBar()
    last = view.table.rowAt(view.table.viewport().height() - 1) - 1
    click_row(view.table, last)
    place = current(view)
    for height in (250, 160, 400):
        view.resize(700, height)
        process_events()
        assert (current(view), is_row_visible(view, last)) == (place, True)

    bar.setValue(0)
    process_events()
    for height in (200, 400):
        view.resize(700, height)
        process_events()
        assert bar.value() == 0


@pytest.mark.parametrize("cost", [1, 123_456_789])
def test_words_in_place_of_numbers_are_never_cut(
    show_code: ShowCode, write_files: WriteFiles, cost: int
) -> None:
    """However small the numbers, columns have space for “(cycle)” and “(active)”."""
    write_files({"a.c": lines_of(3)})
    profile = f"events: Ir\nfl=a.c\nfn=f\n1 {cost}\ncfn=f\ncalls=2 1\n1 {cost}\n"
    view = show_code("source", f"{profile}cfn=g\ncalls=0 1\n2 {cost}\nfn=g\n1 {cost}\n", "f")
    view.resize(300, 300)
    process_events()
    model, table = view.model, view.table
    metrics = QFontMetrics(table.font())
    texts_ = {
        (column, text)
        for column in model.places("self", "inclusive", "calls")
        for record in range(model.table.length)
        if (text := model.columns[column].cells.text(record))
    }
    assert {text for _, text in texts_} >= {"(cycle)", "(active)"}
    cut = {
        (c, text) for c, text in texts_ if metrics.horizontalAdvance(text) >= table.columnWidth(c)
    }
    assert cut == set()


def test_line_numbers_are_never_cut(show_code: ShowCode, write_files: WriteFiles) -> None:
    """In a narrow view only file names are elided, at their start."""
    write_files({"a.c": lines_of(9)})
    profile = "events: Ir\nfl=a.c\nfn=f\n1 5\nfi=a_header_with_a_long_name.h\n7 1\n"
    view = show_code("source", f"{profile}fe=a.c\n123456789 1\n", "f")
    view.resize(260, 300)
    process_events()
    model, table = view.model, view.table
    width = table.columnWidth(model.place("location"))
    shown = [
        table._delegate._cell(record, model.place("location"), width)[0]
        for record in (0, 1, model.table.length - 1)
    ]

    assert (shown[0], shown[2]) == ("1", "123456789")
    assert (shown[1][0], shown[1][-2:]) == ("…", ":7")
    assert table.columnWidth(model.place("text")) > width


def test_arrows_are_drawn_from_row_to_row(show_code: ShowCode, write_files: WriteFiles) -> None:
    """The gutter is painted in exactly the rows that a jump passes."""
    write_files({"a.c": lines_of(9)})
    view = show_code("source", "events: Ir\nfl=a.c\nfn=f\njump=4 6\n3\n3 1\n9 20\n", "f")
    view.table.viewport().update()
    image = view.table.viewport().grab().toImage()
    ground = view.palette().base().color()

    def has_ink(row: int) -> bool:
        area = view.table.visualRect(view.model.index(row, CODE_LINES.JUMPS))
        inside = area.adjusted(2, 2, -2, -2)
        return any(
            image.pixelColor(x, y) != ground
            for x in range(inside.left(), inside.right())
            for y in range(inside.top(), inside.bottom())
        )

    assert [row + 1 for row in range(8) if has_ink(row)] == [3, 4, 5, 6]
    click_header(view, CODE_LINES.SELF)
    image = view.table.viewport().grab().toImage()
    assert [row + 1 for row in range(1, 9) if has_ink(row)] == []


def test_stale_code_is_greyed(long_view: SourceView) -> None:
    """Code about to be replaced is greyed, and restored if it stays."""
    table = long_view.table
    before = table.viewport().grab().toImage()
    table.set_stale(True)
    veiled = table.viewport().grab().toImage()
    table.set_stale(False)
    assert (veiled != before, table.viewport().grab().toImage() == before) == (True, True)
