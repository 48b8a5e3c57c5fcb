"""Opens the context menu of a list or tree, and closes it where its rows go meanwhile."""

from __future__ import annotations

from PySide6.QtCore import QPersistentModelIndex, QPoint
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QAbstractItemView, QMenu


def menu_place(
    view: QAbstractItemView, event: QContextMenuEvent
) -> tuple[QPersistentModelIndex, QPoint]:
    """The row the menu is for, and where: at the mouse, or by the keyboard at the current row.

    While a menu is open a job may end and change the rows: the index must know of it.
    """
    if event.reason() == QContextMenuEvent.Reason.Mouse:
        index, place = view.indexAt(event.pos()), event.pos()
    else:
        index = view.currentIndex()
        place = view.visualRect(index).center()
    return QPersistentModelIndex(index), view.viewport().mapToGlobal(place)


def open_menu(view: QAbstractItemView, menu: QMenu, place: QPoint) -> None:
    """Show the menu until something is chosen, or until there are other rows."""
    model = view.model()
    model.modelReset.connect(menu.close)
    menu.exec(place)
    model.modelReset.disconnect(menu.close)
    menu.deleteLater()  # or it lives as long as the list, with all that its actions hold
