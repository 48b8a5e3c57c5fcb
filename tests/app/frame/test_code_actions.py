"""The window's actions for source and assembler: paths, editor, side by side."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QFileDialog, QMenu
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.settings.paths import PathsDialog
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.session.settings.store import Settings
from qcachegrind_py.tools.sources.file_search import PathRule, SearchFolder
from tests.code_view_text import (
    ELSEWHERE,
    JUMPS,
    PATH_RULES,
    SOURCE,
    column_texts,
    configure_file_search,
    current,
    is_busy,
    numbered_source,
    recorded_elsewhere,
    row_of,
)
from tests.columns import CODE_LINES
from tests.profile_text import THIN
from tests.user_input import (
    DOCK_IDS,
    VIEW_IDS,
    choose_action,
    docks_by_title,
    enabled_texts,
    go_to,
    ignore_offscreen_warnings,
    process_events,
)

BASIC = ["Functions", "Callers", "Callees", "Source"]
BESIDE = ["Functions", "Source", "Assembler"]
Settle = Callable[[], None]
pytestmark = ignore_offscreen_warnings


@pytest.fixture
def settle(window: MainWindow, qtbot: QtBot) -> Settle:
    """Return a function that waits until the requested code is shown."""

    def settle() -> None:
        for _ in range(2):
            process_events()
            qtbot.waitUntil(lambda: not is_busy(window))
        process_events()

    return settle


@pytest.fixture
def lost(
    window: MainWindow, open_file: Callable[..., None], settle: Settle, tmp_path: Path
) -> MainWindow:
    """The window at a function whose source is missing, with the source in front."""
    window.resize(1280, 800)
    window.docks.reset()
    (tmp_path / "elsewhere").mkdir()
    open_file(recorded_elsewhere(tmp_path / "elsewhere"))
    go_to(window.session, window.navigation, "main")
    window.docks.show("source")
    settle()
    return window


@pytest.fixture
def code(lost: MainWindow, settle: Settle) -> MainWindow:
    """The same window with all files found."""
    configure_file_search(lost)
    settle()
    return lost


def do(window: MainWindow, action: str, settle: Settle) -> None:
    """Trigger an action by its menu or key."""
    window.actions_[action].trigger()
    settle()


def seen(window: MainWindow) -> list[str]:
    """The docks that are visible, not behind a tab."""
    area = window.rect()
    return [
        title
        for title, dock in docks_by_title(window).items()
        if dock.isVisible() and (dock.isFloating() or area.intersects(dock.geometry()))
    ]


def source_text(window: MainWindow) -> list[str]:
    """The source lines that are shown."""
    view = window.views.source
    return column_texts(view, CODE_LINES.LOCATION, view.model.place("text"))


def test_code_actions_are_in_menus(
    window: MainWindow, open_file: Callable[..., None], draw: Callable[..., Path]
) -> None:
    """Each action on code is in the menu where a user looks for it."""
    open_file(draw("main 1"))
    menus = {}
    for action in window.menuBar().actions():
        menu = QMenu.menuInAction(action)
        assert isinstance(menu, QMenu)
        menus[action.text().replace("&", "")] = enabled_texts(menu)

    code = menus["View"].index("Hide Lines Without Cost")
    assert menus["View"][code : code + 8] == [
        "Hide Lines Without Cost",
        "Hide Inlined",
        "Syntax Colours",
        "Hide Instructions Without Cost",
        "Source Lines in Assembler",
        "Intel Syntax",
        "Instruction Bytes",
        "Source Paths…",
    ]
    assert "Source Beside Assembler" in menus["View"]
    assert {"Find in Code", "Find Next", "Find Previous"} <= set(menus["Find"])
    assert {"Next Hot Line", "Previous Hot Line", "Open in Editor"} <= set(menus["Go"])


@pytest.mark.parametrize("focus", ["Source", "Assembler", "Functions"])
def test_actions_follow_the_focus(code: MainWindow, settle: Settle, focus: str) -> None:
    """Hot lines and searches apply to the assembler if it has the focus, else to the source."""
    source, assembler, navigation = code.views.source, code.views.assembler, code.navigation
    code.docks.show("assembler")
    source.search.setText("printf")
    assembler.search.setText("strtol")
    settle()
    found = {}
    for action in ("next_hot", "previous_hot", "find_next", "find_previous"):
        code.docks.show(VIEW_IDS[focus])
        navigation.set(position=None)
        settle()
        do(code, action, settle)
        position = navigation.context.position
        assert position is not None
        found[action] = "Source" if position.address is None else "Assembler"
    at = current(source), current(assembler)
    code.docks.show(VIEW_IDS[focus])
    do(code, "find_code", settle)
    searching = {view.title for view in (source, assembler) if view.search.hasFocus()}

    expected = "Assembler" if focus == "Assembler" else "Source"
    assert found == dict.fromkeys(found, expected)
    assert at[expected == "Assembler"] == ("13cd" if expected == "Assembler" else "27")
    assert searching == {expected}


def test_actions_show_a_hidden_source(code: MainWindow, settle: Settle) -> None:
    """Asking for the next hot line shows the source, even if its dock is closed."""
    code.docks.by_id["source"].close()
    code.docks.show("call_tree")
    settle()
    before = seen(code)
    do(code, "next_hot", settle)

    assert "Source" not in before
    assert "Source" in seen(code)
    assert current(code.views.source) in ("26", "27")


# ---------------------------------------------------------------- paths


def test_new_rules_come_first_and_serve_all_files(
    lost: MainWindow,
    open_file: Callable[..., None],
    settle: Settle,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The newest rule comes first, without duplicates; both docks and other profiles follow it."""
    old = PathRule(".", "/nowhere"), PathRule("/x", "/y")
    lost.settings.path_rules = old
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(SOURCE), ""))
    lost.views.source.missing_file_bar.choose_button.click()
    settle()
    kept = [Settings().path_rules]
    shown = source_text(lost)
    do(lost, "side_by_side", settle)
    strips = [lost.views.assembler.missing_file_bar.isVisible()]
    lost.views.assembler.missing_file_bar.path_rule_requested.emit(PATH_RULES[2])
    lost.views.source.missing_file_bar.path_rule_requested.emit(PATH_RULES[1])
    settle()
    kept.append(Settings().path_rules)
    strips.append(lost.views.assembler.missing_file_bar.isVisible())
    open_file(JUMPS)
    go_to(lost.session, lost.navigation, "sw")
    settle()

    assert kept == [(PATH_RULES[1], *old), (PATH_RULES[1], PATH_RULES[2], *old)]
    assert (strips, lost.navigation.context.files.rules) == ([True, False], kept[1])
    assert (shown, source_text(lost)) == (numbered_source(), numbered_source("jumps.c"))


def test_paths_dialog_suggests_missing_paths(
    lost: MainWindow, settle: Settle, qtbot: QtBot
) -> None:
    """It suggests the missing paths of source and assembler, and applies changes at once."""
    do(lost, "side_by_side", settle)
    lost.views.source.missing_file_bar.paths_button.click()
    (dialog,) = lost.findChildren(PathsDialog)
    qtbot.waitUntil(dialog.isActiveWindow)
    offered = list(dialog.rules.table.delegate.suggestions)
    lost.settings.path_rules = PATH_RULES
    dialog.changed.emit()
    settle()
    dialog.reject()
    process_events()

    assert {"././recur.c", f"{ELSEWHERE}/recur-O1"} <= set(offered)
    assert source_text(lost) == numbered_source()
    assert lost.findChildren(PathsDialog) == []


def test_chosen_folder_is_searched_again(
    lost: MainWindow, settle: Settle, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A folder is stored once however often it is chosen; new files in it are found."""
    folder = tmp_path / "sources"
    (folder / "deep").mkdir(parents=True)
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(folder))
    strip = lost.views.source.missing_file_bar
    strip.folder_button.click()
    settle()
    without = strip.isVisible()
    shutil.copy(SOURCE, folder / "deep")
    strip.folder_button.click()
    settle()

    assert (without, strip.isVisible(), source_text(lost)) == (True, False, numbered_source())
    assert Settings().source_folders == (SearchFolder(str(folder)),)


def test_reload_finds_new_files(
    lost: MainWindow, settle: Settle, qtbot: QtBot, tmp_path: Path
) -> None:
    """Sources unpacked while the window is open are found after a reload."""
    lost.settings.source_folders = (SearchFolder(str(tmp_path)),)
    lost.settings_binding.apply()
    settle()
    without = lost.views.source.missing_file_bar.isVisible()
    shutil.copy(SOURCE, tmp_path)
    with qtbot.waitSignal(lost.session.ended):
        do(lost, "reload", process_events)
    settle()

    assert (without, lost.views.source.missing_file_bar.isVisible()) == (True, False)
    assert source_text(lost) == numbered_source()


# ---------------------------------------------------------------- the editor


def test_editor_failure_is_a_notice(code: MainWindow, settle: Settle, tmp_path: Path) -> None:
    """A notice reports that the editor fails, and disappears once it starts."""
    notices = {}
    templates = ("no-such-editor-here {file}", "'unfinished {file}", f"'{shutil.which('true')}'")
    for template in templates:
        code.settings.editor = template
        do(code, "editor", settle)
        notices[template] = code.notices.notice_texts().get("editor", "").partition(" Choose")[0]

    assert list(notices.values()) == [
        f"{SOURCE} cannot be opened: the editor “no-such-editor-here” was not found.",
        f"{SOURCE} cannot be opened: “'unfinished {{file}}” has an unclosed quote.",
        "",
    ]


def test_deleted_source_is_a_notice(lost: MainWindow, settle: Settle, tmp_path: Path) -> None:
    """A file that was deleted after it was shown is not opened; a notice says why."""
    copy = tmp_path / "recur.c"
    shutil.copy(SOURCE, copy)
    lost.views.source.missing_file_bar.path_rule_requested.emit(PathRule(".", str(tmp_path)))
    settle()
    copy.unlink()
    do(lost, "editor", settle)

    assert lost.notices.notice_texts()["editor"].startswith(f"{copy} was not found")


def test_menu_of_a_line_opens_the_editor(code: MainWindow, settle: Settle) -> None:
    """The context menu opens the editor at the line, if its file exists here."""
    source, wanted = code.views.source, []
    source.editor_requested.disconnect()
    source.editor_requested.connect(lambda *place: wanted.append(place))
    for place in ("25", "3"):
        menu = QMenu()
        index = source.model.index(row_of(source, place), source.model.place("text"))
        source.table.fill_menu(menu, index)
        choose_action(lambda menu=menu: menu.popup(menu.pos()), "Open Line in Editor")
    code.settings.path_rules = ()
    code.settings_binding.apply()
    settle()
    menu = QMenu()
    source.table.fill_menu(menu, source.model.index(row_of(source, "25"), 0))

    assert wanted == [(SOURCE, 25), (SOURCE, 3)]
    assert "Open Line in Editor" not in enabled_texts(menu)


# ---------------------------------------------------------------- side by side


def test_side_by_side_and_back(code: MainWindow, settle: Settle) -> None:
    """Both docks get all the space beside the functions, half each; toggling restores the layout.

    Floating docks stay, and one of the two that floated or was closed does so again.
    """
    docks = code.docks
    for title in ("Parts", "Assembler"):
        docks.by_id[DOCK_IDS[title]].setFloating(True)
    docks.by_id["callers"].close()
    settle()
    before = seen(code), docks.by_id["callers"].isHidden()
    do(code, "side_by_side", settle)
    beside, widths = seen(code), [docks.by_id[DOCK_IDS[title]].width() for title in BESIDE]
    floating = [title for title, dock in docks_by_title(code).items() if dock.isFloating()]
    messages = [code.views.source.message, code.views.assembler.message]
    do(code, "side_by_side", settle)

    assert before[0] == ["Functions", "Callees", "All Callers", "Parts", "Source", "Assembler"]
    assert beside == ["Functions", "Parts", "Source", "Assembler"]
    assert floating == ["Parts"]
    assert abs(widths[1] - widths[2]) < 20
    assert sum(widths[1:]) > 2 * widths[0]
    assert messages == ["", ""]
    assert (seen(code), docks.by_id["callers"].isHidden()) == before
    assert [title for title, dock in docks_by_title(code).items() if dock.isFloating()] == [
        "Parts",
        "Assembler",
    ]


def test_side_by_side_follows_the_layout(code: MainWindow, settle: Settle) -> None:
    """If a restored layout separated them, the action puts them side by side again."""
    code.settings.set_layout("basic", code.docks.save_state())
    do(code, "side_by_side", settle)
    code.settings.set_layout("beside", code.docks.save_state())
    press = code.actions_["side_by_side"].trigger
    found = []
    for change in (
        lambda: code.layouts.restore("basic"),
        press,
        code.actions_["reset_layout"].trigger,
        press,
        press,
        lambda: code.layouts.restore("beside"),
        press,
    ):
        change()
        settle()
        found.append(seen(code))

    first = ["Functions", "Callers", "Callees", "Picture"]
    assert found == [BASIC, BESIDE, first, BESIDE, first, BESIDE, first]


@pytest.mark.parametrize("count", [1_196_787, 98_111_196_787])
def test_numbers_are_never_cut(
    window: MainWindow,
    draw: Callable[..., Path],
    open_file: Callable[..., None],
    settle: Settle,
    count: int,
) -> None:
    """However narrow the dock, costs and counts are shown in full."""
    window.actions_["absolute"].trigger()
    open_file(draw(f"main@a.c@p {count} -> f {count}x{count}\nf@a.c@p {count}"))
    do(window, "side_by_side", settle)
    window.resize(800, 600)
    settle()
    view = window.views.source
    model, table = view.model, view.table
    columns = model.places("self", "inclusive", "calls")
    widths = {column: table.columnWidth(column) for column in columns}
    records = range(len(model.listing.rows.records))
    drawn = [table._delegate._cell(r, c, widths[c])[0] for r in records for c in columns]

    metrics = QFontMetrics(table._delegate.code_style.number_font)
    tight = [
        text
        for c in columns
        for r in records
        if (text := model.columns[c].cells.text(r))
        and (metrics.horizontalAdvance(text) >= widths[c])
    ]

    assert drawn == [model.columns[c].cells.text(r) for r in records for c in columns]
    assert tight == []
    assert f"{count:,}".replace(",", THIN) in drawn


def test_column_made_wider_shows_whole_texts(code: MainWindow, settle: Settle) -> None:
    """A text elided in a narrow column is shown in full when the column is widened.

    The picture equals that of a column that was never narrow.
    """
    do(code, "side_by_side", settle)
    table, model = code.views.assembler.table, code.views.assembler.model
    table.show_columns((model.place("source"),), shown=True)
    table.scrollTo(model.index(0, model.place("source")))
    pictures, fresh = [], []
    for width in (200, 30, 200):
        table.setColumnWidth(model.place("source"), width)
        settle()  # sets the range of the scroll bar
        table.horizontalScrollBar().setValue(table.horizontalScrollBar().maximum())
        settle()
        pictures.append(table.viewport().grab().toImage())
        table._delegate.clear_cache()
        fresh.append(table.viewport().grab().toImage())

    assert pictures == fresh
    assert pictures[0] == pictures[2]
    assert pictures[0] != pictures[1]


def test_strips_fit_a_small_window(lost: MainWindow, settle: Settle) -> None:
    """Side by side with both files missing, the window still fits 800×600."""
    do(lost, "side_by_side", settle)
    lost.resize(800, 600)
    settle()
    strips = [
        lost.views.source.missing_file_bar.isVisible(),
        lost.views.assembler.missing_file_bar.isVisible(),
    ]

    assert (strips, lost.size().toTuple()) == ([True, True], (800, 600))


def test_cost_ruler_is_aligned_with_rows(code: MainWindow, settle: Settle) -> None:
    """The cost marks are at the height of their rows, however docks and messages change."""
    views, found = (code.views.source, code.views.assembler), {}

    def stretches() -> list[tuple[tuple[int, int], tuple[int, int]]]:
        """Top and height of the marks, and of the rows."""
        settle()
        both = []
        for view in views:
            heat, port = view.panel.ruler, view.table.viewport()
            marks, rows = heat.contentsRect(), view.table.verticalHeader().length()
            top = heat.mapTo(view, marks.topLeft()).y()
            at = port.mapTo(view, port.rect().topLeft()).y()
            both.append(((top, marks.height()), (at, min(rows, port.height()))))
        return both

    code.docks.show("assembler")
    found["tabs"] = stretches()
    do(code, "side_by_side", settle)
    found["beside"] = stretches()
    code.resize(1100, 1000)
    found["higher"] = stretches()
    code.settings.path_rules = ()
    code.settings_binding.apply()
    found["with strips"] = stretches()
    go_to(code.session, code.navigation, "sort_them")
    found["few rows"] = stretches()

    wrong = {key: pairs for key, pairs in found.items() if any(a != b for a, b in pairs)}
    assert wrong == {}
    assert found["few rows"][0][1][1] < found["with strips"][0][1][1]


def test_tabs_of_source_and_assembler_are_not_side_by_side(
    code: MainWindow, settle: Settle
) -> None:
    """If one is tabbed behind the other, the action puts them side by side, and back."""
    docks = code.docks
    # Qt 6.12 does not move a dock that is already there
    code.removeDockWidget(docks.by_id["assembler"])
    code.tabifyDockWidget(docks.by_id["source"], docks.by_id["assembler"])
    for title, dock in docks_by_title(code).items():
        dock.setVisible(title in BESIDE)
    docks.show("source")
    settle()
    found = [seen(code)]
    for _ in range(2):
        do(code, "side_by_side", settle)
        found.append(seen(code))

    assert found == [["Functions", "Source"], BESIDE, ["Functions", "Source"]]


def test_side_by_side_survives_a_restart(
    code: MainWindow, settle: Settle, restarted_window: Callable[..., MainWindow], qtbot: QtBot
) -> None:
    """A new window is side by side again, and the same key restores the other docks."""
    do(code, "side_by_side", settle)
    again = restarted_window(*code.session.paths)
    qtbot.waitUntil(lambda: not is_busy(again))
    opened = seen(again)
    do(again, "side_by_side", process_events)
    qtbot.waitUntil(lambda: not is_busy(again))

    assert (opened, seen(again)) == (BESIDE, ["Functions", "Callers", "Callees", "Picture"])
