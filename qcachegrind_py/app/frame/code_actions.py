"""What the window's actions do in source and assembler, and what these two ask the window for."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtWidgets import QApplication, QWidget

from qcachegrind_py.app.frame.actions import Actions
from qcachegrind_py.app.frame.dock_registry import Views
from qcachegrind_py.app.frame.docks import Docks
from qcachegrind_py.app.frame.notices import NoticeStrip
from qcachegrind_py.app.frame.settings_binding import Preferences
from qcachegrind_py.app.settings.paths_dialog import PathsDialog
from qcachegrind_py.models.base.plain_text import cell_text
from qcachegrind_py.profile.errors import ProfileError
from qcachegrind_py.session.context import Change
from qcachegrind_py.session.settings.store import Settings
from qcachegrind_py.tools.annotation_inputs import forget_files
from qcachegrind_py.tools.sources.editor import open_in_editor
from qcachegrind_py.tools.sources.file_search import SearchFolder
from qcachegrind_py.tools.sources.path_rules import PathRule
from qcachegrind_py.views.code.code_view import CodeView

_NOTICE = "editor"
_NO_TEXT = "Choose a source line first whose file is found: the Source dock says what is missing."


class CodeDocks:
    """Actions are for the one of the two that has the keyboard, else for the source."""

    def __init__(
        self,
        window: QWidget,
        settings: Settings,
        preferences: Preferences,
        docks: Docks,
        views: Views,
        actions: Actions,
        notices: NoticeStrip,
    ) -> None:
        self._window, self._settings, self._preferences = window, settings, preferences
        self._docks, self._notices = docks, notices
        self._source, self._assembler = views.source, views.assembler
        self._before = QByteArray()  # where the docks were before these two were side by side
        for name, act in {
            "editor": self._edit_current,
            "side_by_side": self._put_beside,
            "paths": self.show_paths,
            "find_code": self._find,
            "find_next": lambda: self._current().show_next(),
            "find_previous": lambda: self._current().show_next(-1),
            "next_hot": lambda: self._current().table.go_to_hot(1),
            "previous_hot": lambda: self._current().table.go_to_hot(-1),
        }.items():
            actions[name].triggered.connect(lambda _checked=False, act=act: act())
        self._source.wanted_editor.connect(self._edit)
        for view in (self._source, self._assembler):
            view.strip.wanted_rule.connect(self._add_rule)
            view.strip.wanted_folder.connect(self._add_folder)
            view.strip.wanted_paths.connect(self.show_paths)

    def _current(self) -> CodeView:
        """The view that actions are for; it is brought to the front where it is not seen."""
        focused = QApplication.focusWidget()
        has_focus = focused is not None and self._assembler.isAncestorOf(focused)
        view: CodeView = self._assembler if has_focus else self._source
        if not view.isVisible() or not view.isEnabled():
            self._docks.show(view.title)
        return view

    def _find(self) -> None:
        view = self._current()
        view.search.setFocus()
        view.search.selectAll()

    def _put_beside(self) -> None:
        """Put the two side by side; where they are, put all docks back where they were before.

        Docks that were opened meanwhile do not matter. A new start knows nothing of before.
        """
        both, docks = (self._source.title, self._assembler.title), self._docks
        before, self._before = self._before, QByteArray()
        if not docks.are_beside(*both) or (before.isEmpty() and not docks.are_alone(*both)):
            self._before = docks.saved()
            docks.put_beside(*both)
        elif not docks.restore(before):
            docks.reset()

    def show_paths(self) -> None:
        """Let the user see and change where files are looked for."""
        recorded = [view.strip.recorded for view in (self._source, self._assembler)]
        dialog = PathsDialog(self._settings, self._window, [path for path in recorded if path])
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.changed.connect(self._look_anew)
        dialog.open()

    def _add_rule(self, rule: PathRule) -> None:
        """The newest rule is tried first: it is what the user said last."""
        others = [other for other in self._settings.path_rules if other != rule]
        self._settings.path_rules = (rule, *others)
        self._look_anew()

    def _add_folder(self, folder: str) -> None:
        others = [other for other in self._settings.source_folders if other.path != folder]
        self._settings.source_folders = (SearchFolder(folder), *others)
        self._look_anew()

    def _look_anew(self) -> None:
        """Look for files anew, also where the rules are as they were: the files may not be."""
        forget_files()
        self._preferences.apply()
        for view in self._docks.views.values():
            view.show_again(Change.ANNOTATION)

    def _edit_current(self) -> None:
        """Open the editor at the current source line, or say why that cannot be."""
        source = self._source
        if not source.isVisible() or not source.isEnabled():
            self._docks.show(source.title)  # to see which line it is
            return
        place = source.path_of(source.table.current_record())
        if place is not None:
            self._edit(*place)
        elif source.model.has_rows:
            self._notices.show_notice(_NOTICE, _NO_TEXT)

    def _edit(self, path: Path, line: int) -> None:
        self._notices.close_notice(_NOTICE)
        try:
            open_in_editor(self._settings.editor, path, line)
        except ProfileError as error:
            self._notices.show_notice(_NOTICE, cell_text(str(error)))
