"""The call graph alone in a window, its layout made by a process as in the program."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.tools.graph_layout import GraphLayout, WorkerLayout
from qcachegrind_py.views.graph.call_graph_view import CallGraphView

SIZE = (900, 600)


@pytest.fixture
def layout() -> Iterator[WorkerLayout]:
    """A layout that leaves no process behind."""
    layout = WorkerLayout()
    yield layout
    layout.close()


@pytest.fixture
def graph_of(
    session: Session,
    navigation: Navigation,
    draw: Callable[..., Path],
    open_profile: Callable[..., None],
    show_view: Callable[[CallGraphView], CallGraphView],
    settle: Callable[[CallGraphView], None],
    layout: WorkerLayout,
) -> Callable[..., CallGraphView]:
    """Shows the graph of a drawing, or of a file."""

    def graph_of(
        drawing: str | Path, size: tuple[int, int] = SIZE, by: GraphLayout | None = None
    ) -> CallGraphView:
        view = CallGraphView(session, navigation, by or layout)
        show_view(view)
        view.resize(*size)
        open_profile(draw(drawing) if isinstance(drawing, str) else drawing)
        settle(view)
        return view

    return graph_of
