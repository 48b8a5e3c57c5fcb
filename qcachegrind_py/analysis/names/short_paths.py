"""Paths of files, as short as they are still different from one another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence


def short_paths(paths: Sequence[str]) -> list[str]:
    """Of each path the base name, with folders before it where others are called the same.

    Both kinds of slashes divide. Paths that are the same throughout stay as they are.
    """
    parts = [path.replace("\\", "/").split("/") for path in paths]
    lengths = [1] * len(paths)
    while True:
        tails = ["/".join(of[-length:]) for of, length in zip(parts, lengths, strict=True)]
        count = Counter(tails)
        longer = [
            min(length + 1, len(of)) if count[tail] > 1 else length
            for tail, of, length in zip(tails, parts, lengths, strict=True)
        ]
        if longer == lengths:
            return tails
        lengths = longer
