"""The icons of `resources/icons`, rendered in the colours of a palette."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QImage, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer

from qcachegrind_py.app.style.resources import resource_path

_SIZES = (16, 20, 24, 32, 48)


def icon(name: str, palette: QPalette) -> QIcon:
    """The icon in the colour of button text, with a fainter version for disabled widgets."""
    groups = {
        QIcon.Mode.Normal: QPalette.ColorGroup.Active,
        QIcon.Mode.Disabled: QPalette.ColorGroup.Disabled,
    }
    result = QIcon()
    for mode, group in groups.items():
        color = palette.color(group, QPalette.ColorRole.ButtonText).name()
        for size in _SIZES:
            result.addPixmap(QPixmap.fromImage(_render(name, size, color)), mode)
    return result


def application_icon() -> QIcon:
    """The program's own icon."""
    result = QIcon()
    for size in (*_SIZES, 64, 128, 256):
        result.addPixmap(QPixmap.fromImage(_render("qcachegrind_py", size, "#000000")))
    return result


@cache  # reused by windows and themes; an image, as no pixmap may outlive the application
def _render(name: str, size: int, color: str) -> QImage:
    """Render an icon to size × size pixels; `color`, "#rrggbb", replaces `currentColor`."""
    renderer = QSvgRenderer(QByteArray(_svg(name).replace("currentColor", color).encode()))
    image = QImage(size, size, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    renderer.render(painter, QRectF(0, 0, size, size))
    painter.end()
    return image


@cache  # each icon is rendered in ten sizes and colours; reading it ten times took 25 ms of a start
def _svg(name: str) -> str:
    return resource_path(f"icons/{name}.svg").read_text(encoding="utf-8")
