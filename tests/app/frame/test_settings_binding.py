"""The window's switches: they take effect at once, are stored, and the last change wins."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.present.context import AnnotationStyle, CostUnit
from qcachegrind_py.session.settings.store import Settings
from tests.code_view_text import (
    RECUR,
    cell_texts,
    configure_file_search,
    is_busy,
    objdump_instructions,
    record_of,
    rows_without_location,
    shown_locations,
)
from tests.columns import FUNCTIONS
from tests.profile_text import THIN, dump_rows
from tests.user_input import active_name, go_to, ignore_offscreen_warnings, process_events

DRAWING = """
    main 10000 -> ping 1x50000
    ping 20000 -> pong 2x30000
    pong 30000 -> ping 2x5
    """
NAME, SELF = FUNCTIONS.NAME, FUNCTIONS.SELF
Settle = Callable[[], None]


@pytest.fixture
def window(
    window: MainWindow, draw: Callable[..., Path], open_file: Callable[..., None], settle: Settle
) -> MainWindow:
    """The window with two parts of the test profile."""
    open_file(draw(DRAWING, "a"), draw("main 7000", "b"))
    settle()
    return window


def names(window: MainWindow) -> list[str]:
    """The visible functions and cycles."""
    return dump_rows(window.views.function_list.model, NAME)


def test_units_are_one_choice_of_three(window: MainWindow) -> None:
    """Exactly one unit is checked, and list and settings agree with it."""
    found = []
    for name in ("absolute", "parent", "percent"):
        window.actions_[name].trigger()
        process_events()
        checked = [n for n in ("percent", "parent", "absolute") if window.actions_[n].isChecked()]
        rows = dump_rows(window.views.function_list.model, SELF, NAME)
        (cost,) = (row for row in rows if row.endswith("| main"))
        found.append((checked, cost, Settings().unit))

    assert found == [
        (["absolute"], f"17{THIN}000 | main", CostUnit.ABSOLUTE),
        (["parent"], "25.37 | main", CostUnit.PERCENT_OF_PARENT),
        (["percent"], "25.37 | main", CostUnit.PERCENT),
    ]


def test_cycles_are_switched_off_and_on(window: MainWindow, settle: Settle) -> None:
    """With the switch off, the active cycle becomes one of its functions."""
    with_cycles = names(window)
    queries = window.session.queries
    assert queries is not None
    window.navigation.select_function(queries.function_count)
    process_events()
    cycle = active_name(window.session, window.navigation)
    window.actions_["cycles"].trigger()
    settle()
    without = (names(window), active_name(window.session, window.navigation))
    window.actions_["cycles"].trigger()
    settle()

    assert (cycle, "<cycle 1>" in with_cycles) == ("<cycle 1>", True)
    assert sorted(without[0]) == ["main", "ping", "pong"]
    assert without[1] in ("ping", "pong")
    assert names(window) == with_cycles
    assert Settings().cycles is True


def test_quick_choices_are_both_applied(window: MainWindow, settle: Settle) -> None:
    """A choice still being computed is not lost to the next one."""
    window.docks.show("part_list")
    process_events()
    window.views.part_list.select_parts([1])
    window.actions_["cycles"].trigger()
    settle()
    scope = window.navigation.context.scope

    assert (scope.parts, scope.cycles) == (frozenset({1}), False)
    assert dump_rows(window.views.function_list.model, SELF, NAME)[0] == "100.00 | main"


def test_all_parts_action(window: MainWindow, settle: Settle) -> None:
    """All Parts has a key and is enabled if parts are chosen; the status bar counts them."""
    window.docks.show("part_list")
    process_events()
    before = (window.actions_["all_parts"].isEnabled(), window.status_bar.parts.text())
    window.views.part_list.select_parts([0])
    settle()
    during = (window.actions_["all_parts"].isEnabled(), window.status_bar.parts.text())
    window.actions_["all_parts"].trigger()
    settle()
    after = (window.actions_["all_parts"].isEnabled(), window.status_bar.parts.text())

    assert (before, during, after) == ((False, "2 parts"), (True, "1 of 2 parts"), before)


def test_grouping_is_chosen_in_the_menu(window: MainWindow, settle: Settle) -> None:
    """Group By in the menu does the same as the list's box."""
    entry = next(
        action for action in window.actions_.menus["grouping"].actions() if action.text() == "Cycle"
    )
    entry.trigger()
    settle()

    assert window.views.function_list.grouping_box.currentText() == "Cycle"
    assert window.views.function_list.groups.isVisible()


def test_second_event_comes_and_goes(
    window: MainWindow, draw: Callable[..., Path], open_file: Callable[..., None]
) -> None:
    """The second box shows another event; the action hides it."""
    open_file(draw("events: Ir Dr\nmain 10,3 -> f 1x30,1\nf 30,1", "two"))
    before = window.actions_["no_second_event"].isEnabled()
    window.second_event_combo.setCurrentIndex(2)
    window.second_event_combo.activated.emit(2)
    process_events()
    columns = (SELF, FUNCTIONS.SECOND_SELF, NAME)
    shown = dump_rows(window.views.function_list.model, *columns)
    enabled = window.actions_["no_second_event"].isEnabled()
    window.actions_["no_second_event"].trigger()
    process_events()

    assert shown == ["75.00 | 25.00 | f", "25.00 | 75.00 | main"]
    assert (before, enabled, window.second_event_combo.currentText()) == (
        False,
        True,
        "No second event",
    )
    assert window.views.function_list.table.isColumnHidden(FUNCTIONS.SECOND_SELF)


def test_folding_is_offered_only_where_there_are_levels(
    window: MainWindow, draw: Callable[..., Path], open_file: Callable[..., None]
) -> None:
    """The switch is disabled for a profile without recursion levels."""
    without = window.actions_["fold_levels"].isEnabled()
    open_file(draw("main 1 -> f 1x9\nf 4 -> f'2 2x5\nf'2 5", "levels"))

    assert (without, window.actions_["fold_levels"].isEnabled()) == (False, True)


def test_cycles_are_not_offered_for_whole_stacks(
    window: MainWindow, tmp_path: Path, open_file: Callable[..., None]
) -> None:
    """The switch is disabled where functions cost the same with cycles and without."""
    path = tmp_path / "run.folded"
    path.write_text("main;f;main 2\nmain 1\n")
    with_calls = window.actions_["cycles"].isEnabled()
    open_file(path)

    assert (with_calls, window.actions_["cycles"].isEnabled()) == (True, False)


def test_a_meaning_that_repeats_the_name_stands_alone(
    window: MainWindow, open_file: Callable[..., None]
) -> None:
    """Events of samplers are explained by their names with the unit."""
    open_file(Path(__file__).parents[2] / "data/stacks/work-flat.perf")
    assert window.event_combo.currentText() == "task-clock (ns)"


# ---------------------------------------------------------------- source and code


@pytest.fixture
def code(
    window: MainWindow, open_file: Callable[..., None], settle: Settle, qtbot: QtBot
) -> MainWindow:
    """The window with source and assembler of a function side by side."""
    configure_file_search(window)
    open_file(RECUR)
    go_to(window.session, window.navigation, "main")
    window.actions_["side_by_side"].trigger()
    wait_for_code(window, qtbot)
    return window


def wait_for_code(window: MainWindow, qtbot: QtBot) -> None:
    """Wait until both views show the requested code."""
    coloring = window.views.source._coloring_timer
    for _ in range(2):
        process_events()
        qtbot.waitUntil(lambda: not is_busy(window))
        qtbot.waitUntil(lambda: not coloring.isActive())
        qtbot.waitUntil(lambda: not window.jobs.is_running("Source colours"))
    process_events()


def code_seen(window: MainWindow) -> dict[str, object]:
    """The visible state that each switch of source and code changes, by the switch's name."""
    source, assembler = window.views.source, window.views.assembler
    model = assembler.model
    call = record_of(assembler, "132c")
    folds = [
        [text for text in rows_without_location(view) if text.endswith("without cost")]
        for view in (source, assembler)
    ]
    return {
        "fold_source": (folds[0], len(shown_locations(source))),
        "fold_code": (folds[1], len(shown_locations(assembler))),
        "intel_syntax": model.listing.texts.full_text(record_of(assembler, "12e0")),
        "code_bytes": (
            assembler.table.isColumnHidden(model.place("bytes")),
            *cell_texts(assembler, call, model.place("bytes")),
        ),
        "syntax_colors": source.model.listing.texts.colored_words(
            record_of(source, "22"), source.model.colors
        )
        != (),
    }


@ignore_offscreen_warnings
def test_code_switches_agree_with_the_view(code: MainWindow, qtbot: QtBot) -> None:
    """Switch, setting and view agree, and each switch changes nothing else."""
    names = ("fold_source", "fold_code", "intel_syntax", "code_bytes", "syntax_colors")
    qtbot.waitUntil(lambda: code_seen(code)["syntax_colors"] is True)
    first = code_seen(code)
    changed, switched = {}, {}
    for name in names:
        code.actions_[name].trigger()
        wait_for_code(code, qtbot)
        if name != "syntax_colors":
            qtbot.waitUntil(lambda: code_seen(code)["syntax_colors"] is True)
        now = code_seen(code)
        changed[name] = {key: value for key, value in now.items() if value != first[key]}
        switched[name] = (code.actions_[name].isChecked(), getattr(Settings(), name))
        code.actions_[name].trigger()
        wait_for_code(code, qtbot)
    qtbot.waitUntil(lambda: code_seen(code)["syntax_colors"] is True)

    instructions = objdump_instructions("main")
    raw = dict(instructions)["132c"]
    assert first == {
        "fold_source": ([], 29),
        "fold_code": (["3 instructions without cost"], len(instructions) - 3),
        "intel_syntax": "movl    $0, %edx",
        "code_bytes": (True, raw),
        "syntax_colors": True,
    }
    assert changed == {
        "fold_source": {"fold_source": (["18 lines without cost"], 11)},
        "fold_code": {"fold_code": ([], len(instructions))},
        "intel_syntax": {"intel_syntax": "mov     edx, 0"},
        "code_bytes": {"code_bytes": (False, raw)},
        "syntax_colors": {"syntax_colors": False},
    }
    assert switched == {
        "fold_source": (True, True),
        "fold_code": (False, False),
        "intel_syntax": (True, True),
        "code_bytes": (True, True),
        "syntax_colors": (False, False),
    }
    assert code_seen(code) == first
    assert code.navigation.context.annotation == AnnotationStyle()


@ignore_offscreen_warnings
def test_code_switches_are_restored(
    code: MainWindow, restarted_window: Callable[..., MainWindow], qtbot: QtBot
) -> None:
    """The next window restores the switches, in the menu and in the views."""
    names = ("fold_source", "fold_code", "intel_syntax", "code_bytes", "syntax_colors")
    for name in names:
        code.actions_[name].trigger()
    wait_for_code(code, qtbot)
    before = code_seen(code)
    again = restarted_window(RECUR)
    go_to(again.session, again.navigation, "main")
    wait_for_code(again, qtbot)

    assert [again.actions_[name].isChecked() for name in names] == [True, False, True, True, False]
    assert {**code_seen(again), "syntax_colors": None} == {**before, "syntax_colors": None}
