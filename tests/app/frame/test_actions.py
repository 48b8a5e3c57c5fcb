"""Actions, menus and icons: each can be found, is explained, and has its key."""

from __future__ import annotations

from collections import Counter

import pytest
from PySide6.QtGui import QAction, QIcon, QPalette
from PySide6.QtWidgets import QApplication, QMenu, QToolBar, QToolButton, QWidget

from qcachegrind_py.app.frame.actions import Actions, declared_actions
from qcachegrind_py.app.style import icons, theme
from qcachegrind_py.app.style.resources import EXAMPLE_PROFILE, resource_path
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.session.settings.store import Settings
from tests.app.test_keyboard import all_menus
from tests.user_input import menu_actions

ICONS = sorted(path.stem for path in resource_path("icons").glob("*.svg"))


def actions_in_menus(window: MainWindow) -> list[QAction]:
    return [action for menu in all_menus(window) for action in menu_actions(menu)]


def plain(text: str) -> str:
    """The text without its mnemonic mark."""
    return text.replace("&", "")


def test_each_name_is_declared_once() -> None:
    """A second action of the same name would take the place of the first one."""
    names = Counter(action.name for action in declared_actions())

    assert [name for name, count in names.items() if count > 1] == []


def test_each_setting_can_be_changed() -> None:
    """It has a row in the dialog or a switch; a dock that is closed changes the last one."""
    switched = {action.setting for action in declared_actions()} - {""}
    settings = {setting.name: setting.page for setting in Settings.declared()}
    hidden = {name for name, page in settings.items() if not page}

    assert switched - settings.keys() == set()
    assert hidden - switched == {"explains_changes", "keeps_explanation"}


def test_every_action_is_in_a_menu(window: MainWindow) -> None:
    """Every action with a key or a button is in a menu as well."""
    in_menus = {action.text() for action in actions_in_menus(window)}
    single = {action.text() for action in window.actions() if QMenu.menuInAction(action) is None}

    assert single - in_menus == set()


def test_actions_call_the_slots_of_their_names(qapp: QApplication) -> None:
    """A slot gets no argument, whether its action is checkable or not."""
    window, called = QWidget(), []
    actions = Actions(window)
    actions.connect({"open": lambda: called.append("open"), "si": lambda: called.append("si")})

    actions["si"].trigger()
    actions["open"].trigger()

    assert called == ["si", "open"]


def test_unknown_action_names_connect_nothing(qapp: QApplication) -> None:
    """The error lists all names that no action has."""
    window, called = QWidget(), []
    actions = Actions(window)
    slots = dict.fromkeys(("open", "opne", "clsoe"), lambda: called.append("called"))

    with pytest.raises(KeyError, match="no such action: clsoe, opne"):
        actions.connect(slots)
    actions["open"].trigger()

    assert called == []


def test_every_action_has_text_and_tip(window: MainWindow) -> None:
    """Every action explains itself in its menu, in a tooltip and in the status bar."""
    actions = [*window.actions(), *actions_in_menus(window)]

    silent = {
        action.text()
        for action in actions
        if not (plain(action.text()) and action.toolTip() and action.statusTip())
    }

    assert silent == set()


def test_every_button_has_an_accessible_text(window: MainWindow) -> None:
    """A button that shows only an icon has a text for screen readers."""
    buttons = [
        button
        for parent in (
            *window.findChildren(QToolBar),
            window.views.function_list,
            window.statusBar(),
        )
        for button in parent.findChildren(QToolButton)
        if button.objectName() != "qt_toolbar_ext_button"
        and button.metaObject().className() == "QToolButton"
    ]

    texts = [button.accessibleName() or plain(button.text()) for button in buttons]
    assert (len(buttons) > 8, [text for text in texts if not text]) == (True, [])


def test_no_two_entries_of_a_menu_share_a_letter(window: MainWindow) -> None:
    """In an open menu a mnemonic triggers its entry only if no other entry has it."""
    shared = {}
    for menu in [window.menuBar(), *window.actions_.menus.values()]:
        texts = [action.text().replace("&&", "") for action in menu.actions()]
        letters = Counter(t[t.index("&") + 1].lower() for t in texts if "&" in t)
        twice = [letter for letter, count in letters.items() if count > 1]
        if twice:
            shared[menu.title() if isinstance(menu, QMenu) else "menu bar"] = twice

    assert shared == {}


def test_tooltip_names_the_key(window: MainWindow) -> None:
    """A button's tooltip names its key."""
    tips = [window.actions_[name].toolTip() for name in ("open", "up", "example")]

    assert tips == [
        "Open one or several profiles (Ctrl+O)",
        "Go to the caller you came from, or the costliest (Alt+Up)",
        "Explore a small profile",
    ]


def painted(icon: QIcon, mode: QIcon.Mode) -> int:
    """How many pixels of an icon are painted."""
    image = icon.pixmap(24, 24, mode).toImage()
    width, height = image.width(), image.height()
    return sum(image.pixelColor(x, y).alpha() > 128 for x in range(width) for y in range(height))


@pytest.mark.parametrize("name", ICONS)
def test_every_icon_is_drawn(qapp: QApplication, name: str) -> None:
    """Each icon is neither empty nor a filled square, in both states."""
    drawn = icons.icon(name, theme.palette(False))

    share = [painted(drawn, mode) / 24**2 for mode in (QIcon.Mode.Normal, QIcon.Mode.Disabled)]

    assert [0.03 < part < 0.97 for part in share] == [True, True], share


def test_icon_of_the_program_is_drawn(qapp: QApplication) -> None:
    """The program's icon is drawn in small and large sizes."""
    icon = icons.application_icon()

    assert {size.width() for size in icon.availableSizes()} >= {16, 32, 48, 256}
    assert painted(icon, QIcon.Mode.Normal) > 100


def test_a_button_too_small_for_its_icon_draws_none(qapp: QApplication) -> None:
    """Docks may be so small; Qt warns of a picture without pixels."""
    button = QToolButton(icon=icons.icon("open", theme.palette(False)))
    button.setFixedSize(1, 1)

    assert button.grab().size() == button.size()


def test_actions_that_are_buttons_have_icons(window: MainWindow) -> None:
    """No button of the toolbar is empty."""
    toolbar = window.findChild(QToolBar, "Toolbar")
    assert isinstance(toolbar, QToolBar)
    shown = [action for action in toolbar.actions() if action.text()]

    assert [
        action.text() for action in shown if painted(action.icon(), QIcon.Mode.Normal) < 10
    ] == []
    assert len(shown) >= 7


def test_disabled_icon_is_fainter(qapp: QApplication) -> None:
    """The icon of a disabled action is fainter."""
    palette = theme.palette(False)
    faint = palette.color(QPalette.ColorGroup.Disabled, QPalette.ColorRole.ButtonText).name()

    image = icons.icon("open", palette).pixmap(48, 48, QIcon.Mode.Disabled).toImage()

    pixels = [image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height())]
    assert faint in {pixel.name() for pixel in pixels if pixel.alpha() == 255}


@pytest.mark.parametrize("name", [EXAMPLE_PROFILE, "icons/open.svg", "icons/qcachegrind_py.svg"])
def test_resources_are_found(name: str) -> None:
    """Bundled files are found from any working directory."""
    assert resource_path(name).is_file()
    assert resource_path(name).is_absolute()
