"""Call maps: where boxes are, what their frames and strips leave free, and which labels fit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from qcachegrind_py.analysis.calls.frame_layout import SplitRule, TreemapLayout
from qcachegrind_py.present.call_map import (
    MapGeometry,
    MapLabels,
    MapOptions,
    MapSpace,
    compute_geometry,
    inset_frames,
    lay_out_map,
)
from qcachegrind_py.present.frames import Frames
from qcachegrind_py.present.unit import ESTIMATE
from tests.present.boxes_text import (
    PERCENT,
    PROGRAM,
    SHARED,
    Letters,
    boxes_of,
    compared_boxes,
    names_of,
)
from tests.profile_text import EXAMPLE

WIDTH, HEIGHT = 700, 400
PLAIN = MapOptions(headers=0)
BARE = replace(PLAIN, border=0, least_area=16)


def layout_of(
    picture: Frames, options: MapOptions, size: tuple[float, float] = (WIDTH, HEIGHT), root: int = 0
) -> TreemapLayout:
    return lay_out_map(MapSpace(*size, Letters.height, root, options), picture.tree).treemap


def drawn(picture: Frames, options: MapOptions, columns: int, rows: int, root: int = 0) -> str:
    """The map with a letter, the name of the box there, for each 10 x 10 pixels."""
    layout, names = layout_of(picture, options, (10 * columns, 10 * rows), root), names_of(picture)
    cells = [[layout.box_at(10 * x + 5, 10 * y + 5) for x in range(columns)] for y in range(rows)]
    return "\n".join("".join(names[box] for box in line) for line in cells)


def shown(picture: Frames, options: MapOptions) -> list[str]:
    layout = layout_of(picture, options)
    return [
        name for name, is_shown in zip(names_of(picture), layout.is_shown, strict=True) if is_shown
    ]


def labels_of(
    picture: Frames, options: MapOptions, size: tuple[float, float] = (WIDTH, HEIGHT), root: int = 0
) -> list[str]:
    """The lines of labels in the order of boxes, then those of tags; ↑ is an upright one."""
    geometry = compute_geometry(picture.tree, layout_of(picture, options, size, root))
    labels = MapLabels(picture, options, Letters())
    return [*_lines(labels, geometry), *(f"[{tag.line.text}]" for tag in labels.tags(geometry))]


def _lines(labels: MapLabels, geometry: MapGeometry) -> list[str]:
    return [
        ("↑ " if label.turned_at else "") + line.text
        for label in labels.place(geometry, labels.candidates(geometry))
        if label is not None
        for line in label.lines
    ]


def test_self_costs_are_strips_and_the_zoomed_box_fills_the_picture() -> None:
    """A box covers its self cost; what is outside of the zoomed one is gone."""
    picture = boxes_of(PROGRAM.replace("main", "m"), "m")

    assert drawn(picture, BARE, 30, 10) == "\n".join(
        ["m" * 30] + ["f" * 20 + "g" * 10] * 3 + ["h" * 20 + "g" * 10] * 6
    )
    assert drawn(picture, BARE, 30, 9, root=1) == "\n".join(["f" * 30] * 3 + ["h" * 30] * 6)


def test_rotation_lets_boxes_begin_at_the_longer_side() -> None:
    """Without rotation, the first boxes are on the left even in a tall box."""
    picture = boxes_of("m 0 -> f 1x50, g 1x30, h 1x20\nf 50\ng 30\nh 20", "m")

    assert drawn(picture, BARE, 6, 8) == "\n".join(["ffffff"] * 4 + ["gggghh"] * 4)
    assert drawn(picture, replace(BARE, rotate=False), 5, 8) == "\n".join(
        ["ffffh"] * 5 + ["ggggh"] * 3
    )


@pytest.mark.parametrize("split", SplitRule)
@pytest.mark.parametrize("border", [0, 1, 3])
def test_areas_of_a_real_profile_are_its_costs(split: SplitRule, border: int) -> None:
    """With and without frames, a box has its share of the area, inside its parent.

    The mouse finds a box in its strip of self cost, and the innermost one anywhere.
    """
    picture = boxes_of(EXAMPLE)
    tree = picture.tree
    layout = layout_of(picture, replace(BARE, split=split.value, border=border))
    geometry = compute_geometry(tree, layout)
    boxes, (left, top, right, bottom) = geometry.boxes, geometry.edges

    assert len(boxes) > 300
    share = WIDTH * HEIGHT / tree.width[0]
    assert np.abs((right - left) * (bottom - top) - tree.width[boxes] * share).max() < 1e-6
    row = np.zeros(len(tree), np.int64)
    row[boxes] = np.arange(len(boxes))
    around = row[tree.parent[boxes[1:]]]
    for inner, outer in ((left, left), (top, top), (-right, -right), (-bottom, -bottom)):
        assert (inner[1:] >= outer[around] - 1e-6).all()
    high = np.flatnonzero(layout.self_area[boxes] > 0.1)
    middles = (left + right)[high] / 2, top[high] + layout.self_area[boxes][high] / 2
    assert list(map(layout.box_at, *middles)) == boxes[high].tolist()
    outside = [(-1, 5), (WIDTH + 1, 5), (5, -1), (5, HEIGHT + 1)]
    assert [layout.box_at(*at) for at in outside] == [-1] * 4


def test_frames_are_no_wider_than_an_eighth() -> None:
    """However thick the lines, a frame takes at most an eighth; the strip gets the rest."""
    picture = boxes_of(EXAMPLE)
    plain, tree = layout_of(picture, BARE), picture.tree
    places = inset_frames(plain, tree, 9.0, 15.0)
    first = tree.first_child[np.flatnonzero(plain.is_shown & (tree.child_count > 0))]
    first = first[plain.is_shown[first]]
    around = tree.parent[first]

    frame = places.x[first] - places.x[around]
    side = np.minimum(places.width[around], places.height[around])
    assert (frame.max() > 8.9, (frame <= side / 8 + 1e-9).all()) == (True, True)
    assert np.allclose(places.self_area[around], places.y[first] - places.y[around])
    had_line, has_line = plain.self_area[around] >= 30, places.self_area[around] >= 14.9
    assert has_line[had_line].all(), "the line of text stays"


@pytest.mark.parametrize(("border", "frame"), [(0, 0), (1, 3), (3, 5)])
def test_self_cost_frames_a_box(border: int, frame: float) -> None:
    """The frame is as wide as the lines; with little cost it is equally thin on all sides."""

    def margins(own: int) -> tuple[float, float, float, float]:
        """The distances of f from the picture's edges: above, left, right, below."""
        picture = boxes_of(f"main {own} -> f 1x{100 - own}\nf {100 - own}")
        layout = layout_of(picture, replace(PLAIN, border=border))
        x, y, width, height = (
            float(each[1]) for each in (layout.x, layout.y, layout.width, layout.height)
        )
        return y, x, WIDTH - x - width, HEIGHT - y - height

    assert margins(20)[1:] == pytest.approx((frame, frame, frame))
    assert margins(0) == pytest.approx((0, 0, 0, 0))
    top, *others = margins(1)
    thin = min(frame, (1100 - (1100**2 - 4 * 2800) ** 0.5) / 4)  # (700 - 2f) (400 - 2f) = 99 %
    assert others == pytest.approx([thin] * 3)
    assert (top == pytest.approx(thin)) is (border > 0)


def test_small_boxes_are_not_shown() -> None:
    """Boxes below the minimum area, at least 16 square pixels, show their parent instead."""
    picture = boxes_of("main 0 -> f 1x90000, g 1x9900, h 1x96, k 1x4\nf 90000\ng 9900\nh 96\nk 4")
    areas = (0, 100, 1000, 30_000)

    assert [" ".join(shown(picture, replace(BARE, least_area=area))) for area in areas] == [
        "main f g h",
        "main f g h",
        "main f g",
        "main f",
    ]


def test_costs_of_two_to_the_62nd() -> None:
    """The largest costs are drawn like others."""
    half = 2**61
    picture = boxes_of(f"m 0 -> f 1x{half}, g 1x{half}\nf {half}\ng {half}", "m")

    assert drawn(picture, BARE, 6, 1) == "fffggg"


# ---------------------------------------------------------------- labels


@pytest.mark.parametrize("split", SplitRule)
def test_areas_of_labels_are_free(split: SplitRule) -> None:
    """No visible box covers its parent's label areas."""
    picture, wrong, found = boxes_of(EXAMPLE), [], 0
    for area, rotate in ((16, True), (1000, True), (1000, False)):
        options = replace(PLAIN, split=split.value, least_area=area, rotate=rotate)
        geometry = compute_geometry(picture.tree, layout_of(picture, options))
        row = {int(box): n for n, box in enumerate(geometry.boxes)}
        for outer, parts in zip(
            geometry.boxes.tolist(), geometry.free_edges.T.tolist(), strict=True
        ):
            children = picture.tree.children_of(outer)
            inside = [geometry.edges[:, row[box]] for box in children if box in row]
            for part in zip(*parts, strict=True):
                found += overlap(part, geometry.edges[:, row[outer]]) > 100
                wrong += [outer for other in inside if overlap(part, other) > 1e-6]
    assert (wrong, found > 100) == ([], True)


def overlap(one: Sequence[float], other: Sequence[float]) -> float:
    """The common area of two rectangles, given by left, top, right and bottom."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return max(0.0, width) * max(0.0, height)


def test_labels_are_in_the_self_cost_area() -> None:
    """Where they fit, the name is on the left, the cost on the right, marked if estimated."""
    costs = ["100", "50", "30", "40", "20", f"{ESTIMATE}27", f"{ESTIMATE}13"]

    assert labels_of(boxes_of(SHARED), PLAIN) == [
        text
        for cost, name in zip(costs, ["main", "f", "g", "h", "h", "k", "k"], strict=True)
        for text in (f"{cost}.00{PERCENT}", name)
    ]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, ["100.00", "main", "90.00", "f"]),
        ({"costs": False}, ["main", "f"]),
        ({"names": False}, ["100.00", "90.00"]),
        ({"costs": False, "places": True}, ["main", "prog: a.c", "f", "prog: b.c"]),
        ({"names": False, "costs": False, "places": True}, ["prog: a.c", "prog: b.c"]),
        ({"names": False, "costs": False}, []),
        ({"counts": True}, ["100.00", "main", "90.00 · 3×", "f"]),
        ({"costs": False, "counts": True}, ["main", "3×", "f"]),
    ],
)
def test_options_choose_what_is_written(options: dict[str, Any], expected: list[str]) -> None:
    """Names, costs, numbers of calls, and locations below the names."""
    picture = boxes_of("main@a.c@prog 10 -> f 3x90\nf@b.c@prog 90")
    written = labels_of(picture, replace(PLAIN, **options))

    assert [text.replace(PERCENT, "") for text in written] == expected


def test_boxes_with_one_corner_share_a_label() -> None:
    """Names are joined as far as they fit; the cost is that of the innermost."""
    picture = boxes_of(
        """
        main 0 -> run 1x100
        run 0 -> parse 1x90, end 1x10
        parse 0 -> lex 1x50, sort 1x40
        lex 50
        sort 40
        end 10
        """
    )
    options = replace(PLAIN, split="horizontal")
    joined = "run › parse › lex"

    assert labels_of(picture, options) == [
        *("end", f"50.00{PERCENT}", f"main › {joined}", f"40.00{PERCENT}", "sort")
    ]
    narrow = 2 * (int(Letters().width(joined)) + 12), HEIGHT
    assert labels_of(picture, replace(options, costs=False), narrow) == ["↑ end", joined, "sort"]


def test_covered_large_box_has_a_tag() -> None:
    """A box that its callees cover has a tag over them if it is a large part of the map.

    There is none where names are switched off, or where a header names the box.
    """
    picture = boxes_of(
        """
        main 10 -> the_larger_part 1x60, rest 1x30
        the_larger_part 0 -> a 1x30, b 1x30
        a 0 -> c 1x15, d 1x15
        b 30
        c 15
        d 15
        rest 30
        """
    )
    options = replace(PLAIN, split="horizontal")
    names = ["main", "rest", "b", "a › c", "d"]

    assert labels_of(picture, replace(options, costs=False)) == [
        *names, f"[the_larger_part  60.00{PERCENT}]"
    ]  # fmt: skip
    assert labels_of(picture, replace(options, costs=False, headers=1)) == [
        "main", "the_larger_part", *names[1:]
    ]  # fmt: skip
    assert len(labels_of(picture, replace(options, names=False))) == 5


def test_tags_cover_no_label() -> None:
    """A tag whose place is taken by the label of an inner box is left out."""
    long = "long_name_" * 15
    picture = boxes_of(
        f"main 10 -> {long} 1x60, rest 1x30\n{long} 0 -> a 1x30, b 1x30\na 30\nb 30\nrest 30"
    )
    beside_labels, on_a_label = (  # b begins in the middle if it is below a
        labels_of(picture, replace(PLAIN, split=split, costs=False))
        for split in ("horizontal", "vertical")
    )

    assert on_a_label == ["main", "rest", "a", "b"] == beside_labels[:-1]
    assert beside_labels[-1].startswith("[long_name_long_name_long_…")


def test_maps_with_headers_have_no_tags() -> None:
    """Not even for a box that is too deep for a header and has no space for a label."""
    long = "long_name_" * 15
    picture = boxes_of(
        f"main 10 -> run 1x60, rest 1x30\nrun 0 -> {long} 1x60\n{long} 0 -> a 1x30, b 1x30\n"
        "a 30\nb 30\nrest 30"
    )
    tagged, headed = (
        labels_of(picture, replace(PLAIN, split="horizontal", costs=False, headers=levels))
        for levels in (0, 1)
    )

    assert ([text[0] for text in tagged].count("["), "[" in "".join(headed)) == (1, False)


def test_headers_name_large_boxes_of_two_levels() -> None:
    """A header is as high as a line, its box's contents are below it, and nothing is over it.

    A box with nearly the whole cost of its parent belongs to the same level, without a header:
    here r and p have one, l and x, which calls n and k, have none.
    """
    picture = boxes_of(
        """
        m 0 -> r 1x60, e 1x40
        r 0 -> l 1x60
        l 0 -> p 1x40, s 1x20
        p 0 -> x 1x20, d 1x20
        x 0 -> n 1x10, k 1x10
        d 20
        s 20
        n 10
        k 10
        e 40
        """,
        "m",
    )
    options = replace(BARE, headers=2, costs=False)

    assert drawn(picture, options, 40, 16) == "\n".join(
        ["r" * 24 + "e" * 16]
        + ["p" * 16 + "s" * 8 + "e" * 16] * 2
        + ["n" * 8 + "k" * 8 + "s" * 8 + "e" * 16] * 6
        + ["d" * 16 + "s" * 8 + "e" * 16] * 7
    )
    assert labels_of(picture, options) == ["r", "e", "l › p", "s", "d", "x › n", "k"]
    assert labels_of(picture, options, root=1)[0] == "r", "what is zoomed to has a header, too"


def test_label_uses_uncovered_area() -> None:
    """Without self cost, the label is below or beside the visible inner boxes."""
    small = [f"s{n} 1x1" for n in range(100)]
    drawing = f"main 0 -> f 1x300, {', '.join(small)}\nf 300\n" + "\n".join(small).replace("x1", "")
    for split in ("rows", "columns"):
        options = replace(PLAIN, split=split, least_area=10_000, costs=False)
        assert labels_of(boxes_of(drawing), options) == ["main", "f"]


def test_long_names_are_upright_in_narrow_boxes() -> None:
    """They run from bottom to top if they do not fit across, unless rotation is off."""
    picture = boxes_of("main 0 -> f 1x96, a_rather_long_name 1x4\nf 96\na_rather_long_name 4")
    options = replace(PLAIN, costs=False)

    assert labels_of(picture, options) == ["main › f", "↑ a_rather_long_name"]
    assert labels_of(picture, replace(options, rotate=False)) == ["main › f"]


def test_arrows_in_upright_labels_point_up_and_down() -> None:
    """A label that is turned to the left has the arrows that point up and down then."""
    base = "main 0 -> f 1x96, a_longer_name 1x4, another_name 1x6\nf 96\n"
    base, new = (
        f"{base}a_longer_name {one}\nanother_name {other}".replace("1x4", f"1x{one}").replace(
            "1x6", f"1x{other}"
        )
        for one, other in ((4, 6), (5, 5))
    )

    assert labels_of(compared_boxes(base, new), replace(PLAIN, costs=False))[-2:] == [
        "↑ ◀ another_name",
        "↑ ▶ a_longer_name",
    ]


def test_locations_are_elided_at_their_start() -> None:
    """The end of a location is kept; a cycle has the number of members, never elided."""
    options = replace(PLAIN, costs=False, places=True)
    located = boxes_of("main@some/folder/of/files.c@program 10")

    assert labels_of(located, options, (90, HEIGHT)) == ["main", "…am: files.c"]
    cycle = boxes_of("a 60 -> b 1x40\nb 40 -> a 1x30", "<1>")
    assert labels_of(cycle, replace(options, least_area=60_000), (170, HEIGHT))[:2] == [
        "<cycle 1>", "2 members"
    ]  # fmt: skip
