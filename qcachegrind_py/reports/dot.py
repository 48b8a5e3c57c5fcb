"""The call graph in the DOT language, for Graphviz and other programs that read it.

Labels are escStrings of Graphviz: in these, a backslash and an ampersand begin an escape, and there
is none for characters that do not print, so they become U+FFFD, as in the reports. Where a node is
put, and how large it is, the other program decides.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from qcachegrind_py.analysis.calls.subgraph import Surroundings
from qcachegrind_py.analysis.code.basic_blocks import EdgeKind
from qcachegrind_py.analysis.code.visible_blocks import DrawnBlocks
from qcachegrind_py.profile.events import as_number

_THINNEST, _THICKEST = 0.5, 6.0  # points
_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "&": "&amp;"})


def dot_text(
    surroundings: Surroundings,
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
        *_nodes(surroundings, node_texts, colors),
        *_clusters(surroundings),
        *_calls(surroundings, call_texts),
        "}",
    ]
    return "\n".join(lines) + "\n"


def _nodes(
    surroundings: Surroundings, texts: Sequence[Sequence[str]], colors: Sequence[str]
) -> Iterator[str]:
    for row, is_exact in enumerate(surroundings.is_exact.tolist()):
        styles = ["filled"]
        styles += [] if is_exact else ["dashed"]
        styles += ["bold"] if row == surroundings.active else []
        attributes = [f"label={label_of(texts[row])}", f'style="{",".join(styles)}"']
        attributes += [f"fillcolor={quoted(colors[row])}"] if colors else []
        yield f"n{row} [{', '.join(attributes)}];"


def _clusters(surroundings: Surroundings) -> Iterator[str]:
    """A frame around the members of each opened cycle."""
    cluster = surroundings.cluster
    for cycle in sorted(set(cluster[cluster >= 0].tolist())):
        members = " ".join(f"n{row};" for row in (cluster == cycle).nonzero()[0].tolist())
        yield f"subgraph cluster_{cycle} {{ {members} }}"


def _calls(surroundings: Surroundings, texts: Sequence[str]) -> Iterator[str]:
    whole = as_number(surroundings.cost[surroundings.active])
    ends = zip(surroundings.caller.tolist(), surroundings.callee.tolist(), strict=True)
    for row, (caller, callee) in enumerate(ends):
        label = label_of(texts[row].split("\n"))
        width = _width(as_number(surroundings.call_cost[row]), whole)
        attributes = [f"label={label}", f"penwidth={width}"]
        attributes += [] if surroundings.call_is_exact[row] else ["style=dashed"]
        attributes += ['color="#808080"'] if surroundings.is_inner[row] else []
        yield f"n{caller} -> n{callee} [{', '.join(attributes)}];"


def _width(cost: int | float, whole: int | float) -> str:
    """The width of an arrow; calls inside a cycle may cost more than the whole."""
    share = min(1, max(0, cost / whole)) if whole > 0 else 0
    return f"{_THINNEST + (_THICKEST - _THINNEST) * share:.2f}"


def label_of(lines: Iterable[str], *, left: bool = False) -> str:
    """These lines as a label; each stands in the middle, or on the left."""
    escaped = list(map(_escaped, lines))
    return '"' + ("".join(rf"{line}\l" for line in escaped) if left else r"\n".join(escaped)) + '"'


def quoted(text: str) -> str:
    """The text in quotes, shown letter by letter."""
    return f'"{_escaped(text)}"'


def _escaped(text: str) -> str:
    """The text as it stands between quotes, so that it is shown letter by letter."""
    return "".join(map(_printing, text)).translate(_ESCAPES)


def _printing(character: str) -> str:
    """The character itself, where it prints; thin spaces in numbers do."""
    prints = character.isprintable() or unicodedata.category(character) == "Zs"
    return character if prints else "\N{REPLACEMENT CHARACTER}"


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
