"""The job that finds out how the self cost of a function changed line by line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from qcachegrind_py.analysis.code.line_numbering import ChangedLines, changed_lines
from qcachegrind_py.analysis.comparison.comparison import Comparison
from qcachegrind_py.analysis.costs.series import BothSides
from qcachegrind_py.models.explanation.line_changes import LineRows
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import FunctionId, TextId, text_ids
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import UNKNOWN
from qcachegrind_py.tools.compared_inputs import (
    ComparedSources,
    function_sides,
    read_compared_sources,
)
from qcachegrind_py.tools.sources.file_search import NO_BASE_SEARCH, BaseSearch, FileSearch


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
    base_search: BaseSearch = NO_BASE_SEARCH,
) -> LoadedLines:
    """Pair the lines of a function. Raises only `Cancelled`."""
    profile = compared.queries.profile
    sides = function_sides(compared, function)
    sources = read_compared_sources(
        compared, function, sides, sides.files(), search, progress, base_search
    )
    changed = changed_lines(sides.base, sides.new, sources.numberings)
    rows = _rows(compared, event, changed, sources)
    shown = [file for file in text_ids(np.unique(rows.file)) if profile.texts[file] != UNKNOWN]
    return LoadedLines(rows, " ".join(sources.notes(profile, shown)))


def _rows(
    compared: Comparison,
    event: EventType,
    changed: ChangedLines,
    sources: ComparedSources,
) -> LineRows:
    """Return the lines that have a cost of the event on one side at least."""
    profile, events = compared.queries.profile, compared.queries.events
    cost = BothSides(events.evaluate(event, changed.base), events.evaluate(event, changed.new))
    has_cost = (cost.base != 0) | (cost.new != 0)
    file, number, base_line, new_line = (
        column[has_cost]
        for column in (changed.file, changed.number, changed.base_line, changed.new_line)
    )
    files = {each: profile.texts[TextId(each)] for each in np.unique(file).tolist()}
    return LineRows(
        file,
        base_line,
        new_line,
        BothSides(cost.base[has_cost], cost.new[has_cost]),
        list(_texts(file.tolist(), number.tolist(), sources.shown_texts())),
        {each: Path(name).name for each, name in files.items()} if len(files) > 1 else {},
        sources.withheld,
    )


def _texts(
    files: list[int], numbers: list[int], texts: Mapping[TextId, Sequence[str]]
) -> Iterator[str]:
    """Yield the text of each line; empty where it is not known."""
    for file, number in zip(files, numbers, strict=True):
        lines = texts.get(TextId(file), ())
        yield lines[number - 1] if 0 < number <= len(lines) else ""
