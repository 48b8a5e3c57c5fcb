"""What all pictures of calls share: a job draws them up, the one before stays, greyed, until then.

Above the picture stand its options, a search, the table beside it and the way out to files; below,
what is left out and what is an estimate. The picture itself is a canvas of the subclass.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from PySide6.QtCore import QByteArray, Qt
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QMenu,
    QSplitter,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from qcachegrind_py.analysis.names.labels import Labels
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.models.base.plain_text import cell_text
from qcachegrind_py.profile.errors import ProfileError
from qcachegrind_py.profile.tables import BoolArray
from qcachegrind_py.session.context import Change, Context
from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.common.buttons import button_of, menu_button
from qcachegrind_py.views.common.job_view import JobView
from qcachegrind_py.views.common.option_menu import OptionMenu
from qcachegrind_py.views.common.picture_export import Picture, Stack, add_export_actions
from qcachegrind_py.views.common.profile_view import NoteLabel, message_label
from qcachegrind_py.views.common.record_table import FunctionTable
from qcachegrind_py.views.common.search_edit import FindEdit
from qcachegrind_py.views.lists.call_list_base import why_no_calls

_TABLE_SHARE = (6000, 4000)  # Qt shares the room out in proportion


class Canvas(Picture, Protocol):
    """What a picture is drawn on."""

    def set_stale(self, stale: bool) -> None:
        """Grey what is shown: it is about to be replaced."""


class PictureView(JobView):
    """Subclasses start `draw_up` jobs in `refresh`, and say what is searched and copied."""

    options: OptionMenu[Any]  # a subclass makes them before it calls `arrange`

    def __init__(
        self,
        session: Session,
        navigation: Navigation,
        title: str,
        tables: Sequence[FunctionTable],
    ) -> None:
        super().__init__(session, navigation, title)
        self.tables = tables
        self.note = NoteLabel()
        self.found = QLabel()
        self.found.setTextFormat(Qt.TextFormat.PlainText)
        self.search = FindEdit(f"Search in {title.lower()}")
        self.search.textChanged.connect(self._search_anew)
        self.search.returnPressed.connect(self.show_next)
        self._at = -1  # the match that was gone to last
        for table in tables:
            self.follow_user(table)
            table.wanted_menu.connect(self.wanted_menu)

    # ---------------------------------------------------------------- for the subclasses

    def shown_canvases(self) -> Sequence[Canvas]:
        """What is seen, from the top."""
        raise NotImplementedError

    def search_for(self) -> None:
        """Light up what the search finds, and say how much it is."""
        raise NotImplementedError

    def matches(self) -> Sequence[Any]:
        """What the search found, in an order to go through it."""
        raise NotImplementedError

    def show_match(self, match: Any) -> None:
        """Go to one of them."""
        raise NotImplementedError

    def apply_options(self) -> None:
        """Do as the options say, as far as nothing has to be drawn up anew for it."""
        raise NotImplementedError

    def texts(self) -> Mapping[str, Callable[[], str]]:
        """What can be copied and saved as text, by kind."""
        raise NotImplementedError

    def arrange(self, picture: QWidget, *buttons: QWidget) -> None:
        """Put header, picture, tables and note together."""
        self.options.changed.connect(lambda: self._on_options())
        self.side = QSplitter(Qt.Orientation.Vertical)
        for table in self.tables:
            self.side.addWidget(table)
        self.side.hide()
        self._words = message_label()
        pages = QWidget()
        self._pictures = QStackedLayout(pages)
        self._pictures.addWidget(picture)
        self._pictures.addWidget(self._words)
        room = QSplitter()
        room.addWidget(pages)
        room.addWidget(self.side)
        room.setSizes(list(_TABLE_SHARE))
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._header(buttons))
        column.addWidget(room, 1)
        column.addWidget(self.note)
        self.set_content(content)

    def _header(self, buttons: Sequence[QWidget]) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(4, 2, 4, 2)
        row.setSpacing(2)
        for button in buttons:
            row.addWidget(button)
        row.addWidget(self.search, 1)
        row.addWidget(self.found)
        self.table_button = button_of("&Table", "Show the same in a table, to read and to copy")
        self.table_button.setCheckable(True)
        self.table_button.toggled.connect(self.side.setVisible)
        row.addWidget(self.table_button)
        tip = "Copy the picture, or save it to a file"
        row.addWidget(menu_button("E&xport", tip, self.add_export))
        return row

    def add_export(self, menu: QMenu) -> None:
        """Offer to copy and save the picture."""
        if self.message:
            menu.addAction("There Is No Picture").setEnabled(False)
            return
        picture = Stack(self.shown_canvases())
        add_export_actions(menu, picture, self, self.suggested_name(), self.texts())

    def suggested_name(self) -> str:
        """What a file of the picture may be called: by the view and the active function."""
        queries, context = self.session.queries, self.navigation.context
        if queries is None or context.function < 0:
            return self.title.lower()
        name = queries.labels(context.scope, short=True).name(context.function)
        return f"{self.title.lower()} {name}"

    # ---------------------------------------------------------------- search

    def _search_anew(self) -> None:
        self._at = -1
        self.search_for()

    def show_next(self) -> None:
        """Go to the next of what the search found."""
        matches = self.matches()
        if matches:
            self._at = (self._at + 1) % len(matches)
            self.show_match(matches[self._at])

    # ---------------------------------------------------------------- drawing up

    def _on_options(self) -> None:
        self.apply_options()
        self.show_again(Change.EVENT)

    def asked_for(self, context: Context) -> object:
        """What a picture depends on: one of anything else is not shown any more."""
        return context.profile, context.scope, context.event, context.function, context.filter

    def say(self, text: str) -> None:
        """Say, in place of the picture, why there is none; its options stay in reach."""
        self.stop()
        self.forget()
        self._words.setText(text)
        self.note.setText("")
        self.found.setText("")
        self._pictures.setCurrentIndex(1)
        self.show_content()

    @property
    def message(self) -> str:
        words = self._words.text() if self._pictures.currentIndex() == 1 else ""
        return super().message or words

    def why_nothing(self, queries: ProfileQueries, context: Context) -> bool:
        """Say why there is no picture; whether there is none."""
        message = why_no_calls(queries, context)
        if message:
            self.say_instead(message)
        return bool(message)

    def finish(self, result: Any, take: Callable[[Any], None]) -> None:
        self._pictures.setCurrentIndex(0)
        super().finish(result, take)  # shown before it is taken, so that the canvas has its size
        self._search_anew()

    def set_stale(self, stale: bool) -> None:
        for canvas in self.shown_canvases():
            canvas.set_stale(stale)

    def fail(self, error: ProfileError) -> None:
        self.say(cell_text(str(error)))

    # ---------------------------------------------------------------- what is remembered

    def saved_options(self) -> str:
        """The options, as text."""
        return self.options.as_text()

    def restore_options(self, text: str) -> None:
        """Take the options from a text; what makes no sense in it is ignored."""
        self.options.take(text)
        self.apply_options()

    def saved_look(self) -> list[QByteArray]:
        is_open = b"table" if self.table_button.isChecked() else b"no table"
        options = QByteArray(self.saved_options().encode("utf-8"))
        return [QByteArray(is_open), options, *super().saved_look()]

    def restore_look(self, states: list[QByteArray]) -> None:
        if len(states) == len(self.saved_look()):
            self.table_button.setChecked(states[0] == QByteArray(b"table"))
            self.restore_options(bytes(states[1].data()).decode("utf-8", "replace"))
            super().restore_look(states[2:])


def containing(labels: Labels, text: str) -> BoolArray:
    """Which functions and cycles have the text in their names; in full names, too."""
    cycles = range(labels.function_count, len(labels))
    found = [text.lower() in labels.name(cycle).lower() for cycle in cycles]
    return np.concatenate((labels.names.containing(text), np.array(found, bool)))
