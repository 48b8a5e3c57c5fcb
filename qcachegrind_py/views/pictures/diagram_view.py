"""Base of the views that show a diagram: call graph and control flow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtWidgets import QMenu

from qcachegrind_py.present.context import Change
from qcachegrind_py.present.picture import Diagram
from qcachegrind_py.session.session import Session
from qcachegrind_py.tools.layout.graphviz_engine import GraphLayout
from qcachegrind_py.views.pictures.arrow_shape import ArrowShape, create_arrow_shape
from qcachegrind_py.views.pictures.diagram_canvas import DiagramCanvas
from qcachegrind_py.views.pictures.overview import Corner
from qcachegrind_py.views.pictures.view import PictureView
from qcachegrind_py.views.tables.record_table import FunctionTable


@dataclass(frozen=True, slots=True, eq=False)
class ShapedDiagram:
    """A diagram and the shapes of its arrows, which a job creates as well."""

    diagram: Diagram
    shapes: Sequence[ArrowShape]

    @classmethod
    def of(cls, diagram: Diagram) -> ShapedDiagram:
        """Return the diagram with shapes."""
        pairs = zip(diagram.paths, diagram.arrows, strict=True)
        return cls(diagram, [create_arrow_shape(path, arrow.thickness) for path, arrow in pairs])


class DiagramView(PictureView):
    """A view with one canvas for a diagram."""

    has_actual_size = True

    def __init__(
        self, session: Session, title: str, tables: Sequence[FunctionTable], layout: GraphLayout
    ) -> None:
        super().__init__(session, title, tables)
        self.layout_engine = layout
        self.canvas = DiagramCanvas(title.capitalize())
        self.canvas.menu_requested.connect(self.fill_menu)
        self.canvas.detail_changed.connect(self.show_detail)
        self.canvas.font_changed.connect(lambda: self.refresh_for(Change.EVENT))
        self.initial_focus = self.canvas

    def shown_canvases(self) -> list[DiagramCanvas]:
        return [self.canvas]

    def apply_options(self) -> None:
        self.canvas.overview.set_corner(Corner(self.options.current.corner))

    def fill_menu(self, menu: QMenu, box: int) -> None:
        """Add the actions of a box, -1 for none, and those of the picture."""
        raise NotImplementedError

    def add_picture_actions(self, menu: QMenu) -> None:
        """Add the actions of the whole picture."""
        menu.addAction("&Fit in Window\t0", self.canvas.fit)
        menu.addAction("&Actual Size\t1", self.canvas.zoom_to_actual_size)
        self.options.fill(menu.addMenu("O&ptions"))
        self.fill_export_menu(menu.addMenu("E&xport"))

    def show_matches(self, rows: list[int], text: str) -> None:
        """Show the number of matches of the search."""
        self.match_label.setText(f"{len(rows)} of {self.canvas.box_count}" if text else "")

    def show_match(self, match: int) -> None:
        self.canvas.show_match(match)
