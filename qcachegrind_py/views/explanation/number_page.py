"""The page of *Explain This Number*: an explanation as HTML, with links to its terms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from qcachegrind_py.analysis.explanation.numbers import AnyKey
from qcachegrind_py.present.explanation import Paragraph, Section, Sentence


class NumberPage:
    """Writes explanations; links have the index of their number in `links`."""

    def __init__(self) -> None:
        self.links: list[AnyKey] = []

    def section(self, heading: str, sections: Iterable[Section]) -> str:
        """Return an explanation."""
        begin = f"{heading}: " if heading else ""
        pieces: list[str] = []
        for paragraph in (each for section in sections for each in section):
            pieces += self._paragraph(begin, paragraph)
            begin = ""
        return "".join(pieces)

    def _paragraph(self, begin: str, paragraph: Paragraph) -> Iterator[str]:
        value = f": <b>{escape(paragraph.value)}</b>" if paragraph.value else ""
        yield f"<p>{escape(begin + paragraph.text)}{value}"
        remarks = map(self._sentence, paragraph.remarks)
        if not paragraph.terms:
            yield from (f"<br>{remark}" for remark in remarks)
        yield "</p>"
        yield _table((number, self._sentence(words)) for number, words in paragraph.terms)
        yield from (f"<p>{remark}</p>" for remark in remarks)
        yield f"<p>in {escape(paragraph.file)}:</p>" if paragraph.file else ""
        yield _table(
            (line.values, f"line {line.number}", f"<code>{escape(line.text)}</code>")
            for line in paragraph.lines
        )

    def _sentence(self, sentence: Sentence) -> str:
        return "".join(
            escape(piece.text) if piece.key is None else self._link(piece.key, piece.text)
            for piece in sentence
        )

    def _link(self, key: AnyKey, text: str) -> str:
        self.links.append(key)
        return f'<a href="#{len(self.links) - 1}">{escape(text)}</a>'


def _table(rows: Iterable[tuple[str, ...]]) -> str:
    """Return a table of numbers, and of cells behind them that are HTML; empty without rows."""
    cells = "".join(
        f'<tr><td align="right">{escape(number)}</td>'
        + "".join(f'<td style="padding-left: 8px">{cell}</td>' for cell in others)
        + "</tr>"
        for number, *others in rows
    )
    return f"<table>{cells}</table>" if cells else ""
