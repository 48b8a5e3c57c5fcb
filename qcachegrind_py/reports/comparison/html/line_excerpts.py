"""Source excerpts of what changed: the lines of a function with base, new and change.

The numbers of files and lines are bounded, so that browsers can open the page.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.code.line_changes import ChangedLines, changed_lines
from qcachegrind_py.analysis.code.line_costs import function_lines
from qcachegrind_py.analysis.code.recorded_positions import has_lines
from qcachegrind_py.analysis.comparison.comparison import Comparison
from qcachegrind_py.analysis.costs.series import BothSides
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import FunctionId, TextId, text_ids
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.string_table import UNKNOWN, to_display
from qcachegrind_py.profile.tables import Int32Array, Int64Array
from qcachegrind_py.tools.annotation_inputs import NO_LINES
from qcachegrind_py.tools.compared_sources import ComparedSources, read_compared_sources
from qcachegrind_py.tools.sources.file_search import FileSearch

_MOST_FILES = 4  # of a function
_MOST_LINES = 40  # that changed, of a function
_CONTEXT = 2  # lines above and below one that changed
_NO_CHANGE = "No line of it changed its self cost."


@dataclass(frozen=True, slots=True)
class ExcerptLine:
    """A line; numbers are 0 where a side does not have it, or it is not known."""

    base_line: int
    new_line: int
    base: int
    new: int
    text: str
    follows_gap: bool = False

    @property
    def change(self) -> int:
        """By how much the self cost of the line changed."""
        return self.new - self.base


@dataclass(frozen=True, slots=True)
class FileExcerpt:
    """The changed lines of a function in one file, and what to know about its texts."""

    file: str
    lines: tuple[ExcerptLine, ...]
    has_text: bool
    note: str
    omitted: int  # lines that changed, and are not shown


@dataclass(frozen=True, slots=True, eq=False)
class LineExcerpts:
    """Reads excerpts of functions, in one event."""

    compared: Comparison
    event: EventType
    search: FileSearch

    def read(self, function: FunctionId, progress: Progress) -> tuple[tuple[FileExcerpt, ...], str]:
        """Return the excerpts, most change first, or why there are none. Raises `Cancelled`."""
        compared, profile = self.compared, self.compared.queries.profile
        if not has_lines(profile):
            return (), NO_LINES
        base, new = (
            function_lines(profile, function, scope.parts)
            for scope in (compared.base, compared.new)
        )
        files = {file: profile.texts[file] for file in text_ids(np.union1d(base.file, new.file))}
        sources = read_compared_sources(compared, function, files, self.search, progress)
        changed = changed_lines(base, new, sources.pairs)
        costs = self._costs(changed)
        sizes = np.abs(costs.change)
        largest = np.argsort(-sizes, kind="stable")[:_MOST_LINES]
        shown = np.zeros(len(changed), bool)
        shown[largest[(sizes[largest] > 0).astype(bool)]] = True
        if not shown.any():
            return (), _NO_CHANGE
        by_file = _largest_first(changed.file, sizes)
        excerpts = (
            self._excerpt(file, files[file], (changed, costs, shown), sources)
            for file in by_file[:_MOST_FILES]
            if shown[changed.file == file].any()
        )
        return tuple(excerpts), ""

    def _costs(self, changed: ChangedLines) -> BothSides:
        evaluate = self.compared.queries.events.evaluate
        lines = changed.lines
        return BothSides(evaluate(self.event, lines.base), evaluate(self.event, lines.new))

    def _excerpt(
        self,
        file: TextId,
        name: str,
        found: tuple[ChangedLines, BothSides, Int64Array],
        sources: ComparedSources,
    ) -> FileExcerpt:
        changed, costs, shown = found
        of_file = changed.file == file
        rows = np.flatnonzero(of_file & shown)
        lines = _Lines(
            changed, costs, np.flatnonzero(of_file), name, sources, sources.pairs.get(file)
        )
        notes = () if name == UNKNOWN else sources.notes(self.compared, [name])
        return FileExcerpt(
            "in an unknown file" if name == UNKNOWN else to_display(name),
            tuple(lines.around(rows.tolist())),
            name in sources.new or name in sources.base,
            " ".join(notes),
            int(((costs.change != 0).astype(bool) & of_file).sum()) - len(rows),
        )


def _largest_first(file: Int64Array, sizes: Int64Array) -> list[TextId]:
    """Return the files by how much their lines changed."""
    total: dict[int, int] = {}
    for each, size in zip(file.tolist(), sizes.tolist(), strict=True):
        total[each] = total.get(each, 0) + size
    return [TextId(each) for each in sorted(total, key=lambda each: -total[each])]


@dataclass(frozen=True, slots=True, eq=False)
class _Lines:
    """The lines of one file in their order, which is that of the new text."""

    changed: ChangedLines
    costs: BothSides
    rows: Int64Array  # all rows of the file
    name: str
    sources: ComparedSources
    pairs: Int32Array | None  # the new line of each base line; None: lines pair by number

    def around(self, rows: list[int]) -> Iterator[ExcerptLine]:
        """Yield these rows, with some lines above and below each where there is a text."""
        numbers, places = self.changed.lines, self._places()
        row_at = dict(zip(places, self.rows.tolist(), strict=True))
        chosen = set(rows)
        wanted = {place for place, row in row_at.items() if row in chosen}
        for line in {numbers.new_line[row] for row in rows if numbers.new_line[row]}:
            wanted |= {(near, 0, 0) for near in self._near(int(line))}
        previous = 0
        for place in sorted(wanted):
            gap = bool(previous and place[0] > previous + 1 and self.name in self.sources.new)
            yield self._line(place, row_at.get(place), follows_gap=gap)
            previous = place[0]

    def _places(self) -> list[tuple[int, int, int]]:
        """Return what the rows are sorted by; a line that is gone follows its predecessor."""
        lines = self.changed.lines
        before = None if self.pairs is None else np.maximum.accumulate(self.pairs).tolist()
        places = []
        for row in self.rows.tolist():
            base, new = int(lines.base_line[row]), int(lines.new_line[row])
            if new or not base:
                places.append((new, 0, 0))
            elif before is None:
                places.append((base, 1, base))
            else:
                places.append((before[min(base, len(before) - 1)], 1, base))
        return places

    def _near(self, line: int) -> range:
        text = self.sources.new.get(self.name)
        last = 0 if text is None else len(text.lines)
        return range(max(1, line - _CONTEXT), min(last, line + _CONTEXT) + 1)

    def _line(
        self, place: tuple[int, int, int], row: int | None, *, follows_gap: bool
    ) -> ExcerptLine:
        if row is None:
            base_line, new_line, base, new = self._base_line(place[0]), place[0], 0, 0
        else:
            lines = self.changed.lines
            base_line, new_line = int(lines.base_line[row]), int(lines.new_line[row])
            base, new = int(self.costs.base[row]), int(self.costs.new[row])
            base_line = base_line or self._base_line(new_line)
        text = self.sources.line_text(self.name, base_line, new_line)
        return ExcerptLine(base_line, new_line, base, new, to_display(text), follows_gap)

    def _base_line(self, new_line: int) -> int:
        """Return the line of the base with the same text; 0 if there is none."""
        if self.pairs is None:
            return new_line
        found = np.flatnonzero(self.pairs == new_line)
        return int(found[0]) if len(found) and new_line else 0
