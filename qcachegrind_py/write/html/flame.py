"""The flame graph as HTML boxes, each in the row of its depth and as wide as its cost.

Positions are CSS rules in percent: the picture is right without scripts, at any width and on paper.
The script zooms by changing them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from qcachegrind_py.analysis.names.groups import Rgb
from qcachegrind_py.present.flame_graph import FlameGraph
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.write.html.markup import escape_html

_MIN_NAMED_WIDTH = 0.025  # fraction of the width: narrower boxes have no space for letters
_MIN_GAP_WIDTH = 0.004


def flame_section(flame: FlameGraph, links: Mapping[int, str]) -> Iterator[str]:
    """Yield the section; boxes lead to the places of the page that functions have."""
    yield f'<section id="flame"><h2>Flame graph of {escape_html(flame.event)}</h2>'
    yield f"<p>{flame.about}</p>"
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
    yield '</div></div><p id="told" aria-live="polite">\N{NO-BREAK SPACE}</p></section>'


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
