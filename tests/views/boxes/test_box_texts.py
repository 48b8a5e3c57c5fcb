"""The labels, colours and tooltips of boxes, and the text about estimates."""

from __future__ import annotations

from collections import Counter
from html import unescape

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtGui import QColor, QHelpEvent, QPalette
from PySide6.QtWidgets import QApplication, QToolTip

from qcachegrind_py.app.style import theme
from qcachegrind_py.present.picture import Spot
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.boxes.frame_canvas import FrameCanvas
from qcachegrind_py.views.boxes.frame_colors import text_color
from qcachegrind_py.views.widgets.colors import blended
from tests.profile_rows import DATA, call_rows
from tests.user_input import ignore_offscreen_warnings
from tests.views.boxes.box_view_text import ABOUT, PROGRAM, box, box_path, box_position, canvas_of
from tests.views.boxes.canvas_access import color_of
from tests.views.boxes.conftest import ShowBoxes

CALLERS = DATA / "templ-callers/callgrind.out.21991.xz"
CALLGRIND = "creator: callgrind-3.19.0\ncmd: ./prog --fast <in>\n"
COMMAND = "To record it: valgrind --tool=callgrind --separate-callers="
ESTIMATE = "≈ is an estimate: only direct calls are recorded."
pytestmark = ignore_offscreen_warnings


def tip(canvas: FrameCanvas, *names: str) -> list[str]:
    """The lines of a box's tooltip."""
    assert canvas.picture is not None
    return list(canvas.picture.tip(Spot(box(canvas, *names))))


def test_tip_of_a_recorded_cost(show_boxes: ShowBoxes) -> None:
    """Name, location, cost, calls, enclosing boxes from inside out, and that it was recorded."""
    drawing = PROGRAM.replace("walk 20", "walk@/src/w.c@/lib/w.so 20")
    view = show_boxes("flame", CALLGRIND + drawing, "main")

    assert tip(canvas_of(view), "Whole program", "main", "walk", "hash") == [
        "hash",
        "40",
        "4 calls",
        "in walk: 60",
        "in main: 100",
        "in Whole program: 125",
        "The cost is exact: it follows from the recorded calls.",
    ]
    assert tip(canvas_of(view), "Whole program", "main", "walk")[:4] == [
        "walk",
        "File: /src/w.c",
        "Object: /lib/w.so",
        "60",
    ]


def test_tip_of_an_estimate_says_how_to_record_it(show_boxes: ShowBoxes) -> None:
    """The command has the profiled program, and as many callers as enclosing boxes."""
    view = show_boxes("callees", CALLGRIND + PROGRAM, "main")

    assert tip(canvas_of(view), "main", "walk", "hash", "mix") == [
        "mix",
        f"{ABOUT}20",
        f"{ABOUT}4 calls",
        "in hash: 40",
        "in walk: 60",
        "in main: 100",
        f"{ESTIMATE} {COMMAND}3 ./prog --fast <in>",
    ]


@pytest.mark.parametrize("creator", ["", "creator: xdebug 3.2\ncmd: index.php\n"])
def test_other_tools_cannot_record_it(show_boxes: ShowBoxes, creator: str) -> None:
    """Only Callgrind profiles come with such advice."""
    view = show_boxes("callees", creator + PROGRAM, "main")

    assert tip(canvas_of(view), "main", "walk", "hash", "mix")[-1].strip() == ESTIMATE


def test_tip_of_a_deep_box_is_short(show_boxes: ShowBoxes) -> None:
    """Of many enclosing boxes the inner ones are named and the others counted."""
    rows = [f"f{n} 1 -> f{n + 1} 1x{30 - n}" for n in range(29)]
    view = show_boxes("callees", "\n".join([*rows, "f29 2"]), "f0")
    found = tip(canvas_of(view), *(f"f{n}" for n in range(16)))

    assert found[3:13] == [f"in f{n}: {31 - n}" for n in range(14, 4, -1)]
    assert found[13:] == [
        "… and in 5 more",
        "The cost is exact: it follows from the recorded calls.",
    ]


def test_names_in_tips_are_text(show_boxes: ShowBoxes) -> None:
    """Markup in a name is shown literally."""
    view = show_boxes("callees", "main 1 -> <b>x</b>&amp; 1x5\n<b>x</b>&amp; 5", "main")
    canvas = canvas_of(view)

    assert "&lt;b&gt;x&lt;/b&gt;&amp;amp;" in canvas.tip_at(canvas.box_rect(1).center())
    assert tip(canvas, "main", "<b>x</b>&amp;")[0] == "<b>x</b>&amp;"


def test_tip_is_that_of_the_box_under_the_mouse(show_boxes: ShowBoxes) -> None:
    """Hovering over a box shows its tooltip; outside of all boxes there is none."""
    view = show_boxes("flame", PROGRAM, "main")
    canvas = canvas_of(view)
    found = []
    at = box_position(canvas, "Whole program", "exit")
    below = canvas.viewport().rect().bottomLeft()
    for point in (at, below):
        event = QHelpEvent(QEvent.Type.ToolTip, point, canvas.viewport().mapToGlobal(point))
        QApplication.sendEvent(canvas.viewport(), event)
        found.append(unescape(QToolTip.text()).removeprefix("<qt>").split("<br>")[:2])
    QToolTip.hideText()

    assert found[0] == ["exit", "25"]
    assert found[1] in ([""], ["exit", "25"])  # a tip fades out


def test_tip_of_a_caller_says_whom_it_calls(show_boxes: ShowBoxes) -> None:
    """In a caller map the enclosing boxes are called by the inner one."""
    view = show_boxes("callers", PROGRAM, "hash")
    canvas = canvas_of(view)
    at = canvas.box_rect(box(canvas, "hash", "walk", "main")).center().toPoint()
    event = QHelpEvent(QEvent.Type.ToolTip, at, canvas.viewport().mapToGlobal(at))
    QApplication.sendEvent(canvas.viewport(), event)
    found = unescape(QToolTip.text()).removeprefix("<qt>").split("<br>")
    QToolTip.hideText()

    assert found[:5] == ["main", "40", f"{ABOUT}1 call", "calling walk: 40", "calling hash: 80"]


def test_callers_in_names_are_left_out_in_their_boxes(show_boxes: ShowBoxes) -> None:
    """`f'main` inside the box of main is labelled f; elsewhere its callers are shown."""
    drawing = """
        main 10 -> f'main 1x60, g'main 1x30
        f'main 20 -> h'f'main 1x40
        g'main 30 -> f'main 0x0
        h'f'main 40
        other 5 -> h'f'main 1x0
        """
    view = show_boxes("callees", drawing, "main")
    canvas = canvas_of(view)
    assert canvas.tree is not None

    assert [box_path(canvas, b) for b in range(len(canvas.tree))] == [
        "main",
        "main f",
        "main g",
        "main f h",
    ]
    assert tip(canvas, "main", "f", "h")[0] == "h'f'main"
    assert canvas.tree.is_exact.all()


def test_callers_stay_in_names_elsewhere(show_boxes: ShowBoxes) -> None:
    """An enclosing box whose function is not the caller in the name removes nothing."""
    drawing = "main 10 -> f'mai 1x5, f'main2 1x4, '' 1x3, f' 1x2\nf'mai 5\nf'main2 4\n'' 3\nf' 2"
    view = show_boxes("callees", drawing, "main")
    canvas = canvas_of(view)

    assert [box_path(canvas, b) for b in range(1, 5)] == [
        "main f'mai",
        "main f'main2",
        "main ''",
        "main f'",
    ]


def test_profile_with_contexts_is_exact(show_boxes: ShowBoxes, session: Session) -> None:
    """If names contain callers, so that each function has one, costs are exact.

    The label is the function's name, which precedes its callers.
    """
    main = "main'(below main)'__libc_start_main@@GLIBC_2.34'(below main)"
    canvas = canvas_of(show_boxes("callees", CALLERS, main))
    assert canvas.tree is not None
    assert canvas.picture is not None
    assert session.queries is not None
    tree, functions = canvas.tree, session.queries.names
    calls: Counter[tuple[str, str]] = Counter()
    for call in call_rows(session.queries.profile):
        calls[call.caller[0], call.callee[0]] += call.costs[0]
    callers = Counter(callee for _, callee in calls)
    found, recorded, labels, expected = [], [], [], []
    for inner in range(1, len(tree)):
        names = [functions.name(int(tree.node[box])) for box in tree.path(inner)]
        if all(callers[name] == 1 for name in names[1:-1]):
            found.append((int(tree.cost[inner]), bool(tree.is_exact[inner])))
            recorded.append((calls[names[-2], names[-1]], True))
        if names[-2].startswith(names[-1].partition("'")[2]):
            labels.append(canvas.picture.name(inner))
            expected.append(cell_text(names[-1].partition("'")[0]))

    assert found == recorded
    assert labels == expected
    assert min(len(found), len(labels)) > 100


def test_estimates_are_paler(show_boxes: ShowBoxes) -> None:
    """From group colour to background: recorded, estimated, faded."""
    canvas = canvas_of(show_boxes("callees", PROGRAM, "main"))
    assert canvas.picture is not None
    for dark in (False, True):
        theme.apply_palette(dark=dark)
        palette = QApplication.palette()
        base = palette.color(QPalette.ColorRole.Base)
        recorded, estimate, faded, faded_estimate = (
            color_of(canvas, 1, is_exact=is_exact, is_faded=is_faded)
            for is_exact, is_faded in ((True, False), (False, False), (True, True), (False, True))
        )

        assert recorded == QColor(canvas.picture.style.color(1))
        assert distance(recorded, base) > 1.5 * distance(estimate, base) > 0
        assert distance(estimate, base) > 1.5 * distance(faded, base) > 0
        assert faded_estimate == faded
        assert color_of(canvas, -1) == palette.color(QPalette.ColorRole.Mid)


def distance(one: QColor, other: QColor) -> int:
    """The distance between two colours."""
    pairs = zip(one.getRgb()[:3], other.getRgb()[:3], strict=True)
    return sum(abs(a - b) for a, b in pairs)


def test_texts_are_read_on_any_colour() -> None:
    """The better of black and white by the WCAG formula, with a contrast of at least 4."""
    min_contrast, worse = 99.0, []
    for hue in range(0, 360, 15):
        for saturation in (0, 90, 180, 255):
            for value in range(0, 256, 15):
                fill = QColor.fromHsv(hue, saturation, value)
                here = contrast(text_color(fill), fill)
                best = max(contrast(QColor(c), fill) for c in ("#101216", "#f4f5f7"))
                min_contrast = min(min_contrast, here)
                worse += [fill.name()] if here < 0.95 * best else []

    assert worse == []
    assert min_contrast > 4


def contrast(one: QColor, other: QColor) -> float:
    """The contrast ratio of WCAG 2."""

    def luminance(color: QColor) -> float:
        parts = (color.redF(), color.greenF(), color.blueF())
        r, g, b = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
        return 0.2126 * r + 0.7152 * g + 0.0722 * b

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_mixed_colours() -> None:
    """A colour over a background yields the visible, opaque colour."""
    red, white = QColor(200, 0, 100), QColor(255, 255, 255)

    assert blended(red, white, 1).getRgb() == red.getRgb()
    assert blended(red, white, 0).getRgb() == white.getRgb()
    assert blended(red, white, 0.5).getRgb() == (228, 128, 178, 255)
