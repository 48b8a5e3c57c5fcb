"""The dialog of “Properties”: the facts of the open profile, and a button that copies them."""

from __future__ import annotations

import io
from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QVBoxLayout, QWidget

from qcachegrind_py.analysis.facts import ProfileFacts, profile_facts
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.app.files.facts_page import ACTIVE_FUNCTION, Fact, FactsPage
from qcachegrind_py.profile.ids import NO_NODE, NodeId, is_function
from qcachegrind_py.profile.numbers import NumberStyle
from qcachegrind_py.reports.facts import write_facts
from qcachegrind_py.session.session import Session
from qcachegrind_py.visible_text import visible_text

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
        self.page = FactsPage(facts, style, of_recorded=of_recorded, function=function)
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
        write_facts(self._facts, text, max_parts=None)
        if self._function:
            text.write(f"\n{ACTIVE_FUNCTION}\n")
            text.writelines(f"{key}: {visible_text(value)}\n" for key, value in self._function)
        QGuiApplication.clipboard().setText(text.getvalue())


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


def function_facts(queries: ProfileQueries, node: NodeId) -> list[Fact]:
    """Return name, object and all source files of a function; nothing for a cycle."""
    if node == NO_NODE or not is_function(node, queries.function_count):
        return []
    names = queries.names
    files = [names.file(node), *names.inlined_files(node)]
    facts = [("Name", names.name(node)), ("Object", names.object(node))]
    return [*facts, *(("Source files", file) for file in files)]
