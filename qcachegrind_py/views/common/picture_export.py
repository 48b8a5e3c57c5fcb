"""Pictures out of the window: as SVG, PNG and PDF, to a file or the clipboard.

A picture paints itself; here is only what it paints on. Text stays text in SVG and PDF, for
programs that search and edit them. Files are written by `file_saving`, lists copied by `copying`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Protocol

from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QMimeData, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QGuiApplication,
    QImage,
    QImageWriter,
    QPageSize,
    QPaintDevice,
    QPainter,
    QPdfWriter,
)
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QMenu, QWidget

from qcachegrind_py.views.common.file_saving import save_as, wait_cursor

_MAX_PIXELS = 100e6  # 400 MB
_MAX_COPIED_PIXELS = 20e6  # pixels: who pastes them waits until they are encoded, and so do we
_MAX_SIDE = 32767  # Qt's raster engine draws nothing beyond
_MAX_PAGE_SIDE = 14400.0  # points: readers of PDF show no longer side
_POINTS_PER_INCH = 72.0  # points
_METRES_PER_INCH = 0.0254  # of an inch
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_FONT_FAMILY = re.compile('font-family="([^"]*)"')
_TITLE = "Save Picture"
_WRITE_ONLY = QIODevice.OpenModeFlag.WriteOnly


class Picture(Protocol):
    """What paints itself, on the screen or elsewhere."""

    def picture_size(self) -> QSizeF:
        """How large it is, in logical pixels."""

    def paint_picture(self, painter: QPainter) -> None:
        """Paint all of it from (0, 0) on, background included; pen and font are not set before."""


# ---------------------------------------------------------------- what is painted on


class PictureStack:
    """Pictures one below the other as one."""

    def __init__(self, pictures: Sequence[Picture]) -> None:
        self._pictures = pictures

    def picture_size(self) -> QSizeF:
        """As wide as the widest, as high as all together."""
        sizes = [picture.picture_size() for picture in self._pictures]
        return QSizeF(
            max((size.width() for size in sizes), default=0), sum(size.height() for size in sizes)
        )

    def paint_picture(self, painter: QPainter) -> None:
        """Draw them, from the top."""
        painter.save()
        for picture in self._pictures:
            picture.paint_picture(painter)
            painter.translate(0, picture.picture_size().height())
        painter.restore()


def to_svg(picture: Picture) -> bytes:
    """The picture as a file of SVG 1.1: the older Tiny 1.2 would not clip."""
    area = _rounded_up(_size(picture))
    buffer = _open_buffer()
    generator = QSvgGenerator(QSvgGenerator.SvgVersion.Svg11)
    generator.setOutputDevice(buffer)
    generator.setTitle("")  # or browsers show Qt's as a tooltip
    generator.setResolution(_dots_per_inch())
    generator.setSize(area.toSize())
    generator.setViewBox(QRectF(0, 0, area.width(), area.height()))
    _paint(picture, generator, area)
    text = _NOT_IN_XML.sub(
        "\N{REPLACEMENT CHARACTER}", _buffer_bytes(buffer).decode(errors="replace")
    )
    return _FONT_FAMILY.sub(r'font-family="\1, sans-serif"', text).encode()


def to_image(picture: Picture, scale: float = 2.0, max_pixels: float = _MAX_PIXELS) -> QImage:
    """The picture in pixels, `scale` a logical one; in fewer where that would be over `most`."""
    size = _size(picture)
    width, height = size.width(), size.height()
    scale = min(scale, math.sqrt(max_pixels / (width * height)), _MAX_SIDE / max(width, height))
    pixels = QSizeF(max(1, round(width * scale)), max(1, round(height * scale)))
    image = QImage(pixels.toSize(), QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    image.setDevicePixelRatio(scale)
    _paint(picture, image, pixels / scale)
    dots = round(_dots_per_inch() * scale / _METRES_PER_INCH)  # so it is as large in a document
    image.setDotsPerMeterX(dots)
    image.setDotsPerMeterY(dots)
    return image


def to_pdf(picture: Picture) -> bytes:
    """The picture as a page of its own size, in lines and letters."""
    size, buffer = _size(picture), _open_buffer()
    points = size * (_POINTS_PER_INCH / _dots_per_inch())
    longest = max(points.width(), points.height())
    page = _rounded_up(points * min(1.0, _MAX_PAGE_SIDE / longest))  # Qt has whole points only
    writer = QPdfWriter(buffer)
    writer.setResolution(_dots_per_inch())
    exact = QPageSize.SizeMatchPolicy.ExactMatch
    writer.setPageSize(QPageSize(page, QPageSize.Unit.Point, "", exact))
    writer.setPageMargins(QMarginsF())
    _paint(picture, writer, page * (_dots_per_inch() / _POINTS_PER_INCH))
    return _buffer_bytes(buffer)


def _size(picture: Picture) -> QSizeF:
    return picture.picture_size().expandedTo(QSizeF(1, 1))


def _rounded_up(size: QSizeF) -> QSizeF:
    return QSizeF(math.ceil(size.width()), math.ceil(size.height()))


def _paint(picture: Picture, device: QPaintDevice, area: QSizeF) -> None:
    """Let the picture fill the area, so that no rim is left where its size was rounded."""
    size = _size(picture)
    painter = QPainter(device)
    try:
        painter.scale(area.width() / size.width(), area.height() / size.height())
        picture.paint_picture(painter)
    finally:
        painter.end()


def _dots_per_inch() -> int:
    """As on the screen: fonts have sizes in points, and must be as large beside what has pixels."""
    return QImage(1, 1, QImage.Format.Format_RGB32).logicalDpiX()


def _encoded_text(text: Callable[[], str]) -> bytes:
    return text().encode(errors="replace")


def _png_bytes(picture: Picture) -> bytes:
    buffer = _open_buffer()
    QImageWriter(buffer, b"png").write(to_image(picture))
    return _buffer_bytes(buffer)


def _open_buffer() -> QBuffer:
    buffer = QBuffer()
    buffer.open(_WRITE_ONLY)
    return buffer


def _buffer_bytes(buffer: QBuffer) -> bytes:
    return bytes(buffer.data().data())


# ---------------------------------------------------------------- where it goes


def add_export_actions(
    menu: QMenu,
    picture: Picture,
    parent: QWidget,
    suggested: str,
    texts: Mapping[str, Callable[[], str]],
) -> None:
    """Offer to copy and save the picture, and what it shows as `texts`, by their kinds: DOT, CSV.

    `suggested`: the name of its file without suffix, before it is made one that any system takes.
    """
    menu.addAction("&Copy Picture").triggered.connect(lambda: _copy_picture(picture))
    for title, text in texts.items():
        menu.addAction(f"Copy as &{title}").triggered.connect(
            lambda _checked=False, text=text: QGuiApplication.clipboard().setText(text())
        )
    kinds: dict[str, Callable[[], bytes]] = {
        "SVG": lambda: to_svg(picture),
        "PNG": lambda: _png_bytes(picture),
        "PDF": lambda: to_pdf(picture),
    }
    for title, text in texts.items():
        kinds[title] = partial(_encoded_text, text)
    save = partial(save_as, parent, _TITLE, suggested, kinds)
    menu.addAction("&Save Picture…").triggered.connect(lambda: save())


def _copy_picture(picture: Picture) -> None:
    """In pixels and as SVG at once: other programs take what they can show."""
    data = QMimeData()
    with wait_cursor():
        image = to_image(picture, max_pixels=_MAX_COPIED_PIXELS)
        data.setImageData(image)  # offered as image/png and whatever else the system knows
        data.setData("image/svg+xml", to_svg(picture))
    QGuiApplication.clipboard().setMimeData(data)
