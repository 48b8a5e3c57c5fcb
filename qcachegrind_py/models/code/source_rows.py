"""A source file as sites of code: all its lines, those with cost and the others.

Lines of other files stand behind the line that the compiler put them in; what belongs to no line
comes first, lines beyond the end of the text last: no cost is left out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.code.line_costs import LineCosts, LineJumps
from qcachegrind_py.analysis.names.labels import Labels
from qcachegrind_py.models.code.records import Arrows, CodeRows, code_records
from qcachegrind_py.profile.ids import TextId, text_at, text_ids
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array


@dataclass(frozen=True, slots=True, eq=False)
class _Locations:
    cost_row: Int64Array
    file: Int32Array
    line: Int32Array
    host: Int32Array


def source_rows(
    lines: LineCosts, file: TextId, length: int, inside: BoolArray, labels: Labels, context: int
) -> CodeRows:
    """The sites of a file whose text has so many lines; 0 where there is no text.

    `inside` says of each of the calls whether it stays in the cycle of the function.
    """
    sites = _locations(lines, file, length)
    records = code_records(sites.cost_row, lines.calls, _jump_arrows(lines, sites), context)
    return CodeRows(records, sites.cost_row, sites.file, sites.line, lines.calls, inside, labels)


def _locations(lines: LineCosts, file: TextId, length: int) -> _Locations:
    top = int(np.searchsorted(lines.host, 1))  # rows that belong to no line
    hosts = np.union1d(np.arange(1, length + 1), lines.host[top:]).astype(np.int32)
    first = np.searchsorted(lines.host, hosts, side="left")
    behind = np.searchsorted(lines.host, hosts, side="right")
    has_own = np.zeros(len(hosts), bool)
    known = first < behind
    rows = first[known]
    has_own[known] = (lines.file[rows] == file) & (lines.line[rows] == hosts[known])
    counts = 1 + behind - first - has_own
    host = np.repeat(hosts, counts)
    within = np.arange(len(host)) - np.repeat(np.cumsum(counts) - counts, counts)
    own, start = np.repeat(has_own, counts), np.repeat(first, counts)
    cost_row = np.where(within == 0, np.where(own, start, -1), start + own + within - 1)
    is_own = within == 0
    cost_row = np.concatenate((np.arange(top), cost_row))
    own_file = np.where(is_own, file, lines.file[cost_row[top:]] if len(lines) else file)
    own_line = np.where(is_own, host, lines.line[cost_row[top:]] if len(lines) else host)
    return _Locations(
        cost_row,
        np.concatenate((lines.file[:top], own_file)).astype(np.int32),
        np.concatenate((lines.line[:top], own_line)).astype(np.int32),
        np.concatenate((lines.host[:top], host)).astype(np.int32),
    )


def _jump_arrows(lines: LineCosts, sites: _Locations) -> Arrows:
    """The jumps from site to site; those within a line are none, nor those to what has no site.

    A line of another file has one where it was put in line.
    """
    jumps = lines.jumps
    of_row = np.zeros(len(lines), np.int64)
    has_row = np.flatnonzero(sites.cost_row >= 0)
    of_row[sites.cost_row[has_row]] = has_row
    source = of_row[jumps.location]
    target = _targets(jumps, sites, source)
    drawn = (target >= 0) & (target != source) & (jumps.executed > 0)
    return Arrows(
        source[drawn],
        target[drawn],
        jumps.executed[drawn],
        jumps.followed[drawn],
        jumps.conditional[drawn],
    )


def _targets(jumps: LineJumps, sites: _Locations, source: Int64Array) -> Int64Array:
    """The site each jump goes to, of several the one with the same host; -1 for none."""
    wanted = list(zip(text_ids(jumps.target_file), jumps.target_line.tolist(), strict=True))
    places: dict[tuple[TextId, int], dict[int, int]] = {place: {} for place in wanted}
    candidates = np.flatnonzero(np.isin(sites.line, jumps.target_line))
    for site in candidates.tolist():
        hosts = places.get((text_at(sites.file, site), int(sites.line[site])))
        if hosts is not None:
            hosts.setdefault(int(sites.host[site]), site)
    targets = np.full(len(jumps), -1, np.int64)
    for jump, place in enumerate(wanted):
        hosts = places[place]
        host = int(sites.host[source[jump]])
        targets[jump] = hosts.get(host, next(iter(hosts.values()), -1))
    return targets
