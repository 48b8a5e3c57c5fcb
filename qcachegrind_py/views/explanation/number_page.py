"""The page of *Explain This Number*: an explanation as HTML, with links to its terms."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from qcachegrind_py.analysis.explanation.numbers import AnyKey, Explanation
from qcachegrind_py.reports.explanation.pieces import Sentence
from qcachegrind_py.reports.explanation.records import RecordGroup
from qcachegrind_py.reports.explanation.wording import Wording


class NumberPage:
    """Writes explanations; links have the index of their number in `links`."""

    def __init__(self, wording: Wording) -> None:
        self._wording = wording
        self.links: list[AnyKey] = []

    def section(self, heading: str, explained: Explanation, groups: list[RecordGroup] | str) -> str:
        """Return an explanation; instead of records, there may be a sentence why there are none."""
        return "".join(self._pieces(heading, explained, groups))

    def _pieces(
        self, heading: str, explained: Explanation, groups: list[RecordGroup] | str
    ) -> Iterator[str]:
        words = self._wording
        side = f"{escape(heading)}: " if heading else ""
        value = escape(words.value(explained))
        yield f"<p>{side}{escape(words.title(explained))}: <b>{value}</b>"
        yield from (f"<br>{self._sentence(share)}" for share in words.shares(explained))
        if estimate := words.estimate(explained):
            yield f"<br>{escape(estimate)}"
        yield from (f"<br>{escape(line)}" for line in words.derivation(explained))
        yield "</p>"
        yield from self._sharing(explained)
        if explained.terms:
            yield f"<p>{escape(words.rule(explained))}</p>"
            yield _table(
                (words.number(term.value), self._link(term.key, words.term(term)))
                for term in explained.terms
            )
            yield f"<p>{escape(words.more_terms(explained))}</p>" if explained.more[0] else ""
        yield from (f"<p>{escape(words.left_out(each))}</p>" for each in explained.left_out)
        if isinstance(groups, str):
            yield f"<p>{escape(groups)}</p>"
        elif len(explained.rows) or explained.sharing is None:
            yield from self._records(explained, groups)

    def _sharing(self, explained: Explanation) -> Iterator[str]:
        words = self._wording.sharing(explained)
        if words is None:
            return
        yield f"<p>{escape(words.heading())}</p>"
        yield _table((value, self._sentence(step)) for value, step in words.steps())
        for remark in words.remarks(explained, self._wording.queries.profile):
            yield f"<p>{escape(remark)}</p>"

    def _sentence(self, sentence: Sentence) -> str:
        return "".join(
            escape(piece.text) if piece.key is None else self._link(piece.key, piece.text)
            for piece in sentence
        )

    def _link(self, key: AnyKey, text: str) -> str:
        self.links.append(key)
        return f'<a href="#{len(self.links) - 1}">{escape(text)}</a>'

    def _records(self, explained: Explanation, groups: list[RecordGroup]) -> Iterator[str]:
        words, path = self._wording, ""
        for group in groups:
            values = escape(words.values(group.values))
            yield f"<p>{escape(words.group(group))}: <b>{values}</b></p>"
            if group.records[0].record.path != path:
                path = group.records[0].record.path
                yield f"<p>in {escape(path)}:</p>"
            yield _table(
                (
                    words.values(added.values),
                    f"line {added.record.line}",
                    f"<code>{escape(words.record(added))}</code>",
                )
                for added in group.records
            )
        if more := words.more(explained, groups):
            yield f"<p>{escape(more)}</p>"
        sums = escape(words.values(explained.sums))
        yield f"<p>{escape(words.sum_of(explained))}: <b>{sums}</b></p>"


def _table(rows: Iterator[tuple[str, ...]]) -> str:
    """Return a table of numbers, and of cells behind them that are HTML."""
    cells = (
        f'<tr><td align="right">{escape(number)}</td>'
        + "".join(f'<td style="padding-left: 8px">{cell}</td>' for cell in others)
        + "</tr>"
        for number, *others in rows
    )
    return f"<table>{''.join(cells)}</table>"
