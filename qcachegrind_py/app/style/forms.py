"""The builder of forms and dialogs: rows with labels and tips, headings, notes, and buttons."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeVar

from PySide6.QtCore import QAbstractItemModel, QSize, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from qcachegrind_py.views.tables.record_table import apply_list_style
from qcachegrind_py.views.widgets.controls import dialog_button
from qcachegrind_py.views.widgets.grid import grid

StandardButton = QDialogButtonBox.StandardButton
_ROLE = QDialogButtonBox.ButtonRole
_RETURNS = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_Kind = TypeVar("_Kind", bound=QWidget)


class Form(QWidget):
    """Rows of a label and a field, both with the same tip; headings; and widgets of full width."""

    def __init__(self) -> None:
        super().__init__()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setColumnStretch(1, 1)

    def add_heading(self, title: str, buddy: QWidget | None = None) -> QLabel:
        """Add a heading, by whose letter the buddy gets the keyboard focus."""
        heading = QLabel(title)
        font = heading.font()
        font.setBold(True)
        heading.setFont(font)
        heading.setContentsMargins(0, grid(), 0, 0)
        if buddy is not None:
            heading.setBuddy(buddy)
        return self.add_wide(heading)

    def add_row(self, title: str, field: QWidget, tip: str = "") -> QLabel:
        """Add a field with its label; screen readers get title and tip as well."""
        label = QLabel(title)
        label.setBuddy(field)
        for widget in (label, field):
            widget.setToolTip(tip)
        field.setAccessibleName(title.replace("&", "").removesuffix(":"))
        field.setAccessibleDescription(tip)
        row = self._grid.rowCount()
        self._grid.addWidget(label, row, 0)
        self._grid.addWidget(field, row, 1)
        return label

    def add_wide(self, widget: _Kind, stretch: int = 0) -> _Kind:
        """Add a widget below, as wide as the form; `stretch` is its share of the free height."""
        row = self._grid.rowCount()
        self._grid.addWidget(widget, row, 0, 1, 2)
        self._grid.setRowStretch(row, stretch)
        return widget


def list_table(model: QAbstractItemModel, name: str, stretched: Iterable[int]) -> QTableView:
    """Return a table whose columns have the width of their texts; some take what is left."""
    table = QTableView()
    table.setModel(model)
    apply_list_style(table, name)
    table.setEditTriggers(QTableView.EditTrigger.NoEditTriggers)
    header = table.horizontalHeader()
    header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    for column in stretched:
        header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
    return table


class Command(NamedTuple):
    """What can be done with the rows of a table, by a button or by a key."""

    title: str
    tip: str
    key: str
    act: Callable[[], object]


def command_buttons(table: QWidget, commands: Iterable[Command]) -> list[QPushButton]:
    """Return a button for each command; its key does the same while the table has the focus."""
    buttons = []
    for title, tip, key, act in commands:
        button = dialog_button(title, tip, act)
        buttons.append(button)
        if key:
            shortcut = QShortcut(QKeySequence(key), table)
            shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
            shortcut.activated.connect(button.click)  # if it is enabled
    return buttons


def resize_within_screen(dialog: QDialog, width: int, height: int) -> None:
    """Give a dialog a size as far as the screen has room, beside its own title and panels."""
    dialog.resize(QSize(width, height).boundedTo(dialog.screen().availableSize() * 9 / 10))


class FormDialog(QDialog):
    """A dialog with a form, and buttons below it, which deletes itself when it is closed."""

    buttons: QDialogButtonBox

    def __init__(
        self, parent: QWidget | None, title: str, size: tuple[int, int] | None = None
    ) -> None:
        """`size` is width and height in lines of text; without it, the content says it."""
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self.form = Form()
        QVBoxLayout(self).addWidget(self.form, 1)
        self._has_return = True
        if size is not None:
            line = self.fontMetrics().height()
            resize_within_screen(self, line * size[0], line * size[1])

    def add_buttons(self, buttons: StandardButton = StandardButton.Close) -> None:
        """Add the buttons, once the form is filled: the Tab key goes through all in this order."""
        self.buttons = QDialogButtonBox(buttons)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        column = self.layout()
        assert column is not None
        column.addWidget(self.buttons)

    def add_button(self, title: str, tip: str, press: Callable[[], object]) -> QPushButton:
        """Add a button beside the standard ones, which Return does not press."""
        button = dialog_button(title, tip, press)
        self.buttons.addButton(button, _ROLE.ActionRole)
        return button

    def add_problem(self, lines: int) -> QLabel:
        """Add a place below the rows for a sentence on what is wrong, of so many lines."""
        problem = self.form.add_wide(QLabel(wordWrap=True))
        problem.setTextFormat(Qt.TextFormat.PlainText)
        problem.setMinimumHeight(lines * self.fontMetrics().height())
        return problem

    def keep_return_in_fields(self) -> None:
        """Let Return end the input in a field, and press no button; call this at the end."""
        self._has_return = False
        for button in self.findChildren(QPushButton):
            button.setAutoDefault(False)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if self._has_return or event.key() not in _RETURNS:
            super().keyPressEvent(event)
