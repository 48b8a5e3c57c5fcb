"""The geometry of nodes, arrows, frames and texts of the call graph."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFont, QFontMetricsF
from pytestqt.qtbot import QtBot

from qcachegrind_py.analysis.calls.subgraph import SubgraphLimits
from qcachegrind_py.analysis.names.function_names import Grouping
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.formats.loading import load
from qcachegrind_py.present.call_graph import call_graph
from qcachegrind_py.present.call_graph_picture import (
    GraphLook,
    chain_boxes,
    graph_diagram,
    single_boxes,
)
from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.present.picture import Arrangement, Box, Frame
from qcachegrind_py.profile.events import Float64Array
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.tools.layout.graphviz_engine import GraphLayout, GraphvizLayout
from qcachegrind_py.views.pictures.diagram_canvas import DiagramCanvas
from qcachegrind_py.views.pictures.diagram_items import (
    DiagramFonts,
    DiagramItems,
    FontMeasure,
    FrameItem,
)
from qcachegrind_py.views.widgets.saving import to_svg
from tests.analysis.named_queries import node_id, queries_from
from tests.profile_rows import DATA, profile_from
from tests.profile_text import EXAMPLE, WHOLE_SCOPE, view_query

SVG = "{http://www.w3.org/2000/svg}"
GREY = "#808080"
Show = Callable[..., DiagramCanvas]

PYTHON = DATA / "python/callgrind.out.python-default.xz"
SMALL, LARGE = QFont("DejaVu Sans", 9), QFont("DejaVu Serif", 19)
SIDEWAYS, COMPACT = Arrangement(is_horizontal=True), Arrangement(False, 10.0, 24.0)
COMPACT_SIDEWAYS = Arrangement(True, 10.0, 24.0)
MANY = SubgraphLimits(caller_depth=3, min_node_share=0.01, min_call_share=0.5)
HAIR = 0.75  # pixels, as boxes have integer sizes
LONG = "std::vector<" + ", ".join(f"type_{n}" for n in range(40)) + ">::insert(int)"
HOSTILE = [
    "<b>bold</b><br>&amp;",
    LONG,
    "tab\there\x01\x7f",
    "“quotes” \"and' `these`",
    "a\\nb\\l%s",
]


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
    chains: bool = False,
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
    boxes = chain_boxes(graph, frozenset()) if chains else single_boxes(graph)
    return DiagramItems(graph_diagram(graph, look, boxes, frames, where, layout, NoProgress()))


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


@pytest.fixture
def show(qtbot: QtBot) -> Show:
    """Return a function that shows a picture."""

    def show(drawn: DiagramItems, font: QFont = SMALL) -> DiagramCanvas:
        canvas = DiagramCanvas("Call graph")
        qtbot.addWidget(canvas)
        canvas.setFont(font)
        canvas.resize(900, 600)
        canvas.show_diagram(drawn)
        return canvas

    return show


def queries_of(path: Path) -> ProfileQueries:
    """The queries of a file's profile."""
    return ProfileQueries(load(path))


def costliest(queries: ProfileQueries, count: int) -> list[int]:
    """The functions and cycles with the highest inclusive cost that have callers."""
    event = queries.events.measured[0]
    costs = queries.inclusive(event, WHOLE_SCOPE).tolist()
    called = queries.costs(WHOLE_SCOPE).called.tolist()
    ranked = sorted(range(len(costs)), key=lambda entry: -costs[entry])
    return [entry for entry in ranked if called[entry]][:count]


def overlaps(areas: list[QRectF], by: float = 0.0) -> list[tuple[int, int]]:
    """The pairs of areas that overlap by more than this width."""
    inner = [area.adjusted(by, by, -by, -by) for area in areas]
    pairs = combinations(range(len(inner)), 2)
    return [(a, b) for a, b in pairs if inner[a].intersects(inner[b])]


def frames_of(canvas: DiagramCanvas) -> list[FrameItem]:
    """The frames of the shown picture."""
    assert canvas.items is not None
    return canvas.items.frames


def in_area(texts: list[WrittenText], area: QRectF) -> list[str]:
    """The texts completely inside an area, from the top."""
    room = area.adjusted(-HAIR, -HAIR, HAIR, HAIR)
    found = [text for text in texts if room.contains(text.area)]
    return [text.text for text in sorted(found, key=lambda text: text.area.top())]


def written(box: Box) -> list[str]:
    """The texts of a box: name and cost, or those of each function of a chain."""
    lines = [(line.text, line.cost) for line in box.lines] or [(box.name, box.cost)]
    return [text for texts in lines for text in texts if text]


def check(canvas: DiagramCanvas) -> None:
    """Assert that boxes and labels do not overlap, and that every text fits."""
    texts = texts_in(canvas)
    boxes = [node.area for node in canvas.boxes]
    assert overlaps(boxes) == []

    labels = [call.label for call in canvas.arrows if not call.label.isEmpty()]
    assert len(labels) >= len(canvas.arrows) * 29 // 30
    for label in labels:
        assert [box for box in boxes if box.intersects(label)] == []
    assert overlaps(labels, HAIR) == []

    for node in canvas.boxes:
        assert sorted(in_area(texts, node.area)) == sorted(written(node.box))
    for item in canvas.arrows:
        if not item.label.isEmpty():
            assert in_area(texts, item.label) == list(item.arrow.labels)
    titles = len(frames_of(canvas))
    assert (
        len(texts)
        == sum(len(written(node.box)) for node in canvas.boxes)
        + sum(len(item.arrow.labels) for item in canvas.arrows if not item.label.isEmpty())
        + titles
    )


def points_on(way: Float64Array) -> list[QPointF]:
    """Points on consecutive Bézier curves."""
    shares = np.linspace(0, 1, 15)[:, None]
    weights = [(1 - shares) ** 3, 3 * shares * (1 - shares) ** 2, 3 * shares**2 * (1 - shares)]
    curves = [
        sum(weight * way[n + k] for k, weight in enumerate([*weights, shares**3]))
        for n in range(0, len(way) - 1, 3)
    ]
    return [QPointF(*point) for point in np.concatenate(curves)]


def check_paths(canvas: DiagramCanvas) -> None:
    """Assert that arrows join the outlines of caller and callee, and cross no box."""
    picture = canvas.picture
    assert picture is not None
    for item, way in zip(canvas.arrows, picture.paths, strict=True):
        for row, place in ((item.arrow.source, way[0]), (item.arrow.target, way[-1])):
            area, point = canvas.boxes[row].area, QPointF(*place)
            assert area.adjusted(-1, -1, 1, 1).contains(point)
            assert not area.adjusted(1, 1, -1, -1).contains(point)
        assert item.head[0] == QPointF(*way[-1])
        line = points_on(way)
        assert all(map(item.shape.contains, line[1:-7])), "the mouse finds it where it is"
        for node in canvas.boxes:
            inner = node.area.adjusted(3, 3, -3, -3)
            assert not any(map(inner.contains, line)), (item.row, node.box.name)


@pytest.mark.parametrize("chains", [False, True])
@pytest.mark.parametrize(
    ("path", "font", "arrangement"),
    [
        (EXAMPLE, SMALL, Arrangement()),
        (EXAMPLE, LARGE, COMPACT_SIDEWAYS),
        (PYTHON, SMALL, SIDEWAYS),
        (PYTHON, LARGE, COMPACT),
        (DATA / "oddnames-nocompress/callgrind.out.22446.xz", SMALL, SIDEWAYS),
        (DATA / "oddnames-nocompress/callgrind.out.22446.xz", LARGE, Arrangement()),
        (DATA / "templ-callers/callgrind.out.21991.xz", SMALL, COMPACT),
        (DATA / "templ-callers/callgrind.out.21991.xz", LARGE, COMPACT_SIDEWAYS),
        (DATA / "ruby-prof/callgrind.out.7234", SMALL, Arrangement()),
        (DATA / "ruby-prof/callgrind.out.7234", LARGE, SIDEWAYS),
    ],
)
def test_no_box_overlaps_and_no_text_is_cut(
    path: Path,
    font: QFont,
    arrangement: Arrangement,
    layout: GraphvizLayout,
    show: Show,
    *,
    chains: bool,
) -> None:
    """In graphs of real profiles nothing overlaps, in any font."""
    queries = queries_of(path)
    sizes = []
    for function in costliest(queries, 3):
        limits = MANY if font is SMALL else SubgraphLimits()
        canvas = show(
            picture_around(
                queries,
                function,
                layout,
                font,
                arrangement=arrangement,
                limits=limits,
                chains=chains,
            ),
            font,
        )
        check(canvas)
        check_paths(canvas)
        sizes.append(len(canvas.boxes))
    assert max(sizes) >= (3 if chains else 8)


CYCLE = """
    main@a.c@prog 10 -> f 3x990
    f@b.c@prog 40 -> g 4x700, leaf 2x50
    g@b.c@lib 500 -> f 2x300, h 3x200, leaf 4x100
    h@c.c@lib 200 -> g 1x100
    leaf@d.c 150
    """


@pytest.mark.parametrize("arrangement", [Arrangement(), SIDEWAYS, COMPACT, COMPACT_SIDEWAYS])
@pytest.mark.parametrize(
    ("drawing", "opened"),
    [(CYCLE, True), (CYCLE, False), (PYTHON, True)],
    ids=["opened cycle", "files", "python"],
)
def test_frames_hold_their_members_and_nothing_else(
    drawing: str | Path, opened: bool, arrangement: Arrangement, layout: GraphvizLayout, show: Show
) -> None:
    """A frame encloses exactly its members; its title covers no box, label or frame."""
    queries = queries_from(drawing) if isinstance(drawing, str) else queries_of(drawing)
    cycles = range(queries.function_count, len(queries.labels(WHOLE_SCOPE)))
    limits = SubgraphLimits(
        min_node_share=0.02, expanded_cycles=frozenset(cycles) if opened else frozenset()
    )
    around = costliest(queries, 1)[0] if isinstance(drawing, Path) else node_id(queries, "f")
    canvas = show(
        picture_around(
            queries, around, layout, SMALL, arrangement=arrangement, limits=limits,
            by_file=not opened or isinstance(drawing, Path),
        )
    )  # fmt: skip
    picture, texts = canvas.picture, texts_in(canvas)
    assert picture is not None
    check(canvas)

    frames = {item.frame.name: item.area for item in frames_of(canvas)}
    assert frames.keys() == {frame.name for frame in picture.frames} != set()
    for frame in picture.frames:
        inside = [n.row for n in canvas.boxes if frames[frame.name].intersects(n.area)]
        assert inside == sorted(frame.boxes)
        assert all(frames[frame.name].contains(canvas.boxes[row].area) for row in frame.boxes)
    assert overlaps(list(frames.values()), HAIR) == []

    labels = [call.label for call in canvas.arrows if not call.label.isEmpty()]
    for name, area in frames.items():
        (title,) = [t for t in texts if area.contains(t.area.center()) and t.text[:3] == name[:3]
                    and t.area.top() < area.top() + 6]  # fmt: skip
        assert area.adjusted(-HAIR, -HAIR, HAIR, HAIR).contains(title.area)
        assert [node.row for node in canvas.boxes if node.area.intersects(title.area)] == []
        assert [label for label in labels if label.intersects(title.area)] == []


def test_hostile_names_fit_and_stay_text(layout: GraphvizLayout, show: Show) -> None:
    """Markup is literal, unprintable characters are replaced, long names are shortened."""
    calls = "".join(f"cfn={name}\ncalls=1 1\n1 10\n" for name in HOSTILE)
    callees = "".join(f"fn={name}\n1 10\n" for name in HOSTILE)
    queries = ProfileQueries(profile_from(f"events: Ir\n\nfn=main\n1 5\n{calls}{callees}"))
    for arrangement in (Arrangement(), SIDEWAYS):
        canvas = show(
            picture_around(
                queries, node_id(queries, "main"), layout, SMALL, arrangement=arrangement
            )
        )
        check(canvas)
        names = [node.box.name for node in canvas.boxes]
        (cut,) = [name for name in names if name.startswith("std")]
        arguments, parameters = cut.removeprefix("std::vector<").split("…>::insert")
        assert LONG.startswith(f"std::vector<{arguments}")
        assert parameters in ("(…)", "(int)")
        assert 20 < len(cut) < 60
        assert sorted(set(names) - {cut}) == sorted(
            ["main", "<b>bold</b><br>&amp;", r"tab\x09here\x01\x7f", HOSTILE[3], HOSTILE[4]]
        )
