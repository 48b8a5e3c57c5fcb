"""Writer of profiles in the Callgrind format, whole or with selected parts and functions.

Readers get exactly the counts of the profile. Information that the profile does not hold is not
written: comments and basic blocks. `selection` decides which parts and lines are written. Each part
has its recorded `summary:`, so that percentages are unchanged; where that is less than the counted
costs, or functions are left out and it is missing, the counted costs become the summary. What
Cachegrind recorded is written in its own form (`cachegrind_writer`).
"""

from __future__ import annotations

import os
from typing import BinaryIO

import numpy as np

from qcachegrind_py.analysis.costs.sums import segment_sums
from qcachegrind_py.analysis.costs.totals import part_totals
from qcachegrind_py.formats.atomic_write import atomic_write
from qcachegrind_py.formats.callgrind.writing.body_layout import layout_body
from qcachegrind_py.formats.callgrind.writing.body_writer import BodyWriter
from qcachegrind_py.formats.callgrind.writing.cachegrind_writer import (
    cachegrind_lines,
    is_of_cachegrind,
)
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
from qcachegrind_py.profile.tables import BoolArray, Int64Array

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
        self._needs_file = _functions_to_locate(profile, selection)
        self._counted = part_totals(profile)
        self._line_count = len(profile.costs) + len(profile.calls) + len(profile.jumps)
        self._lines_written = 0
        self._part_before: Part | None = None

    def write(self) -> None:
        """Write all selected parts."""
        profile, chosen = self._profile, self._selection.chosen_parts(self._profile)
        self._is_of_cachegrind = len(chosen) == 1 and is_of_cachegrind(
            profile, profile.parts[chosen[0]]
        )
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
        counted = self._counted[columns, rows.part].tolist()
        summary = self._summary(part, counted, events)
        if self._is_of_cachegrind:
            sums = (summary or []) + counted[len(summary or ()) :]
            for text in cachegrind_lines(profile, part, rows, events, columns, sums):
                self._stream.write(text)
                self._progress.check(0.5)
            return
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
        body = BodyWriter(self._profile, self._names, columns, positions, self._needs_file)
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


def _functions_to_locate(profile: Profile, selection: Selection) -> BoolArray:
    """Return the functions that a reader might take for another one of their name.

    These are callees without a body in the file, as in reading rule 3.
    """
    name = profile.functions.name
    is_shared: BoolArray = np.bincount(name)[name] > 1
    if selection.parts is None and selection.functions is None:
        for column in (profile.runs.function, profile.calls.caller, profile.jumps.function):
            is_shared[column] = False
    return is_shared
