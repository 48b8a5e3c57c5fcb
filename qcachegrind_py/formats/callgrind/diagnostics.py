"""Diagnostics: a sentence for each kind of odd line, and sums that differ from those stated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from qcachegrind_py.formats.callgrind.header import PartHeader
from qcachegrind_py.formats.callgrind.scanner import DIAGNOSTIC_KINDS, DIAGNOSTICS_KEPT
from qcachegrind_py.formats.callgrind.scanner_tables import ScannerTables
from qcachegrind_py.profile.profile import MAX_KEPT_PER_KIND, DiagnosticLog
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.visible_text import visible_text

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
    """Return the message of a kind with an excerpt of the line."""
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


def may_overflow(column: Int64Array) -> bool:
    """Return whether the sum of some of the rows may exceed 64 bits."""
    if not len(column) or max(int(column.max()), -int(column.min())) * len(column) < 1 << 63:
        return False
    numbers: list[int] = column.tolist()
    positive = sum(number for number in numbers if number > 0)
    return positive >= 1 << 63 or sum(numbers) - positive < -(1 << 63)
