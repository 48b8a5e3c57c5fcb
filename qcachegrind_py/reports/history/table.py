"""A history as TSV or CSV: one line for each function, with a column for each revision."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TextIO

from qcachegrind_py.reports.history.contents import HistoryReport
from qcachegrind_py.write.separated import write_separated

_TITLES = ("trend", "largest step", "step in", "spread", "name", "file", "object")


def write_table(report: HistoryReport, form: Literal["tsv", "csv"], stream: TextIO) -> None:
    """Write one line for each function after a title line; titles of costs are the labels.

    A cost is empty where the revision does not have the function, and so is the revision of the
    largest step without one.
    """
    write_separated((*_TITLES, *report.history.labels), _rows(report), form, stream)


def _rows(report: HistoryReport) -> Iterator[tuple[object, ...]]:
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
