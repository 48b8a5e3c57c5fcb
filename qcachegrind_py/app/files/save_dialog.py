"""Dialog for choosing the parts and functions to save, with a description of the result."""

from __future__ import annotations

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

from qcachegrind_py.app.style.text_widgets import WrappedLabel
from qcachegrind_py.formats.callgrind.writing.selection import Selection
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.table import short_text
from qcachegrind_py.profile.ids import PartId
from qcachegrind_py.profile.numbers import format_count, plural
from qcachegrind_py.profile.tables import BoolArray

_StandardButton = QDialogButtonBox.StandardButton


@frozen
class SaveScope:
    """Size of the profile, and the parts and functions that the window shows."""

    parts: int
    active_parts: tuple[PartId, ...] | None  # the selected parts; None for all
    functions: int
    filter: str  # its text; empty for none
    visible: BoolArray | None  # by function: passes the filter; None without one
    folded: BoolArray | None = None  # by function: is charged to its callers; None if none is

    @property
    def has_choice(self) -> bool:
        """Whether there is more than one way to save the profile."""
        return self.parts > 1 or self.visible is not None or self.folded is not None


class SaveDialog(QDialog):
    """Starts with the parts and functions that the window shows."""

    selection_made = Signal(object, bool)  # the Selection; whether folds are applied

    def __init__(self, parent: QWidget, scope: SaveScope) -> None:
        super().__init__(parent)
        self.setWindowTitle("Save Profile As")
        self._scope = scope
        self.all_parts = QRadioButton(f"&All {_count_text(scope.parts, 'part')}")
        chosen = len(scope.active_parts or ())
        self.chosen_parts = QRadioButton(f"Only the {_count_text(chosen, 'part')} looked &at")
        self.merged = QCheckBox("Merge the &parts into one")
        self.merged.setToolTip("Add up the costs of equal lines, instructions and calls")
        self.filtered = QCheckBox(
            f"Only functions that &match the filter {short_text(scope.filter)}"
        )
        self.filtered.setToolTip(
            "Calls from and to other functions are kept, so that costs stay correct"
        )
        self.folded = QCheckBox("Charge &folded functions to their callers, as shown")
        self.folded.setToolTip("Otherwise the file has all functions, as they were recorded")
        self.content = WrappedLabel()
        self.buttons = QDialogButtonBox(_StandardButton.Cancel)
        self.save_button = QPushButton("&Save As…")
        self.buttons.addButton(self.save_button, QDialogButtonBox.ButtonRole.AcceptRole)
        self._lay_out()
        self._set_initial_state()
        self.buttons.accepted.connect(self._accept)
        self.buttons.rejected.connect(self.reject)
        for button in (self.all_parts, self.merged, self.filtered, self.folded):
            button.toggled.connect(lambda _on: self._update_description())
        self._update_description()

    def to_selection(self) -> Selection:
        """The selection made in the dialog."""
        return Selection(
            self._scope.active_parts if self.chosen_parts.isChecked() else None,
            self.merged.isChecked() and self._part_count() > 1,
            self._functions(),
        )

    def _functions(self) -> BoolArray | None:
        """Return the mask of the functions to save, shape (functions,); None for all."""
        visible = self._scope.visible if self.filtered.isChecked() else None
        folded = self._scope.folded if self.folded.isChecked() else None
        if visible is None:
            return None if folded is None else ~folded
        return visible if folded is None else visible & ~folded

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        for widget in (
            self.all_parts, self.chosen_parts, self.merged, self.filtered, self.folded
        ):  # fmt: skip
            column.addWidget(widget)
        column.addSpacing(self.fontMetrics().height() // 2)
        column.addWidget(self.content)
        column.addStretch()
        column.addWidget(self.buttons)
        self.save_button.setDefault(True)  # only has an effect within the window
        self.save_button.setFocus()
        self.setMinimumWidth(self.fontMetrics().horizontalAdvance("0") * 56)

    def _set_initial_state(self) -> None:
        """Select what the window shows; hide options without a choice."""
        scope = self._scope
        self.all_parts.setChecked(scope.active_parts is None)
        self.chosen_parts.setChecked(scope.active_parts is not None)
        self.chosen_parts.setVisible(scope.active_parts is not None)
        self.all_parts.setVisible(scope.active_parts is not None)
        self.merged.setVisible(scope.parts > 1)
        self.filtered.setChecked(scope.visible is not None)
        self.filtered.setVisible(scope.visible is not None)
        self.folded.setChecked(scope.folded is not None)
        self.folded.setVisible(scope.folded is not None)

    def _part_count(self) -> int:
        return (
            len(self._scope.active_parts or ())
            if self.chosen_parts.isChecked()
            else self._scope.parts
        )

    def _update_description(self) -> None:
        """Describe the file that would be saved; an empty one cannot be."""
        count = self._part_count()
        self.merged.setEnabled(count > 1)
        chosen, total = self._functions(), self._scope.functions
        if self.folded.isChecked() and self._scope.folded is not None:
            total -= int(np.count_nonzero(self._scope.folded))
        saved = total if chosen is None else int(np.count_nonzero(chosen))
        functions = f"all {_count_text(total, 'function')}"
        if saved < total:
            functions = (
                f"{format_count(saved)} of {format_count(total)} functions, with the calls from "
                "and to them"
            )
        self.save_button.setEnabled(saved > 0 or not self.filtered.isChecked())
        parts = _count_text(count, "part")
        if self.merged.isChecked() and count > 1:
            parts += " merged into one"
        self.content.setText(f"The file will contain {parts}, and {functions}.")

    def _accept(self) -> None:
        selection = self.to_selection()
        self.accept()  # first, as the question for a file name may outlast this dialog
        self.selection_made.emit(selection, self.folded.isChecked())


def _count_text(count: int, noun: str) -> str:
    return f"{format_count(count)} {plural(count, noun)}"
