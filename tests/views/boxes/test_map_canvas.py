"""Call maps: layout, mouse and keyboard, painting."""

from __future__ import annotations

import gc
import re
import weakref
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QImage, QPalette
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from qcachegrind_py.analysis.calls.frame_tree import build_frame_tree
from qcachegrind_py.analysis.calls.treemap import SplitRule, layout_treemap
from qcachegrind_py.analysis.costs.scope import ALL_PARTS
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.app.style import theme
from qcachegrind_py.formats.loading import load
from qcachegrind_py.present.frames import FrameStyle
from qcachegrind_py.present.picture import Spot
from qcachegrind_py.present.unit import ESTIMATE, Unit
from qcachegrind_py.views.boxes import map_canvas
from qcachegrind_py.views.boxes.map_canvas import MapCanvas
from qcachegrind_py.views.boxes.map_geometry import compute_geometry, inset_frames
from qcachegrind_py.views.boxes.map_layout import MapStyle
from qcachegrind_py.views.widgets.colors import GroupPalette
from tests.profile_text import EXAMPLE, WHOLE_SCOPE, queries_for
from tests.user_input import CTRL, LEFT, NONE
from tests.views.boxes.canvas_access import (
    box,
    current,
    exported_picture,
    exported_texts,
    fill_color,
    frame_names,
    frame_tree_of,
    turn_wheel,
)

WIDTH, HEIGHT = 700, 400
PROGRAM = """
    main 10 -> f 1x60, g 1x30
    f 20 -> h 1x40
    g 30
    h 40
"""
SHARED = """
    main 20 -> f 1x50, g 1x30
    f 10 -> h 1x40
    g 10 -> h 1x20
    h 20 -> k 1x40
    k 40
"""  # the cost of h in f is recorded, that of k in it is not
BARE = MapStyle(show_names=False, show_costs=False, shading=False, border=0)
KEYS = Qt.Key
PERCENT = "\N{THIN SPACE}%"
Shown = Callable[..., MapCanvas]


@pytest.fixture
def shown(tmp_path: Path, show_view: Callable[..., MapCanvas], qtbot: QtBot) -> Shown:
    """Show the boxes of a profile below `main` in 700x400 pixels."""

    def shown(
        drawing: str | Path, style: MapStyle | None = None, *, root: str = "main"
    ) -> MapCanvas:
        is_file = isinstance(drawing, Path)
        queries = ProfileQueries(load(drawing)) if is_file else queries_for(tmp_path, drawing)
        canvas = MapCanvas("Callee Map")
        canvas.set_map_style(style or MapStyle())
        canvas.set_boxes(frame_tree_of(queries, root), style_of(queries))
        show_view(canvas)
        qtbot.waitUntil(lambda: canvas.is_drawn)
        return canvas

    return shown


def style_of(queries: ProfileQueries) -> FrameStyle:
    """Percentages, and a colour for each function."""
    event, labels = queries.events.measured[0], queries.labels(WHOLE_SCOPE)
    return FrameStyle(
        labels,
        Unit(event.name, queries.total(event, ALL_PARTS).base),
        lambda node: GroupPalette().group(labels.name(node)).name(),
        lambda _callers: "",
    )


def areas(canvas: MapCanvas) -> dict[int, QRectF]:
    """The areas of the visible boxes."""
    found = {box: canvas.box_rect(box) for box in range(len(canvas.tree))}
    return {box: area for box, area in found.items() if not area.isEmpty()}


def self_cost_point(canvas: MapCanvas, name: str) -> QPoint:
    """A point in the upper part of a box, which is its self cost."""
    area = canvas.box_rect(box(canvas, name))
    return QPointF(area.center().x(), area.top() + 6).toPoint()


def picture(canvas: MapCanvas) -> QImage:
    """The picture of the viewport once it is complete."""
    image = QImage(canvas.viewport().size(), QImage.Format.Format_RGB32)
    for _ in range(1000):
        canvas.viewport().render(image)
        if canvas.is_drawn:
            break
        QApplication.processEvents()
    return image


def pixels(image: QImage) -> Counter[str]:
    """The number of pixels of each colour."""
    data = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1)
    values, counts = np.unique(data & 0xFFFFFF, return_counts=True)
    return Counter({f"#{v:06x}": n for v, n in zip(values.tolist(), counts.tolist(), strict=True)})


# ---------------------------------------------------------------- layout


@pytest.mark.parametrize("split", SplitRule)
@pytest.mark.parametrize("border", [0, 1, 3])
def test_areas_of_a_real_profile_are_its_costs(shown: Shown, split: SplitRule, border: int) -> None:
    """With and without frames, a box has its share of the area, inside its parent."""
    canvas = shown(EXAMPLE, MapStyle(split, min_area=16, border=border))
    boxes, found = canvas.tree, areas(canvas)

    assert len(found) > 300
    share = WIDTH * HEIGHT / boxes.width[0]
    odd = {
        b: a
        for b, a in found.items()
        if abs(a.width() * a.height() - boxes.width[b] * share) > 1e-6
    }
    assert odd == {}
    slack = 1e-6
    inner = [(found[int(boxes.parent[b])], area) for b, area in found.items() if b]
    outside = [
        (area, around)
        for around, area in inner
        if not around.adjusted(-slack, -slack, slack, slack).contains(area)
    ]
    assert outside == []


def test_frames_are_no_wider_than_an_eighth(tmp_path: Path) -> None:
    """However thick the lines, a frame takes at most an eighth; the strip gets the rest."""
    queries = ProfileQueries(load(EXAMPLE))
    boxes = frame_tree_of(queries, "main")
    plain = layout_treemap(boxes, WIDTH, HEIGHT, min_area=16)
    places = inset_frames(plain, boxes, 9.0, 15.0)
    first = boxes.first_child[np.flatnonzero(plain.is_shown & (boxes.child_count > 0))]
    first = first[plain.is_shown[first]]
    around = boxes.parent[first]

    frame = places.x[first] - places.x[around]
    side = np.minimum(places.width[around], places.height[around])
    assert (frame.max() > 8.9, (frame <= side / 8 + 1e-9).all()) == (True, True)
    assert np.allclose(places.self_area[around], places.y[first] - places.y[around])
    had_line, has_line = plain.self_area[around] >= 30, places.self_area[around] >= 14.9
    assert has_line[had_line].all(), "the line of text stays"


@pytest.mark.parametrize("split", SplitRule)
def test_label_areas_are_free(split: SplitRule) -> None:
    """No visible box covers its parent's label areas."""
    boxes = frame_tree_of(ProfileQueries(load(EXAMPLE)), "main")
    wrong, found = [], 0
    for min_area, rotate in ((16, True), (1000, True), (1000, False)):
        places = layout_treemap(
            boxes, WIDTH, HEIGHT, split=split, min_area=float(min_area), rotate=rotate
        )
        geometry = compute_geometry(boxes, inset_frames(places, boxes, 3.0, 15.0))
        row = {int(box): n for n, box in enumerate(geometry.boxes)}
        for outer, parts in zip(
            geometry.boxes.tolist(), geometry.free_edges.T.tolist(), strict=True
        ):
            inside = [geometry.edges[:, row[b]] for b in boxes.children_of(outer) if b in row]
            for part in zip(*parts, strict=True):
                found += overlap(part, geometry.edges[:, row[outer]]) > 100
                wrong += [outer for other in inside if overlap(part, other) > 1e-6]
    assert (wrong, found > 100) == ([], True)


def overlap(one: Sequence[float], other: Sequence[float]) -> float:
    """The common area of two rectangles, given by left, top, right and bottom."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return max(0.0, width) * max(0.0, height)


@pytest.mark.parametrize("split", SplitRule)
def test_pixels_are_the_self_costs(shown: Shown, split: SplitRule) -> None:
    """A function's colour covers its self cost, to half a pixel an edge."""
    canvas = shown(PROGRAM, replace(BARE, split=split))

    seen = pixels(picture(canvas))
    colors = {
        name: fill_color(canvas, box(canvas, name)).name() for name in ("main", "f", "g", "h")
    }
    wanted = {"main": 10, "f": 20, "g": 30, "h": 40}
    off = {n: seen[colors[n]] - cost * WIDTH * HEIGHT / 100 for n, cost in wanted.items()}
    assert (sum(seen.values()), set(seen)) == (WIDTH * HEIGHT, set(colors.values()))
    assert max(map(abs, off.values())) <= WIDTH + HEIGHT, off


@pytest.mark.parametrize("style", [MapStyle(min_area=16), replace(BARE, min_area=16)])
def test_the_mouse_finds_the_innermost_box(shown: Shown, style: MapStyle) -> None:
    """The self-cost strip and the frame hit the box, its content an inner one."""
    canvas = shown(EXAMPLE, style)
    boxes, found = canvas.tree, areas(canvas)
    wrong = []
    for number, area in found.items():
        inside = [found[b] for b in boxes.children_of(number) if b in found]
        bar = min((a.top() for a in inside), default=area.bottom()) - area.top()
        if bar > 0.1:
            at = QPointF(area.center().x(), area.top() + bar / 2)
            wrong += [number] if canvas.box_at(at) != number else []
        if not inside:
            wrong += [number] if canvas.box_at(area.center()) != number else []
    assert wrong == []
    outside = [(-1, 5), (WIDTH + 1, 5), (5, -1), (5, HEIGHT + 1)]
    assert [canvas.box_at(QPointF(*at)) for at in outside] == [-1] * 4


@pytest.mark.parametrize(("border", "frame"), [(0, 0), (1, 3), (3, 5)])
def test_self_cost_frames_a_box(shown: Shown, border: int, frame: float) -> None:
    """The frame is as wide as the lines; with little cost it is equally thin on all sides."""
    rich = shown("main 20 -> f 1x80\nf 80", MapStyle(border=border))
    poor = shown("main 1 -> f 1x99\nf 99", MapStyle(border=border))
    none = shown("main 0 -> f 1x99\nf 99", MapStyle(border=border))

    assert margins(rich, 1)[1:] == pytest.approx((frame, frame, frame))
    assert margins(none, 1) == pytest.approx((0, 0, 0, 0))
    top, *others = margins(poor, 1)
    thin = min(frame, (1100 - (1100**2 - 4 * 2800) ** 0.5) / 4)  # (700 - 2f) (400 - 2f) = 99 %
    assert others == pytest.approx([thin] * 3)
    assert (top == pytest.approx(thin)) is (border > 0)


def margins(canvas: MapCanvas, box: int) -> tuple[float, float, float, float]:
    """The distances of a box from the picture's edges: above, left, right, below."""
    area = canvas.box_rect(box)
    return area.top(), area.left(), WIDTH - area.right(), HEIGHT - area.bottom()


def test_small_boxes_are_not_shown(shown: Shown) -> None:
    """Boxes below the minimum area, at least 16 square pixels, show their parent instead."""
    drawing = "main 0 -> f 1x90000, g 1x9900, h 1x96, k 1x4\nf 90000\ng 9900\nh 96\nk 4"
    shares = {}
    for min_area in (0, 100, 1000, 30_000):
        canvas = shown(drawing, replace(BARE, min_area=min_area))
        shares[min_area] = [
            name for b, name in enumerate(frame_names(canvas)) if b in areas(canvas)
        ]
    assert shares == {
        0: ["main", "f", "g", "h"],
        100: ["main", "f", "g", "h"],
        1000: ["main", "f", "g"],
        30_000: ["main", "f"],
    }


# ---------------------------------------------------------------- mouse and keyboard


def test_click_chooses_and_double_click_goes_there(shown: Shown) -> None:
    """A click makes the innermost box current, a double click activates its function."""
    canvas = shown(PROGRAM)
    selected, activated = (
        QSignalSpy(canvas.selected),
        QSignalSpy(canvas.activated),
    )
    before = picture(canvas)

    QTest.mouseClick(canvas.viewport(), LEFT, NONE, self_cost_point(canvas, "h"))
    after = picture(canvas)
    QTest.mouseDClick(canvas.viewport(), LEFT, NONE, self_cost_point(canvas, "g"))

    node = {name: int(canvas.tree.node[box(canvas, name)]) for name in ("g", "h")}
    assert current(canvas) == "h"
    assert selected.at(0) == [node["h"]]
    assert activated.at(0) == [node["g"]]
    edge = canvas.box_rect(box(canvas, "h")).toRect().topLeft() + QPoint(1, 100)
    assert before.pixelColor(edge) != after.pixelColor(edge), "the current box is outlined"


def test_arrow_keys_go_in_out_and_to_siblings(shown: Shown) -> None:
    """Down goes to the costliest inner box, Up to the parent, Left and Right to siblings."""
    canvas = shown(PROGRAM)
    keys = (KEYS.Key_Down, KEYS.Key_Down, KEYS.Key_Right, KEYS.Key_Right, KEYS.Key_Down)
    keys += (KEYS.Key_Left, KEYS.Key_Left, KEYS.Key_Down, KEYS.Key_Up, KEYS.Key_Up, KEYS.Key_Up)
    found = []
    for key in keys:
        QTest.keyClick(canvas, key)
        found.append(current(canvas))

    assert found == ["main", "f", "g", "g", "g", "f", "f", "h", "f", "main", "main"]


def test_keys_skip_invisible_boxes(shown: Shown) -> None:
    """Boxes too small to be seen are skipped."""
    canvas = shown("main 0 -> f 1x99990, g 1x9, h 1x1\nf 99987 -> k 1x3\ng 9\nh 1\nk 3")
    found = []
    for key in (KEYS.Key_Down, KEYS.Key_Down, KEYS.Key_Right, KEYS.Key_Down):
        QTest.keyClick(canvas, key)
        found.append(current(canvas))

    assert found == ["main", "f", "f", "f"]


def test_keys_zoom_and_go_to_the_function(shown: Shown) -> None:
    """Plus zooms to the current box, minus out, 0 shows all, Return activates."""
    canvas = shown(PROGRAM)
    activated = QSignalSpy(canvas.activated)
    canvas.set_current(box(canvas, "h"))
    found = []
    for key in (KEYS.Key_Plus, KEYS.Key_Minus, KEYS.Key_Minus, KEYS.Key_Plus, KEYS.Key_0):
        QTest.keyClick(canvas, key)
        found.append(frame_names(canvas)[canvas.zoom_root])
    QTest.keyClick(canvas, KEYS.Key_Return)

    assert found == ["h", "f", "main", "h", "main"]
    assert activated.at(0) == [int(canvas.tree.node[canvas.current])]


def test_keys_start_at_the_zoomed_box(shown: Shown) -> None:
    """If the current box is out of sight, arrows start at the zoomed one."""
    canvas = shown(PROGRAM)
    canvas.set_current(box(canvas, "g"))
    canvas.zoom_to(box(canvas, "f"))
    found = []
    for key in (KEYS.Key_Right, KEYS.Key_Down, KEYS.Key_Up, KEYS.Key_Up):
        QTest.keyClick(canvas, key)
        found.append(current(canvas))

    assert found == ["f", "h", "f", "f"]
    canvas.set_current(box(canvas, "h"))
    canvas.zoom_to(box(canvas, "g"))
    activated = QSignalSpy(canvas.activated)
    QTest.keyClick(canvas, KEYS.Key_Return)
    assert activated.at(0) == [int(canvas.tree.node[box(canvas, "g")])]


def test_zoomed_box_fills_the_picture(shown: Shown) -> None:
    """The zoomed box fills the picture, its content grows, all else is gone."""
    canvas = shown(PROGRAM, BARE)
    changes = QSignalSpy(canvas.current_changed)

    canvas.zoom_to(box(canvas, "f"))
    whole = canvas.box_rect(box(canvas, "f"))
    seen = pixels(picture(canvas))

    assert whole == QRectF(0, 0, WIDTH, HEIGHT)
    assert [n for b, n in enumerate(frame_names(canvas)) if b in areas(canvas)] == ["f", "h"]
    h = canvas.box_rect(box(canvas, "h"))
    assert h.width() * h.height() == pytest.approx(WIDTH * HEIGHT * 40 / 60)
    assert set(seen) == {fill_color(canvas, box(canvas, name)).name() for name in ("f", "h")}
    canvas.zoom_to(box(canvas, "f"))
    canvas.zoom_to(99)
    assert changes.count() == 1
    canvas.zoom_out()
    assert (canvas.zoom_root, len(areas(canvas)), changes.count()) == (0, 4, 2)


def test_wheel_with_ctrl_zooms_towards_the_mouse(shown: Shown) -> None:
    """A notch is one visible level: `run` is as large as `main` and no level of its own."""
    canvas = shown("main 0 -> run 1x100\nrun 0 -> f 1x60, g 1x40\nf 20 -> h 1x40\ng 40\nh 40")
    at = self_cost_point(canvas, "h")
    found = []
    for y in (120, 60, 60, 120, -120, -60, -60, -120):
        turn_wheel(canvas, QPointF(at), y=y, keys=CTRL)
        found.append(frame_names(canvas)[canvas.zoom_root])
        at = self_cost_point(canvas, "h")

    assert found == ["f", "f", "h", "h", "f", "f", "run", "main"]
    canvas.zoom_to(0)
    turn_wheel(canvas, QPointF(at), y=120)
    assert canvas.zoom_root == 0, "without Ctrl it does not zoom"


def test_match_is_brought_into_view(shown: Shown) -> None:
    """Going to a match changes the zoom only as far as needed."""
    canvas = shown("main 0 -> f 1x99000, g 1x1000\nf 99000\ng 900 -> h 1x90\nh 1 -> k 1x1\nk 1")
    zooms = {}
    for name in ("f", "k", "g", "h", "main"):
        canvas.set_current(box(canvas, name))
        zooms[name] = frame_names(canvas)[canvas.zoom_root]
        assert not canvas.box_rect(canvas.current).isEmpty()

    assert zooms == {"f": "main", "k": "g", "g": "g", "h": "g", "main": "main"}


# ---------------------------------------------------------------- size and time


def test_resizing_stretches_the_picture_first(shown: Shown, qtbot: QtBot) -> None:
    """During a resize the picture is stretched, then laid out again: here f above g."""
    canvas = shown("main 0 -> f 1x60, g 1x40\nf 60\ng 40", BARE)
    g, size = box(canvas, "g"), canvas.viewport().size()
    found = [canvas.box_rect(g)]

    canvas.resize(400, 1200)
    found.append(canvas.box_rect(g))
    image = QImage(canvas.viewport().size(), QImage.Format.Format_RGB32)
    canvas.viewport().render(image)
    left, right = (image.pixelColor(x, 600).name() for x in (200, 260))
    inside = canvas.box_at(QPointF(260, 600))
    qtbot.waitUntil(lambda: areas(canvas)[g].width() == 400)
    found.append(canvas.box_rect(g))

    assert found == [QRectF(420, 0, 280, 400), QRectF(240, 0, 160, 1200), QRectF(0, 720, 400, 480)]
    assert (left, right, inside) == (fill_color(canvas, 1).name(), fill_color(canvas, g).name(), g)
    assert picture(canvas).pixelColor(200, 719).name() == fill_color(canvas, 1).name()
    canvas.resize(size)
    canvas.set_map_style(BARE)
    assert canvas.box_rect(g) == found[0], "what is laid out anyway waits for nothing"


def test_an_export_is_what_the_screen_shows(shown: Shown) -> None:
    """It has no transient marks, any font, and the present size even during a resize."""
    canvas = shown(EXAMPLE)
    assert exported_picture(canvas) == picture(canvas)
    canvas.setFont(QFont(canvas.font().family(), 17))
    assert exported_picture(canvas) == picture(canvas)

    canvas.resize(500, 300)
    at_once = exported_picture(canvas)
    assert at_once == picture(canvas)
    assert at_once.width() == 500


def test_the_picture_is_drawn_once(shown: Shown, tmp_path: Path) -> None:
    """Repainting, marks and resizing compute no colours again; another style does."""
    canvas = shown(PROGRAM)
    asked_for: list[int] = []

    def color(node: int) -> str:
        asked_for.append(node)
        return "#cc8844"

    canvas.set_box_style(replace(canvas.picture.style, color=color))
    first = picture(canvas)
    count = len(asked_for)
    canvas.highlight(int(canvas.tree.node[1]))
    marked = picture(canvas)
    canvas.zoom_to(1)
    picture(canvas)
    canvas.zoom_to(0)
    canvas.highlight(-1)

    assert (count, len(asked_for)) == (4, 4)
    assert (picture(canvas) == first, marked == first) == (True, False)


def test_many_boxes_are_drawn_in_several_turns(
    shown: Shown, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """50,000 callees do not block the window: the old picture stays until the new is ready."""
    path = tmp_path / "many.out"
    calls = "".join(f"cfn=f{n}\ncalls=1 1\n1 {60_000 - n}\n" for n in range(50_000))
    bodies = "".join(f"fn=f{n}\n1 {60_000 - n}\n" for n in range(50_000))
    path.write_text(f"events: Ir\n\nfl=a.c\nfn=main\n1 0\n{calls}{bodies}")
    canvas = shown(path, MapStyle(min_area=16))
    assert (len(canvas.tree), len(areas(canvas))) == (50_001, 1), "each is too small"

    canvas.resize(1000, 800)
    cost = 60_000 - np.arange(50_000)
    large = int((cost * 1000 * 800 / cost.sum() >= 16).sum())
    qtbot.waitUntil(lambda: len(areas(canvas)) == 1 + large)
    before = picture(canvas)
    assert before == exported_picture(canvas)
    monkeypatch.setattr(map_canvas, "_TIME_SLICE", 0.0)
    canvas.set_map_style(replace(BARE, min_area=16))
    during = QImage(before.size(), before.format())
    canvas.viewport().render(during)
    assert (canvas.is_drawn, during == before) == (False, True)
    after = picture(canvas)
    assert (after == exported_picture(canvas), after == before) == (True, False)


def test_grey_boxes_stay_grey_until_the_new_picture_is_complete(
    shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two pictures the old one does not flash up in full colour."""
    canvas = shown(PROGRAM, BARE)
    canvas.set_stale(True)
    grey = picture(canvas)
    monkeypatch.setattr(map_canvas, "_TIME_SLICE", 0.0)
    canvas.set_stale(False)
    canvas.set_boxes(canvas.tree, canvas.picture.style)
    during = QImage(grey.size(), grey.format())
    canvas.viewport().render(during)

    assert (canvas.is_drawn, during == grey) == (False, True)
    assert picture(canvas) == exported_picture(canvas)


@pytest.mark.parametrize(
    ("callees", "most_fills", "most_labels"), [(2000, 500, 0), (150, 151, 100)]
)
def test_no_step_of_drawing_is_long(
    shown: Shown, tmp_path: Path, callees: int, most_fills: int, most_labels: int
) -> None:
    """A step paints at most 500 boxes or 100 labels, as the event loop waits for its end."""
    path = tmp_path / "many.out"
    calls = "".join(f"cfn=f{n}\ncalls=1 1\n1 {6000 - n}\n" for n in range(callees))
    bodies = "".join(f"fn=f{n}\n1 {6000 - n}\n" for n in range(callees))
    path.write_text(f"events: Ir\n\nfl=a.c\nfn=main\n1 0\n{calls}{bodies}")
    canvas = shown(path, MapStyle(min_area=16))
    steps = [step for step in canvas._create_steps(1.0) if isinstance(step, partial)]
    filled, labelled = (
        [len(step.args[0]) for step in steps if step.func.__name__ == name]
        for name in ("_fill_boxes", "_paint_labels")
    )

    assert (max(filled), sum(filled)) == (most_fills, len(areas(canvas)))
    assert max(labelled, default=0) == most_labels


# ---------------------------------------------------------------- painting


def test_estimates_are_paler(shown: Shown) -> None:
    """A function's box has its full colour for an exact cost, else a paler one."""
    canvas = shown(SHARED, BARE)
    boxes, k = canvas.tree, box(canvas, "k")
    full, pale = canvas.picture.style.color(int(boxes.node[k])), fill_color(canvas, k).name()
    estimated = pixels(picture(canvas))
    canvas.set_boxes(replace(boxes, is_exact=np.ones(len(boxes), bool)), canvas.picture.style)
    recorded = pixels(picture(canvas))

    assert (estimated[full], recorded[pale]) == (0, 0)
    area = WIDTH * HEIGHT * 40 / 100
    assert recorded[full] == pytest.approx(area, rel=0.01)
    assert estimated[pale] == pytest.approx(area, rel=0.02), "less what is dashed"


@pytest.mark.parametrize("dark", [False, True])
def test_dashes_surround_estimates(shown: Shown, dark: bool) -> None:
    """Only the outermost estimate is dashed; it may be the zoomed box."""
    inner = SHARED.replace("k 40", "k 20 -> m 1x20")
    canvas = shown(f"{inner}m 20", replace(BARE, border=1))
    theme.apply_palette(dark)
    QApplication.processEvents()
    exact = dict(zip(frame_names(canvas), canvas.tree.is_exact.tolist(), strict=True))
    assert exact == {"main": True, "f": True, "g": True, "h": True, "k": False, "m": False}

    assert [dashes(canvas, name) > 8 for name in exact] == [False] * 4 + [True, False]
    canvas.zoom_to(box(canvas, "m"))
    assert dashes(canvas, "m") > 50
    canvas.set_matches(np.zeros(len(canvas.picture.style.labels), bool))
    assert dashes(canvas, "m") == 0, "what a search has left out stays in the background"


def dashes(canvas: MapCanvas, name: str) -> int:
    """The number of colour changes along the upper edge of the first box with this name."""
    area, image = canvas.box_rect(box(canvas, name)), picture(canvas)
    left, right, y = round(area.left()) + 2, round(area.right()) - 2, round(area.top())
    row = [image.pixel(x, y) for x in range(left, right)]
    return sum(one != next_ for one, next_ in pairwise(row))


@pytest.mark.parametrize("dark", [False, True])
def test_search_fades_all_others(shown: Shown, dark: bool) -> None:
    """Matches keep their colour, other boxes fade until the search ends."""
    canvas = shown(PROGRAM, BARE)
    theme.apply_palette(dark)
    QApplication.processEvents()
    before, every = picture(canvas), range(len(canvas.tree))
    matches = np.zeros(len(canvas.picture.style.labels), bool)
    matches[canvas.tree.node[box(canvas, "h")]] = True

    canvas.set_matches(matches)
    wanted = {fill_color(canvas, b).name() for b in every}
    assert set(pixels(picture(canvas))) == wanted
    assert [fill_color(canvas, b).name() in pixels(before) for b in every] == [
        False,
        False,
        False,
        True,
    ]
    canvas.set_matches(None)
    assert picture(canvas) == before


@pytest.mark.parametrize("border", [0, 1, 2, 3])
def test_lines_are_inside_boxes_and_as_wide_as_asked(shown: Shown, border: int) -> None:
    """The line is darker than the box, which starts right behind it."""
    canvas = shown("main 5", replace(BARE, border=border))

    canvas.set_box_style(replace(canvas.picture.style, color=lambda _node: "#6090c0"))
    image = picture(canvas)
    edges = [
        [image.pixelColor(n, 200).name() for n in range(6)],
        [image.pixelColor(WIDTH - 1 - n, 200).name() for n in range(6)],
        [image.pixelColor(350, n).name() for n in range(6)],
        [image.pixelColor(350, HEIGHT - 1 - n).name() for n in range(6)],
    ]
    assert edges == [["#45688a"] * border + ["#6090c0"] * (6 - border)] * 4


def test_shading_makes_every_second_box_inwards_darker(shown: Shown) -> None:
    """Nested boxes of one colour differ, down to invisible ones."""
    drawing = "main 1000 -> f 1x1000\nf 500 -> h 1x500\nh 500"
    canvas = shown(drawing, replace(BARE, shading=True))
    canvas.set_box_style(replace(canvas.picture.style, color=lambda _node: "#6090c0"))

    image = picture(canvas)
    seen = [image.pixelColor(self_cost_point(canvas, name)).name() for name in ("main", "f", "h")]
    assert seen == ["#6090c0", "#5986b3", "#6090c0"]
    canvas.set_map_style(BARE)
    assert set(pixels(picture(canvas))) == {"#6090c0"}
    canvas.set_map_style(replace(BARE, shading=True, min_area=200_000))
    assert canvas.box_rect(1).isEmpty()
    half = pixels(picture(canvas))
    assert half["#5986b3"] == pytest.approx(WIDTH * HEIGHT / 2, rel=0.01)


# ---------------------------------------------------------------- names


def test_labels_are_in_the_self_cost_area(shown: Shown) -> None:
    """Where they fit, the name is on the left, the cost on the right, marked if estimated."""
    canvas = shown(SHARED)
    assert exported_texts(canvas) == [
        *("100.00" + PERCENT, "main"),
        *("50.00" + PERCENT, "f"),
        *("30.00" + PERCENT, "g"),
        *("40.00" + PERCENT, "h"),
        *("20.00" + PERCENT, "h"),
        *(ESTIMATE + "27.00" + PERCENT, "k"),
        *(ESTIMATE + "13.00" + PERCENT, "k"),
    ]


def test_styles_choose_what_is_written(shown: Shown, tmp_path: Path) -> None:
    """The style decides on names, costs and locations; a location is below the name."""
    drawing = "main@a.c@prog 10 -> f 1x90\nf@b.c@prog 90"
    canvas = shown(drawing)
    cost = {"main": "100.00" + PERCENT, "f": "90.00" + PERCENT}
    places = ["prog: a.c", "prog: b.c"]
    wanted = {
        (True, True, False): [cost["main"], "main", cost["f"], "f"],
        (True, False, False): ["main", "f"],
        (False, True, False): [cost["main"], cost["f"]],
        (True, False, True): ["main", places[0], "f", places[1]],
        (False, False, True): places,
        (False, False, False): [],
    }
    found = {}
    for named, costs, placed in wanted:
        canvas.set_map_style(MapStyle(show_names=named, show_costs=costs, show_locations=placed))
        found[named, costs, placed] = exported_texts(canvas)
    assert found == wanted


def test_boxes_with_one_corner_share_a_label(shown: Shown) -> None:
    """Names are joined as far as they fit; the cost is that of the innermost."""
    drawing = """
        main 0 -> run 1x100
        run 0 -> parse 1x90, end 1x10
        parse 0 -> lex 1x50, sort 1x40
        lex 50
        sort 40
        end 10
    """
    canvas = shown(drawing, MapStyle(SplitRule.HORIZONTAL))
    assert exported_texts(canvas)[-4:] == [
        "50.00" + PERCENT,
        "main › run › parse › lex",
        "40.00" + PERCENT,
        "sort",
    ]

    canvas.set_map_style(MapStyle(SplitRule.HORIZONTAL, show_costs=False))
    canvas.resize(2 * (canvas.fontMetrics().horizontalAdvance("run › parse › lex") + 12), HEIGHT)
    assert "run › parse › lex" in exported_texts(canvas)


def test_covered_large_box_has_a_tag(shown: Shown) -> None:
    """A box that its callees cover has a tag over them if it is a large part of the map."""
    long = "the_larger_part_of_all"
    drawing = f"""
        main 10 -> {long} 1x60, rest 1x30
        {long} 0 -> a 1x30, b 1x30
        a 0 -> c 1x15, d 1x15
        b 30
        c 15
        d 15
        rest 30
    """
    canvas = shown(drawing, MapStyle(SplitRule.HORIZONTAL))
    plain = shown(drawing, MapStyle(SplitRule.HORIZONTAL, show_names=False))

    assert f"{long}  60.00{PERCENT}" in exported_texts(canvas)
    assert long not in " ".join(exported_texts(plain))


def test_tags_cover_no_label(shown: Shown) -> None:
    """A tag whose place is taken by the label of an inner box is left out."""
    drawing = f"""
        main 10 -> {"long_name_" * 15} 1x60, rest 1x30
        {"long_name_" * 15} 0 -> a 1x30, b 1x30
        a 30
        b 30
        rest 30
    """
    canvas = shown(drawing, MapStyle(SplitRule.HORIZONTAL, show_costs=False))
    beside_labels = exported_texts(canvas)
    canvas.set_map_style(MapStyle(SplitRule.VERTICAL, show_costs=False))  # b begins in the middle
    on_a_label = exported_texts(canvas)

    assert beside_labels[:4] == ["main", "rest", "a", "b"]
    assert (len(beside_labels), "…" in beside_labels[4]) == (5, True)
    assert on_a_label == ["main", "rest", "a", "b"]


def test_headers_name_large_boxes_of_two_levels(shown: Shown) -> None:
    """A header is as high as a line, its box's contents are below it, and nothing is over it.

    A box with nearly the whole cost of its parent belongs to the same level, without a header.
    """
    drawing = """
        main 0 -> run 1x60, end 1x40
        run 0 -> loop 1x60
        loop 0 -> parse 1x40, sort 1x20
        parse 0 -> lex 1x20, read 1x20
        lex 0 -> next 1x10, skip 1x10
        read 20
        sort 20
        next 10
        skip 10
        end 40
    """
    canvas = shown(drawing, MapStyle(headers=2, show_costs=False))
    strips = {
        name: canvas.box_rect(canvas.tree.first_child[box(canvas, name)]).top()
        - canvas.box_rect(box(canvas, name)).top()
        for name in ("main", "run", "loop", "parse", "lex")
    }
    line = QFontMetricsF(canvas.font()).height() + 1

    assert strips == pytest.approx({"main": 0, "run": line, "loop": 0, "parse": line, "lex": 0})
    assert sorted(exported_texts(canvas)) == sorted(
        ["run", "end", "loop › parse", "sort", "lex › next", "skip", "read"]
    )
    share = {name: canvas.box_rect(box(canvas, name)) for name in ("next", "skip", "read")}
    areas = {name: area.width() * area.height() for name, area in share.items()}
    assert areas["read"] == pytest.approx(areas["next"] + areas["skip"])


def test_zoomed_box_has_a_header(shown: Shown) -> None:
    """What fills the picture after zooming is named in a header."""
    canvas = shown(PROGRAM, MapStyle(headers=1, show_costs=False))
    canvas.zoom_to(box(canvas, "f"))

    assert exported_texts(canvas)[0] == "f"


def test_label_uses_uncovered_area(shown: Shown) -> None:
    """Without self cost, the label is below or beside the visible inner boxes."""
    small = ", ".join(f"s{n} 1x1" for n in range(100))
    drawing = f"main 0 -> f 1x300, {small}\nf 300\n" + "\n".join(f"s{n} 1" for n in range(100))
    for split in (SplitRule.ROWS, SplitRule.COLUMNS):
        canvas = shown(drawing, MapStyle(split, min_area=10_000, show_costs=False))
        f, named = canvas.box_rect(1).toAlignedRect(), picture(canvas)
        canvas.set_map_style(MapStyle(split, 10_000, show_names=False, show_costs=False))
        marks = difference(named, picture(canvas))
        inside = marks[f.top() : f.bottom() + 1, f.left() : f.right() + 1].sum()
        assert 0 < inside < marks.sum(), "one name is in f, the other one is not"


def test_long_names_are_rotated_in_narrow_boxes(shown: Shown) -> None:
    """They run from bottom to top if they do not fit across, unless rotation is off."""
    drawing = "main 0 -> f 1x96, a_rather_long_name 1x4\nf 96\na_rather_long_name 4"
    canvas = shown(drawing, MapStyle(show_costs=False))
    narrow = canvas.box_rect(box(canvas, "a_rather_long_name"))
    assert (narrow.width(), narrow.height()) == pytest.approx((28, HEIGHT))

    with_names = picture(canvas)
    canvas.set_map_style(MapStyle(show_names=False, show_costs=False))
    marks = difference(with_names, picture(canvas))
    upright = marks[:, round(narrow.left()) :]
    rows, columns = np.flatnonzero(upright.any(axis=1)), np.flatnonzero(upright.any(axis=0))
    length = canvas.fontMetrics().horizontalAdvance("a_rather_long_name")
    assert np.ptp(columns) <= canvas.fontMetrics().height()
    assert (np.ptp(rows), HEIGHT - rows[-1]) == pytest.approx((length, 4), abs=4)
    canvas.set_map_style(MapStyle(show_costs=False, rotate=False))
    assert exported_texts(canvas) == ["main › f"]


def test_rotation_lets_boxes_begin_at_the_longer_side(shown: Shown) -> None:
    """Without rotation, the first boxes are on the left even in a tall box."""
    canvas = shown("main 0 -> f 1x40, g 1x30, h 1x30\nf 40\ng 30\nh 30", BARE)
    canvas.resize(400, 700)
    found = []
    for rotate in (True, False):
        canvas.set_map_style(replace(BARE, rotate=rotate))
        found.append(canvas.box_rect(1))
    assert found == [QRectF(0, 0, 400, 280), QRectF(0, 0, 280, 400)]


def test_locations_are_elided_at_their_start(shown: Shown) -> None:
    """The end of a location is kept; a cycle has the number of members, never elided."""
    style = MapStyle(show_costs=False, show_locations=True)
    canvas = shown("main@some/folder/of/files.c@program 10", style)
    canvas.resize(canvas.fontMetrics().horizontalAdvance("program: fil"), HEIGHT)
    name, cut = exported_texts(canvas)
    assert (name, cut[0], cut[-7:]) == ("main", "…", "files.c")


def difference(one: QImage, other: QImage) -> np.ndarray:
    """The differing pixels of two pictures, as rows of pixels."""
    shape = (one.height(), one.width())
    first, second = (np.frombuffer(i.constBits(), np.uint32).reshape(shape) for i in (one, other))
    return first != second


HOSTILE = [
    "<b>bold</b>&amp;<img/src=x>",
    "a" * 100_000,
    "Z" + "\u0301" * 60,  # a letter that extends far beyond its line
    "\u202egnp.exe\u202c",
    "שלום",
    "\x01\x07tab\there",
    "&file\u2028next",
    "std::vector<std::pair<int,std::string>>::operator[](unsigned_long)'caller",
]


def test_hostile_names_are_plain_text_in_their_boxes(shown: Shown, tmp_path: Path) -> None:
    """Markup and line breaks have no effect; long names are elided."""
    path = tmp_path / "hostile.out"
    calls = "".join(f"cfn={name}\ncalls=1 1\n1 100\n" for name in HOSTILE)
    bodies = "".join(f"fn={name}\n1 100\n" for name in HOSTILE)
    path.write_text(f"events: Ir\n\nfl=a.c\nfn=main\n1 0\n{calls}{bodies}", encoding="utf-8")
    canvas = shown(path, MapStyle(SplitRule.VERTICAL, show_costs=False))
    named = picture(canvas)
    written = exported_texts(canvas)
    canvas.set_map_style(MapStyle(SplitRule.VERTICAL, show_names=False, show_costs=False))
    marks = difference(named, picture(canvas))

    assert len(written) == len(HOSTILE)
    assert any("<b>bold</b>&amp;<img/src=x>" in text for text in written)
    assert any(re.fullmatch("(main › )?a+…", text) for text in written)
    assert not any(set("\n\t\x01\u202e\u2028") & set(text) for text in written)
    line = canvas.fontMetrics().height() + 3
    bottoms = [
        marks[round(a.top()) + line : round(a.bottom())] for b, a in areas(canvas).items() if b
    ]
    assert [bool(marked.any()) for marked in bottoms] == [False] * len(HOSTILE)


# ---------------------------------------------------------------- unusual profiles


def test_empty_map(shown: Shown, tmp_path: Path) -> None:
    """Without boxes, cost or a profile the picture is empty, and input does nothing."""
    canvas = shown(PROGRAM)
    queries = queries_for(tmp_path, "main 0 -> f 1x0\nf 0\ng 5")
    empty = build_frame_tree(queries.accounted_calls(queries.events.measured[0], WHOLE_SCOPE), [])
    no_cost = frame_tree_of(queries, "main")
    base = canvas.palette().color(QPalette.ColorRole.Base).name()
    for act in (
        lambda: canvas.set_boxes(empty, style_of(queries)),
        lambda: canvas.set_boxes(no_cost, style_of(queries)),
        canvas.clear,
    ):
        act()
        assert set(pixels(picture(canvas))) == {base}
        for key in (KEYS.Key_Down, KEYS.Key_Plus, KEYS.Key_Minus, KEYS.Key_Right, KEYS.Key_0):
            QTest.keyClick(canvas, key)
        for y in (120, -120):
            turn_wheel(canvas, QPointF(5, 5), y=y, keys=CTRL)
        QTest.mouseClick(canvas.viewport(), LEFT, NONE, QPoint(5, 5))
        canvas.set_matches(None)
        assert (canvas.box_at(QPointF(5, 5)), canvas.box_rect(0)) == (-1, QRectF())
        assert set(pixels(exported_picture(canvas))) == {base}


def test_a_single_box_fills_the_picture(shown: Shown) -> None:
    """A leaf function is a single box, and every key stays there."""
    canvas = shown("main 7")
    for key in (KEYS.Key_Down, KEYS.Key_Left, KEYS.Key_Right, KEYS.Key_Plus, KEYS.Key_Up):
        QTest.keyClick(canvas, key)
    assert (current(canvas), canvas.box_rect(0)) == ("main", QRectF(0, 0, WIDTH, HEIGHT))
    assert exported_texts(canvas) == ["100.00" + PERCENT, "main"]


def test_costs_of_two_to_the_62nd(shown: Shown) -> None:
    """The largest costs are drawn like others."""
    half = 2**61
    canvas = shown(f"main 0 -> f 1x{half}, g 1x{half}\nf {half}\ng {half}", BARE)
    assert (canvas.box_rect(1), canvas.box_rect(2)) == (
        QRectF(0, 0, 350, 400),
        QRectF(350, 0, 350, 400),
    )


def test_a_cycle_is_a_box_with_its_members_in_it(shown: Shown) -> None:
    """Recursion goes no deeper than the members."""
    canvas = shown("main 1 -> a 1x99\na 59 -> b 1x40\nb 40 -> a 1x30")
    assert [n for b, n in enumerate(frame_names(canvas)) if b in areas(canvas)] == [
        "main",
        "<cycle 1>",
        "a <cycle 1>",
        "b <cycle 1>",
    ]


def test_clear_frees_the_profile(shown: Shown) -> None:
    """Clearing, even during drawing, drops names, arrays and pictures."""
    for in_the_middle in (False, True):
        canvas = shown(EXAMPLE)
        if in_the_middle:
            canvas.set_box_style(canvas.picture.style)
            canvas.resize(800, 500)
        kept = [weakref.ref(canvas.picture.style.labels), weakref.ref(canvas.tree.node)]
        canvas.clear()
        gc.collect()
        assert [ref() for ref in kept] == [None, None]


def test_palette_is_followed(shown: Shown) -> None:
    """Estimates and faded boxes are blended with the light or dark ground."""
    canvas = shown(SHARED, BARE)
    for dark in (True, False):
        theme.apply_palette(dark)
        QApplication.processEvents()
        assert {fill_color(canvas, b).name() for b in areas(canvas)} <= set(pixels(picture(canvas)))


def test_numbers_of_calls_beside_the_costs(shown: Shown) -> None:
    """Where both fit; the detail line has the number in any case, estimates marked."""
    drawing = """
        main 10 -> f 3x60, g 12x30
        f 30 -> h 2x30
        g 20 -> h 5x10
        h 20 -> i 8x20
        i 20
    """
    canvas = shown(drawing, MapStyle(SplitRule.HORIZONTAL, show_counts=True))
    tree = canvas.tree
    assert tree is not None
    details = [
        detail.numbers[2:] for n in range(len(tree)) if (detail := canvas.detail_of(Spot(n)))
    ]
    wide = exported_texts(canvas)
    canvas.set_map_style(MapStyle(SplitRule.HORIZONTAL, show_costs=False, show_counts=True))
    counts_only = exported_texts(canvas)

    about = "≈\N{THIN SPACE}"
    assert details == [
        (), ("3 calls",), ("12 calls",), ("2 calls",), ("5 calls",),
        (f"{about}6 calls",), (f"{about}2 calls",),
    ]  # fmt: skip
    assert "60.00" + PERCENT + " · 3×" in wide
    assert [text for text in counts_only if "×" in text][:2] == ["3×", "12×"]
