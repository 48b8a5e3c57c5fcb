"""Journeys through call maps, call graph and flame graph, in the real window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QImage, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from qcachegrind_py.analysis.names.groups import Grouping
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.session.jobs import JobRunner
from qcachegrind_py.views.pictures.view import PictureView
from qcachegrind_py.views.widgets.empty_page import NO_CALLS
from tests.columns import CALLS
from tests.profile_rows import DATA
from tests.profile_text import EXAMPLE, THIN, dump_rows
from tests.user_input import (
    DOCK_IDS,
    LEFT,
    PICTURE_DOCKS,
    active_name,
    choose_action,
    function_id,
    go_to,
    ignore_offscreen_warnings,
    process_events,
)
from tests.views.boxes.box_view_text import box_path, box_position, canvas_lines

CACHEGRIND = DATA / "cachegrind/cachegrind.out.templ-O2.xz"
CALLERS = DATA / "templ-callers/callgrind.out.21991.xz"
PERCENT = f"{THIN}%"
KEYS = dict(zip(("F6", "F7", "F8", "F9"), PICTURE_DOCKS, strict=True))
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
        jobs = ("open", "scope", "filter", "groups", *PICTURE_DOCKS)
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
        view = self._window.docks.view(DOCK_IDS[KEYS[key]])
        assert isinstance(view, PictureView)
        return view

    def click(self, canvas: QWidget, at: QPoint, *, double: bool = False) -> None:
        """Click into a picture."""
        QTest.mouseClick(canvas, LEFT, pos=at)
        if double:
            QTest.mouseDClick(canvas, LEFT, pos=at)
        self.wait()

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


def node(window: MainWindow, name: str) -> QPoint:
    """The position of a function's node in the graph view."""
    graph, entry = window.views.call_graph.canvas, function_id(window.session, name)
    (found,) = [item for item in graph.boxes if item.box.key == entry]
    return graph.on_screen(found.area.center()).toPoint()


def test_each_picture_is_navigable(window: MainWindow, user: User) -> None:
    """A key shows each picture with a note; a click selects, two activate, Back returns."""
    go_to(window.session, window.navigation, "dl_main")
    views, seen = window.views, {}
    for key, title in KEYS.items():
        view = user.look_at(key)
        seen[title] = (view.message, len(colors(view)) > 3, view.note.text() != "")
    user.look_at("F6")
    user.press("Down")
    user.press("Down")
    user.press("Return")
    visited = [user.active]
    user.do("back")
    user.look_at("F7")
    at = box_position(views.callee_map.map, "dl_main", "_dl_relocate_object")
    user.click(views.callee_map.map.viewport(), at, double=True)
    visited.append(user.active)
    user.do("back")
    user.look_at("F8")
    graph = views.call_graph.canvas
    user.click(graph.viewport(), node(window, "_dl_relocate_object"))
    selected = window.navigation.context.selected
    user.click(graph.viewport(), node(window, "_dl_relocate_object"), double=True)
    visited.append(user.active)
    user.do("back")
    user.look_at("F9")
    flame = views.flame_graph.main_canvas
    paths = [box_path(flame, b) for b in range(len(flame.tree or ()))]
    inner = next(w for w in paths if w.endswith(" _dl_relocate_object"))
    user.click(flame.viewport(), box_position(flame, *inner.split()), double=True)
    visited.append(user.active)
    user.do("back")

    assert seen == dict.fromkeys(PICTURE_DOCKS, ("", True, True))
    assert visited == ["_dl_sysdep_start", *["_dl_relocate_object"] * 3]
    assert selected == function_id(window.session, "_dl_relocate_object")
    assert user.active == "dl_main"


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
    user.look_at("F7")

    for picture, rows in found.values():
        assert picture <= rows
        assert len(picture) > 3
    assert len({frozenset(picture) for picture, _ in found.values()}) == 3
    assert "relocate" not in names  # it leads to no function that passes
    assert "_dl_map_object" in names
    assert "outside the filter" in note
    assert without_cycles == ""
    assert len(by_object) < len(before)
    assert by_object & colors(canvas)


def test_flame_graph_is_searched_and_turned(window: MainWindow, user: User) -> None:
    """The modes are one choice away; the search covers them, Return steps through matches."""
    go_to(window.session, window.navigation, "_dl_relocate_object")
    view = window.views.flame_graph
    user.look_at("F9")
    view.search.setFocus()
    for letter in "lookup":
        QTest.keyClick(view.search, letter)
    found = {view.mode_button.text(): view.match_label.text()}
    for text in ("Callees", "Callers", "Callers and Callees (Sandwich)"):
        choose_action(view.mode_button.click, text)
        user.wait()
        found[view.mode_button.text()] = view.match_label.text()
    visited = []
    for _ in range(2):
        QTest.keyClick(view.search, Qt.Key.Key_Return)
        user.wait()
        visited.append(box_path(view.main_canvas, view.main_canvas.current))
    QTest.keyClick(view.search, Qt.Key.Key_Escape)

    assert list(found) == ["Whole Program", "Callees", "Callers", "Sandwich"]
    assert found["Callees"] != found["Callers"] == f"0.00{THIN}%"
    assert found["Sandwich"] == f"{found['Callers']} above · {found['Callees']} below"
    assert len(set(visited)) == 2
    assert all("lookup" in name.split()[-1] for name in visited)
    assert (view.search.text(), view.match_label.text()) == ("", "")


def test_another_profile_is_opened(window: MainWindow, user: User) -> None:
    """A profile without calls shows an explanation, the next one a picture again."""
    messages, tables, pictures = {}, {}, {}
    for key in KEYS:
        user.look_at(key)
    user.open(CACHEGRIND)
    for key, title in KEYS.items():
        view = user.look_at(key)
        messages[title] = view.message
        tables[title] = [table.model().rowCount() for table in view.tables]
    user.open(CALLERS)
    for key, title in KEYS.items():
        view = user.look_at(key)
        pictures[title] = (view.message, len(colors(view)) > 1)

    assert messages == dict.fromkeys(PICTURE_DOCKS, NO_CALLS)
    assert [rows for rows in tables.values() if any(rows)] == []
    assert pictures == dict.fromkeys(PICTURE_DOCKS, ("", True))


def test_hidden_pictures_are_not_built(
    window: MainWindow, user: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After any change, only the picture in front is rebuilt."""
    for key in KEYS:
        user.look_at(key)
    started: list[str] = []
    start = JobRunner.start

    def watched(self: JobRunner, slot: str, *rest: object) -> object:
        started.append(slot)
        return start(self, slot, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(JobRunner, "start", watched)
    found = {}
    for key, title in KEYS.items():
        user.look_at(key)
        for path_back in ("main", "dl_main"):
            go_to(window.session, window.navigation, path_back)
            user.wait()
        started.clear()
        go_to(window.session, window.navigation, "_dl_relocate_object")
        user.do("next_event")
        seen = [t for t in PICTURE_DOCKS if window.docks.view(DOCK_IDS[t]).isEnabled()]
        found[title] = (set(started) & set(PICTURE_DOCKS)) - set(seen), title in started
        user.press("F11")  # a tab of the same group
        started.clear()
        user.do("next_event")
        found[title] += (set(started) & set(PICTURE_DOCKS),)

    assert found == {title: (set(), True, set()) for title in PICTURE_DOCKS}


def children() -> set[str]:
    """The running child processes."""
    lists = Path("/proc/self/task").glob("*/children")
    return {child for text in lists for child in text.read_text().split()}


@pytest.fixture
def other_children() -> set[str]:
    """The child processes from before there was a window."""
    return children()


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="no /proc")
def test_nothing_is_left_when_the_window_closes(
    other_children: set[str], window: MainWindow, user: User
) -> None:
    """Closing the window during work leaves no layout process and no job."""
    user.look_at("F8")
    working = children() - other_children
    go_to(window.session, window.navigation, "dl_main")
    process_events()
    window.close()

    assert len(working) == 1
    assert children() <= other_children
    assert [title for title in PICTURE_DOCKS if window.jobs.is_running(title)] == []


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
