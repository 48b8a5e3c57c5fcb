"""Call maps: zoom, resizing, drawing in steps, and how boxes are painted."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.style import theme
from qcachegrind_py.views.pictures import map_canvas
from qcachegrind_py.views.pictures.map_canvas import MapCanvas
from tests.present.boxes_text import PERCENT, PROGRAM, SHARED
from tests.user_input import CTRL
from tests.views.pictures.canvas_access import (
    areas,
    box,
    current,
    difference,
    exported_picture,
    exported_texts,
    fill_color,
    frame_names,
    picture_of,
    pixels,
    self_cost_point,
    turn_wheel,
    visible_names,
)
from tests.views.pictures.conftest import PLAIN, ShownCanvas
from tests.views.pictures.test_canvases import BARE

WIDTH, HEIGHT = 700, 400


def test_keys_skip_invisible_boxes(shown: ShownCanvas) -> None:
    """Boxes too small to be seen are skipped."""
    canvas = shown("map", "main 0 -> f 1x99990, g 1x9, h 1x1\nf 99987 -> k 1x3\ng 9\nh 1\nk 3")
    found = []
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_Down):
        QTest.keyClick(canvas, key)
        found.append(current(canvas))

    assert found == ["main", "f", "f", "f"]


def test_zoomed_box_fills_the_picture(shown: ShownCanvas) -> None:
    """The zoomed box fills the picture, its content grows, all else is gone."""
    canvas = shown("map", PROGRAM, options=BARE)
    changes = QSignalSpy(canvas.current_changed)

    canvas.zoom_to(box(canvas, "f"))
    whole = canvas.box_rect(box(canvas, "f"))
    seen = pixels(picture_of(canvas))

    assert whole == QRectF(0, 0, WIDTH, HEIGHT)
    assert visible_names(canvas) == ["f", "h"]
    h = canvas.box_rect(box(canvas, "h"))
    assert h.width() * h.height() == pytest.approx(WIDTH * HEIGHT * 40 / 60)
    assert set(seen) == {fill_color(canvas, box(canvas, name)).name() for name in ("f", "h")}
    canvas.zoom_to(box(canvas, "f"))
    canvas.zoom_to(99)
    assert changes.count() == 1
    canvas.zoom_out()
    assert (canvas.zoom_root, len(areas(canvas)), changes.count()) == (0, 4, 2)


def test_wheel_with_ctrl_zooms_towards_the_mouse(shown: ShownCanvas) -> None:
    """A notch is one visible level: `run` is as large as `main` and no level of its own."""
    canvas = shown(
        "map", "main 0 -> run 1x100\nrun 0 -> f 1x60, g 1x40\nf 20 -> h 1x40\ng 40\nh 40"
    )
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


def test_match_is_brought_into_view(shown: ShownCanvas) -> None:
    """Going to a match changes the zoom only as far as needed."""
    canvas = shown(
        "map", "main 0 -> f 1x99000, g 1x1000\nf 99000\ng 900 -> h 1x90\nh 1 -> k 1x1\nk 1"
    )
    zooms = {}
    for name in ("f", "k", "g", "h", "main"):
        canvas.set_current(box(canvas, name))
        zooms[name] = frame_names(canvas)[canvas.zoom_root]
        assert not canvas.box_rect(canvas.current).isEmpty()

    assert zooms == {"f": "main", "k": "g", "g": "g", "h": "g", "main": "main"}


def test_resizing_stretches_the_picture_first(shown: ShownCanvas, qtbot: QtBot) -> None:
    """During a resize the picture is stretched, then laid out again: here f above g."""
    canvas = shown("map", "main 0 -> f 1x60, g 1x40\nf 60\ng 40", options=BARE)
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
    assert picture_of(canvas).pixelColor(200, 719).name() == fill_color(canvas, 1).name()
    canvas.resize(size)
    canvas.set_options(BARE)
    assert canvas.box_rect(g) == found[0], "what is laid out anyway waits for nothing"


def test_the_picture_is_drawn_once(shown: ShownCanvas, tmp_path: Path) -> None:
    """Repainting, marks and resizing compute no colours again; another style does."""
    canvas = shown("map", PROGRAM)
    asked_for: list[int] = []

    def color(node: int) -> str:
        asked_for.append(node)
        return "#cc8844"

    canvas.set_box_style(replace(canvas.picture.style, color=color))
    first = picture_of(canvas)
    count = len(asked_for)
    canvas.highlight(int(canvas.tree.node[1]))
    marked = picture_of(canvas)
    canvas.zoom_to(1)
    picture_of(canvas)
    canvas.zoom_to(0)
    canvas.highlight(-1)

    assert (count, len(asked_for)) == (4, 4)
    assert (picture_of(canvas) == first, marked == first) == (True, False)


def test_many_boxes_are_drawn_in_several_turns(
    shown: ShownCanvas, tmp_path: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """50,000 callees do not block the window: the old picture stays until the new is ready."""
    path = tmp_path / "many.out"
    calls = "".join(f"cfn=f{n}\ncalls=1 1\n1 {60_000 - n}\n" for n in range(50_000))
    bodies = "".join(f"fn=f{n}\n1 {60_000 - n}\n" for n in range(50_000))
    path.write_text(f"events: Ir\n\nfl=a.c\nfn=main\n1 0\n{calls}{bodies}")
    canvas = shown("map", path, options=replace(PLAIN, least_area=16))
    assert (len(canvas.tree), len(areas(canvas))) == (50_001, 1), "each is too small"

    canvas.resize(1000, 800)
    cost = 60_000 - np.arange(50_000)
    large = int((cost * 1000 * 800 / cost.sum() >= 16).sum())
    qtbot.waitUntil(lambda: len(areas(canvas)) == 1 + large)
    before = picture_of(canvas)
    assert before == exported_picture(canvas)
    monkeypatch.setattr(map_canvas, "_TIME_SLICE", 0.0)
    canvas.set_options(BARE)
    during = QImage(before.size(), before.format())
    canvas.viewport().render(during)
    assert (canvas.is_drawn, during == before) == (False, True)
    after = picture_of(canvas)
    assert (after == exported_picture(canvas), after == before) == (True, False)


def test_grey_boxes_stay_grey_until_the_new_picture_is_complete(
    shown: ShownCanvas, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two pictures the old one does not flash up in full colour."""
    canvas = shown("map", PROGRAM, options=BARE)
    canvas.set_stale(True)
    grey = picture_of(canvas)
    monkeypatch.setattr(map_canvas, "_TIME_SLICE", 0.0)
    canvas.set_stale(False)
    canvas.set_boxes(canvas.tree, canvas.picture.style)
    during = QImage(grey.size(), grey.format())
    canvas.viewport().render(during)

    assert (canvas.is_drawn, during == grey) == (False, True)
    assert picture_of(canvas) == exported_picture(canvas)


@pytest.mark.parametrize(
    ("callees", "most_fills", "most_labels"), [(2000, 500, 0), (150, 151, 100)]
)
def test_no_step_of_drawing_is_long(
    shown: ShownCanvas, tmp_path: Path, callees: int, most_fills: int, most_labels: int
) -> None:
    """A step paints at most 500 boxes or 100 labels, as the event loop waits for its end."""
    path = tmp_path / "many.out"
    calls = "".join(f"cfn=f{n}\ncalls=1 1\n1 {6000 - n}\n" for n in range(callees))
    bodies = "".join(f"fn=f{n}\n1 {6000 - n}\n" for n in range(callees))
    path.write_text(f"events: Ir\n\nfl=a.c\nfn=main\n1 0\n{calls}{bodies}")
    canvas = shown("map", path, options=replace(PLAIN, least_area=16))
    steps = [step for step in canvas._create_steps(1.0) if isinstance(step, partial)]
    filled, labelled = (
        [len(step.args[0]) for step in steps if step.func.__name__ == name]
        for name in ("_fill_boxes", "_paint_labels")
    )

    assert (max(filled), sum(filled)) == (most_fills, len(areas(canvas)))
    assert max(labelled, default=0) == most_labels


@pytest.mark.parametrize("dark", [False, True])
def test_dashes_surround_estimates(shown: ShownCanvas, dark: bool) -> None:
    """Only the outermost estimate is dashed; it may be the zoomed box."""
    inner = SHARED.replace("k 40", "k 20 -> m 1x20")
    canvas = shown("map", f"{inner}m 20", options=replace(BARE, border=1))
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
    area, image = canvas.box_rect(box(canvas, name)), picture_of(canvas)
    left, right, y = round(area.left()) + 2, round(area.right()) - 2, round(area.top())
    row = [image.pixel(x, y) for x in range(left, right)]
    return sum(one != next_ for one, next_ in pairwise(row))


@pytest.mark.parametrize("border", [0, 1, 2, 3])
def test_lines_are_inside_boxes_and_as_wide_as_asked(shown: ShownCanvas, border: int) -> None:
    """The line is darker than the box, which starts right behind it."""
    canvas = shown("map", "main 5", options=replace(BARE, border=border))

    canvas.set_box_style(replace(canvas.picture.style, color=lambda _node: "#6090c0"))
    image = picture_of(canvas)
    edges = [
        [image.pixelColor(n, 200).name() for n in range(6)],
        [image.pixelColor(WIDTH - 1 - n, 200).name() for n in range(6)],
        [image.pixelColor(350, n).name() for n in range(6)],
        [image.pixelColor(350, HEIGHT - 1 - n).name() for n in range(6)],
    ]
    assert edges == [["#45688a"] * border + ["#6090c0"] * (6 - border)] * 4


def test_shading_makes_every_second_box_inwards_darker(shown: ShownCanvas) -> None:
    """Nested boxes of one colour differ, down to invisible ones."""
    drawing = "main 1000 -> f 1x1000\nf 500 -> h 1x500\nh 500"
    canvas = shown("map", drawing, options=replace(BARE, shading=True))
    canvas.set_box_style(replace(canvas.picture.style, color=lambda _node: "#6090c0"))

    image = picture_of(canvas)
    seen = [image.pixelColor(self_cost_point(canvas, name)).name() for name in ("main", "f", "h")]
    assert seen == ["#6090c0", "#5986b3", "#6090c0"]
    canvas.set_options(BARE)
    assert set(pixels(picture_of(canvas))) == {"#6090c0"}
    canvas.set_options(replace(BARE, shading=True, least_area=200_000))
    assert canvas.box_rect(1).isEmpty()
    half = pixels(picture_of(canvas))
    assert half["#5986b3"] == pytest.approx(WIDTH * HEIGHT / 2, rel=0.01)


def test_upright_labels_and_tags_are_painted(shown: ShownCanvas) -> None:
    """An upright label is as long as a narrow box is high; a tag is painted over its box."""
    options = replace(PLAIN, split="horizontal", costs=False)
    drawing = "main 0 -> f 1x96, a_rather_long_name 1x4\nf 96\na_rather_long_name 4"
    canvas = shown("map", drawing, options=options)
    narrow = canvas.box_rect(box(canvas, "a_rather_long_name"))
    named = picture_of(canvas)
    canvas.set_options(replace(options, names=False))
    marks = difference(named, picture_of(canvas))
    rows = np.flatnonzero(marks[:, round(narrow.left()) :].any(axis=1))
    length = canvas.fontMetrics().horizontalAdvance("a_rather_long_name")
    assert (np.ptp(rows), HEIGHT - rows[-1]) == pytest.approx((length, 4), abs=4)

    covered = """
        main 10 -> the_larger_part_of_all 1x60, rest 1x30
        the_larger_part_of_all 0 -> a 1x30, b 1x30
        a 0 -> c 1x15, d 1x15
        b 30
        c 15
        d 15
        rest 30
    """
    assert f"the_larger_part_of_all  60.00{PERCENT}" in exported_texts(
        shown("map", covered, options=options)
    )
