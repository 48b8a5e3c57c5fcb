"""Write the explanation of a number as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from qcachegrind_py.analysis.explanation.numbers import Explanation
from qcachegrind_py.profile.number_format import plural
from qcachegrind_py.reports.explanation.records import RecordGroup, RecordValue
from qcachegrind_py.reports.explanation.wording import Wording
from qcachegrind_py.visible_text import visible_text


def write_explanation(
    wording: Wording, explained: Explanation, groups: list[RecordGroup], stream: TextIO
) -> None:
    """Write the number, its terms, and the records that it is the sum of."""
    stream.writelines(f"{line}\n" for line in explanation_lines(wording, explained, groups))


def explanation_lines(
    wording: Wording, explained: Explanation, groups: list[RecordGroup]
) -> Iterator[str]:
    """Yield the lines of the text, without line ends."""
    yield f"{wording.title(explained)}: {wording.number(explained.value)}"
    if share := wording.share(explained):
        yield f"  {share}"
    yield from (f"  {line}" for line in wording.derivation(explained))
    if explained.terms:
        yield ""
        yield wording.rule(explained)
        yield from _terms(wording, explained)
    yield from (f"  {wording.left_out(left_out)}" for left_out in explained.left_out)
    yield ""
    yield from _records(wording, explained, groups)


def _terms(wording: Wording, explained: Explanation) -> Iterator[str]:
    numbers = [wording.number(term.value) for term in explained.terms]
    width = max(map(len, numbers))
    for term, number in zip(explained.terms, numbers, strict=True):
        yield f"  {number:>{width}}  {wording.term(term)}"


def _records(wording: Wording, explained: Explanation, groups: list[RecordGroup]) -> Iterator[str]:
    has_parts = len(wording.queries.profile.parts) > 1
    path = ""
    for group in groups:
        part = f"part {group.part + 1}, " if has_parts else ""
        line = str(group.line) if group.line else "unknown line"
        yield f"{part}{group.file}:{line}: {_values(wording, group.values)}"
        for added in group.records:
            if added.record.path != path:
                path = added.record.path
                yield f"  in {visible_text(path)}:"
            yield f"  {_record(wording, added)}"
    shown = sum(len(group.records) for group in groups)
    if rest := len(explained.rows) - shown:
        yield f"… and {wording.number(rest)} more {plural(rest, 'line')}"
    count = len(explained.rows)
    lines = f"{wording.number(count)} {plural(count, 'line')} of the profile"
    yield f"Sum of {lines}: {_values(wording, explained.sums)}"


def _record(wording: Wording, added: RecordValue) -> str:
    record = added.record
    text = " / ".join(filter(None, (record.call_text, record.text)))
    return f"  line {record.line}: {visible_text(text)}  → {_values(wording, added.values)}"


def _values(wording: Wording, values: tuple[int, ...]) -> str:
    return ", ".join(map(wording.number, values))
