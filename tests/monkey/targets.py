"""The choice of windows, widgets and positions for a step."""

from __future__ import annotations

from random import Random

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDockWidget,
    QHeaderView,
    QLineEdit,
    QTabBar,
    QWidget,
)

_CONTROLS = (
    QAbstractButton, QAbstractSlider, QAbstractSpinBox, QComboBox, QHeaderView, QLineEdit, QTabBar,
)  # fmt: skip  # small, and so seldom met by a random position
_BY_DOCK, _BY_CONTROL = 0.5, 0.8
_NO_TIPS = (Qt.WindowType.ToolTip, Qt.WindowType.SplashScreen)


def top_window(chance: Random) -> QWidget | None:
    """The window that takes input now: an open menu, else a modal dialog, else any."""
    popup = QApplication.activePopupWidget() or QApplication.activeModalWidget()
    if popup is not None:
        return popup
    shown = [
        widget
        for widget in QApplication.topLevelWidgets()
        if widget.isVisible() and widget.windowType() not in _NO_TIPS
    ]
    return chance.choice(sorted(shown, key=_order)) if shown else None


def _order(widget: QWidget) -> tuple[str, str, int, int]:
    """The same order in each run; that of Qt is by address."""
    return type(widget).__name__, widget.objectName(), widget.x(), widget.y()


def random_target(chance: Random, top: QWidget) -> tuple[QWidget, QPoint]:
    """A widget and a position in it: in a dock, of a control, or anywhere in the window."""
    kind = chance.random()
    docks = _visible(top, QDockWidget) if kind < _BY_DOCK else []
    if docks:
        return _deepest(chance.choice(docks), chance)
    controls = _visible(top, *_CONTROLS) if kind < _BY_CONTROL else []
    if controls:
        control = chance.choice(controls)
        return control, random_position(control, chance)
    return _deepest(top, chance)


def random_position(widget: QWidget, chance: Random) -> QPoint:
    """A position in the widget."""
    return QPoint(
        int(chance.random() * max(1, widget.width())),
        int(chance.random() * max(1, widget.height())),
    )


def _deepest(widget: QWidget, chance: Random) -> tuple[QWidget, QPoint]:
    position = random_position(widget, chance)
    child = widget.childAt(position)
    return (widget, position) if child is None else (child, child.mapFrom(widget, position))


def _visible(top: QWidget, *kinds: type[QWidget]) -> list[QWidget]:
    return [
        widget
        for kind in kinds
        for widget in top.findChildren(kind)
        if widget.isVisible() and widget.isEnabled()
    ]


def focused(top: QWidget) -> QWidget:
    """The widget that has the keyboard."""
    return QApplication.focusWidget() or top.focusWidget() or top
