"""Arbitrary names of functions, files, events and parts are shown as plain text."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QHeaderView,
    QLabel,
    QMenu,
    QTableView,
    QToolButton,
    QTreeView,
    QWidget,
)
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.comparison.bar import ComparisonBar, DifferencesDialog
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.profile.tables import to_display
from qcachegrind_py.session.loading import ProfileFiles
from qcachegrind_py.views.active_function import ActiveFunctionHeader
from qcachegrind_py.views.code.code_views import CodeView
from qcachegrind_py.views.pictures.view import PictureView
from qcachegrind_py.views.tables.table_actions import table_export
from qcachegrind_py.views.widgets.saving import PictureStack, to_image, to_svg
from qcachegrind_py.visible_text import visible_text
from tests.graphviz_process import laid_out
from tests.hostile_names import HOSTILE_NAMES, invisible_characters, profile_of
from tests.profile_text import THIN
from tests.user_input import (
    LASTING_VIEWS,
    VIEW_IDS,
    ignore_offscreen_warnings,
    inspect_menu,
    menu_actions,
    opened_menu,
    process_events,
    row_menu,
    without_mnemonic,
)

HTML = HOSTILE_NAMES["HTML"]
LONG = HOSTILE_NAMES["long"]
AMPERSANDS = HOSTILE_NAMES["mnemonics"]
NAMES = [HTML, *(name for name in HOSTILE_NAMES.values() if name != HTML)]
OpenFile = Callable[..., None]
Settle = Callable[[], None]
pytestmark = ignore_offscreen_warnings


@pytest.fixture
def hostile(
    window: MainWindow, open_file: OpenFile, tmp_path: Path, settle: Settle, qtbot: QtBot
) -> MainWindow:
    """The window with all hostile names, half way down the path through them."""
    window.resize(1280, 800)
    paths = []
    for number in (1, 2):
        path = tmp_path / f"<b>part<b> & {number}"
        path.write_bytes(profile_of(NAMES, number))
        paths.append(path)
    open_file(*paths)
    window.navigation.select_function(3)
    settle()
    return window


def each_view(window: MainWindow, qtbot: QtBot) -> Iterator[tuple[str, QTableView | QTreeView]]:
    """Bring all lists, the tree and the pictures' tables to the front, one by one."""
    for title in LASTING_VIEWS:  # without a comparison, the others are empty
        window.docks.show(VIEW_IDS[title])
        process_events()
        view = window.docks.view(VIEW_IDS[title])
        if title == "Parts":
            qtbot.waitUntil(lambda: window.views.part_list.panel.timeline is not None)
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
        str(model.index(row, model.place("name")).data()): unescape(
            str(model.index(row, 0).data(Qt.ItemDataRole.ToolTipRole))
        )
        for row in range(model.rowCount())
    }
    shown = [visible_text(name.decode("utf-8", "surrogateescape")) for name in NAMES]
    expected = {name if len(name) <= 400 else name[:400] + "…" for name in shown}

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
        paths[-1].write_bytes(profile_of(tame, number))
    open_file(*paths)
    hostile.navigation.select_function(3)
    settle()

    assert found == heights(hostile, qtbot)
    assert max(len(rows) for _, rows in found.values()) == 1  # a map of one path has no rows
    assert size == (1280, 800, True)


def test_what_is_compared_is_text(hostile: MainWindow, tmp_path: Path, qtbot: QtBot) -> None:
    """Names of files and commands are literal in the comparison bar, the title and the list."""
    base = tmp_path / "a&b\n<b>\u202e"
    base.write_bytes(profile_of([LONG, HTML]))
    hostile.session.comparing.compare_with(ProfileFiles((base,)))
    qtbot.waitUntil(lambda: hostile.session.comparison is not None and hostile.jobs.is_idle)
    process_events()
    (bar,) = hostile.findChildren(ComparisonBar)
    labels = bar.findChildren(QLabel)
    texts = [hostile.windowTitle(), hostile.status_bar.file.text(), *(e.text() for e in labels)]
    bar.row.differences.click()
    dialog = QApplication.activeModalWidget()
    assert isinstance(dialog, DifferencesDialog)
    lines = dialog.page.toPlainText().splitlines()
    dialog.close()

    assert bar.row.base.accessibleName() == r"Base: a&b\x0a<b>\u202e"
    assert {label.textFormat() for label in labels} == {Qt.TextFormat.PlainText}
    assert [text for text in texts if not is_plain(text)] == []
    assert [e.toolTip() for e in labels if e.toolTip() and not is_escaped(e.toolTip())] == []
    assert [line for line in lines if not line.replace(THIN, " ").isprintable()] == []


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
        size = (line.height(), hostile.width())
        wrong += [text for text in texts if not is_plain(text)]
        wrong += [tip for tip in tips if not is_escaped(tip)]
        wrong += [str(size)] if size != (height, 1280) else []

    assert wrong == []


TEXT_PROPERTIES = (
    *("windowTitle", "text", "title", "toolTip", "statusTip", "whatsThis", "plainText"),
    *("accessibleName", "accessibleDescription", "placeholderText", "labelText", "currentText"),
)


def invisible_texts() -> list[tuple[str, str, str]]:
    """Class, property and text of everything on screen that has characters not to be seen."""
    things = [thing for top in QApplication.topLevelWidgets() for thing in [top, *children(top)]]
    texts = [
        (type(thing).__name__, name, text)
        for thing in things
        for name in TEXT_PROPERTIES
        if isinstance(text := thing.property(name), str)
    ]
    assert len(texts) > 1000
    return [text for text in texts if invisible_characters(text[2], "\n\t")]


def children(widget: QWidget) -> list[QObject]:
    return [*widget.findChildren(QWidget), *widget.findChildren(QAction)]


def test_no_text_of_the_window_has_invisible_characters(
    hostile: MainWindow, qtbot: QtBot, settle: Settle
) -> None:
    """Titles, labels, tooltips, menus, notices and what screen readers say are visible text.

    A control character is drawn as nothing or as a box; an override reverses what stands beside it.
    """
    found = []
    events = hostile.navigation.context.events
    for function in range(len(NAMES)):
        hostile.navigation.select_function(function)
        hostile.navigation.set(event=events.all[function % len(events.all)])
        process_events()
        found += invisible_texts()
    for _ in each_view(hostile, qtbot):
        found += invisible_texts()
    for name in ("jump", "properties", "paths", "new_event", "save"):
        hostile.actions_[name].trigger()
        process_events()
        found += invisible_texts()
        for dialog in hostile.findChildren(QDialog):
            dialog.reject()
        process_events()

    assert found == []


def exported(view: PictureView) -> tuple[str, dict[str, str]]:
    """The picture of a view as SVG, and the texts it is exported as."""
    picture = PictureStack(view.shown_canvases())
    assert not to_image(picture).isNull()
    return to_svg(picture).decode(), {kind: text() for kind, text in view.text_exports().items()}


def test_exports_of_all_views_are_safe(hostile: MainWindow, qtbot: QtBot) -> None:
    """Pictures are well-formed and have text and shapes only; tables have rows of equal length.

    JSON has the exact names, and DOT is a graph for Graphviz.
    """
    tags, rows_of, wrong = set(), {}, []
    csv.field_size_limit(10**6)  # the longest location has both paths
    for title, table in each_view(hostile, qtbot):
        if isinstance(table, QTableView):
            export = table_export(table)(NoProgress())
            rows = list(csv.reader(io.StringIO(export.to_csv(), newline="")))
            rows_of[title] = json.loads("".join(export.json_chunks(NoProgress())))
            assert {len(row) for row in rows} == {len(export.titles)}
            assert len(rows) == len(export.rows) + 1 == len(rows_of[title]) + 1
            wrong += [cell for row in rows for cell in row if invisible_characters(cell)]
            wrong += [cell for row in rows for cell in row if cell[:1] in ("=", "@")]
    views = [hostile.docks.view(dock_id) for dock_id in VIEW_IDS.values()]
    for view in [view for view in views if isinstance(view, PictureView)]:
        svg, texts = exported(view)
        tags |= {element.tag.rpartition("}")[2] for element in ET.fromstring(svg).iter()}
        wrong += [text for text in (svg, *texts.values()) if invisible_characters(text, "\r\n\t")]
        if "DOT" in texts and view is hostile.docks.view("call_graph"):
            graph = laid_out(texts["DOT"], "plain")
            assert (graph.count("node "), graph.count(r"\n") > 20) == (3, True)

    assert wrong == []
    assert tags <= {
        *("svg", "title", "desc", "defs", "clipPath"),
        *("g", "rect", "path", "polyline", "polygon", "text"),
    }
    exact = {to_display(name.decode("utf-8", "surrogateescape")) for name in NAMES}
    assert {row["Function"] for row in rows_of["Functions"]} == exact


def test_menus_show_text(hostile: MainWindow) -> None:
    """Context and history menus show shortened names, ampersands included."""
    for place in (*range(len(NAMES)), NAMES.index(AMPERSANDS), 0):
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

    of_rows = [
        text for row in range(len(NAMES)) for text in inspect_menu(row_menu(table, row), labels)
    ]

    assert [text for text in ways if not is_plain(text.replace("\t", " "))] == []
    assert [text for text in of_rows if not is_plain(text) or len(text) > 90] == []
    assert any(text.startswith(AMPERSANDS.decode()[:30]) for text in ways)
    assert any("operator&& & &File" in text for text in of_rows)


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
