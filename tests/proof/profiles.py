"""The Callgrind profiles in a folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.proof.raw_text import unpacked

_LARGEST = 5_000_000  # bytes, packed
_OTHERS = {".tar", ".tsv", ".py", ".md", ".sh", ".c", ".cpp", ".txt", ".json", ".html", ".png"}


def profiles_in(path: Path) -> Iterator[Path]:
    """Yield a file itself, or the files of a folder that have events, as profiles do."""
    if path.is_file():
        yield path
        return
    for each in sorted(path.rglob("*")):
        if each.is_file() and not _OTHERS & set(each.suffixes) and _is_profile(each):
            yield each


def _is_profile(path: Path) -> bool:
    if not 0 < path.stat().st_size < _LARGEST:
        return False
    try:
        return b"events:" in unpacked(path)[: 1 << 16]
    except (OSError, EOFError, ValueError):
        return False
