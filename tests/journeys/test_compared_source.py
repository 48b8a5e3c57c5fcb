"""Journeys of a user who looks at the source of a function that a change made costlier."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtWidgets import QAbstractButton, QFileDialog, QInputDialog, QMenu
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.frame.docks.registry import DockRegistry
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.present.code_records import RecordKind
from qcachegrind_py.present.context import CostUnit, Position
from qcachegrind_py.tools.sources.file_search import PathRule
from qcachegrind_py.views.code.code_views import SourceView
from tests.code_view_text import record_of
from tests.profile_rows import DATA
from tests.profile_text import THIN
from tests.tools.test_git import git, needs_git
from tests.user_input import go_to, ignore_offscreen_warnings, settle, without_mnemonic

pytestmark = ignore_offscreen_warnings
WORDS = DATA / "comparison" / "words"
RULE = PathRule("/corpus/words", str(WORDS))
NEW_RULE = PathRule("/corpus/words/new", str(WORDS / "new"))
Compare = Callable[..., SourceView]


@pytest.fixture
def compared_source(window: MainWindow, qtbot: QtBot) -> Compare:
    """Compare the two revisions of a program, and show the source of a function."""

    def compared_source(function: str, *rules: PathRule, swapped: bool = False) -> SourceView:
        window.resize(1366, 768)
        window.docks.reset()
        sides = [WORDS / side / "callgrind.out.words" for side in ("old", "new")]
        base, new = sides[::-1] if swapped else sides
        with qtbot.waitSignals([window.session.opened, window.session.ended]):
            window.file_commands.open_here([new], base=[base])
        window.session.set_file_search(rules, ())
        assert window.session.queries is not None
        number = window.session.queries.names.with_name(function)[0]
        window.navigation.set(function=number, unit=CostUnit.ABSOLUTE)
        settle(window, qtbot)
        window.docks.show(DockRegistry.source.id)
        settle(window, qtbot)
        view = window.views.view(DockRegistry.source)
        assert isinstance(view, SourceView)
        qtbot.waitUntil(lambda: view.model.listing.is_compared and not window.session.is_opening)
        # a dock that a comparison opens may have come in front meanwhile, on a busy machine
        if not window.docks.is_seen(DockRegistry.source.id):
            window.docks.show(DockRegistry.source.id)
        qtbot.waitUntil(view.isEnabled)
        settle(window, qtbot)
        return view

    return compared_source


def rows(view: SourceView, columns: Sequence[int] = ()) -> list[str]:
    """The rows with a cost, and those of one side: location, self cost, both sides, mark."""
    model = view.model
    shown = columns or (
        model.place("location"),
        model.place("self"),
        model.place("base"),
        model.place("new"),
        model.place("calls"),
    )
    lines = []
    for row, record in enumerate(model.order.tolist()):
        cells = [str(model.index(row, column).data()) for column in shown]
        mark = model.listing.texts.mark(record)
        if any(cells[1:]) or mark:
            lines.append(" | ".join([*cells, mark]).replace(THIN, "").rstrip(" |"))
    return lines


def changes(view: SourceView) -> list[int]:
    """The changes of the self costs of all lines that are shown."""
    model = view.model
    shown = model.order[model.listing.rows.records.kind[model.order] == RecordKind.LOCATION]
    changed: list[int] = model.listing.costs.first.self_cost.change[shown].tolist()
    return changed


def test_a_chosen_file_stays_when_sides_are_swapped_and_files_read_again(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    """Another function has its own file again."""
    sides = [tmp_path / "old.out", tmp_path / "new.out"]
    for cost, side in enumerate(sides, 1):
        f, g = (f"fl={name}.c\nfn={name}\n1 5\nfi=inl.h\n1 {cost}\n" for name in "fg")
        side.write_text(f"version: 1\ncreator: x\ncmd: ./p\nevents: Ir\n{f}{g}")
    window.resize(1366, 768)
    window.docks.reset()
    window.file_commands.open_here(sides[1:], base=sides[:1])
    settle(window, qtbot)
    window.docks.show(DockRegistry.source.id)
    go_to(window.session, window.navigation, "f")
    settle(window, qtbot)
    view = window.views.view(DockRegistry.source)

    def shown() -> str:
        settle(window, qtbot)
        return str(view.file_selector.currentText().split()[-1])

    seen = [shown()]
    view.file_selector.setCurrentIndex(1)
    view.file_selector.activated.emit(1)
    for command in ("swap_sides", "reload"):
        seen.append(shown())
        window.actions_[command].trigger()
    seen.append(shown())
    go_to(window.session, window.navigation, "g")
    assert [*seen, shown()] == ["f.c", "inl.h", "inl.h", "inl.h", "g.c"]


def test_both_texts_are_aligned_with_their_costs(compared_source: Compare) -> None:
    """Added lines have a +, gone ones a −, and each of them a word, too.

    Calls show both counts; a line that moved is one row, with the lines inlined there.
    """
    view = compared_source("weigh", RULE)

    assert rows(view)[:10] == [
        "+4 |  |  |  |  | new",
        "+5 |  |  |  |  | new",
        "8 | +40 | 200 | 240",
        "−7 | −4400 | 4400 |  |  | gone",
        "+9 | +5280 |  | 5280 |  | new",
        "10 | +380 | 1900 | 2280",
        "+11 | +1140 |  | 1140 |  | new",
        "+12 | +3420 |  | 3420 |  | new",
        "+13 |  |  |  |  | new",
        "15 | +80 | 400 | 480",
    ]
    assert sum(changes(view)) == 5940  # that of the function

    view = compared_source("main", RULE)
    found = rows(view)
    start = found.index("+30 | +360 |  | 360 |  | new")
    assert found[start + 1 : start + 3] == [
        "32 | −796 | 3400 | 17 | 200→1 | moved",  # with what was inlined there
        " |  | 2600 | 13 | 200→1",
    ]
    assert "28 | +360 | 7500 | 13800 | 200→240" in found
    assert sum(changes(view)) == 705

    view.table.toggle_group(record_of(view, "32"))
    found = rows(view)
    start = found.index("32 | −596 | 3200 | 17 | 200→1 | moved")
    assert found[start : start + 3] == [
        "32 | −596 | 3200 | 17 | 200→1 | moved",
        " |  | 2600 | 13 | 200→1",
        "scale.h:5 | −200 | 200",
    ]
    assert sum(changes(view)) == 705


def test_without_any_text_there_are_no_lines(compared_source: Compare) -> None:
    """Equal numbers of unknown lines say nothing; a bar for each side says what is missing."""
    view = compared_source("weigh")

    assert view.model.rowCount() == 0
    assert bars(view) == [
        (
            "New: /corpus/words/new/words.c was not found.",
            ["Choose File…", "Search in Folder…", "Paths…"],
        ),
        (
            "Base: /corpus/words/old/words.c was not found. Lines of two unknown texts cannot be "
            "told apart, so none are shown. Choose the source of either side.",
            ["Choose Base File…"],  # a revision is one of the new source
        ),
    ]


def test_with_the_new_text_lines_follow_their_calls(compared_source: Compare) -> None:
    """The note says so; the bar says what is missing, and what to do."""
    view = compared_source("main", NEW_RULE)

    assert view.note.text().startswith("lines aligned by their calls, in order · ")
    assert bars(view) == [
        ("", []),
        (
            "Base: /corpus/words/old/words.c was not found. Until you choose its file or revision, "
            "lines are aligned by their calls, in order.",
            ["Choose Base File…", "Base Revision…"],
        ),
    ]
    assert "28 | +360 | 7500 | 13800 | 200→240" in rows(view)
    assert sum(changes(view)) == 705


def test_with_the_text_of_the_base_lines_follow_their_calls(compared_source: Compare) -> None:
    """Its lines are shown, with their own numbers; tips have those of the new side."""
    view = compared_source("main", PathRule("/corpus/words/old", str(WORDS / "old")))

    assert view.note.text().startswith("text of the base · lines aligned by their calls, in order")
    assert bars(view) == [
        (
            "New: /corpus/words/new/words.c was not found.",
            ["Choose File…", "Search in Folder…", "Paths…"],
        ),
        ("", []),
    ]
    assert "24 | +360 | 7500 | 13800 | 200→240" in rows(view)
    assert sum(changes(view)) == 705
    texts = view.model.listing.texts
    (record,) = np.flatnonzero(texts.records_at(Position(texts.own_file, 28)))
    assert "weigh(" in texts.full_text(record)
    assert "Line 28, in the base line 24" in view.model.table.tip(record)
    assert view.editable_location(record) == (WORDS / "old" / "words.c", 24)


def bars(view: SourceView) -> list[tuple[str, list[str]]]:
    """Text and buttons of the bars of the new side and of the base; empty where one is hidden."""
    return [
        (
            bar.label.text(),
            [
                without_mnemonic(button.text())
                for button in bar.findChildren(QAbstractButton)
                if button.isVisible()
            ],
        )
        if bar.isVisible()
        else ("", [])
        for bar in (view.missing_file_bar, view.base_bar)
    ]


@pytest.mark.parametrize("place", ["bar", "menu"])
def test_the_user_chooses_the_source_of_the_base(
    place: str,
    window: MainWindow,
    compared_source: Compare,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """From the bar, or the menu of a line; texts are compared from then on."""
    view = compared_source("weigh", NEW_RULE)
    chosen = str(WORDS / "old" / "words.c")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_args: (chosen, ""))

    if place == "bar":
        assert view.base_bar.file_button.isEnabled()
        view.base_bar.file_button.click()
    else:
        trigger(view, "Choose &Base File…")
    qtbot.waitUntil(lambda: view.base_bar.isHidden())

    assert "−7 | −4400 | 4400 |  |  | gone" in rows(view)
    assert bars(view) == [("", [])] * 2


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository that has the old source, and the new one in its folder."""
    for side in ("old", "new"):
        for name in ("words.c", "scale.h"):
            shutil.copy(WORDS / side / name, tmp_path / name)
        if side == "old":
            git(tmp_path, "init", "-q")
            git(tmp_path, "add", ".")
            git(tmp_path, "commit", "-q", "-m", "one")
    return tmp_path


@needs_git
@pytest.mark.parametrize("place", ["bar", "menu"])
def test_the_base_is_read_from_a_revision(
    place: str,
    window: MainWindow,
    compared_source: Compare,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    repository: Path,
) -> None:
    """The repository has the new source; the user names the revision of the base.

    Of a revision that does not exist, the bar says what is wrong, and asks again.
    """
    view = compared_source("weigh", PathRule("/corpus/words/new", str(repository)))

    def choose(revision: str) -> None:
        monkeypatch.setattr(QInputDialog, "getText", lambda *_args, **_named: (revision, True))
        if place == "bar":
            view.base_bar.revision_button.click()
        else:
            trigger(view, "Base Re&vision…")

    choose("v9")
    qtbot.waitUntil(lambda: "v9" in view.base_bar.label.text())
    text, buttons = bars(view)[1]
    choose("HEAD")
    qtbot.waitUntil(lambda: view.note.text().startswith("HEAD → "))

    assert text.startswith(f"Base: v9:{repository / 'words.c'} ")
    assert text.endswith(
        "Until you choose its file or revision, lines are aligned by their calls, in order."
    )
    assert buttons == ["Choose Base File…", "Base Revision…"]
    assert "−7 | −4400 | 4400 |  |  | gone" in rows(view)
    assert bars(view) == [("", [])] * 2


@needs_git
def test_a_source_that_did_not_change_since_the_revision(
    window: MainWindow,
    compared_source: Compare,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    repository: Path,
) -> None:
    """Its lines have equal numbers, however late it is read from the repository."""
    git(repository, "commit", "-q", "-a", "-m", "two")
    view = compared_source("weigh", PathRule("/corpus/words/new", str(repository)))
    monkeypatch.setattr(QInputDialog, "getText", lambda *_args, **_named: ("HEAD", True))

    view.base_bar.revision_button.click()
    qtbot.waitUntil(lambda: view.note.text().startswith("HEAD → "))

    assert bars(view) == [("", [])] * 2
    assert sum(changes(view)) == 5940


def trigger(view: SourceView, text: str) -> None:
    """Trigger an action of the menu of the first line."""
    menu = QMenu()
    view.fill_record_menu(menu, 0)
    (action,) = [action for action in menu.actions() if action.text() == text]
    action.trigger()


def test_the_sides_give_way_where_the_code_could_not_be_read(
    compared_source: Compare, window: MainWindow, qtbot: QtBot
) -> None:
    """The change stays; in a wider window the costs of base and new are there again."""
    view = compared_source("main", RULE)
    keys, shown = ("inclusive", "base", "new"), []
    for width in (960, 2400):
        window.resize(width, 768)
        settle(window, qtbot)
        table = view.table
        shown.append([key for key in keys if not table.isColumnHidden(view.model.place(key))])
        assert table.columnWidth(view.model.place("text")) >= table._delegate.text_width("0" * 16)

    assert shown == [["inclusive"], list(keys)]
