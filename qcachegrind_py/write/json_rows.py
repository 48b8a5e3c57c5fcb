"""JSON objects of the same shape, written from columns rather than one by one."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from json.encoder import encode_basestring_ascii as quoted
from typing import Any, TextIO

from qcachegrind_py.present.exact import Member, chunks
from qcachegrind_py.present.page import Records
from qcachegrind_py.present.table import Cells
from qcachegrind_py.profile.tables import Int64Array, to_display

_OBJECTS_AT_ONCE = 2000  # some 300 kB of text


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


def records(member: Member, rows: Int64Array) -> Iterator[Iterable[str]]:
    """Yield the objects of these rows, some thousand at a time, or large ones one by one."""
    if isinstance(member, Cells):
        yield from (_texts(member.values(rows[place : place + 1])) for place in range(len(rows)))
        return
    for some in chunks(rows):
        columns: list[Sequence[object]] = []
        template = _template(member, some, columns)
        yield map(template.__mod__, zip(*columns, strict=True))


def _template(member: Member, rows: Int64Array, columns: list[Sequence[object]]) -> str:
    """Return the format of what these rows have, and add what fills it to `columns`."""
    if isinstance(member, Cells):
        columns.append(_texts(member.values(rows)))
        return "%s"
    if not isinstance(member, Mapping):
        return f"[{', '.join(_template(each, rows, columns) for each in member)}]"
    parts = (
        f"{quoted(key).replace('%', '%%')}: {_template(each, rows, columns)}"
        for key, each in member.items()
    )
    return f"{{{', '.join(parts)}}}"


def _texts(values: Sequence[Any]) -> Sequence[Any]:
    """Return values as JSON, in ASCII, or integers; null for numbers that are not finite."""
    kinds = set(map(type, values))
    if kinds <= {int}:
        return values
    if kinds <= {str}:
        return [quoted(text if text.isascii() else to_display(text)) for text in values]
    if kinds <= {int, float, type(None)}:
        return [number if isinstance(number, int) else _float_text(number) for number in values]
    return [json.dumps(value, allow_nan=False) for value in values]


def _float_text(number: float | None) -> str:
    return "null" if number is None or not math.isfinite(number) else float.__repr__(number)
