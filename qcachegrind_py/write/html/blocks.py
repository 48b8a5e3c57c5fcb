"""The blocks of a page: tables, flame graphs as boxes of HTML, and series of costs as SVG.

Each box is in the row of its depth and as wide as its cost. Positions are CSS rules in percent: the
picture is right without scripts, at any width and on paper. The script zooms by changing them, and
sorts the table of functions. The style of the page has all colours.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape

from qcachegrind_py.analysis.names.group_colors import Rgb
from qcachegrind_py.present.exact import ESTIMATE_SIGN, FullNameCells, chunks
from qcachegrind_py.present.excerpts import Excerpt, ExcerptLine
from qcachegrind_py.present.flame_graph import FlameGraph
from qcachegrind_py.present.history import SeriesCells, change_text
from qcachegrind_py.present.page import Chart, FunctionList, Grid, Listing
from qcachegrind_py.present.table import Cells, Column, FunctionName, Value, cell_text
from qcachegrind_py.profile.numbers import DEFAULT_STYLE, format_count, plural, signed_text
from qcachegrind_py.profile.tables import UNKNOWN, Int64Array
from qcachegrind_py.write.html.document import escape_html, json_number, link, mark_markup

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
    yield (
        "<span>Click or press Return to zoom in, Escape to go back; arrow keys move; a double "
        "click goes to the function.</span></div>"
    )
    yield '<div class="picture"><div id="boxes" role="group" aria-label="Flame graph">'
    widths = flame.places[flame.first][1].tolist()
    yield from (_box(flame, place, width, links) for place, width in enumerate(widths))
    yield "</div></div>"
    if flame.legend:
        entries = (
            f'<li><span class="swatch c{_css_color(color)}"></span>{escape_html(text)}</li>'
            for text, color in flame.legend
        )
        yield f'<ul class="legend" aria-label="Self cost of libraries">{"".join(entries)}</ul>'
    yield '<p id="told" aria-live="polite">\N{NO-BREAK SPACE}</p>'


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
    legend = [color for _, color in flame.legend]
    for color in sorted(set(map(_css_color, [*flame.colors, *legend]))):
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
    yield _polyline(places, heights)
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
                lines.append(_polyline(places[begin:end], heights[begin:end]))
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


def _polyline(places: Sequence[float], heights: Sequence[float]) -> str:
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


_BAR_STEPS = 50  # lengths of the bar of a change
_ESTIMATED = "The self cost is partly an estimate"
_TAB_WIDTH = 4

# the lengths of the bars behind percentages, and of those of changes, which fill half a strip
BAR_STYLES = (
    *(f".p{share}{{--w:{share}%}}" for share in range(1, 101)),
    *(f"td.b{at}{{--length:{4 * at / _BAR_STEPS:g}rem}}" for at in range(1, _BAR_STEPS + 1)),
)


# ---------------------------------------------------------------- rows of a table


def listing_markup(listing: Listing, attributes: str = "") -> Iterator[str]:
    """Yield the rows below the titles; `attributes` are those of the table."""
    columns, nodes = listing.table.columns, listing.table.nodes
    yield f"<table{attributes}><thead><tr>"
    yield from (_title(listing, column) for column in columns)
    yield "</tr></thead><tbody>"
    for some in chunks(listing.rows):
        cells_of = [list(_cells(listing, column, some)) for column in columns]
        for row, *cells in zip(some.tolist(), *cells_of, strict=True):
            function = row if nodes is None else int(nodes[row])
            anchor = f' id="f{function}"' if function in listing.anchored else ""
            yield f"<tr{anchor}>{''.join(cells)}</tr>"
    yield "</tbody></table>"


def _title(listing: Listing, column: Column) -> str:
    is_name = isinstance(column.cells, FullNameCells)
    direction = "ascending" if is_name else "descending"
    order = f' aria-sort="{direction}"' if listing.sorted_by == column.key else ""
    if column.is_number:
        kind = "n c" if column.cells.is_change and column.cells.has_bars else "n"
        return f'<th scope="col" class="{kind}"{order}>{column.title}</th>'
    title = f'<th scope="col"{order}>{column.title}</th>'
    if is_name and listing.has_files:
        title += '<th scope="col" class="w">File</th><th scope="col" class="w">Object</th>'
    return title


def _cells(listing: Listing, column: Column, rows: Int64Array) -> Iterator[str]:
    cells = column.cells
    if column.is_number:
        for row, text in zip(rows.tolist(), cells.texts(rows), strict=True):
            yield f'<td class="{_number_class(cells, row)}">{escape_html(text)}</td>'
    elif isinstance(cells, FullNameCells):
        for row, name in zip(rows.tolist(), cells.names(rows), strict=True):
            yield _name(listing, row, FunctionName(*name))
    else:
        for row, value in zip(rows.tolist(), cells.values(rows), strict=True):
            chart, word = "", escape_html(str(value))
            if isinstance(cells, SeriesCells):
                chart = small_chart(cells.costs[row].tolist(), cells.present[row].tolist())
                word = f"<div>{word}</div>"
            yield f"<td>{chart}{word}</td>"


def _name(listing: Listing, row: int, name: FunctionName) -> str:
    table = listing.table
    function = row if table.nodes is None else int(table.nodes[row])
    mark, note = table.mark(row), table.note(row)
    tip = _ESTIMATED if ESTIMATE_SIGN in mark else ""
    shown = link(listing.links.get(function, ""), name.name) + mark_markup(mark, tip)
    why = f'<div class="why">{_unbroken(note)}</div>' if note else ""
    files = _file(name.file) + _file(name.object) if listing.has_files else ""
    return (
        f'<td class="name"><div class="function" title="{escape_html(name.name)}">'
        f"{shown}</div>{why}</td>{files}"
    )


def _number_class(cells: Cells, row: int) -> str:
    """Return the classes of a number: with the length of its bar, visible however short."""
    if not cells.is_change:
        if not cells.has_bars:
            return "n"
        length = round(100 * (cells.bar(row) or 0.0))
        return f"n q s p{length}" if length else "n q"
    change = cells.order()[row : row + 1].tolist()[0]
    direction = "grown" if change > 0 else "shrunk"
    if not cells.has_bars:
        return f"n {direction}"
    if not (bar := cells.bar(row)):
        return "n c"
    return f"n c {direction} b{max(1, round(_BAR_STEPS * abs(bar)))}"


def _file(path: str) -> str:
    """Return the cell of a path: its last part, with the whole path as tooltip."""
    if path == UNKNOWN:
        return '<td class="w faint">–</td>'
    last = path.replace("\\", "/").rpartition("/")[2] or path
    return f'<td class="w" title="{escape_html(path)}">{escape_html(last)}</td>'


def _unbroken(text: str) -> str:
    """Return a sentence whose lines never end within a number."""
    return escape_html(text).replace("\N{THIN SPACE}", "\N{NARROW NO-BREAK SPACE}")


# ---------------------------------------------------------------- what the script sorts by


def sort_keys(listing: Listing) -> list[list[Value]]:
    """Return what the rows are sorted by in each column of numbers."""
    columns = [
        [None if number != number else json_number(number) for number in numbers]
        for numbers in (
            column.cells.order()[listing.rows].tolist()
            for column in listing.table.columns
            if column.is_number
        )
    ]
    return [list(row) for row in zip(*columns, strict=True)]


def costs_of_events(functions: FunctionList) -> dict[str, object]:
    """Return the events, and of each function count of calls, inclusive and self costs in all."""
    rows, events = functions.listing.rows, functions.events
    columns = [
        [list(map(json_number, costs[rows].tolist())) for costs in (each.inclusive, each.self_cost)]
        for each in events
    ]
    return {
        "events": [
            {"name": cell_text(each.event.name), "total": json_number(int(each.total))}
            for each in events
        ],
        "event": functions.event,
        "functions": [
            [called, [inclusive[row] for inclusive, _ in columns], [own[row] for _, own in columns]]
            for row, called in enumerate(functions.called)
        ],
    }


# ---------------------------------------------------------------- texts, and lines of sources


def grid_markup(grid: Grid) -> Iterator[str]:
    last = len(grid.titles) - 1

    def kind(place: int) -> str:
        is_text = place == 0 or (grid.has_sentences and place == last)
        return "" if is_text else ' class="n"'

    yield '<div class="wide"><table><thead><tr>'
    for place, title in enumerate(grid.titles):
        yield f'<th scope="col"{kind(place)}>{title}</th>'
    yield "</tr></thead><tbody>"
    for number, row in enumerate(grid.rows):
        asides = [
            f' <span class="faint">{escape_html(text)}</span>' if text else ""
            for text in (grid.asides[number] if grid.asides else ())
        ]
        asides += [""] * (len(row) - len(asides))
        cells = (
            f"<td{kind(place)}>{escape_html(text)}{aside}</td>"
            for place, (text, aside) in enumerate(zip(row, asides, strict=True))
        )
        yield f"<tr>{''.join(cells)}</tr>"
    yield "</tbody></table></div>"


def excerpt_markup(excerpt: Excerpt) -> Iterator[str]:
    """Yield the lines of a source: of a comparison they have the numbers of both sides."""
    is_compared = len(excerpt.lines[0].numbers) > 1
    costs, numbers, kind, lines = ["Self", "Inclusive"], ["Line"], "code", ""
    if is_compared:
        costs, numbers = ["Base", "New", "Change"], ["Base line", "New line"]
        kind, lines = "code changed", " l"
    yield f'<div class="wide"><table class="{kind}"><thead><tr>'
    yield from (f'<th scope="col" class="n">{title}</th>' for title in costs)
    yield from (f'<th scope="col" class="n{lines}">{title}</th>' for title in numbers)
    yield '<th scope="col">Source</th></tr></thead><tbody>'
    for line in excerpt.lines:
        if omitted := line.omitted_before:
            text = f"{format_count(omitted)} {plural(omitted, 'line')} left out"
            span = len(costs) + len(numbers)
            yield (
                f'<tr class="gap"><td colspan="{span}">⋮</td>'
                f"<td>{'lines without change' if is_compared else text}</td></tr>"
            )
        yield _line(line, lines, is_compared=is_compared)
    yield "</tbody></table></div>"
    if excerpt.omitted:
        changed = f"{plural(excerpt.omitted, 'line')} that changed less"
        what = changed if is_compared else "lines of less cost"
        yield f'<p class="faint">… and {format_count(excerpt.omitted)} more {what}.</p>'


def _line(line: ExcerptLine, lines: str, *, is_compared: bool) -> str:
    costs = [format_count(int(cost)) if cost else "" for cost in line.costs]
    level = f"h{line.heat}"
    if is_compared:
        change = int(line.costs[1] - line.costs[0])
        costs.append(signed_text(format_count(change), change) if change else "")
        level = f"{'g' if change > 0 else 's'}{abs(line.heat)}"
    heat = f' class="{level}"' if line.heat else ""
    numbers = "".join(f'<td class="n{lines} faint">{number or "–"}</td>' for number in line.numbers)
    text = escape_html((line.text or "").expandtabs(_TAB_WIDTH))
    cells = "".join(f'<td class="n">{cost}</td>' for cost in costs)
    return f"<tr{heat}>{cells}{numbers}<td><code>{text}</code></td></tr>"
