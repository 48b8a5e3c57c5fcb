"""Treemap layout, against layouts computed by hand and a plain check of every box."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import groupby

import numpy as np
import pytest

from qcachegrind_py.analysis.calls.frame_layout import SplitRule, TreemapLayout, layout_treemap
from qcachegrind_py.analysis.calls.frame_tree import FrameTree, build_frame_tree
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.events import Float64Array
from tests.analysis.named_queries import CYCLES, event_named, names_of, node_id, queries_from
from tests.profile_rows import DATA

Position = tuple[str, float, float, float, float, float]

every_split = pytest.mark.parametrize("split", SplitRule, ids=lambda split: split.value)


class Map:
    """The boxes below one function of a small profile, and their layout."""

    def __init__(self, text: str, name: str = "main") -> None:
        self.queries = queries_from(text)
        graph = self.queries.accounted_calls(event_named(self.queries, "Ir"), CYCLES)
        self.boxes = build_frame_tree(
            graph, [node_id(self.queries, name)], min_share=0, max_frames=100_000
        )
        self.names = names_of(self.queries, self.boxes.node.tolist())

    def visible_boxes(self, found: TreemapLayout) -> list[Position]:
        """Name, x, y, width, height and self height of the visible boxes, by name."""
        columns = (found.x, found.y, found.width, found.height, found.self_area)
        rows = zip(self.names, *(column.tolist() for column in columns), strict=True)
        return sorted(row for row, shown in zip(rows, found.is_shown, strict=True) if shown)


def flat(*costs: int) -> str:
    """A profile of a function without self cost and its callees a, b, c and so on."""
    calls = [f"{name} 1x{cost}" for name, cost in zip("abcdefghij", costs, strict=False)]
    return f"main 0 -> {', '.join(calls)}\n" + "\n".join(calls).replace("1x", "")


NESTED = """
    main 200 -> a 1x300, b 1x150, c 1x150
    a 100 -> d 1x100, e 1x100
    b 150
    c 150
    d 100
    e 100
    """
ONE_ABOVE_TWO = "4 mmmmmmmm, 2 aaaaaaaa, 4 ddddeeee, 6 bbbbcccc"


@pytest.mark.parametrize(
    ("split", "rotate", "wanted"),
    [
        (SplitRule.SQUARIFIED, True, ONE_ABOVE_TWO),
        (SplitRule.SQUARIFIED, False, "4 mmmmmmmm, 3 aaaaaacc, 5 dddeeecc, 4 bbbbbbcc"),
        (SplitRule.ROWS, True, ONE_ABOVE_TWO),
        (SplitRule.COLUMNS, True, "4 mmmmmmmm, 3 aaaaaacc, 5 dddeeecc, 4 bbbbbbcc"),
        (SplitRule.BISECTION, True, ONE_ABOVE_TWO),
        (SplitRule.ALTERNATE, True, "4 mmmmmmmm, 4 aaaabbcc, 4 ddddbbcc, 4 eeeebbcc"),
        (SplitRule.HORIZONTAL, True, "4 mmmmmmmm, 4 aaaabbcc, 8 ddeebbcc"),
        (
            SplitRule.VERTICAL,
            True,
            "4 mmmmmmmm, 2 aaaaaaaa, 2 dddddddd, 2 eeeeeeee, 3 bbbbbbbb, 3 cccccccc",
        ),
    ],
)
def test_places_in_each_split(split: SplitRule, rotate: bool, wanted: str) -> None:
    """The self cost is a strip along the top; the callees fill the rest by the split rule.

    In a box higher than wide, squarifying starts at the top; without `rotate`, at the left. Letters
    are 5 x 5 pixels, with the number of equal rows before them.
    """
    layout = Map(NESTED)
    found = layout_treemap(layout.boxes, 40, 80, split=split, min_area=0, rotate=rotate)
    rows = [
        "".join(layout.names[found.box_at(5 * x + 2.5, 5 * y + 2.5)][0] for x in range(8))
        for y in range(16)
    ]
    assert ", ".join(f"{len(list(equal))} {row}" for row, equal in groupby(rows)) == wanted


PAPER = (6, 6, 4, 3, 2, 2, 1)


@pytest.mark.parametrize(
    ("split", "costs", "size", "wanted"),
    [
        (
            SplitRule.SQUARIFIED,  # as published, but from the top down
            PAPER,
            (6, 4),
            "0 0 3 2, 0 2 3 2, 3 0 12/7 7/3, 33/7 0 9/7 7/3, 3 7/3 6/5 5/3, 21/5 7/3 6/5 5/3, "
            "27/5 7/3 3/5 5/3",
        ),
        (
            SplitRule.ROWS,
            PAPER,
            (6, 4),
            "0 0 3 2, 3 0 3 2, 0 2 24/11 11/6, 24/11 2 18/11 11/6, 42/11 2 12/11 11/6, "
            "54/11 2 12/11 11/6, 0 23/6 6 1/6",
        ),
        (
            SplitRule.COLUMNS,
            PAPER,
            (6, 4),
            "0 0 3 2, 0 2 3 2, 3 0 7/4 16/7, 3 16/7 7/4 12/7, 19/4 0 5/4 8/5, 19/4 8/5 5/4 8/5, "
            "19/4 16/5 5/4 4/5",
        ),
        (
            SplitRule.BISECTION,
            (5, 4, 3, 2, 2),
            (8, 3),
            "0 0 5/2 3, 5/2 0 2 3, 9/2 0 3/2 3, 6 0 2 3/2, 6 3/2 2 3/2",
        ),
        (SplitRule.BISECTION, (4, 4, 3, 3), (4, 7), "0 0 2 4, 2 0 2 4, 0 4 2 3, 2 4 2 3"),
        (SplitRule.BISECTION, (8, 1), (3, 3), "0 0 8/3 3, 8/3 0 1/3 3"),
        (SplitRule.SQUARIFIED, (8, 1), (3, 3), "0 0 8/3 3, 8/3 0 1/3 3"),
        (SplitRule.SQUARIFIED, (2, 2, 2, 2), (8, 4), "0 0 4 2, 0 2 4 2"),
    ],
)
def test_how_strips_and_halves_are_found(
    split: SplitRule, costs: tuple[int, ...], size: tuple[float, float], wanted: str
) -> None:
    """A strip takes boxes until their worst aspect ratio grows; halves are as equal as possible.

    Boxes are left, top, width and height, costliest first. The first example is that of Bruls,
    Huizing, van Wijk: Squarified Treemaps (2000).
    """
    layout = Map(flat(*costs))
    found = layout.visible_boxes(layout_treemap(layout.boxes, *size, split=split, min_area=0))
    boxes = [tuple(map(float, map(Fraction, box.split()))) for box in wanted.split(", ")]
    assert [position[1:5] for position in found[: len(boxes)]] == list(map(pytest.approx, boxes))


def test_the_box_at_a_point() -> None:
    """The innermost box is found; a box includes its left and upper edges only.

    A box's own strip is the box itself; outside the picture there is none.
    """
    layout = Map(NESTED)
    found = layout_treemap(layout.boxes, 40, 80, min_area=0)
    points = [(0, 0), (39.9, 19.9), (0, 20), (19.9, 30), (20, 30), (19.9, 50), (20, 50), (20, 49.9)]
    names = [layout.names[found.box_at(x, y)] for x, y in points]
    assert names == ["main", "main", "a", "d", "e", "b", "c", "e"]
    assert [found.box_at(x, y) for x, y in [(-0.1, 0), (0, -0.1), (40, 0), (0, 80)]] == [-1] * 4


@pytest.mark.parametrize("split", [SplitRule.SQUARIFIED, SplitRule.ALTERNATE])
def test_a_box_as_the_whole_picture(split: SplitRule) -> None:
    """Any box may be the root: its layout is then as if it were alone."""
    inner, outer = Map(NESTED), Map("start 10 -> x 1x10, main 1x800\nx 10" + NESTED, "start")
    root = outer.names.index("main")
    found = layout_treemap(outer.boxes, 40, 80, root=root, split=split, min_area=0)
    wanted = inner.visible_boxes(layout_treemap(inner.boxes, 40, 80, split=split, min_area=0))
    assert (root, wanted) == (found.root, outer.visible_boxes(found))


@every_split
def test_boxes_too_small_are_not_shown(split: SplitRule) -> None:
    """They keep their space, so that the others do not move."""
    layout = Map(
        """
        main 40 -> a 1x30, b 1x20, c 1x6, d 1x4
        a 20 -> e 1x5, f 1x5
        b 20
        c 6
        d 4
        e 5
        f 5
        """
    )
    every = layout_treemap(layout.boxes, 10, 10, split=split, min_area=0)
    some = layout_treemap(layout.boxes, 10, 10, split=split, min_area=6)
    hidden = (some.x, some.y, some.width, some.height, some.self_area)
    assert layout.visible_boxes(some) == [
        p for p in layout.visible_boxes(every) if p[0] in ("a", "b", "c", "main")
    ]
    assert [column[~some.is_shown].tolist() for column in hidden] == [[0.0] * 3] * 5


@every_split
@pytest.mark.parametrize("text", [NESTED, "main 0 -> f 1x0\nf 0", "main 7", ""])
def test_nothing_to_show(text: str, split: SplitRule) -> None:
    """A picture without space, boxes without cost, and no boxes give an empty layout."""
    queries = queries_from(text)
    graph = queries.accounted_calls(event_named(queries, "Ir"), CYCLES)
    boxes = build_frame_tree(graph, [0] if text else [])
    empty = [(0, 0), (1, 1), (0, 50), (50, 0), (-5, 50), (-5, -50)]
    found = [layout_treemap(boxes, *size, split=split) for size in empty]
    if not queries.inclusive(event_named(queries, "Ir"), CYCLES).any():
        found.append(layout_treemap(boxes, 400, 300, split=split, min_area=0))
    assert {(len(boxes), 0, -1)} == {(len(f.x), f.is_shown.sum(), f.box_at(0, 0)) for f in found}
    assert not any(
        column.any() for f in found for column in (f.x, f.y, f.width, f.height, f.self_area)
    )
    # but what has any room at all may be asked for
    tiny = layout_treemap(boxes, 1, 1, split=split, min_area=0)
    assert tiny.is_shown.tolist() == (boxes.width > 0).tolist()


# ---------------------------------------------------------------- any map

FILES = [
    "cachegrind/cachegrind.out.templ-O2.xz",  # no calls
    "cachey-everything/callgrind.out.22151.xz",
    "nytprof/callgrind.out.nytprof",
    "pprof-heap/callgrind.out.heap-alloc",
    "python/callgrind.out.python-default.xz",
    "templ-callers/callgrind.out.21991.xz",
]


@cache
def real_maps(file: str) -> list[FrameTree]:
    """Callees of a real profile's costliest function; callers of that with most self cost."""
    queries = ProfileQueries(load(DATA / file))
    event = queries.measured_event(queries.events.measured[0])
    graph = queries.accounted_calls(event, CYCLES)
    first = int(np.argmax(queries.inclusive(event, CYCLES)[: queries.function_count]))
    return [
        build_frame_tree(graph, [first]),
        build_frame_tree(graph, [int(np.argmax(graph.graph.self_cost))], up=True),
    ]


def check(
    boxes: FrameTree, found: TreemapLayout, width: float, height: float, least: float
) -> None:
    """Areas are proportional to costs, and boxes lie within their parents and do not overlap."""
    scale = width * height / boxes.width[found.root]
    inside = [box == found.root for box in range(len(boxes))]
    for box in range(found.root + 1, len(boxes)):
        inside[box] = inside[boxes.parent[box]]
    assert found.is_shown.tolist() == (inside & (boxes.width * scale >= least)).tolist()
    shown = np.flatnonzero(found.is_shown)
    x, y, self_height = found.x[shown], found.y[shown], found.self_area[shown]
    right, bottom = x + found.width[shown], y + found.height[shown]
    area = found.width[shown] * found.height[shown]
    np.testing.assert_allclose(area, boxes.width[shown] * scale, rtol=1e-6)
    strip = boxes.self_width[shown] * scale
    np.testing.assert_allclose(found.width[shown] * self_height, strip, rtol=1e-6, atol=1e-6)
    position = np.cumsum(found.is_shown) - 1  # of a box among those that are shown
    parents = position[boxes.parent[shown[1:]]]
    for inside, limit in ((x, x), (y, y + self_height), (-right, -right), (-bottom, -bottom)):
        assert (inside[1:] >= limit[parents] - 1e-9).all()
    for box in np.unique(parents):
        beside = np.flatnonzero(parents == box)[:1000] + 1
        assert apart(x[beside], right[beside], y[beside], bottom[beside])


def apart(left: Float64Array, right: Float64Array, top: Float64Array, bottom: Float64Array) -> bool:
    """Whether the boxes are disjoint, apart from rounding."""
    wide = np.minimum.outer(right, right) - np.maximum.outer(left, left) > 1e-9
    high = np.minimum.outer(bottom, bottom) - np.maximum.outer(top, top) > 1e-9
    return int((wide & high).sum()) == len(left)


@every_split
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.split("/")[0])
def test_areas_are_the_costs(file: str, split: SplitRule) -> None:
    """Areas are proportional to costs, and children lie apart within their parents.

    This holds for the whole map and for a part of it, and for boxes much smaller than a pixel.
    """
    for boxes in real_maps(file):
        inner = boxes.child_count.tolist().index(
            max(boxes.child_count[1:], default=boxes.child_count[0])
        )
        for root, width, height, least, rotate in (
            (0, 1600, 1000, 100, True),
            (0, 90.5, 400, 1e-6, False),
            (inner, 300, 200, 20, True),
        ):
            found = layout_treemap(
                boxes, width, height, root=root, split=split, min_area=least, rotate=rotate
            )
            check(boxes, found, width, height, least)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.split("/")[0])
def test_the_box_at_any_point(file: str) -> None:
    """Of the boxes around a point it is the deepest."""
    for boxes in real_maps(file):
        found = layout_treemap(boxes, 640, 480)
        right, bottom = found.x + found.width, found.y + found.height
        for x, y in np.random.default_rng(3).uniform((-9, -9), (649, 489), (300, 2)).tolist():
            parents = (found.x <= x) & (x < right) & (found.y <= y) & (y < bottom)
            wanted = max(np.flatnonzero(parents), key=boxes.depth.__getitem__, default=-1)
            assert wanted == found.box_at(x, y)


def test_squares_are_nearer_to_squares() -> None:
    """Squarified boxes are closer to squares than strips or halves."""

    def length(boxes: FrameTree, split: SplitRule) -> float:
        found = layout_treemap(boxes, 1600, 1000, split=split)
        width, height = found.width[found.is_shown], found.height[found.is_shown]
        return float(np.maximum(width / height, height / width).mean())

    boxes = real_maps("python/callgrind.out.python-default.xz")[0]
    best, *others = [length(boxes, split) for split in SplitRule]
    assert best < min(others)


@every_split
def test_costs_far_apart(split: SplitRule) -> None:
    """A cost of 10⁻¹² of the whole has its exact area, beside and inside much larger boxes.

    Boxes below floating-point precision are hidden, whatever the minimal area.
    """
    layout = Map(f"main 0 -> a 1x{10**12}, b 1x5, c 1x2\na {10**12 - 2} -> d 1x2\nb 5\nc 2\nd 2")
    check(
        layout.boxes, layout_treemap(layout.boxes, 800, 600, split=split, min_area=0), 800, 600, 0
    )
    layout = Map(flat(2**62, 1))
    found = layout_treemap(layout.boxes, 800, 600, split=split, min_area=0)
    assert layout.visible_boxes(found) == [("a", 0, 0, 800, 600, 600), ("main", 0, 0, 800, 600, 0)]


@cache
def crowd() -> FrameTree:
    """A function that calls 50,000 others, each a little costlier than the one before."""
    calls = [f"f{n} 1x{n}" for n in range(1, 50_001)]
    return Map(f"main 9 -> {', '.join(calls)}\n" + "\n".join(calls).replace("1x", "")).boxes


@pytest.mark.slow
@every_split
def test_fifty_thousand_callees(split: SplitRule) -> None:
    """However many there are, each has its area, apart from the others."""
    check(crowd(), layout_treemap(crowd(), 1600, 1000, split=split), 1600, 1000, 100)
    found = layout_treemap(crowd(), 1600, 1000, split=split, min_area=0)
    check(crowd(), found, 1600, 1000, 1e-9)
    centres = (found.x + found.width / 2).tolist(), (found.y + found.height / 2).tolist()
    some = range(1, 50_001, 200)
    assert list(some) == [found.box_at(centres[0][box], centres[1][box]) for box in some]
