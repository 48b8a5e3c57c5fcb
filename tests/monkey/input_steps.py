"""Steps with mouse and keyboard in the window that takes input."""

from __future__ import annotations

from random import Random

import shiboken6
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QContextMenuEvent, QKeyEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

from tests.monkey.targets import focused, random_position, random_target
from tests.user_input import move_mouse

_LEFT = Qt.MouseButton.LeftButton
_BUTTONS = (_LEFT,) * 6 + (Qt.MouseButton.MiddleButton, Qt.MouseButton.BackButton)
_NONE, _CTRL = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier
_SHIFT, _ALT = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.AltModifier
_MODIFIERS = (_NONE,) * 6 + (_CTRL, _SHIFT, _ALT, _CTRL | _SHIFT)
_KEY_NAMES = (
    "Up Down Left Right PageUp PageDown Home End Return Enter Space Tab Backtab Escape Delete "
    "Backspace Plus Minus F2 F3 F4 F5 F6 F10 Menu A C V Z 0 1 7 Slash Period"
)
_KEYS = [Qt.Key[f"Key_{name}"] for name in _KEY_NAMES.split()]
_TEXTS = (
    "main", "a", "std::", "(", "[a-", "^op.*<", "!lib:libc", "999999999", "0", "-1", "2.5", " ",
    "Ir + Dr", "Ir / 0", "/src", "äß€😀", "x" * 40, "\\", "<b>&amp;", "%n%s", "wait", "\u202eabc",
)  # fmt: skip


def click(chance: Random, top: QWidget) -> str:
    """Click, or double-click."""
    widget, position = random_target(chance, top)
    button, keys = chance.choice(_BUTTONS), chance.choice(_MODIFIERS)
    is_double = chance.random() < 0.3
    move_mouse(widget, position)
    if shiboken6.isValid(widget):
        QTest.mouseClick(widget, button, keys, position)
    if is_double and shiboken6.isValid(widget):
        QTest.mouseDClick(widget, button, keys, position)
    return f"{'double-' if is_double else ''}click"


def drag(chance: Random, top: QWidget) -> str:
    """Move the mouse over a widget with the button held, as for a dock, column or splitter."""
    widget, position = random_target(chance, top)
    keys = chance.choice(_MODIFIERS)
    QTest.mousePress(widget, _LEFT, keys, position)
    for _ in range(chance.randrange(2, 5)):
        position = random_position(top, chance) if chance.random() < 0.5 else position
        position += QPoint(chance.randrange(-40, 41), chance.randrange(-40, 41))
        if shiboken6.isValid(widget):
            move_mouse(widget, position, _LEFT, keys)
    if shiboken6.isValid(widget):
        QTest.mouseRelease(widget, _LEFT, keys, position)
    return "drag"


def turn_wheel(chance: Random, top: QWidget) -> str:
    """Scroll, or zoom."""
    widget, position = random_target(chance, top)
    angle = QPoint(0, chance.choice((-1200, -120, 120, 1200)))
    keys = chance.choice((_NONE, _NONE, _CTRL, _ALT))
    event = QWheelEvent(
        QPointF(position), QPointF(widget.mapToGlobal(position)), QPoint(), angle,
        Qt.MouseButton.NoButton, keys, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(widget, event)
    return "wheel"


def open_context_menu(chance: Random, top: QWidget) -> str:
    """Ask for the context menu, by the mouse or its key; of tabs and headers, too."""
    widget, position = random_target(chance, top)
    reason = chance.choice((QContextMenuEvent.Reason.Mouse, QContextMenuEvent.Reason.Keyboard))
    QApplication.sendEvent(
        widget, QContextMenuEvent(reason, position, widget.mapToGlobal(position))
    )
    return "context menu"


def press_keys(chance: Random, top: QWidget) -> str:
    """Press a few keys in the focused widget."""
    keys = [
        (chance.choice(_KEYS), chance.choice(_MODIFIERS)) for _ in range(chance.randrange(1, 5))
    ]
    for key, modifiers in keys:
        if shiboken6.isValid(top):
            QTest.keyClick(focused(top), key, modifiers)
    return "keys " + " ".join(key.name for key, _ in keys)


def press_shortcut(chance: Random, top: QWidget) -> str:
    """Press the keys of an action."""
    actions = [
        action for action in top.window().findChildren(QAction) if not action.shortcut().isEmpty()
    ]
    if not actions:
        return press_keys(chance, top)
    action = chance.choice(actions)
    QTest.keySequence(focused(top), action.shortcut())
    return f"shortcut {action.shortcut().toString()}"


def type_text(chance: Random, top: QWidget) -> str:
    """Type into a field, or into whatever has the keyboard."""
    fields = [edit for edit in top.findChildren(QLineEdit) if edit.isVisible() and edit.isEnabled()]
    field, text = chance.choice([*fields, focused(top)]), chance.choice(_TEXTS)
    if field in fields and chance.random() < 0.7:
        field.setFocus()
        field.selectAll()
    for letter in text:  # `QTest.keyClicks` has no letters beyond ASCII
        _type_letter(field, letter)
    if chance.random() < 0.3 and shiboken6.isValid(field):
        QTest.keyClick(field, Qt.Key.Key_Return)
    return f"type {text[:20]!r}"


def _type_letter(field: QWidget, letter: str) -> None:
    for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
        if shiboken6.isValid(field):
            QApplication.sendEvent(field, QKeyEvent(kind, 0, _NONE, letter))
