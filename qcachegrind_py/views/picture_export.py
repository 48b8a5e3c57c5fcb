"""Pictures out of the window: as SVG, PNG and PDF, to a file or the clipboard.

A picture paints itself; here is only what it paints on, and where that goes. Text stays text in SVG
and PDF, for programs that search and edit them. Lists are copied by `copying`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QMimeData, QRectF, QSaveFile, QSizeF, Qt
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
from PySide6.QtWidgets import QFileDialog, QMenu, QMessageBox, QWidget

from qcachegrind_py.models.plain_text import cell_text, tip_text

_MOST_PIXELS = 100e6  # 400 MB
_MOST_COPIED = 20e6  # pixels: who pastes them waits until they are encoded, and so do we
_LONGEST_SIDE = 32767  # Qt's raster engine draws nothing beyond
_LONGEST_PAGE = 14400.0  # points: readers of PDF show no longer side
_INCH = 72.0  # points
_METRES = 0.0254  # of an inch
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_FAMILY = re.compile('font-family="([^"]*)"')
_NOT_IN_FILE_NAMES = re.compile(r'[<>:"/\\|?*\ufffd]')
_LONGEST_FILE_NAME = 60  # characters: 4 bytes each are fewer than the 255 that a name may have
_FOLDER = "pictureFolder"  # a property of the window: where the last picture went
_TITLE = "Save Picture"
_WRITE = QIODevice.OpenModeFlag.WriteOnly


class Picture(Protocol):
    """What paints itself, on the screen or elsewhere."""

    def picture_size(self) -> QSizeF:
        """How large it is, in logical pixels."""

    def paint_picture(self, painter: QPainter) -> None:
        """Paint all of it from (0, 0) on, background included; pen and font are not set before."""


# ---------------------------------------------------------------- what is painted on


class Stack:
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


def svg(picture: Picture) -> bytes:
    """The picture as a file of SVG 1.1: the older Tiny 1.2 would not clip."""
    area = _rounded_up(_size(picture))
    buffer = _buffer()
    generator = QSvgGenerator(QSvgGenerator.SvgVersion.Svg11)
    generator.setOutputDevice(buffer)
    generator.setTitle("")  # or browsers show Qt's as a tooltip
    generator.setResolution(_dots_per_inch())
    generator.setSize(area.toSize())
    generator.setViewBox(QRectF(0, 0, area.width(), area.height()))
    _paint(picture, generator, area)
    text = _NOT_IN_XML.sub("\N{REPLACEMENT CHARACTER}", _content(buffer).decode(errors="replace"))
    return _FAMILY.sub(r'font-family="\1, sans-serif"', text).encode()


def png(picture: Picture, scale: float = 2.0, most: float = _MOST_PIXELS) -> QImage:
    """The picture in pixels, `scale` a logical one; in fewer where that would be over `most`."""
    size = _size(picture)
    width, height = size.width(), size.height()
    scale = min(scale, math.sqrt(most / (width * height)), _LONGEST_SIDE / max(width, height))
    pixels = QSizeF(max(1, round(width * scale)), max(1, round(height * scale)))
    image = QImage(pixels.toSize(), QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    image.setDevicePixelRatio(scale)
    _paint(picture, image, pixels / scale)
    dots = round(_dots_per_inch() * scale / _METRES)  # so it is as large in a document
    image.setDotsPerMeterX(dots)
    image.setDotsPerMeterY(dots)
    return image


def pdf(picture: Picture) -> bytes:
    """The picture as a page of its own size, in lines and letters."""
    size, buffer = _size(picture), _buffer()
    points = size * (_INCH / _dots_per_inch())
    longest = max(points.width(), points.height())
    page = _rounded_up(points * min(1.0, _LONGEST_PAGE / longest))  # Qt has whole points only
    writer = QPdfWriter(buffer)
    writer.setResolution(_dots_per_inch())
    exact = QPageSize.SizeMatchPolicy.ExactMatch
    writer.setPageSize(QPageSize(page, QPageSize.Unit.Point, "", exact))
    writer.setPageMargins(QMarginsF())
    _paint(picture, writer, page * (_dots_per_inch() / _INCH))
    return _content(buffer)


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


def _encoded(text: Callable[[], str]) -> bytes:
    return text().encode(errors="replace")


def _png_file(picture: Picture) -> bytes:
    buffer = _buffer()
    QImageWriter(buffer, b"png").write(png(picture))
    return _content(buffer)


def _buffer() -> QBuffer:
    buffer = QBuffer()
    buffer.open(_WRITE)
    return buffer


def _content(buffer: QBuffer) -> bytes:
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
    menu.addAction("&Copy Picture").triggered.connect(lambda: _copy(picture))
    for title, text in texts.items():
        menu.addAction(f"Copy as &{title}").triggered.connect(
            lambda _checked=False, text=text: QGuiApplication.clipboard().setText(text())
        )
    kinds: dict[str, Callable[[], bytes]] = {
        "SVG": lambda: svg(picture),
        "PNG": lambda: _png_file(picture),
        "PDF": lambda: pdf(picture),
    }
    for title, text in texts.items():
        kinds[title] = partial(_encoded, text)
    menu.addAction("&Save Picture…").triggered.connect(lambda: _save(parent, suggested, kinds))


def _copy(picture: Picture) -> None:
    """In pixels and as SVG at once: other programs take what they can show."""
    data = QMimeData()
    with _wait_cursor():
        image = png(picture, most=_MOST_COPIED)
        data.setImageData(image)  # offered as image/png and whatever else the system knows
        data.setData("image/svg+xml", svg(picture))
    QGuiApplication.clipboard().setMimeData(data)


def _save(parent: QWidget, suggested: str, kinds: Mapping[str, Callable[[], bytes]]) -> None:
    """Ask for a file, and write it; say why where that fails."""
    filters = {f"{kind} (*.{kind.lower()})": kind for kind in kinds}
    start = Path(str(parent.window().property(_FOLDER) or ""), _file_name(suggested))
    name, chosen = QFileDialog.getSaveFileName(parent, _TITLE, str(start), ";;".join(filters))
    if not name:
        return
    path, kind = _path_and_kind(Path(name), filters.get(chosen, "SVG"), kinds)
    if str(path) != name and path.exists() and not _may_replace(parent, path):
        return  # the dialog asked only for the name without suffix
    problem = _write(path, kinds[kind])
    if problem:
        text = tip_text(f"{path} cannot be written: {problem}.")
        QMessageBox.warning(parent, _TITLE, text)
    else:
        parent.window().setProperty(_FOLDER, str(path.parent))


def _path_and_kind(path: Path, chosen: str, kinds: Iterable[str]) -> tuple[Path, str]:
    """What the suffix says; one that says nothing is a part of the name."""
    for kind in kinds:
        if path.suffix.lower() == f".{kind.lower()}":
            return path, kind
    return path.with_name(f"{path.name}.{chosen.lower()}"), chosen


def _may_replace(parent: QWidget, path: Path) -> bool:
    text = tip_text(f"{path.name} exists already. Replace it?")
    return QMessageBox.question(parent, _TITLE, text) == QMessageBox.StandardButton.Yes


def _write(path: Path, content: Callable[[], bytes]) -> str:
    """Write the file whole or not at all; gives the reason where it was not."""
    with _wait_cursor():
        left, file = content(), QSaveFile(str(path))
        opened = file.open(_WRITE)
        while opened and left and (written := file.write(left)) > 0:
            left = left[written:]  # a disk takes what has room, and says only then that it is full
        done = opened and not left and file.commit()
        return "" if done else file.errorString()  # what was written goes with the object


@contextmanager
def _wait_cursor() -> Iterator[None]:
    QGuiApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)
    try:
        yield
    finally:
        QGuiApplication.restoreOverrideCursor()


def _file_name(suggested: str) -> str:
    """A name that any system takes, of what may be a function's."""
    name = _NOT_IN_FILE_NAMES.sub("_", cell_text(suggested))[:_LONGEST_FILE_NAME]
    return name.strip(" .") or "picture"
