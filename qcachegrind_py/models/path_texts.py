"""Paths as they are written in a line: with the bytes that are no text, and what is offered there.

A path is bytes, and Qt's texts are not: a byte that is no text is written as `\\xe9`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from glob import escape
from itertools import takewhile
from typing import Any

from PySide6.QtCore import QStringListModel, Qt

from qcachegrind_py.models.plain_text import plain_line
from qcachegrind_py.models.table import AnyIndex
from qcachegrind_py.tools.path_rules import PathRule, split_path

_MOST_OFFERED = 500
_MOST_GUESSED_FROM = 100  # each is compared with each rule
_ESCAPE = re.compile(r"\\x(5c|[89a-f][0-9a-f])")


def editable(name: str) -> str:
    """A path as it can be written: a byte that is no text is `\\xe9`."""
    text = _ESCAPE.sub(lambda match: rf"\x5c{match[0][1:]}", name)
    return re.sub("[\udc80-\udcff]", lambda match: rf"\x{ord(match[0]) - 0xDC00:x}", text)


def as_edited(text: str) -> str:
    """The path that was written so."""
    return _ESCAPE.sub(_unescaped, text)


def _unescaped(match: re.Match[str]) -> str:
    byte = int(match[1], 16)
    return "\\" if byte == ord("\\") else chr(0xDC00 + byte)


def offered_paths(recorded: Sequence[str]) -> list[str]:
    """The recorded paths and all folders above them, as originals of rules; folders first."""
    files = list(dict.fromkeys(filter(None, recorded)))[:_MOST_OFFERED]
    folders: set[str] = set()
    for path in files:
        root, parts = split_path(path)
        folders.update(root + "/".join(parts[:depth]) for depth in range(1, len(parts)))
    offered = [*sorted(folders), *sorted(files)][:_MOST_OFFERED]
    return [editable(escape(path)) for path in offered]


def first_guess(recorded: Sequence[str], rules: Sequence[PathRule]) -> str:
    """The folder that those absolute paths are in which no rule is about yet; or nothing."""
    examples = recorded[:_MOST_GUESSED_FROM]
    split = [split_path(p) for p in examples if all(rule.applied(p) is None for rule in rules)]
    absolute = [(root, parts) for root, parts in split if root and parts]
    if not absolute:
        return ""
    root, common = absolute[0][0], absolute[0][1][:-1]
    for other_root, parts in absolute[1:]:
        both = _common_start(common, parts[:-1]) if other_root == root else ()
        common = both or common  # what is elsewhere needs a rule of its own
    return editable(escape(root + "/".join(common))) if common else ""


def _common_start(parts: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    pairs = zip(parts, others, strict=False)
    return tuple(part for part, other in takewhile(lambda pair: pair[0] == pair[1], pairs))


class OfferedPaths(QStringListModel):
    """Paths to complete what is being written; they are shown as text that is safe to show."""

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        text = super().data(index, role)
        is_shown = role == Qt.ItemDataRole.DisplayRole and isinstance(text, str)
        return plain_line(text) if is_shown else text
