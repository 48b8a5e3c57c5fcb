"""The pictures of a page: flame graphs as boxes of HTML, and series of costs as SVG.

Each box is in the row of its depth and as wide as its cost. Positions are CSS rules in percent: the
picture is right without scripts, at any width and on paper. The script zooms by changing them. The
style of the page has all colours.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from qcachegrind_py.analysis.names.groups import Rgb
from qcachegrind_py.present.flame_graph import FlameGraph
from qcachegrind_py.present.history import change_text
from qcachegrind_py.present.page import Chart
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.profile.numbers import DEFAULT_STYLE, format_count
from qcachegrind_py.write.html.document import escape_html

_MIN_NAMED_WIDTH = 0.025  # fraction of the width: narrower boxes have no space for letters
_MIN_GAP_WIDTH = 0.004


def flame_markup(flame: FlameGraph, links: Mapping[int, str]) -> Iterator[str]:
    """Yield the boxes, which lead to the places of the page that functions have."""
    yield f"<p>{escape(flame.about)}</p>"
    yield '<div class="bar" id="zoom" hidden>'
    if flame.widths:
        yield "<fieldset><legend>Width by</legend>"
        for place, title in enumerate(flame.widths):
            state = " checked" if place == flame.first else ""
            state += "" if flame.places[place][1][0] > 0 else " disabled"
            yield (
                f'<label><input type="radio" name="width" value="{place}"{state}> {title}</label>'
            )
        yield "</fieldset>"
    yield '<button type="button" id="all">Show all</button>'
    yield "<span>Click or press Return to zoom in, Escape to go back; arrow keys move.</span></div>"
    yield '<div class="picture"><div id="boxes" role="group" aria-label="Flame graph">'
    widths = flame.places[flame.first][1].tolist()
    yield from (_box(flame, place, width, links) for place, width in enumerate(widths))
    yield '</div></div><p id="told" aria-live="polite">\N{NO-BREAK SPACE}</p>'


def _box(flame: FlameGraph, place: int, width: float, links: Mapping[int, str]) -> str:
    kinds = [f"d{flame.depth[place]}", *_kinds(flame, place)]
    kinds += ["t"] if width < _MIN_GAP_WIDTH else []
    there = links.get(flame.functions[place], "")
    target = f' href="#{there}"' if there else ""
    label = escape_html(flame.labels[place]) if width >= _MIN_NAMED_WIDTH else ""
    return (
        f'<a{target} id="b{place}" class="{" ".join(kinds)}" tabindex="{0 if place == 0 else -1}" '
        f'title="{escape_html(flame.tips[place])}">{label}</a>'
    )


def _kinds(flame: FlameGraph, place: int) -> list[str]:
    """Return the classes of a box: its colour, or how much it grew or shrank; e is an estimate."""
    estimate = [] if flame.is_exact[place] else ["e"]
    if flame.colors:
        return [f"c{_css_color(flame.colors[place])}", *estimate]
    step = flame.steps[place]
    return estimate or [f"{'g' if step > 0 else 's'}{abs(step)}" if step else "same"]


def _css_color(color: Rgb) -> str:
    return "".join(f"{round(255 * part):02x}" for part in color)


def flame_styles(flame: FlameGraph | None) -> Iterator[str]:
    """Yield the CSS rules for the position and the colour of each box."""
    if flame is None:
        return
    depths = max(flame.depth) + 1
    yield f"#boxes{{--depths:{depths}}}"
    yield from (f".d{depth}{{top:calc({depth}*var(--row))}}" for depth in range(depths))
    for color in sorted(set(map(_css_color, flame.colors))):
        yield f".c{color}{{--c:#{color}}}"
    places = (side.tolist() for side in flame.places[flame.first])
    for place, (start, width) in enumerate(zip(*places, strict=True)):
        hidden = "" if width > 0 else ";display:none"
        yield f"#b{place}{{left:{100 * start:.5g}%;width:{100 * width:.5g}%{hidden}}}"


def flame_data(flame: FlameGraph | None) -> list[list[object]]:
    """Return what the script needs of each box: parent, depth, name, then starts and widths.

    These are in millionths. The name is empty if the page itself shows it.
    """
    if flame is None:
        return []
    shown = flame.places[flame.first][1].tolist()
    columns = [column.tolist() for pair in flame.places for column in pair]
    return [
        [
            parent,
            depth,
            "" if width >= _MIN_NAMED_WIDTH else cell_text(label),
            *(round(1e6 * number, 2) for number in numbers),
        ]
        for parent, depth, width, label, *numbers in zip(
            flame.parent, flame.depth, shown, flame.labels, *columns, strict=True
        )
    ]


# ---------------------------------------------------------------- charts

_WIDTH, _HEIGHT = 900, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 110, 20, 22, 34  # margins of the chart of the total
_LABELS = 9  # at most, below that chart
_SMALL_WIDTH, _SMALL_HEIGHT = 120, 24
_HALF = 6  # of the width of a mark


def chart_markup(chart: Chart) -> Iterator[str]:
    """Yield a series of costs over the revisions."""
    low, high = _range(chart.values)
    heights = _scaled(chart.values, low, high, _TOP, _HEIGHT - _BOTTOM)
    places = _places(len(chart.values), _LEFT, _WIDTH - _RIGHT)
    yield f'<svg class="chart" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img">'
    yield f"<title>{escape_html(chart.title)}</title>"
    for value in dict.fromkeys((low, (low + high) // 2, high)):
        (y,) = _scaled([value], low, high, _TOP, _HEIGHT - _BOTTOM)
        yield f'<path class="grid" d="M{_LEFT} {y}H{_WIDTH - _RIGHT}"/>'
        text = format_count(value, DEFAULT_STYLE)
        yield f'<text class="axis" x="{_LEFT - 8}" y="{y + 4:g}" text-anchor="end">{text}</text>'
    yield from _labels(chart.labels, places)
    yield _line(places, heights)
    yield from _marks(chart, places, heights)
    yield "</svg>"


def small_chart(values: Sequence[int], present: Sequence[bool]) -> str:
    """Return the chart of a function; revisions without it interrupt the line."""
    low, high = _range([v for v, is_there in zip(values, present, strict=True) if is_there])
    heights = _scaled(values, low, high, 2, _SMALL_HEIGHT - 2)
    places = _places(len(values), 2, _SMALL_WIDTH - 2)
    lines, begin = [], 0
    for end in range(len(values) + 1):
        if end == len(values) or not present[end]:
            if begin < end:
                lines.append(_line(places[begin:end], heights[begin:end]))
            begin = end + 1
    return (
        f'<svg class="small" viewBox="0 0 {_SMALL_WIDTH} {_SMALL_HEIGHT}" aria-hidden="true">'
        f"{''.join(lines)}</svg>"
    )


def _labels(labels: Sequence[str], places: Sequence[float]) -> Iterator[str]:
    """Yield labels below the chart: all, or some at equal distances with the last one."""
    every = -(-len(labels) // _LABELS)
    for place in range(len(labels) - 1, -1, -every):
        x = places[place]
        anchor = "end" if x > _WIDTH - 60 else "middle"
        label = escape_html(labels[place] if len(labels[place]) <= 14 else f"{labels[place][:13]}…")
        yield f'<path class="grid" d="M{x} {_HEIGHT - _BOTTOM}v5"/>'
        yield f'<text class="axis" x="{x}" y="{_HEIGHT - 12}" text-anchor="{anchor}">{label}</text>'


def _marks(chart: Chart, places: Sequence[float], heights: Sequence[float]) -> Iterator[str]:
    """Yield a triangle at each mark: its tip is up where costs grew."""
    for revision, change in chart.marks:
        x, y = places[revision], heights[revision]
        grew = change > 0
        tip = -2 * _HALF if grew else 2 * _HALF
        kind = "grown" if grew else "shrunk"
        text = f"{chart.labels[revision]}: {change_text(change, DEFAULT_STYLE)}"
        shape = f"M{x - _HALF:g} {y - tip / 2:g}h{2 * _HALF}l{-_HALF} {tip}z"
        yield f'<path class="{kind}" d="{shape}">'
        yield f"<title>{escape_html(text)}</title></path>"


def _line(places: Sequence[float], heights: Sequence[float]) -> str:
    """Return a line; a single point is a short one."""
    points = [f"{x:g} {y:g}" for x, y in zip(places, heights, strict=True)]
    if len(points) == 1:
        return f'<path class="line" d="M{points[0]}h1"/>'
    return f'<path class="line" d="M{"L".join(points)}"/>'


def _range(values: Sequence[int]) -> tuple[int, int]:
    return min(values, default=0), max(values, default=0)


def _scaled(values: Sequence[int], low: int, high: int, top: float, bottom: float) -> list[float]:
    """Return the heights of values, of which `low` is at the bottom; equal ones are halfway up."""
    if low == high:
        return [(top + bottom) / 2] * len(values)
    return [round(bottom - (bottom - top) * (value - low) / (high - low), 1) for value in values]


def _places(count: int, left: float, right: float) -> list[float]:
    """Return where the revisions are from left to right."""
    distance = (right - left) / max(1, count - 1)
    return [round(left + distance * place, 1) for place in range(count)]
