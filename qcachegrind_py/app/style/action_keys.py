"""The keys of an action, which its tooltip names, and those of widgets that belong to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtGui import QAction, QKeySequence


def set_keys(action: QAction, keys: Sequence[QKeySequence]) -> None:
    """Give keys to an action; its tooltip is its tip in the status bar, and the first key."""
    action.setShortcuts(list(keys))
    key, tip = key_text(action), action.statusTip()
    action.setToolTip(f"{tip} ({key})" if key else tip)


def key_text(action: QAction) -> str:
    """Return the first key of an action as users read it; empty if it has none."""
    return action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)


def follow_keys(show: Callable[..., object], *actions: QAction) -> None:
    """Call `show` with the key of each action, now and whenever one of them gets another."""

    def update() -> None:
        show(*(key_text(action) or "no key" for action in actions))

    for action in actions:
        action.changed.connect(update)
    update()
