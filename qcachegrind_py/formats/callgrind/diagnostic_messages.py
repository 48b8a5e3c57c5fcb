"""Messages of diagnostics: a sentence for each kind of odd line."""

from __future__ import annotations

from qcachegrind_py.formats.callgrind.scanner import DIAGNOSTIC_KINDS, DIAGNOSTICS_KEPT
from qcachegrind_py.formats.callgrind.scanner_tables import ScannerTables
from qcachegrind_py.profile.diagnostics import MAX_KEPT_PER_KIND, DiagnosticLog
from qcachegrind_py.visible_text import visible_text

MESSAGES = {
    "text-after-costs": "This is no number, and was passed over",
    "surplus-costs": "There are more costs than events; the surplus was passed over",
    "negative-cost": "A cost is negative; it was taken as it is",
    "wrapped-number": "A number is 2^63 or more; it was read as the negative one that wrapped",
    "huge-number": "A number is 2^64 or more; only its lowest 64 bits were kept",
    "bad-position": "A position is missing or has a tail; the last one was taken",
    "negative-line": "A line number is below 0; it was taken as 0",
    "huge-line": "A line number is above 2147483647; it was taken as that",
    "undefined-id": "A name is referred to that was never defined; it is shown as ???",
    "redefined-id": "A name in parentheses was given another meaning; it holds from here on",
    "no-function": "There are costs before any fn=; they belong to the function ???",
    "call-without-callee": "There is a calls= without cfn= before it; the callee is shown as ???",
    "call-without-cost": "A calls= has no cost line; the call was passed over",
    "jump-without-source": "A jump has no source line; it was passed over",
    "bad-count": "A count is missing; it was taken as 0",
    "jump-with-cost": "A jump has costs; they count as those of its line",
    "unknown-line": "This line was not understood, and was passed over",
    "bad-header": "The value of this header line was not understood",
    "unknown-position": "Positions may be instr, bb and line, in this order",
    "too-many-events": "There are more events than can be read; the others were passed over",
    "newer-version": "The version of the format is newer than 1; it was read as version 1",
    "summary-too-small": "The summary is less than the sum of the cost lines",
    "totals-differ": "The totals differ from the sum of the cost lines",
    "sums-overflow": "The costs are too large to be added exactly",
    "long-line": "A line is longer than 16 MB; the rest of it was passed over",
    "no-costs": "The file has a header and no costs",
    "no-line-end": "The last line has no line end: the file may be cut here",
    "cut": "The file ends in the middle of a call or jump: it is cut here",
    "no-totals": "The totals that callgrind writes last are missing: the file may be cut here",
    "broken-packing": "The packed file is cut or broken here; what could be unpacked was read",
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
