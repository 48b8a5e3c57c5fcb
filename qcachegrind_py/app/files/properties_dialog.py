"""Dialogs about the open profile: its properties, and the diagnostics of its files."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QPlainTextEdit, QVBoxLayout, QWidget

from qcachegrind_py.analysis.facts import ProfileFacts, profile_facts
from qcachegrind_py.app.style.text_widgets import TablePage
from qcachegrind_py.present.facts import (
    ACTIVE_FUNCTION,
    Fact,
    Sheet,
    function_facts,
    head_facts,
    properties,
)
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.numbers import NumberStyle, format_count
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.session.session import Session
from qcachegrind_py.visible_text import visible_text
from qcachegrind_py.write.text import write_facts


class DiagnosticsDialog(QDialog):
    """Shows all stored diagnostics as text that can be searched and copied."""

    def __init__(self, profile: Profile, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Problems in This File")
        self.text = QPlainTextEdit(diagnostics_text(profile), readOnly=True)
        self.text.setAccessibleName("Problems")
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addWidget(self.text)
        column.addWidget(buttons)
        digit = self.fontMetrics().horizontalAdvance("0")
        self.resize(110 * digit, 40 * digit)


def diagnostics_text(profile: Profile) -> str:
    """One line per diagnostic, with file and line number."""
    lines = [
        f"{cell_text(d.path)}{f':{d.line}' if d.line else ''}: {d.message}"
        for d in profile.diagnostics
    ]
    missing = profile.diagnostic_count - len(lines)
    if missing > 0:
        lines.append(f"… and {format_count(missing)} more of the same kind")
    return "\n".join(lines)


_WIDTH, _HEIGHT = 110, 90  # in digits


class PropertiesDialog(QDialog):
    """Shows facts of a profile. Copy copies all as text. Deletes itself when closed."""

    def __init__(
        self,
        facts: ProfileFacts,
        style: NumberStyle,
        parent: QWidget,
        *,
        of_recorded: bool = True,
        function: Sequence[Fact] = (),
    ) -> None:
        """`function` are the facts of the active function."""
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Properties")
        self._facts, self._function = facts, function
        self.page = _page(properties(facts, style, of_recorded=of_recorded, function=function))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.rejected.connect(self.reject)
        self.copy_button = buttons.addButton("&Copy", QDialogButtonBox.ButtonRole.ActionRole)
        self.copy_button.setToolTip("Copy all properties as text")
        self.copy_button.clicked.connect(self._copy)
        column = QVBoxLayout(self)
        column.addWidget(self.page)
        column.addWidget(buttons)
        digit = self.fontMetrics().horizontalAdvance("0")
        self.resize(_WIDTH * digit, _HEIGHT * digit)
        self.page.setFocus()

    def _copy(self) -> None:
        text = io.StringIO()
        write_facts(head_facts(self._facts, max_parts=None), text)
        if self._function:
            text.write(f"\n{ACTIVE_FUNCTION}\n")
            text.writelines(f"{key}: {visible_text(value)}\n" for key, value in self._function)
        QGuiApplication.clipboard().setText(text.getvalue())


def _page(sheets: Iterable[Sheet]) -> TablePage:
    page = TablePage("Properties")
    cursor = QTextCursor(page.document())
    cursor.beginEditBlock()
    for sheet in sheets:
        if sheet.heading:
            page.add_heading(sheet.heading)
        page.add_table(sheet.rows, sheet.numbers)
        page.add_text(sheet.more)
    cursor.endEditBlock()
    page.moveCursor(QTextCursor.MoveOperation.Start)
    return page


def show_properties(session: Session, parent: QWidget) -> None:
    """Show the facts of the open profile, with numbers as the window writes them."""
    if session.loaded is None or session.queries is None:
        return
    read, context = session.loaded.read, session.navigation.context
    events = read.profile.events.with_user_events(session.preparation.user_events)
    facts = profile_facts(read.profile, None, events, read.seconds)
    dialog = PropertiesDialog(
        facts,
        context.numbers,
        parent,
        of_recorded=context.of_recorded,
        function=function_facts(session.queries, context.function),
    )
    dialog.open()
