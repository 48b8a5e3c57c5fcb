"""The settings dialog: every row takes effect at once, can be found, and can be reset."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialogButtonBox,
    QLabel,
    QLineEdit,
    QSpinBox,
    QToolBar,
    QWidget,
)
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from qcachegrind_py.app.settings.dialog import SettingsDialog
from qcachegrind_py.app.style import theme
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.session.settings.store import (
    ChangedFiles,
    ColorScheme,
    DigitGrouping,
    OpensIn,
    Settings,
    ToolbarText,
)
from tests.code_view_text import RECUR, configure_file_search, is_busy, record_of
from tests.profile_text import dump_rows
from tests.user_input import go_to, ignore_offscreen_warnings, opened_menu, process_events

# a mangled name, templates, levels of recursion, a cycle with a cheap call in it
DRAWING = """
    summary: 200000
    events: Ir
    main@a.c@/home/me/prog 10000 -> _Z3fooi 1x60000, ping 1x30000
    _Z3fooi@a.c@/home/me/prog 50000 -> std::vector<int>::at 1x10000
    std::vector<int>::at@/usr/include/vector@/home/me/prog 9000 -> std::vector<int>::at'2 1x1000
    std::vector<int>::at'2@/usr/include/vector@/home/me/prog 1000
    ping@a.c@/home/me/prog 20000 -> pong 1x10000
    pong@a.c@/home/me/prog 10000 -> ping 1x1
    """
DEFAULTS = {setting.name: setting.default for setting in Settings.declared() if setting.page}
OTHER = {
    "opens_in": OpensIn.NEW,
    "changed_files": ChangedFiles.RELOAD,
    "unit": CostUnit.ABSOLUTE,
    "of_recorded": False,
    "decimals": 4,
    "si": True,
    "digit_grouping": DigitGrouping.NONE,
    "cycles": False,
    "cycle_cut": 50,
    "fold_levels": True,
    "demangle": False,
    "short_names": True,
    "own_code": "main",
    "context_lines": 99,
    "syntax_colors": False,
    "editor": "kate -l {line} {file}",
    "intel_syntax": True,
    "code_bytes": True,
    "menu_length": 1,
    "menu_name_length": 8,
    "color_scheme": ColorScheme.DARK,
    "toolbar_text": ToolbarText.ON,
}
NEEDS_ABSOLUTE = {"si", "digit_grouping"}
OF_SOURCE = ("context_lines", "syntax_colors", "editor", "intel_syntax", "code_bytes")
OF_FILES = ("opens_in", "changed_files")  # seen when a file is opened or changes
SEEN = [
    name
    for name in OTHER
    if not name.startswith("menu") and name not in OF_SOURCE and name not in OF_FILES
]
SEEN_IN_CODE = [name for name in OF_SOURCE if name != "editor"]
Settle = Callable[[], None]
pytestmark = ignore_offscreen_warnings


@pytest.fixture
def dialog(
    window: MainWindow,
    draw: Callable[..., Path],
    open_file: Callable[..., None],
    settle: Settle,
    qtbot: QtBot,
) -> SettingsDialog:
    """The dialog, over a window with the test profile."""
    open_file(draw(DRAWING))
    settle()
    window.actions_["settings"].trigger()
    (dialog,) = window.findChildren(SettingsDialog)
    qtbot.waitUntil(dialog.isActiveWindow)
    process_events()
    return dialog


def show_in(editor: QWidget, value: object, qtbot: QtBot) -> None:
    """Choose a value in a setting's widget, as a user does."""
    if isinstance(editor, QComboBox):
        place = editor.findData(value)
        editor.setCurrentIndex(place)
        editor.activated.emit(place)
    elif isinstance(editor, QCheckBox):
        if editor.isChecked() != value:
            qtbot.keyClick(editor, Qt.Key.Key_Space)
    elif isinstance(editor, QSpinBox):
        editor.selectAll()
        qtbot.keyClicks(editor, str(value))
        qtbot.keyClick(editor, Qt.Key.Key_Return)
    elif isinstance(editor, QLineEdit):
        editor.setFocus()
        editor.selectAll()
        qtbot.keyClicks(editor, str(value))
        qtbot.keyClick(editor, Qt.Key.Key_Tab)


def value_in(editor: QWidget) -> object:
    """The value that a setting's widget shows."""
    if isinstance(editor, QComboBox):
        return editor.currentData()
    if isinstance(editor, QCheckBox):
        return editor.isChecked()
    if isinstance(editor, QSpinBox):
        return editor.value()
    assert isinstance(editor, QLineEdit)
    return editor.text()


def seen(window: MainWindow) -> tuple[object, ...]:
    """Everything that a setting can change."""
    go_to(window.session, window.navigation, "main")
    ground = window.palette().window().color().name()
    menus = [action.text() for action in opened_menu(window.history_menus.up).actions()]
    lists = [dump_rows(window.views.function_list.model), dump_rows(window.views.callees.model)]
    bar = window.findChild(QToolBar, "Toolbar")
    assert isinstance(bar, QToolBar)
    texts = window.status_bar.total.text(), window.filter_bar.text()
    return (*lists, *texts, menus, ground, bar.toolButtonStyle())


def test_there_is_a_row_for_each_setting(dialog: SettingsDialog, settings: Settings) -> None:
    """The dialog shows every setting with its value."""
    assert {name: value_in(editor) for name, editor in dialog.editors.items()} == DEFAULTS
    assert {name: getattr(settings, name) for name in DEFAULTS} == DEFAULTS


@pytest.mark.parametrize("name", SEEN)
def test_each_row_changes_something_at_once(
    window: MainWindow, dialog: SettingsDialog, qtbot: QtBot, settle: Settle, name: str
) -> None:
    """Each change is stored and visible while the dialog is open, and can be undone there."""
    if name in NEEDS_ABSOLUTE:
        show_in(dialog.editors["unit"], CostUnit.ABSOLUTE, qtbot)
    if name == "own_code":
        window.actions_["own_code"].setChecked(True)
    settle()
    before = seen(window)
    show_in(dialog.editors[name], OTHER[name], qtbot)
    settle()
    during = (getattr(Settings(), name), seen(window) != before)
    show_in(dialog.editors[name], DEFAULTS[name], qtbot)
    settle()

    assert during == (OTHER[name], True)
    assert seen(window) == before
    theme.apply_palette(dark=False)


@pytest.mark.parametrize("name", SEEN_IN_CODE)
def test_each_row_of_code_changes_source_or_assembler_at_once(
    window: MainWindow,
    dialog: SettingsDialog,
    open_file: Callable[..., None],
    qtbot: QtBot,
    name: str,
) -> None:
    """The same holds for the settings of source and assembler."""
    configure_file_search(window)
    window.actions_["fold_source"].trigger()
    window.docks.put_side_by_side("source", "assembler")
    open_file(RECUR)
    go_to(window.session, window.navigation, "main")
    before = code_seen(window, qtbot, is_colored=True)
    show_in(dialog.editors[name], OTHER[name], qtbot)
    during = code_seen(window, qtbot, is_colored=name != "syntax_colors")
    stored = getattr(Settings(), name)
    show_in(dialog.editors[name], DEFAULTS[name], qtbot)

    assert (stored, during != before) == (OTHER[name], True)
    assert code_seen(window, qtbot, is_colored=True) == before


def code_seen(window: MainWindow, qtbot: QtBot, *, is_colored: bool) -> list[object]:
    """Everything that source and assembler show, including colours once they are there."""
    source, assembler = window.views.source, window.views.assembler
    for _ in range(2):
        process_events()
        qtbot.waitUntil(lambda: not is_busy(window))
    process_events()
    model = source.model

    def words() -> object:
        texts = model.listing.texts
        return texts.colored_words(record_of(source, "25"), model.colors)

    qtbot.waitUntil(lambda: bool(words()) is is_colored)
    hidden = [
        assembler.table.isColumnHidden(column) for column in range(assembler.model.columnCount())
    ]
    return [dump_rows(source.model), dump_rows(assembler.model), words(), hidden]


def test_length_of_menus_is_changed_at_once(
    window: MainWindow, dialog: SettingsDialog, qtbot: QtBot, settle: Settle
) -> None:
    """The settings limit the menus' length and the names in them."""
    go_to(window.session, window.navigation, "main")
    go_to(window.session, window.navigation, "std::vector<int>::at")
    before = [action.text() for action in opened_menu(window.history_menus.up).actions()]
    show_in(dialog.editors["menu_length"], 1, qtbot)
    show_in(dialog.editors["menu_name_length"], 8, qtbot)
    go_to(window.session, window.navigation, "std::vector<int>::at'2")
    after = [
        action.text().split("\t")[0] for action in opened_menu(window.history_menus.up).actions()
    ]

    assert len(before) == 2
    assert after == ["std::vec…"]


def test_restore_defaults_puts_everything_back(
    window: MainWindow, dialog: SettingsDialog, qtbot: QtBot, settle: Settle
) -> None:
    """One button resets settings, dialog and window."""
    before = seen(window)
    for name, value in OTHER.items():
        show_in(dialog.editors[name], value, qtbot)
    settle()
    changed = {name: getattr(Settings(), name) for name in OTHER}
    box = dialog.findChild(QDialogButtonBox)
    assert isinstance(box, QDialogButtonBox)
    restore = box.button(QDialogButtonBox.StandardButton.RestoreDefaults)
    qtbot.mouseClick(restore, Qt.MouseButton.LeftButton)
    settle()

    assert changed == OTHER
    assert {name: value_in(editor) for name, editor in dialog.editors.items()} == DEFAULTS
    assert seen(window) == before


def test_search_finds_settings(dialog: SettingsDialog, qtbot: QtBot) -> None:
    """Words of titles, tips, headings and choices match rows; no match is reported."""
    expected = {
        "decimals": ["decimals"],
        "templ": ["short_names"],
        "desktop window": ["opens_in", "color_scheme"],
        "DARK": ["color_scheme"],
        "cycle detect": ["cycles", "cycle_cut"],
        "source code": list(OF_SOURCE),
        "{line}": ["editor"],
        "first editor": ["editor"],
        "fold": ["fold_levels", "context_lines"],
        "theme": ["syntax_colors", "color_scheme"],
        "appearance": [
            "menu_length",
            "menu_name_length",
            "color_scheme",
            "toolbar_text",
            "summary",
        ],
        "night mode": ["color_scheme"],
        "font": ["color_scheme"],
        "vim": ["editor"],
        "colors": ["syntax_colors", "color_scheme"],
        "recursion": ["cycles", "cycle_cut", "fold_levels"],
        "no such thing": [],
        "": list(DEFAULTS),
    }
    found, with_names, without_match = {}, [], []
    for text in expected:
        dialog.search.clear()
        qtbot.keyClicks(dialog.search, text)
        process_events()
        found[text] = [name for name, editor in dialog.editors.items() if editor.isVisible()]
        labels = [label.text() for label in dialog.findChildren(QLabel) if label.isVisible()]
        with_names += [text] if "Names" in labels else []
        without_match += [text] if dialog.no_match_label.isVisible() else []

    assert found == expected
    assert with_names == ["templ", ""]  # the heading of the settings about names
    assert without_match == ["no such thing"]


def test_every_row_says_what_it_is(dialog: SettingsDialog) -> None:
    """Each setting has a label with a tip and an accessible name."""
    silent = [
        name
        for name, editor in dialog.editors.items()
        if not (editor.toolTip() and editor.accessibleName() and editor.accessibleDescription())
    ]

    assert silent == []


def test_switches_of_the_window_are_the_settings(
    window: MainWindow, dialog: SettingsDialog, qtbot: QtBot, settle: Settle
) -> None:
    """A switch in the dialog switches the menu, too."""
    for name in ("si", "cycles", "short_names", "fold_levels"):
        show_in(dialog.editors[name], OTHER[name], qtbot)
    show_in(dialog.editors["unit"], CostUnit.PERCENT_OF_PARENT, qtbot)
    settle()
    names = ("si", "cycles", "short_names", "fold_levels", "percent", "parent", "absolute")
    found = {name: window.actions_[name].isChecked() for name in names}

    assert found == {
        "si": True,
        "cycles": False,
        "short_names": True,
        "fold_levels": True,
        "percent": False,
        "parent": True,
        "absolute": False,
    }


def test_invalid_own_code_filter_is_reported(
    window: MainWindow, dialog: SettingsDialog, qtbot: QtBot, settle: Settle
) -> None:
    """Invalid terms are reported where they take effect, and break nothing."""
    window.actions_["own_code"].setChecked(True)
    settle()
    before = dump_rows(window.views.function_list.model)
    show_in(dialog.editors["own_code"], "self>", qtbot)
    settle()

    assert dump_rows(window.views.function_list.model) == before
    assert window.filter_bar.accessibleDescription() != ""


def test_return_stores_a_text_and_closes_nothing(
    dialog: SettingsDialog, settings: Settings, qtbot: QtBot
) -> None:
    """Return stores a text, as leaving the field does; it does not restore the defaults either."""
    settings.si = True
    own_code = dialog.editors["own_code"]
    assert isinstance(own_code, QLineEdit)
    own_code.setText("main")
    for line in (dialog.search, own_code, dialog.editors["decimals"]):
        if isValid(dialog):
            line.setFocus()
            qtbot.keyClick(line, Qt.Key.Key_Return)
            process_events()

    assert (isValid(dialog) and dialog.isVisible(), settings.si) == (True, True)
    assert Settings().own_code == "main"
