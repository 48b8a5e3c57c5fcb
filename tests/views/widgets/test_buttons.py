"""Options as a menu, and as text in the settings."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from qcachegrind_py.views.widgets.controls import Choice, OptionMenu
from tests.user_input import menu_actions, without_mnemonic


@dataclass(frozen=True, slots=True)
class Colours:
    """Options as a view defines them."""

    depth: int | None = 2
    share: float = 0.5
    side: str = "left"
    bold: bool = False


CHOICES = {
    "depth": Choice("&Depth", "How deep", ((None, "&Unlimited"), (1, "&One"), (2, "&Two"))),
    "share": Choice("&Share", "How much", ((0.5, "50 %"), (1.0, "100 %"))),
    "side": Choice("S&ide", "Where", (("left", "&Left"), ("right", "&Right"))),
    "bold": Choice("&Bold", "Whether it is bold"),
}


@pytest.fixture
def options() -> Iterator[OptionMenu[Colours]]:
    """The default options."""
    owner = QObject()
    yield OptionMenu(owner, Colours(), CHOICES)
    del owner


def filled(options: OptionMenu[Colours], qtbot: QtBot) -> QMenu:
    """A menu of the present options."""
    menu = QMenu()
    qtbot.addWidget(menu)
    options.fill(menu)
    return menu


def shown(menu: QMenu) -> list[str]:
    """The entries in order, checked ones marked."""
    return [
        ("* " if entry.isChecked() else "") + without_mnemonic(entry.text())
        for entry in menu_actions(menu)
    ]


def trigger(menu: QMenu, text: str) -> None:
    """Choose an entry."""
    (entry,) = [entry for entry in menu_actions(menu) if without_mnemonic(entry.text()) == text]
    entry.trigger()


def test_the_menu_shows_what_is_in_force(options: OptionMenu[Colours], qtbot: QtBot) -> None:
    """A field is a submenu of values, a switch an entry; current ones are checked, with tips."""
    menu = filled(options, qtbot)

    assert shown(menu) == [
        "Unlimited",
        "One",
        "* Two",
        "* 50 %",
        "100 %",
        "* Left",
        "Right",
        "Bold",
    ]
    tips = [without_mnemonic(a.text()) + ": " + a.toolTip() for a in menu.actions()]
    assert tips == ["Depth: How deep", "Share: How much", "Side: Where", "Bold: Whether it is bold"]
    assert menu.toolTipsVisible()


def test_a_choice_changes_one_field_and_says_so(options: OptionMenu[Colours], qtbot: QtBot) -> None:
    """A choice changes that field only, is signalled once, and updates the menu."""
    for text, field, value in (
        ("Unlimited", "depth", None), ("100 %", "share", 1.0), ("Right", "side", "right"),
        ("Bold", "bold", True), ("Bold", "bold", False), ("One", "depth", 1),
    ):  # fmt: skip
        before, heard = options.current, []
        options.changed.connect(lambda heard=heard: heard.append(options.current))
        trigger(filled(options, qtbot), text)
        assert heard == [options.current] == [replace(before, **{field: value})]
        options.changed.disconnect()
    assert shown(filled(options, qtbot)) == [
        "Unlimited", "* One", "Two", "50 %", "* 100 %", "Left", "* Right", "Bold",
    ]  # fmt: skip


def test_text_brings_options_back(options: OptionMenu[Colours]) -> None:
    """Restoring options from text is not signalled as a choice of the user."""
    chosen = Colours(None, 1.0, "right", True)
    other = OptionMenu(options, chosen, CHOICES)
    heard: list[bool] = []
    options.changed.connect(lambda: heard.append(True))
    options.restore(other.to_text())

    assert (options.current, heard) == (chosen, [])


@pytest.mark.parametrize(
    "text",
    [
        "", "nonsense", "{", "[]", "7", "null", '"depth"', "{}", "[" * 100_000,
        '{"depth": 3}', '{"depth": "1"}', '{"depth": true}', '{"depth": 1.0}', '{"share": 1}',
        '{"share": NaN}', '{"share": 0.7}', '{"side": null}', '{"side": ["left"]}', '{"bold": 1}',
        '{"bold": "yes"}', '{"bold": null}', '{"unknown": 1, "__class__": 2}',
    ],
)  # fmt: skip
def test_invalid_text_changes_nothing(text: str, options: OptionMenu[Colours]) -> None:
    """Text without options, an invalid value or a missing field is ignored."""
    before = Colours(1, 1.0, "right", True)
    options.current = before
    options.restore(text)

    assert options.current == before


def test_valid_fields_beside_invalid_ones(options: OptionMenu[Colours]) -> None:
    """An invalid field keeps its value, the valid ones around it are restored."""
    stored = asdict(Colours(1, 1.0, "right", True)) | {"share": "all", "extra": 3}
    options.restore(json.dumps(stored))

    assert options.current == Colours(1, 0.5, "right", True)
