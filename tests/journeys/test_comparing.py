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

from qcachegrind_py.app.frame.docks.registry import DockRegistry
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.views.lists.call_lists import CallList
from qcachegrind_py.views.lists.function_list import FunctionList
from qcachegrind_py.views.parts.part_list import PartList
from qcachegrind_py.views.tables.item_model import Role
from tests.columns import FUNCTIONS
from tests.profile_rows import DATA
from tests.profile_text import THIN
from tests.user_input import LEFT, ignore_offscreen_warnings, process_events

pytestmark = ignore_offscreen_warnings
OpenFile = Callable[..., None]
BASE = DATA / "comparison" / "callgrind.out.sort-plain.xz"
NEW = DATA / "comparison" / "callgrind.out.sort-digits.xz"
NO_BUTTON = Qt.MouseButton.NoButton


def settle(window: MainWindow, qtbot: QtBot) -> None:
    """Wait for all jobs, and for what they change."""
    qtbot.waitUntil(lambda: window.jobs.is_idle)
    process_events()


def function_list(window: MainWindow) -> FunctionList:
    """The list of functions."""
    view = window.views.view(DockRegistry.function_list)
    assert isinstance(view, FunctionList)
    return view


def columns(view: FunctionList | CallList) -> list[str]:
    """The titles of the columns that are seen."""
    table = view.table
    places = map(table.horizontalHeader().logicalIndex, range(len(view.model.columns)))
    return [view.model.title(place) for place in places if not table.isColumnHidden(place)]


def self_changes(view: FunctionList) -> dict[str, int]:
    """The change of the self cost of each function, by its name."""
    model = view.model
    names, changes = (
        [model.plain_text(model.index(row, column)) for row in range(model.rowCount())]
        for column in (FUNCTIONS.NAME, FUNCTIONS.SELF)
    )
    return dict(zip(names, map(int, changes), strict=True))


def choose(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the next file dialog answer with this file."""
    answer = lambda *_args, **_options: ([str(path)], "")  # noqa: E731
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", answer)


def compare(window: MainWindow, qtbot: QtBot) -> None:
    """Open the new side and compare it with the base."""
    window.open([NEW])
    settle(window, qtbot)
    window.file_commands.comparing.compare_with([BASE])
    settle(window, qtbot)


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
    choose(DATA / "comparison" / base, monkeypatch)

    window.actions_["compare"].trigger()
    settle(window, qtbot)
    view = function_list(window)
    view.table.sortByColumn(FUNCTIONS.SELF, Qt.SortOrder.DescendingOrder)
    top = view.model.index(0, FUNCTIONS.NAME)
    QTest.mouseClick(view.table.viewport(), LEFT, pos=view.table.visualRect(top).center())
    settle(window, qtbot)

    assert view.model.index(0, FUNCTIONS.SELF).data().startswith("+")
    assert top.data().startswith(function)
    assert view.model.index(0, FUNCTIONS.NAME).data(Role.ACTIVE)


def test_nothing_of_a_comparison_is_seen_without_a_base(window: MainWindow, qtbot: QtBot) -> None:
    """Columns of a comparison come with the base, and go with it; so do the commands."""
    window.open([NEW])
    settle(window, qtbot)
    before = columns(function_list(window))
    compare(window, qtbot)
    compared = columns(function_list(window))
    enabled = [window.actions_[name].isEnabled() for name in ("swap_sides", "stop_comparing")]
    window.actions_["stop_comparing"].trigger()
    settle(window, qtbot)

    assert before == columns(function_list(window))
    assert compared[:2] == ["Incl. ± %", "Self ± %"]
    assert enabled == [True, True]
    assert not window.actions_["swap_sides"].isEnabled()


def test_a_swap_changes_the_signs(window: MainWindow, qtbot: QtBot) -> None:
    """Swap Base and New shows every change the other way round."""
    compare(window, qtbot)
    view = function_list(window)
    before = self_changes(view)

    window.actions_["swap_sides"].trigger()
    settle(window, qtbot)

    assert self_changes(view) == {name: -change for name, change in before.items()}


def words(window: MainWindow) -> set[str]:
    """What screen readers say of rows that are no plain pairs, without the names."""
    model = function_list(window).model
    rows = [model.index(row, FUNCTIONS.NAME) for row in range(model.rowCount())]
    spoken = {row.data(): row.data(Qt.ItemDataRole.AccessibleTextRole) for row in rows}
    return {text.removeprefix(name) for name, text in spoken.items() if text}


def test_rows_of_one_side_are_marked(window: MainWindow, qtbot: QtBot) -> None:
    """New, gone, and families of template arguments: a word, which screen readers say, too."""
    compare(window, qtbot)
    before = words(window)
    window.actions_["swap_sides"].trigger()
    settle(window, qtbot)

    assert (before, words(window)) == ({", family", ", new"}, {", family", ", gone"})


def test_a_file_dropped_with_alt_is_the_base(window: MainWindow, qtbot: QtBot) -> None:
    """A drop with Alt compares the open profile with the file."""
    window.open([NEW])
    settle(window, qtbot)
    data = QMimeData()
    data.setUrls([QUrl(f"file://localhost{BASE}")])
    copy, alt = Qt.DropAction.CopyAction, Qt.KeyboardModifier.AltModifier
    place = QPointF(300, 300)

    QApplication.sendEvent(window, QDragEnterEvent(place.toPoint(), copy, data, NO_BUTTON, alt))
    QApplication.sendEvent(window, QDropEvent(place, copy, data, NO_BUTTON, alt))
    settle(window, qtbot)

    base = window.session.comparing.base
    assert window.session.paths == (NEW,)
    assert base is not None
    assert base.chosen.paths == (BASE,)


def notice_buttons(window: MainWindow) -> dict[str, QPushButton]:
    """The buttons of the notices, by their texts."""
    found = window.notices.findChildren(QPushButton)
    return {button.text().replace("&", ""): button for button in found if button.isVisible()}


def test_an_earlier_profile_beside_the_file_is_offered(
    window: MainWindow, qtbot: QtBot, draw: Callable[..., Path]
) -> None:
    """`X.old` beside X is offered as a base, and compared after one click."""
    old = draw("main 10", "callgrind.out.7.old")
    window.open([draw("main 12", "callgrind.out.7")], with_siblings=False)
    settle(window, qtbot)

    QTest.mouseClick(notice_buttons(window)["Compare With callgrind.out.7.old"], LEFT)
    settle(window, qtbot)

    assert window.session.comparing.base is not None
    assert window.session.comparing.base.chosen.paths == (old,)


def test_a_reloaded_file_can_be_compared_with_before(
    window: MainWindow, qtbot: QtBot, draw: Callable[..., Path]
) -> None:
    """After a reload, what the file was is offered as a base."""
    window.open([draw("main 10")])
    settle(window, qtbot)
    draw("main 12")
    window.actions_["reload"].trigger()
    settle(window, qtbot)

    QTest.mouseClick(notice_buttons(window)["Compare With Before"], LEFT)
    settle(window, qtbot)

    model = function_list(window).model
    assert model.plain_text(model.index(0, FUNCTIONS.SELF)) == "2"


def test_parts_are_compared_in_the_parts_dock(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    """Use as Base compares all other parts with the selected one, which is marked."""
    path = tmp_path / "callgrind.out.3"
    path.write_text("events: Ir\npart: 1\nfn=main\n1 1\npart: 2\nfn=main\n1 10\n", encoding="utf-8")
    window.open([path])
    settle(window, qtbot)
    window.docks.show("part_list")
    settle(window, qtbot)
    (view,) = window.findChildren(PartList)
    view.table.selectRow(0)
    settle(window, qtbot)

    QTest.mouseClick(view.base_button, LEFT)
    settle(window, qtbot)

    model = function_list(window).model
    assert model.plain_text(model.index(0, FUNCTIONS.SELF)) == "9"
    assert view.model.index(0, 0).data(Role.MARK) == "base"


def test_the_header_says_what_the_active_function_was(window: MainWindow, qtbot: QtBot) -> None:
    """Costs of the header are those of the new side, with the change behind them."""
    compare(window, qtbot)
    window.actions_["absolute"].trigger()
    process_events()

    header = window.centralWidget()
    texts = header.costs.texts()  # type: ignore[attr-defined]

    assert any(f"(+932{THIN}405)" in text for text in texts)


def test_the_filter_selects_by_changes(window: MainWindow, qtbot: QtBot) -> None:
    """Terms about changes apply while profiles are compared, and say so when they are not."""
    compare(window, qtbot)
    view = function_list(window)
    changes = self_changes(view)

    window.filter_bar.set_text("self>+1000")
    settle(window, qtbot)
    grown = self_changes(view)
    window.filter_bar.set_text("is:new")
    settle(window, qtbot)
    new = words(window)
    window.actions_["stop_comparing"].trigger()
    settle(window, qtbot)

    assert grown == {name: change for name, change in changes.items() if change > 1000}
    assert len(grown) > 1
    assert new == {", new"}
    assert "while profiles are compared" in window.filter_bar.toolTip()
    assert not window.navigation.context.filter


def test_a_filter_about_changes_waits_for_the_base(window: MainWindow, qtbot: QtBot) -> None:
    """Terms typed before the base is there apply as soon as it is."""
    window.open([NEW])
    settle(window, qtbot)
    window.filter_bar.set_text("is:new")
    settle(window, qtbot)

    window.file_commands.comparing.compare_with([BASE])
    settle(window, qtbot)

    assert words(window) == {", new"}
    assert "while profiles are compared" not in window.filter_bar.toolTip()


def scaled(factor: int) -> str:
    """A profile of some calls of work, in which everything happens so many times."""
    return f"main {10 * factor} -> work {2 * factor}x{60 * factor}\nwork {60 * factor}"


@pytest.mark.parametrize("unit", ["shares", "per_call"])
def test_runs_of_different_lengths_are_compared(
    unit: str, window: MainWindow, qtbot: QtBot, draw: Callable[..., Path]
) -> None:
    """In a run of three times the work, shares and costs per call of a function stay."""
    base = draw(scaled(1), "base")
    window.open([draw(scaled(3), "new")], with_siblings=False)
    settle(window, qtbot)
    window.file_commands.comparing.compare_with([base])
    settle(window, qtbot)
    view = function_list(window)
    counts = self_changes(view)
    window.navigation.select_function(NodeId(1))
    process_events()

    window.actions_[unit].trigger()
    process_events()

    shown = {view.model.index(row, FUNCTIONS.SELF).data() for row in range(2)}
    assert counts == {"main": 20, "work": 120}
    assert shown == {""}


def test_the_exported_page_is_that_of_the_comparison(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    """Export Report writes the changes that the window shows, of functions that pass the filter."""
    compare(window, qtbot)
    everything = self_changes(function_list(window)).keys()
    window.filter_bar.set_text("is:new")
    settle(window, qtbot)
    names = self_changes(function_list(window)).keys()

    window.report_export.save(tmp_path / "page.html")
    settle(window, qtbot)

    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    cells = {name for name in everything if f">{html.escape(name)}<" in page}
    assert "Change" in page
    assert cells == names


def test_two_profiles_are_chosen_on_the_welcome_page(
    window: MainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A card asks for the base, then for the new profile, and opens both."""
    answers, titles = iter([BASE, NEW]), []

    def choose_next(_parent: object, title: str, *_rest: str) -> tuple[list[str], str]:
        titles.append(title)
        return [str(next(answers))], ""

    monkeypatch.setattr(QFileDialog, "getOpenFileNames", choose_next)
    cards = {card.accessibleName(): card for card in window.welcome.page.action_cards}

    QTest.mouseClick(cards["Compare Two Profiles"], LEFT)
    settle(window, qtbot)

    assert titles == ["Compare: The Base", "Compare: The New Profile"]
    assert window.session.paths == (NEW,)
    assert window.session.comparing.base is not None
    assert window.session.comparing.base.chosen.paths == (BASE,)


def test_the_tip_of_a_family_has_its_members(
    window: MainWindow, qtbot: QtBot, draw: Callable[..., Path]
) -> None:
    """Clones of a compiler are one row, whose tip names those of both sides."""
    base = draw("main 1 -> f.isra.0 1x5, f.constprop.0 1x6\nf.isra.0 5\nf.constprop.0 6", "base")
    window.open([draw("main 1 -> f.constprop.1 1x9\nf.constprop.1 9", "new")], with_siblings=False)
    settle(window, qtbot)
    window.file_commands.comparing.compare_with([base])
    settle(window, qtbot)

    model = function_list(window).model
    (row,) = [row for row in range(2) if model.index(row, FUNCTIONS.NAME).data(Role.MARK)]
    tip = model.index(row, FUNCTIONS.NAME).data(Qt.ItemDataRole.ToolTipRole)

    assert model.index(row, FUNCTIONS.NAME).data(Role.MARK) == "family"
    assert "Base: f.isra.0, f.constprop.0" in tip
    assert "New: f.constprop.1" in tip
