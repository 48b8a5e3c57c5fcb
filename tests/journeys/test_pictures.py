"""Journeys through call maps, call graph and flame graph, in the real window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from qcachegrind_py.analysis.names.function_names import Grouping
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.views.pictures.view import PictureView
from tests.columns import CALLS
from tests.profile_text import EXAMPLE, THIN, dump_rows
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
