"""What the window shows, as a saved view, and the commands of saved views with their menu."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QFileDialog, QMainWindow, QMenu

from qcachegrind_py.app.files.saving import path_beside
from qcachegrind_py.app.frame.actions import Actions
from qcachegrind_py.app.frame.docks.layouts import present_layout, show_layout
from qcachegrind_py.formats.saved_views import (
    MAX_VIEWS,
    SavedView,
    read_views,
    with_imported,
    with_view,
    write_views,
)
from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.present.table import cell_text, short_text
from qcachegrind_py.profile.errors import ProfileError
from qcachegrind_py.profile.ids import NO_NODE
from qcachegrind_py.profile.numbers import format_count
from qcachegrind_py.session import saved_views
from qcachegrind_py.session.navigation import ViewSwitch
from qcachegrind_py.views.widgets.controls import tip_text
from qcachegrind_py.views.widgets.saving import ask_save_path, remember_folder, suggested_path
from qcachegrind_py.visible_text import visible_text

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from qcachegrind_py.app.frame.filter_bar import FilterBar
    from qcachegrind_py.app.frame.notices import NoticeKind, Notices
    from qcachegrind_py.app.frame.panels import Panels
    from qcachegrind_py.app.frame.settings_binding import SettingsBinding
    from qcachegrind_py.app.saved_views.dialogs import ManageViewsDialog
    from qcachegrind_py.session.session import Session
    from qcachegrind_py.session.settings.program import ProgramSettings
    from qcachegrind_py.session.settings.store import Settings


FULL = f"{MAX_VIEWS} views are saved for this program. Delete some to save others."
_LONGEST_NOTE = 1000  # characters that a notice shows
_LONGEST_NAME = 60


def proposed_name(function: str, event: str) -> str:
    """Return the name that is proposed for a view: `parse · Ir`."""
    return " · ".join(filter(None, (_bounded_name(function), visible_text(event))))


def _bounded_name(name: str) -> str:
    shown = visible_text(name)
    return shown if len(shown) <= _LONGEST_NAME else f"{shown[:_LONGEST_NAME]}…"


def notice_of(view: SavedView, missing: Sequence[str], others: int = 0) -> str:
    """Return what a notice says of a view: its note, and what the profile does not have.

    `others` is the number of further views in its file.
    """
    name, note = short_text(view.name), view.note.strip()[:_LONGEST_NOTE]
    first = f"{name}: {note}" if note else f"The view “{name}” is shown."
    more = [f"The file has {others} more {'view' if others == 1 else 'views'}."] if others else []
    lines = [line for text in (first, *missing, *more) for line in text.splitlines()]
    return "\n".join(map(cell_text, lines))


def waiting_text(path: Path, count: int) -> str:
    """Return what is said of a file that was opened before the profile that its views are of."""
    what = "a saved view. It is" if count == 1 else f"{count} saved views. The first one is"
    return cell_text(f"{path.name} has {what} shown when you open the profile.")


_MOST = 20  # views in the menu; the dialog has all
TOPIC = "saved view"  # of notices
_OPEN_TITLE, _EXPORT_TITLE = "Open Saved View File", "Export Saved Views"
_FILTERS = "Saved views (*.json);;All files (*)"


_OF_COMPARISONS = (CostUnit.SHARES, CostUnit.PER_CALL)


class ShownView:
    """Takes and shows views: context, filter, settings of the toolbar, and docks."""

    def __init__(
        self,
        window: QMainWindow,
        settings: Settings,
        actions: Actions,
        filter_bar: FilterBar,
        binding: SettingsBinding,
        panels: Panels,
    ) -> None:
        self._window, self._settings, self._actions = window, settings, actions
        self._filter, self._binding, self._panels = filter_bar, binding, panels
        self._first, self._docks = panels.first.session, panels.first.docks
        self._first.navigation.view_restored.connect(self._restore)

    @property
    def session(self) -> Session:
        return self._panels.current.session

    def present(self, name: str, note: str = "") -> SavedView:
        """Return what is shown, with the function of the current panel."""
        return replace(
            saved_views.present_view(self.session, name),
            note=note,
            filter=self._filter.whole_text,
            only_own_code=self._actions["own_code"].isChecked(),
            layout=present_layout(self._docks),
        )

    def show(self, view: SavedView, then: Callable[[tuple[str, ...]], object]) -> None:
        """Show a view as one step of the history.

        `then` gets a sentence for each thing that the profile does not have, when all is shown.
        """
        switch = ViewSwitch(self.present(""), view)
        self._apply_settings(view)
        self._show_frame(view)
        if self._panels.current is not self._panels.first:  # the history is that of the first
            self._actions["other_panel"].trigger()
        saved_views.enter_view(self._first, view, switch, lambda found: then(found.missing))

    def _restore(self, view: SavedView) -> None:
        """Show what was shown at this step of the history."""
        self._apply_settings(view)
        self._show_frame(view)
        saved_views.enter_view(self._first, view)

    def _apply_settings(self, view: SavedView) -> None:
        """Switch unit and cycles, which are settings, as their actions do."""
        settings = self._settings
        unit = next((unit for unit in CostUnit if unit.value == view.unit), settings.unit)
        is_comparing = self._first.navigation.context.base_parts is not None
        if unit is not settings.unit and (unit not in _OF_COMPARISONS or is_comparing):
            settings.unit = unit
        if view.cycles not in (None, settings.cycles):
            settings.cycles = view.cycles
        self._binding.apply()

    def _show_frame(self, view: SavedView) -> None:
        """Show filter and docks of a view."""
        self._actions["own_code"].setChecked(view.only_own_code)
        self._filter.set_text(view.filter)
        if view.layout is not None:
            show_layout(self._window, self._docks, view.layout)


class SavedViewCommands(QObject):
    """The saved views of the open program, and those of files."""

    def __init__(
        self,
        window: QMainWindow,
        settings: Settings,
        session: Session,
        actions: Actions,
        notices: Notices,
        menu: QMenu,
        shown: ShownView,
    ) -> None:
        super().__init__(window)
        self._window, self._settings, self._session = window, settings, session
        self._actions, self._notices, self._menu = actions, notices, menu
        self._shown = shown
        self._waiting: tuple[SavedView, ...] = ()  # of a file, until a profile is opened
        self._has_opened = False  # a profile, for which opening has not ended yet
        actions.connect(
            {
                "save_view": self.save,
                "manage_views": self.manage,
                "export_views": lambda: self._export(self._views, self._window),
                "open_view": self.choose_file,
            }
        )
        menu.aboutToShow.connect(self._update)
        session.opened.connect(self._on_opened)
        session.ended.connect(self._show_waiting)  # the place in the profile is restored by then
        session.navigation.view_restored.connect(lambda _view: notices.close_notice(TOPIC))
        self._update()

    @property
    def _program(self) -> ProgramSettings:
        return self._settings.program(self._session.program)

    @property
    def _views(self) -> tuple[SavedView, ...]:
        """The saved views of the open program; none without a profile."""
        return self._program.views if self._session.queries is not None else ()

    def _update(self) -> None:
        """Fill the menu, and enable what can be done."""
        views, is_open = self._views, self._session.queries is not None
        for name, enabled in (
            ("save_view", is_open), ("manage_views", is_open), ("export_views", bool(views)),
        ):  # fmt: skip
            self._actions[name].setEnabled(enabled)
        menu = self._menu
        menu.clear()
        menu.setToolTipsVisible(True)
        menu.addActions([self._actions["save_view"], self._actions["manage_views"]])
        menu.addSeparator()
        for number, view in enumerate(views[:_MOST], start=1):
            digit = f"&{number % 10}  " if number <= 10 else "     "
            action = menu.addAction(digit + _bounded_name(view.name).replace("&", "&&"))
            tip = next(iter(view.note.splitlines()), "") or f"Show the view “{view.name}”"
            action.setStatusTip(cell_text(tip))
            action.setToolTip(tip_text(view.name, *view.note.splitlines()))
            action.triggered.connect(lambda _checked=False, view=view: self.show(view))
        if (more := len(views) - _MOST) > 0:
            action = menu.addAction(f"{format_count(more)} More…")
            action.setStatusTip("Show all saved views")
            action.setToolTip(action.statusTip())
            action.triggered.connect(lambda _checked=False: self.manage())
        menu.addSeparator()
        menu.addActions([self._actions["open_view"], self._actions["export_views"]])

    # ---------------------------------------------------------------- saving and showing

    def save(self) -> None:
        """Ask for a name and a note, and save what is shown."""
        query, views = self._session.query, self._views
        if query is None:
            return
        if len(views) >= MAX_VIEWS:
            self._notices.show_notice("warning", FULL, topic=TOPIC)
            return
        from qcachegrind_py.app.saved_views.dialogs import SaveViewDialog

        view = self._shown.present("")  # now: the window may change behind the dialog
        node = self._shown.session.navigation.context.function
        function = query.labels().name(node) if node != NO_NODE else ""
        taken = [each.name for each in views]
        dialog = SaveViewDialog(proposed_name(function, view.event), taken, self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.chosen.connect(partial(self._store, view))
        dialog.open()

    def _store(self, view: SavedView, name: str, note: str) -> None:
        named = replace(view, name=name, note=note)
        self._program.change_views(lambda views: with_view(views, named))
        self._update()

    def show(self, view: SavedView) -> None:
        """Show a view; a notice has its note, and says what the profile does not have."""
        self._notices.close_notice(TOPIC)
        self._shown.show(view, partial(self._notify, view))

    def _notify(self, view: SavedView, missing: Sequence[str]) -> None:
        if missing or view.note.strip():
            self._notices.show_notice(_kind(missing), notice_of(view, missing), topic=TOPIC)

    # ---------------------------------------------------------------- the list

    def manage(self) -> None:
        if self._session.queries is None:
            return
        from qcachegrind_py.app.saved_views.dialogs import ManageViewsDialog

        dialog = ManageViewsDialog(self._views, self._program.change_views, self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.chosen.connect(self.show)
        dialog.export_requested.connect(lambda views: self._export(views, dialog))
        dialog.import_requested.connect(lambda: self._import(dialog))
        dialog.finished.connect(lambda _result: self._update())
        dialog.open()

    def _export(self, views: Sequence[SavedView], parent: QWidget) -> None:
        """Ask for a path and write the views to it."""
        if not views:
            return
        name = views[0].name if len(views) == 1 else f"{Path(self._session.program).name} views"
        start = suggested_path(self._window, _EXPORT_TITLE, name)
        if not start.is_absolute():
            start = path_beside(self._session.paths[0], start.name)
        chosen = ask_save_path(parent, _EXPORT_TITLE, start, ("JSON",), ("Saved views",))
        if chosen is None:
            return
        path = chosen[0]
        try:
            write_views(path, views, self._session.program)
        except ProfileError as error:
            self._notices.show_notice("error", cell_text(str(error)), topic=TOPIC)
            return
        remember_folder(self._window, path)
        text = cell_text(f"Saved {path}.")
        self._notices.show_notice("information", text, topic=TOPIC, passing=True)

    def _ask_for_file(self, title: str, parent: QWidget) -> Path | None:
        folder = str(self._session.paths[0].parent) if self._session.paths else ""
        name, _ = QFileDialog.getOpenFileName(parent, title, folder, _FILTERS)
        return Path(name) if name else None

    def _import(self, dialog: ManageViewsDialog) -> None:
        path = self._ask_for_file("Import Saved Views", dialog)
        views = self._read(path) if path is not None else ()
        if views:
            dialog.add(views, lambda before: with_imported(before, views))

    def _read(self, path: Path) -> tuple[SavedView, ...]:
        """Return the views of a file; after an error, which a notice says, none."""
        try:
            return read_views(path)
        except ProfileError as error:
            self._notices.show_notice("error", cell_text(str(error)), topic=TOPIC)
            return ()

    # ---------------------------------------------------------------- files

    def choose_file(self) -> None:
        path = self._ask_for_file(_OPEN_TITLE, self._window)
        if path is not None:
            self.open(path)

    def open(self, path: Path) -> None:
        """Show the first view of a file, as soon as a profile is open."""
        views = self._read(path)
        if not views:
            return
        if self._session.is_opening or self._session.queries is None:
            self._waiting = views
            if not self._session.is_opening:
                text = waiting_text(path, len(views))
                self._notices.show_notice("information", text, topic=TOPIC)
        else:
            self._show_received(views)

    def _show_received(self, views: Sequence[SavedView]) -> None:
        """Show the first of these views, and offer to keep all of them."""
        self._shown.show(views[0], partial(self._offer, views))

    def _offer(self, views: Sequence[SavedView], missing: Sequence[str]) -> None:
        known, text = self._views, notice_of(views[0], missing, len(views) - 1)
        keep = ("Add to Saved Views", partial(self._keep, views))
        buttons = [] if all(each in known for each in views) else [keep]
        self._notices.show_notice(_kind(missing), text, *buttons, topic=TOPIC)

    def _keep(self, views: Sequence[SavedView]) -> None:
        self._notices.close_notice(TOPIC)
        self._program.change_views(lambda before: with_imported(before, views))
        self._update()

    def _on_opened(self) -> None:
        self._has_opened = True
        self._update()

    def _show_waiting(self) -> None:
        """Show the view that waits for a profile; without success, not in the profile of before."""
        views, has_opened = self._waiting, self._has_opened
        self._has_opened = False
        if has_opened or self._session.queries is not None:
            self._waiting = ()
        if views and has_opened:
            self._show_received(views)


def _kind(missing: Sequence[str]) -> NoticeKind:
    return "warning" if missing else "information"
