"""The control flow of a function in the DOT language, for Graphviz and other programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from qcachegrind_py.analysis.basic_blocks import EdgeKind
from qcachegrind_py.analysis.drawn_blocks import DrawnBlocks
from qcachegrind_py.formats.dot import label_of, quoted

_STYLES = {
    EdgeKind.FALL_THROUGH: "",
    EdgeKind.JUMP: ', color="#6b3fa0"',
    EdgeKind.TAKEN: ', style=dashed, color="#1b5bbf"',
    EdgeKind.NOT_TAKEN: ', style=dotted, color="#b3261e"',
}


def flow_dot_text(
    drawn: DrawnBlocks,
    block_texts: Sequence[Sequence[str]],
    edge_texts: Sequence[str],
    *,
    horizontal: bool = False,
) -> str:
    """The drawn blocks with these lines in each, and an arrow for each edge with its text.

    `edge_texts` are by row of all edges. The entry is bold; what stands for a way is grey.
    """
    lines = [
        "digraph {",
        f"rankdir={'LR' if horizontal else 'TB'};",
        'node [shape=box, fontname="monospace"];',
        *_blocks(drawn, block_texts),
        *_edges(drawn, edge_texts),
        "}",
    ]
    return "\n".join(lines) + "\n"


def _blocks(drawn: DrawnBlocks, texts: Sequence[Sequence[str]]) -> Iterator[str]:
    for place, block in enumerate(drawn.row.tolist()):
        bold = ", style=bold" if block == drawn.blocks.entry else ""
        yield f"n{place} [label={label_of(texts[place], left=True)}{bold}];"


def _edges(drawn: DrawnBlocks, texts: Sequence[str]) -> Iterator[str]:
    ends = zip(drawn.source.tolist(), drawn.target.tolist(), drawn.edges, strict=True)
    for source, target, rows in ends:
        for row in rows.tolist():
            style = _STYLES[EdgeKind(int(drawn.blocks.edges.kind[row]))]
            yield f"n{source} -> n{target} [label={quoted(texts[row])}{style}];"
        if not len(rows):
            yield f'n{source} -> n{target} [label="…", style=dotted, color="#808080"];'
