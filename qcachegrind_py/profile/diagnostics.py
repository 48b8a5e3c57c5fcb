"""Diagnostics: odd lines of a file, with line numbers, up to 100 of each kind; the rest counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

MAX_KEPT_PER_KIND = 100


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A report about one odd line; `line` is 0 if it concerns the whole file."""

    path: str
    line: int
    kind: str
    message: str


@dataclass(slots=True)
class DiagnosticLog:
    """Collects diagnostics while a profile is read."""

    kept: list[Diagnostic] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)

    def keeps(self, kind: str) -> bool:
        """Return whether the next diagnostic of this kind is retained, and not only counted."""
        return self.counts[kind] < MAX_KEPT_PER_KIND

    def add(self, path: str, line: int, kind: str, message: str) -> None:
        """Count a diagnostic, and retain it unless there are too many of its kind."""
        if self.keeps(kind):
            self.kept.append(Diagnostic(path, line, kind, message))
        self.counts[kind] += 1

    def count_more(self, kind: str, number: int) -> None:
        """Count diagnostics without details."""
        self.counts[kind] += number
