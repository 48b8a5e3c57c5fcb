"""The menus and keys named in the manual exist."""

from __future__ import annotations

import re
from pathlib import Path

from qcachegrind_py.app.help.guide import visible_text
from qcachegrind_py.app.window import MainWindow
from tests.app.test_keyboard import all_menus
from tests.user_input import ignore_offscreen_warnings, menu_actions

pytestmark = ignore_offscreen_warnings
MANUAL = (Path(__file__).parents[3] / "docs" / "manual.md").read_text("utf-8")


def test_named_menus_exist(window: MainWindow) -> None:
    """Everything written as *Menu ▸ Entry* exists in the menu bar."""
    named = set(re.findall(r"\*(\w+) ▸ ([^*]+)\*", MANUAL))
    there = {
        (visible_text(menu.title()), visible_text(action.text()).removesuffix("…"))
        for menu in all_menus(window)
        for action in (*menu_actions(menu), *menu.actions())
    }

    assert len(named) > 30
    assert {(menu, entry.removesuffix("…")) for menu, entry in named} - there == set()


def test_named_keys_exist(window: MainWindow) -> None:
    """Every bold key belongs to an action."""
    actions = [action for menu in all_menus(window) for action in menu_actions(menu)]
    keys = {key.toString() for action in actions for key in action.shortcuts()}
    named = set(re.findall(r"\*\*((?:Ctrl|Alt|Shift|F\d)[^*]*)\*\*", MANUAL))

    assert len(named) > 40
    assert sorted(named - keys - {"Ctrl+C"}) == []  # which lists take themselves
