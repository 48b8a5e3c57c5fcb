"""The plot area of the time line: what the mouse does on it."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QPointF, Qt, Signal

from qcachegrind_py.views.pictures.plot_area import PlotArea


class LanesArea(PlotArea):
    """Lanes of bars; lane n is between n and n + 1 from the top. Dragging chooses bars."""

    drag_moved = Signal(QPointF, QPointF)
    drag_finished = Signal(QPointF, QPointF)

    def __init__(self) -> None:
        super().__init__(invertY=True)

    def mouseDragEvent(self, event: Any, axis: int | None = None) -> None:  # noqa: N802
        if event.button() != Qt.MouseButton.LeftButton:
            event.ignore()
            return
        event.accept()
        signal = self.drag_finished if event.isFinish() else self.drag_moved
        signal.emit(self.point_at(event.buttonDownPos()), self.point_at(event.pos()))
