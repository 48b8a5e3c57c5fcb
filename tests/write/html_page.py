"""An HTML page as a browser parses it."""

from __future__ import annotations

import io
import json
from html.parser import HTMLParser
from typing import Any

from qcachegrind_py.present.page import Page
from qcachegrind_py.write.html.page import write_html

_WITHOUT_END = {"meta", "input"}
_THIN = str.maketrans("\N{THIN SPACE}\N{NARROW NO-BREAK SPACE}", "  ")


class HtmlPage(HTMLParser):
    """The elements of a page with their attributes, its texts, and its rows by section.

    Thin spaces are ordinary ones.
    """

    def __init__(self, page: Page | str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.sections: dict[str, list[str]] = {"": []}  # texts; above all sections: those of ""
        self.rows: dict[str, list[list[str]]] = {}
        self.inside: dict[str, list[str]] = {"style": [], "script": [], "title": []}
        self._open: list[str] = []
        self._section = ""
        if isinstance(page, Page):
            written = io.StringIO()
            write_html(page, written)
            page = written.getvalue()
        self.text = page
        self.feed(page)
        self.close()
        assert self._open == []

    @property
    def texts(self) -> list[str]:
        """The texts of the whole page."""
        return [text for texts in self.sections.values() for text in texts]

    @property
    def data(self) -> dict[str, Any]:
        """The data of the script."""
        return json.loads(self.inside["script"][0])

    def all(self, tag: str, *names: str) -> list[tuple[str, ...]]:
        """Return these attributes of all elements with this tag that have the first of them."""
        return [
            tuple(attributes.get(name, "") for name in names)
            for each, attributes in self.elements
            if each == tag and names[0] in attributes
        ]

    def attributes(self, name: str) -> list[str]:
        """Return the values of an attribute, over all elements."""
        return [attributes[name] for _, attributes in self.elements if name in attributes]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {key: (value or "").translate(_THIN) for key, value in attrs}
        self.elements.append((tag, values))
        if tag not in _WITHOUT_END:
            self._open.append(tag)
        if tag in ("section", "details"):
            self._section = values["id"]
            self.sections[self._section] = []
        if tag == "tr":
            self.rows.setdefault(self._section, []).append([])
        if tag in ("td", "th"):
            self.rows[self._section][-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] in self.inside and "svg" not in self._open:
            self.inside[self._open[-1]].append(data)
            return
        text = data.translate(_THIN)
        if text.strip():
            self.sections[self._section].append(text.strip())
        if "td" in self._open or "th" in self._open:
            self.rows[self._section][-1][-1] += text
