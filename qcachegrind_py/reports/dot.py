"""The call graph in the DOT language, for Graphviz and other programs that read it.

Labels are escStrings of Graphviz: in these, a backslash and an ampersand begin an escape, and there
is none for characters that do not print, so they become U+FFFD, as in the reports. Where a node is
put, and how large it is, the other program decides.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from qcachegrind_py.analysis.calls.subgraph import Subgraph
from qcachegrind_py.analysis.code.basic_blocks import EdgeKind
from qcachegrind_py.analysis.code.visible_blocks import VisibleBlocks
from qcachegrind_py.profile.events import as_number

_MIN_WIDTH, _MAX_WIDTH = 0.5, 6.0  # points
_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "&": "&amp;"})


def call_graph_dot(
    surroundings: Subgraph,
    node_texts: Sequence[Sequence[str]],
    call_texts: Sequence[str],
    *,
    colors: Sequence[str] = (),
    horizontal: bool = False,
) -> str:
    """The graph with these lines in each node and this label at each call, which may have lines.

    `colors` fill the nodes, as `#rrggbb`. What is estimated is dashed, calls inside an opened cycle
    are grey; the active function is bold.
    """
    lines = [
        "digraph {",
        f"rankdir={'LR' if horizontal else 'TB'};",
        'node [shape=box, style=filled, fillcolor="#ffffff"];',
        *_node_lines(surroundings, node_texts, colors),
        *_cluster_lines(surroundings),
        *_call_lines(surroundings, call_texts),
        "}",
    ]
    return "\n".join(lines) + "\n"


def _node_lines(
    surroundings: Subgraph, texts: Sequence[Sequence[str]], colors: Sequence[str]
) -> Iterator[str]:
    for row, is_exact in enumerate(surroundings.is_exact.tolist()):
        styles = ["filled"]
        styles += [] if is_exact else ["dashed"]
        styles += ["bold"] if row == surroundings.active else []
        attributes = [f"label={dot_label(texts[row])}", f'style="{",".join(styles)}"']
        attributes += [f"fillcolor={dot_quoted(colors[row])}"] if colors else []
        yield f"n{row} [{', '.join(attributes)}];"


def _cluster_lines(surroundings: Subgraph) -> Iterator[str]:
    """A frame around the members of each opened cycle."""
    cluster = surroundings.cluster
    for cycle in sorted(set(cluster[cluster >= 0].tolist())):
        members = " ".join(f"n{row};" for row in (cluster == cycle).nonzero()[0].tolist())
        yield f"subgraph cluster_{cycle} {{ {members} }}"


def _call_lines(surroundings: Subgraph, texts: Sequence[str]) -> Iterator[str]:
    whole = as_number(surroundings.cost[surroundings.active])
    ends = zip(surroundings.caller.tolist(), surroundings.callee.tolist(), strict=True)
    for row, (caller, callee) in enumerate(ends):
        label = dot_label(texts[row].split("\n"))
        width = _edge_width(as_number(surroundings.call_cost[row]), whole)
        attributes = [f"label={label}", f"penwidth={width}"]
        attributes += [] if surroundings.call_is_exact[row] else ["style=dashed"]
        attributes += ['color="#808080"'] if surroundings.is_inner[row] else []
        yield f"n{caller} -> n{callee} [{', '.join(attributes)}];"


def _edge_width(cost: int | float, total: int | float) -> str:
    """The width of an arrow; calls inside a cycle may cost more than the whole."""
    share = min(1, max(0, cost / total)) if total > 0 else 0
    return f"{_MIN_WIDTH + (_MAX_WIDTH - _MIN_WIDTH) * share:.2f}"


def dot_label(lines: Iterable[str], *, left: bool = False) -> str:
    """These lines as a label; each stands in the middle, or on the left."""
    escaped = list(map(_escaped, lines))
    return '"' + ("".join(rf"{line}\l" for line in escaped) if left else r"\n".join(escaped)) + '"'


def dot_quoted(text: str) -> str:
    """The text in quotes, shown letter by letter."""
    return f'"{_escaped(text)}"'


def _escaped(text: str) -> str:
    """The text as it stands between quotes, so that it is shown letter by letter."""
    return "".join(map(_printable, text)).translate(_ESCAPES)


def _printable(character: str) -> str:
    """The character itself, where it prints; thin spaces in numbers do."""
    prints = character.isprintable() or unicodedata.category(character) == "Zs"
    return character if prints else "\N{REPLACEMENT CHARACTER}"


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
    """The drawn blocks with these lines in each, and an arrow for each edge with its text.

    `edge_texts` are by row of all edges. The entry is bold; what stands for a way is grey.
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


def _block_lines(drawn: VisibleBlocks, texts: Sequence[Sequence[str]]) -> Iterator[str]:
    for place, block in enumerate(drawn.row.tolist()):
        bold = ", style=bold" if block == drawn.blocks.entry else ""
        yield f"n{place} [label={dot_label(texts[place], left=True)}{bold}];"


def _edge_lines(drawn: VisibleBlocks, texts: Sequence[str]) -> Iterator[str]:
    ends = zip(drawn.source.tolist(), drawn.target.tolist(), drawn.edges, strict=True)
    for source, target, rows in ends:
        for row in rows.tolist():
            style = _EDGE_STYLES[EdgeKind(int(drawn.blocks.edges.kind[row]))]
            yield f"n{source} -> n{target} [label={dot_quoted(texts[row])}{style}];"
        if not len(rows):
            yield f'n{source} -> n{target} [label="…", style=dotted, color="#808080"];'
