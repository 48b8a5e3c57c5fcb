"""What is remembered of each profiled program: the place, the saved views, the look of views."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from urllib.parse import quote_from_bytes, unquote_to_bytes

from PySide6.QtCore import QByteArray, QCryptographicHash, QSettings

from qcachegrind_py.formats.saved_views import (
    MAX_VIEWS,
    Malformed,
    SavedView,
    parse_views,
    views_text,
)
from qcachegrind_py.session.context import SavedLocation
from qcachegrind_py.session.settings.file import sole_writer, stored_state

_MAX_PROGRAMS = 100
_SHA_256 = QCryptographicHash.Algorithm.Sha256
_FUNCTION_FIELDS = 3
_COLOR_ROW = re.compile(r"(#[0-9a-f]{6}) (.*)", re.DOTALL)
_MAX_STATES = 8  # states of one view: its table headers and splitters


class ProgramSettings:
    """A group of the settings file; everything is empty for an unknown program."""

    def __init__(self, store: QSettings, program: str) -> None:
        self._store = store
        # as `hashlib` does, whose import loads all of OpenSSL
        digest = QCryptographicHash.hash(program.encode("utf-8", "replace"), _SHA_256).toHex()
        self._group = f"programs/{bytes(digest.data()[:16]).decode()}"

    @property
    def place(self) -> SavedLocation:
        function = self._store.value(f"{self._group}/function", [], list)
        texts = (
            [_unquoted_name(str(text)) for text in function] if isinstance(function, list) else []
        )
        return SavedLocation(
            _unquoted_name(self._text("event")),
            _unquoted_name(self._text("second_event")),
            (texts[0], texts[1], texts[2]) if len(texts) == _FUNCTION_FIELDS else None,
            grouping=self._text("grouping"),
            path=_unquoted_name(self._text("path")),
            group_colors=self._group_colors(),
        )

    @place.setter
    def place(self, place: SavedLocation) -> None:
        self._put("event", _quoted_name(place.event))
        self._put("second_event", _quoted_name(place.second_event))
        self._put("function", [_quoted_name(text) for text in place.function or ()])
        self._put("grouping", place.grouping)
        self._put("path", _quoted_name(place.path))
        self._put(
            "colors", [f"{color} {_quoted_name(group)}" for group, color in place.group_colors]
        )
        self._put("used", int(time.time()))
        self._forget_old()

    @property
    def views(self) -> tuple[SavedView, ...]:
        """The saved views, in the order of their menu; empty if they are damaged."""
        text = self._text("views")
        try:
            return parse_views(text) if text else ()
        except Malformed:
            return ()

    def change_views(
        self, change: Callable[[tuple[SavedView, ...]], tuple[SavedView, ...]]
    ) -> tuple[SavedView, ...]:
        """Change the saved views as they are now: another instance may have stored some.

        At most `MAX_VIEWS` are kept, the first ones. Returns them.
        """
        with sole_writer(self._store):
            views = change(self.views)[:MAX_VIEWS]
            self._put("views", views_text(views))
            self._put("used", int(time.time()))
        return views

    def _group_colors(self) -> tuple[tuple[str, str], ...]:
        """Return the chosen colours of groups; malformed ones are ignored."""
        rows = self._store.value(f"{self._group}/colors", [], list)
        found = (_COLOR_ROW.fullmatch(str(row)) for row in (rows if isinstance(rows, list) else ()))
        return tuple((_unquoted_name(row[2]), row[1]) for row in found if row is not None)

    def state(self, name: str) -> QByteArray:
        return stored_state(self._store, f"{self._group}/{name}")

    def set_state(self, name: str, state: QByteArray) -> None:
        self._put(name, state)

    def view_states(self, view: str) -> list[QByteArray]:
        """Return the stored states of a view; empty if never saved."""
        states = [self.state(f"look/{view}/{number}") for number in range(_MAX_STATES)]
        return [state for state in states if not state.isEmpty()]

    def set_view_states(self, view: str, states: list[QByteArray]) -> None:
        for number, state in enumerate(states[:_MAX_STATES]):
            self._put(f"look/{view}/{number}", state)

    def _text(self, key: str) -> str:
        value = self._store.value(f"{self._group}/{key}")
        return value if isinstance(value, str) else ""

    def _put(self, key: str, value: object) -> None:
        self._store.setValue(f"{self._group}/{key}", value)

    def _forget_old(self) -> None:
        """Drop the programs that were used least recently, those with saved views last."""
        self._store.beginGroup("programs")
        current = self._group.rpartition("/")[2]
        programs = [program for program in self._store.childGroups() if program != current]
        used = {p: str(self._store.value(f"{p}/used")).zfill(20) for p in programs}
        oldest = sorted(programs, key=lambda p: (self._store.contains(f"{p}/views"), used[p]))
        for program in oldest[: max(0, len(programs) + 1 - _MAX_PROGRAMS)]:
            self._store.remove(program)
        self._store.endGroup()


def _quoted_name(name: str) -> str:
    """Encode a name for the INI file; it may hold undecodable bytes as surrogates."""
    return quote_from_bytes(name.encode("utf-8", "surrogateescape"), " /:<>(),&*~")


def _unquoted_name(text: str) -> str:
    return unquote_to_bytes(text).decode("utf-8", "surrogateescape")
