"""The icons of `resources/icons`, in the colours of the palette."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer

from qcachegrind_py.app.style.resources import resource_path

_SIZES = (16, 20, 24, 32, 48)


def icon(name: str, palette: QPalette) -> QIcon:
    """The icon in the colour of button text, fainter where it is disabled."""
    drawing = resource_path(f"icons/{name}.svg").read_text(encoding="utf-8")
    groups = {
        QIcon.Mode.Normal: QPalette.ColorGroup.Active,
        QIcon.Mode.Disabled: QPalette.ColorGroup.Disabled,
    }
    made = QIcon()
    for mode, group in groups.items():
        color = palette.color(group, QPalette.ColorRole.ButtonText)
        for size in _SIZES:
            made.addPixmap(_render(drawing, size, color), mode)
    return made


def application_icon() -> QIcon:
    """The program's own icon."""
    drawing = resource_path("icons/qcachegrind_py.svg").read_text(encoding="utf-8")
    made = QIcon()
    for size in (*_SIZES, 64, 128, 256):
        made.addPixmap(_render(drawing, size, QColor()))
    return made


def _render(drawing: str, size: int, color: QColor) -> QPixmap:
    renderer = QSvgRenderer(QByteArray(drawing.replace("currentColor", color.name()).encode()))
    pixmap = QPixmap(size, size)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    renderer.render(painter, QRectF(0, 0, size, size))
    painter.end()
    return pixmap
