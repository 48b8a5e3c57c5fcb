"""The job that finds out how the self cost of a function changed line by line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from qcachegrind_py.analysis.code.line_changes import ChangedLines, changed_lines
from qcachegrind_py.analysis.code.line_costs import function_lines
from qcachegrind_py.analysis.comparison.comparison import Comparison
from qcachegrind_py.analysis.costs.series import BothSides
from qcachegrind_py.models.explanation.line_changes import LineRows
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import FunctionId, TextId, text_ids
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.string_table import UNKNOWN
from qcachegrind_py.tools.compared_sources import ComparedSources, read_compared_sources
from qcachegrind_py.tools.sources.file_search import FileSearch


@dataclass(frozen=True, slots=True, eq=False)
class LoadedLines:
    """The lines of a function, and how they were paired if not by text."""

    rows: LineRows
    note: str


def load_lines(
    compared: Comparison,
    function: FunctionId,
    event: EventType,
    search: FileSearch,
    progress: Progress,
) -> LoadedLines:
    """Pair the lines of a function. Raises only `Cancelled`."""
    profile = compared.queries.profile
    base, new = (
        function_lines(profile, function, scope.parts) for scope in (compared.base, compared.new)
    )
    files = {file: profile.texts[file] for file in text_ids(np.union1d(base.file, new.file))}
    sources = read_compared_sources(compared, function, files, search, progress)
    rows = _rows(compared, event, changed_lines(base, new, sources.pairs), sources)
    shown = {profile.texts[file] for file in text_ids(np.unique(rows.file))} - {UNKNOWN}
    notes = sources.notes(compared, [name for name in files.values() if name in shown])
    return LoadedLines(rows, " ".join(notes))


def _rows(
    compared: Comparison, event: EventType, changed: ChangedLines, sources: ComparedSources
) -> LineRows:
    """Return the lines that have a cost of the event on one side at least."""
    profile, events, lines = compared.queries.profile, compared.queries.events, changed.lines
    cost = BothSides(events.evaluate(event, lines.base), events.evaluate(event, lines.new))
    has_cost = (cost.base != 0) | (cost.new != 0)
    file, base_line, new_line = (
        column[has_cost] for column in (changed.file, lines.base_line, lines.new_line)
    )
    names = {number: profile.texts[TextId(number)] for number in np.unique(file).tolist()}
    texts = [
        sources.line_text(names[number], before, after)
        for number, before, after in zip(
            file.tolist(), base_line.tolist(), new_line.tolist(), strict=True
        )
    ]
    return LineRows(
        file,
        base_line,
        new_line,
        BothSides(cost.base[has_cost], cost.new[has_cost]),
        texts,
        {number: Path(name).name for number, name in names.items()} if len(names) > 1 else {},
    )
