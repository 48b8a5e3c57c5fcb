"""What the timeline of parts writes in front of its lanes."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtGui import QPainter, QPicture

from qcachegrind_py.views.parts.part_list import PartList


def lane_titles(view: PartList) -> list[str]:
    """The titles drawn in front of the lanes, from the top."""
    assert view.panel.timeline is not None
    plot = view.panel.timeline.findChild(pg.PlotWidget)
    axis = plot.getPlotItem().getAxis("left")
    picture = QPicture()
    painter = QPainter(picture)
    _line, _ticks, texts = axis.generateDrawSpecs(painter)
    painter.end()
    return [text for place, _flags, text in sorted(texts, key=lambda spec: spec[0].top())]
