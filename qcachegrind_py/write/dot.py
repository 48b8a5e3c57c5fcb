"""The call graph and the control flow graph in the DOT language, for Graphviz and its readers.

Labels are Graphviz escStrings, in which a backslash or an ampersand begins an escape. Characters
that are not visible are shown by escapes, as in the other reports. Where boxes lie is left to
Graphviz.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from qcachegrind_py.analysis.calls.subgraph import Subgraph
from qcachegrind_py.analysis.code.basic_blocks import EdgeKind, VisibleBlocks
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.events import as_number
from qcachegrind_py.profile.numbers import fraction_of
from qcachegrind_py.visible_text import visible_text

_MIN_WIDTH, _MAX_WIDTH = 0.5, 6.0  # points
_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "&": "&amp;"})


@frozen(eq=True)
class ComparedLook:
    """How a comparison colours nodes and calls, as `#rrggbb`, and the words of the nodes."""

    node_colors: Sequence[str]
    call_colors: Sequence[str]
    words: Sequence[str]  # "new": two outlines; "gone": cut corners; empty: neither


def call_graph_dot(
    subgraph: Subgraph,
    node_texts: Sequence[Sequence[str]],
    call_texts: Sequence[str],
    *,
    colors: Sequence[str] = (),
    look: ComparedLook | None = None,
    boxes: Sequence[Sequence[int]] | None = None,
    horizontal: bool = False,
    circular: bool = False,
) -> str:
    """Return the call graph with these text lines in each node and this label at each call.

    `boxes` has the rows of the subgraph's nodes that are one node here, by default each for itself.
    `node_texts` follow these, and `call_texts` the calls between them; `colors`, as `#rrggbb`,
    fill the nodes. `circular` has the active function in the middle of the others. Estimates are
    dashed, calls inside an expanded cycle grey; the active function is bold. In a comparison,
    `look` fills the nodes by their changes, and `colors` are those of their outlines.
    """
    rows_of = [(row,) for row in range(len(subgraph.node))] if boxes is None else boxes
    box_of = {row: box for box, rows in enumerate(rows_of) for row in rows}
    lines = [
        "digraph {",
        f"layout=twopi; root=n{box_of[subgraph.active]}; overlap=false;"
        if circular
        else f"rankdir={'LR' if horizontal else 'TB'};",
        'node [shape=box, style=filled, fillcolor="#ffffff"];',
        *_node_lines(subgraph, rows_of, node_texts, colors, look),
        *_cluster_lines(subgraph, box_of),
        *_call_lines(subgraph, box_of, call_texts, look),
        "}",
    ]
    return "\n".join(lines) + "\n"


def _node_lines(
    subgraph: Subgraph,
    boxes: Sequence[Sequence[int]],
    texts: Sequence[Sequence[str]],
    colors: Sequence[str],
    look: ComparedLook | None,
) -> Iterator[str]:
    for box, rows in enumerate(boxes):
        styles = ["filled"]
        styles += [] if subgraph.is_exact[list(rows)].all() else ["dashed"]
        styles += ["bold"] if subgraph.active in rows else []
        styles += ["diagonals"] if look and look.words[box] == "gone" else []
        attributes = [f"label={dot_label(texts[box])}", f'style="{",".join(styles)}"']
        if look is not None:
            attributes += [f"color={dot_quoted(colors[box])}"] if colors else []
            attributes += ["peripheries=2"] if look.words[box] == "new" else []
        fills = colors if look is None else look.node_colors
        attributes += [f"fillcolor={dot_quoted(fills[box])}"] if fills else []
        yield f"n{box} [{', '.join(attributes)}];"


def _cluster_lines(subgraph: Subgraph, box_of: Mapping[int, int]) -> Iterator[str]:
    """Yield a frame around the members of each expanded cycle."""
    cluster = subgraph.cluster
    for cycle in sorted(set(cluster[cluster >= 0].tolist())):
        members = (cluster == cycle).nonzero()[0].tolist()
        yield f"subgraph cluster_{cycle} {{ {' '.join(f'n{box_of[row]};' for row in members)} }}"


def _call_lines(
    subgraph: Subgraph,
    box_of: Mapping[int, int],
    texts: Sequence[str],
    look: ComparedLook | None,
) -> Iterator[str]:
    total, arrow = as_number(subgraph.cost[subgraph.active]), 0
    ends = zip(subgraph.caller.tolist(), subgraph.callee.tolist(), strict=True)
    for row, (caller, callee) in enumerate(ends):
        if caller != callee and box_of[caller] == box_of[callee]:
            continue
        label = dot_label(texts[arrow].split("\n"))
        width = _edge_width(as_number(subgraph.call_cost[row]), total)
        attributes = [f"label={label}", f"penwidth={width}"]
        attributes += [] if subgraph.call_is_exact[row] else ["style=dashed"]
        if look is not None:
            attributes.append(f"color={dot_quoted(look.call_colors[arrow])}")
        elif subgraph.is_inner[row]:
            attributes.append('color="#808080"')
        yield f"n{box_of[caller]} -> n{box_of[callee]} [{', '.join(attributes)}];"
        arrow += 1


def _edge_width(cost: int | float, total: int | float) -> str:
    """Return the width of an arrow; calls inside a cycle may cost more than the total."""
    return f"{_MIN_WIDTH + (_MAX_WIDTH - _MIN_WIDTH) * fraction_of(cost, total):.2f}"


def dot_label(lines: Iterable[str], *, left: bool = False) -> str:
    escaped = list(map(_escaped, lines))
    return '"' + ("".join(rf"{line}\l" for line in escaped) if left else r"\n".join(escaped)) + '"'


def dot_quoted(text: str) -> str:
    """Return the text in quotes, displayed literally."""
    return f'"{_escaped(text)}"'


def _escaped(text: str) -> str:
    """Return the text escaped for use between quotes, so that it is displayed literally."""
    return visible_text(text).translate(_ESCAPES)


_EDGE_STYLES = {
    EdgeKind.FALL_THROUGH: "",
    EdgeKind.JUMP: ', color="#6b3fa0"',
    EdgeKind.TAKEN: ', style=dashed, color="#1b5bbf"',
    EdgeKind.NOT_TAKEN: ', style=dotted, color="#b3261e"',
}


def control_flow_dot(
    visible_blocks: VisibleBlocks,
    block_texts: Sequence[Sequence[str]],
    edge_texts: Sequence[str],
    *,
    horizontal: bool = False,
) -> str:
    """Return the visible blocks with these text lines, and an arrow with text for each edge.

    `edge_texts` is by row of all edges of the function. The entry block is bold; an arrow that
    stands for a path through hidden blocks is grey.
    """
    lines = [
        "digraph {",
        f"rankdir={'LR' if horizontal else 'TB'};",
        'node [shape=box, fontname="monospace"];',
        *_block_lines(visible_blocks, block_texts),
        *_edge_lines(visible_blocks, edge_texts),
        "}",
    ]
    return "\n".join(lines) + "\n"


def _block_lines(visible_blocks: VisibleBlocks, texts: Sequence[Sequence[str]]) -> Iterator[str]:
    for position, block in enumerate(visible_blocks.row.tolist()):
        bold = ", style=bold" if block == visible_blocks.blocks.entry else ""
        yield f"n{position} [label={dot_label(texts[position], left=True)}{bold}];"


def _edge_lines(visible_blocks: VisibleBlocks, texts: Sequence[str]) -> Iterator[str]:
    ends = zip(
        visible_blocks.source.tolist(),
        visible_blocks.target.tolist(),
        visible_blocks.edges,
        strict=True,
    )
    for source, target, rows in ends:
        for row in rows.tolist():
            style = _EDGE_STYLES[EdgeKind(int(visible_blocks.blocks.edges.kind[row]))]
            yield f"n{source} -> n{target} [label={dot_quoted(texts[row])}{style}];"
        if not len(rows):
            yield f'n{source} -> n{target} [label="…", style=dotted, color="#808080"];'
