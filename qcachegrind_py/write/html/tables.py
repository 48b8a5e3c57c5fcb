"""Tables of a page, and what the script needs to sort the one of functions."""

from __future__ import annotations

from collections.abc import Iterator

from qcachegrind_py.present.exact import (
    ESTIMATE_SIGN,
    FullNameCells,
    chunks,
)
from qcachegrind_py.present.excerpts import Excerpt, ExcerptLine
from qcachegrind_py.present.history import SeriesCells
from qcachegrind_py.present.page import FunctionList, Grid, Listing
from qcachegrind_py.present.table import Cells, Column, FunctionName, Value, cell_text
from qcachegrind_py.profile.numbers import format_count, plural, signed_text
from qcachegrind_py.profile.tables import UNKNOWN, Int64Array
from qcachegrind_py.write.html.document import escape_html, json_number, link, mark_markup
from qcachegrind_py.write.html.pictures import small_chart

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
    """Yield texts in columns."""
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
