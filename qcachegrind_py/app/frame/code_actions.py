"""Actions on source and assembler: search, hot lines, editor, paths, side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtWidgets import QApplication

from qcachegrind_py.app.frame.docks.docks import Docks
from qcachegrind_py.app.frame.docks.layouts import SideBySide
from qcachegrind_py.app.frame.docks.registry import DockRegistry
from qcachegrind_py.app.frame.frame import Frame
from qcachegrind_py.app.frame.settings_binding import SettingsBinding
from qcachegrind_py.present.context import Change
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.errors import ProfileError
from qcachegrind_py.tools.sources.file_search import PathRule, SearchFolder

if TYPE_CHECKING:
    from qcachegrind_py.views.code.code_views import AssemblerView, CodeView, SourceView

_SOURCE, _ASSEMBLER = DockRegistry.source.id, DockRegistry.assembler.id
_NOTICE_TOPIC: Final = "editor"  # also the kind of notice
_NO_SOURCE_LINE = (
    "Choose a source line whose file is found. The Source view says which files are missing."
)


class CodeActions:
    """Applies actions to the code view with the keyboard focus, by default to the source."""

    def __init__(
        self, frame: Frame, preferences: SettingsBinding, docks: Docks, views: DockRegistry
    ) -> None:
        self._window, self._settings, self._notices = frame.window, frame.settings, frame.notices
        self._preferences, actions = preferences, frame.actions
        self._views = views
        self._all_views = [views]
        self._target = docks, views
        self._side_by_side = SideBySide(actions["side_by_side"], docks)
        actions.connect(
            {
                "editor": self._edit_current,
                "paths": self.show_paths_dialog,
                "find_code": self._focus_search,
                "find_next": lambda: self._target_view().show_next_match(),
                "find_previous": lambda: self._target_view().show_next_match(-1),
                "next_hot": lambda: self._target_view().table.go_to_costliest(1),
                "previous_hot": lambda: self._target_view().table.go_to_costliest(-1),
            }
        )
        self._connect_views(views)

    def add_views(self, views: DockRegistry) -> None:
        self._all_views.append(views)
        self._connect_views(views)

    def follow(self, docks: Docks, views: DockRegistry) -> None:
        """Search, step and edit in these views, and arrange these docks."""
        self._target = docks, views
        self._side_by_side.follow(docks)

    def _connect_views(self, views: DockRegistry) -> None:
        views.when_created(
            DockRegistry.source, lambda source: source.editor_requested.connect(self.edit)
        )
        views.when_created(DockRegistry.source, self._connect_missing_file_bar)
        views.when_created(DockRegistry.assembler, self._connect_missing_file_bar)

    def _connect_missing_file_bar(self, view: SourceView | AssemblerView) -> None:
        view.missing_file_bar.path_rule_requested.connect(self._add_rule)
        view.missing_file_bar.folder_requested.connect(self._add_folder)
        view.missing_file_bar.paths_dialog_requested.connect(self.show_paths_dialog)

    def _target_view(self) -> CodeView:
        """The view that actions apply to; bring it to the front if it is hidden."""
        docks, views = self._target
        focused = QApplication.focusWidget()
        assembler = docks.by_id[_ASSEMBLER]
        is_assembler = focused is not None and assembler.isAncestorOf(focused)
        view: CodeView = views.assembler if is_assembler else views.source
        if not view.isVisible() or not view.isEnabled():
            docks.show(_ASSEMBLER if is_assembler else _SOURCE)
        return view

    def _focus_search(self) -> None:
        view = self._target_view()
        view.search.setFocus()
        view.search.selectAll()

    def show_paths_dialog(self) -> None:
        """Open the dialog for the paths that are searched for sources and objects."""
        from qcachegrind_py.app.settings.paths import PathsDialog

        recorded = [view.missing_file_bar.recorded_path for view in self._created_code_views()]
        dialog = PathsDialog(self._settings, self._window, [path for path in recorded if path])
        dialog.changed.connect(self._search_again)
        dialog.open()

    def _created_code_views(self) -> list[SourceView | AssemblerView]:
        found: list[SourceView | AssemblerView] = []
        for views in self._all_views:
            if _SOURCE in views.created:
                found.append(views.source)
            if _ASSEMBLER in views.created:
                found.append(views.assembler)
        return found

    def _add_rule(self, rule: PathRule) -> None:
        """Put the rule first: the latest decision of the user comes before older ones."""
        others = [other for other in self._settings.path_rules if other != rule]
        self._settings.path_rules = (rule, *others)
        self._search_again()

    def _add_folder(self, folder: str) -> None:
        others = [other for other in self._settings.source_folders if other.path != folder]
        self._settings.source_folders = (SearchFolder(folder), *others)
        self._search_again()

    def _search_again(self) -> None:
        """Search for files again, even with unchanged rules: the files may have changed."""
        from qcachegrind_py.tools.annotation_inputs import clear_caches

        clear_caches()
        self._preferences.apply()
        for views in self._all_views:
            for view in views.created.values():
                view.refresh_for(Change.ANNOTATION)

    def _edit_current(self) -> None:
        """Open the editor at the current source line, or show why this is impossible."""
        docks, views = self._target
        source = views.source
        if not source.isVisible() or not source.isEnabled():
            docks.show(_SOURCE)  # to see which line it is
            return
        location = source.editable_location(source.table.current_record())
        if location is not None:
            self.edit(*location)
        elif source.model.has_rows:
            self._notices.show_notice(_NOTICE_TOPIC, _NO_SOURCE_LINE)

    def edit(self, path: Path, line: int) -> None:
        from qcachegrind_py.tools.editor import open_in_editor

        self._notices.close_notice(_NOTICE_TOPIC)
        try:
            open_in_editor(self._settings.editor, path, line)
        except ProfileError as error:
            self._notices.show_notice(_NOTICE_TOPIC, cell_text(str(error)))
