"""Arbitrary names of functions, files, events and parts are shown as plain text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path

import pytest
from PySide6.QtCore import QAbstractItemModel, QModelIndex, Qt
from PySide6.QtWidgets import (
    QApplication,
    QHeaderView,
    QLabel,
    QMenu,
    QTableView,
    QToolButton,
    QTreeView,
)
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.frame.jump_dialog import JumpDialog
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.views.active_function import ActiveFunctionHeader
from qcachegrind_py.views.code.annotated_view import CodeView
from qcachegrind_py.views.common.picture_view import PictureView
from tests.profile_text import THIN
from tests.user_input import (
    DOCK_IDS,
    ignore_offscreen_warnings,
    inspect_menu,
    menu_actions,
    opened_menu,
    process_events,
    row_menu,
    without_mnemonic,
)

HTML = b"<h1>big</h1><img src=x>&amp;&lt;"
LONG = b"long" * 25_000
CONTROLS = b"bell\x07 esc\x1b[31m nul\x00 del\x7f tab\tend"
DIRECTION = "rtl\u202egnp.exe\u2066 \u200f".encode()
LINES = "one\u2028two\u2029three\x85four\x0bfive\x0csix".encode()
NOT_TEXT = b"caf\xe9 \xff\xfe"
AMPERSANDS = b"operator&& & &File"
NAMES = [HTML, LONG, CONTROLS, DIRECTION, LINES, NOT_TEXT, AMPERSANDS]
TITLES = ["All Callers", "All Callees", "Call Tree", "Call Stack", "Event Types", "Parts"]
OpenFile = Callable[..., None]
Settle = Callable[[], None]
pytestmark = ignore_offscreen_warnings


def hostile_part(names: list[bytes], number: int) -> bytes:
    """A part in which each name calls the next and is also a file and an object."""
    events = b"Ir " + b"<b>E</b>"
    text = b"cmd: %s\npid: 7\npart: %d\ndesc: Trigger: %s\nevents: %s\n" % (
        HTML,
        number,
        HTML,
        events,
    )
    for place, name in enumerate(names):
        text += b"ob=%s\nfl=%s\nfn=%s\n1 10 1\n" % (name, name, name)
        if place + 1 < len(names):
            callee = names[place + 1]
            cost = 10 * (len(names) - place - 1)
            text += b"cob=%s\ncfi=%s\ncfn=%s\n" % (callee, callee, callee)
            text += b"calls=1 1\n1 %d 1\n" % cost
    return text


@pytest.fixture
def hostile(
    window: MainWindow, open_file: OpenFile, tmp_path: Path, settle: Settle, qtbot: QtBot
) -> MainWindow:
    """The window with all hostile names, half way down the path through them."""
    window.resize(1280, 800)
    paths = []
    for number in (1, 2):
        path = tmp_path / f"<b>part<b> & {number}"
        path.write_bytes(hostile_part(NAMES, number))
        paths.append(path)
    open_file(*paths)
    window.navigation.select_function(3)
    settle()
    return window


def each_view(window: MainWindow, qtbot: QtBot) -> Iterator[tuple[str, QTableView | QTreeView]]:
    """Bring all lists, the tree and the pictures' tables to the front, one by one."""
    for title, dock_id in DOCK_IDS.items():
        view = window.docks.view(dock_id)
        window.docks.by_id[dock_id].raise_()
        process_events()
        if title == "Parts":
            qtbot.waitUntil(lambda: window.views.part_list.timeline is not None)
            process_events()
        if title == "Call Tree":
            window.views.call_tree.tree.expandAll()
            yield title, window.views.call_tree.tree
        elif isinstance(view, PictureView):
            qtbot.waitUntil(lambda view=view: not window.jobs.is_running(view.title))
            view.table_button.setChecked(True)
            process_events()
            yield from ((t.accessibleName(), t) for t in view.tables if t.isVisible())
        elif isinstance(view, CodeView):
            qtbot.waitUntil(lambda view=view: not window.jobs.is_running(view.title))
            process_events()
            if view.table.isVisible():  # hidden if no instructions are recorded
                yield title, view.table
        else:
            yield title, view.table  # type: ignore[attr-defined]


def cells(model: QAbstractItemModel, parent: QModelIndex, depth: int = 9) -> Iterator[QModelIndex]:
    """All cells of a list or tree."""
    for row in range(model.rowCount(parent)):
        for column in range(model.columnCount(parent)):
            yield model.index(row, column, parent)
        if depth:
            yield from cells(model, model.index(row, 0, parent), depth - 1)


def is_plain(text: str) -> bool:
    """Whether a text is one line of bounded length without control characters."""
    return text.replace(THIN, " ").isprintable() and len(text) <= 500


def is_escaped(tip: str) -> bool:
    """Whether a tooltip is our HTML with nothing but text and line ends in it."""
    inner = re.fullmatch(r"<qt>(.*)</qt>", tip)
    return inner is not None and "<" not in inner[1].replace("<br>", "") and len(tip) < 40_000


def test_cells_and_tooltips_of_all_views_are_text(hostile: MainWindow, qtbot: QtBot) -> None:
    """Every cell is one printable line; every tooltip shows markup literally."""
    wrong: list[tuple[str, str]] = []
    seen = 0
    for title, view in each_view(hostile, qtbot):
        for index in cells(view.model(), QModelIndex()):
            seen += 1
            text, tip = str(index.data()), index.data(Qt.ItemDataRole.ToolTipRole)
            if not is_plain(text):
                wrong.append((title, text[:80]))
            if tip and not is_escaped(tip):
                wrong.append((title, str(tip)[:80]))

    assert wrong == []
    assert seen > 150


def test_names_are_shown_as_they_are(hostile: MainWindow) -> None:
    """Printable characters are shown as in the file, others by escapes."""
    model = hostile.views.function_list.model
    names = {
        str(model.index(row, model.NAME).data()): unescape(
            str(model.index(row, 0).data(Qt.ItemDataRole.ToolTipRole))
        )
        for row in range(model.rowCount())
    }
    expected = {
        HTML.decode(),
        "long" * 100 + "…",
        r"bell\x07 esc\x1b[31m nul\x00 del\x7f tab\x09end",
        r"rtl\u202egnp.exe\u2066 \u200f",
        r"one\u2028two\u2029three\u0085four\x0bfive\x0csix",
        r"caf\xe9 \xff\xfe",
        AMPERSANDS.decode(),
    }

    assert set(names) == expected
    assert HTML.decode() in names[HTML.decode()]


def heights(window: MainWindow, qtbot: QtBot) -> dict[str, tuple[int, set[int]]]:
    """The heights of the headers and rows of each view."""
    found = {}
    for title, view in each_view(window, qtbot):
        model = view.model()
        rows = {
            view.visualRect(index).height()
            for index in cells(model, QModelIndex())
            if view.visualRect(index).height()
        }
        header = view.header() if isinstance(view, QTreeView) else view.horizontalHeader()
        assert isinstance(header, QHeaderView)
        found[title] = (header.height(), rows)
    return found


def test_rows_and_headers_keep_their_height(
    hostile: MainWindow, qtbot: QtBot, open_file: OpenFile, tmp_path: Path, settle: Settle
) -> None:
    """No name makes a row, a header or the window larger than usual."""
    found = heights(hostile, qtbot)
    size = (hostile.width(), hostile.height(), hostile.minimumSizeHint().width() <= 1280)
    tame = [b"name%d" % number for number in range(len(NAMES))]
    paths = []
    for number in (1, 2):
        paths.append(tmp_path / f"tame{number}")
        paths[-1].write_bytes(hostile_part(tame, number))
    open_file(*paths)
    hostile.navigation.select_function(3)
    settle()

    assert found == heights(hostile, qtbot)
    assert {len(rows) for _, rows in found.values()} == {1}
    assert size == (1280, 800, True)


def test_title_and_status_are_text(hostile: MainWindow) -> None:
    """The window's title and status bar show names literally."""
    title = hostile.windowTitle()
    labels = hostile.statusBar().findChildren(QLabel)

    assert title.startswith("<b>part<b> & 1 +1 [<h1>big</h1>")
    assert is_plain(title)
    assert {label.textFormat() for label in labels} == {Qt.TextFormat.PlainText}
    assert all(is_plain(label.text()) for label in labels)
    assert is_escaped(hostile.status_bar.file.toolTip())


def test_labels_of_the_window_are_plain_text(hostile: MainWindow, qtbot: QtBot) -> None:
    """No label guesses whether its text is HTML."""
    for _ in each_view(hostile, qtbot):
        pass
    guessing = [
        label.text()[:40]
        for label in hostile.findChildren(QLabel)
        if label.textFormat() != Qt.TextFormat.PlainText and label.text() not in ("", "›")
    ]

    assert guessing == []


def test_active_function_line_is_text(hostile: MainWindow) -> None:
    """Name, location and path of each function fit in one line of text."""
    line = hostile.centralWidget()
    assert isinstance(line, ActiveFunctionHeader)
    height, wrong = line.height(), []
    for place in range(len(NAMES)):
        hostile.navigation.select_function(place)
        process_events()
        steps = [b for b in line.findChildren(QToolButton) if b.isVisible()]
        texts = [
            line.name_label.text(),
            line.location_label.text(),
            *(step.text() for step in steps),
        ]
        tips = [line.name_label.toolTip(), line.location_label.toolTip()]
        size = (line.height(), hostile.width(), len(steps) >= 1)
        wrong += [text for text in texts if not is_plain(text)]
        wrong += [tip for tip in tips if not is_escaped(tip)]
        wrong += [str(size)] if size != (height, 1280, True) else []

    assert wrong == []


def test_jump_dialog_shows_text(hostile: MainWindow) -> None:
    """The dialog shows and finds hostile names and keeps its size."""
    hostile.actions_["jump"].trigger()
    process_events()
    (dialog,) = hostile.findChildren(JumpDialog)
    size, row = dialog.size(), dialog.matches.visualRect(dialog.model.index(0)).height()
    shown = [dialog.model.index(n) for n in range(dialog.model.rowCount())]
    texts = [str(index.data()) for index in shown]
    tips = [str(index.data(Qt.ItemDataRole.ToolTipRole)) for index in shown]
    rows = {dialog.matches.visualRect(index).height() for index in shown}
    dialog.edit.setText("<h1")
    process_events()
    found = str(dialog.model.index(0).data())
    same = dialog.size() == size
    dialog.close()

    assert [text for text in texts if not is_plain(text)] == []
    assert [tip for tip in tips if not is_escaped(tip)] == []
    assert (rows, found, same) == ({row}, HTML.decode(), True)


def test_menus_show_text(hostile: MainWindow) -> None:
    """Context and history menus show shortened names, ampersands included."""
    for place in (*range(len(NAMES)), 2):
        hostile.navigation.select_function(place)
        process_events()
    ways = [
        without_mnemonic(action.text())
        for menu in (hostile.history_menus.back, hostile.history_menus.up)
        for action in opened_menu(menu).actions()
    ]
    table = hostile.views.function_list.table

    def labels(menu: QMenu) -> list[str]:
        return [without_mnemonic(action.text()) for action in menu_actions(menu)]

    of_rows = [text for row in range(7) for text in inspect_menu(row_menu(table, row), labels)]

    assert [text for text in ways if not is_plain(text.replace("\t", " "))] == []
    assert [text for text in of_rows if not is_plain(text) or len(text) > 90] == []
    assert any(text.startswith(AMPERSANDS.decode()) for text in ways)
    assert any("operator&& & &File" in text for text in of_rows)


def test_events_of_any_name_are_shown_as_text(hostile: MainWindow) -> None:
    """Boxes and titles show event names literally and stay narrow."""
    texts = [hostile.event_combo.itemText(place) for place in range(hostile.event_combo.count())]
    hostile.navigation.set(event=hostile.navigation.context.events.find("<b>E</b>"))
    process_events()

    assert "<b>E</b>" in texts
    assert "<b>E</b>" in hostile.status_bar.total.text()
    assert hostile.event_combo.width() <= hostile.event_combo.maximumWidth() < 400


def test_notices_show_text(
    window: MainWindow, open_file: OpenFile, tmp_path: Path, settle: Settle
) -> None:
    """A line that was not understood is quoted in one line of bounded length."""
    path = tmp_path / "odd"
    path.write_bytes(b"events: Ir\nfn=f\n1 1\n" + b"<b>odd</b>\x1b\xe2\x80\xae" + LONG + b"\n")
    window.resize(1000, 700)
    open_file(path)
    settle()
    QApplication.processEvents()
    texts = list(window.notices.notice_texts().values())

    assert len(texts) == 1
    assert is_plain(texts[0])
    assert "<b>odd</b>" in texts[0]
    assert (window.width(), window.height()) == (1000, 700)


def test_file_of_any_name_is_opened_and_listed(
    window: MainWindow, open_file: OpenFile, tmp_path: Path
) -> None:
    """Hostile file names are shown literally in title, status, notice and recent files."""
    path = tmp_path / "a&b\n<b>\u202e"
    path.write_text("events: Ir\nfn=f\n1 1\n")
    open_file(path)
    window.file_commands.remember_opened()
    (menu,) = [
        m for m in window.findChildren(QMenu) if without_mnemonic(m.title()) == "Open Recent"
    ]
    entry = without_mnemonic(menu.actions()[0].text())

    assert (is_plain(window.windowTitle()), is_plain(window.status_bar.file.text())) == (True, True)
    assert is_plain(entry)
    assert r"a&b\x0a<b>\u202e" in entry
