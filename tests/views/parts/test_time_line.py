"""Where parts are on the time line, and how their bars are drawn."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from qcachegrind_py.present.parts import Lanes, lanes_of
from qcachegrind_py.views.parts.bar_content import BarContent, Share, share_levels
from qcachegrind_py.views.parts.part_timeline import BAR_HEIGHT, Viewport, bar_items

Part = tuple[int, int, int, float]  # process, thread, number, cost


def lanes(*parts: Part, hidden: tuple[int, ...] = ()) -> Lanes:
    """The lanes of parts."""
    pid, thread, number = (np.array([part[i] for part in parts], np.int64) for i in range(3))
    shown = np.array([index not in hidden for index in range(len(parts))])
    return lanes_of(pid, thread, number, np.array([part[3] for part in parts], float), shown)


def drawn(placed: Lanes) -> list[str]:
    """The lanes as text: the title, then each part as `number: left-right`."""
    rows = zip(
        placed.lane.tolist(),
        placed.part.tolist(),
        placed.left.tolist(),
        placed.right.tolist(),
        strict=True,
    )
    texts = [f"{title}:" for title in placed.titles]
    for lane, part, left, right in rows:
        texts[lane] += f" [{part}: {left:g}-{right:g}]"
    return texts


def test_parts_of_one_number_begin_together() -> None:
    """A number begins where the widest part of the number before ends, in each lane."""
    placed = lanes((7, 1, 1, 10), (7, 2, 1, 30), (7, 1, 2, 5), (7, 2, 2, 5), (7, 2, 4, 1))

    assert drawn(placed) == [
        "Thread 1: [0: 0-10] [2: 30-35]",
        "Thread 2: [1: 0-30] [3: 30-35] [4: 35-36]",
    ]
    assert (placed.number.tolist(), placed.start.tolist()) == ([1, 2, 4], [0, 30, 35, 36])


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ([(0, 0, 0, 2.0), (0, 0, 0, 3.0)], [": [0: 0-2] [1: 2-5]"]),
        ([(0, 0, 1, 2.0), (0, 0, 1, 3.0)], [": [0: 0-2] [1: 2-5]"]),
        ([(5, 0, 0, 2.0), (6, 0, 0, 3.0)], ["PID 5: [0: 0-2]", "PID 6: [1: 0-3]"]),
        (
            [(5, 1, 0, 2.0), (5, 2, 0, 1.0), (6, 1, 0, 3.0)],
            [
                "PID 5 · Thread 1: [0: 0-2]",
                "PID 5 · Thread 2: [1: 0-1]",
                "PID 6 · Thread 1: [2: 0-3]",
            ],
        ),
        ([(0, 0, 1, 0.0), (0, 0, 2, 0.0)], [": [0: 0-1] [1: 1-2]"]),
        ([(0, 0, 1, -4.0), (0, 0, 2, 2.0)], [": [0: 0-0] [1: 0-2]"]),
    ],
    ids=["no numbers", "one number", "processes", "both", "no cost", "negative cost"],
)
def test_lanes_of_other_profiles(parts: list[Part], expected: list[str]) -> None:
    """Parts follow one another in a lane, which is named by what tells it from the others."""
    assert drawn(lanes(*parts)) == expected


def test_hidden_parts_have_no_place() -> None:
    """The other parts close the gap."""
    placed = lanes((1, 1, 1, 2), (1, 1, 2, 3), (1, 1, 3, 4), hidden=(1,))

    assert drawn(placed) == [": [0: 0-2] [2: 2-6]"]


@pytest.mark.parametrize(
    ("lane", "position", "expected"),
    [
        (0, 0.0, 0),
        (0, 9.9, 0),
        (0, 10.4, 0),  # within reach
        (0, 12.0, None),
        (0, 30.1, 2),
        (1, 29.0, 1),
        (2, 5.0, None),
        (-1, 5.0, None),
    ],
)
def test_part_at_a_position(lane: int, position: float, expected: int | None) -> None:
    """The part right there, or one so near that it may be narrower than the mouse is exact."""
    placed = lanes((7, 1, 1, 10), (7, 2, 1, 30), (7, 1, 2, 5))

    assert placed.part_at(lane, position, tolerance=0.5) == expected


def test_parts_in_a_rectangle() -> None:
    """All that the rectangle touches, in the order of the profile."""
    placed = lanes((7, 1, 1, 10), (7, 2, 1, 30), (7, 1, 2, 5), (7, 2, 2, 5))

    found = [
        placed.parts_between((0, 0), (5, 31)),
        placed.parts_between((0, 1), (9, 12)),
        placed.parts_between((1, 4), (30, 99)),
    ]

    assert found == [[0, 2], [0, 1], [3]]


def test_narrow_parts_share_a_bar() -> None:
    """Parts under a unit share the bar of their unit; wide ones and other lanes have their own."""
    narrow = [(7, 1, n, 0.25) for n in range(1, 9)]
    placed = lanes(*narrow, (7, 1, 9, 3.0), (7, 1, 10, 0.25), (7, 2, 1, 0.25))

    begins = placed.merged(np.arange(11), unit=1.0)

    assert placed.part[begins].tolist() == [0, 4, 8, 9, 10]


# ---------------------------------------------------------------- bars


RED, GREY = QColor("red"), QColor("grey")
WHOLE = Viewport((0, 0), (0, 100), 0.1)


def items(
    costs: list[float],
    shares: list[list[float]],
    viewport: Viewport = WHOLE,
    active: list[bool] | None = None,
) -> list[pg.BarGraphItem]:
    """The bars of parts in one lane: `shares` are their shares in red."""
    count = len(costs)
    zeros, numbers = np.zeros(count, np.int64), np.arange(1, count + 1)
    total = np.array(costs)
    lanes = lanes_of(zeros, zeros, numbers, total, np.ones(count, bool))
    red = [Share("", RED, np.array(share)) for share in shares]
    is_active = np.array(active or [True] * count)
    return bar_items(lanes, BarContent(total, red, is_active, GREY), viewport)


def boxes(bars: list[pg.BarGraphItem]) -> list[str]:
    """The bars as `color left-right low-high`, heights as fractions of a whole bar."""
    bottom = (1 + BAR_HEIGHT) / 2
    texts = []
    for bar in bars:
        opts = bar.opts
        name = {RED.rgb(): "red", GREY.rgb(): "grey"}[QColor(opts["brush"].rgb()).rgb()]
        name = name if opts["brush"].alpha() == 255 else f"faint {name}"
        for x0, x1, y0, y1 in zip(opts["x0"], opts["x1"], opts["y0"], opts["y1"], strict=True):
            low, high = ((bottom - y) / BAR_HEIGHT for y in (y0, y1))
            texts.append(f"{name} {x0:g}-{x1:g} {low:.2g}-{high:.2g}")
    return texts


def test_bars_are_divided_by_cost(qtbot: QtBot) -> None:
    """Each share has its part of the height, the rest is above; a pixel parts the bars."""
    assert boxes(items([40, 60], [[10, 0], [10, 30]])) == [
        "red 0-39.9 0-0.25",
        "red 0-39.9 0.25-0.5",
        "red 40-99.9 0-0.5",
        "grey 0-39.9 0.5-1",
        "grey 40-99.9 0.5-1",
    ]


def test_bars_of_inactive_parts_are_faint(qtbot: QtBot) -> None:
    """They are drawn in the same colours, and let the background through."""
    assert boxes(items([40, 60], [[20, 60]], active=[True, False])) == [
        "red 0-39.9 0-0.5",
        "faint red 40-99.9 0-1",
        "grey 0-39.9 0.5-1",
    ]


def test_shares_beyond_the_total_end_at_the_top() -> None:
    """Recursion can make an inclusive cost larger than its part."""
    levels = share_levels(np.array([[15.0], [10.0]]), np.array([20.0]))

    assert levels.tolist() == [[0], [0.75], [1], [1]]


def test_bars_under_a_pixel_are_divided_as_they_are_together(qtbot: QtBot) -> None:
    """Four parts in one pixel are one bar, at least a pixel wide."""
    found = boxes(items([1, 1, 1, 1, 96], [[1, 0, 1, 0, 0]], Viewport((0, 0), (0, 100), 4)))

    assert found == ["red 0-4 0-0.5", "grey 0-4 0.5-1", "grey 4-96 0-1"]


@pytest.mark.parametrize("span", [(0, 100_000), (54_000, 56_000)], ids=["all", "some"])
def test_the_number_of_bars_is_bounded(qtbot: QtBot, span: tuple[int, int]) -> None:
    """However many parts there are, there are about as many bars as pixels."""
    count, pixel = 100_000, (span[1] - span[0]) / 800
    drawn = items([1.0] * count, [], Viewport((0, 0), span, pixel))

    assert sum(len(bar.opts["x0"]) for bar in drawn) <= 802
