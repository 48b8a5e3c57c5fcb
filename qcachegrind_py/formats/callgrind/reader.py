"""Reader of files in the Callgrind format: chunks, header lines, parts and progress.

The scanner reads lines of costs and names. This module applies docs/design.md, reading rule 5:
header lines may come anywhere, one behind a body begins a part, and events are merged by name.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable

from qcachegrind_py.formats.callgrind.header import (
    MAX_EVENTS,
    PART_KEYS,
    UNKNOWN_LINES,
    DiagnosticCollector,
    EventDefinitions,
    PartHeader,
    is_profile_separator,
    known_event_names,
    line_around,
    may_overflow,
    message_for,
    omits_final_newline,
    parse_leading_integer,
    parse_numbers,
    split_header,
    sum_diagnostics,
    to_signed_64,
)
from qcachegrind_py.formats.callgrind.scanner import COSTS_BEFORE_EVENTS, HEADER, NAMES_FULL
from qcachegrind_py.formats.callgrind.scanner_tables import ScannerTables
from qcachegrind_py.formats.compression import ProfileStream
from qcachegrind_py.profile.errors import InvalidProfile
from qcachegrind_py.profile.events import event_types
from qcachegrind_py.profile.profile import DiagnosticLog, Profile
from qcachegrind_py.profile.progress import Progress

# ------------------------------------------------------------- whole lines
# Reading each chunk into new bytes took three times as long, since the system clears them first.

CHUNK_SIZE = 256 * 1024  # scanned in 1 ms compiled and 80 ms interpreted, for quick cancellation
_MAX_LINE_LENGTH = 16 * 1024 * 1024


class _LineBuffer:
    """A buffer whose `data` begins with whole lines; `fill` returns their length in bytes.

    `has_long_line` is set if the first line was longer than 16 MB and was truncated,
    `lacks_final_newline` if the last line of the file has no line end.
    """

    def __init__(
        self, file: ProfileStream, head: bytes, before_reading: Callable[[], None]
    ) -> None:
        """`head` are the bytes already read from the file."""
        self.data = bytearray(len(head) + CHUNK_SIZE)
        self.data[: len(head)] = head
        self.has_long_line = False
        self.lacks_final_newline = False
        self._file = file
        self._before_reading = before_reading
        self._filled = len(head)
        self._consumed = 0

    def fill(self) -> int:
        """Move the next whole lines to the start of `data`; return their length, 0 at the end."""
        self.has_long_line = False
        new = self._filled if self._consumed == 0 else self._discard_consumed()
        while new:
            end = self.data.rfind(b"\n", self._filled - new, self._filled) + 1
            if end:
                self._consumed = end
                return end
            new = self._read_more()
        return self._terminate_last_line()

    def _discard_consumed(self) -> int:
        """Discard the lines already returned, and read more."""
        rest = self._filled - self._consumed
        self.data[:rest] = self.data[self._consumed : self._filled]
        self._filled = rest
        return self._read_more()

    def _read_more(self) -> int:
        """Append bytes from the file and return their number."""
        self._before_reading()
        if self._filled >= _MAX_LINE_LENGTH:
            return self._skip_line()
        if len(self.data) - self._filled < CHUNK_SIZE:
            self.data.extend(bytes(len(self.data)))
        new = self._read_into(self._filled)
        self._filled += new
        return new

    def _skip_line(self) -> int:
        """Drop the rest of a line that is too long."""
        self.has_long_line = True
        self._filled = _MAX_LINE_LENGTH
        if len(self.data) - self._filled < CHUNK_SIZE:
            self.data.extend(bytes(CHUNK_SIZE))
        while new := self._read_into(self._filled):
            self._before_reading()
            end = self.data.find(b"\n", self._filled, self._filled + new)
            if end >= 0:
                new -= end - self._filled
                self.data[self._filled : self._filled + new] = self.data[end : end + new]
                self._filled += new
                return new
        return 0

    def _read_into(self, offset: int) -> int:
        with memoryview(self.data) as memory, memory[offset : offset + CHUNK_SIZE] as free:
            return self._file.readinto(free)

    def _terminate_last_line(self) -> int:
        """Add the missing line end of the last line; return the length to scan."""
        if not self._filled:
            return 0
        self.lacks_final_newline = True
        self.data[self._filled : self._filled + 1] = b"\n"
        self._consumed = self._filled + 1
        self._filled = self._consumed
        return self._consumed


# ------------------------------------------------------------------ reader


class CallgrindReader:
    """Reads one file after the other and builds one profile of all."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._columns = ScannerTables()
        self._scanner = self._columns.scanner
        self._log = DiagnosticLog()
        self._diagnostics = DiagnosticCollector(self._columns, self._log)
        self._parts: list[PartHeader] = []
        self._paths: list[str] = []
        self._events: dict[str, int] = {}  # column of each
        self._definitions = EventDefinitions()
        self._has_address = False
        self._fraction = 0.0

    def read(self, file: ProfileStream, head: bytes, share: tuple[float, float]) -> None:
        """Read a file; `head` are the bytes already read.

        `share` is the start and end of the file's share of the progress.
        """
        self.begin_file(file, share)
        self.end_file(self.read_lines(head))

    def begin_file(self, file: ProfileStream, share: tuple[float, float]) -> None:
        """Begin a file: without ids and events, its positions are lines, and a part begins."""
        self._file, self._share = file, share
        self._path = str(file.path)
        self._paths.append(self._path)
        self._columns.names.clear_ids()
        self._columns.clear_diagnostics()
        self._diagnostics = DiagnosticCollector(self._columns, self._log)
        self._scanner.line_number = 0
        self._scanner.events = -1
        self._scanner.names_callee_files = self._scanner.names_callee_objects = False
        self._first_rows = self._columns.row_numbers()
        self._first_part = len(self._parts)
        self._memory_before = self._columns.filled_bytes()
        self._start_part()
        self._set_columns(self._part.columns)

    def read_lines(self, head: bytes) -> _LineBuffer:
        """Read all lines of the file; `head` are the bytes already read."""
        lines = _LineBuffer(self._file, head, self._report_progress)
        bytes_read = 0
        while length := lines.fill():
            if lines.has_long_line:
                self._add_diagnostic(
                    self._scanner.line_number + 1, "long-line", line_around(lines.data, 0)
                )
            bytes_read += length
            if self._scanner.line_number == 0 and lines.data.startswith(codecs.BOM_UTF8):
                lines.data[: len(codecs.BOM_UTF8)] = b"   "  # blanks may precede any line
            to_come = max(0, self._estimated_size(bytes_read) - bytes_read)
            self._columns.reserve(length, to_come)
            self.scan_lines(lines.data, 0, length)
        return lines

    def end_file(self, lines: _LineBuffer) -> None:
        """Check the totals of the file's parts, and whether its end is missing."""
        self._end_last_part()
        creator = self._parts[self._first_part].text("creator")
        self._columns.join_callees(self._first_rows, of_callgrind=creator.startswith("callgrind"))
        for line, kind, text in sum_diagnostics(
            self._parts[self._first_part :], self._columns, self._events
        ):
            self._add_diagnostic(line, kind, text)
        if self._file.decompression_error:
            self._add_diagnostic(
                self._scanner.line_number, "broken-packing", self._file.decompression_error
            )
        if lines.lacks_final_newline and not omits_final_newline(self._part):
            self._add_diagnostic(
                self._scanner.line_number, "no-line-end", line_around(lines.data, 0)
            )
        if self._scanner.awaited:
            self._add_diagnostic(self._scanner.line_number, "cut")
        if not self._scanner.costs and not self._scanner.calls:
            self._add_diagnostic(0, "no-costs")
        elif self._part.text("creator").startswith("callgrind-") and self._part.totals is None:
            self._add_diagnostic(self._scanner.line_number, "no-totals")

    def profile(self) -> Profile:
        """Build the profile of all files read; to be called once, at the end."""
        columns = self._columns
        left = columns.drop_joined()
        costs, calls = columns.costs(self._has_address), columns.calls(self._has_address)
        of_costs = map(costs.of_event, range(len(costs.values)))
        if any(map(may_overflow, (*of_costs, *calls.values, calls.count))):
            self._add_diagnostic(0, "sums-overflow")
        return Profile(
            paths=tuple(self._paths),
            events=event_types(
                list(self._events),
                known_event_names(self._parts) | self._definitions.long_names,
                self._definitions.formulas.items(),
            ),
            parts=tuple(part.to_part() for part in self._parts),
            texts=columns.names.texts(),
            functions=columns.names.functions(left),
            runs=columns.runs(),
            costs=costs,
            calls=calls,
            jumps=columns.jumps(self._has_address),
            call_targets=columns.call_targets(self._has_address, left),
            diagnostics=tuple(
                sorted(self._log.kept, key=lambda item: (self._paths.index(item.path), item.line))
            ),
            diagnostic_count=self._log.counts.total(),
        )

    # ------------------------------------------------------------ bytes

    def _estimated_size(self, bytes_read: int) -> int:
        """Estimate the decompressed size of the file from the ratio so far."""
        position = self._file.position()
        return bytes_read * self._file.size // position if position else bytes_read

    def scan_lines(self, data: bytearray, at: int, stop: int) -> None:
        """Scan the whole lines of `data[at:stop]`, and read the header lines among them."""
        while at < stop:
            status, at = self._scanner.scan(data, at, stop)
            self._diagnostics.collect(self._path, data)
            if status == HEADER and (unknown := UNKNOWN_LINES.match(data, at, stop)):
                self._diagnostics.report_unknown(self._path, data, at, unknown.end())
                at = unknown.end()
            elif status == HEADER:
                end = data.index(b"\n", at)
                self._scanner.line_number += 1
                self._header_line(bytes(data[at:end]))
                at = end + 1
            elif status == NAMES_FULL:
                self._columns.names.grow()
            elif status == COSTS_BEFORE_EVENTS:
                raise InvalidProfile(
                    self._path,
                    f"has costs before any events: line (“{line_around(data, at).strip()}”).",
                    line=self._scanner.line_number,
                    remedy="The events: line names what was counted.",
                )

    def _report_progress(self) -> None:
        """Report progress by cost read if the first part has a summary, otherwise by bytes.

        Other parts may follow, so progress by cost is limited to twice the share of bytes; once
        they do, nobody knows how many. It never goes back (docs/design.md, reading rule 7).
        """
        taken = self._columns.filled_bytes() - self._memory_before
        self._file.report_memory(self._memory_before, taken)
        part = self._part
        fraction = self._byte_fraction()
        is_first = len(self._parts) == self._first_part + 1
        if is_first and part.summary and part.summary[0] > 0 and part.events:
            column = self._events.get(part.events[0], 0)
            rows = self._scanner.costs
            part.cost_read += self._columns.total_cost(column, part.next_row, rows)
            part.next_row = rows
            cost_fraction = min(1.0, max(0.0, part.cost_read / part.summary[0]))
            fraction = min(cost_fraction, 2 * fraction)
        begin, end = self._share
        self._fraction = max(self._fraction, begin + (end - begin) * fraction)
        self._progress.check(self._fraction, self._path)

    def _byte_fraction(self) -> float:
        return min(1.0, self._file.position() / max(1, self._file.size))

    def _add_diagnostic(self, line: int, kind: str, text: str = "") -> None:
        if self._log.keeps(self._path, kind):
            self._log.add(self._path, line, kind, message_for(kind, text))
        else:
            self._log.count_more(kind, 1)

    # ------------------------------------------------------------ parts and headers

    def _start_part(self) -> None:
        before = self._parts[-1] if len(self._parts) > self._first_part else None
        self._part = PartHeader(
            self._path,
            first_row=self._scanner.costs,
            next_row=self._scanner.costs,
            positions=before.positions if before else ("line",),
            columns=before.columns if before else ("line",),
            events=before.events if before else (),
            numbers={"pid": before.numbers["pid"]} if before and "pid" in before.numbers else {},
        )
        self._columns.begin_part(len(self._parts))
        self._parts.append(self._part)

    def _end_part(self) -> None:
        part = self._part
        part.stop_row = self._scanner.costs
        if part.unstated_positions and not part.has("positions"):
            self._add_diagnostic(part.unstated_positions, "no-positions")

    def _end_last_part(self) -> None:
        """End the last part of a file; a header without `events:` behind the last body is none."""
        self._end_part()
        part = self._part
        has_body = part.has_body or self._scanner.has_body
        if len(self._parts) > self._first_part + 1 and not (part.has("events") or has_body):
            self._parts.pop()
            self._part = self._parts[-1]
            self._part.take_back(part)

    def _header_line(self, line: bytes) -> None:
        text = line.decode("utf-8", "surrogateescape")
        split = split_header(text)
        if split is None:
            if not is_profile_separator(text):
                self._add_diagnostic(self._scanner.line_number, "unknown-line", text)
            return
        key, value = split
        self._forget_awaited()
        self._part.has_body = self._part.has_body or self._scanner.has_body
        if self._part.events and self._begins_part(key):
            self._end_part()
            self._start_part()
        self._part.lines.append((key, value))
        if not self._apply_header(key, value):
            self._add_diagnostic(self._scanner.line_number, "bad-header", text)

    def _forget_awaited(self) -> None:
        """Report a call or jump without its second line, before a header line."""
        if self._scanner.awaited:
            kind = "call-without-cost" if self._scanner.awaited == 1 else "jump-without-source"
            self._add_diagnostic(self._scanner.line_number, kind)
            self._scanner.forget()

    def _begins_part(self, key: str) -> bool:
        """Return whether a header line belongs to the next part (reading rule 5).

        The sums behind a body close it. Without a body, a part is one if it states its events.
        """
        part = self._part
        if key == "totals" or (key == "summary" and part.summary is None):
            return False
        if part.has_body or part.is_closed:
            return True
        return key in PART_KEYS and part.has("events") and part.has(key)

    def _apply_header(self, key: str, value: str) -> bool:
        """Apply a header line; return False if its value is invalid."""
        if key == "events":
            return self._read_events(value.split())
        if key == "positions":
            return self._read_positions(value.split())
        if key == "event":
            if kind := self._definitions.add(value):
                self._add_diagnostic(self._scanner.line_number, kind, f"event: {value}")
            return True
        if key == "version":
            return self._check_version(value)
        if key in ("pid", "part", "thread"):
            number = parse_leading_integer(value)
            self._part.numbers[key] = number or 0
            return number is not None
        if key in ("summary", "totals"):
            return self._read_sums(key, parse_numbers(value))
        return True

    def _check_version(self, value: str) -> bool:
        """Report a version of the format that is newer than the one read here."""
        number = parse_leading_integer(value)
        if number is not None and number > 1:
            self._add_diagnostic(self._scanner.line_number, "newer-version", value)
        return number is not None

    def _read_sums(self, key: str, numbers: list[int] | None) -> bool:
        """Store sums; numbers from 2^63 on are wrapped negative ones, as in cost lines."""
        if numbers is None:
            return False
        if any(abs(number) >> 64 for number in numbers):
            self._add_diagnostic(self._scanner.line_number, "huge-number", key)
        sums = [to_signed_64(number) for number in numbers]
        part = self._part
        if key == "summary":
            part.summary, part.summary_line = sums, self._scanner.line_number
            # Xdebug has it in a body, between fn= and costs
            self._close_body(self._scanner.run_is_open)
        else:
            part.totals, part.totals_line = sums, self._scanner.line_number
            part.is_closed = part.has("events")
            self._close_body(part.has_body)
        return True

    def _close_body(self, is_closed: bool) -> None:
        """Let the scanner report further lines of the body, if there was one."""
        self._scanner.is_closed = is_closed
        self._scanner.run_is_open = self._scanner.run_is_open and not is_closed

    def _read_events(self, names: list[str]) -> bool:
        if not names:
            return False
        for name in names:
            if name not in self._events and len(self._events) < MAX_EVENTS:
                self._events[name] = len(self._events)
        if not self._events.keys() >= set(names):
            self._add_diagnostic(self._scanner.line_number, "too-many-events")
        part = self._part
        part.events = tuple(names)
        if not part.has("positions") and part.columns != ("line",):
            part.unstated_positions = self._scanner.line_number
            self._set_columns(("line",))
        columns = [self._events.get(name, -1) for name in names]
        self._columns.set_events(columns, len(self._events))
        return True

    def _read_positions(self, words: list[str]) -> bool:
        """Read which positions a line has; known ones are in the format's order."""
        known = [word for word in _POSITIONS if word in words]
        in_order = iter(known)
        unread = set(known)
        columns = []
        for word in words:
            columns.append(next(in_order) if word in unread else "")
            unread.discard(word)
        self._set_columns(tuple(columns or ["line"]))
        if known != words:
            self._add_diagnostic(self._scanner.line_number, "unknown-position", " ".join(words))
        return bool(words)

    def _set_columns(self, columns: tuple[str, ...]) -> None:
        """Set the position in each column of a line of costs; "" is one that is skipped."""
        part, scanner = self._part, self._scanner
        part.columns = columns
        part.positions = tuple(filter(None, columns))
        scanner.has_address, scanner.has_line = "instr" in columns, "line" in columns
        self._has_address = self._has_address or scanner.has_address
        address = columns.index("instr") if scanner.has_address else -1
        line = columns.index("line") if scanner.has_line else len(columns)
        scanner.skips_columns = len(columns) > scanner.has_address + scanner.has_line
        scanner.skipped_first = max(address, 0)
        scanner.skipped_between = line - address - 1
        scanner.skipped_last = max(len(columns) - line - 1, 0)


_POSITIONS = ("instr", "bb", "line")


# ------------------------------------------------------------------- files


class CallgrindFiles:
    """Reads files in the Callgrind format; consecutive files become one profile."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._readers: dict[int, CallgrindReader] = {}  # by the index of their first file
        self._last = -1  # index of the last file

    def read(
        self, index: int, file: ProfileStream, head: bytes, share: tuple[float, float]
    ) -> None:
        """Read a file; `head` are the bytes already read, `share` its range of the progress."""
        if not self._readers or index != self._last + 1:
            self._readers[index] = CallgrindReader(self._progress)
        next(reversed(self._readers.values())).read(file, head, share)
        self._last = index

    def profiles(self) -> dict[int, Profile]:
        """Return the profiles by the index of their first file; to be called once, at the end."""
        return {first: reader.profile() for first, reader in self._readers.items()}
