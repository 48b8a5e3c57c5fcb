"""What is remembered of one program: where the user was in it, and how the window looked."""

from __future__ import annotations

import hashlib
import time
from urllib.parse import quote_from_bytes, unquote_to_bytes

from PySide6.QtCore import QByteArray, QSettings

from qcachegrind_py.session.profile_mapping import SavedLocation

_PROGRAMS_KEPT = 100
_FIELDS = 3
_STATES = 8  # of a view: its tables, and how room is shared out


class ProgramSettings:
    """A group of the settings; of an unknown program everything is empty."""

    def __init__(self, store: QSettings, program: str) -> None:
        self._store = store
        digest = hashlib.sha256(program.encode("utf-8", "replace")).hexdigest()[:16]
        self._group = f"programs/{digest}"

    @property
    def place(self) -> SavedLocation:
        """Where the user was."""
        function = self._store.value(f"{self._group}/function", [], list)
        texts = [_unquoted(str(text)) for text in function] if isinstance(function, list) else []
        return SavedLocation(
            _unquoted(self._text("event")),
            _unquoted(self._text("second_event")),
            (texts[0], texts[1], texts[2]) if len(texts) == _FIELDS else None,
            self._text("grouping"),
        )

    @place.setter
    def place(self, place: SavedLocation) -> None:
        self._put("event", _quoted(place.event))
        self._put("second_event", _quoted(place.second_event))
        self._put("function", [_quoted(text) for text in place.function or ()])
        self._put("grouping", place.grouping)
        self._put("used", int(time.time()))
        self._forget_old()

    def state(self, name: str) -> QByteArray:
        """A state of the window's that Qt saved."""
        value = self._store.value(f"{self._group}/{name}")
        return value if isinstance(value, QByteArray) else QByteArray()

    def set_state(self, name: str, state: QByteArray) -> None:
        """Remember a state."""
        self._put(name, state)

    def look(self, view: str) -> list[QByteArray]:
        """How a view looked; nothing where that was never saved."""
        states = [self.state(f"look/{view}/{number}") for number in range(_STATES)]
        return [state for state in states if not state.isEmpty()]

    def set_look(self, view: str, states: list[QByteArray]) -> None:
        """Remember how a view looks."""
        for number, state in enumerate(states[:_STATES]):
            self._put(f"look/{view}/{number}", state)

    def _text(self, key: str) -> str:
        value = self._store.value(f"{self._group}/{key}")
        return value if isinstance(value, str) else ""

    def _put(self, key: str, value: object) -> None:
        self._store.setValue(f"{self._group}/{key}", value)

    def _forget_old(self) -> None:
        """Keep the programs that were looked at last."""
        self._store.beginGroup("programs")
        own = self._group.rpartition("/")[2]
        programs = [program for program in self._store.childGroups() if program != own]
        used = {p: str(self._store.value(f"{p}/used")) for p in programs}
        oldest = sorted(programs, key=lambda p: used[p].zfill(20))
        for program in oldest[: max(0, len(programs) + 1 - _PROGRAMS_KEPT)]:
            self._store.remove(program)
        self._store.endGroup()


def _quoted(name: str) -> str:
    """A name as it can be stored: its bytes need not be text."""
    return quote_from_bytes(name.encode("utf-8", "surrogateescape"), " /:<>(),&*~")


def _unquoted(text: str) -> str:
    return unquote_to_bytes(text).decode("utf-8", "surrogateescape")
