"""Source excerpts of what changed: the lines of a function with base, new and change.

The numbers of files and lines are bounded, so that browsers can open the page.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.code.line_numbering import ChangedLines, Numbering, changed_lines
from qcachegrind_py.analysis.code.location_costs import has_lines
from qcachegrind_py.analysis.comparison.comparison import Comparison
from qcachegrind_py.analysis.costs.series import BothSides
from qcachegrind_py.profile.errors import WithheldFile
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import FunctionId, TextId
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import UNKNOWN, Int64Array, to_display
from qcachegrind_py.tools.annotation_inputs import NO_LINES
from qcachegrind_py.tools.compared_inputs import (
    ComparedSources,
    function_sides,
    read_compared_sources,
)
from qcachegrind_py.tools.sources.file_search import NO_BASE_SEARCH, BaseSearch, FileSearch

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
    base_search: BaseSearch = NO_BASE_SEARCH

    def read(self, function: FunctionId, progress: Progress) -> tuple[tuple[FileExcerpt, ...], str]:
        """Return the excerpts, most change first, or why there are none. Raises `Cancelled`."""
        compared, profile = self.compared, self.compared.queries.profile
        if not has_lines(profile):
            return (), NO_LINES
        sides = function_sides(compared, function)
        sources = read_compared_sources(
            compared, function, sides, sides.files(), self.search, progress, self.base_search
        )
        changed = changed_lines(sides.base, sides.new, sources.numberings)
        costs = self._costs(changed)
        sizes = np.abs(costs.change)
        largest = np.argsort(-sizes, kind="stable")[:_MOST_LINES]
        shown = np.zeros(len(changed), bool)
        shown[largest[(sizes[largest] > 0).astype(bool)]] = True
        if not shown.any():
            return (), _NO_CHANGE
        by_file = _largest_first(changed.file, sizes)
        texts = sources.shown_texts()
        excerpts = (
            self._excerpt(file, texts.get(file, ()), (changed, costs, shown), sources)
            for file in by_file[:_MOST_FILES]
            if shown[changed.file == file].any()
        )
        return tuple(excerpts), ""

    def _costs(self, changed: ChangedLines) -> BothSides:
        evaluate = self.compared.queries.events.evaluate
        return BothSides(evaluate(self.event, changed.base), evaluate(self.event, changed.new))

    def _excerpt(
        self,
        file: TextId,
        texts: Sequence[str],
        found: tuple[ChangedLines, BothSides, Int64Array],
        sources: ComparedSources,
    ) -> FileExcerpt:
        changed, costs, shown = found
        of_file = changed.file == file
        rows = np.flatnonzero(of_file & shown)
        profile = self.compared.queries.profile
        name = profile.texts[file]
        lines = _Lines(changed, costs, np.flatnonzero(of_file), texts, sources.numberings.get(file))
        notes = [] if name == UNKNOWN else [*sources.notes(profile, [file])]
        problems = (side.problems.get(name) for side in (sources.new, sources.base))
        withheld = (to_display(str(p)) for p in problems if isinstance(p, WithheldFile))
        notes += dict.fromkeys(withheld)
        return FileExcerpt(
            "in an unknown file" if name == UNKNOWN else to_display(name),
            tuple(lines.around(rows.tolist())),
            bool(texts),
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
    """The lines of one file by their common numbers."""

    changed: ChangedLines
    costs: BothSides
    rows: Int64Array  # all rows of the file
    texts: Sequence[str]  # by number; none if no text was found
    numbering: Numbering | None  # None: lines of both sides have equal numbers

    def around(self, rows: list[int]) -> Iterator[ExcerptLine]:
        """Yield these rows, with some lines above and below each where there is a text."""
        numbers = self.changed.number
        row_at = dict(zip(numbers[self.rows].tolist(), self.rows.tolist(), strict=True))
        chosen = numbers[rows].tolist()
        wanted = {*chosen, *(near for number in chosen for near in self._near(number))}
        previous = 0
        for number in sorted(wanted):
            gap = bool(previous and number > previous + 1 and self.texts)
            yield self._line(number, row_at.get(number), follows_gap=gap)
            previous = number

    def _near(self, number: int) -> range:
        if not number:  # the unknown line
            return range(0)
        return range(max(1, number - _CONTEXT), min(len(self.texts), number + _CONTEXT) + 1)

    def _line(self, number: int, row: int | None, *, follows_gap: bool) -> ExcerptLine:
        base = new = 0
        if row is not None:
            base, new = int(self.costs.base[row]), int(self.costs.new[row])
        text = self.texts[number - 1] if 0 < number <= len(self.texts) else ""
        return ExcerptLine(*self._lines_of(number), base, new, to_display(text), follows_gap)

    def _lines_of(self, number: int) -> tuple[int, int]:
        """Return the line of base and new; 0 where a side has none."""
        if self.numbering is None:
            return number, number
        base, new = self.numbering.lines_of(np.array([number]))
        return int(base[0]), int(new[0])
