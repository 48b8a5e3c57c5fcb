"""Writes a profile as a file in the Callgrind format: all of it, or parts and functions chosen.

What a reader gets from it is what this profile says, to the last count; what the profile does not
hold (comments, basic blocks, where calls lead to within the callee) is not written. Lines that are
left out of a part, or parts, are what `selection` says; each part's `summary:` is the recorded one,
so that percentages stay what they were. Where functions are left out and percentages were of the
counted costs, because nothing or too little was recorded, those are written as the summary.
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
    """Write the profile to a file, whole or not at all; packed where its name ends so.

    Raises `UnwritableFile`, and `Cancelled` where the progress says so.
    """
    with atomic_write(path) as file, compressing_stream(file, path) as stream:
        write(profile, stream, selection, progress)


def write(
    profile: Profile,
    stream: BinaryIO,
    selection: Selection = EVERYTHING,
    progress: Progress | None = None,
) -> None:
    """Write the profile to a stream, a stretch of lines at a time."""
    progress = progress or NoProgress()
    progress.check(0.0)
    if selection.merged:
        profile, selection = merge_parts(profile, selection, progress)
    _ProfileWriter(profile, stream, selection, progress).write()


class _ProfileWriter:
    """One file on its way."""

    def __init__(
        self, profile: Profile, stream: BinaryIO, selection: Selection, progress: Progress
    ) -> None:
        self._profile = profile
        self._stream = stream
        self._selection = selection
        self._progress = progress
        self._names = NameIds(profile)
        self._positions = part_positions(profile)
        self._counted = part_totals(profile)
        self._line_count = len(profile.costs) + len(profile.calls) + len(profile.jumps)
        self._lines_written = 0
        self._is_first = True

    def write(self) -> None:
        """Write the parts."""
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
        positions = self._positions[rows.part]
        summary = self._summary(part, self._counted[columns, rows.part].tolist(), events)
        head = part_header_lines(
            part, positions, events, summary, definitions, is_first=self._is_first
        )
        self._stream.write(FIRST_LINES + head if self._is_first else head)
        self._is_first = False
        self._names.start_part()
        body = BodyWriter(profile, self._names, columns, positions)
        for items in layout_body(profile, rows):
            for text in body.render(items):
                self._stream.write(text)
                self._progress.check(min(1.0, self._lines_written / max(1, self._line_count)))
            self._lines_written += len(items)
        self._stream.write(b"\n" + totals_line(self._self_cost_sums(rows.runs)[columns].tolist()))

    def _self_cost_sums(self, runs: Int64Array) -> Int64Array:
        """The sums of the self costs that are written, by event."""
        every = segment_sums(self._profile.costs.values, self._profile.runs.start)
        sums: Int64Array = every[:, runs].sum(axis=1)
        return sums

    def _summary(self, part: Part, counted: list[int], events: list[str]) -> list[int] | None:
        """What `summary:` says: what percentages are of must not change with the functions."""
        summary = part.summary
        recorded = None if summary is None else [summary[event] for event in events]
        if self._selection.functions is None or not counted:
            return recorded
        if recorded is None:
            return counted
        return [max(pair) for pair in zip(recorded, counted, strict=True)]
