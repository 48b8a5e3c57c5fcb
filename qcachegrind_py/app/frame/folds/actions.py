"""Actions that charge functions to their callers, and that show them again."""

from __future__ import annotations

from PySide6.QtWidgets import QMainWindow

from qcachegrind_py.analysis.filters.expression import quoted
from qcachegrind_py.app.frame.actions import Actions
from qcachegrind_py.app.frame.filter_bar import FilterBar
from qcachegrind_py.app.frame.folds.terms import (
    FOLD_STANDARD_LIBRARY,
    folds_outside,
    with_folds,
    without_folds,
)
from qcachegrind_py.app.frame.notices import NoticeBar
from qcachegrind_py.present.context import Change, Context
from qcachegrind_py.profile.ids import NO_NODE, FunctionId
from qcachegrind_py.profile.tables import UNKNOWN
from qcachegrind_py.session.session import Session


class FoldActions:
    """Connects the actions of folding; they apply to the selected function, or the active one."""

    def __init__(
        self, window: QMainWindow, session: Session, actions: Actions, filter_bar: FilterBar
    ) -> None:
        self._window, self._session = window, session
        self._actions, self._filter = actions, filter_bar
        self._has_bar = False
        actions.connect(
            {
                "fold_function": self._fold_function,
                "only_object": self._show_only_object,
                "fold_library": self._toggle_library,
                "fold_others": self._toggle_others,
                "no_folds": self.remove_all,
            }
        )
        session.navigation.changed.connect(self._on_changed)
        self._on_changed(session.navigation.context, Change(0))

    def follow(self, session: Session) -> None:
        """Apply the actions to the functions of this session."""
        self._session.navigation.changed.disconnect(self._on_changed)
        self._session = session
        session.navigation.changed.connect(self._on_changed)
        self._on_changed(session.navigation.context, Change(0))

    def add(self, *folds: str) -> None:
        """Fold more functions."""
        self._filter.set_text(with_folds(self._filter.text(), folds))

    def remove(self, *folds: str) -> None:
        """Show functions again."""
        self._filter.set_text(without_folds(self._filter.text(), folds))

    def remove_all(self) -> None:
        """Show all folded functions again."""
        self._filter.set_text(without_folds(self._filter.text()))

    def _fold_function(self) -> None:
        queries, function = self._session.queries, self._function()
        if queries is not None and function is not None:
            self.add(f"fold:{quoted('name', queries.names.name(function))}")

    def _show_only_object(self) -> None:
        queries, function = self._session.queries, self._function()
        if queries is not None and function is not None:
            object_ = queries.names.object(function)
            if object_ != UNKNOWN:
                self.add(f"only:{quoted('lib', object_)}")

    def _function(self) -> FunctionId | None:
        """Return the function to fold; None if a cycle is selected."""
        queries, context = self._session.queries, self._session.navigation.context
        node = context.function if context.selected == NO_NODE else context.selected
        if queries is None or node == NO_NODE or not queries.is_function(node):
            return None
        return node

    def _toggle_library(self) -> None:
        self._toggle([FOLD_STANDARD_LIBRARY], "fold_library")

    def _toggle_others(self) -> None:
        self._toggle(folds_outside(self._filter.own_code_terms), "fold_others")

    def _toggle(self, folds: list[str], action: str) -> None:
        change = self.add if self._actions[action].isChecked() else self.remove
        change(*folds)

    def _create_bar(self) -> None:
        """Create the bar between toolbar and notices, when functions are folded first."""
        from qcachegrind_py.app.frame.folds.bar import FoldBar

        self._has_bar = True
        (notices,) = self._window.findChildren(NoticeBar)
        self._window.insertToolBar(notices, FoldBar(self._window, self._session, self))
        self._window.insertToolBarBreak(notices)

    def _on_changed(self, context: Context, _change: Change) -> None:
        """Enable the actions that have an effect, and check those whose folds are there."""
        if context.filter.folds and not self._has_bar:
            self._create_bar()
        function, folds = self._function(), {fold.text for fold in context.filter.folds}
        actions, queries = self._actions, self._session.queries
        for name in ("fold_function", "only_object"):
            actions[name].setEnabled(function is not None)
        for name in ("fold_library", "fold_others"):
            actions[name].setEnabled(queries is not None)
        actions["no_folds"].setEnabled(bool(folds))
        actions["fold_library"].setChecked(FOLD_STANDARD_LIBRARY in folds)
        others = folds_outside(self._filter.own_code_terms)
        actions["fold_others"].setChecked(bool(others) and folds.issuperset(others))
