"""Messages of diagnostics: a sentence for each kind of odd line."""

from __future__ import annotations

from qcachegrind_py.formats.callgrind.scanner import DIAGNOSTIC_KINDS, DIAGNOSTICS_KEPT
from qcachegrind_py.formats.callgrind.scanner_tables import ScannerTables
from qcachegrind_py.profile.profile import MAX_KEPT_PER_KIND, DiagnosticLog
from qcachegrind_py.visible_text import visible_text

MESSAGES = {
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
        return MESSAGES[kind] + "."
    return f"{MESSAGES[kind]}: “{text[:_MAX_EXCERPT]}{'…' if len(text) > _MAX_EXCERPT else ''}”."
