"""The legend of a picture: which groups it names, what has no room, highlighting, exports."""

from __future__ import annotations

from PySide6.QtWidgets import QMenu

from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.views.pictures.legend import Legend
from qcachegrind_py.views.widgets.saving import PictureStack, to_svg
from tests.user_input import ignore_offscreen_warnings, process_events
from tests.views.pictures.conftest import ShowBoxes

LIBRARIES = [f"lib{letter}.so" for letter in "abcdefghijklmnop"]
DRAWING = "\n".join(
    [
        "main@m.c@prog 50 -> "
        + ", ".join(f"f{n}@f.c@/lib/{name} 1x{90 - n}" for n, name in enumerate(LIBRARIES)),
        *(f"f{n}@f.c@/lib/{name} {90 - n}" for n, name in enumerate(LIBRARIES)),
    ]
)
pytestmark = ignore_offscreen_warnings


def names(legend: Legend) -> list[str]:
    """The groups that have room in the line, and the button for the others."""
    buttons = [*legend.buttons, legend.other_button]
    return [button.text().split()[0] for button in buttons if not button.isHidden()]


def others(legend: Legend) -> list[str]:
    """The groups in the menu behind the line."""
    menu = QMenu()
    legend._fill_other(menu)
    return [action.text().split()[0] for action in menu.actions()]


def test_the_costliest_groups_come_first_and_the_others_are_in_a_menu(
    show_boxes: ShowBoxes,
) -> None:
    """All groups are in the line or in the menu, once; a wider line has more of them."""
    view = show_boxes("callees", DRAWING, "main")
    legend = view.legend
    shown = []
    for width in (300, 700):
        legend.resize(width, legend.height())
        process_events()
        *line, other = names(legend)
        shown.append(len(line))
        assert other == "Other"
        assert [*line, *others(legend)] == [*LIBRARIES, "prog"]
        assert legend.other_button.geometry().right() < width

    assert 0 < shown[0] < shown[1]


def test_the_legend_is_above_the_picture_and_gives_way_to_it(show_boxes: ShowBoxes) -> None:
    """Notices of the window lie over its bottom; a low picture has the room of its legend."""
    view = show_boxes("callees", DRAWING, "main")
    shown = {}
    for height in (500, 150, 500):
        view.resize(600, height)
        process_events()
        shown[height] = view.legend.isVisible()
    bottom = view.legend.mapTo(view, view.legend.rect().bottomLeft()).y()

    assert shown == {500: True, 150: False}
    assert bottom < view.map.mapTo(view, view.map.rect().topLeft()).y()


def test_a_group_is_highlighted_together_with_the_search(
    show_boxes: ShowBoxes, navigation: Navigation
) -> None:
    """A group from the menu, too; with a search, only what is in both is bright."""
    view = show_boxes("callees", DRAWING, "main")
    bright, costs = [], []
    for group, text in (("/lib/libp.so", ""), ("", "f1"), ("", "f15")):
        if group:
            view.legend.choose(group)
        view.search.setText(text)
        matches = view.map.matches
        labels = view.map.picture.style.labels
        bright.append([labels.name(node) for node in range(len(labels)) if matches[node]])
        costs.append(view.match_label.text())
    view.legend.choose("/lib/libp.so")

    assert costs[0] == ""  # what a group costs is in the legend
    assert "" not in costs[1:]
    assert bright == [["f15"], ["f15"], ["f15"]]
    assert view.legend.chosen == ""


def test_what_says_nothing_is_no_legend(show_boxes: ShowBoxes) -> None:
    """Of a picture whose boxes are all of unknown objects."""
    view = show_boxes("callees", "main 10 -> f 1x90, g 1x5\nf 90\ng 5", "main")

    assert view.legend.isHidden()
    assert view.legend.swatches == []


def test_a_picture_that_is_exported_has_its_legend(show_boxes: ShowBoxes) -> None:
    """In as many lines as it needs; without a picture there is none."""
    view = show_boxes("callees", DRAWING, "main")
    legend = view.legend.picture_of(300.0)
    document = to_svg(PictureStack([*view.shown_canvases(), legend])).decode()

    assert all(name in document for name in LIBRARIES[:12])
    assert legend.picture_size().height() > 3 * view.legend.fontMetrics().height()
    view.clear()
    assert view.legend.picture_of(300.0).picture_size().height() == 0
    assert view.legend.isHidden()
