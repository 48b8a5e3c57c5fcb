"""How long work reports how far it is, and learns that it shall stop."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Handed to long work, which calls `check` often, at least every 100 ms."""

    def check(self, fraction: float, text: str = "") -> None:
        """Say that this fraction (0 to 1) is done; raises `Cancelled` where the user said stop."""


class NoProgress:
    """Work that nobody watches."""

    def check(self, fraction: float, text: str = "") -> None:
        """Do nothing."""
