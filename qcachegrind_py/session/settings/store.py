"""The user's settings as typed attributes over QSettings, which keeps them in an INI file."""

from __future__ import annotations

import os
from collections.abc import Callable, Container
from dataclasses import astuple, dataclass, fields
from enum import Enum
from pathlib import Path
from typing import Any, Generic, TypeVar
from urllib.parse import quote, quote_from_bytes, unquote, unquote_to_bytes

from PySide6.QtCore import QByteArray, QObject, QSettings, Signal

from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.profile.events import UserEvent
from qcachegrind_py.session.settings.digit_grouping import DigitGrouping
from qcachegrind_py.session.settings.ini_file import (
    VERSION,
    OpenedStore,
    merge_rows,
    open_store,
    sole_writer,
    stored_number,
    stored_version,
    write_problem,
)
from qcachegrind_py.session.settings.per_program import ProgramSettings
from qcachegrind_py.tools.sources.file_search import PathRule, SearchFolder

OWN_CODE = "!lib:^/(usr/)?lib !file:^/usr/include/ !name:=???"  # "only my code" as a filter
_SEPARATOR = "\x1f"  # between the fields of a row; escaped where a field may contain it
_EVENT_FIELDS = 3
_MAX_RECENT = 10
_ERRORS = "surrogatepass"  # file names need not be valid UTF-8
_UNESCAPED = "/\\: "  # in file names
_Value = TypeVar("_Value")
_Row = TypeVar("_Row", bound="PathRule | SearchFolder | KeyBinding")


class ColorScheme(Enum):
    """The palette of the window."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


class ChangedFiles(Enum):
    """The reaction to changes of the open profile's files."""

    ASK = "ask"
    RELOAD = "reload"
    IGNORE = "ignore"


class OpensIn(Enum):
    """The window in which a profile opens."""

    SAME = "same"  # the window of the request; a file opened from the desktop gets its own
    NEW = "new"
    ONE = "one"  # a single window, also for files opened from the desktop


@dataclass(frozen=True, slots=True)
class KeyBinding:
    """The keys that the user has given to an action."""

    action: str  # its name
    keys: str  # as Qt writes them in any language, separated by "; "; empty for none


class _Option(Generic[_Value]):
    """Descriptor of a stored value; an invalid or missing value reads as the default."""

    def __init__(self, key: str, default: _Value, allowed: Container[Any] | None = None) -> None:
        self.key, self.default, self._allowed = key, default, allowed

    def __get__(self, settings: Settings, _owner: type[Settings]) -> _Value:
        value = settings.stored(self.key)
        if isinstance(self.default, Enum):
            return next((m for m in type(self.default) if m.value == value), self.default)
        if isinstance(self.default, bool):  # INI files store words
            value = {"true": True, "false": False}.get(str(value).lower())
        elif isinstance(self.default, int):
            value = stored_number(value)
        is_allowed = self._allowed is None or value in self._allowed
        return value if type(value) is type(self.default) and is_allowed else self.default

    def __set__(self, settings: Settings, value: _Value) -> None:
        settings.store(self.key, value.value if isinstance(value, Enum) else value)


class _Rows(Generic[_Row]):
    """Descriptor of stored rows of text; invalid rows are skipped.

    A field may be a file name, which is bytes: everything that INI cannot hold is percent-encoded.
    """

    def __init__(self, key: str, kind: type[_Row]) -> None:
        self.key = key
        self._kind: type[_Row] = kind
        self._fields = len(fields(kind))

    def __get__(self, settings: Settings, _owner: type[Settings]) -> tuple[_Row, ...]:
        rows = (self._row(text) for text in settings.stored_texts(self.key))
        return tuple(row for row in rows if row is not None)

    def __set__(self, settings: Settings, rows: tuple[_Row, ...]) -> None:
        texts = [_SEPARATOR.join(_escaped(text) for text in astuple(row)) for row in rows]
        settings.store_texts(self.key, texts)

    def _row(self, text: str) -> _Row | None:
        try:
            fields_ = [unquote(field, errors=_ERRORS) for field in text.split(_SEPARATOR)]
        except UnicodeDecodeError:
            return None
        return self._kind(*fields_) if len(fields_) == self._fields and any(fields_) else None


def _escaped(text: str) -> str:
    return quote(text, _UNESCAPED + "~*", errors=_ERRORS)


class Settings(QObject):
    """Typed access to the settings file; changes are stored at once.

    Invalid or missing values read as their defaults. Lists are merged with what other running
    instances stored in the meantime.
    """

    changed = Signal()  # an option or a list was stored

    def __init__(self, store: QSettings | None = None) -> None:
        super().__init__()
        opened = open_store() if store is None else OpenedStore(store, ())
        self._store, self.problems = opened  # problems: sentences about the file
        self._base: dict[str, list[str]] = {}  # each list as last read or written here

    def stored(self, key: str) -> object:
        """Return the raw value of a key; None if there is none."""
        return self._store.value(key)

    def store(self, key: str, value: object) -> None:
        """Store a value under a key."""
        self._put(key, value)
        self.changed.emit()

    def write_problem(self) -> str:
        """Return a sentence if the last write failed, else an empty string."""
        return write_problem(self._store)

    def stored_texts(self, key: str) -> list[str]:
        """Return the list stored under a key; empty if there is none."""
        texts = self._store.value(key, [], list)
        rows = [str(text) for text in texts] if isinstance(texts, list) else []
        self._base[key] = rows
        return rows

    def store_texts(self, key: str, texts: list[str]) -> None:
        """Store a list under a key; rows that another instance added in the meantime stay."""
        base = self._base.get(key)
        self._update(key, lambda now: merge_rows(now if base is None else base, texts, now))
        self._base[key] = texts

    @property
    def recent_files(self) -> list[Path]:
        """The files opened last, latest first."""
        return _paths(self.stored_texts("recent_files"))

    def add_recent_file(self, *paths: Path) -> None:
        """Put files at the top of the recent files, the last one first."""
        latest = paths[: -_MAX_RECENT - 1 : -1]
        self._update_recent(lambda files: list(dict.fromkeys([*latest, *files])))

    def forget_recent_file(self, path: Path) -> None:
        """Remove one file from the recent files."""
        self._update_recent(lambda files: [other for other in files if other != path])

    def forget_recent_files(self) -> None:
        """Clear the recent files."""
        self._store.remove("recent_files")

    changed_files = _Option("changed_files", ChangedFiles.ASK)
    opens_in = _Option("opens_in", OpensIn.SAME)
    unit = _Option("unit", CostUnit.PERCENT)
    of_recorded = _Option("of_recorded", True)
    percent_of_function = _Option("percent_of_function", True)  # in source and assembler
    cycles = _Option("cycles", True)
    cycle_cut = _Option("cycle_cut", 0, range(51))  # percent
    color_scheme = _Option("color_scheme", ColorScheme.SYSTEM)
    toolbar_text = _Option("toolbar_text", False)
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
    hide_inlined = _Option("hide_inlined", False)
    source_rows = _Option("source_rows", True)
    explains_changes = _Option("explains_changes", True)  # opens Explain Change for a comparison

    path_rules = _Rows("path_rules", PathRule)  # tried in this order
    source_folders = _Rows("source_folders", SearchFolder)
    key_bindings = _Rows("key_bindings", KeyBinding)  # of the actions whose keys were changed

    def restore_defaults(self) -> None:
        """Reset all options; files, events, paths, keys, layouts and locations stay."""
        for option in vars(type(self)).values():
            if isinstance(option, _Option):
                self._store.remove(option.key)

    @property
    def definitions(self) -> tuple[UserEvent, ...]:
        """The events defined by the user."""
        rows = (text.split(_SEPARATOR) for text in self.stored_texts("events"))
        return tuple(UserEvent(*row) for row in rows if len(row) == _EVENT_FIELDS)

    @definitions.setter
    def definitions(self, definitions: tuple[UserEvent, ...]) -> None:
        rows = ((d.name, d.long_name, d.formula) for d in definitions)
        self.store_texts("events", [_SEPARATOR.join(row) for row in rows])

    @property
    def geometry(self) -> QByteArray:
        """The window's size and position as saved by Qt; empty if never saved."""
        return self.bytes_of("geometry")

    @geometry.setter
    def geometry(self, geometry: QByteArray) -> None:
        self._put("geometry", geometry)

    def bytes_of(self, key: str) -> QByteArray:
        """Return a state saved by Qt; empty if there is none."""
        value = self._store.value(key)
        return value if isinstance(value, QByteArray) else QByteArray()

    def layouts(self) -> list[str]:
        """Return the names of the saved layouts, sorted without regard to case."""
        self._store.beginGroup("layouts")
        names = [unquote(name) for name in self._store.childKeys()]
        self._store.endGroup()
        return sorted(names, key=str.lower)

    def layout(self, name: str) -> QByteArray:
        """Return the dock state of a saved layout; empty if there is none."""
        return self.bytes_of(_layout_key(name))

    def set_layout(self, name: str, docks: QByteArray | None) -> None:
        """Save a dock state as a layout; None deletes the layout."""
        if docks is None:
            self._store.remove(_layout_key(name))
        else:
            self._put(_layout_key(name), docks)

    def program(self, name: str) -> ProgramSettings:
        """Return the settings kept for one profiled program."""
        return ProgramSettings(self._store, name)

    def _put(self, key: str, value: object) -> None:
        """Store a value, and with the first one the version of the format."""
        self._store.setValue(key, value)
        if stored_version(self._store) < VERSION:
            self._store.setValue("version", VERSION)

    def _update_recent(self, change: Callable[[list[Path]], list[Path]]) -> None:
        def changed(rows: list[str]) -> list[str]:
            files = change(_paths(rows))[:_MAX_RECENT]
            return [quote_from_bytes(os.fsencode(file), _UNESCAPED) for file in files]

        self._update("recent_files", changed)

    def _update(self, key: str, change: Callable[[list[str]], list[str]]) -> None:
        """Change a list as it is in the file now: another instance may have written it."""
        with sole_writer(self._store):
            self._put(key, change(self.stored_texts(key)))
        self.changed.emit()


def _paths(rows: list[str]) -> list[Path]:
    return [Path(os.fsdecode(unquote_to_bytes(row))) for row in rows if row]


def _layout_key(name: str) -> str:
    return f"layouts/{quote(name, safe='')}"
