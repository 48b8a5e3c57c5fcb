"""The user's settings as typed attributes, and how they are declared."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import astuple, fields
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from urllib.parse import quote, unquote

from PySide6.QtCore import QByteArray, QObject, QSettings, Signal

from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.profile.events import UserEvent
from qcachegrind_py.profile.numbers import NumberStyle
from qcachegrind_py.session.settings.file import (
    VERSION,
    OpenedStore,
    merge_rows,
    open_store,
    sole_writer,
    stored_number,
    stored_state,
    stored_version,
    write_problem,
)
from qcachegrind_py.session.settings.recent import Recent, recent_of_row
from qcachegrind_py.tools.sources.file_search import PathRule, SearchFolder

if TYPE_CHECKING:
    from PySide6.QtCore import QLocale

    from qcachegrind_py.session.settings.program import ProgramSettings

OWN_CODE = "!lib:^/(usr/)?lib !file:^/usr/include/ !is:unknown"  # "only my code" as a filter
_SEPARATOR = "\x1f"  # between the fields of a row; escaped where a field may contain it
_MAX_RECENT = 10
_ERRORS = "surrogatepass"  # file names need not be valid UTF-8
_UNESCAPED = "/\\: "  # in file names
_Value = TypeVar("_Value")
_Row = TypeVar("_Row", bound="PathRule | SearchFolder | KeyBinding | UserEvent")


class DigitGrouping(Enum):
    """The separator between groups of three digits."""

    THIN_SPACE = "thin-space"
    LOCALE = "locale"
    NONE = "none"


class ColorScheme(Enum):
    """The palette of the window."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


class ToolbarText(Enum):
    """The words on the buttons of the toolbar."""

    AUTOMATIC = "automatic"  # beside the icons, where the window has room for them
    ON = "true"  # below the icons; as earlier versions wrote it
    OFF = "false"


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


@frozen(eq=True)
class KeyBinding:
    """The keys that the user has given to an action."""

    action: str  # its name
    keys: str  # as Qt writes them in any language, separated by "; "; empty for none


class Setting(Generic[_Value]):
    """A setting: its default, its row in the dialog, and its valid values.

    It is an attribute of `Settings`, whose name is its key in the file, and so never changes. An
    invalid or missing value reads as the default.
    """

    name: str

    def __init__(
        self,
        default: _Value,
        page: str = "",
        title: str = "",
        tip: str = "",
        choices: Mapping[_Value, str] | range | None = None,
        *,
        suffix: str = "",
        placeholder: str = "",
        words: str = "",
    ) -> None:
        """Without a page the setting is no row of the dialog; the menus have a switch for it.

        `choices` are the members of an enumeration with their texts, or the numbers that are valid.
        `suffix` stands behind a number. `placeholder` is the meaning of an empty text; `words` are
        others that people search for.
        """
        self.default, self.page, self.title, self.tip = default, page, title, tip
        self.choices, self.suffix, self.placeholder = choices, suffix, placeholder
        self._words = words

    @property
    def search_text(self) -> str:
        """All words by which the setting is found, in small letters."""
        choices = self.choices.values() if isinstance(self.choices, Mapping) else ()
        texts = self.page, self.title, self.tip, self.placeholder, self._words, *choices
        return " ".join(texts).lower()

    def __set_name__(self, _owner: type[Settings], name: str) -> None:
        self.name = name

    def __get__(self, settings: Settings, _owner: type[Settings]) -> _Value:
        value = settings.stored(self.name)
        if isinstance(self.default, Enum):
            return next((m for m in type(self.default) if m.value == value), self.default)
        if isinstance(self.default, bool):  # INI files store words
            value = {"true": True, "false": False}.get(str(value).lower())
        elif isinstance(self.default, int):
            value = stored_number(value)
        is_allowed = not isinstance(self.choices, range) or value in self.choices
        return value if type(value) is type(self.default) and is_allowed else self.default

    def __set__(self, settings: Settings, value: _Value) -> None:
        settings.store(self.name, value.value if isinstance(value, Enum) else value)


class _Rows(Generic[_Row]):
    """Descriptor of stored rows of text; invalid rows are skipped.

    A field may be a file name, which is bytes: everything that INI cannot hold is percent-encoded,
    unless fields are never names (`is_escaped`).
    """

    def __init__(self, key: str, kind: type[_Row], *, is_escaped: bool = True) -> None:
        self.key, self._is_escaped = key, is_escaped
        self._kind: type[_Row] = kind
        self._fields = len(fields(kind))

    def __get__(self, settings: Settings, _owner: type[Settings]) -> tuple[_Row, ...]:
        rows = (self._row(text) for text in settings.stored_texts(self.key))
        return tuple(row for row in rows if row is not None)

    def __set__(self, settings: Settings, rows: tuple[_Row, ...]) -> None:
        written = _escaped if self._is_escaped else str
        texts = [_SEPARATOR.join(map(written, astuple(row))) for row in rows]
        settings.store_texts(self.key, texts)

    def _row(self, text: str) -> _Row | None:
        fields_ = text.split(_SEPARATOR)
        try:
            if self._is_escaped:
                fields_ = [unquote(field, errors=_ERRORS) for field in fields_]
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
        return self._store.value(key)

    def store(self, key: str, value: object) -> None:
        self._put(key, value)
        self.changed.emit()

    def write_problem(self) -> str:
        """Return a sentence if the last write failed; empty if it did not, or if that was told."""
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
    def recent(self) -> list[Recent]:
        """The files, comparisons and histories opened last, latest first."""
        return _recent(self.stored_texts("recent_files"))

    @property
    def recent_files(self) -> list[Path]:
        """The newest file of each of them."""
        return [recent.newest for recent in self.recent]

    def add_recent(self, *opened: Recent) -> None:
        """Put what was opened at the top of the recent files, the last one first."""
        latest = opened[: -_MAX_RECENT - 1 : -1]
        self._update_recent(lambda before: list(dict.fromkeys([*latest, *before])))

    def forget_recent(self, forgotten: Recent) -> None:
        self._update_recent(lambda before: [other for other in before if other != forgotten])

    def forget_recent_files(self) -> None:
        self._store.remove("recent_files")

    @property
    def recent_commands(self) -> list[str]:
        """The names of what was chosen in the command palette last, latest first."""
        return self.stored_texts("recent_commands")

    def add_recent_command(self, name: str) -> None:
        others = (other for other in self.recent_commands if other != name)
        self._put("recent_commands", [name, *others][:_MAX_RECENT])

    opens_in = Setting(
        OpensIn.SAME, "Files", "Open profiles in", "The window that shows a profile",
        {
            OpensIn.SAME: "The current window",
            OpensIn.NEW: "A new window",
            OpensIn.ONE: "A single window, also from the desktop",
        },
        words="tab instance",
    )  # fmt: skip
    changed_files = Setting(
        ChangedFiles.ASK, "Files", "When files have changed",
        "Files of the open profile, or new parts of the same run",
        {
            ChangedFiles.ASK: "Offer to reload",
            ChangedFiles.RELOAD: "Reload",
            ChangedFiles.IGNORE: "Do nothing",
        },
        words="refresh watch update automatic",
    )  # fmt: skip
    unit = Setting(
        CostUnit.PERCENT, "Costs", "Costs are shown as", "Percentages or counts",
        {
            CostUnit.PERCENT: "Percent of the total",
            CostUnit.PERCENT_OF_PARENT: "Percent of the parent",
            CostUnit.ABSOLUTE: "Absolute counts",
        },
        words="unit percentage relative numbers",
    )  # fmt: skip
    of_recorded = Setting(
        True, "Costs", "Percentages are of the recorded total",
        "If that is larger than the sum of all costs; otherwise of the sum",
        words="summary 100 %",
    )  # fmt: skip
    percent_of_function = Setting(True)  # in source and assembler
    decimals = Setting(
        2, "Costs", "Decimals of percentages", "From 1 to 5", range(1, 6),
        words="digits precision places number format",
    )  # fmt: skip
    si = Setting(
        False, "Costs", "Short numbers", "1.234 M instead of all digits",
        words="si units prefixes million kilo mega giga number format",
    )  # fmt: skip
    digit_grouping = Setting(
        DigitGrouping.THIN_SPACE, "Costs", "Thousands", "How groups of three digits are separated",
        {
            DigitGrouping.THIN_SPACE: "Thin space: 1\u2009234\u2009567",
            DigitGrouping.LOCALE: "As usual in the system language",
            DigitGrouping.NONE: "None: 1234567",
        },
        words="separators digit grouping locale comma number format",
    )  # fmt: skip
    cycles = Setting(
        True, "Recursion", "Detect cycles", "Treat functions that call each other as one",
        words="mutual recursion",
    )  # fmt: skip
    cycle_cut = Setting(
        0, "Recursion", "Ignore cheap calls when detecting cycles",
        "Ignore calls below this share of the costliest call to their caller",
        range(51), suffix="\u2009%", words="limit percent",
    )  # fmt: skip
    fold_levels = Setting(
        False, "Recursion", "Fold recursion levels", "Count f'2, f'3, … as f",
        words="separate-recs depth",
    )  # fmt: skip
    demangle = Setting(
        True, "Names", "Demangle C++ and Rust names", "For profiles with mangled names",
        words="symbols c++filt _Z",
    )  # fmt: skip
    short_names = Setting(
        False, "Names", "Shorten templates", "Hide template arguments",
        words="c++ generics angle brackets < >",
    )  # fmt: skip
    own_code = Setting(
        OWN_CODE, "Names", "Filter of “Only My Code”", "Terms as in the toolbar's filter",
        words="own libraries system hide exclude",
    )  # fmt: skip
    context_lines = Setting(
        3, "Source and code", "Context lines",
        "Lines shown around lines with cost where all others are hidden; 0 to 99",
        range(100), words="surrounding fold",
    )  # fmt: skip
    syntax_colors = Setting(
        True, "Source and code", "Syntax colours", "Syntax highlighting of source code",
        words="colors highlight theme",
    )  # fmt: skip
    editor = Setting(
        "", "Source and code", "Open in the editor with",
        "Command with {file} and {line}, for example: code --goto {file}:{line}",
        placeholder="First editor found",
        words="ide program vim emacs kate gedit vscode visual studio external",
    )  # fmt: skip
    intel_syntax = Setting(
        False, "Source and code", "Intel syntax", "mov eax, 1 instead of mov $1,%eax; x86 only",
        words="assembler assembly disassembly at&t",
    )  # fmt: skip
    code_bytes = Setting(
        False, "Source and code", "Instruction bytes",
        "Show a column with the bytes of the machine code",
        words="assembler assembly hex opcodes",
    )  # fmt: skip
    fold_source = Setting(False)
    fold_code = Setting(True)
    hide_inlined = Setting(True)
    source_rows = Setting(True)
    menu_length = Setting(
        10, "Appearance", "Functions in menus", "From 1 to 50", range(1, 51),
        words="length history back forward up",
    )  # fmt: skip
    menu_name_length = Setting(
        60, "Appearance", "Longest name in menus", "Characters", range(8, 401),
        words="length width",
    )  # fmt: skip
    color_scheme = Setting(
        ColorScheme.SYSTEM, "Appearance", "Light or dark",
        "How the windows look; font and size are those of the desktop",
        {
            ColorScheme.SYSTEM: "Follow the system",
            ColorScheme.LIGHT: "Light",
            ColorScheme.DARK: "Dark",
        },
        words="theme appearance colours colors scheme mode night style look palette background",
    )  # fmt: skip
    toolbar_text = Setting(
        ToolbarText.AUTOMATIC, "Appearance", "Words on toolbar buttons",
        "The names of commands beside or below their icons",
        {
            ToolbarText.AUTOMATIC: "Beside icons, where there is room",
            ToolbarText.ON: "Always, below icons",
            ToolbarText.OFF: "Never",
        },
        words="toolbar text labels icons buttons",
    )  # fmt: skip
    summary = Setting(
        True, "Appearance", "Summary below the toolbar",
        "What is hottest, and how much is spent in libraries",
        words="hottest first look strip",
    )  # fmt: skip
    explains_changes = Setting(True)  # opens Explain Change for a comparison
    keeps_explanation = Setting(False)  # leaves Explanation open

    path_rules = _Rows("path_rules", PathRule)  # tried in this order
    source_folders = _Rows("source_folders", SearchFolder)
    key_bindings = _Rows("key_bindings", KeyBinding)  # of the actions whose keys were changed
    definitions = _Rows("events", UserEvent, is_escaped=False)  # of the user's own events

    def restore_defaults(self) -> None:
        """Reset all options; files, events, paths, keys, layouts and locations stay."""
        for setting in self.declared():
            self._store.remove(setting.name)

    @classmethod
    def declared(cls) -> list[Setting[Any]]:
        """Return the declarations of all options, in the order of their rows in the dialog."""
        return [value for value in vars(cls).values() if isinstance(value, Setting)]

    @property
    def geometry(self) -> QByteArray:
        return stored_state(self._store, "geometry")

    @geometry.setter
    def geometry(self, geometry: QByteArray) -> None:
        self._put("geometry", geometry)

    def layouts(self) -> list[str]:
        """Return the names of the saved layouts, sorted without regard to case."""
        self._store.beginGroup("layouts")
        names = [unquote(name) for name in self._store.childKeys()]
        self._store.endGroup()
        return sorted(names, key=str.lower)

    def layout(self, name: str) -> QByteArray:
        return stored_state(self._store, _layout_key(name))

    def set_layout(self, name: str, docks: QByteArray | None) -> None:
        """Save a dock state as a layout; None deletes the layout."""
        if docks is None:
            self._store.remove(_layout_key(name))
        else:
            self._put(_layout_key(name), docks)

    def program(self, name: str) -> ProgramSettings:
        from qcachegrind_py.session.settings.program import ProgramSettings

        return ProgramSettings(self._store, name)

    def _put(self, key: str, value: object) -> None:
        """Store a value, and with the first one the version of the format."""
        self._store.setValue(key, value)
        if stored_version(self._store) < VERSION:
            self._store.setValue("version", VERSION)

    def _update_recent(self, change: Callable[[list[Recent]], list[Recent]]) -> None:
        def changed(rows: list[str]) -> list[str]:
            return [recent.row() for recent in change(_recent(rows))[:_MAX_RECENT]]

        self._update("recent_files", changed)

    def _update(self, key: str, change: Callable[[list[str]], list[str]]) -> None:
        """Change a list as it is in the file now: another instance may have written it."""
        with sole_writer(self._store):
            self._put(key, change(self.stored_texts(key)))
        self.changed.emit()


def _recent(rows: list[str]) -> list[Recent]:
    return [recent for row in rows if (recent := recent_of_row(row)) is not None]


def _layout_key(name: str) -> str:
    return f"layouts/{quote(name, safe='')}"


def locale_number_format(
    system_locale: Callable[[], QLocale], grouping: DigitGrouping, decimals: int, si: bool
) -> NumberStyle:
    """Return the number format: the locale's separators if chosen, else point and thin space."""
    if grouping is DigitGrouping.LOCALE:
        locale = system_locale()
        grouped = not locale.numberOptions() & locale.NumberOption.OmitGroupSeparator
        group = locale.groupSeparator() if grouped else ""
        return NumberStyle(decimals, group, locale.decimalPoint(), si)
    if grouping is DigitGrouping.NONE:
        return NumberStyle(decimals, group_separator="", use_si_prefixes=si)
    return NumberStyle(decimals, use_si_prefixes=si)
