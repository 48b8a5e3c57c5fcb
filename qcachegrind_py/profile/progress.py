"""Progress reporting and cancellation for long-running work."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """The argument of long-running work, which calls `check` at least every 100 ms."""

    def check(self, fraction: float, text: str = "") -> None:
        """Report the fraction done (0 to 1); raises `Cancelled` if the user cancelled the work."""


class NoProgress:
    """Progress that is ignored and never cancelled."""

    def check(self, fraction: float, text: str = "") -> None:
        """Do nothing."""
