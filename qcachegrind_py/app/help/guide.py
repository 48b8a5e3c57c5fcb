"""The window of the guide: contents, pages, back and forward, search of all pages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, QStringListModel, Qt, QTimer, QUrl
from PySide6.QtGui import (
    QAction,
    QFont,
    QFontDatabase,
    QImage,
    QKeySequence,
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
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QFrame,
    QHBoxLayout,
    QListView,
    QSplitter,
    QTextBrowser,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from qcachegrind_py.app.settings.shortcuts import SUBMENU, MenuEntry
from qcachegrind_py.app.style.forms import resize_within_screen
from qcachegrind_py.app.style.icons import icon
from qcachegrind_py.app.style.resources import resource_path
from qcachegrind_py.views.widgets.controls import FindEdit
from qcachegrind_py.views.widgets.grid import around, grid


class PageTexts:
    """Counts matches on pages; their texts are read at the first search."""

    def __init__(self, pages: Sequence[str], markdown: Callable[[str], str]) -> None:
        """`markdown` returns the text of a page by its name."""
        self._pages, self._markdown = pages, markdown

    def match_counts(self, text: str) -> dict[str, int]:
        """Return how often each page contains the text, ignoring case; all pages are in it."""
        needle = text.lower()
        return {page: content.count(needle) for page, content in self._texts.items()}

    @cached_property
    def _texts(self) -> dict[str, str]:
        document = QTextDocument()
        texts = {}
        for page in self._pages:
            document.setMarkdown(self._markdown(page))
            texts[page] = document.toPlainText().lower()
        return texts


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


PAGES = (
    "start", "opening", "functions", "callers", "pictures", "code", "parts", "samples",
    "comparing", "history", "finding", "saving", "keys",
)  # fmt: skip
_KEYS = "{keys}"  # placeholder in a page for the table of all keys
_MARKUP = re.compile(r"[\\`*_{}\[\]<>()#+\-.!|~]")
_NATIVE = QKeySequence.SequenceFormat.NativeText


class Guide(QDialog):
    """Shows the guide; Ctrl+F searches all pages, Return finds the next match, Escape closes.

    During a search, the contents list the pages with matches, and how many there are.
    """

    def __init__(self, parent: QWidget, keys: str) -> None:
        """`keys` is the table of all keys, in Markdown."""
        super().__init__(parent)
        self.setWindowTitle("Guide")
        self.setWindowFlags(Qt.WindowType.Window)
        self.page = GuidePage(lambda text: text.replace(_KEYS, keys))
        self._texts = PageTexts(PAGES, self.page.markdown)
        self._matches: dict[str, int] = {}  # of the search, by page; empty without one
        self.contents = self._contents()
        self.search = FindEdit("Search the guide")
        self.search.textChanged.connect(self._search)
        self.search.returnPressed.connect(self.find_next)
        self.back = self._add_step_button("Back", "back", "Alt+Left", self.page.backward)
        self.forward = self._add_step_button("Forward", "forward", "Alt+Right", self.page.forward)
        self._add_step_button(
            "Search the guide", "search", "Ctrl+F", self._focus_search, shown=False
        )
        self.page.backwardAvailable.connect(self.back.setEnabled)
        self.page.forwardAvailable.connect(self.forward.setEnabled)
        for step in (self.back, self.forward):
            step.setEnabled(False)
        self.page.sourceChanged.connect(self._mark_current)
        self._create_layout()
        self.contents.setFocus()
        self.recolor()

    def _contents(self) -> QListView:
        contents = QListView()
        contents.setModel(QStringListModel([title_of(page) for page in PAGES], self))
        contents.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        contents.setAccessibleName("Contents")
        contents.setFrameShape(QFrame.Shape.NoFrame)
        contents.setSpacing(grid(0.5))
        contents.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        contents.viewport().setBackgroundRole(QPalette.ColorRole.Window)
        contents.selectionModel().currentChanged.connect(
            lambda index, _before: self._go_to(PAGES[index.row()])
        )
        return contents

    def _go_to(self, page: str) -> None:
        if self.page.source() != QUrl(f"{page}.md"):  # unless a link led to it
            self.page.show_page(page)
            if self._matches.get(page):
                self.page.find(self.search.text())

    def _add_step_button(
        self, name: str, picture: str, key: str, act: object, *, shown: bool = True
    ) -> QToolButton:
        action = QAction(name, self)
        action.setShortcut(QKeySequence(key))
        action.triggered.connect(lambda _checked=False: act())  # type: ignore[operator]
        self.addAction(action)
        button = QToolButton(autoRaise=True)
        button.setToolTip(f"{name} ({action.shortcut().toString(_NATIVE)})")
        button.setAccessibleName(name)
        button.setProperty("picture", picture)
        button.clicked.connect(action.trigger)
        button.setVisible(shown)
        return button

    def _create_layout(self) -> None:
        line = self.fontMetrics().height()
        row = QHBoxLayout()
        row.setContentsMargins(around(0.5))
        row.addWidget(self.back)
        row.addWidget(self.forward)
        row.addWidget(self.search, 1)
        splitter = QSplitter()
        splitter.addWidget(self.contents)
        splitter.addWidget(self.page)
        splitter.setChildrenCollapsible(False)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([15 * line, 50 * line])
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(row)
        column.addWidget(splitter, 1)
        resize_within_screen(self, 66 * line, 48 * line)

    # ---------------------------------------------------------------- pages

    def open_page(self, page: str = "") -> None:
        """Bring the window to the front, at this page, or by default at the last one."""
        self.show()  # first, as pictures are fitted to the width
        if page or self.page.source().isEmpty():
            self.page.show_page(page or PAGES[0])
        self.raise_()
        self.activateWindow()

    def _mark_current(self, url: QUrl) -> None:
        """Select the current page in the contents after a link, back or forward."""
        name = Path(url.fileName()).stem
        if name in PAGES:
            index = self.contents.model().index(PAGES.index(name), 0)
            if self.contents.currentIndex() != index:
                self.contents.setCurrentIndex(index)

    # ---------------------------------------------------------------- search

    def _focus_search(self) -> None:
        self.search.setFocus()
        self.search.selectAll()

    def _search(self, text: str) -> None:
        """List the pages that contain the text, and go to a match: on this page if it has one."""
        self._matches = self._texts.match_counts(text) if text else {}
        is_found = not text or any(self._matches.values())
        self.search.set_error("" if is_found else "No page of the guide contains it.")
        self._list_pages()
        if text and is_found:
            cursor = self.page.textCursor()  # while a word is being typed, its match stays
            cursor.setPosition(cursor.selectionStart())
            self.page.setTextCursor(cursor)
            self.find_next()

    def _list_pages(self) -> None:
        """Hide pages without matches in the contents; others have their number of matches."""
        model = self.contents.model()
        is_found = any(self._matches.values())
        for row, page in enumerate(PAGES):
            count = self._matches.get(page, 0)
            title = f"{title_of(page)} ({count})" if count else title_of(page)
            model.setData(model.index(row, 0), title)
            self.contents.setRowHidden(row, is_found and not count)

    def find_next(self) -> None:
        """Select the next match; after the last one of a page, the first of the next page."""
        text, current = self.search.text(), Path(self.page.source().fileName()).stem
        if not text or not any(self._matches.values()):
            return
        if self.page.find(text):
            return
        first = PAGES.index(current) + 1 if current in PAGES else 0
        following = (*PAGES[first:], *PAGES[:first])
        target = next(page for page in following if self._matches[page])
        if target != current:
            self.page.show_page(target)
        self.page.moveCursor(QTextCursor.MoveOperation.Start)
        self.page.find(text)

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "search"):
            self.recolor()

    def recolor(self) -> None:
        for button in (self.back, self.forward):
            button.setIcon(icon(str(button.property("picture")), self.palette()))
        self.search.update_color()


def title_of(page: str) -> str:
    text = resource_path(f"guide/{page}.md").read_text(encoding="utf-8")
    return text.partition("\n")[0].removeprefix("# ")


def key_table(entries: Iterable[MenuEntry]) -> str:
    """Tables in Markdown of all actions with keys, one table for each menu of the menu bar."""
    tables = []
    for menu, group in groupby(entries, lambda entry: entry.menu.partition(SUBMENU)[0]):
        rows = [
            f"| {_table_cell(entry.keys)} | {_table_cell(entry.title)} "
            f"| {_table_cell(entry.action.statusTip())} |"
            for entry in group
            if entry.keys
        ]
        if rows:
            head = f"## {_table_cell(menu)}\n\n| Keys | Menu | What it does |\n|---|---|---|"
            tables.append("\n".join((head, *rows)))
    return "\n\n".join(tables)


def _table_cell(text: str) -> str:
    return _MARKUP.sub(r"\\\g<0>", text)
