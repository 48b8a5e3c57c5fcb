"""What actions and widgets say of themselves: tips with the keys of actions, and What's This.

A widget or an action without a text of its own for What's This has its tip; what is in a dock has
the text of the dock.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLineEdit, QMenu, QWidget

_NAMED = (QAbstractButton, QLineEdit, QComboBox)


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
        show(*(key_text(action) or "no shortcut" for action in actions))

    for action in actions:
        action.changed.connect(update)
    update()


def fill_in_whats_this(root: QWidget) -> None:
    """Use their tips as texts of all widgets and actions below `root` that have none."""
    for widget in root.findChildren(QWidget):
        if isinstance(widget, _NAMED) and not widget.whatsThis():
            widget.setWhatsThis(_sentence(widget.toolTip()))
    for action in (*root.findChildren(QAction), *_menu_actions(root)):
        if action.text() and not action.whatsThis():
            action.setWhatsThis(_sentence(action.statusTip() or action.toolTip()))


def _menu_actions(root: QWidget) -> list[QAction]:
    """The items of all menus, which `root` need not own."""
    return [action for menu in root.findChildren(QMenu) for action in menu.actions()]


def _sentence(tip: str) -> str:
    return f"{tip}." if tip and tip[-1].isalnum() else tip
