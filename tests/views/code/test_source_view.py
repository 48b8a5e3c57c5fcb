"""The source of a function: lines with costs and calls, inlined files, position, colours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QImage, QKeySequence
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from qcachegrind_py.analysis.filters.expression import parse_filter
from qcachegrind_py.app.style import theme
from qcachegrind_py.present.context import Change, CostUnit, Position
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.tools.sources.highlighting import Token
from qcachegrind_py.views.code.painting import displayed_line
from qcachegrind_py.views.code.source_view import SourceView
from tests.columns import CODE_LINES
from tests.user_input import (
    active_name,
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
    INLINED,
    PROFILE,
    SOURCES,
    click,
    current,
    double_click,
    is_row_visible,
    lines_of,
    marked_locations,
    row_of,
    rows,
)
from tests.views.code.conftest import ShowCode, WriteFiles

Settle = Callable[[SourceView], None]
MAIN = [
    "– | 3 | 3 |  | cost without a line",
    '1 |  |  |  | #include "inl.h"',
    "2 |  |  |  | ",
    "3 |  |  |  | static int helper(int x)",
    "4 |  |  |  | {",
    "5 |  |  |  |     return x * 2;",
    "6 |  |  |  | }",
    "7 |  |  |  | ",
    "8 |  |  |  | int main(void)",
    "9 |  |  |  | {",
    "10 | 2 | 2 |  |     int sum = 0;",
    "11 | 30 | 30 |  |     for (int i = 0; i < 10; i++)",
    "12 | 40 | 140 | 10 |         sum += helper(twice(i));",
    " |  | 100 | 10 | helper  prog: prog.c",
    "inl.h:4 | 20 | 20 |  |     return x + x;",
    "13 | 5 | 5 |  |     if (sum > 3)",
    "14 |  |  |  |         sum--;",
    "15 |  |  |  |     return sum;",
    "16 |  |  |  | }",
]
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


def test_whole_file_with_costs_calls_and_inlined_code(view: SourceView) -> None:
    """All lines are shown, calls below theirs, lines of other files where they were inlined."""
    assert rows(view) == MAIN
    assert current(view) == "12"
    assert view.note.text().endswith(str(Path("prog.c")))
    assert not view.table.isColumnHidden(CODE_LINES.JUMPS)
    row = row_of(view, "11")
    assert view.model.index(row, CODE_LINES.JUMPS).data() == "jumps to 12: 9 of 10 times"


def test_other_files_are_files_of_their_own(
    view: SourceView, session: Session, navigation: Navigation, settle: Settle
) -> None:
    """The costliest other file comes first; each shows its text and only its costs."""
    assert [view.file_selector.itemText(n) for n in range(view.file_selector.count())] == [
        "80  prog.c", "20  inl.h"
    ]  # fmt: skip
    assert view.file_selector.currentIndex() == 0

    view.file_selector.setFocus()
    QTest.keyClick(view.file_selector, Qt.Key.Key_Down)
    settle(view)
    assert rows(view) == [
        "1 |  |  |  | /* put in where it is called */",
        "2 |  |  |  | static inline int twice(int x)",
        "3 |  |  |  | {",
        "4 | 20 | 20 |  |     return x + x;",
        "5 |  |  |  | }",
    ]
    assert (view.file_selector.currentText(), current(view)) == ("20  inl.h", "4")

    go_to(session, navigation, "helper")  # which has no lines of that file
    settle(view)
    assert rows(view)[2:5] == [
        "3 | 20 | 20 |  | static int helper(int x)",
        "4 |  |  |  | {",
        "5 | 80 | 80 |  |     return x * 2;",
    ]
    assert [view.file_selector.itemText(n) for n in range(view.file_selector.count())] == [
        "100  prog.c"
    ]


def test_whole_file_sums_over_all_functions(view: SourceView, settle: Settle) -> None:
    """The switch adds the costs of other functions in the file until it is off."""
    view.whole_file_button.click()
    settle(view)
    expected = [line for line in MAIN if ":4" not in line]  # of this file only
    expected[3] = "3 | 20 | 20 |  | static int helper(int x)"
    expected[5] = "5 | 80 | 80 |  |     return x * 2;"
    assert rows(view) == expected

    view.file_selector.setFocus()
    QTest.keyClick(view.file_selector, Qt.Key.Key_Down)
    settle(view)
    assert rows(view)[3] == "4 | 27 | 27 |  |     return x + x;"

    view.whole_file_button.click()
    settle(view)
    assert rows(view)[3] == "4 | 20 | 20 |  |     return x + x;"


def test_file_of_a_function_of_other_files_only(
    show_code: ShowCode, write_files: WriteFiles
) -> None:
    """A function with all its cost in other files still shows its own source."""
    write_files({"a.c": "one\ntwo\n", "b.h": "put in\n"})
    profile = "events: Ir\nfl=a.c\nfn=f\nfi=b.h\n1 9\n"

    view = show_code("source", profile, "f")

    assert rows(view) == [
        "b.h:1 | 9 | 9 |  | put in", "1 |  |  |  | one", "2 |  |  |  | two"
    ]  # fmt: skip
    assert [view.file_selector.itemText(n) for n in range(view.file_selector.count())] == [
        "a.c",
        "9  b.h",
    ]


def test_header_that_is_missing(
    show_code: ShowCode, write_files: WriteFiles, tmp_path: Path
) -> None:
    """A missing inlined file is reported by the bar; its costs stay."""
    write_files({"prog.c": SOURCES["prog.c"]})
    view = show_code("source", PROFILE, "main", rules=())
    looked = f"Searched {tmp_path / 'inl.h'}, {Path.cwd() / 'inl.h'}."
    assert view.missing_file_bar.label.text() == f"inl.h was not found. {looked}"
    assert rows(view)[14].startswith("inl.h:4 | 20 | 20 |  | ")
    assert rows(view)[:14] == MAIN[:14]


def test_recursive_call_is_marked(show_code: ShowCode, write_files: WriteFiles) -> None:
    """A call within the function's cycle is marked, and its line does not count its cost."""
    write_files({"a.c": "one\ntwo\nthree\n"})
    profile = """
        events: Ir
        fl=a.c
        fn=f
        1 5
        cfn=g
        calls=2 2
        1 40
        cfn=leaf
        calls=1 3
        2 7
        fn=g
        2 6
        cfn=f
        calls=2 1
        2 30
        fn=leaf
        3 9
        """
    view = show_code("source", profile, "f")

    assert rows(view) == [
        "1 | 5 | 5 | 2 | one",
        " |  | (cycle) | 2 | g <cycle 1>  a.c",
        "2 |  | 7 | 1 | two",
        " |  | 7 | 1 | leaf  a.c",
        "3 |  |  |  | three",
    ]
    assert current(view) == "2"  # the costliest


# ---------------------------------------------------------------- position


def test_click_sets_the_position(view: SourceView, navigation: Navigation) -> None:
    """The clicked line is marked everywhere by its own file; a call is marked, too."""
    assert view.session.queries is not None
    names = view.session.queries.profile.texts
    click(view, "13")
    position = navigation.context.position
    assert position is not None
    assert (names[position.file], position.line, position.address) == ("prog.c", 13, None)
    assert marked_locations(view) == ["13"]

    click(view, "inl.h:4")
    position = navigation.context.position
    assert position is not None
    assert (names[position.file], position.line) == ("inl.h", 4)

    click(view, "helper")
    assert navigation.context.position == position
    assert navigation.context.selected == view.session.queries.names.with_name("helper")[0]


def test_position_from_elsewhere(long_view: SourceView, navigation: Navigation) -> None:
    """Its line is marked and current; the view scrolls only if it is out of sight."""
    view, bar = long_view, long_view.table.verticalScrollBar()
    file = int(view.model.listing.rows.file[0])
    assert (current(view), is_row_visible(view, 299)) == ("300", True)

    navigation.set(position=Position(file, 390))
    process_events()
    assert (marked_locations(view), current(view), is_row_visible(view, 389)) == (
        ["390"],
        "390",
        True,
    )

    scrolled = bar.value()
    navigation.set(position=Position(file, 388))
    process_events()
    assert (marked_locations(view), current(view), bar.value()) == (["388"], "388", scrolled)

    navigation.set(position=Position(file, 4_000))  # no such line
    process_events()
    assert (marked_locations(view), current(view), bar.value()) == ([], "388", scrolled)
    navigation.set(position=None)
    process_events()
    assert (marked_locations(view), bar.value()) == ([], scrolled)


def test_opened_at_the_costliest_line(
    long_view: SourceView, session: Session, navigation: Navigation, settle: Settle
) -> None:
    """Each function opens at its costliest line, with lines around it visible."""
    assert (current(long_view), is_row_visible(long_view, 296)) == ("300", True)
    assert marked_locations(long_view) == ["300"]  # so that its instructions are marked, too

    go_to(session, navigation, "g")
    settle(long_view)
    assert (current(long_view), is_row_visible(long_view, 199)) == ("200", True)


# ---------------------------------------------------------------- calls


@ignore_offscreen_warnings
@pytest.mark.parametrize("by", ["double click", "Return", "menu"])
def test_call_is_followed_and_back_returns(
    view: SourceView, session: Session, navigation: Navigation, settle: Settle, by: str
) -> None:
    """Activating a call goes to its function, and Back returns to the call."""
    if by == "double click":
        double_click(view, "helper")
    elif by == "menu":
        choose_action(row_menu(view.table, row_of(view, "helper")), "Go to Function")
    else:
        click(view, "helper")
        QTest.keyClick(view.table, Qt.Key.Key_Return)
        process_events()
    settle(view)
    assert (active_name(session, navigation), current(view)) == ("helper", "5")
    assert rows(view)[4] == "5 | 80 | 80 |  |     return x * 2;"

    navigation.go_back()
    settle(view)
    assert (active_name(session, navigation), rows(view), current(view)) == ("main", MAIN, "12")


@ignore_offscreen_warnings
@pytest.mark.parametrize("by", ["double click", "Return", "menu"])
def test_jump_is_followed(
    show_code: ShowCode, write_files: WriteFiles, navigation: Navigation, by: str
) -> None:
    """Activating a line goes to its most frequent jump target, the new position."""
    write_files({"a.c": lines_of(40)})
    profile = "events: Ir\nfl=a.c\nfn=f\n5 9\njump=3 2\n5\njump=30 37\n5\njump=4 9\n5\n12 1\n"
    view = show_code("source", profile, "f")
    if by == "double click":
        double_click(view, "5")
    elif by == "menu":
        choose_action(row_menu(view.table, row_of(view, "5")), "Go to Jump Target 37")
    else:
        click(view, "5")
        QTest.keyClick(view.table, Qt.Key.Key_Return)
        process_events()
    position = navigation.context.position
    assert position is not None
    assert (current(view), position.line, marked_locations(view)) == ("37", 37, ["37"])
    assert is_row_visible(view, 36)

    view.table.scrollToTop()
    double_click(view, "12")  # no jump
    assert current(view) == "12"


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


def test_costs_of_events_and_units(view: SourceView, navigation: Navigation) -> None:
    """Other events and units change the numbers, but neither lines nor position."""
    model, events = view.model, navigation.context.events
    click(view, "13")
    columns = (
        model.place("location"),
        model.place("self"),
        model.place("inclusive"),
        model.place("second_self"),
        model.place("second_inclusive"),
    )
    assert view.table.isColumnHidden(model.place("second_self"))

    def costs() -> list[str]:
        process_events()
        found = rows(view, *columns)
        return [found[row] for row in (0, 12, 13, 14, 15)]

    navigation.set(second_event=events.find("Dr"))
    assert costs() == [
        "– | 3 | 3 | 1 | 1",
        "12 | 40 | 140 | 4 | 14",
        " |  | 100 |  | 10",
        "inl.h:4 | 20 | 20 |  | ",
        "13 | 5 | 5 | 1 | 1",
    ]
    hidden = [view.table.isColumnHidden(c) for c in model.places("second_self", "second_inclusive")]
    assert hidden == [False, False]

    navigation.set(event=events.find("Dr"), second_event=None, unit=CostUnit.PERCENT)
    assert costs()[1] == "12 | 22.22 | 77.78 |  | "  # of main's 18

    navigation.set(percent_of_function=False)
    assert costs() == [  # of 19: Dr of all functions is 8 + 10 + 1
        "– | 5.26 | 5.26 |  | ",
        "12 | 21.05 | 73.68 |  | ",
        " |  | 52.63 |  | ",
        "inl.h:4 |  |  |  | ",
        "13 | 5.26 | 5.26 |  | ",
    ]
    assert view.table.isColumnHidden(model.place("second_self"))

    navigation.set(event=events.find("Ir"), unit=CostUnit.PERCENT_OF_PARENT)
    assert costs()[1] == "12 | 20.00 | 70.00 |  | "  # of main's 200
    assert (current(view), marked_locations(view)) == ("13", ["13"])


def test_event_changes_the_costs_of_the_files(view: SourceView, navigation: Navigation) -> None:
    """The file selector shows each file's cost in the shown event."""
    navigation.set(event=navigation.context.events.find("Dr"))
    process_events()
    assert [view.file_selector.itemText(n) for n in range(view.file_selector.count())] == [
        "8  prog.c",
        "0  inl.h",
    ]


def test_filter_and_grouping_hide_no_line(view: SourceView, navigation: Navigation) -> None:
    """The filter of the lists does not hide source lines."""
    navigation.set(filter=parse_filter("nothing-is-called-so"))
    process_events()
    assert rows(view) == MAIN


def test_parts_that_are_chosen(
    show_code: ShowCode, write_files: WriteFiles, session: Session, settle: Settle, qtbot: QtBot
) -> None:
    """Lines and calls have the costs of the chosen parts only."""
    write_files({"a.c": "one\ntwo\n"})
    profile = (
        "version: 1\ncreator: x\npart: 1\nevents: Ir\nfl=a.c\nfn=f\n1 5\n2 1\n"
        "totals: 6\n\npart: 2\nevents: Ir\nfl=a.c\nfn=f\n1 30\n"
    )
    view = show_code("source", profile, "f")
    assert rows(view) == ["1 | 35 | 35 |  | one", "2 | 1 | 1 |  | two"]

    session.set_scope(replace(session.requested_scope, parts=frozenset({1})))
    qtbot.waitUntil(lambda: not session.jobs.is_running("scope"))
    process_events()
    settle(view)
    assert rows(view) == ["1 | 30 | 30 |  | one", "2 |  |  |  | two"]


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


def test_inactive_view_reads_nothing(
    view: SourceView, session: Session, navigation: Navigation, settle: Settle
) -> None:
    """Behind a tab nothing is read; when shown, the view catches up with the user."""
    view.set_active(False)
    go_to(session, navigation, "helper")
    assert not session.jobs.is_running("Source")
    assert rows(view) == MAIN

    file = int(view.model.listing.rows.file[-1])
    navigation.set(position=Position(file, 3))
    process_events()
    view.set_active(True)
    settle(view)
    assert (current(view), marked_locations(view), rows(view)[2]) == (
        "3", ["3"], "3 | 20 | 20 |  | static int helper(int x)"
    )  # fmt: skip


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


def test_real_program_with_inlined_code(show_code: ShowCode) -> None:
    """Lines of headers are where gcc inlined them; costs add up to the function's."""
    view = show_code("source", INLINED, "main")
    model = view.model
    assert view.session.queries is not None
    function = view.navigation.context.function
    costs = view.session.queries.costs(view.navigation.context.scope)
    shown = [int(row.split(" | ")[1] or 0) for row in rows(view)]

    assert sum(shown) == int(costs.self_cost[0][function])
    files = [view.file_selector.itemText(n).split()[-1] for n in range(view.file_selector.count())]
    assert files == ["inlined.cpp", "inl_a.h", "inl_b.h"]  # its own file, then the costliest first
    assert [line for line in rows(view, model.place("location")) if ":" in line] == [
        "inl_b.h:3", "inl_b.h:10", "inl_a.h:4", "inl_a.h:5", "inl_a.h:10", "inl_a.h:11"
    ]  # fmt: skip
    assert not view.missing_file_bar.isVisible()


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
