"""Two profiles compared as TSV or CSV: one line for each function, with several events if asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, TextIO

from qcachegrind_py.analysis.costs.series import BothSides
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.reports.comparison.contents import (
    ComparisonReport,
    EventComparison,
)
from qcachegrind_py.reports.comparison.measures import Measure
from qcachegrind_py.reports.comparison.pairs import FunctionName, FunctionPairs
from qcachegrind_py.reports.function_table import chunks
from qcachegrind_py.visible_text import visible_text
from qcachegrind_py.write.separated import (
    TableColumns,
    defined_number,
    write_columns,
)

_COST_TITLES = tuple(
    f"{kind} {side}" for kind in ("self", "inclusive") for side in ("change", "base", "new")
)
_EFFECT_TITLES = ("by calls", "by cost per call")
_LAST_TITLES = ("pair", "name", "file", "object", "base name", "base file", "base object", "cycle")
_Cells = Sequence[int | float | str]


def write_table(
    report: ComparisonReport, form: Literal["tsv", "csv"], stream: TextIO, measure: Measure
) -> None:
    """Write one line for each function after a title line.

    `pair` is how the function was paired, or `new` or `gone`. The base's name, file and object are
    there if they differ from those of the new profile. `cycle` is the number of a cycle that one
    side alone does not have, or 0.
    """
    cells = (_columns(report, rows, measure) for rows in chunks(report.functions))
    write_columns(_titles(report), cells, form, stream)


def _titles(report: ComparisonReport) -> list[str]:
    """Return the column titles; they name the event only where there are several."""
    titles = []
    for each in report.events:
        of_event = f" {visible_text(each.event.name)}" if len(report.events) > 1 else ""
        titles += [f"{title}{of_event}" for title in (*_COST_TITLES, *_EFFECT_TITLES)]
    if report.event.is_changed is not None:
        titles.append("changed")
    return [*titles, "called base", "called new", *_LAST_TITLES]


def _columns(report: ComparisonReport, rows: Int64Array, measure: Measure) -> TableColumns:
    numbers = [cells for each in report.events for cells in _event_cells(each, rows, measure)]
    if (changed := report.event.is_changed) is not None:
        numbers.append(changed[rows].astype(int).tolist())
    called = report.called
    numbers += [called.base[rows].tolist(), called.new[rows].tolist()]
    cycles = list(map(str, report.split_cycle[rows].tolist()))
    return TableColumns(numbers, [*_name_columns(report.pairs, rows), cycles])


def _event_cells(each: EventComparison, rows: Int64Array, measure: Measure) -> Iterator[_Cells]:
    for costs in (each.self_cost, each.inclusive):
        measured = measure.measured(BothSides(costs.base[rows], costs.new[rows]), each)
        for numbers in (measured.change, measured.base, measured.new):
            yield list(map(defined_number, numbers))
    known = each.effects.is_known[rows].tolist()
    for effect in (each.effects.by_calls, each.effects.per_call):
        yield [
            number if is_known else ""
            for number, is_known in zip(effect[rows].tolist(), known, strict=True)
        ]


def _name_columns(pairs: FunctionPairs, rows: Int64Array) -> list[list[str]]:
    """Return how each row is paired, its name, and that of its base where it is another one."""
    shown, base = pairs.shown(rows), pairs.base(rows)
    new = pairs.only_new[rows].tolist()
    how = [
        pair.value or ("new" if is_new else "gone")
        for pair, is_new in zip(pairs.how(rows), new, strict=True)
    ]
    before = [_base_names(name, functions) for name, functions in zip(shown, base, strict=True)]
    names = [(name.name, name.file, name.object) for name in shown]
    columns = zip(*names, strict=True), zip(*before, strict=True)
    return [how, *(list(column) for part in columns for column in part)]


def _base_names(shown: FunctionName, functions: tuple[FunctionName, ...]) -> tuple[str, str, str]:
    """Return name, file and object of the one function of the base, if they differ from these."""
    if len(functions) != 1:
        return "", "", ""
    (base,) = functions
    return (
        base.name if base.name != shown.name else "",
        base.file if base.file != shown.file else "",
        base.object if base.object != shown.object else "",
    )
