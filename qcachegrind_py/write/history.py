"""A history as text and as JSON.

The text has the total, the largest steps and the functions, each with a small chart of characters.
The JSON is a contract: see docs/history.schema.json.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, pairwise
from typing import TextIO, cast

import numpy as np

from qcachegrind_py.present.exact import TEXT_STYLE, ValueCells
from qcachegrind_py.present.history import (
    HistoryReport,
    SeriesCells,
    change_text,
    history_records,
    largest_steps,
    people_table,
    total_text,
)
from qcachegrind_py.present.page import Listing
from qcachegrind_py.present.table import Column
from qcachegrind_py.profile.numbers import plural
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.visible_text import visible_text
from qcachegrind_py.write.json_rows import records
from qcachegrind_py.write.text import PLAIN_TEXT, TextLayout, write_listing

BLOCKS = "▁▂▃▄▅▆▇█"
ASCII = "_.-=+*%#"  # where an encoding lacks blocks
MOST_CHARACTERS = 24
_MOST_CAUSES = 3  # functions of a step
_GAP = "  "
_LONGEST_LABEL = 16  # columns


def write_text(
    report: HistoryReport, stream: TextIO, layout: TextLayout = PLAIN_TEXT, characters: str = BLOCKS
) -> None:
    """Write the history; `characters` are those of its small charts, from low to high."""
    _write_total(report, stream, characters)
    _write_steps(report, stream, layout)
    stream.write("\n")
    write_listing(_functions(report, characters), stream, layout)


def _write_total(report: HistoryReport, stream: TextIO, characters: str) -> None:
    labels, totals = report.history.labels, report.totals
    count = len(labels)
    revisions = (
        f"{count:,} {plural(count, 'revision')}, {_label(labels[0])} to {_label(labels[-1])}"
    )
    total = total_text(report, f" {visible_text(report.event.name)}", TEXT_STYLE)
    stream.write(f"History  {revisions}\n")
    stream.write(f"Total    {total}\n")
    stream.write(f"         {sparkline(totals, [True] * count, characters)}\n")


def _write_steps(report: HistoryReport, stream: TextIO, layout: TextLayout) -> None:
    largest = largest_steps(report, _MOST_CAUSES)
    if not largest.steps:
        stream.write("\nNo function steps beyond its noise.\n")
        return
    stream.write(f"\nLargest steps of self costs in {visible_text(report.event.name)}\n")
    for step in largest.steps:
        change = layout.hot(change_text(step.change, TEXT_STYLE))
        stream.write(f"{_label(step.label)}{_GAP}{change}\n")
        texts = [change_text(change, TEXT_STYLE) for change, _ in step.causes]
        width = max(map(len, texts))
        for text, (_, name) in zip(texts, step.causes, strict=True):
            begin = f"{_GAP}{text:>{width}}{_GAP}"
            located = layout.located_name(name.name, name.file, name.object, len(begin))
            stream.write(f"{begin}{located}\n")
        if more := step.more:
            stream.write(f"{_GAP}… and {more:,} more {plural(more, 'function')}\n")
    if more := largest.more:
        stream.write(f"… and {more:,} more {plural(more, 'revision')}\n")


def _functions(report: HistoryReport, characters: str) -> Listing:
    table = people_table(report, TEXT_STYLE)
    *numbers, course, names = table.columns
    cells = cast("SeriesCells", course.cells)

    def labels(rows: Int64Array) -> list[str]:
        return list(map(_label, cells.values(rows)))

    def lines(rows: Int64Array) -> list[str]:
        pairs = zip(cells.costs[rows].tolist(), cells.present[rows].tolist(), strict=True)
        return [sparkline(*pair, characters) for pair in pairs]

    drawn = (
        Column("step_in", "In", "", ValueCells(labels)),
        Column("history", "History", "", ValueCells(lines)),
    )
    kind = "Self cost" if report.kind == "self" else "Inclusive cost"
    return Listing(
        replace(table, columns=(*numbers, *drawn, names)),
        np.arange(table.length),
        f"{kind} in {visible_text(report.event.name)}",
    )


def _label(text: str) -> str:
    """Return a label of a revision that is printable, and not too long."""
    return TextLayout(_LONGEST_LABEL, False).fit(text, _LONGEST_LABEL)


# ---------------------------------------------------------------- small charts


def characters_for(encoding: str | None) -> str:
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
