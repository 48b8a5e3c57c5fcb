"""Settings that survive a restart."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QLocale

from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.profile.events import UserEvent
from qcachegrind_py.profile.numbers import NumberStyle
from qcachegrind_py.session.context import SavedLocation
from qcachegrind_py.session.settings.recent import Recent
from qcachegrind_py.session.settings.store import (
    OWN_CODE,
    ChangedFiles,
    ColorScheme,
    DigitGrouping,
    OpensIn,
    Settings,
    ToolbarText,
    locale_number_format,
)
from qcachegrind_py.tools.sources.file_search import PathRule, SearchFolder
from tests.session.settings.conftest import Stored, settings_in

# each option with its default, another value, and what stands in a file for that
OPTIONS: dict[str, tuple[object, object, str]] = {
    "opens_in": (OpensIn.SAME, OpensIn.ONE, "one"),
    "changed_files": (ChangedFiles.ASK, ChangedFiles.IGNORE, "ignore"),
    "unit": (CostUnit.PERCENT, CostUnit.ABSOLUTE, "absolute"),
    "of_recorded": (True, False, "false"),
    "percent_of_function": (True, False, "false"),
    "cycles": (True, False, "false"),
    "cycle_cut": (0, 50, "50"),
    "color_scheme": (ColorScheme.SYSTEM, ColorScheme.DARK, "dark"),
    "toolbar_text": (ToolbarText.AUTOMATIC, ToolbarText.ON, "true"),
    "decimals": (2, 5, "5"),
    "digit_grouping": (DigitGrouping.THIN_SPACE, DigitGrouping.LOCALE, "locale"),
    "si": (False, True, "true"),
    "short_names": (False, True, "true"),
    "demangle": (True, False, "false"),
    "fold_levels": (False, True, "true"),
    "menu_length": (10, 50, "50"),
    "menu_name_length": (60, 400, "400"),
    "own_code": (OWN_CODE, "lib:mine !^std::", "lib:mine !^std::"),
    "context_lines": (3, 0, "0"),
    "editor": ("", "kate -l {line} {file}", "kate -l {line} {file}"),
    "intel_syntax": (False, True, "true"),
    "code_bytes": (False, True, "true"),
    "syntax_colors": (True, False, "false"),
    "fold_source": (False, True, "true"),
    "hide_inlined": (True, False, "false"),
    "source_rows": (True, False, "false"),
    "fold_code": (True, False, "false"),
    "explains_changes": (True, False, "false"),
    "keeps_explanation": (False, True, "true"),
    "summary": (True, False, "false"),
}
TEXTS = ("own_code", "editor")  # options that may be any text
DEFAULTS = {name: default for name, (default, _, _) in OPTIONS.items()}
OTHERS = {name: other for name, (_, other, _) in OPTIONS.items()}


def options(settings: Settings) -> dict[str, object]:
    """Return the values of all options."""
    return {name: getattr(settings, name) for name in OPTIONS}


def test_every_option_is_in_the_table() -> None:
    """These tests cover every option."""
    assert {setting.name for setting in Settings.declared()} == set(OPTIONS)


def test_settings_of_a_first_start_are_the_defaults(settings: Settings) -> None:
    """Without a settings file, everything has its default."""
    assert options(settings) == DEFAULTS
    assert settings.recent_files == []
    assert (settings.geometry, settings.layouts(), settings.definitions) == (QByteArray(), [], ())
    assert (settings.path_rules, settings.source_folders) == ((), ())


def test_settings_survive_a_restart(restarted: Stored) -> None:
    """Every value comes back with its own type, in the same run and in the next."""
    at_once: list[dict[str, object]] = []

    def change(settings: Settings) -> None:
        for name, value in OTHERS.items():
            setattr(settings, name, value)
        settings.geometry = QByteArray(b"\x00\xff geometry")
        at_once.append(options(settings))

    again = restarted(change)
    assert at_once == [options(again)] == [OTHERS]
    assert [type(value) for value in options(again).values()] == list(map(type, OTHERS.values()))
    assert again.geometry == QByteArray(b"\x00\xff geometry")


@pytest.mark.parametrize("name", OPTIONS)
def test_option_can_be_edited_by_hand(tmp_path: Path, name: str) -> None:
    """Each value is a plain word or number in the file."""
    _, other, text = OPTIONS[name]
    settings = settings_in(tmp_path, f"[General]\n{name}={text}\n")

    assert options(settings) == {**DEFAULTS, name: other}


JUNK = ["junk", "", "@Invalid()", "1e999", "@ByteArray(x)", "a, b, c", "@Variant(\\0\\0)", "-1"]
JUNK += ["²", "٣", "0x1", "99999999999999999999", "9" * 5000, "2.0", "None", " "]


@pytest.mark.parametrize("junk", JUNK)
@pytest.mark.parametrize("name", [name for name in OPTIONS if name not in TEXTS])
def test_invalid_option_is_the_default(tmp_path: Path, name: str, junk: str) -> None:
    """Broken settings never keep the program from starting."""
    assert options(settings_in(tmp_path, f"[General]\n{name}={junk}\n")) == DEFAULTS


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("cycle_cut", (51, 1000, -1)),
        ("decimals", (0, 6)),
        ("menu_length", (0, 51)),
        ("menu_name_length", (7, 401)),
        ("context_lines", (100, -1)),
    ],
)
def test_number_out_of_range_is_the_default(
    settings: Settings, name: str, values: tuple[int, ...]
) -> None:
    """A number that no dialog offers is ignored."""
    for value in values:
        settings.store(name, value)
        assert getattr(settings, name) == DEFAULTS[name]


@pytest.mark.parametrize("text", ["", "lib:a, b", '"two words" !/a;b/', "@x", "ä→", "100% \\n"])
@pytest.mark.parametrize("name", TEXTS)
def test_filter_and_editor_may_be_any_text(restarted: Stored, name: str, text: str) -> None:
    """A text is kept as it was typed, even an empty one."""
    assert getattr(restarted(lambda settings: setattr(settings, name, text)), name) == text


def test_defaults_are_restored(settings: Settings) -> None:
    """Options are reset; files, events, paths, locations and layouts stay."""
    for name, value in OTHERS.items():
        setattr(settings, name, value)
    settings.add_recent(Recent((Path("/a"),)))
    settings.definitions = (UserEvent("Own", "", "2 Ir"),)
    settings.path_rules = (PathRule("/build/x", "~/x"),)
    settings.source_folders = (SearchFolder("~/src"),)
    settings.set_layout("mine", QByteArray(b"docks"))
    settings.geometry = QByteArray(b"geometry")
    settings.program("prog").place = SavedLocation(event="Dr")

    settings.restore_defaults()

    assert options(settings) == DEFAULTS
    assert settings.recent_files == [Path("/a")]
    assert settings.definitions == (UserEvent("Own", "", "2 Ir"),)
    assert settings.path_rules == (PathRule("/build/x", "~/x"),)
    assert settings.source_folders == (SearchFolder("~/src"),)
    assert settings.layout("mine") == QByteArray(b"docks")
    assert settings.geometry == QByteArray(b"geometry")
    assert settings.program("prog").place == SavedLocation(event="Dr")


DEFINITIONS = {
    "none": (),
    "one": (UserEvent("Rate", "Misses, a read", "D1mr / Dr"),),
    "without a long name": (UserEvent("Own", "", "Ir + 2 Dr"),),
    "several": (UserEvent("A", "", "Ir"), UserEvent("B", "b", "2 Ir"), UserEvent("A", "x", "")),
    "hostile": (UserEvent('@x, "y"; [z]', "a\nb\t%20\\ä→😀", "Ir / Dr = #1"),),
}


@pytest.mark.parametrize("definitions", DEFINITIONS.values(), ids=DEFINITIONS)
def test_user_events_survive_a_restart(
    restarted: Stored, definitions: tuple[UserEvent, ...]
) -> None:
    """They are kept as they were typed, in their order."""
    again = restarted(lambda settings: setattr(settings, "definitions", definitions))
    assert again.definitions == definitions


@pytest.mark.parametrize("junk", [*JUNK, "a\x1fb", "a\x1fb\x1fc\x1fd", "@Variant(\\x1f)"])
def test_invalid_user_events_are_skipped(tmp_path: Path, junk: str) -> None:
    """A valid event has exactly three fields."""
    assert settings_in(tmp_path, f"[General]\nevents={junk}\n").definitions == ()


HOSTILE = ['@x, "y"; [z]=%20\\n', "a\x1fb\n\t\0", "/caf\udce9/ä→😀", "\ud800", " ", "~/x*"]
PATHS: dict[str, list[tuple[str, str, str]]] = {
    "none": [],
    "one": [("/build/x", "~/x", "")],
    "several, one twice": [("/b", "/c", "lib*"), ("/a", "/c", ""), ("/b", "/c", "lib*")],
    "incomplete": [("", "/c", ""), ("/a", "", ""), ("/a", "", "prog")],
    "hostile": [(text, text, text) for text in HOSTILE],
    "long": [("/" + "x" * 99_999, "/", "")] * 9,
}


@pytest.mark.parametrize("rows", PATHS.values(), ids=PATHS)
def test_paths_survive_a_restart(restarted: Stored, rows: list[tuple[str, str, str]]) -> None:
    """Rules and folders are kept to the byte and in order, even incomplete ones."""
    rules = tuple(PathRule(*row) for row in rows)
    folders = tuple(SearchFolder(original, object_) for original, _, object_ in rows)
    expected = (rules, tuple(folder for folder in folders if folder != SearchFolder("")))
    at_once: list[object] = []

    def change(settings: Settings) -> None:
        settings.path_rules, settings.source_folders = rules, folders
        at_once.append((settings.path_rules, settings.source_folders))

    again = restarted(change)
    assert at_once == [(again.path_rules, again.source_folders)] == [expected]


def test_paths_can_be_edited_by_hand(tmp_path: Path) -> None:
    """A file edited by hand may have plain characters where we escape them."""
    settings = settings_in(
        tmp_path,
        "[General]\npath_rules=/build/ä b\\x1f~/x\\x1f, /a%2Cb\\x1f/c\\x1flib*.so\n"
        "source_folders=~/src\\x1f\n",
    )

    assert settings.path_rules == (PathRule("/build/ä b", "~/x"), PathRule("/a,b", "/c", "lib*.so"))
    assert settings.source_folders == (SearchFolder("~/src"),)


@pytest.mark.parametrize(
    "junk",
    [*JUNK, "\\x1f", "\\x1f\\x1f", "a\\x1fb\\x1fc\\x1fd", "%FF\\x1f%FF\\x1f%FF", "%FF\\x1fb"],
)
def test_invalid_paths_are_skipped(tmp_path: Path, junk: str) -> None:
    """Rows with a wrong number of fields, and blank or undecodable ones, are invalid."""
    settings = settings_in(tmp_path, f"[General]\npath_rules={junk}\nsource_folders={junk}\n")

    assert (settings.path_rules, settings.source_folders) == ((), ())


LAYOUTS = ["mine", "a/b", "../x", "a\\b", "ä→😀", "a, b; c=d", "[General]", "%20", "@x", " "]
LAYOUTS += ["x" * 9999]


def test_layouts_may_have_any_name(restarted: Stored) -> None:
    """A layout is found by the name that the user typed; the list is sorted by name."""
    docks = {name: QByteArray(f"docks {number}".encode()) for number, name in enumerate(LAYOUTS)}

    def change(settings: Settings) -> None:
        for name in LAYOUTS:
            settings.set_layout(name, docks[name])

    settings = restarted(change)
    assert settings.layouts() == sorted(LAYOUTS, key=str.lower)
    assert {name: settings.layout(name) for name in LAYOUTS} == docks
    assert options(settings) == DEFAULTS


def test_layout_is_replaced_and_deleted(settings: Settings) -> None:
    """Saving a layout again replaces it; a deleted one is not listed."""
    settings.set_layout("a", QByteArray(b"old"))
    settings.set_layout("a/b", QByteArray(b"other"))
    settings.set_layout("a", QByteArray(b"new"))
    replaced = settings.layout("a")

    settings.set_layout("a", None)
    settings.set_layout("never saved", None)

    assert (replaced, settings.layouts()) == (QByteArray(b"new"), ["a/b"])
    assert (settings.layout("a"), settings.layout("a/b")) == (QByteArray(), QByteArray(b"other"))


def remember(settings: Settings, names: list[str]) -> None:
    settings.add_recent(*(Recent((Path(name),)) for name in names))


@pytest.mark.parametrize(
    "names", [["/a/b"], ["/a, b/x", "/ä/x"], [os.fsdecode(b"/caf\xe9/callgrind.out.1")]]
)
def test_recent_files_survive_a_restart(restarted: Stored, names: list[str]) -> None:
    """A list of one is still a list; a file name is bytes: any file can be opened again."""
    again = restarted(lambda settings: remember(settings, names))

    assert again.recent_files == [Path(name) for name in reversed(names)]


def test_recent_files_are_the_last_ten_each_once(settings: Settings) -> None:
    """The latest is first, a reopened one moves up, the eleventh is dropped."""
    for number in range(12):
        settings.add_recent(Recent((Path(f"/{number}"),)))
    settings.add_recent(Recent((Path("/5"),)))

    expected = [Path(f"/{number}") for number in (5, 11, 10, 9, 8, 7, 6, 4, 3, 2)]
    assert settings.recent_files == expected


def test_recent_files_are_removed(settings: Settings) -> None:
    """The others keep their order; removing an unknown file does nothing."""
    for name in ("/a", "/b", "/ä b"):
        settings.add_recent(Recent((Path(name),)))

    for name in ("/b", "/c"):
        settings.forget_recent(Recent((Path(name),)))

    assert settings.recent_files == [Path("/ä b"), Path("/a")]
    settings.forget_recent_files()
    assert settings.recent_files == []


A, B, ODD = Path("/a"), Path("/b/x, y"), Path(os.fsdecode(b"/caf\xe9/\x1f%"))


@pytest.mark.parametrize(
    "opened",
    [
        Recent((A,)),
        Recent((A, ODD), (B,)),
        Recent((A, B, ODD), labels=("v1", "", "a\x1fb %")),
    ],
    ids=["file", "comparison", "history"],
)
def test_what_was_opened_can_be_opened_again(restarted: Stored, opened: Recent) -> None:
    """Both sides of a comparison and all revisions of a history are kept, whatever their names."""
    again = restarted(lambda settings: settings.add_recent(Recent((B,)), opened))

    assert again.recent == [opened, Recent((B,))]


@pytest.mark.parametrize("row", ["", "comparison", "comparison\x1f1\x1f/a", "history\x1fv1\x1f/a"])
def test_a_damaged_row_of_what_was_opened_is_left_out(settings: Settings, row: str) -> None:
    """A comparison needs a base, a history two revisions."""
    settings.store_texts("recent_files", [row, "/a"])

    assert settings.recent == [Recent((A,))]


@pytest.mark.parametrize("junk", JUNK)
def test_broken_geometry_is_bytes(tmp_path: Path, junk: str) -> None:
    """A saved state reads as bytes whatever the file holds; Qt itself rejects invalid ones.

    The same holds for layouts.
    """
    settings = settings_in(tmp_path, f"[General]\ngeometry={junk}\n[layouts]\nx={junk}\n")

    expected = QByteArray(b"x") if junk == "@ByteArray(x)" else QByteArray()
    assert (settings.geometry, settings.layout("x")) == (expected, expected)


@pytest.mark.parametrize("junk", ["@Invalid()", "@ByteArray(x)", "7", "@Variant(\\0\\0)", ""])
def test_invalid_values_keep_their_types(tmp_path: Path, junk: str) -> None:
    """Whatever the file holds, recent files are paths and a switch is a switch."""
    settings = settings_in(tmp_path, f"[General]\nrecent_files={junk}\ncycles={junk}\n")

    assert all(isinstance(path, Path) for path in settings.recent_files)
    assert isinstance(settings.cycles, bool)


def test_binary_settings_file_gives_the_defaults(tmp_path: Path) -> None:
    """A file of noise counts as none."""
    (tmp_path / "settings.ini").write_bytes(bytes(range(256)) * 20)

    assert options(settings_in(tmp_path)) == DEFAULTS


def test_settings_of_a_test_are_not_the_user_s(tmp_path: Path, settings: Settings) -> None:
    """No test reads or writes the settings of the user's own program."""
    assert str(tmp_path.parent) in settings._store.fileName()
    assert str(tmp_path.parent) in Settings()._store.fileName()


def test_settings_that_a_test_did_not_ask_for_are_in_no_file() -> None:
    """A test without the fixture changes the settings of no user and of no other test."""
    settings = Settings()
    settings.cycles = False
    settings._store.sync()

    assert not Path(settings._store.fileName()).exists()
    assert not Path(settings._store.fileName()).parent.is_dir()


# ---------------------------------------------------------------- the style of numbers

GERMAN = QLocale(QLocale.Language.German, QLocale.Country.Germany)
ENGLISH = QLocale(QLocale.Language.English, QLocale.Country.UnitedStates)


@pytest.mark.parametrize(
    ("locale", "grouping", "style"),
    [
        (GERMAN, DigitGrouping.LOCALE, NumberStyle(3, ".", ",", True)),
        (ENGLISH, DigitGrouping.LOCALE, NumberStyle(3, ",", ".", True)),
        (QLocale.c(), DigitGrouping.LOCALE, NumberStyle(3, "", ".", True)),
        (GERMAN, DigitGrouping.THIN_SPACE, NumberStyle(3, "\u2009", ".", True)),
        (GERMAN, DigitGrouping.NONE, NumberStyle(3, "", ".", True)),
    ],
)
def test_separators(locale: QLocale, grouping: DigitGrouping, style: NumberStyle) -> None:
    """Group and point are the locale's where asked for; the C locale groups nothing."""
    assert locale_number_format(lambda: locale, grouping, 3, True) == style
