"""The layout of the docks as it is saved: Qt's state, the picture that is chosen, a checksum."""

from __future__ import annotations

import re
import zlib

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtWidgets import QDockWidget, QLabel, QMainWindow, QTabBar

from qcachegrind_py.app.frame.docks.picture_dock import PictureDock
from qcachegrind_py.app.frame.docks.registry import PICTURE

_SEALED = re.compile(rb"crc32 ([0-9a-f]{8}) (.*)", re.DOTALL)
_VERSION = 6  # of Qt's state; it restores none of another version
_FOUR_PICTURES = 5  # the version in which each picture had a dock of its own


def saved_state(window: QMainWindow, picture: PictureDock) -> QByteArray:
    """Return the layout of the docks, for `restore`, with its checksum in front."""
    content = b"%b %b" % (picture.chosen.encode(), bytes(window.saveState(_VERSION).data()))
    return QByteArray(b"crc32 %08x %b" % (zlib.crc32(content), content))


def without_checksum(saved: QByteArray) -> bytes:
    """Return the content; empty if it is damaged. Old ones have no checksum."""
    sealed = _SEALED.fullmatch(saved.data())
    if not sealed:
        return bytes(saved.data())
    checksum, content = sealed.groups()
    return content if int(checksum, 16) == zlib.crc32(content) else b""


def restore(window: QMainWindow, picture: PictureDock, content: bytes) -> bool:
    """Restore a layout; return whether it is of a known version."""
    chosen, _, state = content.partition(b" ")
    if chosen.decode("ascii", "replace") in picture.choices:
        picture.choose(chosen.decode("ascii"))
        return window.restoreState(QByteArray(state), _VERSION)
    return _restore_four_pictures(window, picture, QByteArray(content))


def _restore_four_pictures(window: QMainWindow, picture: PictureDock, state: QByteArray) -> bool:
    """Restore a layout in which each picture has a dock: one of them becomes that of all.

    Docks that stand for them are restored to see which one is in front. In its place the layout
    is restored again.
    """
    name, stand_ins = picture.objectName(), _stand_ins(window, picture)
    if is_restored := window.restoreState(state, _FOUR_PICTURES):
        chosen = max(stand_ins, key=lambda view_id: _prominence(window, stand_ins[view_id]))
        picture.choose(chosen)
        own_name = stand_ins[chosen].objectName()
        stand_ins[chosen].setObjectName("")
        picture.setObjectName(own_name)
        window.removeDockWidget(stand_ins[chosen])
        window.restoreState(state, _FOUR_PICTURES)
        picture.setObjectName(name)
    for stand_in in stand_ins.values():
        window.removeDockWidget(stand_in)
        stand_in.setParent(None)  # Qt would find it by its name until it is deleted
        stand_in.deleteLater()
    return is_restored


def _stand_ins(window: QMainWindow, picture: PictureDock) -> dict[str, QDockWidget]:
    """Return the docks that the pictures had, by the ids of the pictures."""
    prefix, docks = picture.objectName().removesuffix(PICTURE), {}
    for view_id in picture.choices:
        dock = docks[view_id] = QDockWidget(window)
        dock.setWindowTitle(f"{view_id} {id(dock)}")  # in no bar of tabs that Qt keeps unused
        dock.setObjectName(prefix + view_id)
        dock.setWidget(QLabel())
    return docks


def _prominence(window: QMainWindow, dock: QDockWidget) -> int:
    """Return how much of a dock can be seen: nothing, only its tab, or all, best in the window."""
    if dock.isHidden() or dock.isFloating():
        return 0 if dock.isHidden() else 2
    bars = window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
    titles_in_front = [bar.tabText(bar.currentIndex()) for bar in bars]
    is_tab = bool(window.tabifiedDockWidgets(dock))
    return 1 if is_tab and dock.windowTitle() not in titles_in_front else 3
