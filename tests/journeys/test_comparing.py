"""Journeys of a user who asks what a change did: opening both sides, and finding the function."""

from __future__ import annotations

import html
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QPushButton
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.profile.ids import NodeId
from tests.columns import FUNCTIONS
from tests.journeys.conftest import BASE, NEW
from tests.profile_rows import DATA
from tests.profile_text import THIN, exported
from tests.seen_cell import SeenCell
from tests.user_input import LEFT, drag_event, ignore_offscreen_warnings, process_events, settle

pytestmark = ignore_offscreen_warnings
Compare = Callable[..., MainWindow]
NO_BUTTON = Qt.MouseButton.NoButton


def columns(window: MainWindow) -> list[str]:
    """The titles of the columns of functions that are seen."""
    view = window.views.function_list
    header = view.table.horizontalHeader()
    places = map(header.logicalIndex, range(len(view.model.columns)))
    return [
        view.model.columns[place].heading
        for place in places
        if not view.table.isColumnHidden(place)
    ]


def self_changes(window: MainWindow) -> dict[str, int]:
    """The change of the self cost of each function, by its name."""
    model = window.views.function_list.model
    names, changes = (
        [exported(model, row, column) for row in range(model.rowCount())]
        for column in (FUNCTIONS.NAME, FUNCTIONS.SELF)
    )
    return dict(zip(names, map(int, changes), strict=True))


def words(window: MainWindow) -> set[str]:
    """What screen readers say of rows that are no plain pairs, without the names."""
    model = window.views.function_list.model
    rows = [model.index(row, FUNCTIONS.NAME) for row in range(model.rowCount())]
    spoken = {row.data(): row.data(Qt.ItemDataRole.AccessibleTextRole) for row in rows}
    return {text.removeprefix(name) for name, text in spoken.items() if text}


def chosen_base(window: MainWindow) -> tuple[Path, ...]:
    """The files that the open profile is compared with."""
    assert window.session.comparing.base is not None
    return window.session.comparing.base.chosen.paths


@pytest.mark.parametrize(
    ("base", "new", "function"),
    [
        (BASE.name, NEW.name, "void std::__unguarded_linear_insert<"),
        ("callgrind.out.words-plain.xz", "callgrind.out.words-scans.xz", "words::vowels"),
        ("words-plain.prof", "words-scans.prof", "<genexpr>"),
    ],
    ids=["C++", "Rust", "Python"],
)
def test_the_changed_function_is_found_in_three_clicks(
    window: MainWindow,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    base: str,
    new: str,
    function: str,
) -> None:
    """Compare With… puts the largest change on top; a click on it says why it changed."""
    window.open([DATA / "comparison" / new])
    settle(window, qtbot)
    answer = [str(DATA / "comparison" / base)], ""
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_args, **_options: answer)

    window.actions_["compare"].trigger()
    settle(window, qtbot)
    view = window.views.function_list
    view.table.sortByColumn(FUNCTIONS.SELF, Qt.SortOrder.DescendingOrder)
    top = view.model.index(0, FUNCTIONS.NAME)
    QTest.mouseClick(view.table.viewport(), LEFT, pos=view.table.visualRect(top).center())
    settle(window, qtbot)

    assert view.model.index(0, FUNCTIONS.SELF).data().startswith("+")
    assert top.data().startswith(function)
    assert SeenCell(view.model.index(0, FUNCTIONS.NAME)).is_active


def test_a_comparison_is_seen_swapped_and_ended(compare: Compare, qtbot: QtBot) -> None:
    """Columns, words and commands come with the base and go with it; a swap turns all signs."""
    window = compare()
    commands = [window.actions_[name] for name in ("swap_sides", "stop_comparing")]
    during = columns(window)[:2], [command.isEnabled() for command in commands]
    changes, before = self_changes(window), words(window)
    window.actions_["absolute"].trigger()
    process_events()
    header = window.panels.first.header.costs.texts()

    commands[0].trigger()
    settle(window, qtbot)
    swapped, after = self_changes(window), words(window)
    commands[1].trigger()
    settle(window, qtbot)

    assert during == (["Incl. ± %", "Self ± %"], [True, True])
    assert (before, after) == ({", family", ", new"}, {", family", ", gone"})
    assert any(f"(+932{THIN}405)" in text for text in header)
    assert swapped == {name: -change for name, change in changes.items()}
    assert columns(window)[:2] == ["Incl.", "Self"]
    assert [command.isEnabled() for command in commands] == [False, False]


def test_a_file_dropped_with_alt_is_the_base(window: MainWindow, qtbot: QtBot) -> None:
    """A drop with Alt compares the open profile with the file."""
    window.open([NEW])
    settle(window, qtbot)
    data = QMimeData()
    data.setUrls([QUrl(f"file://localhost{BASE}")])
    copy, alt = Qt.DropAction.CopyAction, Qt.KeyboardModifier.AltModifier
    place = QPointF(300, 300)

    QApplication.sendEvent(window, drag_event(QDragEnterEvent, place.toPoint(), data, alt))
    QApplication.sendEvent(window, QDropEvent(place, copy, data, NO_BUTTON, alt))
    settle(window, qtbot)

    assert (window.session.paths, chosen_base(window)) == ((NEW,), (BASE,))


def press_notice(window: MainWindow, title: str, qtbot: QtBot) -> None:
    """Press the button of a notice, and wait for what it does."""
    (button,) = [b for b in window.notices.findChildren(QPushButton) if b.text() == title]
    QTest.mouseClick(button, LEFT)
    settle(window, qtbot)


def test_an_earlier_profile_beside_the_file_is_offered(
    window: MainWindow, qtbot: QtBot, draw: Callable[..., Path]
) -> None:
    """`X.old` beside X is offered as a base, and compared after one click."""
    old = draw("main 10", "callgrind.out.7.old")
    window.open([draw("main 12", "callgrind.out.7")], with_siblings=False)
    settle(window, qtbot)
    press_notice(window, "Compare with callgrind.out.7.old", qtbot)

    assert chosen_base(window) == (old,)


def test_a_reloaded_file_can_be_compared_with_before(
    window: MainWindow, qtbot: QtBot, draw: Callable[..., Path]
) -> None:
    """After a reload, what the file was is offered as a base."""
    window.open([draw("main 10")])
    settle(window, qtbot)
    draw("main 12")
    window.actions_["reload"].trigger()
    settle(window, qtbot)
    press_notice(window, "Compare with Before", qtbot)

    assert self_changes(window) == {"main": 2}


def test_the_filter_selects_by_changes(
    compare: Compare, window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    """Terms about changes wait for a base, and say so; an exported page has what they let pass."""
    window.filter_bar.set_text("is:new")
    compare()
    new, tip = self_changes(window), window.filter_bar.toolTip()
    said = words(window)
    window.report_export.save(tmp_path / "page.html")
    settle(window, qtbot)
    window.filter_bar.set_text("")
    settle(window, qtbot)
    changes = self_changes(window)
    window.filter_bar.set_text("self>+1000")
    settle(window, qtbot)
    grown = self_changes(window)
    window.actions_["stop_comparing"].trigger()
    settle(window, qtbot)

    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert (said, "while profiles are compared" in tip) == ({", new"}, False)
    assert {name for name in changes if f">{html.escape(name)}<" in page} == new.keys()
    assert "Change" in page
    assert grown == {name: change for name, change in changes.items() if change > 1000}
    assert len(grown) > 1
    assert "while profiles are compared" in window.filter_bar.toolTip()
    assert not window.navigation.context.filter


def scaled(factor: int) -> str:
    """A profile of some calls of work, in which everything happens so many times."""
    return f"main {10 * factor} -> work {2 * factor}x{60 * factor}\nwork {60 * factor}"


@pytest.mark.parametrize("unit", ["shares", "per_call"])
def test_runs_of_different_lengths_are_compared(
    unit: str, compare: Compare, draw: Callable[..., Path]
) -> None:
    """In a run of three times the work, shares and costs per call of a function stay."""
    window = compare(draw(scaled(1), "base"), draw(scaled(3), "new"))
    counts = self_changes(window)
    window.navigation.select_function(NodeId(1))
    window.actions_[unit].trigger()
    process_events()

    model = window.views.function_list.model
    assert counts == {"main": 20, "work": 120}
    assert {model.index(row, FUNCTIONS.SELF).data() for row in range(2)} == {""}


def test_two_profiles_are_chosen_on_the_welcome_page(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A card asks for the base, then for the new profile in the same folder, and opens both."""
    answers, titles, folders = iter([BASE, NEW]), [], []

    def choose_next(
        _parent: object, title: str, folder: str, *_rest: object
    ) -> tuple[list[str], str]:
        titles.append(title)
        folders.append(folder)
        return [str(next(answers))], ""

    monkeypatch.setattr(QFileDialog, "getOpenFileNames", choose_next)
    cards = {card.accessibleName(): card for card in window.welcome.page.action_cards}
    QTest.mouseClick(cards["Compare Two Profiles"], LEFT)
    settle(window, qtbot)

    assert titles == ["Compare: The Base", "Compare: The New Profile"]
    assert folders == ["", str(BASE.parent)]
    assert (window.session.paths, chosen_base(window)) == ((NEW,), (BASE,))


def test_the_tip_of_a_family_has_its_members(compare: Compare, draw: Callable[..., Path]) -> None:
    """Clones of a compiler are one row, whose tip names those of both sides."""
    base = draw("main 1 -> f.isra.0 1x5, f.constprop.0 1x6\nf.isra.0 5\nf.constprop.0 6", "base")
    window = compare(base, draw("main 1 -> f.constprop.1 1x9\nf.constprop.1 9", "new"))

    model = window.views.function_list.model
    names = [model.index(row, FUNCTIONS.NAME) for row in range(2)]
    (family,) = [name for name in names if SeenCell(name).mark == "family"]
    tip = family.data(Qt.ItemDataRole.ToolTipRole)
    assert "Base: f.isra.0, f.constprop.0" in tip
    assert "New: f.constprop.1" in tip
