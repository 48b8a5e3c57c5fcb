"""The shown call graph in the DOT language."""

from __future__ import annotations

from PySide6.QtGui import QColor, QPalette

from qcachegrind_py.models.graph.sides import ComparedCosts
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.ids import node_ids
from qcachegrind_py.views.graph.call_graph_scene import GraphPicture
from qcachegrind_py.views.graph.compared.colors import arrow_color, box_color
from qcachegrind_py.write.dot import ComparedLook, call_graph_dot

_WHITE, _BLACK = QColor("#ffffff"), QColor("#000000")


def picture_as_dot(picture: GraphPicture) -> str:
    """Return the graph with the texts of the picture, on white whatever the palette is."""
    subgraph, style = picture.subgraph, picture.style
    nodes, costs, calls = node_ids(subgraph.node), style.node_costs, style.call_costs
    return call_graph_dot(
        subgraph,
        [
            (cell_text(style.labels.name(node)), text.cost)
            for node, text in zip(nodes, picture.nodes, strict=True)
        ],
        [" ".join(filter(None, (text.cost, text.count))) for text in picture.calls],
        colors=[style.color(node).name() for node in nodes],
        look=_look(costs, calls) if costs is not None and calls is not None else None,
        horizontal=picture.is_horizontal,
        circular=picture.layout_options.is_circular,
    )


def _look(nodes: ComparedCosts, calls: ComparedCosts) -> ComparedLook:
    palette = QPalette(_WHITE)
    palette.setColor(QPalette.ColorRole.Base, _WHITE)
    palette.setColor(QPalette.ColorRole.AlternateBase, _WHITE)
    palette.setColor(QPalette.ColorRole.Text, _BLACK)
    rows, arrows = range(len(nodes.is_exact)), range(len(calls.is_exact))
    return ComparedLook(
        [
            box_color(palette, nodes.strength(row), is_exact=bool(nodes.is_exact[row])).name()
            for row in rows
        ],
        [arrow_color(palette, calls.strength(row), _BLACK).name() for row in arrows],
        [nodes.word(row) for row in rows],
    )
