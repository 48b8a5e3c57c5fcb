"""Journeys through menus, keys and buttons, in the real window."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QDialogButtonBox,
    QFileDialog,
    QStyle,
    QToolBar,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.settings.dialog import SettingsDialog
from qcachegrind_py.app.style import theme
from qcachegrind_py.app.style.tips import set_keys
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.session.settings.store import Settings, ToolbarText
from qcachegrind_py.views.pictures.legend import Legend
from qcachegrind_py.views.widgets.colors import contrast
from tests.columns import FUNCTIONS
from tests.profile_text import EXAMPLE, dump_rows
from tests.user_input import (
    CTRL,
    active_name,
    choose_action,
    enabled_texts,
    function_id,
    ignore_offscreen_warnings,
    inspect_menu,
    process_events,
    row_menu,
)

OpenFile = Callable[..., None]
Settle = Callable[[], None]
MIN_CONTRAST = 3  # of symbols, by the accessibility guidelines (WCAG 2.1, 1.4.11)
ON_A_PROFILE = (
    "jump", "search", "filter", "own_code", "next_hot", "previous_hot", "find_code", "find_next",
    "find_previous", "next_event", "new_event", "editor", "properties", "side_by_side", "all_parts",
    "back", "forward", "up", "reload", "add", "save", "report",
    "stacks", "save_view", "manage_views",
)  # fmt: skip
pytestmark = ignore_offscreen_warnings


@pytest.fixture
def dark(qapp: QApplication) -> Iterator[None]:
    """The dark palette for one test."""
    theme.apply_palette(dark=True)
    yield
    theme.apply_palette(dark=False)


@pytest.fixture
def settle(window: MainWindow, qtbot: QtBot) -> Settle:
    """Return a function that waits until the window has finished all jobs."""

    def settle() -> None:
        process_events()
        qtbot.waitUntil(lambda: window.jobs.is_idle)
        process_events()

    return settle


def names(window: MainWindow) -> list[str]:
    """The functions of the list, from the top."""
    return dump_rows(window.views.function_list.model, FUNCTIONS.NAME)


def contrast_of(widget: QWidget) -> float:
    """The highest contrast to its corner that a widget shows, without its frame."""
    image = widget.grab().toImage()
    edge = image.width() // 6
    image = image.copy(image.rect().adjusted(edge, edge, -edge, -edge))
    pixels = (image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height()))
    return max(contrast(pixel, image.pixelColor(0, 0)) for pixel in pixels)


def test_buttons_are_visible_when_dark(
    dark: None, window: MainWindow, open_file: OpenFile, qtbot: QtBot
) -> None:
    """Those that float and close a dock, and the one that clears a search, once it has faded in."""
    theme.apply_palette(dark=True)  # the window is created in light colours
    open_file(EXAMPLE)
    functions = window.docks.by_id["function_list"]
    names = ("qt_dockwidget_floatbutton", "qt_dockwidget_closebutton")
    buttons = [functions.findChild(QAbstractButton, name) for name in names]
    found = [button is not None and contrast_of(button) >= MIN_CONTRAST for button in buttons]
    search = window.views.function_list.search
    search.setText("main")
    (clear,) = search.findChildren(QAbstractButton)

    assert found == [True, True]
    qtbot.waitUntil(lambda: contrast_of(clear) >= MIN_CONTRAST)


def test_arrows_of_file_dialogs_are_visible_when_dark(dark: None, qtbot: QtBot) -> None:
    """The buttons of Qt's own file dialog are light on a dark window."""
    dialog = QFileDialog()
    dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
    qtbot.addWidget(dialog)
    dialog.setDirectory("/usr/bin")
    dialog.show()
    names = ("backButton", "forwardButton", "toParentButton")
    found = (dialog.findChild(QAbstractButton, name) for name in names)
    buttons = [button for button in found if button is not None]
    for button in buttons:
        button.setEnabled(True)

    assert [contrast_of(button) >= MIN_CONTRAST for button in buttons] == [True] * 3


def test_buttons_of_dialogs_have_text_only(dark: None, qtbot: QtBot) -> None:
    """Desktops add icons to buttons such as Close, which are black on a dark window."""
    kinds = QDialogButtonBox.StandardButton.Close | QDialogButtonBox.StandardButton.Ok
    buttons = QDialogButtonBox(kinds)
    qtbot.addWidget(buttons)
    style = buttons.style()

    pixmaps = QStyle.StandardPixmap
    icons = (pixmaps.SP_DialogCloseButton, pixmaps.SP_DialogOkButton)
    assert [style.standardIcon(icon).isNull() for icon in icons] == [True, True]


def test_actions_wait_for_a_profile(window: MainWindow, open_file: OpenFile) -> None:
    """Without a profile, an action that would do nothing is grey in its menu, and so is its key."""
    before = [name for name in ON_A_PROFILE if window.actions_[name].isEnabled()]
    go_before = {action.isEnabled() for action in window.docks.go_to_actions}
    field_before = window.filter_bar.isEnabled()
    titles = window.windowTitle(), window.status_bar.file.text(), window.event_combo.isEnabled()
    QTest.keyClick(window, Qt.Key.Key_P, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(window, Qt.Key.Key_F4)
    dialog = QApplication.activeModalWidget()

    open_file(EXAMPLE)
    after = [
        name
        for name in ("jump", "search", "next_hot", "filter", "editor")
        if not window.actions_[name].isEnabled()
    ]
    go_after = {action.isEnabled() for action in window.docks.go_to_actions}

    assert titles == ("QCachegrind.py", "No profile is open", False)
    assert (before, go_before, field_before, dialog) == ([], {False}, False, None)
    assert (after, go_after, window.filter_bar.isEnabled()) == ([], {True}, True)


def test_next_event_needs_a_second_one(
    window: MainWindow, open_file: OpenFile, tmp_path: Path
) -> None:
    """With a single event there is no next one."""
    (tmp_path / "cost.out").write_text("# callgrind format\nevents: Cost\nfn=main\n1 10\n")
    open_file(tmp_path / "cost.out")
    single = window.actions_["next_event"].isEnabled()
    open_file(EXAMPLE)
    process_events()

    assert (single, window.actions_["next_event"].isEnabled()) == (False, True)


# ---------------------------------------------------------------- context menus


def row_of(window: MainWindow, name: str) -> Callable[[], None]:
    """Open the context menu of a function in the function list."""
    functions = window.views.function_list
    index = functions.model.index_of_function(NodeId(function_id(window.session, name)))
    functions.table.scrollTo(index)
    return row_menu(functions.table, index.row())


SHOWN_ELSEWHERE = {
    "Show in Source": "source",
    "Show in Assembler": "assembler",
    "Show Callers": "callers",
    "Show in Picture": "call_graph",
}


def test_right_click_shows_a_function_elsewhere(
    window: MainWindow, open_file: OpenFile, settle: Settle
) -> None:
    """One choice makes the function active and brings the view to the front, with the focus.

    Where that would change nothing, as the view shows the function already, it is not offered.
    """
    open_file(EXAMPLE)
    for place, (entry, dock) in enumerate(SHOWN_ELSEWHERE.items()):
        name = names(window)[3 + place]
        choose_action(row_of(window, name), entry)
        settle()
        view, focus = window.docks.view(dock), window.focusWidget()
        assert active_name(window.session, window.navigation) == name
        assert window.docks.is_seen(dock)
        assert focus is not None
        assert view.isAncestorOf(focus)

    offered = inspect_menu(row_of(window, name), enabled_texts)
    assert "Show in Source" in offered
    assert "Show in Picture" not in offered


def test_open_in_editor_opens_at_the_first_line(
    window: MainWindow, open_file: OpenFile, tmp_path: Path, qtbot: QtBot
) -> None:
    """The editor shows where the function is entered, and a missing file is said in a notice."""
    source = tmp_path / "a.c"
    source.write_text("\n" * 20)
    (tmp_path / "cost.out").write_text(
        f"# callgrind format\nevents: Cost\nfl={source}\nfn=f\n9 10\n3 4\n"
        "fl=/nowhere/b.c\nfn=g\n1 1\n"
    )
    open_file(tmp_path / "cost.out")
    opened = tmp_path / "opened"
    window.settings.editor = f'{sys.executable} -c "{_WRITE_ARGUMENTS}" {opened} {{file}} {{line}}'

    choose_action(row_of(window, "f"), "Open in Editor")
    qtbot.waitUntil(lambda: opened.exists() and opened.read_text().endswith("."))
    choose_action(row_of(window, "g"), "Open in Editor")
    qtbot.waitUntil(lambda: "editor" in window.notices.notice_texts())

    assert opened.read_text() == f"{source} 9."
    assert "b.c" in window.notices.notice_texts()["editor"]


_WRITE_ARGUMENTS = "import sys; open(sys.argv[1], 'w').write(' '.join(sys.argv[2:]) + '.')"


def test_switches_of_view_look_alike(window: MainWindow, open_file: OpenFile) -> None:
    """Every switch in a menu has a check mark; an icon would take its place when it is off."""
    switches = [action for action in window.actions_ if action.isCheckable()]

    assert [action.text() for action in switches if action.isIconVisibleInMenu()] == []


def test_shift_f10_opens_the_context_menu(
    window: MainWindow, open_file: OpenFile, settle: Settle
) -> None:
    """Keyboards without a menu key have Shift+F10, which Qt serves on Windows only."""
    open_file(EXAMPLE)
    window.docks.show("function_list")
    settle()

    def press() -> None:
        QTest.keyClick(window, Qt.Key.Key_F10, Qt.KeyboardModifier.ShiftModifier)

    assert "Show in Source" in inspect_menu(press, enabled_texts)


# ---------------------------------------------------------------- buttons


def test_buttons_with_text_have_a_frame(
    window: MainWindow, open_file: OpenFile, settle: Settle
) -> None:
    """A text that can be pressed looks like a button, but for the names in a legend."""
    open_file(EXAMPLE)
    for dock in ("call_graph", "flame_graph", "call_tree", "event_list", "source"):
        window.docks.show(dock)
        settle()
        buttons = [
            button
            for button in window.docks.view(dock).findChildren(QToolButton)
            if button.text()
            and button.icon().isNull()
            and button.isVisible()
            and not isinstance(button.parent(), Legend)
        ]
        assert buttons, dock
        assert [button.text() for button in buttons if button.autoRaise()] == []


STYLE = Qt.ToolButtonStyle
FREQUENT = ["Open", "Back", "Forward", "Up", "Filter"]
OTHERS = ["My Code", "Jump", "Reload", "Costs", "Cycles", "Templates"]


def buttons_with(window: MainWindow, style: Qt.ToolButtonStyle) -> list[str]:
    """The buttons of the toolbar that are shown in a style; none may be cut off at the end."""
    bar = window.findChild(QToolBar, "Toolbar")
    assert isinstance(bar, QToolBar)
    buttons = [bar.widgetForAction(action) for action in bar.actions() if action.isVisible()]
    assert all(button.isVisible() for button in buttons)
    return [
        button.defaultAction().iconText()
        for button in buttons
        if isinstance(button, QToolButton) and button.toolButtonStyle() is style
    ]


@pytest.mark.parametrize(
    ("text", "style"),
    [
        (ToolbarText.AUTOMATIC, STYLE.ToolButtonTextBesideIcon),
        (ToolbarText.ON, STYLE.ToolButtonTextUnderIcon),
        (ToolbarText.OFF, STYLE.ToolButtonIconOnly),
    ],
)
def test_buttons_have_words_where_the_user_wants_them(
    shown: MainWindow, text: ToolbarText, style: Qt.ToolButtonStyle
) -> None:
    """Icons alone are guesses; words beside them have room on a laptop's screen."""
    shown.resize(1366, 768)
    shown.settings.toolbar_text = text
    shown.settings_binding.apply()
    process_events()

    assert sorted(buttons_with(shown, style)) == sorted(FREQUENT + OTHERS)


def test_what_is_used_most_keeps_its_word(shown: MainWindow) -> None:
    """In a narrow window the words of other buttons give way, one by one."""
    words = {}
    for width in (1280, 1024, 960):
        shown.resize(width, 768)
        process_events()
        words[width] = buttons_with(shown, STYLE.ToolButtonTextBesideIcon)

    assert sorted(words[1280]) == sorted(FREQUENT + OTHERS)
    assert {*FREQUENT} < {*words[1024]} < {*words[1280]}
    assert {*words[960]} < {*words[1024]}


@pytest.mark.parametrize("width", [1280, 1366])
def test_field_of_the_filter_has_room(shown: MainWindow, width: int) -> None:
    """It opens where its button was; no other button at that end moves under the pointer."""
    bar, field = shown.findChild(QToolBar, "Toolbar"), shown.filter_bar
    assert isinstance(bar, QToolBar)
    neighbours = [bar.widgetForAction(shown.actions_[name]) for name in ("own_code", "jump")]
    shown.resize(width, 768)
    process_events()
    before = [button.geometry() for button in neighbours]
    shown.actions_["filter"].trigger()
    process_events()

    assert field.width() >= 240
    assert [button.geometry() for button in neighbours] == before
    assert set(buttons_with(shown, STYLE.ToolButtonTextBesideIcon)) > {*FREQUENT} - {"Filter"}


def test_toolbar_is_there_with_a_profile(window: MainWindow, open_file: OpenFile) -> None:
    """The welcome page has the commands that begin; the others would all be grey."""
    bar = window.findChild(QToolBar, "Toolbar")
    assert isinstance(bar, QToolBar)
    before = bar.isHidden()
    open_file(EXAMPLE)
    saved = window.docks.save_state()
    window.docks.restore_state(saved)

    assert (before, bar.isHidden()) == (True, False)


def test_filter_opens_and_closes(shown: MainWindow, qtbot: QtBot) -> None:
    """The field takes no room until it is asked for; Escape closes it where the user was."""
    field, list_ = shown.filter_bar, shown.views.function_list.table
    shown.activateWindow()
    qtbot.waitUntil(shown.isActiveWindow)
    list_.setFocus()
    closed = field.isVisible()
    QTest.keyClick(list_, Qt.Key.Key_L, CTRL)
    process_events()
    opened = field.isVisible(), field.hasFocus()
    QTest.keyClicks(field, "main")
    list_.setFocus()
    process_events()
    kept = field.isVisible()
    shown.actions_["filter"].trigger()
    QTest.keyClick(field, Qt.Key.Key_Escape)
    QTest.keyClick(field, Qt.Key.Key_Escape)
    process_events()

    assert (closed, opened, kept) == (False, (True, True), True)
    assert (field.isVisible(), list_.hasFocus()) == (False, True)


# ---------------------------------------------------------------- keys of the user


class KeysUser:
    """A user on the page of keyboard shortcuts."""

    def __init__(self, window: MainWindow) -> None:
        window.actions_["settings"].trigger()
        process_events()
        (self.dialog,) = window.findChildren(SettingsDialog)
        self.dialog.pages.setCurrentWidget(self.dialog.shortcuts_page)
        self.page = self.dialog.shortcuts_page

    def choose(self, title: str) -> None:
        """Find a command by its name and go to the field for its keys."""
        self.dialog.search.setText(title)
        self.page.table.selectRow(0)
        QTest.keyClick(self.page.table, Qt.Key.Key_Return)

    def press(self, key: str) -> str:
        """Press a key in the field; return the message below it."""
        combination = QKeySequence(key)[0]  # type: ignore[index]  # the stubs lack it
        QTest.keyClick(self.page.edit, combination.key(), combination.keyboardModifiers())
        process_events()
        return self.page.message.text()

    def shown(self) -> list[str]:
        """The keys of the commands that are listed."""
        model = self.page.model
        return [model.index(row, 2).data() for row in range(model.rowCount())]


def keys_of(window: MainWindow, *actions: str) -> list[str]:
    """The keys of actions."""
    return [
        ", ".join(key.toString() for key in window.actions_[name].shortcuts()) for name in actions
    ]


def test_a_key_is_changed_kept_and_reset(
    window: MainWindow, open_file: OpenFile, qtbot: QtBot
) -> None:
    """A new key works at once, is in the tip, and in the next window; Reset brings the old one."""
    open_file(EXAMPLE)
    user = KeysUser(window)
    user.choose("Jump to Function")
    user.press("Ctrl+Alt+J")
    changed, tip = user.shown(), window.actions_["jump"].toolTip()
    user.dialog.reject()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    QTest.keyClick(window, Qt.Key.Key_P, CTRL)
    process_events()
    by_old_key = QApplication.activeModalWidget()
    QTest.keyClick(window, Qt.Key.Key_J, CTRL | Qt.KeyboardModifier.AltModifier)
    qtbot.waitUntil(window.command_palette.dialog.isVisible)
    window.command_palette.dialog.reject()
    further = MainWindow(Settings())
    in_further = keys_of(further, "jump")
    further.close()
    further.deleteLater()
    user = KeysUser(window)
    user.choose("Jump to Function")
    user.page.reset_button.click()

    assert (changed, by_old_key, in_further) == (["Ctrl+Alt+J"], None, ["Ctrl+Alt+J"])
    assert tip.endswith("(Ctrl+Alt+J)")
    assert (user.shown(), keys_of(window, "jump")) == (["Ctrl+P"], ["Ctrl+P"])
    assert Settings().key_bindings == ()


def test_a_key_that_is_taken_is_said(window: MainWindow, open_file: OpenFile) -> None:
    """A key of another command changes hands only if the user says so."""
    open_file(EXAMPLE)
    user = KeysUser(window)
    user.choose("Reload")
    message = user.press("Ctrl+P")
    before = keys_of(window, "reload", "jump")
    user.page.take_button.click()
    after, said = keys_of(window, "reload", "jump"), user.page.message.text()
    user.page.reset_button.click()

    assert message == "Ctrl+P belongs to “Jump to Function…” (Find)."
    assert (before, after) == (["F5, Ctrl+R", "Ctrl+P"], ["Ctrl+P", ""])
    assert said == "“Jump to Function…” lost this shortcut."
    assert keys_of(window, "reload", "jump") == ["F5, Ctrl+R", ""]


REFUSED = {
    "X": "X is for typing and for moving in views. Add Ctrl or Alt.",
    "Shift+Down": "Shift+Down is for typing and for moving in views. Add Ctrl or Alt.",
    "Ctrl+C": "Ctrl+C copies in fields and lists.",
    "Alt+F": "Alt+F opens the File menu.",
}


def test_keys_with_another_use_are_refused(window: MainWindow) -> None:
    """A key that views, fields or menus need would be lost there."""
    user = KeysUser(window)
    user.choose("Jump to Function")

    for key, message in REFUSED.items():
        assert (user.press(key), user.page.take_button.isVisible()) == (message, False)
        assert keys_of(window, "jump") == ["Ctrl+P"]


def test_keys_are_cleared_and_restored_together(window: MainWindow) -> None:
    """A command can go without keys; Restore Defaults brings back those of all commands only."""
    user = KeysUser(window)
    window.settings.decimals = 4
    user.choose("Jump to Function")
    user.page.clear_button.click()
    user.choose("Flame Graph")
    user.press("Ctrl+Alt+F")
    changed = keys_of(window, "jump"), user.shown()
    kind = QDialogButtonBox.StandardButton.RestoreDefaults
    (box,) = user.dialog.findChildren(QDialogButtonBox)
    box.button(kind).click()

    assert changed == ([""], ["Ctrl+Alt+F"])
    assert (keys_of(window, "jump"), user.shown()) == (["Ctrl+P"], ["F9"])
    assert window.settings.decimals == 4


def test_tips_name_the_keys_that_the_user_chose(shown: MainWindow) -> None:
    """The boxes of the toolbar name the keys of their actions, whichever they are now."""
    before = [shown.event_combo.toolTip(), shown.filter_bar.toolTip().splitlines()[0]]
    set_keys(shown.actions_["next_event"], [QKeySequence("F7")])
    set_keys(shown.actions_["no_filter"], [])

    assert before == [
        "Event whose costs are shown (next: Ctrl+E)",
        "Show only matching functions in all views (Ctrl+L; clear with Ctrl+Shift+L).",
    ]
    assert shown.event_combo.toolTip() == "Event whose costs are shown (next: F7)"
    assert shown.filter_bar.toolTip().splitlines()[0] == (
        "Show only matching functions in all views (Ctrl+L; clear with no shortcut)."
    )
