"""Measures layout time and arrow crossings of call graphs, against the system's `dot`.

The graphs are random, or a profile's costliest nodes with all calls between them. The system's
`dot` gets the same text, so a ratio far from 1 means another Graphviz version.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from qcachegrind_py.analysis.calls.call_graph import call_adjacency
from qcachegrind_py.analysis.costs.call_edges import call_edges
from qcachegrind_py.analysis.costs.function_costs import function_costs
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.tools.layout import graphviz_engine
from qcachegrind_py.tools.layout.graphviz_engine import GraphvizLayout, LayoutInput, LayoutResult

_RUNS = 5
_SIZES = (60, 100, 250)  # nodes
_WIDTHS = (90.0, 140.0, 180.0, 220.0)
_LABEL = (66.0, 30.0)
_STEPS = 12  # straight pieces of a Bézier, to count crossings


def graph(nodes: int, pairs: Sequence[tuple[int, int]], label: tuple[float, float]) -> LayoutInput:
    """A layout input with boxes of several widths."""
    chance = random.Random(1)
    sizes = tuple((chance.choice(_WIDTHS), 52.0) for _ in range(nodes))
    return LayoutInput(sizes, tuple((*pair, *label) for pair in pairs))


def made_up(nodes: int) -> list[tuple[int, int]]:
    """Random calls, two a node, mostly to nodes a few ranks below, and some back."""
    chance = random.Random(1)
    pairs = {(chance.randrange(max(0, row - 40), row), row) for row in range(1, nodes)}
    while len(pairs) < 2 * nodes:
        caller = chance.randrange(nodes - 1)
        callee = min(nodes - 1, caller + 1 + int(chance.expovariate(4 / nodes)))
        is_back = chance.random() < 0.03
        pairs.add((callee, caller) if is_back else (caller, callee))
    return sorted(pair for pair in pairs if pair[0] != pair[1])


def of_profile(path: Path, nodes: int) -> list[tuple[int, int]]:
    """All calls between the costliest nodes."""
    profile = load(path)
    costs = function_costs(profile, cycles=True)
    shape = call_adjacency(call_edges(profile), costs, len(profile.functions))
    costliest = np.argsort(-costs.inclusive[0], kind="stable")[:nodes].tolist()
    row = {node: number for number, node in enumerate(costliest)}
    pairs = zip(shape.caller.tolist(), shape.callee.tolist(), strict=True)
    return [(row[caller], row[callee]) for caller, callee in pairs if {caller, callee} <= set(row)]


def crossings(placed: LayoutResult) -> int:
    """The number of crossings of two paths, shared ends excluded."""
    t = np.linspace(0, 1, _STEPS + 1)[:, None]
    lines = []
    for path in placed.paths:
        a, b, c, d = (
            points[:, None] for points in (path[:-1:3], path[1::3], path[2::3], path[3::3])
        )
        curve = a * (1 - t) ** 3 + 3 * b * t * (1 - t) ** 2 + 3 * c * t**2 * (1 - t) + d * t**3
        lines.append(np.concatenate((curve[:, :-1].reshape(-1, 2), path[-1:])))
    start = np.concatenate([line[:-1] for line in lines])
    end = np.concatenate([line[1:] for line in lines])
    ends = np.cumsum([len(line) - 1 for line in lines])
    found = 0
    for line, after in zip(lines, ends.tolist(), strict=True):
        found += _crossings(line, start[after:], end[after:])
    return found


def _crossings(line: np.ndarray, start: np.ndarray, end: np.ndarray) -> int:
    """The number of crossings of the line's pieces with other pieces."""
    low, high = line.min(axis=0), line.max(axis=0)
    near = ((np.minimum(start, end) <= high) & (np.maximum(start, end) >= low)).all(axis=1)
    start, end = start[near], end[near]
    one, other = line[:-1, None], line[1:, None]
    apart = _side(one, other, start) * _side(one, other, end) < 0
    apart &= _side(start, end, one) * _side(start, end, other) < 0
    return int(apart.sum())


def _side(start: np.ndarray, end: np.ndarray, point: np.ndarray) -> np.ndarray:
    """The sign tells on which side of the line from start to end a point is."""
    x, y = (end - start)[..., 0], (end - start)[..., 1]
    return x * (point - start)[..., 1] - y * (point - start)[..., 0]


def by_system(unplaced: LayoutInput) -> LayoutResult:
    """The layout of the same text by the system's `dot`."""
    text = graphviz_engine._dot_source(unplaced)
    ran = subprocess.run(["dot", "-Tplain"], input=text, capture_output=True, text=True, check=True)
    return graphviz_engine._parse_result(unplaced, ran.stdout)


def milliseconds(what: Callable[[], object]) -> tuple[float, float]:
    """Milliseconds of the first run, and the median of some more."""
    runs = []
    for _ in range(1 + _RUNS):
        start = time.perf_counter()
        what()
        runs.append(1000 * (time.perf_counter() - start))
    return runs[0], sorted(runs[1:])[_RUNS // 2]


def compare(name: str, unplaced: LayoutInput, layout: GraphvizLayout) -> None:
    """Print one line of figures for a graph."""
    _first, warm = milliseconds(lambda: layout.layout(unplaced, NoProgress()))
    placed = layout.layout(unplaced, NoProgress())
    ours = crossings(placed)
    labelled = sum(call[2] > 0 for call in unplaced.calls)
    lost = int(np.isnan(placed.label_centres).any(axis=1).sum()) - len(unplaced.calls) + labelled
    line = (
        f"{name}: {warm:5.0f} ms, {ours} crossings, {lost} of {labelled} labels without a position"
    )
    if shutil.which("dot"):
        theirs = crossings(by_system(unplaced))
        line += f"; dot {theirs} crossings, ratio {ours / max(theirs, 1):.2f}"
    print(line, flush=True)


def graphs() -> Iterator[tuple[str, int, list[tuple[int, int]]]]:
    """Name, number of nodes, and calls of each graph."""
    for nodes in _SIZES:
        yield "made up", nodes, made_up(nodes)
    for path in map(Path, sys.argv[1:]):
        for nodes in _SIZES:
            yield path.name, nodes, of_profile(path, nodes)


def main() -> None:
    layout = GraphvizLayout()
    start = time.perf_counter()
    layout.layout(graph(2, [(0, 1)], _LABEL), NoProgress())
    print(
        f"first graph, with the start of the process: {1000 * (time.perf_counter() - start):.0f} ms"
    )
    for name, nodes, pairs in graphs():
        title = f"{name}, {nodes} nodes, {len(pairs)} calls"
        compare(f"{title}, labelled", graph(nodes, pairs, _LABEL), layout)
        compare(f"{title}, bare    ", graph(nodes, pairs, (0.0, 0.0)), layout)
    layout.close()


if __name__ == "__main__":
    main()
