"""The dialog of “Properties”: the facts of the open profile, and a button that copies them."""

from __future__ import annotations

import io

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QVBoxLayout, QWidget

from qcachegrind_py.analysis.facts import ProfileFacts, profile_facts
from qcachegrind_py.app.files.facts_page import FactsPage
from qcachegrind_py.profile.number_format import NumberStyle
from qcachegrind_py.reports.facts import write_facts
from qcachegrind_py.session.session import Session

_WIDTH, _HEIGHT = 110, 90  # in digits


class PropertiesDialog(QDialog):
    """Shows facts of a profile. Copy copies all as text. Deletes itself when closed."""

    def __init__(
        self, facts: ProfileFacts, style: NumberStyle, parent: QWidget, *, of_recorded: bool = True
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Properties")
        self._facts = facts
        self.page = FactsPage(facts, style, of_recorded=of_recorded)
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
        QGuiApplication.clipboard().setText(text.getvalue())


def show_properties(session: Session, parent: QWidget) -> None:
    """Show the facts of the open profile, with numbers as the window writes them."""
    if session.loaded is None or session.queries is None:
        return
    read, context = session.loaded.read, session.navigation.context
    sizes = {str(path): print_.size for path, print_ in read.fingerprints.items() if print_}
    facts = profile_facts(read.profile, None, session.queries.events, sizes, read.seconds)
    dialog = PropertiesDialog(facts, context.numbers, parent, of_recorded=context.of_recorded)
    dialog.open()
