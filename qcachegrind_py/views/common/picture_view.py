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
from qcachegrind_py.profile.ids import NO_NODE, NodeId
from qcachegrind_py.profile.tables import BoolArray
from qcachegrind_py.session.context import Change, Context
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.common.buttons import flat_button, flat_menu_button
from qcachegrind_py.views.common.empty_reasons import no_calls_reason
from qcachegrind_py.views.common.job_view import JobView
from qcachegrind_py.views.common.option_menu import OptionMenu
from qcachegrind_py.views.common.picture_export import Picture, PictureStack, add_export_actions
from qcachegrind_py.views.common.profile_view import NoteLabel, message_label
from qcachegrind_py.views.common.record_table import FunctionTable
from qcachegrind_py.views.common.search_edit import FindEdit

_SPLITTER_SIZES = (6000, 4000)  # Qt shares the room out in proportion


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
        title: str,
        tables: Sequence[FunctionTable],
    ) -> None:
        super().__init__(session, title)
        self.tables = tables
        self.note = NoteLabel()
        self.match_label = QLabel()
        self.match_label.setTextFormat(Qt.TextFormat.PlainText)
        self.search = FindEdit(f"Search in {title.lower()}")
        self.search.textChanged.connect(self._restart_search)
        self.search.returnPressed.connect(self.show_next_match)
        self._match_index = -1  # the match that was gone to last
        for table in tables:
            self.connect_navigation(table)
            table.menu_requested.connect(self.menu_requested)

    # ---------------------------------------------------------------- for the subclasses

    def shown_canvases(self) -> Sequence[Canvas]:
        """What is seen, from the top."""
        raise NotImplementedError

    def apply_search(self) -> None:
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

    def text_exports(self) -> Mapping[str, Callable[[], str]]:
        """What can be copied and saved as text, by kind."""
        raise NotImplementedError

    def arrange(self, picture: QWidget, *buttons: QWidget) -> None:
        """Put header, picture, tables and note together."""
        self.options.changed.connect(lambda: self._on_options())
        self.table_splitter = QSplitter(Qt.Orientation.Vertical)
        for table in self.tables:
            self.table_splitter.addWidget(table)
        self.table_splitter.hide()
        self._empty_label = message_label()
        pages = QWidget()
        self._picture_pages = QStackedLayout(pages)
        self._picture_pages.addWidget(picture)
        self._picture_pages.addWidget(self._empty_label)
        room = QSplitter()
        room.addWidget(pages)
        room.addWidget(self.table_splitter)
        room.setSizes(list(_SPLITTER_SIZES))
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._create_header(buttons))
        column.addWidget(room, 1)
        column.addWidget(self.note)
        self.set_content(content)

    def _create_header(self, buttons: Sequence[QWidget]) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(4, 2, 4, 2)
        row.setSpacing(2)
        for button in buttons:
            row.addWidget(button)
        row.addWidget(self.search, 1)
        row.addWidget(self.match_label)
        self.table_button = flat_button("&Table", "Show the same in a table, to read and to copy")
        self.table_button.setCheckable(True)
        self.table_button.toggled.connect(self.table_splitter.setVisible)
        row.addWidget(self.table_button)
        tip = "Copy the picture, or save it to a file"
        row.addWidget(flat_menu_button("E&xport", tip, self.fill_export_menu))
        return row

    def fill_export_menu(self, menu: QMenu) -> None:
        """Offer to copy and save the picture."""
        if self.message:
            menu.addAction("There Is No Picture").setEnabled(False)
            return
        picture = PictureStack(self.shown_canvases())
        add_export_actions(menu, picture, self, self.suggested_file_name(), self.text_exports())

    def suggested_file_name(self) -> str:
        """What a file of the picture may be called: by the view and the active function."""
        queries, context = self.session.queries, self.navigation.context
        if queries is None or context.function == NO_NODE:
            return self.title.lower()
        name = queries.labels(context.scope, short=True).name(context.function)
        return f"{self.title.lower()} {name}"

    # ---------------------------------------------------------------- search

    def _restart_search(self) -> None:
        self._match_index = -1
        self.apply_search()

    def show_next_match(self) -> None:
        """Go to the next of what the search found."""
        matches = self.matches()
        if matches:
            self._match_index = (self._match_index + 1) % len(matches)
            self.show_match(matches[self._match_index])

    # ---------------------------------------------------------------- drawing up

    def _on_options(self) -> None:
        self.apply_options()
        self.refresh_for(Change.EVENT)

    def content_inputs(self, context: Context) -> object:
        """What a picture depends on: one of anything else is not shown any more."""
        return context.profile, context.scope, context.event, context.function, context.filter

    def show_empty_picture(self, text: str) -> None:
        """Say, in place of the picture, why there is none; its options stay in reach."""
        self.cancel_job()
        self.clear()
        self._empty_label.setText(text)
        self.note.setText("")
        self.match_label.setText("")
        self._picture_pages.setCurrentIndex(1)
        self.show_content()

    @property
    def message(self) -> str:
        words = self._empty_label.text() if self._picture_pages.currentIndex() == 1 else ""
        return super().message or words

    def show_reason_if_empty(self, queries: ProfileQueries, context: Context) -> bool:
        """Say why there is no picture; whether there is none."""
        message = no_calls_reason(queries, context)
        if message:
            self.show_placeholder(message)
        return bool(message)

    def show_result(self, result: Any, show: Callable[[Any], None]) -> None:
        self._picture_pages.setCurrentIndex(0)
        super().show_result(
            result, show
        )  # shown before it is taken, so that the canvas has its size
        self._restart_search()

    def set_stale(self, stale: bool) -> None:
        for canvas in self.shown_canvases():
            canvas.set_stale(stale)

    def show_error(self, error: ProfileError) -> None:
        self.show_empty_picture(cell_text(str(error)))

    # ---------------------------------------------------------------- what is remembered

    def saved_options(self) -> str:
        """The options, as text."""
        return self.options.to_text()

    def restore_options(self, text: str) -> None:
        """Take the options from a text; what makes no sense in it is ignored."""
        self.options.restore(text)
        self.apply_options()

    def save_state(self) -> list[QByteArray]:
        is_open = b"table" if self.table_button.isChecked() else b"no table"
        options = QByteArray(self.saved_options().encode("utf-8"))
        return [QByteArray(is_open), options, *super().save_state()]

    def restore_state(self, states: list[QByteArray]) -> None:
        if len(states) == len(self.save_state()):
            self.table_button.setChecked(states[0] == QByteArray(b"table"))
            self.restore_options(bytes(states[1].data()).decode("utf-8", "replace"))
            super().restore_state(states[2:])


def nodes_containing(labels: Labels, text: str) -> BoolArray:
    """Which functions and cycles have the text in their names; in full names, too."""
    cycles = map(NodeId, range(labels.function_count, len(labels)))
    found = [text.lower() in labels.name(cycle).lower() for cycle in cycles]
    return np.concatenate((labels.names.containing(text), np.array(found, bool)))
