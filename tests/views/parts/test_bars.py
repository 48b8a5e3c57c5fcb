"""How the bars of the time line are drawn."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from qcachegrind_py.present.part_lanes import lanes_of
from qcachegrind_py.views.parts.bar_content import BarContent, Share, share_levels
from qcachegrind_py.views.parts.part_timeline import BAR_HEIGHT, Viewport, bar_items

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
