"""Writer of profiles in the Callgrind format, whole or with selected parts and functions.

Readers get exactly the counts of the profile. Information that the profile does not hold is not
written: comments and basic blocks. `selection` decides which parts and lines are written. Each part
has its recorded `summary:`, so that percentages are unchanged; where that is less than the counted
costs, or functions are left out and it is missing, the counted costs become the summary. What
Cachegrind recorded is written in its own form.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import BinaryIO

import numpy as np

from qcachegrind_py.analysis.costs.sums import segment_sums
from qcachegrind_py.analysis.costs.totals import part_totals
from qcachegrind_py.formats.callgrind.header import SAMPLES, parse_event_line
from qcachegrind_py.formats.callgrind.writing.body_writer import BodyWriter, NameIds, encode_line
from qcachegrind_py.formats.callgrind.writing.selection import (
    PartRows,
    Selection,
    layout_body,
    merge_parts,
    part_positions,
    select_rows,
)
from qcachegrind_py.formats.compression import atomic_write, compressing_stream
from qcachegrind_py.profile.events import EventType, event_types, format_definition
from qcachegrind_py.profile.ids import TextId
from qcachegrind_py.profile.profile import Part, Profile
from qcachegrind_py.profile.progress import NoProgress, Progress
from qcachegrind_py.profile.tables import UNKNOWN, BoolArray, Int64Array

# ------------------------------------------------------------ header lines
# Format specification, 3.2.2.
#
# Recorded lines are written unchanged, even unknown ones, except for those that describe other
# lines: `positions:` and `events:` are those of the lines that follow, `totals:` is their sum.
# Except in the first part, `positions:` comes first, because it begins a part for KCachegrind and
# for this reader, and a line before it might belong to the previous part. Long names and formulas
# of events are in the first part; those that cannot be parsed are written unchanged.

_FIRST_LINES = b"# callgrind format\nversion: 1\n"

_PROFILE_KEYS = ("creator", "cmd")
_PART_NUMBER_KEYS = ("pid", "part", "thread")
_KEYS_WRITTEN_ELSEWHERE = {
    *_PROFILE_KEYS,
    *_PART_NUMBER_KEYS,
    *("version", "positions", "events", "event", "summary", "totals", "total"),
}


def _part_header_lines(
    part: Part,
    positions: Sequence[str],
    events: Sequence[str],
    summary: Sequence[int] | None,
    definitions: Iterable[str],
    *,
    before: Part | None,
) -> bytes:
    """Return the header lines of a part, up to `events:` and `summary:`, if there are any.

    `before` is the part written before, if there is one.
    """
    recorded = dict(part.header)
    texts = {"creator": part.creator, "cmd": part.command}
    texts |= {key: recorded.get(key) or str(getattr(part, key) or "") for key in _PART_NUMBER_KEYS}
    if before and before.pid and not part.pid:
        texts["pid"] = "0"  # readers may take a missing one from the part before
    lines = [(key, texts[key]) for key in _PROFILE_KEYS if texts[key] or key in recorded]
    lines.insert(0 if before else len(lines), ("positions", " ".join(positions)))
    lines += [(key, texts[key]) for key in _PART_NUMBER_KEYS if texts[key] or key in recorded]
    lines += [(key, text) for key, text in part.header if key not in _KEYS_WRITTEN_ELSEWHERE]
    lines += [("event", text) for text in definitions]
    if events and part.samples is not None:
        counts = " ".join(str(part.samples.get(name, 0)) for name in events)
        lines.append(("desc", f"{SAMPLES} {counts}"))
    if events:
        lines.append(("events", " ".join(map(_quoted_name, events))))
    if summary is not None:
        lines.append(("summary", " ".join(map(_counter, summary))))
    return b"".join(_header_line(key, text) for key, text in lines)


def _totals_line(totals: Sequence[int]) -> bytes:
    """Return the last line of a part: the sums of its self costs.

    Like Callgrind it has no trailing zeros, except for the first; readers take missing ones for 0.
    """
    last = max((number for number, cost in enumerate(totals) if cost), default=0)
    return b"\n" + _header_line("totals", " ".join(map(_counter, totals[: last + 1])))


def _counter(cost: int) -> str:
    """Format a cost as an unsigned, wrapped counter."""
    return str(cost % (1 << 64))


def _event_lines(profile: Profile) -> Iterator[str]:
    """Yield the text of `event:` lines for all events that are not built in."""
    recorded = [text for part in profile.parts for key, text in part.header if key == "event"]
    in_order = reversed(dict.fromkeys(reversed(recorded)))  # the last definition of an event holds
    parsed = {text: parse_event_line(text) for text in in_order}
    named = {event[0] for event in parsed.values() if event}
    known = {event.name: event for event in event_types(profile.events.names, {}, ()).all}
    for event in profile.events.all:
        is_new = event.name in named or known.get(event.name) != event
        if is_new and not event.is_ratio and (event.is_derived or event.long_name):
            yield _event_text(event)
    offered = {event.name for event in profile.events.all}
    yield from (text for text, event in parsed.items() if not event or event[0] not in offered)


def _event_text(event: EventType) -> str:
    formula = f" = {format_definition(event)}" if event.is_derived else ""
    return f"{event.name}{formula}" + (f" : {event.long_name}" if event.long_name else "")


def _quoted_name(name: str) -> str:
    return re.sub(r"\s", "_", name)


def _header_line(key: str, text: str) -> bytes:
    return key.encode() + b": " + encode_line(text) + b"\n"


# -------------------------------------------------- profiles of Cachegrind
# `cg_annotate` and `cg_merge` accept `desc:` lines, `cmd:` and `events:` at the start, names in
# full, every cost of a line, and `summary:` at the end; no ids, relative lines or other header
# lines.

_KEYS = {"desc", "cmd", "events", "summary", "positions"}


def _is_of_cachegrind(profile: Profile, part: Part) -> bool:
    """Return whether a part has all that Cachegrind records, and nothing else."""
    keys = {key for key, _ in part.header}
    functions, runs = profile.functions, profile.runs
    return bool(
        keys >= {"cmd", "events", "summary"}
        and keys <= _KEYS
        and part.positions == ("line",)
        and not len(profile.calls)
        and not len(profile.jumps)
        and not functions.object.any()
        and (functions.file[runs.function] == runs.file).all()
        and not (np.asarray(profile.costs.values) < 0).any()
    )


def _cachegrind_lines(
    profile: Profile,
    part: Part,
    rows: PartRows,
    events: Sequence[str],
    columns: Sequence[int],
    summary: Sequence[int],
) -> Iterator[bytes]:
    """Yield the lines of a part, some at a time; `columns` are the rows of its events in the costs.

    `summary` has a number for each of the events.
    """
    head = [f"desc: {text}" for key, text in part.header if key == "desc"]
    head += [f"cmd: {part.command}", f"events: {' '.join(events)}"]
    yield b"".join(encode_line(line) + b"\n" for line in head)
    last_file = -1
    for run in _in_order_of_files(profile, rows.runs):
        function = profile.runs.function[run]
        file, name = (int(c[function]) for c in (profile.functions.file, profile.functions.name))
        if file != last_file:
            yield _name(b"fl=", profile, file)
            last_file = file
        yield _name(b"fn=", profile, name)
        yield _cost_lines(profile, run, columns)
    yield f"summary: {' '.join(map(str, summary))}\n".encode()


def _in_order_of_files(profile: Profile, runs: Int64Array) -> list[int]:
    """Return the runs with those of a file together, and those of a function in it."""
    order: dict[tuple[int, int], list[int]] = {}
    files: dict[int, list[list[int]]] = {}
    for run in runs.tolist():
        function = int(profile.runs.function[run])
        file = int(profile.functions.file[function])
        of_function = order.get((file, function))
        if of_function is None:
            of_function = order[file, function] = []
            files.setdefault(file, []).append(of_function)
        of_function.append(run)
    return [run for functions in files.values() for runs in functions for run in runs]


def _cost_lines(profile: Profile, run: int, columns: Sequence[int]) -> bytes:
    start, stop = profile.runs.start[run : run + 2].tolist()
    lines = profile.costs.line[start:stop].tolist()
    costs = profile.costs.values[columns, start:stop].T.tolist()
    return "".join(
        f"{line} {' '.join(map(str, row))}\n" for line, row in zip(lines, costs, strict=True)
    ).encode()


def _name(key: bytes, profile: Profile, text: int) -> bytes:
    return key + encode_line(profile.texts[TextId(text)], UNKNOWN) + b"\n"


# ---------------------------------------------------------------- profiles

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
        self._is_of_cachegrind = len(chosen) == 1 and _is_of_cachegrind(
            profile, profile.parts[chosen[0]]
        )
        definitions = list(_event_lines(self._profile))
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
            for text in _cachegrind_lines(profile, part, rows, events, columns, sums):
                self._stream.write(text)
                self._progress.check(0.5)
            return
        head = _part_header_lines(
            part, positions, events, summary, definitions, before=self._part_before
        )
        self._stream.write(head if self._part_before else _FIRST_LINES + head)
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
        self._stream.write(b"\n" + _totals_line(self._self_cost_sums(rows.runs)[columns].tolist()))

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
