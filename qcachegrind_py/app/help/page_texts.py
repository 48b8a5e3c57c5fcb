"""The texts of all pages of the guide, for a search across them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

from PySide6.QtGui import QTextDocument


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
