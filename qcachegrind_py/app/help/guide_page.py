"""The text browser of the guide: shows Markdown and pictures of `resources/guide` only.

Pictures exist in a light and a dark version, and are scaled down to the width of the page.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QEvent, Qt, QTimer, QUrl
from PySide6.QtGui import (
    QFont,
    QFontDatabase,
    QImage,
    QPalette,
    QResizeEvent,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFragment,
    QTextFrameFormat,
    QTextLength,
    QTextTable,
)
from PySide6.QtWidgets import QTextBrowser

from qcachegrind_py.app.style.resources import resource_path

GUIDE_FOLDER = "guide"
PICTURE_SCALE = 2  # pixels of a file per pixel of the page
_PAGE, _PICTURE = re.compile(r"[a-z0-9-]+\.md"), re.compile(r"[a-z0-9-]+\.png")
_ANY_KIND = QTextDocument.ResourceType.UnknownResource
_DARK = 128  # lightness below which a background is dark
_MAX_WIDTH_IN_LINES = 52  # in line heights: longer lines are hard to read
_HEADINGS = {1: 1.7, 2: 1.25, 3: 1.1}  # font size by level, as a factor
_COLUMNS = {2: (38, 62), 3: (20, 30, 50)}  # column widths in percent, by number of columns
_RESIZE_DELAY_MS = 60  # wait for further changes of the width


class GuidePage(QTextBrowser):
    """Shows pages of the guide; loads no file and follows no link outside its folder."""

    def __init__(self, expand: Callable[[str], str]) -> None:
        """`expand` replaces placeholders in the Markdown of a page by values of this run."""
        super().__init__()
        self._expand = expand
        self.setAccessibleName("Page of the guide")
        self.setOpenExternalLinks(False)
        self.setFrameShape(QTextBrowser.Shape.NoFrame)
        # a scroll bar that appears would change the width that pictures are fitted to
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._fitting = QTimer(self, singleShot=True, interval=_RESIZE_DELAY_MS)
        self._fitting.timeout.connect(self._fit_pictures)
        self._fitted_width = 0

    def show_page(self, name: str) -> None:
        """Show the page of this name, without its ending."""
        self.setSource(QUrl(f"{name}.md"))

    def markdown(self, name: str) -> str:
        """Return the text of the page of this name, without its ending."""
        text = resource_path(f"{GUIDE_FOLDER}/{name}.md").read_text(encoding="utf-8")
        return self._expand(text)

    # ---------------------------------------------------------------- called by Qt

    def doSetSource(  # noqa: N802
        self, url: QUrl | str, _kind: QTextDocument.ResourceType = _ANY_KIND
    ) -> None:
        """Show a page of the guide; ignore every other URL."""
        if is_page(QUrl(url).toString()):
            super().doSetSource(url, QTextDocument.ResourceType.MarkdownResource)
            self._style()

    def loadResource(self, _kind: int, url: QUrl | str) -> Any:  # noqa: N802
        """Return the Markdown or the image of a file of the guide; None for other URLs."""
        name = QUrl(url).toString()
        if is_page(name):
            return self.markdown(name.removesuffix(".md"))
        return self._picture(name.removesuffix(".png")) if _PICTURE.fullmatch(name) else None

    def _picture(self, name: str) -> QImage | None:
        """The picture for the light or dark palette, fitted to page and screen."""
        ending = "-dark.png" if self._is_dark() else ".png"
        path = resource_path(f"{GUIDE_FOLDER}/{name}{ending}")
        if not path.is_file():
            return None
        image, ratio = QImage(str(path)), self.devicePixelRatioF()
        width = min(image.width() / PICTURE_SCALE, self._text_width())
        fitted = image.scaledToWidth(
            round(width * ratio), Qt.TransformationMode.SmoothTransformation
        )
        fitted.setDevicePixelRatio(ratio)
        return fitted

    def _is_dark(self) -> bool:
        return self.palette().color(QPalette.ColorRole.Base).lightness() < _DARK

    # ---------------------------------------------------------------- layout

    def _text_width(self) -> int:
        line = self.fontMetrics().height()
        return max(8 * line, min(self.viewport().width() - 4 * line, _MAX_WIDTH_IN_LINES * line))

    def _style(self) -> None:
        """Format headings, code, tables and margins, which Qt's Markdown leaves plain."""
        document, line = self.document(), self.fontMetrics().height()
        all_at_once = QTextCursor(document)
        all_at_once.beginEditBlock()  # or every change lays out the page again
        self._set_margins()
        block = document.begin()
        while block.isValid():
            self._style_block(block, line)
            block = block.next()
        for table in document.rootFrame().childFrames():
            if isinstance(table, QTextTable):
                self._style_table(table, line)
        all_at_once.endEditBlock()
        document.setModified(False)

    def _set_margins(self) -> None:
        """Center the text in lines of limited length."""
        document, line = self.document(), self.fontMetrics().height()
        self._fitted_width = self._text_width()
        margin = max(2 * line, (self.viewport().width() - self._fitted_width) // 2)
        frame: QTextFrameFormat = document.rootFrame().frameFormat()
        frame.setLeftMargin(margin)
        frame.setRightMargin(margin)
        frame.setTopMargin(line)
        frame.setBottomMargin(2 * line)
        document.rootFrame().setFrameFormat(frame)

    def _style_block(self, block: QTextBlock, line: int) -> None:
        cursor, level = QTextCursor(block), block.blockFormat().headingLevel()
        space = QTextBlockFormat()
        in_table = cursor.currentTable() is not None
        space.setTopMargin(line if level > 1 else 0)
        space.setBottomMargin(line // 4 if in_table else line * 2 // 3)
        space.setLineHeight(125, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        if _has_picture(block):
            space.setLineHeight(100, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        cursor.mergeBlockFormat(space)
        cursor.select(QTextCursor.SelectionType.BlockUnderCursor)
        if level:
            heading = QTextCharFormat()
            font = self.font()
            heading.setFontPointSize(font.pointSizeF() * _HEADINGS.get(level, 1.0))
            heading.setFontWeight(QFont.Weight.DemiBold)
            heading.setForeground(self.palette().color(QPalette.ColorRole.Link))
            cursor.setCharFormat(heading)  # merging would keep the size set by Markdown
        self._style_code(block)

    def _style_code(self, block: QTextBlock) -> None:
        code = QTextCharFormat()
        code.setFontFamilies(
            QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).families()
        )
        code.setBackground(self.palette().color(QPalette.ColorRole.Button))
        cursor = QTextCursor(block)
        for fragment in _fragments(block):
            if fragment.charFormat().fontFixedPitch():
                cursor.setPosition(fragment.position())
                end = fragment.position() + fragment.length()
                cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
                cursor.mergeCharFormat(code)

    def _style_table(self, table: QTextTable, line: int) -> None:
        format_ = table.format()
        format_.setBorder(0)
        format_.setCellPadding(line / 4)
        format_.setCellSpacing(0)
        format_.setWidth(QTextLength(QTextLength.Type.FixedLength, self._text_width()))
        format_.setBottomMargin(line)
        shares = _COLUMNS.get(table.columns(), ())
        kind = QTextLength.Type.PercentageLength
        format_.setColumnWidthConstraints([QTextLength(kind, share) for share in shares])
        table.setFormat(format_)

    def _fit_pictures(self) -> None:
        """Reload the pictures if the text width has changed."""
        if self._fitted_width and self._fitted_width != self._text_width():
            self._reload()
        elif self._fitted_width:
            self._set_margins()

    def _reload(self) -> None:
        bar = self.verticalScrollBar()
        position = bar.value() / max(1, bar.maximum())
        self.document().clear()
        self.reload()
        self._style()
        bar.setValue(round(position * bar.maximum()))

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._fitting.start()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and getattr(self, "_fitted_width", False):
            self._reload()


def is_page(name: str) -> bool:
    """Whether the guide has a page of this file name, such as `start.md`."""
    return bool(_PAGE.fullmatch(name)) and resource_path(f"{GUIDE_FOLDER}/{name}").is_file()


def _has_picture(block: QTextBlock) -> bool:
    return any(fragment.charFormat().isImageFormat() for fragment in _fragments(block))


def _fragments(block: QTextBlock) -> list[QTextFragment]:
    """The fragments of a block, each of one format; a snapshot, as formatting changes them."""
    fragments, iterator = [], block.begin()
    while not iterator.atEnd():
        fragments.append(iterator.fragment())
        iterator += 1
    return fragments
