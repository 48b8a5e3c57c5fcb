"""The Source dock: files, position, search, menu, colours, both sides, and what is saved."""

from __future__ import annotations

import csv
import html
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt
from PySide6.QtGui import QColor, QGuiApplication, QHelpEvent, QImage, QKeySequence, QPalette
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QMessageBox, QToolTip
from pytestqt.qtbot import QtBot

from qcachegrind_py.analysis.filters.expression import parse_filter
from qcachegrind_py.app.style import theme
from qcachegrind_py.present.context import Change, CostUnit, Position
from qcachegrind_py.session.loading import ProfileFiles
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.tools.sources.file_search import SearchFolder
from qcachegrind_py.tools.sources.text_file import Token
from qcachegrind_py.views.code.code_cells import displayed_line
from qcachegrind_py.views.code.code_views import CodeView, SourceView
from qcachegrind_py.views.tables.table_actions import SAVE_SLOT, table_as_csv
from qcachegrind_py.views.widgets.colors import RowGround, change_color
from tests.code_programs import MAIN, PROFILE, SOURCES, lines_of
from tests.columns import CODE_LINES
from tests.profile_text import dump_rows
from tests.user_input import (
    LEFT,
    NONE,
    choose_action,
    click_row,
    enabled_texts,
    go_to,
    ignore_offscreen_warnings,
    inspect_menu,
    process_events,
    row_menu,
)
from tests.views.code.code_rows_text import (
    click,
    current,
    is_row_visible,
    marked_locations,
    row_of,
    rows,
)
from tests.views.code.conftest import ShowCode, WriteFiles

Settle = Callable[[SourceView], None]
LONG = {"long.c": lines_of(400)}
LONG_PROFILE = """
    events: Ir
    fl=long.c
    fn=f
    100 5
    300 50
    jump=7 305
    300
    305 5
    390 20
    fn=g
    200 1
    """


@pytest.fixture
def view(show_code: ShowCode, write_files: WriteFiles) -> SourceView:
    """The source of main in the small program."""
    write_files(SOURCES)
    shown: SourceView = show_code("source", PROFILE, "main")
    return shown


@pytest.fixture
def long_view(show_code: ShowCode, write_files: WriteFiles) -> SourceView:
    """The source of a file with 400 lines, three of them costly."""
    write_files(LONG)
    shown: SourceView = show_code("source", LONG_PROFILE, "f")
    return shown


# ---------------------------------------------------------------- content


def files(view: SourceView) -> list[str]:
    """The files to choose from."""
    return [view.file_selector.itemText(n) for n in range(view.file_selector.count())]


def choose_next_file(view: SourceView) -> None:
    view.file_selector.setFocus()
    QTest.keyClick(view.file_selector, Qt.Key.Key_Down)


def test_other_files_and_the_whole_file(
    view: SourceView, session: Session, navigation: Navigation, settle: Settle
) -> None:
    """The own file comes first, with costs of the shown event; the switch adds other functions."""
    assert rows(view) == MAIN
    assert (files(view), view.file_selector.currentIndex()) == (["80  prog.c", "20  inl.h"], 0)
    navigation.set(event=navigation.context.events.find("Dr"))
    process_events()
    assert files(view) == ["8  prog.c", "0  inl.h"]
    navigation.set(event=navigation.context.events.find("Ir"))
    choose_next_file(view)
    settle(view)
    inlined = "4 | {0} | {0} |  |     return x + x;"
    assert (rows(view)[3], current(view)) == (inlined.format(20), "4")
    view.whole_file_button.click()
    settle(view)
    assert (rows(view)[3], view.file_selector.currentText()) == (inlined.format(27), "27  inl.h")
    view.whole_file_button.click()
    settle(view)
    assert rows(view)[3] == inlined.format(20)

    go_to(session, navigation, "helper")  # which has no lines of that file
    settle(view)
    assert (files(view), rows(view)[2]) == (
        ["100  prog.c"], "3 | 20 | 20 |  | static int helper(int x)"
    )  # fmt: skip


def test_the_own_file_is_listed_without_a_cost(
    show_code: ShowCode, write_files: WriteFiles
) -> None:
    write_files({"a.c": "one\ntwo\n", "b.h": "put in\n"})
    view = show_code("source", "events: Ir\nfl=a.c\nfn=f\nfi=b.h\n1 9\n", "f")
    assert files(view) == ["a.c", "9  b.h"]


# ---------------------------------------------------------------- calls


@ignore_offscreen_warnings
def test_menu_of_a_line_has_each_target_once(show_code: ShowCode, write_files: WriteFiles) -> None:
    """The targets are sorted by frequency, at most ten."""
    write_files({"a.c": lines_of(40)})
    jumps = [f"jump={times} {target}\n5\n" for target, times in ((2, 3), (30, 7), (9, 5))]
    jumps += ["jcnd=2/4 9\n5\n", *(f"jump=1 {target}\n7\n" for target in range(20, 32))]
    profile = f"events: Ir\nfl=a.c\nfn=f\n5 9\n{''.join(jumps)}7 1\n12 1\n"
    view = show_code("source", profile, "f")
    offered = {}
    for line in ("12", "7", "5"):
        menu = inspect_menu(row_menu(view.table, row_of(view, line)), enabled_texts)
        jumps = [text for text in menu if "Jump" in text]
        offered[line] = [text.removeprefix("Go to Jump Target ") for text in jumps]

    assert offered == {
        "12": [], "7": [str(target) for target in range(20, 30)], "5": ["30", "9", "2"]
    }  # fmt: skip


# ---------------------------------------------------------------- costs and settings


def test_other_events_and_units_keep_the_position(view: SourceView, navigation: Navigation) -> None:
    """The columns of a second event come and go; the filter of the lists hides no line."""
    model, events = view.model, navigation.context.events
    click(view, "13")
    columns = model.places("location", "self", "inclusive", "second_self", "second_inclusive")

    def look() -> tuple[str, list[bool]]:
        process_events()
        assert (current(view), marked_locations(view)) == ("13", ["13"])
        return rows(view, *columns)[12], [view.table.isColumnHidden(c) for c in columns[3:]]

    navigation.set(second_event=events.find("Dr"), filter=parse_filter("nothing-is-called-so"))
    assert look() == ("12 | 40 | 140 | 4 | 14", [False, False])
    navigation.set(event=events.find("Dr"), second_event=None, unit=CostUnit.PERCENT)
    assert look() == ("12 | 22.22 | 77.78 |  | ", [True, True])  # of main's 18
    navigation.set(percent_of_function=False)
    assert look()[0] == "12 | 21.05 | 73.68 |  | "  # of 19: Dr of all functions is 8 + 10 + 1
    navigation.set(event=events.find("Ir"), unit=CostUnit.PERCENT_OF_PARENT)
    assert look()[0] == "12 | 20.00 | 70.00 |  | "  # of main's 200


def test_chosen_file_stays_with_other_parts(
    show_code: ShowCode, write_files: WriteFiles, session: Session, settle: Settle, qtbot: QtBot
) -> None:
    """The chosen file stays shown when the parts change."""
    write_files({"a.c": "one\n", "b.h": "two\n"})
    parts = [
        f"part: {number}\nevents: Ir\nfl=a.c\nfn=f\n1 5\nfi=b.h\n1 3\n"
        f"fl=m.c\nfn={caller}\n1 1\ncfi=a.c\ncfn=f\ncalls=1 1\n1 8\n"
        for number, caller in ((1, "main"), (2, "thread"))
    ]  # the second part reaches f by another path
    view = show_code("source", "version: 1\ncreator: x\n" + "\n".join(parts), "f")
    view.file_selector.setCurrentIndex(1)
    view.file_selector.activated.emit(1)
    settle(view)
    assert rows(view) == ["1 | 6 | 6 |  | two"]

    session.set_scope(replace(session.requested_scope, parts=frozenset({1})))
    qtbot.waitUntil(lambda: not session.jobs.is_running("scope"))
    process_events()
    settle(view)
    assert rows(view) == ["1 | 3 | 3 |  | two"]


def test_late_source_keeps_the_position(
    show_code: ShowCode,
    write_files: WriteFiles,
    session: Session,
    navigation: Navigation,
    settle: Settle,
) -> None:
    """A source that is loaded later keeps the instruction chosen before."""
    write_files({"a.c": "one\ntwo\n"})
    view = show_code("source", "events: Ir\nfl=a.c\nfn=f\n1 5\nfn=g\n2 1\n", "f")
    chosen = Position(0, 0, 0x10)
    view.set_active(False)
    go_to(session, navigation, "g")
    navigation.set(position=chosen)
    process_events()
    view.set_active(True)
    settle(view)

    assert navigation.context.position == chosen


@pytest.mark.parametrize("change", ["annotation", "short names", "files"])
def test_reload_keeps_the_position(
    long_view: SourceView, navigation: Navigation, settle: Settle, change: str
) -> None:
    """Reading the same source again moves neither the current line nor the scroll bar."""
    view, bar = long_view, long_view.table.verticalScrollBar()
    click_row(view.table, 297)
    bar.setValue(bar.value() + 33)
    place = current(view), bar.value(), marked_locations(view)
    context = navigation.context
    settings: dict[str, dict[str, Any]] = {
        "annotation": {"annotation": replace(context.annotation, intel_syntax=True)},
        "short names": {"short_names": True},
        "files": {"files": replace(context.files, rules=())},
    }
    navigation.set(**settings[change])
    settle(view)

    assert (current(view), bar.value(), marked_locations(view)) == place
    assert place[0] == "298"


# ---------------------------------------------------------------- inactive views, other profiles


@pytest.mark.parametrize("awake", [True, False])
def test_another_profile_clears_at_once(
    view: SourceView,
    navigation: Navigation,
    draw: Callable[..., Path],
    open_profile: Callable[..., None],
    settle: Settle,
    awake: bool,
) -> None:
    """Nothing of the old profile stays until the new one's code is read."""
    heard: list[tuple[list[str], int, str]] = []

    def look(_context: object, change: Change) -> None:
        if change & Change.PROFILE:
            heard.append((rows(view), view.file_selector.count(), view.note.text()))

    view.set_active(awake)
    navigation.changed.connect(look)
    open_profile(draw("g@nowhere.c 5", "callgrind.out.77"))
    settle(view)

    assert heard[:1] == [([], 0, "")]
    assert rows(view) == (["1 | 5 | 5 |  | "] if awake else [])


# ---------------------------------------------------------------- find


def test_find(long_view: SourceView, navigation: Navigation) -> None:
    """Return steps through the matches and wraps around; they are counted; Escape clears."""
    view = long_view
    QTest.keyClicks(view.search, "LINE 39")  # 39 and 390 to 399
    assert view.match_label.text() == "11 found"
    found = []
    for _ in range(13):
        QTest.keyClick(view.search, Qt.Key.Key_Return)
        process_events()
        found.append((current(view), view.match_label.text(), marked_locations(view)))
    assert found[0] == ("390", "2 of 11", ["390"])  # the current line was 300
    places = [str(line) for line in (*range(390, 400), 39, 390, 391)]
    assert [place for place, _, _ in found] == places
    assert [said.split()[0] for _, said, _ in found][9:11] == ["11", "1"]
    assert is_row_visible(view, 390)

    view.show_next_match(-1)
    view.show_next_match(-1)
    assert current(view) == "39"

    QTest.keyClick(view.search, Qt.Key.Key_Escape)
    assert (view.search.text(), view.match_label.text(), current(view)) == ("", "", "39")
    QTest.keyClicks(view.search, "no such text")
    QTest.keyClick(view.search, Qt.Key.Key_Return)
    assert (view.match_label.text(), current(view)) == ("not found", "39")


def test_find_opens_folds(show_code: ShowCode, write_files: WriteFiles) -> None:
    """A match in a fold opens that fold and no other."""
    write_files(LONG)
    view = show_code("source", LONG_PROFILE, "f", fold_source=True, context_lines=1)
    assert rows(view, 0, view.model.place("text"))[:3] == [
        " | 98 lines without cost",
        "99 | line 99",
        "100 | line 100",
    ]

    QTest.keyClicks(view.search, "line 250")
    QTest.keyClick(view.search, Qt.Key.Key_Return)
    process_events()

    assert (current(view), is_row_visible(view, view.table.currentIndex().row())) == ("250", True)
    assert [line for line in rows(view, 0, view.model.place("text")) if line.startswith(" |")] == [
        " | 98 lines without cost",  # 1 to 98
        " | 2 lines without cost",  # between 300 and the target of its jump
        " | 82 lines without cost",
        " | 9 lines without cost",
    ]


# ---------------------------------------------------------------- copy, editor


def test_copy(view: SourceView) -> None:
    """Lines are copied as shown, with cells separated by tabs."""
    click(view, "12")
    QTest.keyClick(view.table, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    QTest.keySequence(view.table, QKeySequence(QKeySequence.StandardKey.Copy))

    copied = QGuiApplication.clipboard().text().split("\n")
    assert copied == [
        "12\t40\t140\t10\t\t        sum += helper(twice(i));".replace(
            "10\t\t", "10\tjumps here from 11: 9 of 10 times\t"
        ),
        "\t\t100\t10\t\thelper  prog: prog.c",
    ]


@ignore_offscreen_warnings
def test_editor_opens_the_line(view: SourceView, tmp_path: Path) -> None:
    """A line's menu opens an editor at its own file and line; a line of no file has none."""
    asked: list[tuple[Path, int]] = []
    view.editor_requested.connect(lambda path, line: asked.append((path, line)))
    for start in ("13", "inl.h:4", "–"):
        choose_action(row_menu(view.table, row_of(view, start)), "Open Line in Editor")
    assert asked == [(tmp_path / "prog.c", 13), (tmp_path / "inl.h", 4), (tmp_path / "prog.c", 1)]
    menu = inspect_menu(row_menu(view.table, row_of(view, "helper")), enabled_texts)
    assert "Open Line in Editor" not in menu


# ---------------------------------------------------------------- colours and fonts


def words_of(view: SourceView, line: str) -> list[tuple[str, Token]]:
    """The coloured words of a line."""
    record = view.model.record(view.model.index(row_of(view, line), 0))
    text = view.model.listing.texts.line_text(record)
    return [
        (text[at : at + long], Token(kind))
        for at, long, kind in view.model.listing.texts.colored_words(record, view.model.colors)
    ]


def test_words_are_coloured(view: SourceView, qtbot: QtBot) -> None:
    """Words have the colours of their language, also in lines of other files."""
    qtbot.waitUntil(lambda: bool(words_of(view, "15") and words_of(view, "inl.h:4")))
    assert words_of(view, "15") == [("return", Token.KEYWORD)]
    assert ("int", Token.TYPE) in words_of(view, "10")
    assert ("0", Token.NUMBER) in words_of(view, "10")
    assert words_of(view, "inl.h:4")[0] == ("return", Token.KEYWORD)


def test_colours_reach_what_is_scrolled_to(
    show_code: ShowCode, write_files: WriteFiles, qtbot: QtBot
) -> None:
    """Lines far from the first visible ones are coloured when they are shown."""
    write_files({"big.c": "int a;\n" * 20_000})
    view = show_code("source", "events: Ir\nfl=big.c\nfn=f\n2 9\n", "f")
    qtbot.waitUntil(lambda: bool(words_of(view, "3")))
    assert view.model.listing.texts.colored_words(19_999, view.model.colors) == ()

    view.table.scrollToBottom()
    qtbot.waitUntil(lambda: bool(view.model.listing.texts.colored_words(19_999, view.model.colors)))
    assert view.model.listing.texts.colored_words(10_000, view.model.colors) == ()


def test_colours_are_switched_off(
    view: SourceView, navigation: Navigation, qtbot: QtBot, settle: Settle
) -> None:
    """The setting removes and restores all colours at once."""
    qtbot.waitUntil(lambda: bool(words_of(view, "15")))
    style = navigation.context.annotation
    navigation.set(annotation=replace(style, syntax_colors=False))
    settle(view)
    qtbot.wait(60)  # colours would appear after 30 ms
    assert words_of(view, "15") == []

    navigation.set(annotation=style)
    settle(view)
    qtbot.waitUntil(lambda: bool(words_of(view, "15")))


def test_light_and_dark(view: SourceView, qtbot: QtBot) -> None:
    """Ground and words follow the palette while the view is open."""
    qtbot.waitUntil(lambda: bool(words_of(view, "15")))

    def colors(dark: bool) -> tuple[bool, bool]:
        """Whether the ground is that of the palette, and whether words have colours on it."""
        theme.apply_palette(dark)
        process_events()
        image: QImage = view.table.viewport().grab().toImage()
        area = view.table.visualRect(view.model.index(row_of(view, "15"), CODE_LINES.TEXT))
        seen = [
            image.pixelColor(x, y)
            for x in range(area.left(), area.left() + 150)
            for y in range(area.top(), area.bottom())
        ]
        base = theme.palette(dark).base().color()
        is_ground = Counter(color.rgb() for color in seen).most_common(1)[0][0] == base.rgb()
        return is_ground, max(color.saturation() for color in seen) > 60

    assert [colors(dark) for dark in (False, True, False)] == [(True, True)] * 3


def test_larger_font(view: SourceView) -> None:
    """Rows and columns grow with the font, so that nothing is elided."""
    table, model = view.table, view.model
    before = (
        table.rowHeight(3),
        table.columnWidth(model.place("text")),
        table.columnWidth(model.place("location")),
    )
    font = table.font()
    font.setPointSizeF(font.pointSizeF() * 2)
    table.setFont(font)
    process_events()

    assert table.rowHeight(3) >= 1.7 * before[0]
    view.resize(300, 300)
    process_events()
    longest = max(len(line.split(" | ", 4)[4]) for line in rows(view))
    least = longest * table.fontMetrics().averageCharWidth()
    assert table.columnWidth(model.place("text")) + table.text_bar.maximum() > least
    assert table.columnWidth(model.place("location")) > before[2]


# ---------------------------------------------------------------- a real profile, closing


def test_jobs_that_are_left_are_stopped(view: SourceView, session: Session) -> None:
    """Closing a view while it reads and highlights leaves no job running."""
    view.whole_file_button.click()
    assert session.jobs.is_running("Source")
    session.jobs.stop()
    assert not session.jobs.is_running("Source")
    assert not session.jobs.is_running("Source colours")


def test_colored_line_with_escapes_is_painted_whole(
    show_code: ShowCode, write_files: WriteFiles, qtbot: QtBot
) -> None:
    """Colours are at their words behind the escapes of what cannot be seen, and behind tabs."""
    line = "if x:\treturn '\x1b[31m\u202e' + y  # \x9bend"
    write_files({"a.py": f"{line}\nz = 1\n"})
    view = show_code("source", "events: Ir\nfl=a.py\nfn=f\n1 5\n", "f")
    qtbot.waitUntil(lambda: bool(words_of(view, "1")))
    runs = view.table._delegate._text_runs(row_of(view, "1"))
    shown = displayed_line(line)
    style = view.table._delegate.code_style

    assert "".join(text for _, text, _ in runs) == shown
    assert r"'\x1b[31m\u202e'" in [text for _, text, _ in runs]
    assert any(text == r"# \u009bend" for _, text, _ in runs)
    begins = [round((left - runs[0][0]) / style.digit_width) for left, _, _ in runs]
    assert begins == [sum(len(text) for _, text, _ in runs[:row]) for row in range(len(runs))]


pytestmark = ignore_offscreen_warnings  # of menus and tips
Compare = Callable[..., SourceView]
OLD = "int f() {\n  gone();\n  same();\n}\n"
NEW = "int f() {\n  same();\n  added();\n}\n"
BASE_COSTS = "1 3\n2 20\n3 10\ncfn=g\ncalls=2 90\n3 60\nfn=g\n90 60\n"
NEW_COSTS = "1 3\n2 10\ncfn=g\ncalls=3 90\n2 90\n3 7\nfn=g\n90 90\n"


@pytest.fixture
def compared(
    show_code: ShowCode,
    write_files: WriteFiles,
    session: Session,
    settle: Callable[[Any], None],
    qtbot: QtBot,
    tmp_path: Path,
) -> Compare:
    """Show the source of f, whose profiles and texts are in folders of their own."""

    def compared() -> SourceView:
        write_files({"old/f.c": OLD, "new/f.c": NEW})
        paths = []
        for side, costs in (("old", BASE_COSTS), ("new", NEW_COSTS)):
            paths.append(tmp_path / side / "callgrind.out.1")
            paths[-1].write_text(f"events: Ir\nfl=f.c\nfn=f\n{costs}", encoding="utf-8")
        view: SourceView = show_code("source", paths[1], "f", rules=())
        session.comparing.compare_with(ProfileFiles((paths[0],)))
        qtbot.waitUntil(lambda: session.comparison is not None)
        settle(view)
        return view

    return compared


def copied(view: SourceView, kind: str) -> list[str]:
    """The lines of the table as the menu copies it."""
    choose_action(row_menu(view.table, row_of(view, "1")), kind)
    return QGuiApplication.clipboard().text().splitlines()


# ---------------------------------------------------------------- copying and saving


def test_a_gone_line_is_no_position_for_other_views(
    compared: Compare, navigation: Navigation
) -> None:
    """There is no such line now; that of the line selected before stays."""
    view = compared()
    before = navigation.context.position
    click(view, "−2")

    assert current(view) == "−2"
    assert navigation.context.position == before


# ---------------------------------------------------------------- the ruler


def ruler_colors(view: SourceView) -> list[str]:
    """The colour of the ruler beside each row: + like growth, − like shrinkage, or none."""
    ruler, table = view.panel.ruler, view.table
    image, palette = ruler.grab().toImage(), ruler.palette()
    top, height = ruler.contentsRect().top(), ruler.contentsRect().height()
    count = view.model.rowCount()
    base = palette.color(QPalette.ColorRole.Base)
    signs = {True: "+", False: "−"}
    found = []
    for row in range(count):
        color = image.pixelColor(3, top + round((row + 0.5) * height / count))
        nearest = {
            distance(color, change_color(palette, RowGround.PLAIN, is_growth=sign)): signs[sign]
            for sign in signs
        }
        found.append("" if color == base else nearest[min(nearest)])
    assert table.model().rowCount() == len(found)
    return found


def distance(one: QColor, other: QColor) -> float:
    """How far apart the hues of two colours are."""
    apart = abs(one.hueF() - other.hueF())
    return min(apart, 1 - apart)


def test_the_ruler_shows_growth_and_shrinkage(compared: Compare) -> None:
    """In the colours of changes, where the lines are; calls are part of their line."""
    assert ruler_colors(compared()) == ["", "−", "+", "", "+", ""]


def test_the_ruler_goes_to_the_line(compared: Compare, qtbot: QtBot) -> None:
    """A gone line has a place on it, too, and its tip says what changed there."""
    view = compared()
    ruler, rect = view.panel.ruler, view.panel.ruler.contentsRect()
    at_gone = QPoint(3, rect.top() + round(1.5 * rect.height() / 6))

    with qtbot.waitSignal(ruler.row_requested) as requested:
        QTest.mouseClick(ruler, LEFT, NONE, at_gone)
    event = QHelpEvent(QEvent.Type.ToolTip, at_gone, ruler.mapToGlobal(at_gone))
    QCoreApplication.sendEvent(ruler, event)

    assert requested.args == [1]
    assert plain(QToolTip.text()) == "−2 −20 gone();"
    QToolTip.hideText()


def plain(tip: str) -> str:
    """A tip without its markup."""
    return " ".join(html.unescape(re.sub("<[^>]*>", " ", tip)).split())


Save = Callable[[CodeView], list[list[str]]]
INLINING = """
    events: Ir
    positions: instr line

    ob=prog
    fl=prog.c
    fn=main
    0x10 1 3
    fi={}
    0x12 2 20
    """
OWN = "int main(void) { return twice(1); }\n"
OUTSIDE = "/* private */\nreturn x + x;\n"


@pytest.fixture
def outside(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A source in a folder that is neither the profile's nor the user's."""
    path = tmp_path_factory.mktemp("outside") / "secret.h"
    path.write_text(OUTSIDE)
    return path


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The messages that are shown."""
    said: list[str] = []
    monkeypatch.setattr(QMessageBox, "information", lambda _parent, _title, text: said.append(text))
    return said


@pytest.fixture
def save(session: Session, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Save:
    """Return a function that saves the table of a view, and reads the file."""

    def save(view: CodeView) -> list[list[str]]:
        path = tmp_path / "saved.csv"
        chosen = str(path), "CSV (*.csv)"
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_arguments: chosen)
        choose_action(row_menu(view.table, 0), "Save Table…")
        qtbot.waitUntil(lambda: not session.jobs.is_running(SAVE_SLOT))
        with path.open(newline="", encoding="utf-8") as file:
            return list(csv.reader(file))

    return save


def notice(tmp_path: Path, outside: Path) -> str:
    return (
        f"<qt>Saved {tmp_path / 'saved.csv'}.<br>{outside} is left out: sources from outside of "
        f"the project are not written. Permit that with -I {outside.parent}, or in the window "
        "with View ▸ Code ▸ Source Paths.</qt>"
    )


def test_text_from_outside_is_left_out_of_a_saved_source(
    show_code: ShowCode,
    write_files: WriteFiles,
    session: Session,
    settle: Callable[[CodeView], None],
    outside: Path,
    save: Save,
    said: list[str],
    tmp_path: Path,
) -> None:
    """It is on the screen and in a copy, but in a file only with the permission of the user."""
    write_files({"prog.c": OWN})
    view = show_code("source", INLINING.format(outside))
    shown = [row.rpartition(" | ")[2] for row in dump_rows(view.model)]
    saved, copied = save(view), table_as_csv(view.table)
    messages = list(said)
    session.set_file_search((), (SearchFolder(str(outside.parent)),))
    settle(view)

    assert shown == [OWN.strip(), "return x + x;"]
    assert [row[-1] for row in saved] == ["Source", OWN.strip(), "left out"]
    assert messages == [notice(tmp_path, outside)]
    assert "return x + x;" in copied
    assert [row[-1] for row in save(view)] == ["Source", *shown]
    assert said == messages


def test_text_from_outside_is_left_out_between_saved_instructions(
    show_code: ShowCode,
    write_files: WriteFiles,
    outside: Path,
    save: Save,
    said: list[str],
    tmp_path: Path,
) -> None:
    """A line keeps its place, which is in the profile."""
    write_files({"prog.c": OWN})
    view = show_code("assembler", INLINING.format(outside), source_rows=True)
    texts = [row[-1] for row in save(view)]

    assert "secret.h:2  return x + x;" in table_as_csv(view.table)
    assert [text for text in texts if ":" in text] == [f"prog.c:1  {OWN.strip()}", "secret.h:2"]
    assert said == [notice(tmp_path, outside)]
