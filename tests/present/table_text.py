"""Tables as lines of text, in the order in which a list shows their rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from qcachegrind_py.analysis.comparison.comparison import row_marks
from qcachegrind_py.present.calls import CALLEE, CALLER, direct_call_table, transitive_call_table
from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.present.functions import group_table
from qcachegrind_py.present.table import Column, NumberCells, Shown, Table, Value
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.ids import NodeId
from qcachegrind_py.profile.tables import BoolArray
from tests.compared_graphs import compared_profiles
from tests.profile_text import PLAIN, queries_for, view_query

PERCENT = CostUnit.PERCENT
OF_PARENT = CostUnit.PERCENT_OF_PARENT


def query_of(folder: Path, drawing: str, event: str = "Ir", **settings: Any) -> ViewQuery:
    """The query of a profile given as text, by default with absolute costs."""
    return view_query(queries_for(folder, drawing), event, **settings)


def compared_query(
    folder: Path, base: str, new: str, active: str = "main", **settings: Any
) -> ViewQuery:
    """The query of two profiles given as text, with absolute costs and an active function."""
    compared = compared_profiles(folder, base, new)
    queries = compared.queries
    function = queries.names.with_name(active)[0]
    settings = {
        "scope": compared.new,
        "base_parts": compared.base.parts,
        "function": function,
        "numbers": PLAIN,
        **settings,
    }
    alone = view_query(queries, **settings)
    return ViewQuery(queries, alone.context, compared, marks=row_marks(compared))


def direct(query: ViewQuery, *, up: bool = False) -> Table:
    """The callees of the active function, or its callers."""
    return direct_call_table(query, CALLER if up else CALLEE)


def transitive(query: ViewQuery, *, up: bool = False) -> Table:
    """All callees of the active function, or all its callers."""
    return transitive_call_table(query, CALLER if up else CALLEE)


def groups(query: ViewQuery, shown: BoolArray | None = None) -> Table:
    """The groups; their counts are of the functions of a mask, or of all."""
    return group_table(query, query.groups().counts(shown, query.queries.function_count))


def node_named(query: ViewQuery, name: str) -> NodeId:
    """The function or cycle that is shown with this name."""
    labels = query.labels()
    return next(NodeId(node) for node in range(len(labels)) if labels.name(NodeId(node)) == name)


def rows_by(table: Table, key: str = "", *, ascending: bool = False) -> list[int]:
    """The rows sorted by a column, equal ones as they are; by the first one without a key."""
    column = table.column(key) if key else table.columns[0]
    order = column.cells.order()
    return np.argsort(order if ascending else -order, kind="stable").tolist()


def table_rows(table: Table, *keys: str, by: str = "", ascending: bool = False) -> list[str]:
    """The cells of these columns, or of those that are always shown: a line per row."""
    columns = chosen(table, *keys)
    rows = range(table.length) if table.is_in_order else rows_by(table, by, ascending=ascending)
    return [" | ".join(column.cells.text(row) for column in columns) for row in rows]


def headings(table: Table, *keys: str) -> list[str]:
    """The titles of these columns, or of those that are always shown."""
    return [column.heading for column in chosen(table, *keys)]


def written(table: Table, *keys: str, by: str = "") -> list[list[Value]]:
    """The values of these columns for other programs."""
    rows = np.array(rows_by(table, by), np.int64)
    return [
        list(values)
        for values in zip(
            *(column.cells.values(rows) for column in chosen(table, *keys)), strict=True
        )
    ]


def row_named(table: Table, name: str) -> int:
    """The row with this name, whatever is behind it."""
    texts = map(table.column("name").cells.text, range(table.length))
    return next(row for row, text in enumerate(texts) if text.split(" ")[0] == name)


def cell_tip(table: Table, key: str, row: int) -> str:
    """What the cell does not say."""
    cells = table.column(key).cells
    assert isinstance(cells, NumberCells)
    return cells.tip(row)


def bars(table: Table, key: str, by: str = "") -> list[float | None]:
    """The lengths of the bars of a column."""
    cells = table.column(key).cells
    assert isinstance(cells, NumberCells)
    return [cells.bar(row) for row in rows_by(table, by)]


def chosen(table: Table, *keys: str) -> tuple[Column, ...]:
    """The columns with these keys, or those that are always shown."""
    if keys:
        return tuple(map(table.column, keys))
    return tuple(column for column in table.columns if column.shown is Shown.ALWAYS)
