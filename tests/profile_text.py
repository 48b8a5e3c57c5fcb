"""Write profiles from functions and arrows, dump models as lines of cells, write large files.

Profile text has a line per function: name, file and object, self costs, and calls with their count
and cost::

    events: Ir Dr
    main@a.c@prog 10,1 -> f 3x40,4, g 1x50,5
    f@b.c 40,4
    g 50,5

Header lines such as `events: Ir Dr` are copied, and `part: 2` begins another part; without them
Ir is the only event.
"""

from __future__ import annotations

import gzip
import re
from dataclasses import replace
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractItemModel, QModelIndex, Qt

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.formats.callgrind.scanner import COMPILED
from qcachegrind_py.formats.loading import load
from qcachegrind_py.present.context import Context, CostUnit
from qcachegrind_py.present.functions import NO_FUNCTIONS, function_table
from qcachegrind_py.present.table import Shown
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.numbers import NumberStyle
from qcachegrind_py.views.tables.table_model import TableModel

EXAMPLE = Path(__file__).resolve().parents[1] / "resources/example/callgrind.out.templates.xz"
THIN = "\N{THIN SPACE}"
PLAIN = NumberStyle()
WHOLE_SCOPE = Scope()

_HEADER = re.compile(r"[a-z]+: ")
_CALL = re.compile(r"(\S+) (\d+)x(-?\d+(?:,-?\d+)*)")


def profile_text(drawing: str) -> str:
    """Convert profile text to the Callgrind format."""
    lines = [line.strip() for line in drawing.splitlines() if line.strip()]
    rows = [line for line in lines if not _HEADER.match(line)]
    specs = {spec.split("@")[0]: spec for spec in (row.split()[0] for row in rows)}
    first = lines.index(rows[0]) if rows else len(lines)
    text = lines[:first]
    if not any(header.startswith("events:") for header in text):
        text.append("events: Ir")
    text.append("")
    for line in lines[first:]:
        if _HEADER.match(line):
            text.append(line)
            continue
        head, _, calls = line.partition(" -> ")
        spec, costs = head.split()
        text += _named(spec, "ob", "fl", "fn")
        text.append(f"1 {costs.replace(',', ' ')}")
        for callee, count, cost in _CALL.findall(calls):
            text += _named(specs.get(callee, callee), "cob", "cfi", "cfn")
            text += [f"calls={count} 1", f"1 {cost.replace(',', ' ')}"]
    return "\n".join(text) + "\n"


def _named(spec: str, object_key: str, file_key: str, function_key: str) -> list[str]:
    name, file, object_ = [*spec.split("@"), "???", "???"][:3]
    return [f"{object_key}={object_}", f"{file_key}={file}", f"{function_key}={name}"]


def write_profile_text(folder: Path, drawing: str, name: str = "callgrind.out.1") -> Path:
    """Write profile text as a Callgrind file."""
    path = folder / name
    path.write_text(profile_text(drawing), encoding="utf-8")
    return path


def queries_for(folder: Path, drawing: str) -> ProfileQueries:
    """The queries of a profile given as text."""
    return ProfileQueries(load(write_profile_text(folder, drawing)))


def event_named(queries: ProfileQueries, name: str) -> EventType:
    """The event with this name, which must exist."""
    event = queries.events.find(name)
    assert event is not None
    return event


def view_query(queries: ProfileQueries, event: str = "Ir", **settings: Any) -> ViewQuery:
    """The queries bound to a context with absolute costs of an event, and these settings."""
    context = Context(
        events=queries.events,
        event=event_named(queries, event),
        unit=CostUnit.ABSOLUTE,
        numbers=PLAIN,
        scope=WHOLE_SCOPE,
    )
    return ViewQuery(queries, replace(context, **settings))


def function_model(queries: ProfileQueries, event: str = "Ir", **settings: Any) -> TableModel:
    """The function list as a model, by default with absolute costs."""
    model = TableModel(NO_FUNCTIONS)
    model.show(function_table(view_query(queries, event, **settings)))
    return model


def dump_rows(model: QAbstractItemModel, *columns: int, all_columns: bool = False) -> list[str]:
    """The cells of a model as text: a line per row, separated by bars.

    Without column numbers, the columns that are shown by default, or all.
    """
    columns = columns or _columns(model, all_columns)
    return [
        " | ".join(str(model.index(row, column).data()) for column in columns)
        for row in range(model.rowCount())
    ]


def _columns(model: QAbstractItemModel, all_columns: bool) -> tuple[int, ...]:
    if not isinstance(model, TableModel):
        return tuple(range(model.columnCount()))
    lasting = lasting_columns(model)
    shown = [all_columns or model.columns[n].shown is Shown.ALWAYS for n in lasting]
    return tuple(compress(lasting, shown))


def lasting_columns(model: TableModel) -> list[int]:
    """The columns that are there whether or not profiles are compared."""
    columns = enumerate(model.columns)
    return [number for number, column in columns if not column.is_comparison]


def dump_tree(model: QAbstractItemModel, depth: int, *columns: int) -> list[str]:
    """The cells of a tree down to a depth: a line per node, indented by two spaces per level."""
    columns = columns or tuple(range(model.columnCount()))
    lines: list[str] = []

    def add(parent: QModelIndex, level: int) -> None:
        for row in range(model.rowCount(parent)):
            cells = [str(model.index(row, column, parent).data()) for column in columns]
            lines.append("  " * level + " | ".join(cells))
            if level < depth:
                add(model.index(row, 0, parent), level + 1)

    add(QModelIndex(), 0)
    return lines


def titles(model: QAbstractItemModel, *, all_columns: bool = False) -> list[str]:
    """The column titles of a model, without the space reserved for the sort arrow.

    Of the columns that are shown by default, or of all.
    """
    return [
        str(model.headerData(column, Qt.Orientation.Horizontal)).strip()
        for column in _columns(model, all_columns)
    ]


def write_many_functions(path: Path, functions: int) -> Path:
    """Write a file in which function number n costs n, with names in no order."""
    lines = [f"fn=name{n * 7919 % functions}\n1 {n}\n" for n in range(1, functions + 1)]
    path.write_text("events: Ir\n\nfl=a.c\n" + "".join(lines))
    return path


def write_slow_file(path: Path, megabytes: int) -> Path:
    """Write a gzip file of this many megabytes unpacked, a thirtieth if the scanner is interpreted.

    Members of a gzip file may be concatenated, so only one small block has to be compressed.
    """
    lines = "".join(f"fn=f{n}\n" + "".join(f"{k} {k}\n" for k in range(400)) for n in range(300))
    blocks = max(1, megabytes * 1_000_000 // len(lines) // (1 if COMPILED else 30))
    cost = 300 * sum(range(400)) * blocks
    header = f"events: Ir\nsummary: {cost}\n\nfl=a.c\n"
    block = gzip.compress(lines.encode(), 1)
    path.write_bytes(gzip.compress(header.encode()) + blocks * block)
    return path


def exported(model: TableModel, row: int, column: int) -> str:
    """A cell as other programs get it, by its place in the list."""
    value = model.columns[column].cells.values(np.array([model.record(model.index(row, 0))]))[0]
    return "" if value is None else str(value)
