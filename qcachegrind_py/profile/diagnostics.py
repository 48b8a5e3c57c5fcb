"""What was odd in a file: kept with its line number, up to a hundred of a kind, counted beyond."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

MAX_KEPT_PER_KIND = 100


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One odd place: `line` is 0 where the whole file is meant."""

    path: str
    line: int
    kind: str
    message: str


@dataclass(slots=True)
class DiagnosticLog:
    """Collects diagnostics while a profile is read."""

    kept: list[Diagnostic] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def add(self, path: str, line: int, kind: str, message: str) -> None:
        """Count the oddity, and keep it if there are not too many of its kind."""
        self.counts[kind] += 1
        if self.counts[kind] <= MAX_KEPT_PER_KIND:
            self.kept.append(Diagnostic(path, line, kind, message))

    def count_more(self, kind: str, number: int) -> None:
        """Count oddities of which nothing else is kept."""
        self.counts[kind] += number
