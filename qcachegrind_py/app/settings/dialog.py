"""The settings dialog: a searchable list of all settings, and a page of keys, applied at once."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QScrollArea,
    QSpinBox,
    QTabWidget,
    QWidget,
)

from qcachegrind_py.app.settings.shortcuts import Shortcuts, ShortcutsPage
from qcachegrind_py.app.style.forms import Form, FormDialog, StandardButton
from qcachegrind_py.session.settings.store import (
    Setting,
    Settings,
)
from qcachegrind_py.views.widgets.controls import ValidatedEdit
from qcachegrind_py.views.widgets.grid import around


class SettingsDialog(FormDialog):
    """Emits `changed` after each change is stored."""

    changed = Signal()

    def __init__(self, settings: Settings, shortcuts: Shortcuts, parent: QWidget) -> None:
        super().__init__(parent, "Settings", (46, 43))
        self._settings = settings
        self.search = self.form.add_wide(ValidatedEdit("Search settings"))
        self.search.textChanged.connect(self._search)
        self.editors: dict[str, QWidget] = {}
        self._pages: list[tuple[QLabel, list[tuple[str, QWidget, QLabel]]]] = []
        self.shortcuts_page = ShortcutsPage(shortcuts)
        self.pages = self.form.add_wide(QTabWidget(), 1)
        self.pages.setDocumentMode(True)
        self.pages.addTab(self._list_of_settings(), "&General")
        self.pages.addTab(self.shortcuts_page, "&Keyboard Shortcuts")
        self.add_buttons(StandardButton.RestoreDefaults | StandardButton.Close)
        restore = self.buttons.button(StandardButton.RestoreDefaults)
        restore.clicked.connect(self._restore_defaults)
        restore.setToolTip("Restore the defaults of this page")
        self.keep_return_in_fields()
        self.search.setFocus()

    def _list_of_settings(self) -> QScrollArea:
        rows, area = Form(), QScrollArea()
        rows.setContentsMargins(around(1))
        self.no_match_label = rows.add_wide(QLabel("No matching settings."))
        self.no_match_label.hide()
        listed = (setting for setting in self._settings.declared() if setting.page)
        for page, settings in groupby(listed, lambda setting: setting.page):
            heading = rows.add_heading(page)
            self._pages.append((heading, [self._add(rows, setting) for setting in settings]))
        rows.add_wide(QWidget(), 1)
        area.setWidget(rows)
        area.setWidgetResizable(True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        return area

    def _add(self, rows: Form, setting: Setting[Any]) -> tuple[str, QWidget, QLabel]:
        """Add the row of a setting; return the text by which it is found, and its widgets."""
        editor = self.editors[setting.name] = self._editor(setting)
        label = rows.add_row(setting.title, editor, setting.tip)
        return setting.search_text, editor, label

    def _editor(self, setting: Setting[Any]) -> QWidget:
        """Create the editor for the setting's type, with the current value."""
        value, apply_value = getattr(self._settings, setting.name), self._setter(setting.name)
        if isinstance(setting.choices, dict):
            box = QComboBox()
            box.setSizeAdjustPolicy(
                QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
            )
            for choice, title in setting.choices.items():
                box.addItem(title, choice)
            box.setCurrentIndex(box.findData(value))
            box.activated.connect(lambda _: apply_value(box.currentData()))
            return box
        if isinstance(setting.choices, range):
            spin = QSpinBox(minimum=setting.choices[0], maximum=setting.choices[-1])
            spin.setValue(value)
            spin.setSuffix(setting.suffix)
            spin.setKeyboardTracking(False)  # a number that is being typed is none yet
            spin.valueChanged.connect(apply_value)
            return spin
        if isinstance(value, bool):
            check = QCheckBox()
            check.setChecked(value)
            check.toggled.connect(apply_value)
            return check
        edit = QLineEdit(value, placeholderText=setting.placeholder)
        edit.editingFinished.connect(lambda: apply_value(edit.text()))
        return edit

    def _setter(self, name: str) -> Callable[[Any], None]:
        def apply_value(value: Any) -> None:  # of the type of the setting
            setattr(self._settings, name, value)
            self.changed.emit()

        return apply_value

    def _search(self, text: str) -> None:
        """Show the settings whose text contains all the words."""
        words, is_any = text.lower().split(), False
        for heading, rows in self._pages:
            matches = [all(word in found for word in words) for found, *_ in rows]
            for is_shown, (_, *widgets) in zip(matches, rows, strict=True):
                for widget in widgets:
                    widget.setVisible(is_shown)
            heading.setVisible(any(matches))
            is_any = is_any or any(matches)
        self.no_match_label.setVisible(not is_any)
        found = is_any, self.shortcuts_page.search(text)
        if not found[self.pages.currentIndex()] and any(found):
            self.pages.setCurrentIndex(found.index(True))

    def show_setting(self, name: str) -> None:
        """Show one setting with the keyboard focus in its field."""
        (setting,) = (each for each in self._settings.declared() if each.name == name)
        self.search.setText(setting.title)
        self.editors[name].setFocus()

    def _restore_defaults(self) -> None:
        if self.pages.currentWidget() is self.shortcuts_page:
            self.shortcuts_page.reset_all()
            return
        self._settings.restore_defaults()
        for name, editor in self.editors.items():
            self._show(editor, getattr(self._settings, name))
        self.changed.emit()

    @staticmethod
    def _show(editor: QWidget, value: Any) -> None:
        editor.blockSignals(True)
        match editor:
            case QComboBox():
                editor.setCurrentIndex(editor.findData(value))
            case QSpinBox():
                editor.setValue(value)
            case QCheckBox():
                editor.setChecked(value)
            case QLineEdit():
                editor.setText(value)
        editor.blockSignals(False)
