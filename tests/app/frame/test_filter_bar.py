"""The filter bar, whose filter applies to all views."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.views.pictures.detail_line import StatusLine
from tests.columns import FUNCTIONS
from tests.profile_text import THIN, dump_rows
from tests.user_input import VIEW_IDS, go_to, ignore_offscreen_warnings, process_events

DRAWING = """
    main@/home/me/a.c@/home/me/prog 10 -> Box::put 3x60, malloc 1x30
    Box::put@/home/me/box.c@/home/me/prog 20 -> malloc 4x40
    malloc@malloc.c@/usr/lib/libc.so.6 70
    """
NAME = FUNCTIONS.NAME
KEY, CTRL = Qt.Key, Qt.KeyboardModifier.ControlModifier
Settle = Callable[[], None]
pytestmark = ignore_offscreen_warnings


@pytest.fixture
def filtered(
    window: MainWindow, draw: Callable[..., Path], open_file: Callable[..., None], settle: Settle
) -> Callable[[str], list[str]]:
    """Return a function that filters by a text and returns the visible functions."""
    open_file(draw(DRAWING))

    def filtered(text: str) -> list[str]:
        window.filter_bar.setText(text)
        window.filter_bar.apply_text()
        settle()
        return names(window)

    return filtered


Filtered = Callable[[str], list[str]]


def names(window: MainWindow) -> list[str]:
    """The visible functions."""
    return dump_rows(window.views.function_list.model, NAME)


def test_terms_filter_the_list(filtered: Filtered) -> None:
    """Each kind of term hides the functions that do not match it."""
    expected = {
        "put": ["Box::put"],
        "self>25%": ["malloc"],
        "lib:libc": ["malloc"],
        "!lib:libc": ["Box::put", "main"],
        "file:box.c": ["Box::put"],
        "incl>=60 called>=3": ["malloc", "Box::put"],
        "/^ma/": ["malloc", "main"],
        "": ["malloc", "Box::put", "main"],
    }

    assert {text: filtered(text) for text in expected} == expected


def test_typing_filters_after_a_pause(window: MainWindow, filtered: Filtered, qtbot: QtBot) -> None:
    """Filtering needs no Return, and the focus stays in the line."""
    window.activateWindow()
    window.filter_bar.setFocus()
    qtbot.keyClicks(window.filter_bar, "put")
    qtbot.waitUntil(lambda: names(window) == ["Box::put"])

    assert QApplication.focusWidget() is window.filter_bar


def test_invalid_filter_keeps_the_previous_one(window: MainWindow, filtered: Filtered) -> None:
    """While an unfinished filter is typed, the list stays and the error is shown."""
    filtered("put")
    kept = filtered("self>")
    wrong = (window.filter_bar.toolTip(), window.filter_bar.accessibleDescription())
    colored = window.filter_bar.palette().text().color().name()
    mended = filtered("self>0")

    assert kept == ["Box::put"]
    assert wrong[1] == "“self>”: after > comes a number, such as self>1% or self>10k."
    assert wrong[0] == f"<qt>{escape(wrong[1])}</qt>"
    assert mended == ["malloc", "Box::put", "main"]
    assert window.filter_bar.accessibleDescription() == ""
    assert window.filter_bar.palette().text().color().name() != colored


def test_escape_clears(
    window: MainWindow, filtered: Filtered, qtbot: QtBot, settle: Settle
) -> None:
    """Escape in the filter shows all functions again."""
    filtered("put")
    window.filter_bar.setFocus()
    qtbot.keyClick(window.filter_bar, KEY.Key_Escape)
    settle()

    assert (window.filter_bar.text(), names(window)) == ("", ["malloc", "Box::put", "main"])


def test_key_shows_all_again_from_anywhere(
    window: MainWindow, filtered: Filtered, settle: Settle
) -> None:
    """No Filter has a key and is enabled only while a filter is active."""
    before = window.actions_["no_filter"].isEnabled()
    filtered("put")
    window.actions_["own_code"].setChecked(True)
    settle()
    during = window.actions_["no_filter"].isEnabled()
    window.actions_["no_filter"].trigger()
    settle()

    assert (before, during, window.actions_["no_filter"].isEnabled()) == (False, True, False)
    assert (window.filter_bar.text(), window.actions_["own_code"].isChecked()) == ("", False)
    assert names(window) == ["malloc", "Box::put", "main"]


def test_only_my_code_hides_the_system(
    window: MainWindow, filtered: Filtered, settle: Settle
) -> None:
    """The switch hides functions of system libraries, in addition to the typed filter."""
    window.actions_["own_code"].setChecked(True)
    settle()
    alone = names(window)
    both = filtered("put")
    window.actions_["own_code"].setChecked(False)
    settle()

    assert (alone, both) == (["Box::put", "main"], ["Box::put"])
    assert (window.filter_bar.text(), names(window)) == ("put", ["Box::put"])


def test_open_quote_leaves_only_my_code(
    window: MainWindow, filtered: Filtered, settle: Settle
) -> None:
    """An unclosed quote does not swallow the terms of the switch."""
    window.actions_["own_code"].setChecked(True)

    assert filtered('"ma') == ["main"]


def test_all_views_count_hidden_functions(
    window: MainWindow, filtered: Filtered, qtbot: QtBot
) -> None:
    """Each view says how many functions the filter hides; the list adds their cost."""
    go_to(window.session, window.navigation, "Box::put")
    filtered("!malloc")
    views = window.views
    said: dict[str, bool] = {}
    for title, view_id in VIEW_IDS.items():
        if title in ("Functions", "Event Types", "Parts"):
            continue
        window.docks.show(view_id)
        process_events()
        qtbot.waitUntil(lambda title=title: not window.jobs.is_running(title))
        view = window.docks.view(view_id)
        lines = [*view.findChildren(QLabel), *view.findChildren(StatusLine)]
        said[title] = any("filter" in line.text() for line in lines if line.isVisible())

    assert views.function_list.search.found_text == f"2 of 3 functions (30.0{THIN}% of self cost)"
    assert views.callees.filter_note.text() == f"1 hidden by the filter: {4 * 10}.00{THIN}%"
    assert {title for title, is_said in said.items() if is_said} == {
        "Callees",
        "All Callees",
        "Call Tree",
        "Call Stack",
        "Callee Map",
        "Call Graph",
        "Flame Graph",
    }


def test_status_bar_shows_the_filter(window: MainWindow, filtered: Filtered) -> None:
    """The status bar says that functions are hidden."""
    before = window.status_bar.filter.text()
    filtered("put")
    during = (window.status_bar.filter.text(), window.filter_bar.font().bold())
    filtered("")

    assert before == window.status_bar.filter.text() == ""
    assert during == ("Filter: put", True)


def test_other_profile_is_filtered_as_well(
    window: MainWindow,
    filtered: Filtered,
    draw: Callable[..., Path],
    open_file: Callable[..., None],
    settle: Settle,
) -> None:
    """The typed filter applies to the next profile, too."""
    filtered("put")
    open_file(draw("put 1\nother 2", "next.out"))
    settle()

    assert (names(window), window.filter_bar.text()) == (["put"], "put")
    assert window.status_bar.filter.text() == "Filter: put"


def test_key_leads_to_the_filter(window: MainWindow, filtered: Filtered) -> None:
    """Ctrl+L focuses the filter and selects its text."""
    filtered("put")
    window.views.function_list.table.setFocus()
    window.actions_["filter"].trigger()

    assert QApplication.focusWidget() is window.filter_bar
    assert window.filter_bar.selectedText() == "put"


def sentence(window: MainWindow) -> str:
    """What stands under the field; empty for nothing."""
    shown = window.filter_bar.sentence
    return shown.label.text() if shown is not None and shown.isVisible() else ""


def test_the_error_stands_under_the_field(window: MainWindow, filtered: Filtered) -> None:
    """A slip is no name: the sentence of the command stays in view, and the old filter in force."""
    assert filtered("lib:libc") == ["malloc"]
    assert filtered("slef>25%") == ["malloc"]
    text = 'unknown word “slef”. Did you mean self? Quotes make it a name: "slef>25%".'
    assert sentence(window) == f"“slef>25%”: {text}"
    field, below_field = window.filter_bar, window.filter_bar.sentence
    assert below_field is not None
    assert below_field.y() == field.mapTo(window, field.rect().bottomLeft()).y() + 1
    assert window.rect().contains(below_field.geometry())
    assert filtered("self>25%") == ["malloc"]
    assert sentence(window) == ""


def test_the_right_word_is_offered(
    window: MainWindow, filtered: Filtered, settle: Settle, qtbot: QtBot
) -> None:
    """Tab and Space take the word that was meant; the rest of the text stays."""
    window.show()
    window.actions_["filter"].trigger()
    filtered("!main slef>25%")
    process_events()
    field = window.filter_bar
    assert field.sentence is not None
    assert field.sentence.button.text() == "Use self"
    qtbot.keyClick(field, KEY.Key_Tab)
    assert QApplication.focusWidget() is field.sentence.button
    qtbot.keyClick(field.sentence.button, KEY.Key_Space)
    settle()
    assert (field.text(), names(window)) == ("!main self>25%", ["malloc"])
    assert sentence(window) == ""
    assert filtered("lib:libc") == ["malloc"]
    filtered("self>")
    assert not field.sentence.button.isVisible()


def test_percentages_of_nothing(
    window: MainWindow,
    draw: Callable[..., Path],
    open_file: Callable[..., None],
    settle: Settle,
) -> None:
    """A term is left out in an event in which it cannot be checked, and the field says so."""
    open_file(draw("events: Ir Dw\n    main@a.c 10,0 -> f 1x5,0\n    f@a.c 2,0"))
    window.filter_bar.setText("self>50% main")
    window.filter_bar.apply_text()
    settle()
    assert (names(window), sentence(window)) == (["main"], "")
    events = window.session.queries.events
    window.navigation.set(event=events.find("Dw"))
    settle()
    reason = "the total of Dw is 0, which has no percentages."
    assert (names(window), sentence(window)) == (["main"], f"“self>50%”: {reason}")
    window.navigation.set(event=events.find("Ir"))
    settle()
    assert (names(window), sentence(window)) == (["main"], "")
