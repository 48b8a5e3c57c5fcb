"""Diagnostics: odd lines of a file, with line numbers, up to 100 of each kind; the rest counted.

Some kinds are damage: the file is cut, or some of its costs are lost. Numbers of such a file are
those of the rest, and can be compared with nothing.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

MAX_KEPT_PER_KIND = 100
# Callgrind writes such a summary where signals or dumps interrupt it; totals then prove the costs
SUMMARY_TOO_SMALL = "summary-too-small"
DAMAGE = frozenset(
    (
        # the last line or the packed data is cut
        "no-line-end",
        "cut",
        "no-totals",
        "long-line",
        "broken-packing",
        # a cost line or a call was lost
        "text-after-costs",
        "call-without-cost",
        # the costs do not add up to what the file states
        "totals-differ",
        SUMMARY_TOO_SMALL,
    )
)


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A report about one odd line; `line` is 0 if it concerns the whole file."""

    path: str
    line: int
    kind: str
    message: str

    @property
    def place(self) -> str:
        """The file, and the line if there is one."""
        return f"{self.path}:{self.line}" if self.line else self.path


@dataclass(slots=True)
class DiagnosticLog:
    """Collects diagnostics while a profile is read."""

    kept: list[Diagnostic] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    known: set[tuple[str, str]] = field(default_factory=set)  # path and kind of those retained

    def keeps(self, path: str, kind: str) -> bool:
        """Return whether the next diagnostic of this kind is retained, and not only counted.

        The first one of a file always is.
        """
        return self.counts[kind] < MAX_KEPT_PER_KIND or (path, kind) not in self.known

    def add(self, path: str, line: int, kind: str, message: str) -> None:
        """Count a diagnostic, and retain it unless there are too many of its kind."""
        if self.keeps(path, kind):
            self.kept.append(Diagnostic(path, line, kind, message))
            self.known.add((path, kind))
        self.counts[kind] += 1

    def count_more(self, kind: str, number: int) -> None:
        """Count diagnostics without details."""
        self.counts[kind] += number
