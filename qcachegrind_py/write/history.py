"""A history as text and as JSON.

The text has the total, the largest steps and the functions, each with a small chart of characters.
The JSON is a contract: see docs/history.schema.json.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import chain, pairwise
from typing import TextIO

from qcachegrind_py.present.exact import TEXT_STYLE
from qcachegrind_py.present.history import (
    HISTORY_TITLES,
    HistoryReport,
    RevisionStep,
    change_text,
    history_records,
    history_rows,
    percent_text,
)
from qcachegrind_py.profile.numbers import format_count, plural
from qcachegrind_py.visible_text import visible_text
from qcachegrind_py.write.json_rows import records
from qcachegrind_py.write.text import PLAIN_TEXT, TextLayout, columns_of, left_aligned

BLOCKS = "▁▂▃▄▅▆▇█"
ASCII = "_.-=+*%#"  # where an encoding lacks blocks
MOST_CHARACTERS = 24
MOST_STEPS = 8
MOST_FUNCTIONS = 3  # of a step
_GAP = "  "
_LONGEST_LABEL = 16  # columns


def write_text(
    report: HistoryReport,
    stream: TextIO,
    layout: TextLayout = PLAIN_TEXT,
    characters: str = BLOCKS,
) -> None:
    """Write the history; `characters` are those of its small charts, from low to high."""
    _write_total(report, stream, characters)
    _write_steps(report, stream, layout)
    _write_functions(report, stream, layout, characters)


def _write_total(report: HistoryReport, stream: TextIO, characters: str) -> None:
    labels, totals = report.history.labels, report.totals
    count = len(labels)
    revisions = (
        f"{count:,} {plural(count, 'revision')}, {_label(labels[0])} to {_label(labels[-1])}"
    )
    change = totals[-1] - totals[0]
    numbers = [change_text(change, TEXT_STYLE), percent_text(change, totals[0], TEXT_STYLE)]
    ends = " → ".join(format_count(total, TEXT_STYLE) for total in (totals[0], totals[-1]))
    event = visible_text(report.event.name)
    stream.write(f"History  {revisions}\n")
    stream.write(f"Total    {ends} {event}: {', '.join(filter(None, numbers))}\n")
    stream.write(f"         {sparkline(totals, [True] * count, characters)}\n")


def _write_steps(report: HistoryReport, stream: TextIO, layout: TextLayout) -> None:
    if not report.steps:
        stream.write("\nNo function steps beyond its noise.\n")
        return
    stream.write(f"\nLargest steps of self costs in {visible_text(report.event.name)}\n")
    for step in report.steps[:MOST_STEPS]:
        label, change = _label(report.history.labels[step.revision]), step.change
        stream.write(f"{label}{_GAP}{layout.hot(change_text(change, TEXT_STYLE))}\n")
        _write_causes(report, step, stream, layout)
    if (more := len(report.steps) - MOST_STEPS) > 0:
        stream.write(f"… and {more:,} more {plural(more, 'revision')}\n")


def _write_causes(
    report: HistoryReport, step: RevisionStep, stream: TextIO, layout: TextLayout
) -> None:
    """Write the functions that make a step."""
    shown = step.functions[:MOST_FUNCTIONS]
    texts = [change_text(change, TEXT_STYLE) for _, change in shown]
    width = max(map(len, texts))
    for (function, _), text in zip(shown, texts, strict=True):
        begin = f"{_GAP}{text:>{width}}{_GAP}"
        stream.write(f"{begin}{layout.located_name(*report.names[function], len(begin))}\n")
    if (more := len(step.functions) - MOST_FUNCTIONS) > 0:
        stream.write(f"{_GAP}… and {more:,} more {plural(more, 'function')}\n")


def _write_functions(
    report: HistoryReport, stream: TextIO, layout: TextLayout, characters: str
) -> None:
    kind = "Self cost" if report.kind == "self" else "Inclusive cost"
    stream.write(f"\n{kind} in {visible_text(report.event.name)}\n")
    rows = list(history_rows(report, TEXT_STYLE))
    present = report.history.present
    lines = [
        (
            *row.cells,
            _label(row.step_label),
            sparkline(
                report.costs[row.function].tolist(), present[row.function].tolist(), characters
            ),
        )
        for row in rows
    ]
    titles = (*HISTORY_TITLES, "In", "History")
    widths = [max(map(columns_of, column)) for column in zip(titles, *lines, strict=True)]
    for row, cells in zip([None, *rows], [titles, *lines], strict=True):
        texts = [f"{cell:>{width}}" for cell, width in zip(cells[:5], widths[:5], strict=True)]
        texts += [left_aligned(*each) for each in zip(cells[5:], widths[5:], strict=True)]
        begin = _GAP.join(texts) + _GAP
        if row is None:
            stream.write(f"{begin}Function\n")
            continue
        mark = f" [{visible_text(row.mark)}]" if row.mark else ""
        name = layout.located_name(*row.name, columns_of(begin) + columns_of(mark))
        stream.write(f"{begin}{name}{mark}\n")


def _label(text: str) -> str:
    """Return a label of a revision that is printable, and not too long."""
    return TextLayout(_LONGEST_LABEL, False).fit(text, _LONGEST_LABEL)


# ---------------------------------------------------------------- small charts


def characters_for(encoding: str | None) -> str:
    """Return the characters to draw with in an encoding, from low to high."""
    try:
        BLOCKS.encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return ASCII
    return BLOCKS


def sparkline(values: Sequence[int], present: Sequence[bool], characters: str = BLOCKS) -> str:
    """Draw values between their lowest and highest; a blank is a revision without the function.

    More than 24 values are drawn in groups, each as the median of its values.
    """
    known = [value for value, is_there in zip(values, present, strict=True) if is_there]
    if not known:
        return " " * min(len(values), MOST_CHARACTERS)
    low, high = min(known), max(known)
    groups = ([v for v, is_there in group if is_there] for group in _groups(values, present))
    drawn = (sorted(group)[len(group) // 2] if group else None for group in groups)
    return "".join(
        " " if value is None else characters[_level(value - low, high - low, len(characters))]
        for value in drawn
    )


def _groups(values: Sequence[int], present: Sequence[bool]) -> list[list[tuple[int, bool]]]:
    pairs = list(zip(values, present, strict=True))
    count = min(len(pairs), MOST_CHARACTERS)
    ends = [len(pairs) * place // count for place in range(count + 1)]
    return [pairs[begin:end] for begin, end in pairwise(ends)]


def _level(height: int, highest: int, levels: int) -> int:
    return (2 * height * (levels - 1) + highest) // (2 * highest) if highest else 0


# ---------------------------------------------------------------- JSON


def write_json(report: HistoryReport, stream: TextIO) -> None:
    """Write the history as one JSON object, with one function on a line."""
    page = history_records(report)
    stream.write(json.dumps(page.before, allow_nan=False)[:-1])
    for key, (record, rows) in page.lists.items():
        stream.write(f', "{key}": [')
        for place, line in enumerate(chain.from_iterable(records(record, rows))):
            stream.write(f"{',' if place else ''}\n{line}")
        stream.write("\n]}\n")
