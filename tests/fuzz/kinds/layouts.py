"""Saved layouts of the window and of its views, mutated, and restored in a window with a profile.

The first line of a case says what it is a state of: `docks`, `window`, or a view and the number of
its state, such as `function_list/1`.
"""

from __future__ import annotations

import re
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from random import Random

from PySide6.QtCore import QByteArray, QSettings
from PySide6.QtWidgets import QApplication

from qcachegrind_py.app.style import theme
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.session.settings.store import Settings
from tests.fuzz.mutation import NUMBERS, mutate, mutate_in_place
from tests.fuzz.outcome import Content, Difference
from tests.patience import PATIENCE
from tests.profile_text import EXAMPLE

_WINDOW, _DOCKS = "window", "docks"
# Earlier versions saved Qt's own states of docks and headers without a checksum, and Qt crashes
# over damaged ones.
_SAVED = Path(__file__).parents[2] / "data" / "settings" / "all_docks.ini"
_VIEW_STATE = re.compile(r"programs/\w+/look/(\w+/\d+)")
_LARGEST = 20_000  # pixels
_WORDS = [
    *(b'"width": 99999', b'"width": -1', b'"width": 1e400', b'"columns": []', b"null", b"{}"),
    *(b'"is_hidden": true', b'"sorted_by": "name"', b"NaN", b'{"key": "cost"}', b"up", b":"),
    *(b"[" * 5000, b'"key": "\\ud800"', b"0,1:"),
    *NUMBERS,
]


def make(random: Random) -> bytes:
    """A state that the program has saved, with some changes."""
    states = _saved_states()
    view = random.choice(sorted(states))
    name = random.choice((_DOCKS, _WINDOW, view, view))
    data, other = random.choice(states[name]), random.choice(states[name])
    if random.random() < 0.5:
        state = mutate_in_place(random, data)
    else:
        state = mutate(random, data, other, () if name in (_DOCKS, _WINDOW) else _WORDS)
    return name.encode() + b"\n" + state


def check(data: bytes, folder: Path) -> Content:
    """Restore the state; the window is on the screen, and takes the layout that it had before."""
    first, _, state = data.partition(b"\n")
    window = _open_window()
    _restore(window, first.decode("utf-8", "replace"), QByteArray(state))
    for _ in range(3):
        QApplication.processEvents()
    size = window.size()
    if max(size.width(), size.height()) > _LARGEST:
        raise Difference("the window is larger than any screen", str(size))
    if not window.isVisible():
        raise Difference("the window is hidden", "")
    if not window.docks.restore_state(QByteArray(_saved_states()[_DOCKS][0])):
        raise Difference("a valid layout is no longer restored", "")
    return {}


def _restore(window: MainWindow, name: str, state: QByteArray) -> None:
    if name == _DOCKS:
        window.docks.restore_state(state)
    elif name == _WINDOW:
        window.restoreGeometry(state)
    else:
        view = name.partition("/")[0]
        saved = _saved_states()
        names = sorted(other for other in saved if other.startswith(f"{view}/"))
        states = [state if other == name else QByteArray(saved[other][0]) for other in names]
        if view in window.views.created:
            window.views.created[view].restore_state(states)


@cache
def _saved_states() -> dict[str, list[bytes]]:
    """The states in saved settings, by what they are of."""
    states: dict[str, list[bytes]] = {}
    store = QSettings(str(_SAVED), QSettings.Format.IniFormat)
    for key in store.allKeys():
        if isinstance(value := store.value(key), QByteArray):
            view = _VIEW_STATE.fullmatch(key)
            name = view[1] if view else _WINDOW if key == "geometry" else _DOCKS
            states.setdefault(name, []).append(bytes(value.data()))
    return states


@cache
def _open_window() -> MainWindow:
    """One window for all cases, in which each dock has been shown."""
    folder = tempfile.mkdtemp()
    QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, folder)
    _application()
    theme.apply_palette(dark=False)
    window = MainWindow(Settings())
    window.show()
    ended: list[object] = []
    window.session.ended.connect(lambda *_: ended.append(None))
    window.open([EXAMPLE])
    deadline = time.monotonic() + PATIENCE
    while not ended and time.monotonic() < deadline:
        QApplication.processEvents()
    for spec in window.views.specs():
        window.docks.show(spec.id)
        QApplication.processEvents()
    return window


@cache
def _application() -> QApplication:
    return QApplication(sys.argv[:1])
