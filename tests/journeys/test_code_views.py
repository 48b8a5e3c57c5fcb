"""Journeys through the code views: what their columns, rows and scroll bars show."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.style import theme
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.present.code_records import RecordKind
from qcachegrind_py.views.code.code_views import CodeView
from tests.code_view_text import (
    PROGRAMS,
    RECUR,
    button_of,
    cell_texts,
    configure_file_search,
    current,
    is_busy,
    record_of,
    shown_locations,
)
from tests.columns import CODE_LINES
from tests.profile_text import EXAMPLE, THIN
from tests.user_input import (
    LEFT,
    NONE,
    click_row,
    go_to,
    ignore_offscreen_warnings,
    process_events,
)

pytestmark = ignore_offscreen_warnings
INLINED = PROGRAMS / "annotate/callgrind.out.inlined-O2.xz"
Key = Qt.Key
_LONG = "events: Ir\nfl=long.c\nfn=cheap\n1 9000\nfn=f\n"


class Reader:
    """A user who reads the code of one function."""

    def __init__(self, window: MainWindow, open_file: Callable[..., None], qtbot: QtBot) -> None:
        self._window, self._open_file, self._qtbot = window, open_file, qtbot

    def open(self, path: Path, function: str, *actions: str) -> None:
        """Open a profile at a function, and trigger actions."""
        self._open_file(path)
        go_to(self._window.session, self._window.navigation, function)
        for action in actions:
            self.trigger(action)
        self.wait()

    def trigger(self, action: str) -> None:
        """Choose an action from the menus, and wait for what it shows."""
        self._window.actions_[action].trigger()
        self.wait()

    def wait(self) -> None:
        """Wait until the code is shown."""
        for _ in range(2):
            process_events()
            self._qtbot.waitUntil(lambda: not is_busy(self._window))
        process_events()


@pytest.fixture
def reader(window: MainWindow, open_file: Callable[..., None], qtbot: QtBot) -> Reader:
    """A user with the source in front, in a window of common size."""
    configure_file_search(window)
    window.resize(1366, 768)
    window.docks.reset()
    window.docks.show("source")
    return Reader(window, open_file, qtbot)


def costs(view: CodeView) -> list[str]:
    """The self costs of all lines that have one, as displayed."""
    texts = (cell_texts(view, record, CODE_LINES.SELF)[0] for record in shown_locations(view))
    return [text for text in texts if text]


def visible_bars(view: CodeView) -> list[str]:
    """The horizontal scroll bars that can be seen below the code."""
    bars = {"columns": view.table.horizontalScrollBar(), "code": view.table.text_bar}
    return [name for name, bar in bars.items() if bar.isVisible()]


def test_percentages_in_code_are_of_the_function_until_switched(
    reader: Reader, window: MainWindow, tmp_path: Path
) -> None:
    """Lines of a cheap function show their part of it, and by a button that of the total."""
    profile = tmp_path / "callgrind.out.1"
    profile.write_text(f"{_LONG}5 750\n7 250\n")
    reader.open(profile, "f")
    source, switch = window.views.source, window.actions_["percent_of_function"]
    button = button_of(source, "percent_of_function", window)
    seen = [costs(source)]
    for _ in range(2):
        QTest.mouseClick(button, LEFT)
        reader.wait()
        seen.append(costs(source))
    reader.trigger("absolute")

    assert seen == [["75.00", "25.00"], ["7.50", "2.50"], ["75.00", "25.00"]]
    assert costs(source) == ["750", "250"]
    assert not switch.isEnabled()  # counts are of nothing


def test_hot_lines_are_shown_in_the_middle(
    reader: Reader, window: MainWindow, tmp_path: Path
) -> None:
    """F4 shows each hot line with the lines around it, wherever it was before."""
    (tmp_path / "long.c").write_text("".join(f"line {n};\n" for n in range(1, 401)))
    hot = {300: 50, 312: 40, 290: 30, 100: 20}  # the second and third are in sight of the first
    profile = tmp_path / "callgrind.out.1"
    lines = (f"{line} {cost}\n" for line, cost in sorted(hot.items()))
    profile.write_text(_LONG + "".join(lines))
    reader.open(profile, "f")
    table = window.views.source.table
    visited, away = [], []
    for _ in hot:
        row = table.visualRect(table.currentIndex())
        visited.append(table.currentIndex().row() + 1)
        away.append(abs(row.center().y() - table.viewport().height() // 2) <= row.height())
        reader.trigger("next_hot")

    assert (visited, away) == (list(hot), [True] * len(hot))


def records_on_screen(view: CodeView) -> list[int]:
    """The records of the rows that can be seen."""
    height, table = view.table.viewport().height(), view.table
    shown = enumerate(view.model.order.tolist())
    return [record for row, record in shown if 0 <= table.rowViewportPosition(row) < height]


@pytest.mark.parametrize("path", [RECUR, EXAMPLE], ids=["own code", "inlined templates"])
def test_columns_fit_into_source_beside_assembler(
    reader: Reader, window: MainWindow, path: Path
) -> None:
    """Columns never scroll sideways, and code only if a line on the screen needs it."""
    reader.open(path, "main", "side_by_side")
    both = window.views.source, window.views.assembler
    for width, second, view in product((1366, 1920), ("", "Dr"), both):
        window.resize(width, 900)
        window.navigation.set(second_event=window.navigation.context.events.find(second))
        reader.wait()
        delegate = view.table._delegate
        is_wider = view.table._seen_width > view.table.columnWidth(delegate.text_column)
        assert visible_bars(view) == ["code"] * (is_wider and view.isEnabled())


def locations(view: CodeView) -> list[str]:
    """The lines or addresses that are shown."""
    return [view.model.listing.texts.location(record) for record in shown_locations(view)]


def click_triangle(view: CodeView, location: str) -> None:
    """Click the triangle in front of a line."""
    index = view.model.index_of_record(record_of(view, location), view.table._delegate.text_column)
    area = view.table.visualRect(index)
    place = QPoint(area.left() + view.table._delegate.triangle_width // 2, area.center().y())
    QTest.mouseClick(view.table.viewport(), LEFT, NONE, place)
    process_events()


def test_source_opens_on_the_own_lines_of_the_function(reader: Reader, window: MainWindow) -> None:
    """What was inlined is summed on its line; triangle, keys and switch show it in place."""
    reader.open(INLINED, "main", "absolute")
    source = window.views.source
    number = len((PROGRAMS / "src/inlined.cpp").read_text().splitlines())
    own = [str(line) for line in range(1, number + 1)]
    closed = (locations(source), costs(source), current(source))
    click_triangle(source, "5")
    opened = (locations(source), costs(source))
    source.table.setFocus()
    seen = []
    for key in (Key.Key_Left, Key.Key_Right, Key.Key_Space, Key.Key_Space):
        QTest.keyClick(source.table, key)
        seen.append((locations(source), costs(source)))
    source.table.go_to_record(record_of(source, "inl_a.h:5"))
    QTest.keyClick(source.table, Key.Key_Left)
    back = current(source)
    QTest.keyClick(source.table, Key.Key_Left)
    seen.append((locations(source), costs(source)))
    QTest.mouseClick(button_of(source, "hide_inlined", window), LEFT)
    reader.wait()

    inlined = opened[0][number:]
    total = sum(int(cost.replace(THIN, "")) for cost in opened[1])
    assert closed == (own, [f"{total:,}".replace(",", THIN)], "5")
    assert (opened[0], {place.split(":")[0] for place in inlined}) == (
        own + inlined, {"inl_a.h", "inl_b.h"}
    )  # fmt: skip
    shut = closed[:2]
    assert seen == [shut, opened, shut, opened, shut]
    assert (back, (locations(source), costs(source))) == ("5", opened)
    assert source.model.listing.texts.full_text(record_of(source, "5")).startswith("int main()")


def test_source_opens_where_the_function_and_its_hottest_line_are_seen(
    reader: Reader, window: MainWindow, tmp_path: Path
) -> None:
    """The signature stays in sight if the hottest line is near; else that one is in the middle."""
    (tmp_path / "long.c").write_text("".join(f"line {n};\n" for n in range(1, 401)))
    profile = tmp_path / "callgrind.out.1"
    profile.write_text(f"{_LONG}100 1\n98 5\n106 50\nfn=g\n200 1\n300 50\n")
    table = window.views.source.table
    seen = []
    for function in ("f", "g"):
        reader.open(profile, function)
        seen.append((table.rowAt(0) + 1, current(window.views.source)))
    middle = table.visualRect(table.currentIndex()).center().y()

    assert seen[0] == (98, "106")
    assert seen[1][1] == "300"
    assert abs(middle - table.viewport().height() // 2) <= table.rowHeight(0)


def test_source_lines_stand_between_their_instructions(reader: Reader, window: MainWindow) -> None:
    """A row with place and text precedes the instructions of each line, and by a switch none."""
    reader.open(INLINED, "main", "side_by_side")
    assembler, source = window.views.assembler, window.views.source
    model, texts = assembler.model, {}
    for name in ("inlined.cpp", "inl_a.h", "inl_b.h"):
        lines = (PROGRAMS / "src" / name).read_text().splitlines()
        texts |= {f"{name}:{n}": text.strip() for n, text in enumerate(lines, 1)}
    kinds, shown = model.listing.rows.records.kind, model.order.tolist()
    expected, above = [], ""
    for record in shown_locations(assembler):
        place = cell_texts(assembler, record, model.place("source"))[0]
        if place not in ("", above):
            expected.append(f"{place}  {texts[place]}")
            above = place
    rows = [record for record in shown if kinds[record] == RecordKind.SOURCE]
    assert [model.listing.texts.full_text(record) for record in rows] == expected

    row = model.index_of_record(rows[2]).row()
    assembler.table.scrollTo(model.index(row, 0))
    click_row(assembler.table, row)
    reader.wait()
    assert current(source) == "5"  # where the line was inlined
    assert assembler.table.current_record() == rows[2]
    QTest.mouseClick(button_of(assembler, "source_rows", window), LEFT)
    reader.wait()
    assert RecordKind.SOURCE not in model.listing.rows.records.kind


def test_inlined_lines_are_shaded_and_indented(reader: Reader, window: MainWindow) -> None:
    """In both themes inlined lines have another background than the function's own."""
    reader.open(INLINED, "main", "hide_inlined")
    source = window.views.source
    table, model = source.table, source.model
    backgrounds = []
    for dark in (False, True):
        theme.apply_palette(dark)
        table.scrollToTop()  # both lines are among the first
        process_events()
        picture = table.viewport().grab().toImage()
        colors = []
        for location in ("1", "inl_a.h:4"):
            index = model.index_of_record(record_of(source, location), model.place("text"))
            area = table.visualRect(index)
            colors.append(picture.pixelColor(area.right() - 2, area.top() + 1).name())
        backgrounds.append(colors)
    theme.apply_palette(dark=False)
    runs = {
        location: table._delegate._text_runs(record_of(source, location))[0][0]
        for location in ("1", "inl_a.h:4")
    }

    assert all(own != inlined for own, inlined in backgrounds), backgrounds
    assert runs["inl_a.h:4"] - runs["1"] == table._delegate.indent


def test_buttons_above_code_have_words_where_there_is_room(
    reader: Reader, window: MainWindow
) -> None:
    """In a narrow window they are icons, and the search keeps room for a word."""
    names = "percent_of_function", "hide_inlined", "fold_source", "editor", "side_by_side"
    words = Qt.ToolButtonStyle.ToolButtonTextBesideIcon
    reader.open(INLINED, "main")
    source, seen = window.views.source, []
    for width in (2400, 900):
        window.resize(width, 768)
        reader.wait()
        buttons = [button_of(source, name, window) for name in names]
        seen.append([button.toolButtonStyle() is words for button in buttons])
        letters = source.search.width() // source.search.fontMetrics().horizontalAdvance("0")
        assert letters >= 10

    assert seen == [[True] * 5, [False] * 5]


def test_files_of_inlined_lines_are_named_in_a_small_window(
    reader: Reader, window: MainWindow
) -> None:
    """Neither the name of a file nor the line is ever cut, in both code views.

    In a window for a small screen the source said “…:385”.
    """
    reader.open(INLINED, "main", "hide_inlined")
    source, assembler = window.views.source, window.views.assembler
    window.resize(960, 540)
    reader.wait()
    texts, order = source.model.listing.texts, source.model.order.tolist()
    frames = [texts.frame(record) for record in order if texts.frame(record)]
    drawn = [source.table._delegate._runs(record)[0][1].strip() for record in order]
    assert frames == locations(source)[-len(frames) :]
    assert [text for text in drawn if text.startswith("inl_")] == frames

    window.docks.show("assembler")
    assembler.table.show_columns((assembler.model.place("source"),), True)
    assembler.table.fit_code()
    reader.wait()
    column, delegate = assembler.model.place("source"), assembler.table._delegate
    longest = max(
        (cell_texts(assembler, record, column)[0] for record in shown_locations(assembler)), key=len
    )
    assert delegate.text_width(longest) <= assembler.table.columnWidth(column)
