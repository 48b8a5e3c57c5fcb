"""Asks what of the profile is to be saved, and says what the file will hold."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QPushButton,
    QRadioButton,
    QVBoxLayout,
    QWidget,
)

from qcachegrind_py.app.style.wrapped_label import Paragraph
from qcachegrind_py.formats.callgrind.writing.selection import Selection
from qcachegrind_py.models.base.plain_text import short_text
from qcachegrind_py.profile.number_format import grouped
from qcachegrind_py.profile.tables import BoolArray

_BUTTON = QDialogButtonBox.StandardButton


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """What is there, and what of it the window shows."""

    parts: int
    chosen: tuple[int, ...] | None  # the parts that are looked at; None for all
    functions: int
    filter: str  # as it is written; empty for none
    passing: BoolArray | None  # what passes it

    @property
    def leaves_choice(self) -> bool:
        """Whether there is anything to ask."""
        return self.parts > 1 or self.passing is not None


class SaveDialog(QDialog):
    """Begins with what the window shows."""

    decided = Signal(object)  # the Selection

    def __init__(self, parent: QWidget, shown: Shown) -> None:
        super().__init__(parent)
        self.setWindowTitle("Save Profile As")
        self._shown = shown
        self.all_parts = QRadioButton(f"&All {_counted(shown.parts, 'part')}")
        chosen = len(shown.chosen or ())
        self.chosen_parts = QRadioButton(f"Only the {_counted(chosen, 'part')} looked &at")
        self.merged = QCheckBox("&Merge the parts into one")
        self.merged.setToolTip("Costs of the same line, or instruction, and calls are added up")
        self.filtered = QCheckBox(
            f"Only functions that pass the &filter {short_text(shown.filter)}"
        )
        self.filtered.setToolTip(
            "Calls between them and others stay, so that their costs are right"
        )
        self.content = Paragraph()
        self.buttons = QDialogButtonBox(_BUTTON.Cancel)
        self.save = QPushButton("&Save As…")
        self.buttons.addButton(self.save, QDialogButtonBox.ButtonRole.AcceptRole)
        self._lay_out()
        self._begin()
        self.buttons.accepted.connect(self._accept)
        self.buttons.rejected.connect(self.reject)
        for button in (self.all_parts, self.merged, self.filtered):
            button.toggled.connect(lambda _on: self._describe())
        self._describe()

    def selection(self) -> Selection:
        """What is to be saved."""
        return Selection(
            self._shown.chosen if self.chosen_parts.isChecked() else None,
            self.merged.isChecked() and self._part_count() > 1,
            self._shown.passing if self.filtered.isChecked() else None,
        )

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        for widget in (self.all_parts, self.chosen_parts, self.merged, self.filtered):
            column.addWidget(widget)
        column.addSpacing(self.fontMetrics().height() // 2)
        column.addWidget(self.content)
        column.addStretch()
        column.addWidget(self.buttons)
        self.save.setDefault(True)  # once it is in the window
        self.save.setFocus()
        self.setMinimumWidth(self.fontMetrics().horizontalAdvance("0") * 56)

    def _begin(self) -> None:
        """What is shown; what there is no choice in is not asked."""
        shown = self._shown
        self.all_parts.setChecked(shown.chosen is None)
        self.chosen_parts.setChecked(shown.chosen is not None)
        self.chosen_parts.setVisible(shown.chosen is not None)
        self.all_parts.setVisible(shown.chosen is not None)
        self.merged.setVisible(shown.parts > 1)
        self.filtered.setChecked(shown.passing is not None)
        self.filtered.setVisible(shown.passing is not None)

    def _part_count(self) -> int:
        return len(self._shown.chosen or ()) if self.chosen_parts.isChecked() else self._shown.parts

    def _describe(self) -> None:
        """Say what the file will hold."""
        count = self._part_count()
        self.merged.setEnabled(count > 1)
        functions = f"all {_counted(self._shown.functions, 'function')}"
        passing = self._shown.passing
        if self.filtered.isChecked() and passing is not None:
            kept, of = int(np.count_nonzero(passing)), grouped(self._shown.functions)
            functions = f"{grouped(kept)} of {of} functions, with the calls from and to them"
            self.save.setEnabled(kept > 0)
        else:
            self.save.setEnabled(True)
        parts = _counted(count, "part")
        if self.merged.isChecked() and count > 1:
            parts += " merged into one"
        self.content.setText(f"The file will hold {parts}, and {functions}.")

    def _accept(self) -> None:
        self.decided.emit(self.selection())
        self.accept()


def _counted(count: int, noun: str) -> str:
    return f"{grouped(count)} {noun}{'' if count == 1 else 's'}"
