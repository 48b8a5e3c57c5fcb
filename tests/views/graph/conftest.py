"""The call graph or control flow in a window, laid out by a real process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.tools.layout.graphviz_engine import GraphLayout, GraphvizLayout
from qcachegrind_py.tools.sources.file_search import PathRule
from qcachegrind_py.views.pictures.call_graph_view import CallGraphView
from qcachegrind_py.views.pictures.control_flow_view import ControlFlowView
from tests.patience import PATIENCE
from tests.profile_rows import DATA, text_bytes

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
