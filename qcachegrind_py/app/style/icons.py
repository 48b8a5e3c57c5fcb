"""The icons of `resources/icons`, in the colours of the palette."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QImage, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer

from qcachegrind_py.app.style.resources import resource_path

_SIZES = (16, 20, 24, 32, 48)


def icon(name: str, palette: QPalette) -> QIcon:
    """The icon in the colour of button text, fainter where it is disabled."""
    groups = {
        QIcon.Mode.Normal: QPalette.ColorGroup.Active,
        QIcon.Mode.Disabled: QPalette.ColorGroup.Disabled,
    }
    made = QIcon()
    for mode, group in groups.items():
        color = palette.color(group, QPalette.ColorRole.ButtonText).name()
        for size in _SIZES:
            made.addPixmap(QPixmap.fromImage(_render(name, size, color)), mode)
    return made


def application_icon() -> QIcon:
    """The program's own icon."""
    made = QIcon()
    for size in (*_SIZES, 64, 128, 256):
        made.addPixmap(QPixmap.fromImage(_render("qcachegrind_py", size, "#000000")))
    return made


@cache  # each window and each theme asks again; an image, as no pixmap may outlive the application
def _render(name: str, size: int, color: str) -> QImage:
    """Render an icon, its `currentColor` given as "#rrggbb", to size × size transparent pixels."""
    svg = resource_path(f"icons/{name}.svg").read_text(encoding="utf-8")
    renderer = QSvgRenderer(QByteArray(svg.replace("currentColor", color).encode()))
    image = QImage(size, size, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    renderer.render(painter, QRectF(0, 0, size, size))
    painter.end()
    return image
