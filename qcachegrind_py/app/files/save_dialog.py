"""The dialog that asks what of a profile is saved: which parts and functions, merged and folded."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QAbstractButton,
    QCheckBox,
    QDialogButtonBox,
    QPushButton,
    QRadioButton,
    QWidget,
)

from qcachegrind_py.app.style.forms import FormDialog, StandardButton
from qcachegrind_py.app.style.text_widgets import WrappedLabel
from qcachegrind_py.formats.callgrind.writing.selection import STACKS_ARE_LOST, Selection
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.table import short_text
from qcachegrind_py.profile.ids import PartId
from qcachegrind_py.profile.numbers import format_count, plural
from qcachegrind_py.profile.tables import BoolArray
from qcachegrind_py.views.widgets.grid import grid

_Button = TypeVar("_Button", bound=QAbstractButton)


@frozen
class SaveScope:
    """Size of the profile, and the parts and functions that the window shows."""

    parts: int
    active_parts: tuple[PartId, ...] | None  # the selected parts; None for all
    functions: int
    filter: str  # its text; empty for none
    visible: BoolArray | None  # by function: passes the filter; None without one
    folded: BoolArray | None = None  # by function: is folded into its callers; None if none is
    has_stacks: bool = False  # which are not saved

    @property
    def needs_dialog(self) -> bool:
        """Whether there is more than one way to save the profile, or something is lost."""
        has_choice = self.parts > 1 or self.visible is not None or self.folded is not None
        return has_choice or self.has_stacks


class SaveDialog(FormDialog):
    """Starts with the parts and functions that the window shows; hides options without a choice."""

    selection_made = Signal(object, bool)  # the Selection; whether folds are applied

    def __init__(self, parent: QWidget, scope: SaveScope) -> None:
        super().__init__(parent, "Save Profile As")
        self._scope = scope
        chooses_parts = scope.active_parts is not None
        some = _count_text(len(scope.active_parts or ()), "part")
        self.all_parts = self._add(
            QRadioButton(f"&All {_count_text(scope.parts, 'part')}"), shown=chooses_parts
        )
        self.chosen_parts = self._add(
            QRadioButton(f"Only the {some} in &use"), shown=chooses_parts, on=chooses_parts
        )
        self.merged = self._add(
            QCheckBox("Merge the &parts into one"),
            "Add up the costs of equal lines, instructions and calls",
            shown=scope.parts > 1,
        )
        is_filtered, is_folded = scope.visible is not None, scope.folded is not None
        self.filtered = self._add(
            QCheckBox(f"Only functions that &match the filter {short_text(scope.filter)}"),
            "Calls from and to other functions are kept, so that costs stay correct",
            shown=is_filtered,
            on=is_filtered,
        )
        self.folded = self._add(
            QCheckBox("&Fold functions into their callers, as shown"),
            "Otherwise the file has all functions, as they were recorded",
            shown=is_folded,
            on=is_folded,
        )
        self.all_parts.setChecked(not chooses_parts)
        self.content = self.form.add_wide(WrappedLabel())
        self.content.setContentsMargins(0, grid(), 0, 0)
        self.form.add_wide(QWidget(), 1)
        self.add_buttons(StandardButton.Cancel)
        self.save_button = QPushButton("&Save As…")
        self.buttons.addButton(self.save_button, QDialogButtonBox.ButtonRole.AcceptRole)
        self.save_button.setDefault(True)  # only has an effect within the window
        self.save_button.setFocus()
        self.setMinimumWidth(self.fontMetrics().horizontalAdvance("0") * 56)
        for button in (self.all_parts, self.merged, self.filtered, self.folded):
            button.toggled.connect(lambda _on: self._update_description())
        self._update_description()

    def _add(self, button: _Button, tip: str = "", *, shown: bool, on: bool = False) -> _Button:
        self.form.add_wide(button)
        button.setToolTip(tip)
        button.setVisible(shown)
        button.setChecked(on)
        return button

    def to_selection(self) -> Selection:
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
        lost = f" {STACKS_ARE_LOST} File ▸ Export ▸ Stacks… keeps stacks."
        text = f"The file will contain {parts}, and {functions}."
        self.content.setText(text + (lost if self._scope.has_stacks else ""))

    def accept(self) -> None:
        """Close and emit the selection, as the question for a file name may outlast this dialog."""
        selection, folded = self.to_selection(), self.folded.isChecked()
        super().accept()
        self.selection_made.emit(selection, folded)


def _count_text(count: int, noun: str) -> str:
    return f"{format_count(count)} {plural(count, noun)}"
