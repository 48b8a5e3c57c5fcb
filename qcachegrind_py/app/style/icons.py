"""The icons of `resources/icons`, drawn in the colours of a palette when they are first shown."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QByteArray, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QGuiApplication, QIcon, QIconEngine, QImage, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer

from qcachegrind_py.app.style.resources import resource_path

_APPLICATION_SIZES = (16, 20, 24, 32, 48, 64, 128, 256)


def icon(name: str, palette: QPalette | None = None) -> QIcon:
    """The icon in the colour of button text, with a fainter version for disabled widgets.

    Without a palette, it has the colours of the palette that is in force when it is drawn.
    """
    return QIcon(_SvgIconEngine(name, palette))


def application_icon() -> QIcon:
    """The program's own icon, in all sizes that desktops ask for."""
    result = QIcon()
    for size in _APPLICATION_SIZES:
        result.addPixmap(QPixmap.fromImage(_render("qcachegrind_py", size, "#000000")))
    return result


class _SvgIconEngine(QIconEngine):
    """Draws an icon in the size that is asked for; menus that are never opened draw none."""

    def __init__(self, name: str, palette: QPalette | None) -> None:
        super().__init__()
        self._name, self._palette = name, palette

    def clone(self) -> QIconEngine:
        return _SvgIconEngine(self._name, self._palette)

    def pixmap(self, size: QSize, mode: QIcon.Mode, _state: QIcon.State) -> QPixmap:
        if size.isEmpty():  # of a button that is too small for its icon
            return QPixmap()
        palette = self._palette or QGuiApplication.palette()
        is_disabled = mode is QIcon.Mode.Disabled
        group = QPalette.ColorGroup.Disabled if is_disabled else QPalette.ColorGroup.Active
        color = palette.color(group, QPalette.ColorRole.ButtonText).name()
        return QPixmap.fromImage(_render(self._name, min(size.width(), size.height()), color))

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        scale = painter.device().devicePixelRatio()
        painter.drawPixmap(rect, self.pixmap(rect.size() * scale, mode, state))


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


@cache
def _svg(name: str) -> str:
    return resource_path(f"icons/{name}.svg").read_text(encoding="utf-8")
