"""The menu of saved views: its commands, and the views with digits as keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QMenu

from qcachegrind_py.app.frame.actions import Actions
from qcachegrind_py.formats.saved_views import SavedView
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.numbers import format_count
from qcachegrind_py.views.widgets.labels import tip_text
from qcachegrind_py.visible_text import visible_text

_MOST = 20  # views in the menu; the dialog has all
_DIGITS = 10
_LONGEST = 60  # characters of a name


def fill_saved_views(
    menu: QMenu,
    actions: Actions,
    views: Sequence[SavedView],
    show: Callable[[SavedView], object],
    manage: Callable[[], object],
) -> None:
    """Fill the menu: `show` gets the chosen view, and `manage` opens the dialog of all views."""
    menu.clear()
    menu.setToolTipsVisible(True)
    menu.addActions([actions["save_view"], actions["manage_views"]])
    menu.addSeparator()
    for number, view in enumerate(views[:_MOST], start=1):
        action = menu.addAction(_title(number, view.name))
        tip = next(iter(view.note.splitlines()), "") or f"Show the view “{view.name}”"
        action.setStatusTip(cell_text(tip))
        action.setToolTip(tip_text(view.name, *view.note.splitlines()))
        action.triggered.connect(lambda _checked=False, view=view: show(view))
    if (more := len(views) - _MOST) > 0:
        action = menu.addAction(f"{format_count(more)} More…")
        action.setStatusTip("Show all saved views")
        action.setToolTip(action.statusTip())
        action.triggered.connect(lambda _checked=False: manage())
    menu.addSeparator()
    menu.addActions([actions["open_view"], actions["export_views"]])


def _title(number: int, name: str) -> str:
    digit = f"&{number % _DIGITS}  " if number <= _DIGITS else "     "
    shown = visible_text(name)
    shown = shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…"
    return digit + shown.replace("&", "&&")
