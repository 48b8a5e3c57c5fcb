"""Pictures of the call graph without a view, and their texts read back from an SVG."""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree import ElementTree as ET

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QFont, QFontMetricsF

from qcachegrind_py.analysis.calls.subgraph import SubgraphLimits
from qcachegrind_py.analysis.names.groups import Grouping
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.tools.layout.graphviz_engine import GraphLayout
from qcachegrind_py.views.common.pictures.export import to_svg
from qcachegrind_py.views.graph.call_graph_canvas import CallGraphCanvas
from qcachegrind_py.views.graph.call_graph_scene import (
    Cluster,
    GraphPicture,
    LayoutOptions,
    build_picture,
)
from qcachegrind_py.views.graph.call_graph_style import GraphStyle
from tests.profile_text import WHOLE_SCOPE, cost_format

SVG = "{http://www.w3.org/2000/svg}"
GREY = QColor("#808080")


@dataclass(frozen=True)
class WrittenText:
    """A text of a picture, and its bounding rectangle."""

    text: str
    area: QRectF
    is_bold: bool


def style_for(
    queries: ProfileQueries, font: QFont, active: int | None = None, *, percent: bool = True
) -> GraphStyle:
    """The style of a picture around a function, or `main`, for the first event: all grey."""
    active = queries.names.with_name("main")[0] if active is None else active
    event = queries.events.measured[0].name
    format_ = cost_format(queries, event, percent=percent)
    return GraphStyle(queries.labels(WHOLE_SCOPE), format_, lambda _node: GREY, font, active)


def picture_around(
    queries: ProfileQueries,
    function: int,
    layout: GraphLayout,
    font: QFont,
    *,
    arrangement: LayoutOptions | None = None,
    limits: SubgraphLimits | None = None,
    by_file: bool = False,
) -> GraphPicture:
    """The graph around a function; expanded cycles, and files on request, are frames."""
    event, style = queries.events.measured[0], style_for(queries, font, function)
    drawn = queries.subgraph(function, event, WHOLE_SCOPE, limits or SubgraphLimits())
    groups = queries.groups(Grouping.FILE, WHOLE_SCOPE)
    frames: dict[str, list[int]] = {}
    ends = zip(drawn.node.tolist(), drawn.cluster.tolist(), strict=True)
    for row, (entry, cycle) in enumerate(ends):
        if cycle >= 0:
            frames.setdefault(style.labels.name(cycle), []).append(row)
        elif by_file:
            frames.setdefault(groups.names[int(groups.group_of_node[entry])], []).append(row)
    clusters = [Cluster(tuple(rows), name, GREY) for name, rows in frames.items()]
    where = arrangement or LayoutOptions()
    return build_picture(drawn, style, clusters, where, False, layout, NoProgress())


def texts_in(canvas: CallGraphCanvas) -> list[WrittenText]:
    """The texts that the canvas shows, in scene coordinates."""
    root, origin, found = ET.fromstring(to_svg(canvas)), canvas.content_area().topLeft(), []
    assert canvas.picture is not None
    for group in root.iter(f"{SVG}g"):
        for node in group.findall(f"{SVG}text"):
            across, down = _moved(group.attrib["transform"])
            bold = int(node.attrib["font-weight"]) > 400
            font = QFont(canvas.picture.style.font)
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
