"""Margins, gaps and paddings grow with the font and stay on whole pixels."""

import pytest
from PySide6.QtGui import QFont, QFontMetrics, QGuiApplication

from qcachegrind_py.views.widgets.grid import grid


@pytest.fixture(params=[9, 12, 16, 24])
def line(request, qapp):
    """The height of a line in an application with this font."""
    before = QGuiApplication.font()
    font = QFont(before)
    font.setPointSize(request.param)
    QGuiApplication.setFont(font)
    yield QFontMetrics(font).height()
    QGuiApplication.setFont(before)


def test_a_step_is_half_a_line(line):
    assert abs(grid() - line / 2) <= 2
    assert grid() % 4 == 0


def test_steps_are_multiples(line):
    assert [grid(steps) for steps in (0, 0.5, 1, 3)] == [0, grid() / 2, grid(), 3 * grid()]


def test_the_default_font_has_steps_of_eight_pixels(qapp):
    assert grid() == 8
