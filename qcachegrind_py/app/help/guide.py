"""The window of the guide: contents, pages, back and forward, search of all pages."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import QEvent, QStringListModel, Qt, QUrl
from PySide6.QtGui import QAction, QKeySequence, QPalette, QTextCursor
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QFrame,
    QHBoxLayout,
    QListView,
    QSplitter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from qcachegrind_py.app.help.guide_page import GuidePage
from qcachegrind_py.app.help.page_texts import PageTexts
from qcachegrind_py.app.style.icons import icon
from qcachegrind_py.app.style.resources import resource_path
from qcachegrind_py.views.widgets.search_edit import FindEdit

PAGES = (
    "start", "opening", "functions", "callers", "pictures", "code", "parts", "comparing",
    "history", "finding", "saving", "keys",
)  # fmt: skip
_KEYS = "{keys}"  # placeholder in a page for the table of all keys
_MARKUP = re.compile(r"[\\`*_{}\[\]<>()#+\-.!|~]")
_DIGIT = re.compile(r"^\d  ")
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
        contents.setSpacing(self.fontMetrics().height() // 5)
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
        """Create a button and its action with a shortcut."""
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
        row.setContentsMargins(4, 4, 4, 4)
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
        self.resize(66 * line, 48 * line)

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
        self.search.set_error("" if is_found else "No page of the guide has it.")
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
        """Draw the icons in the colours of the palette."""
        for button in (self.back, self.forward):
            button.setIcon(icon(str(button.property("picture")), self.palette()))
        self.search.update_color()


def title_of(page: str) -> str:
    """The heading of a page."""
    text = resource_path(f"guide/{page}.md").read_text(encoding="utf-8")
    return text.partition("\n")[0].removeprefix("# ")


def key_table(menus: Iterable[tuple[str, Iterable[QAction]]]) -> str:
    """Tables in Markdown of all actions with keys, one table per menu."""
    tables = []
    for title, actions in menus:
        rows = [
            f"| {_keys(action)} | {_table_cell(visible_text(action.text()))} "
            f"| {_table_cell(action.statusTip())} |"
            for action in actions
            if not action.shortcut().isEmpty()
        ]
        if rows:
            heading = f"## {_table_cell(visible_text(title))}"
            head = f"{heading}\n\n| Keys | Menu | What it does |\n|---|---|---|"
            tables.append("\n".join((head, *rows)))
    return "\n\n".join(tables)


def _keys(action: QAction) -> str:
    return _table_cell(", ".join(key.toString(_NATIVE) for key in action.shortcuts()))


def visible_text(text: str) -> str:
    """The text of an action without mnemonics and without the digit before a dock's title."""
    plain = text.replace("&&", "\0").replace("&", "").replace("\0", "&").strip()
    return _DIGIT.sub("", plain)


def _table_cell(text: str) -> str:
    """Escape a text for a table in Markdown."""
    return _MARKUP.sub(r"\\\g<0>", text)
