"""Journeys of a user in lists that show nothing, or too little: what they say and offer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.views.tables.record_table import RecordTable
from tests.columns import FUNCTIONS
from tests.profile_rows import DATA
from tests.profile_text import dump_rows
from tests.user_input import ignore_offscreen_warnings, process_events

pytestmark = ignore_offscreen_warnings
LEFT = Qt.MouseButton.LeftButton
_SYSTEM_PROGRAM = """
    main@main.c@/usr/lib/git-core/git 10 -> malloc 2x30
    malloc@malloc.c@/usr/lib/libc.so.6 30
    """


def wait_for_filter(window: MainWindow, qtbot: QtBot) -> None:
    """Wait until the views follow the filter."""
    qtbot.waitUntil(lambda: window.session.requested_filter == window.navigation.context.filter)
    process_events()


def filter_by(window: MainWindow, text: str, qtbot: QtBot) -> None:
    """Filter all views by a text, typed into the toolbar."""
    window.filter_bar.setText(text)
    QTest.keyClick(window.filter_bar, Qt.Key.Key_Return)
    wait_for_filter(window, qtbot)


def offers(widget: QWidget) -> list[str]:
    """The titles of the visible buttons of a list."""
    return [button.text() for button in visible_buttons(widget)]


def visible_buttons(widget: QWidget) -> list[QPushButton]:
    """The buttons that can be clicked, once layouts have shown new ones."""
    process_events()
    return [button for button in widget.findChildren(QPushButton) if button.isVisible()]


def click_button(widget: QWidget, title: str) -> None:
    """Click on the visible button with this title."""
    (button,) = [button for button in visible_buttons(widget) if button.text() == title]
    QTest.mouseClick(button, LEFT)
    process_events()


def test_an_empty_function_list_is_filled_by_its_buttons(shown: MainWindow, qtbot: QtBot) -> None:
    """The list says which of search and filter leave nothing, and a click removes either."""
    functions = shown.views.function_list
    table = functions.table
    everything = dump_rows(functions.model, FUNCTIONS.NAME)
    filter_by(shown, "relocate", qtbot)
    functions.search.setText("thrower")
    both = table.empty_page.label.text(), offers(table)
    functions.search.setText("nothing at all")
    search_only = table.empty_page.label.text(), offers(table)
    click_button(table, "Clear Search")
    found = dump_rows(functions.model, FUNCTIONS.NAME), offers(table)

    assert both == (
        "No function matches the search and the filter.",
        ["Clear Search", "Clear Filter"],
    )
    inlined = (
        "One that was inlined everywhere has no entry: its lines are in Source of the functions "
        "that it was inlined into."
    )
    assert search_only == (f"No function matches the search. {inlined}", ["Clear Search"])
    assert found == ([name for name in everything if "relocate" in name], [])

    filter_by(shown, "nothing", qtbot)
    assert offers(table) == ["Clear Filter"]
    visible_buttons(table)[0].setFocus()
    QTest.keyClick(visible_buttons(table)[0], Qt.Key.Key_Space)
    wait_for_filter(shown, qtbot)
    assert (dump_rows(functions.model, FUNCTIONS.NAME), shown.filter_bar.text()) == (
        everything,
        "",
    )
    assert table.hasFocus()  # its arrow keys work at once


def test_callees_hidden_by_the_filter_come_back(shown: MainWindow, qtbot: QtBot) -> None:
    """A list of calls that the filter empties says so, and its button clears the filter."""
    table = shown.views.callees.table
    before = table.model().rowCount()
    filter_by(shown, "nothing", qtbot)

    assert table.empty_page.label.text() == "The filter hides all callees."
    click_button(table, "Clear Filter")
    wait_for_filter(shown, qtbot)
    assert (table.model().rowCount(), offers(table)) == (before, [])


def test_only_my_code_warns_where_it_hides_everything(
    window: MainWindow,
    draw: Callable[..., Path],
    open_file: Callable[..., None],
    qtbot: QtBot,
) -> None:
    """In the profile of a system program a notice says what hides all, and shows it again."""
    window.show()
    open_file(draw(_SYSTEM_PROGRAM))
    own_code = window.actions_["own_code"]
    own_code.trigger()
    wait_for_filter(window, qtbot)
    (text,) = window.notices.notice_texts().values()
    click_button(window.notices, "Show All Code")
    wait_for_filter(window, qtbot)

    assert text == (
        "“Only My Code” hides all functions of this profile. The settings say which code is yours."
    )
    assert (own_code.isChecked(), window.notices.notice_texts()) == (False, {})
    assert window.views.function_list.model.rowCount() == 2


def test_a_misspelt_term_is_said_and_mended_by_keys(shown: MainWindow, qtbot: QtBot) -> None:
    """A slip empties no list: the sentence under the field offers the word that was meant."""
    functions = shown.views.function_list
    before = functions.model.rowCount()
    shown.actions_["filter"].trigger()
    process_events()
    field = shown.filter_bar
    qtbot.keyClicks(field, "slef>3%")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    process_events()
    sentence = field.sentence
    assert sentence is not None
    assert sentence.isVisible()
    assert "unknown word “slef”. Did you mean self?" in sentence.label.text()
    assert functions.model.rowCount() == before
    qtbot.keyClick(field, Qt.Key.Key_Tab)
    qtbot.keyClick(sentence.button, Qt.Key.Key_Space)
    wait_for_filter(shown, qtbot)
    assert (field.text(), sentence.isVisible()) == ("self>3%", False)
    assert 0 < functions.model.rowCount() < before


def test_my_code_has_no_unknown_functions(
    window: MainWindow, open_file: Callable[..., None], qtbot: QtBot
) -> None:
    """Addresses in unknown objects are nobody's code, for the filter and for the fold."""
    open_file(DATA / "threads-combined-bb" / "callgrind.out.22283.xz")
    functions = window.views.function_list

    def unknown() -> int:
        names = window.session.queries.names  # type: ignore[union-attr]
        nodes = map(functions.model.table.node, functions.model.order.tolist())
        return sum(
            names.object(node) == "???" and names.name(node).startswith(("0x", "???"))
            for node in nodes
        )

    found = [unknown()]
    for name in ("own_code", "fold_others"):
        window.actions_[name].trigger()
        wait_for_filter(window, qtbot)
        found.append(unknown())
        window.filter_bar.clear_filter()
        wait_for_filter(window, qtbot)
    assert found[0] > 5
    assert found[1:] == [0, 0]


_TWO_EVENTS = """
    events: Ir DLmr
    main@main.c@/usr/bin/program 1,1 -> compute 7x9000000000,8000000000, print 9x500,400
    compute@compute.c@/usr/bin/program 9000000000,8000000000
    print@print.c@/usr/lib/libc.so.6 500,400
    """


def shown_titles(table: RecordTable) -> list[str]:
    """The titles of the columns that are not hidden."""
    columns = range(table.model().columnCount())
    titles = {n: str(table.model().headerData(n, Qt.Orientation.Horizontal)) for n in columns}
    return [title.strip() for n, title in titles.items() if not table.isColumnHidden(n)]


def test_columns_give_way_one_by_one_with_a_second_event(
    window: MainWindow,
    draw: Callable[..., Path],
    open_file: Callable[..., None],
) -> None:
    """On a laptop's screen no list scrolls sideways; on a large one all columns are there."""
    window.show()
    window.resize(1366, 768)
    open_file(draw(_TWO_EVENTS))
    window.docks.reset()
    QTest.keyClick(window, Qt.Key.Key_3, Qt.KeyboardModifier.ControlModifier)  # absolute
    events = window.navigation.context.events.all
    window.navigation.set(second_event=events[1])
    process_events()
    tables = [view.table for view in (window.views.function_list, window.views.callees)]
    narrow = [shown_titles(table) for table in tables]
    assert [table.horizontalScrollBar().maximum() for table in tables] == [0, 0]
    window.resize(3000, 768)
    functions = window.docks.by_id["function_list"]
    window.resizeDocks([functions], [1000], Qt.Orientation.Horizontal)
    process_events()
    wide = [shown_titles(table) for table in tables]

    assert narrow == [
        ["Incl.", "Self", "DLmr incl.", "DLmr self", "Function"],
        ["Incl.", "Per call", "DLmr incl.", "DLmr per call", "Calls", "Callee", "Location"],
    ]
    assert wide == [
        ["Incl.", "Self", "DLmr incl.", "DLmr self", "Called", "Function", "Location"],
        ["Incl.", "Per call", "DLmr incl.", "DLmr per call", "Calls", "Callee", "Location"],
    ]
