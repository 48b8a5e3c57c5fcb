"""The filter field of the toolbar: terms that select functions in all views.

Terms that fold functions may be typed, too. When they are done, they leave the field for the bar of
folds, so that each is seen once.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import shiboken6
from PySide6.QtCore import QEvent, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPalette
from PySide6.QtWidgets import QApplication, QFrame, QHBoxLayout, QToolTip, QWidget

from qcachegrind_py.analysis.filters.expression import (
    Filter,
    Term,
    is_fold,
    parse_filter,
    with_term,
    without_term,
    written_terms,
)
from qcachegrind_py.app.frame.actions import Actions
from qcachegrind_py.app.frame.notices import Notices
from qcachegrind_py.app.style.tips import follow_keys
from qcachegrind_py.present.context import Change, Context
from qcachegrind_py.profile.errors import FilterError
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.widgets.controls import PlainLabel, ValidatedEdit, text_button
from qcachegrind_py.views.widgets.grid import grid
from qcachegrind_py.visible_text import visible_text

_TYPING_DELAY_MS = 150  # pause in typing after which the filter is applied
_SENTENCE_WIDTH = 60  # characters of a line under the field
_LONGEST = 400  # characters of an error, which may quote a text of any length
_OWN_CODE = "own code"  # topic of the notice
_NO_OWN_CODE = (
    "“Only My Code” hides all functions of this profile. The settings say which code is yours."
)
_REASON = Qt.FocusReason
_PLACED = {QEvent.Type.Show, QEvent.Type.Hide, QEvent.Type.Move, QEvent.Type.Resize}
_LEAST_WIDTH = 30  # steps of the grid
_WHATS_THIS = (
    "Shows only matching functions in all views. Type parts of names, or terms such as self>1%, "
    "lib:Qt, file:main.c or cycle:any. All terms must match; ! negates a term. The lists say how "
    "many functions are hidden."
)
_HELP = """Show only matching functions in all views ({}; clear with {}).
All terms must match; ! negates a term:
vector   ^std::   /reg(ular)? expression/   "two words"
lib:Qt   file:main.c   class:std   cycle:any
self>1%   incl>=10k   called>1000
fold:libc   fold:^std::   only:lib:app: fold functions into their callers"""
_COMPARISON_HELP = """
Changes: self>+5%   incl<-1000   is:new   is:gone   is:moved   is:changed"""
_ONLY_COMPARING = "“{}” is about a change. It applies while profiles are compared."
_ONLY_MY_CODE = "only my code"


def _changes(text: str) -> tuple[Term, ...]:
    """Return the terms about changes in the text of a filter; none if it is invalid."""
    try:
        return parse_filter(text, compares=True).changes
    except FilterError:
        return ()


def _without_folds(text: str) -> tuple[str, list[str]]:
    """Return a filter without its folds, and these; an invalid one stays, to be corrected."""
    folds = [words for words, pieces in written_terms(text) if is_fold((words, pieces))]
    valid = []
    for fold in folds:
        try:
            parse_filter(fold)
        except FilterError:
            continue
        valid.append(fold)
        text = without_term(text, fold)
    return text, valid


class Sentence(QFrame):
    """A sentence under the field, over the content, for as long as the field has an error.

    Where a word is spelled nearly like a known one, a button writes that into the field.
    """

    def __init__(self, window: QWidget, correct: Callable[[], None]) -> None:
        super().__init__(window)
        self._window = window
        self.setFrameShape(QFrame.Shape.Box)
        self.setAutoFillBackground(True)
        self.setBackgroundRole(QPalette.ColorRole.ToolTipBase)
        self.setForegroundRole(QPalette.ColorRole.ToolTipText)
        self.label = PlainLabel()
        self.label.setWordWrap(True)
        self.button = text_button("", "Replace the misspelt word with this one", correct)
        self._row = row = QHBoxLayout(self)
        row.setContentsMargins(*4 * [grid(0.5)])
        row.addWidget(self.label, 1)
        row.addWidget(self.button)

    def show_under(self, field: QWidget, text: str, word: str) -> None:
        """Show the text below the left end of the field, within the window; offer the word."""
        room = self._window.rect()
        self.label.setText(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…")
        self.button.setText(f"Use {word}")
        self.button.setVisible(bool(word))
        QWidget.setTabOrder(field, self.button)
        width = max(field.width(), _SENTENCE_WIDTH * self.fontMetrics().averageCharWidth())
        self.setFixedWidth(min(room.width(), width))
        self._row.activate()
        self.setFixedHeight(max(self.heightForWidth(self.width()), self.minimumSizeHint().height()))
        corner = field.mapTo(self._window, QPoint(0, field.height()))
        self.move(max(0, min(corner.x(), room.width() - self.width())), corner.y())
        self.show()
        self.raise_()


class FilterBar(ValidatedEdit):
    """Applies the filter after a pause in typing, or at once on Return.

    Escape clears it, and in the empty field returns to where the focus was.
    """

    left = Signal()  # by the focus, while the field is empty

    def __init__(self, session: Session, actions: Actions, notices: Notices) -> None:
        super().__init__("Filter")
        self._session = session
        self._navigation = session.navigation
        self._own_code_action = actions["own_code"]
        self._notices = notices
        self.sentence: Sentence | None = None
        self._before: QWidget | None = None  # what had the keyboard focus
        self._error = self._word = self._corrected = ""
        self._is_invalid = False  # the text as it is, in any event
        self._folds = ""  # terms that fold functions, which the text does not have
        self.own_code_terms = ""  # filter terms that leave only the user's own code
        self._help = self._common_help = ""
        follow_keys(self._name_keys, actions["filter"], actions["no_filter"])
        self.setWhatsThis(_WHATS_THIS)
        self.setPlaceholderText("Filter: self>1% lib:Qt !^std::")
        self.set_error("")
        self.setMinimumWidth(grid(_LEAST_WIDTH))
        self.setEnabled(False)  # there is nothing to filter
        self._typing_timer = QTimer(self, singleShot=True, interval=_TYPING_DELAY_MS)
        self._typing_timer.timeout.connect(self.apply_text)
        self.textEdited.connect(lambda _text: self._typing_timer.start())
        self.editingFinished.connect(lambda: self._take_folds(self.text()))
        self._own_code_action.toggled.connect(lambda _on: self.apply_text())
        session.navigation.changed.connect(self._on_changed)

    def set_error(self, text: str, word: str = "", corrected: str = "") -> None:
        """Show the error under the field, or the syntax in the tooltip if `text` is empty.

        A button offers a `word` that was probably meant, with which the field is `corrected`.
        """
        super().set_error(text)
        self._word, self._corrected = word, corrected
        if not text:
            self.setToolTip(self._help)
        self._error = visible_text(text)
        self._place_sentence()

    def _place_sentence(self) -> None:
        """Show the error under the field if there is one, and the field is visible."""
        if self._error and self.isVisible():
            if self.sentence is None:
                self.sentence = Sentence(self.window(), self._correct)
            QToolTip.hideText()  # which says the same
            self.sentence.show_under(self, self._error, self._word)
        elif self.sentence is not None:
            self.sentence.hide()

    def _correct(self) -> None:
        self.set_text(f"{self._folds} {self._corrected}".strip())
        self.setFocus()

    def event(self, event: QEvent) -> bool:
        """Move the sentence with the field."""
        is_done = super().event(event)
        if event.type() in _PLACED:
            self._place_sentence()
        return is_done

    def _name_keys(self, key: str, clear_key: str) -> None:
        self._common_help = _HELP.format(key, clear_key)
        self._update_help()

    def _update_help(self) -> None:
        """Explain the terms that can be used now in the tooltip."""
        is_comparing = self._navigation.context.base_parts is not None
        self._help = self._common_help + (_COMPARISON_HELP if is_comparing else "")
        if not self._has_error:
            self.setToolTip(self._help)

    def apply_text(self) -> None:
        """Apply the filter as typed; if it is invalid, show the error and keep the previous one."""
        self._typing_timer.stop()
        own_code = self.own_code_terms if self._own_code_action.isChecked() else ""
        is_comparing = self._navigation.context.base_parts is not None
        changes = () if is_comparing else _changes(self.text())
        try:
            # parsed apart, as a quote may be open
            typed = parse_filter(self.text(), compares=is_comparing or bool(changes))
            terms = typed.without_changes().terms if changes else typed.terms
            terms += parse_filter(own_code).terms
        except FilterError as error:
            self._is_invalid = True
            word, begin = error.suggestion, error.position
            if error.text != self.text():  # it is in the terms of the settings
                word = ""
            corrected = f"{error.text[:begin]}{word}{error.text[begin + len(error.word) :]}"
            self.set_error(str(error), word, corrected)
            return
        self._is_invalid = bool(changes)
        self.set_error(_ONLY_COMPARING.format(changes[0].text) if changes else "")
        self._show_problem()
        folds = (*parse_filter(self._folds).folds, *typed.folds)
        limit = _ONLY_MY_CODE if own_code else ""
        shown = f"{self.text()} ({limit})" if self.text() and limit else self.text() or limit
        filter_ = Filter(shown, terms, tuple(dict.fromkeys(folds)))
        if filter_ != self._session.requested_filter:
            self._session.set_filter(filter_)

    def _show_problem(self) -> None:
        """Show which term cannot be checked in the event, and is left out until it can be."""
        query = self._session.query
        if query is not None and query.context.filter and not self._is_invalid:
            problem = query.filter_problem()
            if bool(problem) or self._has_error:
                self.set_error(problem)

    # ---------------------------------------------------------------- terms from elsewhere

    @property
    def whole_text(self) -> str:
        """All terms: those that fold functions, and the text."""
        return f"{self._folds} {self.text()}".strip()

    def set_text(self, text: str) -> None:
        """Filter and fold by these terms and no others."""
        self._folds = ""
        self.setText(text)
        self._take_folds(text)
        self.apply_text()

    def add_term(self, term: str) -> None:
        """Filter, or fold, by one term more; it replaces its negation."""
        self.set_text(with_term(self.whole_text, term))

    def remove_folds(self) -> None:
        """Show all folded functions again; the filter stays."""
        self.set_text(_without_folds(self.whole_text)[0])

    def clear_filter(self) -> None:
        """Show all functions, also the folded ones."""
        self._own_code_action.setChecked(False)
        self.set_text("")

    def _take_folds(self, text: str) -> None:
        """Take complete folds out of the text: the bar of folds shows them."""
        rest, folds = _without_folds(text)
        if folds:
            self._folds = reduce(with_term, folds, self._folds)
            self.setText(rest)

    def _on_changed(self, context: Context, change: Change) -> None:
        if change & Change.PROFILE:
            self.setEnabled(True)
        if change & (Change.PROFILE | Change.SCOPE):
            self._update_help()
            if _changes(self.text()):  # which apply in comparisons only
                self.apply_text()
        if change & Change.FILTER:
            font = self.font()
            font.setBold(context.filter.is_set)
            self.setFont(font)
        if change & (Change.PROFILE | Change.SCOPE | Change.FILTER | Change.EVENT):
            self._show_problem()
        if change & (Change.PROFILE | Change.SCOPE | Change.FILTER):
            self._warn_if_own_code_is_nothing()

    def _warn_if_own_code_is_nothing(self) -> None:
        """Show a notice if the limit to the user's own code hides all functions."""
        query = self._session.query
        is_limited = self._own_code_action.isChecked() and not self.text()
        visible = query.visible_nodes() if query is not None and is_limited else None
        if visible is None or visible.any():
            self._notices.close_notice(_OWN_CODE)
            return
        remedy = "Show All Code", self.clear_filter
        self._notices.show_notice("warning", _NO_OWN_CODE, remedy, topic=_OWN_CODE)

    # ---------------------------------------------------------------- keyboard

    def take_focus(self) -> None:
        """Take the keyboard focus until Escape gives it back."""
        if not self.hasFocus():
            self._before = QApplication.focusWidget()
        self.setFocus()
        self.selectAll()

    def focusOutEvent(self, event: QFocusEvent) -> None:  # noqa: N802
        super().focusOutEvent(event)
        comes_back = event.reason() in (_REASON.ActiveWindowFocusReason, _REASON.PopupFocusReason)
        if not self.text() and not comes_back:
            self.left.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.setText("")
            self.apply_text()
        elif event.key() == Qt.Key.Key_Escape:
            if self._before is not None and shiboken6.isValid(self._before):
                self._before.setFocus()
            self.clearFocus()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._take_folds(self.text())
            self.apply_text()
        else:
            super().keyPressEvent(event)
