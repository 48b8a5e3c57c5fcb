"""Smaller files that fail as a given one does."""

from __future__ import annotations

from collections.abc import Callable, Sequence

_MOST_TRIES = 400


def minimised(data: bytes, fails: Callable[[bytes], bool]) -> bytes:
    """Leave out lines, then bytes, as long as `fails` still holds; after 400 tries each, stop."""
    data = _fewest(data.splitlines(keepends=True), fails)
    return _fewest([data[i : i + 1] for i in range(len(data))], fails)


def _fewest(items: Sequence[bytes], fails: Callable[[bytes], bool]) -> bytes:
    """Leave out ever shorter ranges of the items."""
    length, tries = len(items) // 2, 0
    while length and tries < _MOST_TRIES:
        start = 0
        while start < len(items) and tries < _MOST_TRIES:
            fewer = [*items[:start], *items[start + length :]]
            tries += 1
            if fails(b"".join(fewer)):
                items = fewer
            else:
                start += length
        length //= 2
    return b"".join(items)
