"""The settings dialog: a searchable list of all settings, and a page of keys, applied at once."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCursor, QKeyEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QSlider,
    QSpinBox,
    QTabWidget,
    QToolTip,
    QVBoxLayout,
    QWidget,
)

from qcachegrind_py.app.settings.shortcuts import Shortcuts
from qcachegrind_py.app.settings.shortcuts_page import ShortcutsPage
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.session.settings.store import (
    ChangedFiles,
    ColorScheme,
    DigitGrouping,
    OpensIn,
    Settings,
)
from qcachegrind_py.views.widgets.controls import ValidatedEdit

_StandardButton = QDialogButtonBox.StandardButton


@frozen(eq=True)
class _Row:
    """One setting: attribute of `Settings`, title, tooltip, and kind of its editor."""

    name: str
    title: str
    tip: str
    choices: dict[Enum, str] | range | None = None  # None: a bool or a text
    is_slider: bool = False
    placeholder: str = ""  # meaning of an empty text


_SETTING_ROWS = {
    "Files": (
        _Row("opens_in", "Open profiles in", "The window that shows a profile", {
            OpensIn.SAME: "The current window",
            OpensIn.NEW: "A new window",
            OpensIn.ONE: "A single window, also from the desktop",
        }),
        _Row(
            "changed_files", "When files have changed",
            "Files of the open profile, or new parts of the same run", {
                ChangedFiles.ASK: "Offer to reload",
                ChangedFiles.RELOAD: "Reload",
                ChangedFiles.IGNORE: "Do nothing",
            },
        ),
    ),
    "Costs": (
        _Row("unit", "Costs are shown as", "Percentages or counts", {
            CostUnit.PERCENT: "Percent of the total",
            CostUnit.PERCENT_OF_PARENT: "Percent of the parent",
            CostUnit.ABSOLUTE: "Absolute counts",
        }),
        _Row(
            "of_recorded", "Percentages are of the recorded total",
            "If that is larger than the sum of all costs; otherwise of the sum",
        ),
        _Row("decimals", "Decimals of percentages", "From 1 to 5", range(1, 6)),
        _Row("si", "Short numbers", "1.234 M instead of all digits"),
        _Row("digit_grouping", "Thousands", "How groups of three digits are separated", {
            DigitGrouping.THIN_SPACE: "Thin space: 1\u2009234\u2009567",
            DigitGrouping.LOCALE: "As usual in the system language",
            DigitGrouping.NONE: "None: 1234567",
        }),
    ),
    "Recursion": (
        _Row("cycles", "Detect cycles", "Treat mutually recursive functions as one"),
        _Row(
            "cycle_cut", "Ignore cheap calls when detecting cycles",
            "Ignore calls below this share of the costliest call to their caller",
            range(51), is_slider=True,
        ),
        _Row("fold_levels", "Fold recursion levels", "Combine f'2, f'3, … with f"),
    ),
    "Names": (
        _Row("demangle", "Demangle C++ and Rust names", "For profiles with mangled names"),
        _Row("short_names", "Shorten templates", "Hide template arguments"),
        _Row("own_code", "“Only my code” is the filter", "Terms as in the toolbar's filter"),
    ),
    "Source and code": (
        _Row(
            "context_lines", "Context lines when folding",
            "Lines shown around lines with cost; 0 to 99", range(100),
        ),
        _Row("syntax_colors", "Syntax colours", "Syntax highlighting of source code"),
        _Row(
            "editor", "Open in the editor with",
            "Command with {file} and {line}, for example: code --goto {file}:{line}",
            placeholder="First editor found",
        ),
        _Row("intel_syntax", "Intel syntax", "mov eax, 1 instead of mov $1,%eax; x86 only"),
        _Row("code_bytes", "Instruction bytes", "Show a column with the bytes of the machine code"),
    ),
    "Menus and window": (
        _Row("menu_length", "Functions in menus", "From 1 to 50", range(1, 51)),
        _Row("menu_name_length", "Longest name in menus", "Characters", range(8, 401)),
        _Row("color_scheme", "Colours", "Light or dark", {
            ColorScheme.SYSTEM: "Follow the system",
            ColorScheme.LIGHT: "Light",
            ColorScheme.DARK: "Dark",
        }),
        _Row("toolbar_text", "Text under toolbar icons", "The names of the toolbar's buttons"),
    ),
}  # fmt: skip


class SettingsDialog(QDialog):
    """Emits `changed` after each change is stored."""

    changed = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)

    def __init__(self, settings: Settings, shortcuts: Shortcuts, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Settings")
        self._settings = settings
        self.search = ValidatedEdit("Search settings")
        self.search.textChanged.connect(self._search)
        self.editors: dict[str, QWidget] = {}
        self._row_widgets: list[tuple[str, list[QWidget]]] = []  # searchable text, widgets
        self._headings: list[tuple[QWidget, list[int]]] = []
        self.shortcuts_page = ShortcutsPage(shortcuts)
        self._grid = QGridLayout()
        self._grid.setColumnStretch(1, 1)
        self.no_match_label = QLabel("No matching settings.")
        self.no_match_label.hide()
        buttons = QDialogButtonBox(_StandardButton.RestoreDefaults | _StandardButton.Close)
        buttons.rejected.connect(self.reject)
        buttons.button(_StandardButton.RestoreDefaults).clicked.connect(self._restore_defaults)
        buttons.button(_StandardButton.RestoreDefaults).setToolTip("Restore all of this page")
        for button in buttons.buttons():
            if isinstance(button, QPushButton):  # Return in a field must not press it
                button.setAutoDefault(False)
        self._add_rows()
        column = QVBoxLayout(self)
        column.addWidget(self.search)
        column.addWidget(self._create_pages())
        column.addWidget(buttons)
        line = self.fontMetrics().height()
        self.resize(line * 46, line * 43)
        self.search.setFocus()

    def _create_pages(self) -> QTabWidget:
        self.pages = QTabWidget()
        self.pages.setDocumentMode(True)
        self.pages.addTab(self._scroll_area(), "&General")
        self.pages.addTab(self.shortcuts_page, "&Keyboard Shortcuts")
        return self.pages

    def _scroll_area(self) -> QScrollArea:
        content, area = QWidget(), QScrollArea()
        column = QVBoxLayout(content)
        column.addWidget(self.no_match_label)
        column.addLayout(self._grid)
        column.addStretch()
        area.setWidget(content)
        area.setWidgetResizable(True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        return area

    def _add_rows(self) -> None:
        for title, rows in _SETTING_ROWS.items():
            heading = QLabel(title)
            font = heading.font()
            font.setBold(True)
            heading.setFont(font)
            heading.setContentsMargins(0, self.fontMetrics().height() // 2, 0, 0)
            self._grid.addWidget(heading, self._grid.rowCount(), 0, 1, 2)
            first = len(self._row_widgets)
            for row in rows:
                self._add(title, row)
            self._headings.append((heading, list(range(first, len(self._row_widgets)))))

    def _add(self, heading: str, row: _Row) -> None:
        editor, label = self._editor(row), QLabel(row.title)
        label.setBuddy(editor)
        for widget in (editor, label):
            widget.setToolTip(row.tip)
        editor.setAccessibleName(row.title)
        editor.setAccessibleDescription(row.tip)
        grid_row = self._grid.rowCount()
        self._grid.addWidget(label, grid_row, 0)
        self._grid.addWidget(editor, grid_row, 1)
        self.editors[row.name] = editor
        text = f"{heading} {row.title} {row.tip} {row.placeholder} ".lower()
        if isinstance(row.choices, dict):
            text += " ".join(row.choices.values()).lower()
        self._row_widgets.append((text, [label, editor]))

    def _editor(self, row: _Row) -> QWidget:
        """Create the editor for the setting's type, with the current value."""
        value, apply_value = getattr(self._settings, row.name), self._setter(row.name)
        if isinstance(row.choices, dict):
            box = QComboBox()
            box.setSizeAdjustPolicy(
                QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
            )
            for choice, title in row.choices.items():
                box.addItem(title, choice)
            box.setCurrentIndex(box.findData(value))
            box.activated.connect(lambda _: apply_value(box.currentData()))
            return box
        if isinstance(row.choices, range) and row.is_slider:
            return _Slider(row.choices, value, apply_value)
        if isinstance(row.choices, range):
            spin = QSpinBox(minimum=row.choices[0], maximum=row.choices[-1])
            spin.setValue(value)
            spin.valueChanged.connect(apply_value)
            return spin
        if isinstance(value, bool):
            check = QCheckBox()
            check.setChecked(value)
            check.toggled.connect(apply_value)
            return check
        edit = QLineEdit(value, placeholderText=row.placeholder)
        edit.editingFinished.connect(lambda: apply_value(edit.text()))
        return edit

    def _setter(self, name: str) -> Callable[[Any], None]:
        def apply_value(value: Any) -> None:  # of the type of the setting
            setattr(self._settings, name, value)
            self.changed.emit()

        return apply_value

    def _search(self, text: str) -> None:
        """Show the settings whose text contains all the words."""
        words = text.lower().split()
        matches = [all(word in line for word in words) for line, _ in self._row_widgets]
        for shown, (_, widgets) in zip(matches, self._row_widgets, strict=True):
            for widget in widgets:
                widget.setVisible(shown)
        for heading, lines in self._headings:
            heading.setVisible(any(matches[line] for line in lines))
        self.no_match_label.setVisible(not any(matches))
        found = any(matches), self.shortcuts_page.search(text)
        if not found[self.pages.currentIndex()] and any(found):
            self.pages.setCurrentIndex(found.index(True))

    def _restore_defaults(self) -> None:
        """Restore the settings of the page that is shown."""
        if self.pages.currentWidget() is self.shortcuts_page:
            self.shortcuts_page.reset_all()
            return
        self._settings.restore_defaults()
        for rows in _SETTING_ROWS.values():
            for row in rows:
                self._show(self.editors[row.name], getattr(self._settings, row.name))
        self.changed.emit()

    @staticmethod
    def _show(editor: QWidget, value: Any) -> None:
        editor.blockSignals(True)
        match editor:
            case QComboBox():
                editor.setCurrentIndex(editor.findData(value))
            case QSpinBox() | _Slider():
                editor.setValue(value)
            case QCheckBox():
                editor.setChecked(value)
            case QLineEdit():
                editor.setText(value)
        editor.blockSignals(False)


class _Slider(QSlider):
    """A slider for a percentage, which a tooltip shows while it moves."""

    def __init__(self, choices: range, value: int, on_change: Callable[[Any], None]) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.setRange(choices[0], choices[-1])
        self.setPageStep(5)
        self.setTickPosition(QSlider.TickPosition.TicksBelow)
        self.setTickInterval(10)
        self.setValue(value)
        self.valueChanged.connect(self._update_tooltip)
        self.sliderReleased.connect(lambda: on_change(self.value()))
        self.valueChanged.connect(lambda new: None if self.isSliderDown() else on_change(new))

    def _update_tooltip(self, value: int) -> None:
        QToolTip.showText(QCursor.pos(), f"{value} %", self)
