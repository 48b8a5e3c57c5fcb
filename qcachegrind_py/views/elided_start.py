"""Cuts a text at its start where there is no room: of a place, the end tells most."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QStyleOptionViewItem

from qcachegrind_py.views.row_delegate import RowDelegate


class ElidedStartDelegate(RowDelegate):
    """For columns of places: `…86-64.so.2: dl-lookup.c`."""

    def initStyleOption(  # noqa: N802
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().initStyleOption(option, index)
        option.textElideMode = Qt.TextElideMode.ElideLeft
