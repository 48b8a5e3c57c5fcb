"""Pictures of the call graph without a view, and their texts read back from an SVG."""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree import ElementTree as ET

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFont, QFontMetricsF

from qcachegrind_py.analysis.calls.subgraph import SubgraphLimits
from qcachegrind_py.analysis.names.groups import Grouping
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.present.call_graph import GraphLook, call_graph, graph_diagram
from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.present.diagram import Arrangement
from qcachegrind_py.present.picture import Frame
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.tools.layout.graphviz_engine import GraphLayout
from qcachegrind_py.views.pictures.diagram_canvas import DiagramCanvas
from qcachegrind_py.views.pictures.diagram_items import DiagramFonts, DiagramItems, FontMeasure
from qcachegrind_py.views.pictures.export import to_svg
from tests.profile_text import WHOLE_SCOPE, view_query

SVG = "{http://www.w3.org/2000/svg}"
GREY = "#808080"


@dataclass(frozen=True)
class WrittenText:
    """A text of a picture, and its bounding rectangle."""

    text: str
    area: QRectF
    is_bold: bool


def picture_around(
    queries: ProfileQueries,
    function: int,
    layout: GraphLayout,
    font: QFont,
    *,
    arrangement: Arrangement | None = None,
    limits: SubgraphLimits | None = None,
    by_file: bool = False,
) -> DiagramItems:
    """The graph around a function; expanded cycles, and files on request, are frames."""
    event = queries.events.measured[0]
    query = view_query(queries, event.name, function=function, unit=CostUnit.PERCENT)
    graph = call_graph(query, event, limits or SubgraphLimits(), "")
    groups = queries.groups(Grouping.FILE, WHOLE_SCOPE)
    members: dict[str, list[int]] = {}
    ends = zip(graph.subgraph.node.tolist(), graph.subgraph.cluster.tolist(), strict=True)
    for row, (entry, cycle) in enumerate(ends):
        if cycle >= 0:
            members.setdefault(graph.labels.name(cycle), []).append(row)
        elif by_file:
            members.setdefault(groups.names[int(groups.group_of_node[entry])], []).append(row)
    frames = [Frame(tuple(rows), name, GREY) for name, rows in members.items()]
    where = arrangement or Arrangement()
    fonts = DiagramFonts.of(font)
    look = GraphLook(lambda _node: GREY, *map(FontMeasure, (fonts.plain, fonts.bold, fonts.small)))
    return DiagramItems(graph_diagram(graph, look, frames, where, layout, NoProgress()))


def texts_in(canvas: DiagramCanvas) -> list[WrittenText]:
    """The texts that the canvas shows, in scene coordinates."""
    root, origin, found = ET.fromstring(to_svg(canvas)), canvas.content_area().topLeft(), []
    assert canvas.picture is not None
    for group in root.iter(f"{SVG}g"):
        for node in group.findall(f"{SVG}text"):
            across, down = _moved(group.attrib["transform"])
            bold = int(node.attrib["font-weight"]) > 400
            font = QFont(canvas.fonts.plain)
            font.setPointSizeF(float(node.attrib["font-size"]) * 72 / 96)
            font.setBold(bold)
            metrics, text = QFontMetricsF(font), "".join(node.itertext())
            left, base = float(node.attrib["x"]), float(node.attrib["y"])
            area = QRectF(
                left + across + origin.x(),
                base + down + origin.y() - metrics.ascent(),
                metrics.horizontalAdvance(text),
                metrics.height(),
            )
            found.append(WrittenText(text, area, bold))
    return found


def _moved(transform: str) -> tuple[float, float]:
    """The translation of a group, which is neither rotated nor scaled, but for a rounded rim."""
    numbers = [float(word) for word in transform.removeprefix("matrix(").rstrip(")").split(",")]
    assert all(abs(a - b) < 0.02 for a, b in zip(numbers, (1, 0, 0, 1), strict=False))
    return numbers[4], numbers[5]
