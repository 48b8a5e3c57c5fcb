"""Progress that keeps what is reported, and cancels the work at one of the reports."""

from __future__ import annotations

from pathlib import Path

from qcachegrind_py.profile.errors import Cancelled


class Reports:
    """The reports of some work; with `stop_at`, that one is the last: 1 is the first."""

    def __init__(self, stop_at: int = 0) -> None:
        self.fractions: list[float] = []
        self.texts: set[str] = set()
        self._stop_at = stop_at

    def check(self, fraction: float, text: str = "") -> None:
        """Keep the report, or raise `Cancelled`."""
        self.fractions.append(fraction)
        self.texts.add(Path(text).name)
        if len(self.fractions) == self._stop_at:
            raise Cancelled
