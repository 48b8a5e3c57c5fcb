"""Write the explanation of a number as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from qcachegrind_py.analysis.explanation.numbers import Explanation
from qcachegrind_py.reports.explanation.pieces import plain
from qcachegrind_py.reports.explanation.records import RecordGroup
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
    yield f"{wording.title(explained)}: {wording.value(explained)}"
    yield from (f"  {plain(share)}" for share in wording.shares(explained))
    if estimate := wording.estimate(explained):
        yield f"  {estimate}"
    yield from (f"  {line}" for line in wording.derivation(explained))
    yield from _sharing(wording, explained)
    if explained.terms:
        yield ""
        yield wording.rule(explained)
        yield from _terms(wording, explained)
    yield from (f"  {wording.left_out(left_out)}" for left_out in explained.left_out)
    if len(explained.rows) or explained.sharing is None:
        yield ""
        yield from _records(wording, explained, groups)


def _sharing(wording: Wording, explained: Explanation) -> Iterator[str]:
    words = wording.sharing(explained)
    if words is None:
        return
    yield ""
    yield words.heading()
    steps = [*words.steps()]
    width = max((len(value) for value, _ in steps), default=0)
    yield from (f"  {value:>{width}}  {plain(step)}" for value, step in steps)
    yield from (f"  {remark}" for remark in words.remarks(explained, wording.queries.profile))


def _terms(wording: Wording, explained: Explanation) -> Iterator[str]:
    numbers = [wording.number(term.value) for term in explained.terms]
    width = max(map(len, numbers))
    for term, number in zip(explained.terms, numbers, strict=True):
        yield f"  {number:>{width}}  {wording.term(term)}"
    if more := wording.more_terms(explained):
        yield f"  {more}"


def _records(wording: Wording, explained: Explanation, groups: list[RecordGroup]) -> Iterator[str]:
    path = ""
    for group in groups:
        yield f"{wording.group(group)}: {wording.values(group.values)}"
        for added in group.records:
            if added.record.path != path:
                path = added.record.path
                yield f"  in {visible_text(path)}:"
            text, values = wording.record(added), wording.values(added.values)
            yield f"    line {added.record.line}: {text}  → {values}"
    if more := wording.more(explained, groups):
        yield more
    yield f"{wording.sum_of(explained)}: {wording.values(explained.sums)}"
