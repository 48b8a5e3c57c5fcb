"""Shortest file paths that still distinguish the files of a list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence


def short_paths(paths: Sequence[str]) -> list[str]:
    """Shorten each path to its base name, plus as many folders as distinguish it from the others.

    Both `/` and `\\` separate folders. Identical paths are not shortened.
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
