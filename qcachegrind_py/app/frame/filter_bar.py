"""The filter that all views obey: a line of terms, and what it means where it is wrong."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAction, QKeyEvent

from qcachegrind_py.analysis.filters.expression import Filter, parse_filter
from qcachegrind_py.profile.errors import ProfileError
from qcachegrind_py.session.context import Change, Context
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.common.search_edit import ValidatedEdit

_TYPING_DELAY_MS = 150  # ms without a key before the filter is taken
_HELP = """Show only some functions, in all views (Ctrl+L; Ctrl+Shift+L shows all again).
Terms, all of which must hold; ! in front means not:
vector   ^std::   /reg(ular)? expression/   "two words"
lib:Qt   file:main.c   class:std   cycle:any
self>1%   incl>=10k   called>1000"""


class FilterBar(ValidatedEdit):
    """Takes what is typed after a short pause, or at once with Return; Escape clears."""

    def __init__(self, session: Session, own_code_action: QAction) -> None:
        super().__init__("Filter")
        self._session = session
        self._navigation = session.navigation
        self._own_code_action = own_code_action
        self.own_code_terms = ""  # the filter that leaves only the user's own code
        self.setPlaceholderText("Filter: self>1% lib:Qt !^std::")
        self.set_error("")
        self._typing_timer = QTimer(self, singleShot=True, interval=_TYPING_DELAY_MS)
        self._typing_timer.timeout.connect(self.apply_text)
        self.textEdited.connect(lambda _text: self._typing_timer.start())
        own_code_action.toggled.connect(lambda _on: self.apply_text())
        session.navigation.changed.connect(self._on_changed)

    def set_error(self, text: str) -> None:
        """Where nothing is wrong, the tooltip tells what can be written."""
        super().set_error(text)
        if not text:
            self.setToolTip(_HELP)

    def apply_text(self) -> None:
        """Filter by what is written; where it is wrong, say why and keep the filter before."""
        self._typing_timer.stop()
        own = self.own_code_terms if self._own_code_action.isChecked() else ""
        try:
            typed, more = parse_filter(self.text()), parse_filter(own)  # a quote may be open
            filter_ = Filter(f"{self.text()} {own}".strip(), typed.terms + more.terms)
        except ProfileError as error:
            self.set_error(str(error))
            return
        self.set_error("")
        if filter_ != self._session.requested_filter:
            self._session.set_filter(filter_)

    def set_text(self, text: str) -> None:
        """Write this filter, and take it."""
        self.setText(text)
        self.apply_text()

    def clear_filter(self) -> None:
        """Show all functions again."""
        self.setText("")
        self._own_code_action.setChecked(False)
        self.apply_text()

    def _on_changed(self, context: Context, change: Change) -> None:
        if change & Change.FILTER:
            font = self.font()
            font.setBold(bool(context.filter))
            self.setFont(font)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.set_text("")
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.apply_text()
        else:
            super().keyPressEvent(event)
