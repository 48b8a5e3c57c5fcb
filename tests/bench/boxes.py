"""Measures how long call maps and flame graphs take to draw 20,000 boxes at 1400x900.

    python -m tests.bench.boxes [FILE...]

First generated boxes, each a few pixels wide in the flame graph, which is the worst case; then the
boxes of each file below its initial function. `again` repaints the same boxes, `laid out` includes
a new layout, `moved` shows another range of costs each time, such a fraction of the total.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy as np
from PySide6.QtWidgets import QApplication

from qcachegrind_py.analysis.calls.frame_tree import FrameSide, FrameTree, build_frame_tree
from qcachegrind_py.analysis.costs.scope import ALL_PARTS, Scope
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.app.style import theme
from qcachegrind_py.formats.loading import load
from qcachegrind_py.present.flame_graph import CostRange
from qcachegrind_py.present.frames import FrameStyle
from qcachegrind_py.present.unit import Unit
from qcachegrind_py.views.pictures.box_canvas import BoxCanvas
from qcachegrind_py.views.pictures.flame_canvas import FlameCanvas
from qcachegrind_py.views.pictures.map_canvas import MapCanvas
from qcachegrind_py.views.widgets.colors import GroupPalette
from tests.bench.large_profiles import write_profile

_BOXES, _ROWS = 20_000, 40
_WIDTH, _HEIGHT = 1400, 900
_RUNS = 21


def generated_frames(functions: int) -> FrameTree:
    """500 towers of 40 rows with random functions; the widest is twice the narrowest."""
    chance, towers = np.random.default_rng(1), _BOXES // _ROWS
    tower = np.sort(chance.uniform(2e6, 4e6, towers))[::-1]
    width = np.concatenate(([tower.sum()], np.tile(tower, _ROWS)))
    box = np.arange(len(width))
    is_last = box > len(box) - 1 - towers
    children = np.where(is_last, 0, 1)
    children[0] = towers
    side = FrameSide(
        cost=width.astype(np.int64),
        width=width,
        is_exact=chance.random(len(box)) < 0.5,
        calls=np.zeros(len(box), np.int64),
        has_exact_calls=np.ones(len(box), bool),
    )
    return FrameTree(
        node=chance.integers(0, functions, len(box)),
        parent=np.where(box > towers, box - towers, np.where(box > 0, 0, -1)),
        depth=(box + towers - 1) // towers,
        start=np.concatenate(([0], np.tile(np.cumsum(tower) - tower, _ROWS))),
        width=width,
        first_child=np.where(is_last, len(box), np.where(box > 0, box + towers, 1)),
        child_count=children,
        is_recursion=np.zeros(len(box), bool),
        base=side,
        new=side,
    )


def style_for(queries: ProfileQueries) -> FrameStyle:
    """Percentages, and a colour for each file."""
    labels, event = queries.labels(Scope()), queries.events.measured[0]
    names, functions = labels.names, labels.function_count
    return FrameStyle(
        labels,
        Unit(event.name, queries.total(event, ALL_PARTS).base),
        lambda node: GroupPalette().group(names.file(node) if node < functions else "").name(),
        lambda _callers: "",
    )


def figures_line(what: str, times: list[float]) -> None:
    """Print first, median and maximum of some times."""
    first, *rest = times
    rest.sort()
    print(f"  {what}: first {first:.1f}, median {rest[len(rest) // 2]:.1f}, most {rest[-1]:.1f} ms")


def repaints(canvas: BoxCanvas, before: Callable[[int], object] = lambda _run: None) -> list[float]:
    """Milliseconds of each repaint, including the call of `before`."""
    times = []
    for run in range(_RUNS):
        start = time.perf_counter()
        before(run)
        canvas.viewport().repaint()
        times.append(1000 * (time.perf_counter() - start))
    return times


def measure(name: str, boxes: FrameTree, style: FrameStyle) -> None:
    """Measure and print everything for one tree."""
    print(f"{name}: {len(boxes)} boxes, {boxes.level_count} deep")
    flame, call_map = FlameCanvas("Flame graph"), MapCanvas("Call map")
    for canvas in (flame, call_map):
        canvas.resize(_WIDTH, _HEIGHT)
        canvas.set_boxes(boxes, style)
        canvas.show()
        QApplication.processEvents()
        kind = type(canvas).__name__
        figures_line(f"{kind} again", repaints(canvas))
        nodes, counts = np.unique(boxes.node, return_counts=True)
        canvas.highlight(int(nodes[counts.argmax()]))
        figures_line(f"{kind}, {counts.max()} boxes marked", repaints(canvas))
        canvas.highlight(-1)
        figures_line(f"{kind} laid out", repaints(canvas, lambda _run, c=canvas: c.lay_out()))
    measure_zoom(flame, float(boxes.width[0]))
    for canvas in (flame, call_map):
        canvas.close()


def measure_zoom(flame: FlameCanvas, whole: float) -> None:
    """Measure the flame graph zoomed to a fraction of the costs."""
    for part in (2, 5, 20, 100):
        flame.set_range(CostRange(0, whole / part))
        figures_line(f"FlameCanvas, 1/{part} again", repaints(flame))
        step = whole / part / _WIDTH
        wider = [CostRange(run * step, whole / part + 7 * run * step) for run in range(_RUNS)]
        figures_line(
            f"FlameCanvas, 1/{part} moved",
            repaints(flame, lambda run, w=wider: flame.set_range(w[run])),
        )


def main() -> None:
    application = QApplication([])
    theme.apply_palette(dark=False)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made.out"
        write_profile(path, 1, 5000)
        queries = ProfileQueries(load(path))
        measure("made", generated_frames(queries.function_count), style_for(queries))
    for path in map(Path, sys.argv[1:]):
        queries = ProfileQueries(load(path))
        event, scope = queries.events.measured[0], Scope()
        roots = [queries.initial_function(event, scope)]
        boxes = build_frame_tree(
            queries.accounted_calls(event, scope), roots, min_share=0, max_frames=_BOXES
        )
        measure(path.name, boxes, style_for(queries))
    application.processEvents()


if __name__ == "__main__":
    main()
