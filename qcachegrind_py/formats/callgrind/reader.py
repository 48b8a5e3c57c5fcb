"""Reads files of the Callgrind format into one profile: chunks, header lines, parts, progress.

The lines of costs and names are the scanner's. Here are the rules of DESIGN 4 about headers: any
key may come anywhere, a repeated one begins a part, events are united by name.
"""

from __future__ import annotations

from qcachegrind_py.formats.callgrind import header
from qcachegrind_py.formats.callgrind.diagnostic_messages import OddityNotes, line_at, sentence
from qcachegrind_py.formats.callgrind.header import PartHeader
from qcachegrind_py.formats.callgrind.line_buffer import LineBuffer
from qcachegrind_py.formats.callgrind.producer_quirks import (
    is_separator,
    leaves_line_open,
    proven_names,
)
from qcachegrind_py.formats.callgrind.scanner import COSTS_BEFORE_EVENTS, HEADER, NAMES_FULL
from qcachegrind_py.formats.callgrind.scanner_tables import Columns
from qcachegrind_py.formats.compression import OpenProfile
from qcachegrind_py.profile.diagnostics import DiagnosticLog
from qcachegrind_py.profile.errors import FormulaError, InvalidProfile
from qcachegrind_py.profile.events import event_types
from qcachegrind_py.profile.formulas import Formula, parse_formula
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import Progress
from qcachegrind_py.profile.tables import Int64Array

MOST_EVENTS = 250  # bounds the columns that a hostile events: line asks for; KCachegrind has 200


class Reader:
    """Reads one file after the other; ends with the profile of all."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._columns = Columns()
        self._scanner = self._columns.scanner
        self._log = DiagnosticLog()
        self._notes = OddityNotes(self._columns, self._log)
        self._parts: list[PartHeader] = []
        self._paths: list[str] = []
        self._events: dict[str, int] = {}  # column of each
        self._long_names: dict[str, str] = {}
        self._formulas: dict[str, Formula] = {}
        self._has_address = False
        self._fraction = 0.0

    def read(self, file: OpenProfile, head: bytes, share: tuple[float, float]) -> None:
        """Read a file of which `head` was read already; its share of the progress is from, to."""
        self._file, self._share = file, share
        self._path = str(file.path)
        self._paths.append(self._path)
        self._columns.names.forget_ids()
        self._scanner.line_number = 0
        self._scanner.events = -1
        self._scanner.has_address = self._scanner.has_block = False
        self._scanner.has_line = True
        self._begin_part()
        lines = LineBuffer(file, head, self._report)
        taken = 0
        while length := lines.fill():
            if lines.has_long_line:
                self._note(self._scanner.line_number + 1, "long-line", line_at(lines.data, 0))
            taken += length
            self._columns.make_room(length, self._bytes_in_all(taken))
            self._scan(lines.data, length)
        self._end_file(lines)

    def profile(self) -> Profile:
        """The profile of all files read; ask once, at the end."""
        columns = self._columns
        costs, calls = columns.costs(self._has_address), columns.calls(self._has_address)
        if any(map(may_overflow, (*costs.values, *calls.values, calls.count))):
            self._note(0, "sums-overflow")
        return Profile(
            paths=tuple(self._paths),
            events=event_types(
                list(self._events),
                proven_names(self._parts) | self._long_names,
                self._formulas.items(),
            ),
            parts=tuple(part.finished() for part in self._parts),
            texts=columns.names.texts(),
            functions=columns.names.functions(),
            runs=columns.runs(),
            costs=costs,
            calls=calls,
            jumps=columns.jumps(self._has_address),
            diagnostics=tuple(
                sorted(self._log.kept, key=lambda odd: (self._paths.index(odd.path), odd.line))
            ),
            diagnostic_count=self._log.counts.total(),
        )

    # ------------------------------------------------------------ bytes

    def _bytes_in_all(self, taken: int) -> int:
        """How many bytes the file has unpacked, by how much of it was taken for so many."""
        position = self._file.position()
        return taken * self._file.size // position if position else taken

    def _scan(self, data: bytearray, stop: int) -> None:
        at = 0
        while at < stop:
            status, at = self._scanner.scan(data, at, stop)
            self._notes.take(self._path, data)
            if status == HEADER:
                end = data.index(b"\n", at)
                self._scanner.line_number += 1
                self._header_line(bytes(data[at:end]))
                at = end + 1
            elif status == NAMES_FULL:
                self._columns.names.grow()
            elif status == COSTS_BEFORE_EVENTS:
                raise InvalidProfile(
                    self._path,
                    f"there are costs before any events: line (“{line_at(data, at).strip()}”).",
                    line=self._scanner.line_number,
                    remedy="Without it nobody knows what they count.",
                )

    def _report(self) -> None:
        """Progress by recorded cost if there is a summary, else by bytes; never back (DESIGN 4.7).

        What a part's cost says of the whole file is a guess where parts follow: so it counts for no
        more than twice the share of bytes.
        """
        part = self._part
        of_bytes = self._share_of_bytes()
        fraction = of_bytes
        if part.summary and part.summary[0] > 0 and part.events and part.events[0] in self._events:
            column = self._events[part.events[0]]
            part.cost_read += self._columns.sum_of_costs(column, part.next_row)
            part.next_row = self._scanner.costs
            of_cost = min(1.0, max(0.0, part.cost_read / part.summary[0]))
            fraction = min(part.start + (1 - part.start) * of_cost, 2 * of_bytes)
        begin, end = self._share
        self._fraction = max(self._fraction, begin + (end - begin) * fraction)
        self._progress.check(self._fraction, self._path)

    def _share_of_bytes(self) -> float:
        return min(1.0, self._file.position() / max(1, self._file.size))

    def _note(self, line: int, kind: str, text: str = "") -> None:
        self._log.add(self._path, line, kind, sentence(kind, text))

    # ------------------------------------------------------------ parts and headers

    def _begin_part(self) -> None:
        if self._parts and self._scanner.awaited:
            kind = "call-without-cost" if self._scanner.awaited == 1 else "jump-without-source"
            self._note(self._scanner.line_number, kind)
        before = self._parts[-1] if self._parts and self._parts[-1].path == self._path else None
        self._part = PartHeader(
            self._path,
            first_row=self._scanner.costs,
            next_row=self._scanner.costs,
            start=self._share_of_bytes() if before else 0.0,
            events=before.events if before else (),
        )
        self._scanner.begin_part(len(self._parts))
        self._parts.append(self._part)

    def _end_part(self) -> None:
        """Check the sums of the part's lines against its `totals:`."""
        part = self._part
        rows = self._scanner.costs - part.first_row
        for name, total in zip(part.events, part.totals or (), strict=False):
            if name not in self._events:
                continue
            found = self._columns.sum_of_costs(self._events[name], part.first_row) if rows else 0
            if found != total and part.events.count(name) == 1:
                self._note(part.totals_line, "totals-differ", f"{name}: {total}, summed {found}")

    def _end_file(self, lines: LineBuffer) -> None:
        self._end_part()
        if self._file.breakage:
            self._note(self._scanner.line_number, "broken-packing", self._file.breakage)
        if lines.is_unfinished and not leaves_line_open(self._part):
            self._note(self._scanner.line_number, "no-line-end", line_at(lines.data, 0))
        if self._scanner.awaited:
            self._note(self._scanner.line_number, "cut")
        if not self._scanner.costs and not self._scanner.calls:
            self._note(0, "no-costs")
        elif self._part.text("creator").startswith("callgrind-") and self._part.totals is None:
            self._note(self._scanner.line_number, "no-totals")

    def _header_line(self, line: bytes) -> None:
        text = line.decode("utf-8", "surrogateescape")
        split = header.split_header(text)
        if split is None:
            if not is_separator(text):
                self._note(self._scanner.line_number, "unknown-line", text)
            return
        key, value = split
        if key in header.ONCE_A_PART and self._part.events and self._part.has(key):
            self._end_part()
            self._begin_part()
        self._part.lines.append((key, value))
        if not self._understand(key, value):
            self._note(self._scanner.line_number, "bad-header", text)

    def _understand(self, key: str, value: str) -> bool:
        """Act on the header line; False where its value makes no sense."""
        if key == "events":
            return self._take_events(value.split())
        if key == "positions":
            return self._take_positions(value.split())
        if key == "event":
            return self._take_event(value)
        if key in ("pid", "part", "thread"):
            number = header.read_integer(value)
            self._part.numbers[key] = number or 0
            return number is not None
        if key in ("summary", "totals"):
            return self._take_sums(key, header.read_numbers(value))
        return True

    def _take_sums(self, key: str, numbers: list[int] | None) -> bool:
        """Numbers from 2^63 on are negative ones that wrapped, as those of cost lines are."""
        if numbers is None:
            return False
        if any(abs(number) >> 64 for number in numbers):
            self._note(self._scanner.line_number, "huge-number", key)
        sums = [header.signed(number) for number in numbers]
        if key == "summary":
            self._part.summary = sums
        else:
            self._part.totals, self._part.totals_line = sums, self._scanner.line_number
        return True

    def _take_events(self, names: list[str]) -> bool:
        if not names:
            return False
        for name in names:
            if name not in self._events and len(self._events) < MOST_EVENTS:
                self._events[name] = len(self._events)
        if not self._events.keys() >= set(names):
            self._note(self._scanner.line_number, "too-many-events")
        self._part.events = tuple(names)
        columns = [self._events.get(name, -1) for name in names]
        self._columns.set_events(columns, len(self._events))
        return True

    def _take_positions(self, words: list[str]) -> bool:
        known = [word for word in ("instr", "bb", "line") if word in words]
        self._scanner.has_address = "instr" in known
        self._scanner.has_block = "bb" in known
        self._scanner.has_line = "line" in known
        self._has_address = self._has_address or "instr" in known
        if known != words:
            self._note(self._scanner.line_number, "unknown-position", " ".join(words))
        return True

    def _take_event(self, value: str) -> bool:
        event = header.read_event(value)
        if event is None:
            return False
        name, formula, long_name = event
        if long_name:
            self._long_names[name] = long_name
        if formula:
            try:
                terms = parse_formula(formula)
            except FormulaError:
                return False
            if len(self._formulas) >= MOST_EVENTS:
                self._note(self._scanner.line_number, "too-many-events", name)
                return True
            self._formulas[name] = terms
        return True


def may_overflow(column: Int64Array) -> bool:
    """Whether a sum over some of the rows may not fit 64 bits."""
    if not len(column) or max(int(column.max()), -int(column.min())) * len(column) < 1 << 63:
        return False
    numbers: list[int] = column.tolist()
    positive = sum(number for number in numbers if number > 0)
    return positive >= 1 << 63 or sum(numbers) - positive < -(1 << 63)
