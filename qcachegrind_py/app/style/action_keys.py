"""The keys of an action, which its tooltip names."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QAction, QKeySequence


def set_keys(action: QAction, keys: Sequence[QKeySequence]) -> None:
    """Give keys to an action; its tooltip is its tip in the status bar, and the first key."""
    action.setShortcuts(list(keys))
    key = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
    tip = action.statusTip()
    action.setToolTip(f"{tip} ({key})" if key else tip)
