"""The layout in saved views: as seen, for windows of other sizes, and without trust in files."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from qcachegrind_py.app.frame.docks.layouts import present_layout, show_layout
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.formats.saved_views import SavedLayout, TabGroup
from tests.profile_text import EXAMPLE
from tests.user_input import ignore_offscreen_warnings, process_events

pytestmark = ignore_offscreen_warnings
TOLERANCE = 50  # thousandths; a group has a bar of tabs or not


@pytest.fixture
def shown(window: MainWindow, open_file: Callable[..., None]) -> MainWindow:
    """The window with a profile, in the default layout."""
    window.resize(1400, 900)
    open_file(EXAMPLE)
    process_events()
    window.docks.reset()
    return window


def layout_of(window: MainWindow) -> SavedLayout:
    process_events()
    return present_layout(window.docks)


def groups_of(layout: SavedLayout) -> dict[str, tuple[str, ...]]:
    """The docks in tabs by the one in front."""
    return {group.front: group.docks for group in layout.groups}


def places_of(layout: SavedLayout) -> dict[str, tuple[int, ...]]:
    return {g.docks[0]: (g.left, g.top, g.width, g.height) for g in layout.groups}


def assert_like(layout: SavedLayout, expected: SavedLayout) -> None:
    """The same tabs in the same order, in about the same places."""
    assert (groups_of(layout), layout.floating) == (groups_of(expected), expected.floating)
    places = places_of(layout)
    for dock, place in places_of(expected).items():
        assert places[dock] == pytest.approx(place, abs=TOLERANCE), dock


def test_default_layout_is_described(shown: MainWindow) -> None:
    """Functions on the left, callers above callees, and below them the picture."""
    layout = layout_of(shown)
    assert groups_of(layout) == {
        "function_list": ("function_list",),
        "callers": ("callers", "all_callers", "event_list", "part_list"),
        "callees": ("callees", "all_callees", "call_tree", "call_stack"),
        "call_graph": ("call_graph", "source", "assembler", "control_flow"),
    }
    functions, callers, callees, pictures = (
        places_of(layout)[dock] for dock in ("function_list", "callers", "callees", "call_graph")
    )
    assert functions[:2] == (0, 0)
    assert functions[2] == pytest.approx(340, abs=TOLERANCE)
    for group in (callers, callees, pictures):
        assert (group[0], group[2]) == pytest.approx((340, 660), abs=TOLERANCE)
    assert callers[1] + callers[3] <= callees[1] + 10
    assert callees[1] + callees[3] <= pictures[1] + 10


@pytest.mark.parametrize("name", ["overview", "code", "pictures", "like_kcachegrind"])
@pytest.mark.parametrize("size", [(1400, 900), (1500, 1100)])
def test_layouts_come_back_in_windows_of_any_size(
    shown: MainWindow, name: str, size: tuple[int, int]
) -> None:
    """All built-in ones, with another picture, and a dock of them closed."""
    shown.layouts._arrange(name)
    shown.docks.show("flame_graph")
    shown.docks.by_id["event_list"].close()
    saved = layout_of(shown)
    assert "event_list" not in [dock for group in saved.groups for dock in group.docks]

    shown.layouts._arrange("code" if name == "overview" else "overview")
    shown.docks.show("caller_map")
    shown.resize(*size)
    process_events()
    show_layout(shown, shown.docks, saved)
    assert_like(layout_of(shown), saved)


def test_floating_docks_and_tabs_with_the_functions(shown: MainWindow) -> None:
    shown.docks.float_dock(shown.docks.by_id["source"])
    shown.tabifyDockWidget(shown.docks.by_id["function_list"], shown.docks.by_id["event_list"])
    saved = layout_of(shown)
    assert saved.floating == ("source",)
    shown.docks.reset()
    show_layout(shown, shown.docks, saved)
    assert_like(layout_of(shown), saved)


def test_layout_without_functions(shown: MainWindow) -> None:
    shown.docks.by_id["function_list"].close()
    saved = layout_of(shown)
    shown.docks.reset()
    show_layout(shown, shown.docks, saved)
    assert_like(layout_of(shown), saved)


def test_split_stays_in_the_same_layout(shown: MainWindow) -> None:
    """Docks that are in their places are not arranged again; other layouts close the split."""
    shown.layouts._arrange("code")
    code = layout_of(shown)
    shown.docks.reset()
    shown.actions_["split"].trigger()
    with_split = layout_of(shown)
    show_layout(shown, shown.docks, with_split)
    assert not shown.split_dock.isHidden()
    show_layout(shown, shown.docks, code)
    process_events()
    assert shown.split_dock.isHidden()


def group(*docks: str, place: tuple[int, int, int, int] = (0, 0, 0, 0)) -> TabGroup:
    return TabGroup(docks, "nothing", *place)


@pytest.mark.parametrize(
    ("layout", "expected"),
    [
        (SavedLayout((group("planet"),)), None),
        (SavedLayout(()), None),
        (
            SavedLayout((group("source", "source", "planet"), group("source", "callers"))),
            {"source": ("source",), "callers": ("callers",)},
        ),
        (SavedLayout((group("function_list"),)), {"function_list": ("function_list",)}),
        (
            SavedLayout(
                (
                    group("source", "callee_map", "flame_graph"),
                    group("call_graph", "callers", place=(0, 500, 900, 500)),
                )
            ),
            {"source": ("source", "callee_map"), "callers": ("callers",)},
        ),
        (
            SavedLayout(
                (
                    group("source", place=(0, 0, 600, 600)),
                    group("callers", place=(400, 400, 600, 600)),
                )
            ),
            {"callers": ("source", "callers")},
        ),
    ],
    ids=["unknown", "empty", "twice", "only functions", "two pictures", "overlapping"],
)
def test_layout_of_a_damaged_file(
    shown: MainWindow, layout: SavedLayout, expected: dict[str, tuple[str, ...]] | None
) -> None:
    """Known docks are shown once; without any, nothing changes."""
    before = groups_of(layout_of(shown))
    show_layout(shown, shown.docks, layout)
    assert groups_of(layout_of(shown)) == (before if expected is None else expected)
