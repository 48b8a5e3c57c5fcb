"""Tables of a page, and what the script needs to sort and to search the one of functions."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from qcachegrind_py.present.exact import (
    ESTIMATE_SIGN,
    ExactCells,
    FullNameCells,
    chunks,
)
from qcachegrind_py.present.table import Column, FunctionName, Table, Value
from qcachegrind_py.profile.numbers import format_count, plural
from qcachegrind_py.profile.tables import UNKNOWN, Int64Array
from qcachegrind_py.write.html.charts import ChartCells
from qcachegrind_py.write.html.markup import escape_html, json_number, link, mark_markup

_BAR_STEPS = 50  # lengths of the bar of a change
_ESTIMATED = "The self cost is partly an estimate"


@dataclass(frozen=True, slots=True, eq=False)
class TableMarkup:
    """How a table is written: where its names lead, and which functions can be led to."""

    table: Table
    links: Mapping[int, str] = field(default_factory=dict)  # places of the page by function
    anchored: Collection[int] = ()  # functions whose rows are such places
    has_files: bool = True  # whether files and objects stand behind the names
    sorted_by: tuple[str, str] = ("", "")  # key of a column, and whether it is ascending

    def write(self, rows: Int64Array, attributes: str = "") -> Iterator[str]:
        """Yield these rows below the titles; `attributes` are those of the table."""
        yield f"<table{attributes}><thead><tr>"
        yield from map(self._title, self.table.columns)
        yield "</tr></thead><tbody>"
        for some in chunks(rows):
            columns = [list(self._cells(column, some)) for column in self.table.columns]
            for row, *cells in zip(some.tolist(), *columns, strict=True):
                function = row if self.table.nodes is None else int(self.table.nodes[row])
                anchor = f' id="f{function}"' if function in self.anchored else ""
                yield f"<tr{anchor}>{''.join(cells)}</tr>"
        yield "</tbody></table>"

    def sort_keys(self, rows: Int64Array) -> list[list[Value]]:
        """Return what these rows are sorted by in each column of numbers."""
        columns = [
            [None if number != number else json_number(number) for number in numbers]
            for numbers in (
                column.cells.numbers()[rows].tolist()
                for column in self.table.columns
                if isinstance(column.cells, ExactCells)
            )
        ]
        return [list(row) for row in zip(*columns, strict=True)]

    # ---------------------------------------------------------------- cells

    def _title(self, column: Column) -> str:
        key, direction = self.sorted_by
        order = f' aria-sort="{direction}"' if key == column.key else ""
        if isinstance(column.cells, ExactCells):
            kind = "n c" if column.cells.is_change and column.cells.has_bars else "n"
            return f'<th scope="col" class="{kind}"{order}>{column.title}</th>'
        title = f'<th scope="col"{order}>{column.title}</th>'
        if isinstance(column.cells, FullNameCells) and self.has_files:
            title += '<th scope="col" class="w">File</th><th scope="col" class="w">Object</th>'
        return title

    def _cells(self, column: Column, rows: Int64Array) -> Iterator[str]:
        cells = column.cells
        if isinstance(cells, ExactCells):
            for row, text in zip(rows.tolist(), cells.texts(rows), strict=True):
                yield f'<td class="{_number_class(cells, row)}">{escape_html(text)}</td>'
        elif isinstance(cells, FullNameCells):
            for row, name in zip(rows.tolist(), cells.names(rows), strict=True):
                yield self._name(row, FunctionName(*name))
        elif isinstance(cells, ChartCells):
            yield from (f"<td>{cells.markup(row)}</td>" for row in rows.tolist())
        else:
            yield from (f"<td>{escape_html(cells.text(row))}</td>" for row in rows.tolist())

    def _name(self, row: int, name: FunctionName) -> str:
        table = self.table
        function = row if table.nodes is None else int(table.nodes[row])
        mark, note = table.mark(row), table.note(row)
        tip = _ESTIMATED if ESTIMATE_SIGN in mark else ""
        shown = link(self.links.get(function, ""), name.name) + mark_markup(mark, tip)
        why = f'<div class="why">{_unbroken(note)}</div>' if note else ""
        files = _file(name.file) + _file(name.object) if self.has_files else ""
        return (
            f'<td class="name"><div class="function" title="{escape_html(name.name)}">'
            f"{shown}</div>{why}</td>{files}"
        )


def _number_class(cells: ExactCells, row: int) -> str:
    """Return the classes of a number: with the length of its bar, visible however short."""
    if not cells.is_change:
        if not cells.has_bars:
            return "n"
        length = round(100 * (cells.bar(row) or 0.0))
        return f"n q s p{length}" if length else "n q"
    change = cells.numbers()[row : row + 1].tolist()[0]
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


# ---------------------------------------------------------------- around tables


def function_section(
    title: str, caption: str, table: TableMarkup, rows: Int64Array, controls: str = ""
) -> Iterator[str]:
    """Yield the section of the functions; `controls` is markup beside the search."""
    yield f'<section id="functions"><h2>{title}</h2>'
    yield f"<p>{escape_html(caption)}</p>"
    yield (
        '<div class="bar" id="tools" hidden><label>Search <input type="search" id="search" '
        f'placeholder="function, file or object"></label>{controls}'
        '<output id="found" aria-live="polite"></output></div>'
    )
    yield '<div class="wide">'
    yield from table.write(rows, ' id="table"')
    yield "</div></section>"


def caption(shown: int, count: int) -> str:
    """Return how many functions are on the page."""
    if shown == count:
        return f"{format_count(count)} {plural(count, 'function')}."
    return (
        f"The first {format_count(shown)} of {format_count(count)} functions; "
        "the others are not in this file."
    )


def share_styles() -> Iterator[str]:
    """Yield the CSS rules for the lengths of the bars behind percentages."""
    return (f".p{share}{{--w:{share}%}}" for share in range(1, 101))


def change_styles() -> Iterator[str]:
    """Yield the CSS rules for the bars of changes, of which the longest fill half a strip."""
    return (
        f"td.b{step}{{--length:{4 * step / _BAR_STEPS:g}rem}}" for step in range(1, _BAR_STEPS + 1)
    )
