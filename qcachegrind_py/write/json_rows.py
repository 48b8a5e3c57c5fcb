"""JSON objects of the same shape, written from columns rather than one by one."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from json.encoder import encode_basestring_ascii as quoted
from typing import Any, TextIO

from qcachegrind_py.present.exact import ObjectCells, PairCells, Record, Values, WordCells, chunks
from qcachegrind_py.present.page import Records
from qcachegrind_py.present.table import NumberCells
from qcachegrind_py.profile.tables import Int64Array, to_display

Cells = Sequence[str | int | float]  # the JSON of each row, or a finite number
Members = Mapping[str, "Cells | Members"]

_OBJECTS_AT_ONCE = 2000  # some 300 kB of text


def text_cells(texts: Iterable[str]) -> Cells:
    """Return texts as JSON, in ASCII."""
    return [quoted(text if text.isascii() else to_display(text)) for text in texts]


def number_cells(numbers: Iterable[int | float | None]) -> Cells:
    """Return numbers as JSON: null for those that are missing, infinite or undefined."""
    return [number if isinstance(number, int) else _float_cell(number) for number in numbers]


def _float_cell(number: float | None) -> str:
    return "null" if number is None or not math.isfinite(number) else float.__repr__(number)


def json_rows(members: Members) -> Iterator[str]:
    """Yield the object of each row; the columns, in nested objects or not, are of equal length."""
    columns: list[Cells] = []
    template = _template(members, columns)
    yield from map(template.__mod__, zip(*columns, strict=True))


def _template(members: Members, columns: list[Cells]) -> str:
    """Return the format of an object, and add its columns to `columns`."""
    parts = []
    for key, cells in members.items():
        if isinstance(cells, Mapping):
            value = _template(cells, columns)
        else:
            value = "%s"
            columns.append(cells)
        parts.append(f"{quoted(key).replace('%', '%%')}: {value}")
    return f"{{{', '.join(parts)}}}"


def json_chunks(objects: Iterator[Mapping[str, Any]]) -> Iterator[list[str]]:
    """Yield objects of any shape as JSON, two thousand at a time; raises ValueError for NaN."""
    while chunk := [
        json.dumps(each, allow_nan=False) for each in islice(objects, _OBJECTS_AT_ONCE)
    ]:
        yield chunk


def write_list(key: str, chunks: Iterable[Iterable[str]], stream: TextIO) -> None:
    """Write another member of an object: a list of these objects, chunk by chunk."""
    stream.write(f', "{key}": [')
    separator = ""
    for objects in chunks:
        stream.write(separator + ", ".join(objects))
        separator = ", "
    stream.write("]")


# ---------------------------------------------------------------- what present describes


def write_records(page: Records, stream: TextIO) -> None:
    """Write an object with its lists row by row; raises ValueError for NaN elsewhere."""
    stream.write(json.dumps(page.before, allow_nan=False)[:-1])
    for key, (record, rows) in page.lists.items():
        write_list(key, records(record, rows), stream)
    after = json.dumps(page.after, allow_nan=False)[1:]
    stream.write(f", {after}\n" if page.after else "}\n")


def records(record: Record | ObjectCells, rows: Int64Array) -> Iterator[Iterable[str]]:
    """Yield the objects of these rows, some thousand at a time, or large ones one by one."""
    if isinstance(record, ObjectCells):
        yield from ([_object(record, rows[place : place + 1])] for place in range(len(rows)))
        return
    for some in chunks(rows):
        yield json_rows(_members(record, some))


def _object(cells: ObjectCells, row: Int64Array) -> str:
    (value,) = cells.values(row)
    return json.dumps(value, allow_nan=False)


def _members(record: Record, rows: Int64Array) -> Members:
    return {
        key: _members(cells, rows) if isinstance(cells, Mapping) else _cells(cells, rows)
        for key, cells in record.items()
    }


def _cells(cells: Values, rows: Int64Array) -> Cells:
    if isinstance(cells, PairCells):
        sides = (number_cells(side.values(rows)) for side in (cells.base, cells.new))
        return [f"[{base}, {new}]" for base, new in zip(*sides, strict=True)]
    values = cells.values(rows)
    if isinstance(cells, WordCells):
        return text_cells(values)
    if isinstance(cells, NumberCells):
        return number_cells(values)
    return [json.dumps(value, allow_nan=False) for value in values]
