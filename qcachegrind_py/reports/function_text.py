"""The function table as text for people: the facts of the profile, then costs with percentages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

from qcachegrind_py.analysis.facts import profile_facts
from qcachegrind_py.formats.fingerprints import file_sizes
from qcachegrind_py.profile.number_format import ACTIVE, format_call_count, format_exact
from qcachegrind_py.reports.facts import TEXT_STYLE, write_facts
from qcachegrind_py.reports.function_table import cost_columns, named_rows
from qcachegrind_py.reports.selection import ReportSelection
from qcachegrind_py.reports.table_export import cell_text
from qcachegrind_py.reports.text_layout import PLAIN_TEXT, TextLayout

_GAP = "  "
_PERCENTAGE_WIDTH = len("100.00")


def write_text(selection: ReportSelection, stream: TextIO, layout: TextLayout = PLAIN_TEXT) -> None:
    """Write the facts of the profile and the functions."""
    write_head(selection, stream, layout)
    table = FunctionLines(selection, layout)
    for title in table.titles():
        stream.write(f"{title}\n")
    for position, (_row, *names) in enumerate(named_rows(selection, selection.functions)):
        stream.write(f"{table.line(position, *names)}\n")


def write_head(selection: ReportSelection, stream: TextIO, layout: TextLayout) -> None:
    """Write the facts of the profile, with the sizes of its files, and an empty line."""
    profile, events = selection.profile, selection.queries.events
    facts = profile_facts(profile, selection.scope.parts, events, file_sizes(profile.paths))
    write_facts(facts, stream, layout)
    stream.write("\n")


class FunctionLines:
    """The functions of a report as lines: costs in each event, called count, and name."""

    def __init__(self, selection: ReportSelection, layout: TextLayout) -> None:
        self._layout, self._events = layout, selection.events
        columns = cost_columns(selection)
        self._costs = [[_cost_text(cost) for cost in column.costs] for column in columns]
        self._shares = [column.percentages() for column in columns]
        self._widths = [max([len("Incl."), *map(len, texts)]) for texts in self._costs]
        self._called = list(_called_texts(selection))
        self._called_width = max([len(ACTIVE), *map(len, self._called)])

    def titles(self) -> list[str]:
        """Return the events above their columns, and the titles of the columns."""
        if not self._events:
            return [f"{'Called':>{self._called_width}}{_GAP}Function"]
        widths = [width + len(_GAP) + _PERCENTAGE_WIDTH for width in self._widths]
        events = [
            self._layout.fit(cell_text(event.name), sum(pair) + len(_GAP)).ljust(sum(pair))
            for event, pair in zip(
                self._events, zip(widths[::2], widths[1::2], strict=True), strict=True
            )
        ]
        titles = [
            f"{title:>{width}}{_GAP}{'%':>{_PERCENTAGE_WIDTH}}"
            for title, width in zip(
                ("Incl.", "Self") * len(self._events), self._widths, strict=True
            )
        ]
        last = f"{'Called':>{self._called_width}}"
        return [(_GAP * 2).join(events).rstrip(), _GAP.join((*titles, last, "Function"))]

    def line(self, position: int, name: str, file: str, object_: str) -> str:
        """Return the line of a function, with its name and location at the end."""
        cells, used = [], 0
        for costs, shares, width in zip(self._costs, self._shares, self._widths, strict=True):
            share = shares[position]
            percentage = "" if share is None else f"{share:.2f}"
            text = f"{costs[position]:>{width}}{_GAP}{percentage:>{_PERCENTAGE_WIDTH}}"
            used += len(text) + len(_GAP)
            cells.append(self._layout.cost(text, share or 0.0))
        called = f"{self._called[position]:>{self._called_width}}"
        used += len(called) + len(_GAP)
        return _GAP.join((*cells, called, self._layout.located_name(name, file, object_, used)))


def _called_texts(selection: ReportSelection) -> Iterator[str]:
    costs, rows = selection.queries.costs(selection.scope), selection.functions
    counts = zip(costs.called[rows].tolist(), costs.is_active[rows].tolist(), strict=True)
    for called, is_active in counts:
        yield format_call_count(called, TEXT_STYLE, is_active=is_active)


def _cost_text(cost: int | float) -> str:
    return format_exact(cost, "", TEXT_STYLE)
