"""The menus of Back, Forward and Up: functions with their costs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QMenu, QToolBar, QToolButton

from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.present.context import CostUnit
from tests.profile_text import THIN
from tests.user_input import active_name, go_to, opened_menu, process_events, without_mnemonic

DRAWING = """
    main 10 -> a 1x60, b 1x30
    a 20 -> c 1x40
    b 30
    c 40
    """
Draw = Callable[..., Path]
OpenFile = Callable[..., None]


@pytest.fixture
def walked(window: MainWindow, draw: Draw, open_file: OpenFile) -> MainWindow:
    """The window after the path main, b, a, c."""
    open_file(draw(DRAWING))
    for name in ("b", "a", "c"):
        go_to(window.session, window.navigation, name)
    return window


def texts(menu: QMenu) -> list[str]:
    """The entries of a menu when it opens."""
    return [without_mnemonic(action.text()) for action in opened_menu(menu).actions()]


def test_menus_show_names_and_costs(walked: MainWindow) -> None:
    """Back lists the latest function first, Up the caller first, each with its cost in the unit."""
    assert texts(walked.history_menus.back) == [
        f"a\t60.00{THIN}%",
        f"b\t30.00{THIN}%",
        f"main\t100.00{THIN}%",
    ]
    assert texts(walked.history_menus.up) == [f"a\t60.00{THIN}%", f"main\t100.00{THIN}%"]
    assert texts(walked.history_menus.forward) == ["Nothing"]
    walked.navigation.set(unit=CostUnit.ABSOLUTE)
    assert texts(walked.history_menus.up) == ["a\t60", "main\t100"]


def test_choice_goes_several_steps(walked: MainWindow) -> None:
    """The third entry of Back goes three steps, which Forward undoes."""
    opened_menu(walked.history_menus.back).actions()[2].trigger()
    process_events()
    back = (active_name(walked.session, walked.navigation), texts(walked.history_menus.forward))
    opened_menu(walked.history_menus.forward).actions()[1].trigger()
    process_events()

    assert back == ("main", [f"b\t30.00{THIN}%", f"a\t60.00{THIN}%", f"c\t40.00{THIN}%"])
    assert active_name(walked.session, walked.navigation) == "a"
    assert texts(walked.history_menus.forward) == [f"c\t40.00{THIN}%"]


def test_choice_in_up_goes_to_that_caller(walked: MainWindow) -> None:
    """Up goes to any function on the current path."""
    opened_menu(walked.history_menus.up).actions()[1].trigger()
    process_events()

    assert active_name(walked.session, walked.navigation) == "main"


def test_menus_hang_on_the_buttons(walked: MainWindow) -> None:
    """Each of the three toolbar buttons has its menu."""
    toolbar = walked.findChild(QToolBar, "Toolbar")
    assert isinstance(toolbar, QToolBar)
    found = {}
    for name in ("back", "forward", "up"):
        button = toolbar.widgetForAction(walked.actions_[name])
        assert isinstance(button, QToolButton)
        found[name] = (button.menu(), button.popupMode())

    beside = QToolButton.ToolButtonPopupMode.MenuButtonPopup
    paths = walked.history_menus
    assert found == {
        "back": (paths.back, beside),
        "forward": (paths.forward, beside),
        "up": (paths.up, beside),
    }


def test_long_and_hostile_names_keep_menus_narrow(
    window: MainWindow, open_file: OpenFile, tmp_path: Path
) -> None:
    """Long names are elided; ampersands and tabs in them have no effect."""
    path = tmp_path / "long"
    hostile = "a&b\tc" + "x" * 100_000
    path.write_text(f"events: Ir\nfl=a.c\nfn=main\n1 1\nfn={hostile}\n1 2\n")
    open_file(path)
    window.navigation.select_function(0)
    window.navigation.select_function(1)
    window.navigation.select_function(0)
    process_events()
    found = texts(window.history_menus.back)

    longest = window.settings.menu_name_length
    assert {text.count("\t") for text in found} == {1}
    assert max(len(text.split("\t")[0]) for text in found) <= longest + 1
    assert any(text.startswith(r"a&b\x09c") for text in found)
