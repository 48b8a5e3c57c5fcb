"""Writer of profiles in the Callgrind format, whole or with selected parts and functions.

Readers get exactly the counts of the profile. Information that the profile does not hold is not
written: comments, basic blocks, and target positions of calls. `selection` decides which parts and
lines are written. Each part has its recorded `summary:`, so that percentages are unchanged. If
functions are left out and percentages refer to the counted costs, because the recorded total is
missing or too small, the counted costs become the summary.
"""

from __future__ import annotations

import os
from typing import BinaryIO

from qcachegrind_py.analysis.costs.grouped_sums import segment_sums
from qcachegrind_py.analysis.costs.part_totals import part_totals
from qcachegrind_py.formats.atomic_write import atomic_write
from qcachegrind_py.formats.callgrind.writing.body_layout import layout_body
from qcachegrind_py.formats.callgrind.writing.body_writer import BodyWriter
from qcachegrind_py.formats.callgrind.writing.header_lines import (
    FIRST_LINES,
    event_lines,
    part_header_lines,
    part_positions,
    totals_line,
)
from qcachegrind_py.formats.callgrind.writing.name_ids import NameIds
from qcachegrind_py.formats.callgrind.writing.part_merger import merge_parts
from qcachegrind_py.formats.callgrind.writing.selection import PartRows, Selection, select_rows
from qcachegrind_py.formats.compression import compressing_stream
from qcachegrind_py.profile.profile import Part, Profile
from qcachegrind_py.profile.progress import NoProgress, Progress
from qcachegrind_py.profile.tables import Int64Array

EVERYTHING = Selection()


def save(
    profile: Profile,
    path: str | os.PathLike[str],
    selection: Selection = EVERYTHING,
    progress: Progress | None = None,
) -> None:
    """Write the profile to a file atomically, compressed by the ending of its name.

    Raises `UnwritableFile`, and `Cancelled` if the progress is cancelled.
    """
    with atomic_write(path) as file, compressing_stream(file, path) as stream:
        write(profile, stream, selection, progress)


def write(
    profile: Profile,
    stream: BinaryIO,
    selection: Selection = EVERYTHING,
    progress: Progress | None = None,
) -> None:
    """Write the profile to a stream in chunks."""
    progress = progress or NoProgress()
    progress.check(0.0)
    if selection.merged:
        profile, selection = merge_parts(profile, selection, progress)
    _ProfileWriter(profile, stream, selection, progress).write()


class _ProfileWriter:
    """The state of writing one file."""

    def __init__(
        self, profile: Profile, stream: BinaryIO, selection: Selection, progress: Progress
    ) -> None:
        self._profile = profile
        self._stream = stream
        self._selection = selection
        self._progress = progress
        self._names = NameIds(profile)
        self._counted = part_totals(profile)
        self._line_count = len(profile.costs) + len(profile.calls) + len(profile.jumps)
        self._lines_written = 0
        self._part_before: Part | None = None

    def write(self) -> None:
        """Write all selected parts."""
        definitions = list(event_lines(self._profile))
        for rows in select_rows(self._profile, self._selection):
            self._write_part(rows, definitions)
            definitions = []
        self._progress.check(1.0)

    def _write_part(self, rows: PartRows, definitions: list[str]) -> None:
        profile, part = self._profile, self._profile.parts[rows.part]
        names = profile.events.names
        events = [name for name in dict.fromkeys(part.events or names) if name in names]
        columns = [names.index(name) for name in events]
        positions = part_positions(part)
        summary = self._summary(part, self._counted[columns, rows.part].tolist(), events)
        head = part_header_lines(
            part, positions, events, summary, definitions, before=self._part_before
        )
        self._stream.write(head if self._part_before else FIRST_LINES + head)
        self._part_before = part
        if events:
            self._write_body(rows, columns, positions)

    def _write_body(self, rows: PartRows, columns: list[int], positions: tuple[str, ...]) -> None:
        """Write the lines of a part and their totals; `columns` are the rows of its events."""
        self._names.start_part()
        body = BodyWriter(self._profile, self._names, columns, positions)
        for items in layout_body(self._profile, rows):
            for text in body.render(items):
                self._stream.write(text)
                self._progress.check(min(1.0, self._lines_written / max(1, self._line_count)))
            self._lines_written += len(items)
        self._stream.write(b"\n" + totals_line(self._self_cost_sums(rows.runs)[columns].tolist()))

    def _self_cost_sums(self, runs: Int64Array) -> Int64Array:
        """Return the sums of the self costs to write, shape (events,)."""
        run_sums = segment_sums(self._profile.costs.values, self._profile.runs.start)
        sums: Int64Array = run_sums[:, runs].sum(axis=1)
        return sums

    def _summary(self, part: Part, counted: list[int], events: list[str]) -> list[int] | None:
        """Return the numbers of `summary:`, so that the base of percentages does not change.

        It is the counted sum where nothing was recorded, or less than that. Last numbers that were
        not recorded remain missing.
        """
        summary, is_whole = part.summary, self._selection.functions is None
        if not events or (summary is None and is_whole):
            return None
        recorded = summary or {}
        numbers = [
            max(recorded.get(event, sum_), sum_)
            for event, sum_ in zip(events, counted, strict=True)
        ]
        while is_whole and numbers and events[len(numbers) - 1] not in recorded:
            numbers.pop()
        return numbers or None
