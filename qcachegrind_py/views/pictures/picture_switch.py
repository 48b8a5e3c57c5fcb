"""The buttons that choose one of several pictures, with as many words as there is room for."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from qcachegrind_py.views.widgets.grid import grid

_ICON = Qt.ToolButtonStyle.ToolButtonIconOnly
_WORDS = Qt.ToolButtonStyle.ToolButtonTextBesideIcon


class PictureSwitch(QWidget):
    """All buttons have words, or else the one that is chosen, or else none."""

    def __init__(self, choices: Sequence[QAction]) -> None:
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, grid(), 0)
        row.setSpacing(0)
        self._room = 0  # the width that there is
        self._buttons = [QToolButton(autoRaise=True) for _ in choices]
        for button, choice in zip(self._buttons, choices, strict=True):
            button.setDefaultAction(choice)
            row.addWidget(button)
            choice.toggled.connect(lambda: self.fit(self._room))
        self._least_width = self._set_words([])

    def fit(self, room: int) -> None:
        """Show as many words as fit into this width."""
        self._room = room
        chosen = [button for button in self._buttons if button.isChecked()]
        for with_words in (self._buttons, chosen, []):
            if self._set_words(with_words) <= room:
                break

    def _set_words(self, with_words: Sequence[QToolButton]) -> int:
        """Give words to some buttons, and icons alone to the others; return the width of all."""
        for button in self._buttons:
            button.setToolButtonStyle(_WORDS if button in with_words else _ICON)
        return self.sizeHint().width()

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return QSize(self._least_width, super().minimumSizeHint().height())
