"""The panel of recording options, each with its benefit and cost."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QGridLayout,
    QLabel,
    QLineEdit,
    QScrollArea,
    QSpinBox,
    QStyle,
    QVBoxLayout,
    QWidget,
)

from qcachegrind_py.app.style.wrapped_label import FaintWrappedLabel
from qcachegrind_py.tools.valgrind.recording import OPTION_GROUPS, Option, Value, all_options


class OptionsPanel(QScrollArea):
    """Emits `changed` when the value of an option changes."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.editors: dict[str, QCheckBox | QSpinBox | QLineEdit] = {}
        content = QWidget()
        self._grid = QGridLayout()
        self._grid.setColumnStretch(0, 1)
        self._grid.setVerticalSpacing(2)
        for heading, options in OPTION_GROUPS.items():
            self._add_heading(heading)
            for option in options:
                self._add(option)
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, self.fontMetrics().height() // 2, 0)
        column.addLayout(self._grid)
        column.addStretch()
        self.setWidget(content)
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def values(self) -> dict[str, Value]:
        """The options that differ from valgrind's defaults, by name."""
        values = {option.name: self._value(option) for option in all_options()}
        return {o.name: values[o.name] for o in all_options() if values[o.name] != o.default}

    def show_values(self, values: Mapping[str, Value]) -> None:
        """Show these values, and valgrind's defaults for all other options."""
        for option in all_options():
            value, editor = values.get(option.name, option.default), self.editors[option.name]
            if isinstance(editor, QCheckBox):
                editor.setChecked(bool(value))
            elif isinstance(editor, QSpinBox):
                editor.setValue(int(value))
            else:
                editor.setText(str(value))

    def _value(self, option: Option) -> Value:
        editor = self.editors[option.name]
        if isinstance(editor, QCheckBox):
            return editor.isChecked()
        return editor.value() if isinstance(editor, QSpinBox) else editor.text().strip()

    def _add_heading(self, text: str) -> None:
        heading = QLabel(text)
        font = heading.font()
        font.setBold(True)
        heading.setFont(font)
        is_first = not self._grid.count()
        above = 0 if is_first else self.fontMetrics().height() // 2
        heading.setContentsMargins(0, above, 0, 0)
        self._grid.addWidget(heading, self._grid.rowCount(), 0, 1, 2)

    def _add(self, option: Option) -> None:
        editor, row = self._editor(option), self._grid.rowCount()
        if isinstance(editor, QCheckBox):
            self._grid.addWidget(editor, row, 0, 1, 2)
        else:
            label = QLabel(option.title)
            label.setBuddy(editor)
            label.setContentsMargins(self._indent(), 0, 0, 0)
            self._grid.addWidget(label, row, 0)
            self._grid.addWidget(editor, row, 1)
        explanation = f"{option.benefit} {option.cost}".strip()
        sentence = FaintWrappedLabel(explanation)
        sentence.setContentsMargins(self._indent(), 0, 0, self.fontMetrics().height() // 3)
        self._grid.addWidget(sentence, row + 1, 0, 1, 2)
        editor.setAccessibleName(option.title)
        editor.setAccessibleDescription(explanation)
        editor.setToolTip(option.switch)
        self.editors[option.name] = editor

    def _editor(self, option: Option) -> QCheckBox | QSpinBox | QLineEdit:
        if isinstance(option.default, bool):
            check = QCheckBox(option.title)
            check.toggled.connect(self.changed)
            return check
        if isinstance(option.default, int):
            spin = QSpinBox(maximum=option.maximum, value=option.default)
            spin.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            spin.valueChanged.connect(self.changed)
            return spin
        edit = QLineEdit()
        edit.textChanged.connect(self.changed)
        return edit

    def _indent(self) -> int:
        """The offset of the text in a check box, in pixels."""
        style = self.style()
        box = style.pixelMetric(QStyle.PixelMetric.PM_IndicatorWidth)
        return box + style.pixelMetric(QStyle.PixelMetric.PM_CheckBoxLabelSpacing)
