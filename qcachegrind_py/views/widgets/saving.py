"""Pictures as SVG, PNG and PDF on the clipboard, and pictures and tables as files.

A picture paints itself; this module provides the paint devices. SVG and PDF keep text as text, so
that it can be searched and edited.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QMimeData, QRectF, QSizeF, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QImage, QImageWriter, QPaintDevice, QPainter
from PySide6.QtWidgets import QApplication, QHeaderView, QMenu, QTreeView, QWidget

from qcachegrind_py.formats.compression import atomic_write
from qcachegrind_py.profile.errors import UnwritableFile
from qcachegrind_py.views.widgets.controls import tip_text

_INVALID_FILE_NAME_CHARACTERS = re.compile(r'[<>:"/\\|?*]')
_MAX_FILE_NAME = 60  # characters: at 4 bytes each, below the usual limit of 255 bytes
_TYPE = 2  # column of the file dialog: “plain text document” for each profile
_FOLDER_PROPERTY = "savedFolder"  # property of the window: folder of the last saved file


def save_as(
    parent: QWidget, title: str, suggested: str, kinds: Mapping[str, Callable[[], bytes]]
) -> None:
    """Ask for a file and write it atomically; show a warning if that fails.

    `kinds` maps suffixes in capitals to functions that create the content; the first is preset.
    """
    from PySide6.QtWidgets import QMessageBox

    chosen = ask_save_path(parent, title, suggested_path(parent, title, suggested), tuple(kinds))
    if chosen is None:
        return
    path, kind = chosen
    try:
        with wait_cursor(), atomic_write(path) as stream:
            stream.write(kinds[kind]())
    except UnwritableFile as error:
        QMessageBox.warning(parent, title, tip_text(str(error)))
    else:
        remember_folder(parent, path)


def suggested_path(parent: QWidget, title: str, name: str) -> Path:
    """Return a valid path for a name without suffix, in the folder of the last saved file."""
    folder = str(parent.window().property(_FOLDER_PROPERTY) or "")
    return Path(folder, _safe_file_name(name, title))


def remember_folder(parent: QWidget, path: Path) -> None:
    """Suggest the folder of this file the next time."""
    parent.window().setProperty(_FOLDER_PROPERTY, str(path.parent))


def show_whole_details() -> None:
    """Let the file dialog that opens next show sizes and dates, which Qt's own cuts, but no types.

    Dialogs of desktops are left as they are.
    """
    QTimer.singleShot(0, _fit_details)


def _fit_details() -> None:
    from PySide6.QtWidgets import QFileDialog

    dialog = QApplication.activeModalWidget()
    if isinstance(dialog, QFileDialog):
        for tree in dialog.findChildren(QTreeView):
            tree.setColumnHidden(_TYPE, True)
            for column in range(1, tree.header().count()):
                mode = QHeaderView.ResizeMode.ResizeToContents
                tree.header().setSectionResizeMode(column, mode)


def ask_save_path(
    parent: QWidget, title: str, start: Path, kinds: Sequence[str], kind_titles: Sequence[str] = ()
) -> tuple[Path, str] | None:
    """Ask for a path and a kind, confirming before a file is replaced; None if cancelled.

    The dialog calls the kinds by their titles, if there are any.
    """
    from PySide6.QtWidgets import QFileDialog

    titles = zip(kind_titles or kinds, kinds, strict=True)
    filters = {f"{name} (*.{kind.lower()})": kind for name, kind in titles}
    show_whole_details()
    name, chosen = QFileDialog.getSaveFileName(parent, title, str(start), ";;".join(filters))
    if not name:
        return None
    path, kind = _path_and_kind(Path(name), filters.get(chosen, kinds[0]), kinds)
    if str(path) != name and path.exists() and not _confirm_replace(parent, title, path):
        return None  # the dialog itself checked only the name without the suffix
    return path, kind


def _path_and_kind(path: Path, chosen: str, kinds: Iterable[str]) -> tuple[Path, str]:
    """Return the kind of a known suffix; otherwise append the chosen kind's suffix."""
    for kind in kinds:
        if path.suffix.lower() == f".{kind.lower()}":
            return path, kind
    return path.with_name(f"{path.name}.{chosen.lower()}"), chosen


def _confirm_replace(parent: QWidget, title: str, path: Path) -> bool:
    from PySide6.QtWidgets import QMessageBox

    text = tip_text(f"{path.name} exists already. Replace it?")
    return QMessageBox.question(parent, title, text) == QMessageBox.StandardButton.Yes


def _safe_file_name(suggested: str, title: str) -> str:
    """Return a file name valid on all systems; the last word of `title` if nothing is left."""
    printable = "".join(c if c.isprintable() else "_" for c in suggested[:_MAX_FILE_NAME])
    name = _INVALID_FILE_NAME_CHARACTERS.sub("_", printable)
    return name.strip(" .") or title.rpartition(" ")[2].lower()


@contextmanager
def wait_cursor() -> Iterator[None]:
    """Show a busy cursor inside the `with` block."""
    QGuiApplication.setOverrideCursor(Qt.CursorShape.WaitCursor)
    try:
        yield
    finally:
        QGuiApplication.restoreOverrideCursor()


_MAX_PIXELS = 100e6  # 400 MB
_MAX_COPIED_PIXELS = 20e6  # pixels: both programs wait for the encoding when pasting
_MAX_SIDE = 32767  # Qt's raster engine draws nothing beyond
_MAX_PAGE_SIDE = 14400.0  # points: the longest side that PDF viewers display
_POINTS_PER_INCH = 72.0
_METRES_PER_INCH = 0.0254
_NOT_IN_XML = "[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"  # compiled in 4 ms
_FONT_FAMILY = 'font-family="([^"]*)"'
_TITLE = "Save Picture"
_WRITE_ONLY = QIODevice.OpenModeFlag.WriteOnly


class Paintable(Protocol):
    """Something that paints itself on any paint device."""

    def picture_size(self) -> QSizeF:
        """Return the size in logical pixels."""

    def paint_picture(self, painter: QPainter) -> None:
        """Paint everything from (0, 0) on, including the background; set pen and font first."""


# ---------------------------------------------------------------- formats


class PictureStack:
    """Several pictures stacked vertically."""

    def __init__(self, pictures: Sequence[Paintable]) -> None:
        self._pictures = pictures

    def picture_size(self) -> QSizeF:
        """Return the largest width and the sum of the heights, in logical pixels."""
        sizes = [picture.picture_size() for picture in self._pictures]
        return QSizeF(
            max((size.width() for size in sizes), default=0), sum(size.height() for size in sizes)
        )

    def paint_picture(self, painter: QPainter) -> None:
        painter.save()
        for picture in self._pictures:
            picture.paint_picture(painter)
            painter.translate(0, picture.picture_size().height())
        painter.restore()


def to_svg(picture: Paintable) -> bytes:
    """Return the picture as an SVG 1.1 file; Qt's default, SVG Tiny 1.2, has no clipping."""
    from PySide6.QtSvg import QSvgGenerator

    area = _rounded_up(_size(picture))
    buffer = _open_buffer()
    generator = QSvgGenerator(QSvgGenerator.SvgVersion.Svg11)
    generator.setOutputDevice(buffer)
    generator.setTitle("")  # browsers would show Qt's default title as a tooltip
    generator.setResolution(_dots_per_inch())
    generator.setSize(area.toSize())
    generator.setViewBox(QRectF(0, 0, area.width(), area.height()))
    _paint(picture, generator, area)
    text = _buffer_bytes(buffer).decode(errors="replace")
    text = re.sub(_NOT_IN_XML, "\N{REPLACEMENT CHARACTER}", text)
    return re.sub(_FONT_FAMILY, r'font-family="\1, sans-serif"', text).encode()


def to_image(picture: Paintable, scale: float = 2.0, max_pixels: float = _MAX_PIXELS) -> QImage:
    """Return the picture as an image with `scale` device pixels for each logical pixel.

    The scale is reduced if the image would have more than `max_pixels` pixels.
    """
    size = _size(picture)
    width, height = size.width(), size.height()
    scale = min(scale, math.sqrt(max_pixels / (width * height)), _MAX_SIDE / max(width, height))
    pixels = QSizeF(max(1, round(width * scale)), max(1, round(height * scale)))
    image = QImage(pixels.toSize(), QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    image.setDevicePixelRatio(scale)
    _paint(picture, image, pixels / scale)
    dots = round(_dots_per_inch() * scale / _METRES_PER_INCH)  # same size in a document
    image.setDotsPerMeterX(dots)
    image.setDotsPerMeterY(dots)
    return image


def to_pdf(picture: Paintable) -> bytes:
    """Return the picture as a PDF file with one page of the picture's size, as vectors."""
    from PySide6.QtGui import QPageSize, QPdfWriter

    size, buffer = _size(picture), _open_buffer()
    points = size * (_POINTS_PER_INCH / _dots_per_inch())
    longest = max(points.width(), points.height())
    page = _rounded_up(points * min(1.0, _MAX_PAGE_SIDE / longest))  # Qt takes whole points only
    writer = QPdfWriter(buffer)
    writer.setResolution(_dots_per_inch())
    exact = QPageSize.SizeMatchPolicy.ExactMatch
    writer.setPageSize(QPageSize(page, QPageSize.Unit.Point, "", exact))
    writer.setPageMargins(QMarginsF())
    _paint(picture, writer, page * (_dots_per_inch() / _POINTS_PER_INCH))
    return _buffer_bytes(buffer)


def _size(picture: Paintable) -> QSizeF:
    return picture.picture_size().expandedTo(QSizeF(1, 1))


def _rounded_up(size: QSizeF) -> QSizeF:
    return QSizeF(math.ceil(size.width()), math.ceil(size.height()))


def _paint(picture: Paintable, device: QPaintDevice, area: QSizeF) -> None:
    """Scale the picture to fill the area, so that rounding its size leaves no border."""
    size = _size(picture)
    painter = QPainter(device)
    try:
        painter.scale(area.width() / size.width(), area.height() / size.height())
        picture.paint_picture(painter)
    finally:
        painter.end()


def _dots_per_inch() -> int:
    """Return the screen's resolution: it keeps fonts, sized in points, in scale with pixels."""
    return QImage(1, 1, QImage.Format.Format_RGB32).logicalDpiX()


def _encoded_text(text: Callable[[], str]) -> bytes:
    return text().encode(errors="replace")


def encoded_image(image: QImage, kind: str, quality: int = -1) -> bytes:
    """Return the file of an image; empty if there is no such kind of picture."""
    buffer = _open_buffer()
    writer = QImageWriter(buffer, kind.encode())
    writer.setQuality(quality)
    writer.write(image)
    return _buffer_bytes(buffer)


def _open_buffer() -> QBuffer:
    buffer = QBuffer()
    buffer.open(_WRITE_ONLY)
    return buffer


def _buffer_bytes(buffer: QBuffer) -> bytes:
    return bytes(buffer.data().data())


# ---------------------------------------------------------------- menu


def add_export_actions(
    menu: QMenu,
    picture: Paintable,
    parent: QWidget,
    suggested: str,
    texts: Mapping[str, Callable[[], str]],
) -> None:
    """Add actions that copy and save the picture, and its contents as text.

    `texts` maps text formats, such as DOT and CSV, to functions that create the text. `suggested`
    is a file name without suffix; characters that are invalid in file names are replaced.
    """
    menu.addAction("&Copy Picture").triggered.connect(lambda: _copy_picture(picture))
    for title, text in texts.items():
        menu.addAction(f"Copy as &{title}").triggered.connect(
            lambda _checked=False, text=text: QGuiApplication.clipboard().setText(text())
        )
    kinds: dict[str, Callable[[], bytes]] = {
        "SVG": lambda: to_svg(picture),
        "PNG": lambda: encoded_image(to_image(picture), "png"),
        "PDF": lambda: to_pdf(picture),
    }
    for title, text in texts.items():
        kinds[title] = partial(_encoded_text, text)
    save = partial(save_as, parent, _TITLE, suggested, kinds)
    menu.addAction("&Save Picture…").triggered.connect(lambda: save())


def _copy_picture(picture: Paintable) -> None:
    """Copy the picture as an image and as SVG; other programs take the format they support."""
    data = QMimeData()
    with wait_cursor():
        image = to_image(picture, max_pixels=_MAX_COPIED_PIXELS)
        data.setImageData(image)  # offered as image/png and whatever else the system knows
        data.setData("image/svg+xml", to_svg(picture))
    QGuiApplication.clipboard().setMimeData(data)
