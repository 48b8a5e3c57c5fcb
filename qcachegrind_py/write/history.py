"""A history as text, as TSV or CSV, and as JSON.

The text has the total, the largest steps and the functions, each with a small chart of characters.
Tables have a line for each function and a column for each revision. The JSON is a contract: see
docs/history.schema.json.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, Literal, TextIO

from qcachegrind_py.formats.standard_input import display_name
from qcachegrind_py.present.exact import TEXT_STYLE
from qcachegrind_py.present.history import (
    HISTORY_TITLES,
    HistoryReport,
    RevisionStep,
    change_text,
    history_rows,
    percent_text,
)
from qcachegrind_py.profile.numbers import format_count, plural
from qcachegrind_py.profile.tables import to_display
from qcachegrind_py.visible_text import visible_text
from qcachegrind_py.write.separated import write_separated
from qcachegrind_py.write.text import PLAIN_TEXT, TextLayout, columns_of, left_aligned

BLOCKS = "▁▂▃▄▅▆▇█"
ASCII = "_.-=+*%#"  # where an encoding lacks blocks
MOST_CHARACTERS = 24
MOST_STEPS = 8
MOST_FUNCTIONS = 3  # of a step
_GAP = "  "
_LONGEST_LABEL = 16  # columns
_TABLE_TITLES = ("trend", "largest step", "step in", "spread", "name", "file", "object")


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


# ---------------------------------------------------------------- TSV and CSV


def write_table(report: HistoryReport, form: Literal["tsv", "csv"], stream: TextIO) -> None:
    """Write one line for each function after a title line; titles of costs are the labels.

    A cost is empty where the revision does not have the function, and so is the revision of the
    largest step without one.
    """
    write_separated((*_TABLE_TITLES, *report.history.labels), _table_rows(report), form, stream)


def _table_rows(report: HistoryReport) -> Iterator[tuple[object, ...]]:
    numbers, history = report.trends, report.history
    for function in report.functions.tolist():
        revision = int(numbers.step_revision[function])
        costs = zip(
            report.costs[function].tolist(), history.present[function].tolist(), strict=True
        )
        yield (
            int(numbers.trend[function]),
            int(numbers.largest_step[function]),
            history.labels[revision] if revision >= 0 else "",
            int(numbers.spread[function]),
            *report.names[function],
            *(cost if is_there else "" for cost, is_there in costs),
        )


# ---------------------------------------------------------------- JSON


def write_json(report: HistoryReport, stream: TextIO) -> None:
    """Write the history as one JSON object, with one function on a line."""
    stream.write(json.dumps(_head(report), allow_nan=False)[:-1])
    stream.write(', "functions": [')
    for place, function in enumerate(_functions(report)):
        stream.write(f"{',' if place else ''}\n{json.dumps(function, allow_nan=False)}")
    stream.write("\n]}\n")


def _head(report: HistoryReport) -> dict[str, Any]:
    history = report.history
    return {
        "labels": list(map(to_display, history.labels)),
        "files": [to_display(display_name(file)) for file in history.files],
        "events": [to_display(event.name) for event in history.events],
        "event": to_display(report.event.name),
        "totals": report.totals,
        "steps": [
            {
                "revision": step.revision,
                "change": step.change,
                "functions": [
                    {**_name(report, function), "change": change}
                    for function, change in step.functions
                ],
            }
            for step in report.steps
        ],
    }


def _functions(report: HistoryReport) -> Iterator[dict[str, Any]]:
    history, event, numbers = report.history, report.event, report.trends
    own, inclusive = history.self_cost(event), history.inclusive(event)
    for function in report.functions.tolist():
        revision = int(numbers.step_revision[function])
        yield {
            **_name(report, function),
            "members": int(history.members[function]),
            "trend": int(numbers.trend[function]),
            "largest_step": int(numbers.largest_step[function]),
            "step_revision": revision if revision >= 0 else None,
            "spread": int(numbers.spread[function]),
            "self": own[function].tolist(),
            "inclusive": inclusive[function].tolist(),
            "called": history.called[function].tolist(),
            "present": history.present[function].tolist(),
        }


def _name(report: HistoryReport, function: int) -> dict[str, str]:
    return dict(
        zip(("name", "file", "object"), map(to_display, report.names[function]), strict=True)
    )
