"""The flame graph as HTML boxes, each in the row of its depth and as wide as its cost.

Positions are CSS rules in percent: the picture is right without scripts, at any width and on paper.
`report.js` zooms by changing them.
"""

from __future__ import annotations

from collections.abc import Iterator

from qcachegrind_py.profile.numbers import has_percentages
from qcachegrind_py.reports.html.markup import (
    escape_html,
    number_markup,
    percent_text,
    plain_text,
)
from qcachegrind_py.reports.html.page_data import Cost, HtmlReport, ReportBox

_MIN_NAMED_WIDTH = 0.025  # fraction of the width: narrower boxes have no space for letters
_MIN_GAP_WIDTH = 0.004
_ESTIMATE_SIGN = "≈\N{THIN SPACE}"


def flame_graph(report: HtmlReport) -> Iterator[str]:
    """Yield the section with the flame graph; nothing if there is none."""
    flame = report.flame
    if not flame.boxes:
        return
    event = report.events[report.event_index]
    yield f'<section id="flame"><h2>Flame graph of {escape_html(event.name)}</h2>'
    yield "<p>Callees are drawn below their callers; widths are proportional to costs."
    if flame.omitted:
        yield f" Boxes below {100 * flame.min_fraction:.3g}\N{THIN SPACE}% are not drawn,"
        yield f" together about {100 * flame.omitted_fraction:.3g}\N{THIN SPACE}% of the whole."
    if not all(box.is_exact for box in flame.boxes):
        yield " Muted, ≈: estimated in proportion, as only direct calls are recorded."
    yield "</p>"
    yield '<div class="bar" id="zoom" hidden><button type="button" id="all">Show all</button>'
    yield "<span>Click or press Return to zoom in, Escape to go back; arrow keys move.</span></div>"
    yield '<div class="picture"><div id="boxes" role="group" aria-label="Flame graph">'
    linked = report.linked_functions()
    for index, box in enumerate(flame.boxes):
        yield _box_markup(index, box, event.total, is_linked=box.function in linked)
    yield '</div></div><p id="told" aria-live="polite">\N{NO-BREAK SPACE}</p></section>'


def _box_markup(index: int, box: ReportBox, total: Cost, *, is_linked: bool) -> str:
    kinds = [f"d{box.depth}", f"c{_css_color(box)}"]
    kinds += [] if box.is_exact else ["e"]
    kinds += ["t"] if box.width < _MIN_GAP_WIDTH else []
    target = f' href="#f{box.function}"' if is_linked else ""
    label = escape_html(box.name) if box.width >= _MIN_NAMED_WIDTH else ""
    focus = 0 if index == 0 else -1
    return (
        f'<a{target} id="b{index}" class="{" ".join(kinds)}" tabindex="{focus}" '
        f'title="{escape_html(_tooltip(box, total))}">{label}</a>'
    )


def _tooltip(box: ReportBox, total: Cost) -> str:
    """Return the tooltip of a box: name, cost, and the percentage if there is one."""
    mark = "" if box.is_exact else _ESTIMATE_SIGN
    again = " – recursion, not expanded again" if box.is_recursion else ""
    share = f" ({percent_text(box.cost, total)}\N{THIN SPACE}%)" if has_percentages(total) else ""
    return f"{plain_text(box.name)[:300]} – {mark}{number_markup(box.cost)}{share}{again}"


def _css_color(box: ReportBox) -> str:
    return "".join(f"{round(255 * part):02x}" for part in box.color)


def flame_css(report: HtmlReport) -> Iterator[str]:
    """Yield the CSS rules for the position and the colour of each box."""
    boxes = report.flame.boxes
    depths = max((box.depth for box in boxes), default=-1) + 1
    yield f"#boxes{{--depths:{depths}}}"
    yield from (f".d{depth}{{top:calc({depth}*var(--row))}}" for depth in range(depths))
    for color in sorted({_css_color(box) for box in boxes}):
        yield f".c{color}{{--c:#{color}}}"
    for index, box in enumerate(boxes):
        yield f"#b{index}{{left:{100 * box.start:.5g}%;width:{100 * box.width:.5g}%}}"


def flame_script_data(report: HtmlReport) -> list[list[object]]:
    """Return the script's data of each box: parent, depth, left and width in millionths, name.

    The name is empty if the page itself shows it.
    """
    return [
        [
            box.parent,
            box.depth,
            round(1e6 * box.start, 2),
            round(1e6 * box.width, 2),
            "" if box.width >= _MIN_NAMED_WIDTH else plain_text(box.name),
        ]
        for box in report.flame.boxes
    ]
