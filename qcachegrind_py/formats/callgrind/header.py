"""Header lines (format specification, 3.2.2), and diagnostics: a sentence for each odd line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress

import numpy as np

from qcachegrind_py.formats.callgrind.scanner import DIAGNOSTIC_KINDS, DIAGNOSTICS_KEPT
from qcachegrind_py.formats.callgrind.scanner_tables import ScannerTables
from qcachegrind_py.profile.errors import FormulaError
from qcachegrind_py.profile.events import Formula, parse_formula
from qcachegrind_py.profile.profile import MAX_KEPT_PER_KIND, DiagnosticLog, Part
from qcachegrind_py.profile.tables import HalvedColumn, Int64Column
from qcachegrind_py.visible_text import visible_text

# a part without a body ends where one of these is stated again
PART_KEYS = frozenset(("part", "thread", "events"))
_REPEATED_KEYS = frozenset(
    ("desc", "event", "total", "arch", "timeframe (BB)", "rangetype")
)  # may be stated more than once in a part
_KEYS = frozenset(("version", "creator", "pid", "cmd", "positions", "summary", "totals")).union(
    PART_KEYS, _REPEATED_KEYS
)

# Lines that are neither header lines nor lines of the body, which have a number or `=`. Each by
# itself takes 4 µs to recognise, in a run of such lines 0.3.
UNKNOWN_LINES = re.compile(
    rb"(?:(?!(?:%s):)[A-Za-z][^=\n]*\n)+"
    % b"|".join(re.escape(key.encode()) for key in sorted(_KEYS))
)

_MAGIC_LINE = b"# callgrind format"
_HEAD_LINE = re.compile(rb"^[ \t]*(?:events|creator|version|positions):[ \t]*\S", re.MULTILINE)
_HEADER = re.compile(r"([A-Za-z][\w ()]*):[ \t]*(.*)")
_NUMBER = re.compile(r"-?(?:0[xX][0-9a-fA-F]+|[0-9]+)")
_MAX_DIGITS = 1000  # Python limits the length of decimal numbers
_EVENT = re.compile(r"\s*([^\s=:]+)\s*(?:=\s*([^:]*))?(?::\s*(.*))?")


def is_callgrind_file(head: bytes) -> bool:
    """Return whether the first bytes of a file have the magic line or a header line."""
    return head.startswith(_MAGIC_LINE) or _HEAD_LINE.search(head) is not None


def split_header(text: str) -> tuple[str, str] | None:
    """Return key and value of a header line, or None if it is no header line."""
    match = _HEADER.fullmatch(text.strip())
    if match is None or match[1] not in _KEYS:
        return None
    return match[1], match[2].strip()


def parse_numbers(text: str) -> list[int] | None:
    """Parse integers separated by blanks; return None if the text contains anything else."""
    words = text.split()
    if not all(_NUMBER.fullmatch(word) and len(word) < _MAX_DIGITS for word in words):
        return None
    return [_parse_number(word) for word in words]


def to_signed_64(number: int) -> int:
    """Return the lowest 64 bits as a signed number."""
    bits = number & 0xFFFF_FFFF_FFFF_FFFF
    return bits - (1 << 64) if bits >> 63 else bits


def parse_leading_integer(text: str) -> int | None:
    """Return the integer at the start of a text, such as a pid, or None."""
    match = _NUMBER.match(text)
    return _parse_number(match[0]) if match and len(match[0]) < _MAX_DIGITS else None


def _parse_number(text: str) -> int:
    return int(text, 16 if "x" in text.lower() else 10)


def parse_event_line(text: str) -> tuple[str, str, str] | None:
    """Return name, formula and long name of `event: NAME [= FORMULA] [: LONG NAME]`, or None."""
    match = _EVENT.fullmatch(text)
    if match is None:
        return None
    return match[1], (match[2] or "").strip(), (match[3] or "").strip()


_HALF = 1 << 63
SAMPLES = "Samples:"  # begins a description of this program; numbers follow, as in `summary:`


@dataclass(slots=True)
class PartHeader:
    """The header lines of one part so far, and the rows of its costs."""

    path: str
    first_row: int  # of the cost lines
    next_row: int  # the first cost line not yet added to `cost_read`
    stop_row: int = 0  # behind the last of the cost lines, once the part has ended
    cost_read: int = 0  # cost of the first event so far
    columns: tuple[str, ...] = ("line",)  # of positions in each line; "": one that is skipped
    unstated_positions: int = 0  # the line of `events:` if the part before had other positions
    lines: list[tuple[str, str]] = field(default_factory=list)
    positions: tuple[str, ...] = ("line",)
    events: tuple[str, ...] = ()
    summary: list[int] | None = None
    summary_line: int = 0
    totals: list[int] | None = None
    totals_line: int = 0
    has_body: bool = False
    is_closed: bool = False  # without a body, but with `totals:`
    numbers: dict[str, int] = field(default_factory=dict)  # pid, part, thread

    def has(self, key: str) -> bool:
        return any(known == key for known, _ in self.lines)

    def text(self, key: str) -> str:
        """Return the value of the last line with this key, or an empty string."""
        return next((value for known, value in reversed(self.lines) if known == key), "")

    def take_back(self, later: PartHeader) -> None:
        """Add header lines behind the last body; what is known of the part holds."""
        self.lines += [
            (key, value)
            for key, value in later.lines
            if key in _REPEATED_KEYS or not (self.has(key) or key in self.numbers)
        ]
        self.numbers = later.numbers | self.numbers
        if self.summary is None:
            self.summary, self.summary_line = later.summary, later.summary_line
        if self.totals is None:
            self.totals, self.totals_line = later.totals, later.totals_line

    def to_part(self) -> Part:
        """Convert the finished header to a part of the profile."""
        last_lines = dict(self.lines)
        samples = [self._samples(*line) for line in self.lines]
        return Part(
            path=self.path,
            pid=self.numbers.get("pid", 0),
            part=self.numbers.get("part", 0),
            thread=self.numbers.get("thread", 0),
            creator=last_lines.get("creator", ""),
            command=last_lines.get("cmd", ""),
            positions=self.positions,
            events=self.events,
            summary=self.recorded_sums(),
            totals=self.sums_by_event(self.totals),
            header=tuple(compress(self.lines, (each is None for each in samples))),
            samples=next(filter(None, samples), None),
        )

    def _samples(self, key: str, text: str) -> dict[str, int] | None:
        """Return what a line `desc: Samples:` states: of how many samples each event is."""
        if key != "desc" or not text.startswith(SAMPLES):
            return None
        numbers = parse_numbers(text.removeprefix(SAMPLES))
        is_stated = numbers and all(0 <= number < _HALF for number in numbers)
        return self.sums_by_event(numbers) if is_stated else None

    def recorded_sums(self) -> dict[str, int] | None:
        """Return the numbers of `summary:` by event; an event without a number has no entry."""
        if not self.summary:
            return None
        recorded = self.events[: len(self.summary)]
        costs = self.sums_by_event(self.summary) or {}
        return {name: cost for name, cost in costs.items() if name in recorded} or None

    def sums_by_event(self, numbers: Sequence[int] | None) -> dict[str, int] | None:
        """Return the numbers of a line of sums by event; missing ones are 0, surplus ones dropped.

        The numbers of an event that `events:` names repeatedly are added.
        """
        if numbers is None:
            return None
        costs = dict.fromkeys(self.events, 0)
        for name, number in zip(self.events, numbers, strict=False):
            costs[name] = (costs[name] + number + _HALF) % (2 * _HALF) - _HALF  # counters wrap
        return costs


# --------------------------------------------------- definitions of events

MAX_EVENTS = 250  # limits the memory for columns of a hostile events: line; KCachegrind has 200


class EventDefinitions:
    """The long names and formulas of events, each by name."""

    def __init__(self) -> None:
        self.long_names: dict[str, str] = {}
        self.formulas: dict[str, Formula] = {}

    def add(self, text: str) -> str:
        """Add the definition in the value of an `event:` line.

        Returns the kind of the diagnostic if it was not or not wholly added, otherwise "".
        """
        event = parse_event_line(text)
        if event is None:
            return "bad-header"
        name, formula, long_name = event
        if long_name:
            self.long_names[name] = long_name
        if not formula:
            return ""
        try:
            terms = parse_formula(formula)
        except FormulaError:
            return "bad-header"
        if len(self.formulas) >= MAX_EVENTS:
            return "too-many-events"
        self.formulas[name] = terms
        return ""


# ---------------------------------------------- quirks of single producers
# The format does not define them; they are applied if the header names the producer. Units of their
# events, each according to the source code of the producer:
#
# - Xdebug 2 (`creator: xdebug 2.5.0 (PHP 7.0.17)`) calls its event `Time`. Versions that write a
#   creator multiply seconds by 1,000,000: microseconds. Older ones multiply by 10,000,000 and
#   write no creator, so they cannot be recognised. From 2.6 on, the event name states the unit.
#   Memory is measured by PHP's allocator in bytes.
# - yappi (`creator: yappi`) calls its event `Ticks` and writes `int(tsub * 1e6)` of seconds in
#   every version that writes this format. `Ticks` of other producers are milliseconds or anything
#   else.

_EVENT_UNITS = (
    (re.compile(r"xdebug 2\."), {"Time": "Time (µs)", "Memory": "Memory (bytes)"}),
    (re.compile(r"yappi\b"), {"Ticks": "Ticks (µs)"}),
)


def known_event_names(parts: Iterable[PartHeader]) -> dict[str, str]:
    """Return long names with units, for events whose unit is known and equal in all their parts."""
    long_names: dict[str, set[str]] = {}
    for part in parts:
        known = _known_names(part.text("creator"))
        for event in part.events:
            long_names.setdefault(event, set()).add(known.get(event, ""))
    return {
        event: min(names) for event, names in long_names.items() if len(names) == 1 and min(names)
    }


def _known_names(creator: str) -> dict[str, str]:
    return next((names for pattern, names in _EVENT_UNITS if pattern.match(creator)), {})


def is_profile_separator(line: str) -> bool:
    """Return whether Xdebug, in append mode, wrote this line between two profiles."""
    return line.startswith("==== NEW PROFILING FILE ====")


def omits_final_newline(part: PartHeader) -> bool:
    """Return whether the producer omits the line end of the last line, as yappi does."""
    return part.text("creator") == "yappi"


_MESSAGES = {
    "text-after-costs": "Not a number; ignored",
    "surplus-costs": "More costs than events; the surplus was ignored",
    "negative-cost": "Negative cost; counted as it is",
    "wrapped-number": "Number of 2^63 or more; read as the negative number that wrapped",
    "huge-number": "Number of 2^64 or more; only its lowest 64 bits were kept",
    "bad-position": "Malformed position; the previous one was used",
    "negative-line": "Line number below 0; read as 0",
    "huge-line": "Line number above 2147483647; read as 2147483647",
    "undefined-id": "Undefined name; shown as ???",
    "redefined-id": "Redefined name; the new definition applies from here on",
    "no-function": "Costs before any fn=; they belong to the function ???",
    "call-without-callee": "calls= without cfn= before it; the callee is shown as ???",
    "call-without-cost": "calls= without a cost line; the call was ignored",
    "jump-without-source": "Jump without a source line; ignored",
    "bad-count": "Missing count; read as 0",
    "unknown-count": "Negative count: the number of calls is unknown",
    "no-position": "Unknown position; read as 0",
    "jump-with-cost": "Jump with costs; they count as costs of its line",
    "unknown-line": "Unknown line; ignored",
    "bad-header": "Header line with an unknown value",
    "unknown-position": "Positions other than instr, bb and line, in this order; "
    "a column of another name is skipped",
    "no-positions": "The part before had other positions; without positions:, they are line here",
    "line-behind-totals": "Line behind the totals of its part; counted in that part",
    "too-many-events": "Too many events; the rest was ignored",
    "newer-version": "Format version newer than 1; read as version 1",
    "summary-too-small": "The recorded summary is less than the sum of the cost lines",
    "totals-differ": "The recorded totals differ from the sum of the cost lines",
    "sums-overflow": "The costs are too large to be summed exactly",
    "long-line": "Line longer than 16 MB; the rest of it was ignored",
    "no-costs": "The file has a header but no costs: nothing was collected",
    "no-line-end": "The last line is incomplete: the file may be truncated here",
    "cut": "The file ends in the middle of a call or jump: it is truncated here",
    "no-totals": "The final totals are missing: the file may be truncated here",
    "broken-packing": "The compressed file is truncated or damaged here; read up to here",
}

_MAX_EXCERPT = 80


class DiagnosticCollector:
    """Converts the scanner's counts of odd lines to diagnostics with messages."""

    def __init__(self, columns: ScannerTables, log: DiagnosticLog) -> None:
        self._scanner = columns.scanner
        self._log = log
        self._total = 0
        self._seen = [0] * len(DIAGNOSTIC_KINDS)

    def collect(self, path: str, data: bytearray) -> None:
        """Log new diagnostics; `data` are the bytes scanned last."""
        if self._scanner.diagnostics == self._total:
            return
        self._total = self._scanner.diagnostics
        for kind, name in enumerate(DIAGNOSTIC_KINDS):
            count = self._scanner.diagnostic_count[kind]
            if count == self._seen[kind]:
                continue
            for index in range(self._seen[kind], min(count, DIAGNOSTICS_KEPT)):
                offset = self._scanner.diagnostic_offset[kind, index]
                line = self._scanner.diagnostic_line[kind, index]
                self._log.add(path, line, name, message_for(name, line_around(data, offset)))
            self._log.count_more(name, count - max(self._seen[kind], min(count, DIAGNOSTICS_KEPT)))
            self._seen[kind] = count

    def report_unknown(self, path: str, data: bytearray, at: int, end: int) -> None:
        """Log each of the next lines, which are `data[at:end]`, as not understood."""
        lines, first = data.count(b"\n", at, end), self._scanner.line_number + 1
        kept = min(lines, MAX_KEPT_PER_KIND)
        for line in range(first, first + kept):
            text = message_for("unknown-line", line_around(data, at))
            self._log.add(path, line, "unknown-line", text)
            at = data.index(b"\n", at) + 1
        self._log.count_more("unknown-line", lines - kept)
        self._scanner.line_number += lines


def line_around(data: bytearray, offset: int) -> str:
    """Return the line that contains an offset, shortened."""
    start = data.rfind(b"\n", 0, offset) + 1
    stop = data.find(b"\n", offset)
    return data[start : min(stop if stop >= 0 else len(data), start + _MAX_EXCERPT + 1)].decode(
        "utf-8", "surrogateescape"
    )


def message_for(kind: str, excerpt: str = "") -> str:
    text = visible_text(excerpt.strip())
    if not text:
        return _MESSAGES[kind] + "."
    return f"{_MESSAGES[kind]}: “{text[:_MAX_EXCERPT]}{'…' if len(text) > _MAX_EXCERPT else ''}”."


# ----------------------------------------------- sums stated in the header
# `totals:` is the sum of a part's cost lines in every event, or at the end of a file that of all
# its parts. `summary:` is at least the sum of its part, since costs need not all be attributed to
# functions (docs/design.md, reading rule 6).


def sum_diagnostics(
    parts: Sequence[PartHeader], tables: ScannerTables, columns: Mapping[str, int]
) -> Iterator[tuple[int, str, str]]:
    """Yield the line, kind and text of each diagnostic about `summary:` and `totals:`.

    `parts` are those of one file, which have ended. `columns` are those of the events in `tables`.
    """
    for part in parts:
        for line, key, stated in (
            (part.summary_line, "summary", part.summary),
            (part.totals_line, "totals", part.totals),
        ):
            if len(stated or ()) > len(part.events):
                yield line, "surplus-costs", f"{key}: {part.text(key)}"
        if part.summary is None and part.totals is None:
            continue
        counted = _counted_sums(part, tables, columns)
        for name, total, sum_ in _differences(part.recorded_sums(), counted):
            if total < sum_:
                yield part.summary_line, "summary-too-small", f"{name}: {total}, summed {sum_}"
        differences = [*_differences(part.sums_by_event(part.totals), counted)]
        if differences and part is parts[-1] and _are_of_all(parts, tables, columns):
            part.totals = None
            continue
        for name, total, sum_ in differences:
            yield part.totals_line, "totals-differ", f"{name}: {total}, summed {sum_}"


def _are_of_all(
    parts: Sequence[PartHeader], tables: ScannerTables, columns: Mapping[str, int]
) -> bool:
    """Return whether the `totals:` of the last part are the sums of all parts.

    The other parts have none then, or the last part has its own before them.
    """
    has_own = sum(key == "totals" for key, _ in parts[-1].lines) > 1
    if not has_own and any(part.totals is not None for part in parts[:-1]):
        return False
    sums = dict.fromkeys(parts[-1].events, 0)
    for part in parts:
        for name, sum_ in _counted_sums(part, tables, columns).items():
            sums[name] = sums.get(name, 0) + sum_
    return not any(_differences(parts[-1].sums_by_event(parts[-1].totals), sums))


def _counted_sums(
    part: PartHeader, tables: ScannerTables, columns: Mapping[str, int]
) -> dict[str, int]:
    """Return the sums of the part's cost lines by event, except for events that were not read."""
    return {
        name: tables.total_cost(columns[name], part.first_row, part.stop_row)
        for name in dict.fromkeys(part.events)
        if name in columns
    }


def _differences(
    stated: Mapping[str, int] | None, counted: Mapping[str, int]
) -> Iterator[tuple[str, int, int]]:
    """Yield the name, stated sum and counted sum of each event in which they differ."""
    for name, sum_ in counted.items():
        if stated is not None and stated.get(name, sum_) != sum_:
            yield name, stated[name], sum_


def may_overflow(column: Int64Column) -> bool:
    """Return whether the sum of some of the rows may exceed 64 bits."""
    if isinstance(column, HalvedColumn):
        high = np.zeros(0, np.int32) if column.high is None else column.high.view(np.int32)
        most = 1 + max(int(high.max(initial=0)), -int(high.min(initial=0)))  # in units of 2^32
        if most * len(column) < 1 << 31:
            return False
        column = column[...]
    if not len(column) or max(int(column.max()), -int(column.min())) * len(column) < 1 << 63:
        return False
    numbers: list[int] = column.tolist()
    positive = sum(number for number in numbers if number > 0)
    return positive >= 1 << 63 or sum(numbers) - positive < -(1 << 63)
