"""Draws the program's icon in the sizes that desktops ask for, into `resources/desktop/icons`.

python -m tests.resources.icons
"""

from __future__ import annotations

import os
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

RESOURCES = Path(__file__).parents[2] / "resources"
FOLDER = RESOURCES / "desktop/icons/hicolor"
SIZES = (16, 22, 24, 32, 48, 64, 128, 256, 512)


def icon_path(size: int) -> Path:
    """The path of the icon with this size in pixels."""
    return FOLDER / f"{size}x{size}/apps/qcachegrind_py.png"


def drawn(size: int) -> QImage:
    """The icon rendered at this size in pixels."""
    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    renderer = QSvgRenderer(str(RESOURCES / "icons/qcachegrind_py.svg"))
    renderer.render(painter, QRectF(0, 0, size, size))
    painter.end()
    return image


def main() -> None:
    """Write all sizes."""
    for size in SIZES:
        icon_path(size).parent.mkdir(parents=True, exist_ok=True)
        drawn(size).save(str(icon_path(size)))


if __name__ == "__main__":
    main()
