"""Progress reporting and cancellation for long-running work."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """The argument of long-running work, which calls `check` at least every 100 ms."""

    def check(self, fraction: float, text: str = "") -> None:
        """Report the fraction done (0 to 1); raises `Cancelled` if the user cancelled the work."""


class PartialProgress:
    """The progress of one part of the work, reported as progress of the whole."""

    def __init__(self, whole: Progress, begin: float, end: float) -> None:
        """`begin` and `end` are the fractions of the whole, 0 to 1, between which the part lies."""
        self._whole, self._begin, self._share = whole, begin, end - begin

    def check(self, fraction: float, text: str = "") -> None:
        """Report the fraction of this part; raises `Cancelled` as the whole does."""
        self._whole.check(self._begin + fraction * self._share, text)


class NoProgress:
    """Progress that is ignored and never cancelled."""

    def check(self, fraction: float, text: str = "") -> None:
        """Do nothing."""
