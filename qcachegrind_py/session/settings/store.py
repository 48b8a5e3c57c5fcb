"""What is remembered between two starts, as typed values over QSettings (an INI file)."""

from __future__ import annotations

import os
from collections.abc import Callable, Container
from dataclasses import astuple, fields
from enum import Enum
from pathlib import Path
from typing import Any, Generic, TypeVar
from urllib.parse import quote, quote_from_bytes, unquote, unquote_to_bytes

from PySide6.QtCore import QByteArray, QSettings

from qcachegrind_py.profile.events import UserEvent
from qcachegrind_py.session.context import CostUnit
from qcachegrind_py.session.settings.digit_grouping import DigitGrouping
from qcachegrind_py.session.settings.ini_file import (
    OpenSettings,
    alone,
    merged,
    open_settings,
    why_not_remembered,
)
from qcachegrind_py.session.settings.per_program import ProgramSettings
from qcachegrind_py.tools.sources.file_search import SearchFolder
from qcachegrind_py.tools.sources.path_rules import PathRule

OWN_CODE = "!lib:^/(usr/)?lib !file:^/usr/include/ !name:=???"  # "only my code" as a filter
_BETWEEN_FIELDS = "\x1f"  # of an event, where no name has it, or of a rule, where it is quoted
_FIELDS = 3
_RECENT_KEPT = 10
_ANY = "surrogatepass"  # what is no text in a name comes back as it was
_UNQUOTED = "/\\: "  # of file names, which need not be text; the others are as in addresses
_Value = TypeVar("_Value")
_Row = TypeVar("_Row", bound=PathRule | SearchFolder)


class ColorScheme(Enum):
    """Which palette the window has."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


class ChangedFiles(Enum):
    """What is done when the files of the open profile change."""

    ASK = "ask"
    RELOAD = "reload"
    IGNORE = "ignore"


class OpensIn(Enum):
    """Which window a profile is opened in."""

    SAME = "same"  # the one that it was asked in; one asked from the desktop has its own
    NEW = "new"
    ONE = "one"  # there is one window, also for what is opened from the desktop


class _Option(Generic[_Value]):
    """A setting as an attribute; what is stored and makes no sense is the default."""

    def __init__(self, key: str, default: _Value, allowed: Container[Any] | None = None) -> None:
        self.key, self.default, self._allowed = key, default, allowed

    def __get__(self, settings: Settings, _owner: type[Settings]) -> _Value:
        value = settings.stored(self.key)
        if isinstance(self.default, Enum):
            return next((m for m in type(self.default) if m.value == value), self.default)
        if isinstance(self.default, bool):  # an INI file has words
            value = {"true": True, "false": False}.get(str(value).lower())
        elif isinstance(self.default, int):
            digits = str(value)
            value = int(digits) if digits.isascii() and digits.isdigit() else None
        fits = self._allowed is None or value in self._allowed
        return value if type(value) is type(self.default) and fits else self.default

    def __set__(self, settings: Settings, value: _Value) -> None:
        settings.store(self.key, value.value if isinstance(value, Enum) else value)


class _Rows(Generic[_Row]):
    """Rows of texts that the user wrote, as an attribute; a row that makes no sense is left out.

    A text may be the name of a file, which is bytes: whatever cannot be written is quoted.
    """

    def __init__(self, key: str, kind: type[_Row]) -> None:
        self.key = key
        self._kind: type[_Row] = kind
        self._fields = len(fields(kind))

    def __get__(self, settings: Settings, _owner: type[Settings]) -> tuple[_Row, ...]:
        rows = (self._row(text) for text in settings.stored_texts(self.key))
        return tuple(row for row in rows if row is not None)

    def __set__(self, settings: Settings, rows: tuple[_Row, ...]) -> None:
        texts = [_BETWEEN_FIELDS.join(_quoted(text) for text in astuple(row)) for row in rows]
        settings.store_texts(self.key, texts)

    def _row(self, text: str) -> _Row | None:
        try:
            found = [unquote(field, errors=_ANY) for field in text.split(_BETWEEN_FIELDS)]
        except UnicodeDecodeError:
            return None
        return self._kind(*found) if len(found) == self._fields and any(found) else None


def _quoted(text: str) -> str:
    return quote(text, _UNQUOTED + "~*", errors=_ANY)


class Settings:
    """Reads and writes at once; what is missing or makes no sense is the default."""

    def __init__(self, store: QSettings | None = None) -> None:
        opened = OpenSettings(store, ()) if store is not None else open_settings()
        self._store, self.problems = opened  # sentences about the file
        self._seen: dict[str, list[str]] = {}  # rows as they were when last read or written
        self.on_stored: Callable[[], object] = lambda: None  # called after each change

    def stored(self, key: str) -> object:
        """What is stored under a key; None for nothing."""
        return self._store.value(key)

    def store(self, key: str, value: object) -> None:
        """Remember a value under a key."""
        self._store.setValue(key, value)
        self.on_stored()

    def why_not_remembered(self) -> str:
        """A sentence, if what was set could not be written; empty where it could."""
        return why_not_remembered(self._store)

    def stored_texts(self, key: str) -> list[str]:
        """The list that is stored under a key; an empty one for nothing."""
        texts = self._store.value(key, [], list)
        rows = [str(text) for text in texts] if isinstance(texts, list) else []
        self._seen[key] = rows
        return rows

    def store_texts(self, key: str, texts: list[str]) -> None:
        """Remember a list under a key; rows that another instance added meanwhile stay."""
        base = self._seen.get(key)
        with alone(self._store):
            theirs = self.stored_texts(key)
            self._store.setValue(key, merged(theirs if base is None else base, texts, theirs))
        self._seen[key] = texts
        self.on_stored()

    @property
    def recent_files(self) -> list[Path]:
        """What was opened, the latest first."""
        texts = self.stored_texts("recent_files")
        return [Path(os.fsdecode(unquote_to_bytes(text))) for text in texts if text]

    def add_recent_file(self, *paths: Path) -> None:
        """Remember the file as the latest; of several the last one."""
        latest = paths[: -_RECENT_KEPT - 1 : -1]  # in one go: each takes 2 ms
        self._change_recent(lambda files: list(dict.fromkeys([*latest, *files])))

    def forget_recent_file(self, path: Path) -> None:
        """Remember the file no more; the others stay."""
        self._change_recent(lambda files: [other for other in files if other != path])

    def _change_recent(self, change: Callable[[list[Path]], list[Path]]) -> None:
        with alone(self._store):  # another instance may have added others
            files = change(self.recent_files)[:_RECENT_KEPT]
            texts = [quote_from_bytes(os.fsencode(file), _UNQUOTED) for file in files]
            self._store.setValue("recent_files", texts)
        self.on_stored()

    def forget_recent_files(self) -> None:
        """Remember none."""
        self._store.remove("recent_files")

    changed_files = _Option("changed_files", ChangedFiles.ASK)
    opens_in = _Option("opens_in", OpensIn.SAME)
    unit = _Option("unit", CostUnit.PERCENT)
    of_recorded = _Option("of_recorded", True)
    cycles = _Option("cycles", True)
    cycle_cut = _Option("cycle_cut", 0, range(51))  # percent
    color_scheme = _Option("color_scheme", ColorScheme.SYSTEM)
    decimals = _Option("decimals", 2, range(1, 6))
    digit_grouping = _Option("digit_grouping", DigitGrouping.THIN_SPACE)
    si = _Option("si", False)
    short_names = _Option("short_names", False)
    demangle = _Option("demangle", True)
    fold_levels = _Option("fold_levels", False)
    menu_length = _Option("menu_length", 10, range(1, 51))
    menu_name_length = _Option("menu_name_length", 60, range(8, 401))
    own_code = _Option("own_code", OWN_CODE)
    context_lines = _Option("context_lines", 3, range(100))  # around lines with cost
    editor = _Option("editor", "")  # a command with {file} and {line}; empty: the first found
    fold_source = _Option("fold_source", False)
    fold_code = _Option("fold_code", True)
    intel_syntax = _Option("intel_syntax", False)
    code_bytes = _Option("code_bytes", False)
    syntax_colors = _Option("syntax_colors", True)

    path_rules = _Rows("path_rules", PathRule)  # tried in this order
    source_folders = _Rows("source_folders", SearchFolder)

    def restore_defaults(self) -> None:
        """Forget all options; what the user made stays: files, events, paths, layouts, places."""
        for option in vars(type(self)).values():
            if isinstance(option, _Option):
                self._store.remove(option.key)

    @property
    def definitions(self) -> tuple[UserEvent, ...]:
        """The events that the user defined."""
        split = (text.split(_BETWEEN_FIELDS) for text in self.stored_texts("events"))
        return tuple(UserEvent(*fields) for fields in split if len(fields) == _FIELDS)

    @definitions.setter
    def definitions(self, definitions: tuple[UserEvent, ...]) -> None:
        rows = ((d.name, d.long_name, d.formula) for d in definitions)
        self.store_texts("events", [_BETWEEN_FIELDS.join(row) for row in rows])

    @property
    def geometry(self) -> QByteArray:
        """Where the window is on the screen; empty where never saved."""
        return self.bytes_of("geometry")

    @geometry.setter
    def geometry(self, geometry: QByteArray) -> None:
        self._store.setValue("geometry", geometry)

    def bytes_of(self, key: str) -> QByteArray:
        """A state that Qt saved; empty where there is none."""
        value = self._store.value(key)
        return value if isinstance(value, QByteArray) else QByteArray()

    def layouts(self) -> list[str]:
        """The names of the layouts that the user saved."""
        self._store.beginGroup("layouts")
        names = [unquote(name) for name in self._store.childKeys()]
        self._store.endGroup()
        return sorted(names, key=str.lower)

    def layout(self, name: str) -> QByteArray:
        """The docks of a layout."""
        return self.bytes_of(f"layouts/{quote(name, safe='')}")

    def set_layout(self, name: str, docks: QByteArray | None) -> None:
        """Save the docks as a layout; forget it where there are none."""
        key = f"layouts/{quote(name, safe='')}"
        if docks is None:
            self._store.remove(key)
        else:
            self._store.setValue(key, docks)

    def program(self, name: str) -> ProgramSettings:
        """What is remembered of a program."""
        return ProgramSettings(self._store, name)
