"""Table rows of a source file: all its lines, with or without cost.

Lines of other files follow the line into which the compiler inlined them. Costs without a line come
first, lines beyond the end of the text last: no cost is left out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.code.annotated_function import AnnotatedLines
from qcachegrind_py.analysis.code.location_costs import LineCosts, LineJumps
from qcachegrind_py.analysis.names.function_names import Labels
from qcachegrind_py.models.code.records import Arrows, CodeRows, code_records
from qcachegrind_py.profile.ids import TextId, text_at, text_ids
from qcachegrind_py.profile.tables import Int32Array, Int64Array


@dataclass(frozen=True, slots=True, eq=False)
class _Locations:
    cost_row: Int64Array
    file: Int32Array
    line: Int32Array
    host: Int32Array  # line of the shown file
    host_location: Int64Array


def source_rows(annotated: AnnotatedLines, file: TextId, labels: Labels, context: int) -> CodeRows:
    """Return the table rows of a file; without its text, only those with cost.

    `context` is the number of lines shown around each that is not folded.
    """
    lines = annotated.lines
    locations = _locations(lines, file, len(annotated.texts.get(file, ())))
    arrows = _jump_arrows(lines, locations)
    records = code_records(
        locations.cost_row, lines.calls, arrows, context, hosts=locations.host_location
    )
    return CodeRows(
        records, locations.cost_row, locations.file, locations.line, annotated.costs, labels
    )


def _locations(lines: LineCosts, file: TextId, length: int) -> _Locations:
    top = int(np.searchsorted(lines.host, 1))  # rows without a line
    hosts = np.union1d(np.arange(1, length + 1), lines.host[top:]).astype(np.int32)
    first = np.searchsorted(lines.host, hosts, side="left")
    end = np.searchsorted(lines.host, hosts, side="right")
    has_own_row = np.zeros(len(hosts), bool)
    known = first < end
    rows = first[known]
    has_own_row[known] = (lines.file[rows] == file) & (lines.line[rows] == hosts[known])
    counts = 1 + end - first - has_own_row
    host = np.repeat(hosts, counts)
    indexes = np.arange(len(host))
    within = indexes - np.repeat(np.cumsum(counts) - counts, counts)
    own_row, start = np.repeat(has_own_row, counts), np.repeat(first, counts)
    cost_row = np.where(within == 0, np.where(own_row, start, -1), start + own_row + within - 1)
    is_own_line = within == 0
    cost_row = np.concatenate((np.arange(top), cost_row))
    own_file = np.where(is_own_line, file, lines.file[cost_row[top:]] if len(lines) else file)
    own_line = np.where(is_own_line, host, lines.line[cost_row[top:]] if len(lines) else host)
    return _Locations(
        cost_row,
        np.concatenate((lines.file[:top], own_file)).astype(np.int32),
        np.concatenate((lines.line[:top], own_line)).astype(np.int32),
        np.concatenate((lines.host[:top], host)).astype(np.int32),
        np.concatenate((np.arange(top), top + indexes - within)),
    )


def _jump_arrows(lines: LineCosts, locations: _Locations) -> Arrows:
    """Return the jumps between locations, except those within a line or to a line without location.

    A jump to a line of another file leads to where that line was inlined.
    """
    jumps = lines.jumps
    location_of_row = np.zeros(len(lines), np.int64)
    has_row = np.flatnonzero(locations.cost_row >= 0)
    location_of_row[locations.cost_row[has_row]] = has_row
    source = location_of_row[jumps.location]
    target = _targets(jumps, locations, source)
    visible = (target >= 0) & (target != source) & (jumps.executed > 0)
    return Arrows(
        source[visible],
        target[visible],
        jumps.executed[visible],
        jumps.followed[visible],
        jumps.conditional[visible],
    )


def _targets(jumps: LineJumps, locations: _Locations, source: Int64Array) -> Int64Array:
    """Return the location of each jump's target, preferably one with the same host; -1 for none."""
    targets_by_jump = list(
        zip(text_ids(jumps.target_file), jumps.target_line.tolist(), strict=True)
    )
    hosts_of_target: dict[tuple[TextId, int], dict[int, int]] = {
        target: {} for target in targets_by_jump
    }
    candidates = np.flatnonzero(np.isin(locations.line, jumps.target_line))
    for location in candidates.tolist():
        hosts = hosts_of_target.get(
            (text_at(locations.file, location), int(locations.line[location]))
        )
        if hosts is not None:
            hosts.setdefault(int(locations.host[location]), location)
    targets = np.full(len(jumps), -1, np.int64)
    for jump, target in enumerate(targets_by_jump):
        hosts = hosts_of_target[target]
        host = int(locations.host[source[jump]])
        targets[jump] = hosts.get(host, next(iter(hosts.values()), -1))
    return targets
