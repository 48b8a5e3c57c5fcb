"""How text for people is laid out: within a number of columns, and with hot costs in bold."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import dropwhile, groupby, takewhile
from typing import Any, TextIO

from qcachegrind_py.analysis.names.function_names import base_name
from qcachegrind_py.analysis.names.syntax import fitted_name
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.exact import CodeCells, PathCells, chunks, share_in_text
from qcachegrind_py.present.page import Facts, Grid, Listing, Note, Page, Rules, Verdict
from qcachegrind_py.present.table import Cells, Column, no_text
from qcachegrind_py.profile.tables import Int64Array
from qcachegrind_py.visible_text import visible_text

HOT_PERCENTAGE = 5.0  # costs of at least this share of the total are written in bold
_ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
_SHORTEST_NAME = 16  # columns that a name gets even where the line has fewer left
_NAMES_LOOKED_AT = 100  # of a listing, to see whether even short ones have no room
_GAP = "  "
_SHARE = len("100.00")  # columns of a percentage
_BOLD, _NORMAL = "\x1b[1m", "\x1b[0m"


@frozen(eq=True)
class TextLayout:
    """The width of the lines in columns, None if they may be of any length, and use of bold."""

    width: int | None
    is_colored: bool

    def fit(self, text: str, width: int) -> str:
        """Return the text in at most `width` columns, its middle replaced by … if it is longer.

        Characters that cannot be printed are shown by `visible_text`. Texts of any length pass
        where lines may be of any length.
        """
        text = visible_text(text)
        return text if self.width is None else _elided(text, max(1, width))

    def name(self, text: str, used: int = 0) -> str:
        """Return a name for the end of a line of which `used` columns are taken, fitted into it.

        At least 16 columns of a longer name are left, so that lines of a narrow terminal wrap
        rather than lose their meaning.
        """
        return self.fit(text, max(_SHORTEST_NAME, (self.width or 0) - used))

    def located_name(self, name: str, file: str, object_: str, used: int = 0) -> str:
        """Return a function's name, object and file for the end of a line, as `name` does.

        Where they do not fit, the paths lose their folders, then the name stands alone, without
        arguments and parameters if it has to be. A name without a file, which is no function's, is
        only fitted.
        """
        if not file:
            return self.name(name, used)
        text = visible_text(f"{name} ({object_}: {file})")
        if self.width is None or used + columns_of(text) <= self.width:
            return text
        text = visible_text(f"{name} ({base_name(object_)}: {base_name(file)})")
        if used + columns_of(text) <= self.width:
            return text
        name, room = visible_text(name), max(_SHORTEST_NAME, self.width - used)
        if columns_of(name) <= room:
            return name
        return fitted_name(name, lambda part: columns_of(part) <= room).text

    def code(self, text: str, used: int) -> str:
        """Return a printable line of code without its end where it is too long for the line.

        As with `name`, at least 16 columns of it are left.
        """
        room = max(_SHORTEST_NAME, (self.width or 0) - used)
        if self.width is None or columns_of(text) <= room:
            return text
        return _leading(text, room - 1) + _ELLIPSIS

    def path(self, text: str, used: int) -> str:
        """Return a path for the end of a line without its beginning where it is too long."""
        text = visible_text(text)
        room = max(_SHORTEST_NAME, (self.width or 0) - used)
        if self.width is None or columns_of(text) <= room:
            return text
        return _ELLIPSIS + _leading(reversed(text), room - 1)[::-1]

    def wrapped(self, text: str, indent: int) -> list[str]:
        """Return a printable text as lines that fit behind `indent` columns; at least one."""
        if self.width is None:
            return [text]
        width = max(_SHORTEST_NAME, self.width - indent)
        return textwrap.wrap(text, width, break_on_hyphens=False) or [""]

    def hot(self, text: str) -> str:
        """Return the text, which has to be printable, in bold if colours are used."""
        return f"{_BOLD}{text}{_NORMAL}" if self.is_colored else text

    def cost(self, text: str, percentage: float) -> str:
        """Return a cost as text, in bold if it is hot: 5 % of the total, or more."""
        return self.hot(text) if percentage >= HOT_PERCENTAGE else text


PLAIN_TEXT = TextLayout(None, False)


def columns_of(text: str) -> int:
    """Return how many columns a terminal needs for a printable text."""
    is_plain = text.replace(_ELLIPSIS, ".").isascii()
    return len(text) if is_plain else sum(map(_columns, text))


def left_aligned(text: str, width: int) -> str:
    """Return a printable text with blanks behind it, up to `width` columns."""
    return text + " " * (width - columns_of(text))


def _columns(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def _elided(text: str, width: int) -> str:
    if columns_of(text) <= width:
        return text
    kept = width - columns_of(_ELLIPSIS)
    begin = _leading(text, kept - kept // 2)
    end = _leading(reversed(text), kept // 2)[::-1]
    return begin + _ELLIPSIS + "".join(dropwhile(lambda c: _columns(c) == 0, end))


def _leading(characters: Iterable[str], width: int) -> str:
    """Return as many of the characters as take no more than `width` columns."""
    used = 0

    def fits(character: str) -> bool:
        nonlocal used
        used += _columns(character)
        return used <= width

    return "".join(takewhile(fits, characters))


# ---------------------------------------------------------------- blocks of pages


def write_facts(facts: Facts, stream: TextIO, layout: TextLayout = PLAIN_TEXT) -> None:
    """Write lines `Key: value` with the values aligned; only the first of equal keys in a row."""
    width = max(len(key) for key, _ in facts.lines) + len(": ")
    previous = ""
    for key, value in facts.lines:
        title = f"{key}: " if key != previous else ""
        for line in layout.wrapped(value, width):
            stream.write(f"{title:{width}}{line}\n")
            title = ""
        previous = key


def write_page(page: Page, stream: TextIO, layout: TextLayout = PLAIN_TEXT) -> None:
    """Write the blocks of a page with an empty line between them."""
    for place, block in enumerate(page.blocks):
        stream.write("\n" if place else "")
        match block:
            case Facts():
                write_facts(block, stream, layout)
            case Note():
                lines = layout.wrapped(visible_text(block.text), 0)
                stream.writelines(f"{line}\n" for line in lines)
            case Listing():
                write_listing(block, stream, layout)
            case Grid():
                _write_grid(block, stream)
            case Rules():
                for each in block.verdicts:
                    stream.writelines(f"{line}\n" for line in verdict_lines(each, layout))


def _write_grid(grid: Grid, stream: TextIO) -> None:
    widths = [max(map(columns_of, column)) for column in zip(grid.titles, *grid.rows, strict=True)]
    for first, *others in (grid.titles, *grid.rows):
        texts = [left_aligned(first, widths[0])]
        texts += (f"{text:>{width}}" for text, width in zip(others, widths[1:], strict=True))
        stream.write(f"{_GAP.join(texts).rstrip()}\n")


def verdict_lines(verdict: Verdict, layout: TextLayout) -> Iterator[str]:
    """Yield what is said of a rule."""
    end = ":" if verdict.findings else "."
    state = {True: "Failed", False: "Passed", None: "Not checked"}[verdict.is_met]
    rule = f"{state}: rule {visible_text(verdict.rule)} {visible_text(verdict.sentence)}{end}"
    yield layout.hot(rule) if verdict.is_met else rule
    for finding in verdict.findings:
        numbers = f": {visible_text(finding.numbers)}" if finding.numbers else ""
        name = finding.name
        used = len(_GAP) + columns_of(numbers)
        yield f"{_GAP}{layout.located_name(name.name, finding.place, name.object, used)}{numbers}"
    if verdict.more:
        yield f"{_GAP}… and {verdict.more:,} more"
    for advice in verdict.advice:
        yield f"{_GAP}{visible_text(advice)}"


def write_listing(listing: Listing, stream: TextIO, layout: TextLayout = PLAIN_TEXT) -> None:
    """Write titles and rows in columns that are as wide as their widest cell.

    Numbers stand on the right, words on the left, and the names of functions at the end of lines.
    Columns that have no room beside each other follow below, with the names again.
    """
    for place, band in enumerate(_bands(listing, layout)):
        stream.write("\n" if place else "")
        lines = _Lines(band, layout)
        stream.writelines(f"{line}\n" for line in lines.titles())
        begin = 0
        for rows in chunks(band.rows):
            stream.write("\n".join(lines.lines(rows, begin)) + "\n")
            begin += len(rows)
    if listing.more:
        stream.write(f"{listing.more}\n")


def _bands(listing: Listing, layout: TextLayout) -> list[Listing]:
    """Return the listing, or several with as many columns as fit; those of a group stay together.

    Code gives way to its columns: whoever describes it chooses as many as have room.
    """
    table = listing.table
    *columns, names = table.columns
    if layout.width is None or type(names.cells) is CodeCells:
        return [listing]
    some = names.cells.texts(listing.rows[:_NAMES_LOOKED_AT])
    longest = max((columns_of(visible_text(each)) for each in some), default=0)
    room = layout.width - min(_SHORTEST_NAME, longest + len("> ") * (table.sign is not no_text))
    widths = {
        id(each): len(_GAP) + _whole_width(each, _width(each, listing.rows)) for each in columns
    }
    if sum(widths.values()) <= room:
        return [listing]
    blocks = list[list[Column]]()
    for group, members in groupby(columns, key=lambda each: each.group):
        block = list(members)
        fits = group and sum(widths[id(each)] for each in block) <= room
        blocks += [block] if fits else [[each] for each in block]
    bands, left = [list[Column]()], room
    for block in blocks:
        width = sum(widths[id(each)] for each in block)
        if bands[-1] and width > left:
            bands.append([])
            left = room
        bands[-1] += block
        left -= width
    first, *others = (replace(table, columns=(*band, names)) for band in bands)
    return [
        replace(listing, table=first),
        *(replace(listing, table=replace(each, note=no_text), title="") for each in others),
    ]


def _width(column: Column, rows: Int64Array) -> int:
    cells = column.cells
    if cells.is_number:
        return max(len(column.title), cells.width(rows))
    return max(len(column.title), *map(columns_of, cells.texts(rows)))


def _whole_width(column: Column, width: int) -> int:
    """Return the width of a column with the percentages beside it."""
    return width + (len(_GAP) + _SHARE) * column.cells.has_shares


class _Lines:
    """The lines of a listing, some thousand rows at a time.

    Cells are formatted column by column: 100,000 rows take 0.25 s, against 0.8 s cell by cell.
    """

    def __init__(self, listing: Listing, layout: TextLayout) -> None:
        self._listing, self._layout = listing, layout
        *self._columns, self._names = listing.table.columns
        self._widths = [_width(column, listing.rows) for column in self._columns]
        self._whole_widths = list(map(_whole_width, self._columns, self._widths))
        self._used = sum(self._whole_widths) + len(_GAP) * len(self._columns)  # before the name

    def titles(self) -> Iterator[str]:
        """Yield the title of the listing, what columns have in common, and their own titles."""
        if self._listing.title:
            yield self._listing.title
        if groups := _GAP.join(self._groups()).rstrip():
            yield groups
        titles = [
            f"{column.title:>{width}}" + f"{_GAP}{'%':>{_SHARE}}" * column.cells.has_shares
            if column.is_number
            else left_aligned(column.title, width)
            for column, width in zip(self._columns, self._widths, strict=True)
        ]
        yield _GAP.join((*titles, self._names.title))

    def _groups(self) -> Iterator[str]:
        """Yield what neighbouring columns have in common, as wide as they are together."""
        both = zip(self._columns, self._whole_widths, strict=True)
        for group, columns in groupby(both, key=lambda each: each[0].group):
            width = sum(width + len(_GAP) for _, width in columns) - len(_GAP)
            yield left_aligned(self._layout.fit(group, width), width)

    def lines(self, rows: Int64Array, begin: int) -> list[str]:
        """Return the lines of these rows, which begin at a place of the listing."""
        table, numbers = self._listing.table, rows.tolist()
        forms, columns = list[str](), list[list[Any]]()
        for column, width in zip(self._columns, self._widths, strict=True):
            form, texts = self._column(column.cells, width, rows)
            forms.append(form)
            columns += texts
        if isinstance(self._names.cells, CodeCells):
            is_path = isinstance(self._names.cells, PathCells)
            fitted = self._layout.path if is_path else self._layout.code
            ends = [fitted(text, self._used) for text in self._names.cells.texts(rows)]
        elif table.sign is table.mark is no_text:
            names = self._names.cells.names(rows)
            ends = [self._layout.located_name(*name, self._used) for name in names]
        else:
            names = self._names.cells.names(rows)
            ends = list(map(self._end, names, map(table.sign, numbers), map(table.mark, numbers)))
        form = _GAP.join((*forms, "%s"))
        lines = [(form % cells).rstrip() for cells in zip(*columns, ends, strict=True)]
        notes = () if table.note is no_text else map(table.note, numbers)
        for place, note in enumerate(notes):
            if note:
                below = f"\n{' ' * self._used}{_GAP}"
                lines[place] += below + note.replace("\n", below)
        for place in self._listing.first_of_blocks.intersection(range(begin, begin + len(rows))):
            lines[place - begin] = f"\n{lines[place - begin]}"
        return lines

    def _end(self, name: tuple[str, str, str], sign: str, mark: str) -> str:
        """Return name and location between a sign and a mark, as far as they have room."""
        mark = f" [{visible_text(mark)}]" if mark else ""
        used = self._used + columns_of(sign + mark)
        return f"{sign}{self._layout.located_name(*name, used)}{mark}"

    def _column(self, cells: Cells, width: int, rows: Int64Array) -> tuple[str, list[list[Any]]]:
        """Return the format of a column and what fills it: texts, and percentages if it has them.

        On a terminal, the texts of hot costs are in bold.
        """
        form, texts = f"%{width}s", list[list[Any]]([cells.texts(rows)])
        if not cells.is_number:
            return "%s", [[left_aligned(text, width) for text in texts[0]]]
        if cells.has_shares:
            shares = cells.shares(rows)
            is_each = all(each is not None and each >= 0 for each in shares)
            form += f"{_GAP}%{_SHARE}.2f" if is_each else f"{_GAP}%{_SHARE}s"
            texts.append(
                shares
                if is_each
                else ["" if each is None else share_in_text(each) for each in shares]
            )
        if not self._layout.is_colored:
            return form, texts
        weights = [weight or 0.0 for weight in cells.weights(rows)]
        return "%s", [
            list(map(self._layout.cost, map(form.__mod__, zip(*texts, strict=True)), weights))
        ]
