"""Pictures in a window: canvases of boxes, and views, laid out by a real process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import pytest
from PySide6.QtWidgets import QProxyStyle, QStyle
from pytestqt.qtbot import QtBot

from qcachegrind_py.present.call_map import MapOptions
from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.tools.layout.graphviz_engine import GraphLayout, GraphvizLayout
from qcachegrind_py.tools.sources.file_search import PathRule
from qcachegrind_py.views.pictures.box_canvas import BoxCanvas
from qcachegrind_py.views.pictures.box_view import BoxView
from qcachegrind_py.views.pictures.call_graph_view import CallGraphView
from qcachegrind_py.views.pictures.call_map_view import CALLEES, CALLERS, CallMapView
from qcachegrind_py.views.pictures.control_flow_view import ControlFlowView
from qcachegrind_py.views.pictures.flame_canvas import FlameCanvas
from qcachegrind_py.views.pictures.flame_view import FlameView
from qcachegrind_py.views.pictures.map_canvas import MapCanvas
from qcachegrind_py.views.pictures.view import PictureView
from tests.patience import PATIENCE
from tests.present.boxes_text import boxes_of
from tests.profile_rows import DATA, text_bytes
from tests.user_input import choose_action, go_to

Graph = Callable[..., CallGraphView]
Flow = Callable[..., ControlFlowView]
Settle = Callable[[PictureView], None]


def option(view: PictureView, settle: Settle, **values: object) -> None:
    """Set options as the menu does, and wait for the picture."""
    for name, value in values.items():
        view.options.set(name, value)
    settle(view)


_KINDS: dict[str, Callable[[Session], BoxView]] = {
    "flame": FlameView,
    "callers": partial(CallMapView, title=CALLERS),
    "callees": partial(CallMapView, title=CALLEES),
}


class ShowBoxes:
    """Shows views of boxes; each method waits until the view shown last is as it is to be."""

    def __init__(
        self,
        session: Session,
        navigation: Navigation,
        show: Callable[[BoxView, str | Path], None],
        settle: Callable[[BoxView], None],
    ) -> None:
        self._session, self._navigation, self._show, self._settle = (
            session,
            navigation,
            show,
            settle,
        )
        self._view: BoxView | None = None

    def __call__(self, kind: str, drawing: str | Path, at: str = "", **options: object) -> Any:
        """A view of a profile with absolute costs: `show_boxes("flame", …, "main")`."""
        self._navigation.set(unit=CostUnit.ABSOLUTE)
        self._view = view = _KINDS[kind](self._session)
        for name, value in options.items():
            view.options.set(name, value)
        self._show(view, drawing)
        self.go(at)
        return view

    def go(self, name: str) -> None:
        """Make a function active; without a name, only wait."""
        if name:
            go_to(self._session, self._navigation, name)
        assert self._view is not None
        self._settle(self._view)

    def set(self, **settings: Any) -> None:
        self._navigation.set(**settings)
        self.go("")

    def choose(self, open_menu: Callable[[], object], text: str) -> None:
        choose_action(open_menu, text)
        self.go("")


@pytest.fixture
def show_boxes(
    session: Session,
    navigation: Navigation,
    draw: Callable[..., Path],
    open_profile: Callable[..., None],
    show_view: Callable[[BoxView], BoxView],
    settle: Callable[[BoxView], None],
) -> ShowBoxes:
    def show(view: BoxView, drawing: str | Path) -> None:
        show_view(view)
        open_profile(drawing if isinstance(drawing, Path) else draw(drawing))

    return ShowBoxes(session, navigation, show, settle)


PLAIN = MapOptions(headers=0)


class ShownCanvas(Protocol):
    def __call__(
        self,
        kind: str,
        drawing: str | Path,
        *roots: str,
        options: MapOptions = PLAIN,
        still: bool = True,
    ) -> Any: ...


class StillStyle(QProxyStyle):
    """A widget style without animations."""

    def styleHint(self, hint, *rest):  # type: ignore[no-untyped-def]  # noqa: N802
        if hint == QStyle.StyleHint.SH_Widget_Animation_Duration:
            return 0
        return super().styleHint(hint, *rest)


@pytest.fixture
def shown(show_view: Callable[[BoxCanvas], BoxCanvas], qtbot: QtBot) -> ShownCanvas:
    """Show the boxes below `main` in 700x400 pixels: a "map", or a "flame" graph, or "flames"."""

    def shown(
        kind: str, drawing: str | Path, *roots: str, options: MapOptions = PLAIN, still: bool = True
    ) -> BoxCanvas:
        picture = boxes_of(drawing, *roots)
        if kind == "map":
            canvas: BoxCanvas = MapCanvas("Callee Map")
            canvas.options = options
        else:
            canvas = FlameCanvas("Flame graph", grows_up=kind == "flames")
            if still:
                canvas.still = StillStyle("fusion")
                canvas.setStyle(canvas.still)
        canvas.set_boxes(picture.tree, picture.style)
        show_view(canvas)
        if kind == "map":
            qtbot.waitUntil(lambda: canvas.is_drawn)
        return canvas

    return shown


SIZE = (900, 600)


@pytest.fixture
def layout() -> Iterator[GraphvizLayout]:
    """A layout that leaves no process behind."""
    layout = GraphvizLayout(limit=PATIENCE)
    yield layout
    layout.close()


@pytest.fixture
def graph_of(
    session: Session,
    draw: Callable[..., Path],
    open_profile: Callable[..., None],
    show_view: Callable[[CallGraphView], CallGraphView],
    settle: Callable[[CallGraphView], None],
    layout: GraphvizLayout,
) -> Callable[..., CallGraphView]:
    """Show the graph of a profile."""

    def graph_of(
        drawing: str | Path, size: tuple[int, int] = SIZE, by: GraphLayout | None = None
    ) -> CallGraphView:
        view = CallGraphView(session, by or layout)
        show_view(view)
        view.resize(*size)
        open_profile(draw(drawing) if isinstance(drawing, str) else drawing)
        settle(view)
        return view

    return graph_of


@pytest.fixture
def flow_of(
    session: Session,
    navigation: Navigation,
    draw_lines: Callable[[str], Path],
    open_profile: Callable[..., None],
    show_view: Callable[[ControlFlowView], ControlFlowView],
    settle: Callable[[ControlFlowView], None],
    layout: GraphvizLayout,
) -> Callable[..., ControlFlowView]:
    """Show the control flow of a function, from a file or from lines."""

    def flow_of(profile: str | Path, function: str = "", *, finds: bool = True) -> ControlFlowView:
        view = ControlFlowView(session, layout)
        show_view(view)
        view.resize(*SIZE)
        rules = (PathRule("/corpus/a-small", str(DATA / "programs")),) if finds else ()
        session.set_file_search(rules, ())
        open_profile(draw_lines(profile) if isinstance(profile, str) else profile)
        assert session.queries is not None
        if function:
            navigation.select_function(session.queries.names.with_name(function)[0])
        settle(view)
        return view

    return flow_of


@pytest.fixture
def draw_lines(tmp_path: Path) -> Callable[[str], Path]:
    """Write the lines of a profile to a file."""

    def draw_lines(lines: str) -> Path:
        path = tmp_path / "callgrind.out.1"
        path.write_bytes(text_bytes(lines))
        return path

    return draw_lines
