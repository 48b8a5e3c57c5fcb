"""Journeys through call maps, call graph and flame graph, in the real window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QColor, QHelpEvent, QImage, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from qcachegrind_py.analysis.names.function_names import Grouping
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.views.pictures.flame_canvas import FlameCanvas
from qcachegrind_py.views.pictures.view import PictureView
from tests.columns import CALLS
from tests.profile_text import EXAMPLE, THIN, dump_rows, write_profile_text
from tests.user_input import (
    PICTURES,
    VIEW_IDS,
    active_name,
    go_to,
    ignore_offscreen_warnings,
    process_events,
)
from tests.views.pictures.box_view_text import canvas_lines

PERCENT = f"{THIN}%"
KEYS = dict(zip(("F8", "F9", "F6", "F7"), PICTURES, strict=True))
pytestmark = ignore_offscreen_warnings


@pytest.fixture
def user(window: MainWindow, open_file: Callable[..., None], qtbot: QtBot) -> User:
    window.resize(1280, 800)
    user = User(window, open_file, qtbot)
    user.open(EXAMPLE)
    return user


class User:
    """A user who looks at pictures and waits until they are complete."""

    def __init__(self, window: MainWindow, open_file: Callable[..., None], qtbot: QtBot) -> None:
        self._window, self._open_file, self._qtbot = window, open_file, qtbot

    def open(self, path: Path) -> None:
        """Open a file and wait for it."""
        self._open_file(path)
        self.wait()

    def wait(self) -> None:
        """Wait for all background jobs, pictures included."""
        jobs = ("open", "scope", "filter", "groups", *PICTURES)
        process_events()
        self._qtbot.waitUntil(lambda: not any(map(self._window.jobs.is_running, jobs)))
        process_events()
        self._qtbot.waitUntil(lambda: not any(map(self._window.jobs.is_running, jobs)))

    def press(self, key: str) -> None:
        """Press a key in the focused widget."""
        combination = QKeySequence(key)[0]
        widget = QApplication.focusWidget() or self._window
        QTest.keyClick(widget, combination.key(), combination.keyboardModifiers())
        self.wait()

    def do(self, action: str) -> None:
        """Choose an action in its menu or on the toolbar."""
        self._window.actions_[action].trigger()
        self.wait()

    def look_at(self, key: str) -> PictureView:
        """Go to a picture by its key."""
        self.press(key)
        view = self._window.docks.view(VIEW_IDS[KEYS[key]])
        assert isinstance(view, PictureView)
        return view

    @property
    def active(self) -> str:
        return active_name(self._window.session, self._window.navigation)


def colors(widget: QWidget) -> set[int]:
    """The chromatic colours of a widget's picture."""
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    found = {
        image.pixel(x, y) for x in range(3, image.width(), 7) for y in range(3, image.height(), 5)
    }
    return {rgb for rgb in found if QColor(rgb).saturation() > 20}


def test_pictures_follow_everything(window: MainWindow, user: User) -> None:
    """Event, unit, filter, cycles and groups are those of the lists."""
    go_to(window.session, window.navigation, "dl_main")
    views = window.views
    canvas, listed = views.callee_map.map, views.callees.model

    def map_and_list() -> tuple[set[str], set[str]]:
        """What the active function calls, in the picture and in the list, as they are shown."""
        user.press("Alt+3")
        rows = set(dump_rows(listed, CALLS.COST, CALLS.NAME))
        user.look_at("F7")
        picture = canvas.picture
        assert picture is not None
        boxes = {(picture.cost(b), picture.name(b)) for b in picture.tree.children_of(0)}
        return {f"{cost.removesuffix(PERCENT)} | {name}" for cost, name in boxes}, rows

    found = {"at first": map_and_list()}
    for action in ("next_event", "absolute"):
        user.do(action)
        found[action] = map_and_list()
    user.look_at("F7")
    window.filter_bar.setText("^_dl_map")
    QTest.keyClick(window.filter_bar, Qt.Key.Key_Return)
    user.wait()
    names = " ".join(canvas_lines(canvas))
    note = views.callee_map.note.text()
    user.do("no_filter")
    user.do("cycles")
    without_cycles = views.callee_map.message
    user.do("cycles")
    user.look_at("F9")
    before = colors(views.flame_graph.main_canvas)
    window.session.set_grouping(Grouping.OBJECT)
    user.wait()
    by_object = colors(views.flame_graph.main_canvas)
    window.session.set_grouping(Grouping.FILE)
    user.wait()
    by_file = colors(views.flame_graph.main_canvas)
    user.look_at("F7")

    for picture, rows in found.values():
        assert picture <= rows
        assert len(picture) > 3
    assert len({frozenset(picture) for picture, _ in found.values()}) == 3
    assert "relocate" not in names  # it leads to no function that passes
    assert "_dl_map_object" in names
    assert "outside the filter" in note
    assert without_cycles == ""
    assert by_object == before  # without a grouping, colours are those of objects
    assert len(by_file - before) > len(by_file) / 2
    assert by_file & colors(canvas)


def test_a_filter_cuts_no_path_in_the_flame_graph(window: MainWindow, user: User) -> None:
    """With a filter for costly functions, all their callers stay, faint, down from the start."""
    user.look_at("F9")
    view = window.views.flame_graph
    window.filter_bar.setText("self>20%")
    window.filter_bar.apply_text()
    user.wait()
    canvas = view.main_canvas
    picture = canvas.picture
    assert picture is not None
    tree, shown = picture.tree, set(map(picture.name, range(len(picture))))
    (hot,) = picture.style.labels.names.with_name("do_lookup_x")
    path = list(map(picture.name, tree.path(int(tree.frames_of(hot)[0]))))

    assert path[-6:] == [
        "_dl_start", "_dl_sysdep_start", "dl_main", "_dl_relocate_object", "_dl_lookup_symbol_x",
        "do_lookup_x",
    ]  # fmt: skip
    assert "strcmp" not in shown  # 4 %, and it calls nothing


THREADED = "main 10 -> clone 1x68\nclone 50 -> thread 1x3700\nthread 2700 -> work 9x1000\nwork 1000"


def row_of_boxes(canvas: FlameCanvas, depth: int) -> list[str]:
    """The boxes of a row with their costs, from left to right."""
    picture, tree = canvas.picture, canvas.tree
    assert picture is not None
    assert tree is not None
    rows = np.flatnonzero(tree.depth == depth).tolist()
    return [f"{picture.name(box)} {picture.cost(box)}" for box in rows]


def test_whole_program_has_its_threads(window: MainWindow, user: User, tmp_path: Path) -> None:
    """What a thread costs more than the call that began it is beside main, below other callers."""
    user.open(write_profile_text(tmp_path, THREADED))
    user.do("absolute")
    user.look_at("F9")
    canvas = window.views.flame_graph.main_canvas

    assert row_of_boxes(canvas, 0) == [f"Whole program 3{THIN}760"]
    assert row_of_boxes(canvas, 1) == [f"(other callers) 3{THIN}682", "main 78"]
    assert row_of_boxes(canvas, 2) == [f"clone 3{THIN}682", "clone 68"]


def test_the_inverted_flame_graph_begins_with_self_costs(window: MainWindow, user: User) -> None:
    """Its first boxes are those of the list sorted by self cost; their callers are below."""
    user.look_at("F9")
    view = window.views.flame_graph
    view.options.set("mode", "inverted")
    user.wait()
    canvas, listed = view.main_canvas, window.views.function_list.model
    names = [box.rpartition(" ")[0] for box in row_of_boxes(canvas, 1)[:5]]
    listed.sort(listed.place("self"), Qt.SortOrder.DescendingOrder)
    costliest = dump_rows(listed, listed.place("name"))[:5]
    picture = canvas.picture
    assert picture is not None
    callers = {picture.name(box) for box in picture.tree.children_of(1)}

    assert names == costliest
    assert callers <= set(dump_rows(listed, listed.place("name")))
    assert "Inverted" in view.mode_button.text()


def test_a_click_zooms_and_a_double_click_goes(window: MainWindow, user: User) -> None:
    """A click enlarges a box, the path to it stays on top and leads back, as Escape does."""
    user.look_at("F9")
    canvas = window.views.flame_graph.main_canvas
    picture = canvas.picture
    assert picture is not None
    deep = next(row for row in range(len(picture)) if picture.name(row) == "_dl_relocate_object")

    def place(box: int) -> QPoint:
        return canvas.box_rect(box).center().toPoint()

    def click(box: int) -> int:
        """Click on a box; return what is zoomed to."""
        QTest.mouseClick(canvas.viewport(), Qt.MouseButton.LeftButton, pos=place(box))
        return canvas.zoom_root

    zoomed = click(deep)
    above = picture.tree.path(deep)[1]
    returned = click(above)
    click(deep)
    QTest.keyClick(canvas, Qt.Key.Key_Escape)
    escaped = canvas.zoom_root
    before = user.active
    at = place(deep)
    QTest.mouseClick(canvas.viewport(), Qt.MouseButton.LeftButton, pos=at)
    QTest.mouseDClick(canvas.viewport(), Qt.MouseButton.LeftButton, pos=at)
    user.wait()

    assert (zoomed, returned, escaped) == (deep, above, above)
    assert (before != user.active, user.active) == (True, "_dl_relocate_object")


def test_the_legend_names_the_colours(window: MainWindow, user: User) -> None:
    """Its colours are those of the list, its costs those of groups; a click fades all others."""
    user.look_at("F9")
    view = window.views.flame_graph
    canvas, legend = view.main_canvas, view.legend
    (loader,) = [button for button in legend.buttons if button.text().startswith("ld-")]
    with_all = colors(canvas)
    QTest.mouseClick(loader, Qt.MouseButton.LeftButton)
    chosen, alone = legend.chosen, colors(canvas)
    QTest.mouseClick(loader, Qt.MouseButton.LeftButton)
    window.session.set_grouping(Grouping.OBJECT)
    user.wait()
    groups = window.views.function_list.groups.model
    rows = dump_rows(groups, groups.place("self"), groups.place("name"))
    listed = {name: share for share, _, name in (row.partition(" | ") for row in rows)}

    shown = dict(button.text().split("  ") for button in legend.buttons if button.isVisible())
    assert {name: f"{listed[name]}{PERCENT}" for name in shown} == shown
    assert (chosen.rpartition("/")[2], legend.chosen) == ("ld-linux-x86-64.so.2", "")
    assert alone != with_all == colors(canvas)


def test_a_map_of_one_path_says_so_and_offers_the_other(window: MainWindow, user: User) -> None:
    """A rectangle without anything in it would say nothing."""
    go_to(window.session, window.navigation, "_dl_start")
    view = user.look_at("F6")
    before = view.message
    (button,) = [each for each in view.findChildren(QPushButton) if each.isVisible()]
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    user.wait()

    assert before == "_dl_start is called on one path: 0x000000000001ab70 › _dl_start."
    assert button.text() == "Show Callee Map"
    assert window.views.callee_map.isVisible()
    assert window.views.callee_map.message == ""


def test_a_tip_covers_neither_its_box_nor_the_rows_beside(window: MainWindow, user: User) -> None:
    """It says in five lines at most what the box is."""
    user.look_at("F9")
    canvas = window.views.flame_graph.main_canvas
    place = canvas.box_rect(2).center().toPoint()
    event = QHelpEvent(QEvent.Type.ToolTip, place, canvas.viewport().mapToGlobal(place))
    QApplication.sendEvent(canvas.viewport(), event)
    (tip,) = [each for each in QApplication.topLevelWidgets() if each.inherits("QTipLabel")]
    row = canvas.box_rect(2).toAlignedRect()
    read = row.adjusted(0, -row.height(), 0, row.height())
    read.moveTopLeft(canvas.viewport().mapToGlobal(read.topLeft()))
    covered, text = tip.geometry().intersects(read), QToolTip.text()
    QToolTip.hideText()

    assert not covered
    assert 3 <= text.count("<br>") + 1 <= 5
