"""What all plots do with the mouse."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from qcachegrind_py.views.pictures.plot_area import Plot, PlotArea
from tests.user_input import move_mouse


@pytest.mark.qt_log_ignore("not accepted by receiving widget")  # as QTest says of Back
def test_a_held_back_button_does_not_disturb_a_drag(qtbot: QtBot) -> None:
    """Another button that is held drags the plot as ever, and there is no error of pyqtgraph."""
    area = PlotArea()
    plot = Plot(viewBox=area)
    qtbot.addWidget(plot)
    plot.resize(300, 200)
    plot.show()
    (left, _), _ = area.viewRange()
    QTest.mousePress(plot.viewport(), Qt.MouseButton.BackButton, pos=QPoint(100, 100))
    QTest.mousePress(plot.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(100, 100))
    for x in range(110, 260, 10):
        QTest.qWait(5)  # pyqtgraph leaves out moves that follow at once
        move_mouse(plot.viewport(), QPoint(x, 100), Qt.MouseButton.LeftButton)
    QTest.mouseRelease(plot.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(260, 100))
    plot.hide()
    assert area.viewRange()[0][0] < left
