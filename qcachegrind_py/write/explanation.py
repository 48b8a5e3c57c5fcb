"""Explanations of numbers as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from qcachegrind_py.present.explanation import Paragraph, Section, plain


def explanation_lines(sections: Iterable[Section]) -> Iterator[str]:
    """Yield the lines of the text, without line ends."""
    for place, section in enumerate(sections):
        if place:
            yield ""
        for paragraph in section:
            yield from _paragraph(paragraph)


def _paragraph(paragraph: Paragraph) -> Iterator[str]:
    yield f"{paragraph.text}: {paragraph.value}" if paragraph.value else paragraph.text
    width = max((len(number) for number, _ in paragraph.terms), default=0)
    yield from (f"  {number:>{width}}  {plain(words)}" for number, words in paragraph.terms)
    yield from (f"  {plain(remark)}" for remark in paragraph.remarks)
    if paragraph.file:
        yield f"  in {paragraph.file}:"
    for line in paragraph.lines:
        yield f"    line {line.number}: {line.text}  → {line.values}"
