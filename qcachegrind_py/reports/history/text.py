"""A history as text: its total, its largest steps, and its functions."""

from __future__ import annotations

from typing import TextIO

from qcachegrind_py.profile.numbers import format_count, plural
from qcachegrind_py.reports.facts import TEXT_STYLE
from qcachegrind_py.reports.history.contents import HistoryReport, RevisionStep
from qcachegrind_py.reports.history.rows import TITLES, change_text, history_rows, percent_text
from qcachegrind_py.reports.history.sparkline import BLOCKS, sparkline
from qcachegrind_py.reports.table_export import cell_text
from qcachegrind_py.reports.text_layout import PLAIN_TEXT, TextLayout, columns_of, left_aligned

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
    event = cell_text(report.event.name)
    stream.write(f"History  {revisions}\n")
    stream.write(f"Total    {ends} {event}: {', '.join(filter(None, numbers))}\n")
    stream.write(f"         {sparkline(totals, [True] * count, characters)}\n")


def _write_steps(report: HistoryReport, stream: TextIO, layout: TextLayout) -> None:
    if not report.steps:
        stream.write("\nNo function steps beyond its noise.\n")
        return
    stream.write(f"\nLargest steps of self costs in {cell_text(report.event.name)}\n")
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
    stream.write(f"\n{kind} in {cell_text(report.event.name)}\n")
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
    titles = (*TITLES, "In", "History")
    widths = [max(map(columns_of, column)) for column in zip(titles, *lines, strict=True)]
    for row, cells in zip([None, *rows], [titles, *lines], strict=True):
        texts = [f"{cell:>{width}}" for cell, width in zip(cells[:5], widths[:5], strict=True)]
        texts += [left_aligned(*each) for each in zip(cells[5:], widths[5:], strict=True)]
        begin = _GAP.join(texts) + _GAP
        if row is None:
            stream.write(f"{begin}Function\n")
            continue
        mark = f" [{cell_text(row.mark)}]" if row.mark else ""
        name = layout.located_name(*row.name, columns_of(begin) + columns_of(mark))
        stream.write(f"{begin}{name}{mark}\n")


def _label(text: str) -> str:
    """Return a label of a revision that is printable, and not too long."""
    return TextLayout(_LONGEST_LABEL, False).fit(text, _LONGEST_LABEL)
