"""Updates of the graph: the old picture stays until the new one is ready, and the latest wins."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from PySide6.QtGui import QImage, QPalette
from pytestqt.qtbot import QtBot

from qcachegrind_py.profile.errors import LayoutError
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.tools.layout.graphviz_engine import GraphvizLayout, LayoutInput, LayoutResult
from qcachegrind_py.views.pictures.call_graph_view import CallGraphView
from tests.user_input import go_to

Graph = Callable[..., CallGraphView]
Settle = Callable[[CallGraphView], None]

ROW = "\n".join(
    [
        "main 10 -> f0 1x990",
        *(f"f{n} 10 -> f{n + 1} 1x{980 - 10 * n}" for n in range(12)),
        "f12 870",
    ]
)


class PatientLayout:
    """A layout that, while `held`, waits until it is `free` or cancelled."""

    def __init__(self, layout: GraphvizLayout) -> None:
        self._layout = layout
        self.free = threading.Event()
        self.free.set()
        self.waiting = 0
        self.error: LayoutError | None = None

    def prepare(self) -> None:
        self._layout.prepare()

    def layout(self, graph: LayoutInput, progress: Progress) -> LayoutResult:
        self.waiting += 1
        try:
            while not self.free.wait(0.005):
                progress.check(0.0)
        finally:
            self.waiting -= 1
        if self.error is not None:
            raise self.error
        return self._layout.layout(graph, progress)

    def close(self) -> None:
        self.free.set()
        self._layout.close()


@pytest.fixture
def patient(layout: GraphvizLayout) -> PatientLayout:
    """A layout that can be held."""
    return PatientLayout(layout)


def names(view: CallGraphView) -> set[str]:
    """The names of the boxes."""
    return {node.box.name for node in view.canvas.boxes}


def active_box(view: CallGraphView) -> list[str]:
    """The name of the highlighted box."""
    return [node.box.name for node in view.canvas.boxes if node.box.is_active]


def contrast(image: QImage, view: CallGraphView) -> int:
    """The distance of the darkest pixel from the base colour."""
    base = view.palette().color(QPalette.ColorRole.Base).lightness()
    colors = {image.pixel(x, y) for x in range(0, image.width(), 2) for y in range(image.height())}
    return max(abs(base - max(c >> 16 & 255, c >> 8 & 255, c & 255)) for c in colors)


def test_the_last_picture_stays_greyed_until_the_new_one_is_there(
    graph_of: Graph, patient: PatientLayout, qtbot: QtBot, session: Session,
    navigation: Navigation, settle: Settle,
) -> None:  # fmt: skip
    """While a layout takes long, the old picture is paler; the new one has full colours."""
    view = graph_of("main 10 -> f 1x90\nf 90", by=patient)
    before, strong = view.canvas.picture, contrast(view.canvas.grab().toImage(), view)
    patient.free.clear()
    go_to(session, navigation, "f")
    qtbot.waitUntil(lambda: contrast(view.canvas.grab().toImage(), view) < strong * 0.6)
    assert view.canvas.picture is before
    assert (active_box(view), names(view), view.message) == (["main"], {"main", "f"}, "")
    assert view.node_model.rowCount() == 2

    patient.free.set()
    settle(view)
    assert active_box(view) == ["f"]
    assert contrast(view.canvas.grab().toImage(), view) >= strong * 0.9


def test_ten_quick_selections_leave_one_picture(
    graph_of: Graph, patient: PatientLayout, qtbot: QtBot, session: Session,
    navigation: Navigation, settle: Settle,
) -> None:  # fmt: skip
    """Only the last of ten layouts is drawn, once; the others are cancelled."""
    view = graph_of(ROW, by=patient)
    shown: list[list[str]] = []
    view.canvas.current_changed.connect(lambda: shown.append(active_box(view)))
    patient.free.clear()
    for n in range(10):
        go_to(session, navigation, f"f{n}")
        assert session.jobs.is_running(view.title)
    qtbot.waitUntil(lambda: patient.waiting == 1)
    assert shown == []

    patient.free.set()
    settle(view)
    assert (shown, patient.waiting) == ([["f9"]], 0)


def test_an_error_is_a_sentence_and_the_next_selection_works(
    graph_of: Graph, patient: PatientLayout, session: Session, navigation: Navigation,
    settle: Settle,
) -> None:  # fmt: skip
    """Without a layout the view explains why, keeps no picture, and recovers."""
    view = graph_of(ROW, by=patient)
    patient.error = LayoutError("The <b>layout</b>\x01 crashed twice.", "Raise the least cost.")
    go_to(session, navigation, "f1")
    settle(view)
    assert view.message == r"The <b>layout</b>\x01 crashed twice. Raise the least cost."
    assert (view.canvas.picture, view.node_model.rowCount(), view.call_model.rowCount()) == (
        None,
        0,
        0,
    )
    assert view.text_exports()["DOT"]() == ""

    patient.error = None
    go_to(session, navigation, "f2")
    settle(view)
    assert (view.message, active_box(view)) == ("", ["f2"])
