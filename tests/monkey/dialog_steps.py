"""Steps in open menus and dialogs: answered, used or dismissed."""

from __future__ import annotations

from pathlib import Path
from random import Random

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QDialogButtonBox,
    QFileDialog,
    QLineEdit,
    QMenu,
    QWidget,
)

from tests.monkey.sandbox import SAVED_NAMES, Sandbox
from tests.user_input import move_mouse

_KEY = Qt.Key
_MENU_KEYS = (_KEY.Key_Down, _KEY.Key_Up, _KEY.Key_Right, _KEY.Key_Left, _KEY.Key_Return)


def dismiss(_chance: Random, top: QWidget) -> str:
    """Press Escape; close what stays open."""
    QTest.keyClick(QApplication.focusWidget() or top, _KEY.Key_Escape)
    if top in (QApplication.activePopupWidget(), QApplication.activeModalWidget()):
        top.close()
    return "dismiss"


def use_popup(chance: Random, popup: QWidget) -> str:
    """Choose an action by mouse, or move the selection by keys."""
    if isinstance(popup, QMenu) and chance.random() < 0.6:
        usable = [
            action
            for action in popup.actions()
            if action.isEnabled() and action.isVisible() and not action.isSeparator()
        ]
        if usable:
            action = chance.choice(usable)
            position, text = popup.actionGeometry(action).center(), action.text()
            move_mouse(popup, position)
            QTest.mouseClick(popup, Qt.MouseButton.LeftButton, pos=position)
            return f"choose {text[:30]!r}"
    key = chance.choice(_MENU_KEYS)
    QTest.keyClick(QApplication.focusWidget() or popup, key)
    return f"key {key.name} in {type(popup).__name__}"


def press_button(chance: Random, dialog: QWidget) -> str:
    """Press one of the buttons that end a dialog."""
    buttons = [
        button
        for box in dialog.findChildren(QDialogButtonBox)
        for button in box.findChildren(QAbstractButton)
        if button.isVisible() and button.isEnabled()
    ]
    if not buttons:
        return dismiss(chance, dialog)
    button = chance.choice(buttons)
    text = button.text()  # the button may be gone afterwards
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    return f"button {text!r}"


class FileDialogSteps:
    """The one step in a file dialog: other input could change any file of the user."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def answer(self, chance: Random, dialog: QFileDialog) -> str:
        """Give a name within the folder of the run, or none."""
        edit = dialog.findChild(QLineEdit, "fileNameEdit")
        if edit is None or chance.random() < 0.3:
            return dismiss(chance, dialog)
        path = self._path(chance, dialog)
        edit.setText(str(path))
        QTest.keyClick(edit, _KEY.Key_Return)
        if QApplication.activeModalWidget() is dialog:  # it wants another answer
            dialog.reject()
        return f"file {path.name}"

    def _path(self, chance: Random, dialog: QFileDialog) -> Path:
        if dialog.acceptMode() is QFileDialog.AcceptMode.AcceptSave:
            return self._sandbox.saved / chance.choice(SAVED_NAMES)
        if dialog.fileMode() is QFileDialog.FileMode.Directory:
            return self._sandbox.saved
        return chance.choice([*self._sandbox.profiles, *self._sandbox.odd_files])


def answer_when_closing() -> None:
    """Agree to end what a window that closes is still doing."""
    dialog = QApplication.activeModalWidget()
    if dialog is not None:
        buttons = dialog.findChildren(QAbstractButton)
        accept = [button for button in buttons if button.text().startswith("&Stop")]
        (accept or buttons)[0].click()
