"""Buttons that choose all parts of a thread or of a process."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QHBoxLayout, QMenu, QToolButton, QWidget

from qcachegrind_py.profile.tables import Int64Array

_MAX_BUTTONS = 3  # for threads, and for processes; more would make the window wide


class ChoiceButtons(QWidget):
    """A button for each thread and process, if there are several; further ones are in a menu."""

    parts_chosen = Signal(object)  # list[PartId]

    def __init__(self) -> None:
        super().__init__()
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._actions: list[QAction] = []

    def set_numbers(self, numbers: dict[str, Int64Array]) -> None:
        """Offer the threads and processes of parts, whose numbers are in these columns."""
        while (item := self._row.takeAt(0)) is not None:
            if (button := item.widget()) is not None:
                button.deleteLater()
        for action in self._actions:
            action.deleteLater()
        self._actions.clear()
        for title, key in {"Thread": "thread", "Process": "pid"}.items():
            by_number = np.argsort(numbers[key], kind="stable")
            values, starts = np.unique(numbers[key][by_number], return_index=True)
            if len(values) > 1:
                parts = map(np.ndarray.tolist, np.split(by_number, starts[1:]))
                self._add_choices(title, dict(zip(values.tolist(), parts, strict=True)))

    def _add_choices(self, title: str, parts: dict[int, list[int]]) -> None:
        """Add buttons for the first choices and a menu for the rest."""
        texts = [f"{title} {number}" if number else f"No {title}" for number in parts]
        actions = [QAction(text, self) for text in texts]
        self._actions += actions
        for action, chosen in zip(actions, parts.values(), strict=True):
            action.setToolTip(f"Select the parts of {action.text()}")
            action.triggered.connect(
                lambda _checked=False, chosen=chosen: self.parts_chosen.emit(chosen)
            )
        for action in actions[:_MAX_BUTTONS]:
            button = QToolButton()
            button.setDefaultAction(action)
            self._row.addWidget(button)
        if len(actions) > _MAX_BUTTONS:
            button = QToolButton()
            button.setText(f"More {title}s")
            button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
            button.setMenu(QMenu(button))
            button.menu().addActions(actions[_MAX_BUTTONS:])
            self._row.addWidget(button)
