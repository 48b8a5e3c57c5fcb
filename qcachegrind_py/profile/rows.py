"""Results that can be explored: rows with named columns, for people, notebooks and other tools."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from qcachegrind_py.profile.numbers import plural
from qcachegrind_py.visible_text import visible_text

Column = Sequence[Any] | npt.NDArray[Any]
_MOST_COLUMNS = 10  # named in a `repr`, and shown in a notebook
_MOST_ROWS = 20  # shown in a notebook


class Rows:
    """A result with one row for each function, call, line and so on.

    Iterating yields a dictionary for each row, with the names of `columns()` as keys.
    """

    __slots__ = ()

    def columns(self) -> dict[str, Column]:
        """Return the columns by name, in order and of equal length."""
        raise NotImplementedError

    def to_records(self) -> list[dict[str, Any]]:
        """Return a dictionary for each row, with Python's integers and texts as values."""
        columns = self.columns()
        lists = [_as_list(column) for column in columns.values()]
        return [dict(zip(columns, row, strict=True)) for row in zip(*lists, strict=True)]

    def to_pandas(self) -> Any:
        """Return a `pandas.DataFrame`; raise `ModuleNotFoundError` if pandas is not installed."""
        try:
            pandas = import_module("pandas")
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(
                "pandas is not installed: install it, or use to_records(), which needs nothing.",
                name="pandas",
            ) from error
        return pandas.DataFrame(self.columns())

    def top(self, count: int = 10, by: str = "") -> list[dict[str, Any]]:
        """Return the rows with the largest numbers in the column `by`, the largest first.

        By default that is the column the result is ranked by, or else the order is unchanged.
        Numbers are compared by size, so that a large decrease is among the largest changes. Raises
        `KeyError` if there is no such column.
        """
        columns = self.columns()
        chosen = self._largest(columns, count, by or self.ranked_by)
        lists = [_as_list(column, chosen) for column in columns.values()]
        return [dict(zip(columns, row, strict=True)) for row in zip(*lists, strict=True)]

    @property
    def ranked_by(self) -> str:
        """The column that says which rows matter most; empty if rows have an order of their own."""
        return ""

    @staticmethod
    def _largest(columns: dict[str, Column], count: int, by: str) -> list[int]:
        length = len(next(iter(columns.values()), ()))
        if not by:
            return list(range(min(count, length)))
        if by not in columns:
            raise KeyError(f"there is no column {by!r}, but {', '.join(columns)}")
        sizes = np.abs(np.asarray(columns[by]))
        order: list[int] = np.argsort(-sizes, kind="stable")[:count].tolist()
        return order

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.to_records())

    def __repr__(self) -> str:
        columns = self.columns()
        length = len(next(iter(columns.values()), ()))
        names = ", ".join(list(columns)[:_MOST_COLUMNS])
        more = ", …" if len(columns) > _MOST_COLUMNS else ""
        return f"<{type(self).__name__}: {length:,} {plural(length, 'row')} of {names}{more}>"

    def _repr_html_(self) -> str:
        """Return the table that notebooks show: its first columns, and the rows of `top`."""
        rows = self.top(_MOST_ROWS)
        names = list(self.columns())[:_MOST_COLUMNS]
        head = "".join(f"<th>{escape(visible_text(name))}</th>" for name in names)
        lines = ("".join(_html_cell(row[name]) for name in names) for row in rows)
        body = "".join(f"<tr>{line}</tr>" for line in lines)
        caption = f"<caption>{escape(repr(self)[1:-1])}</caption>"
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _as_list(column: Column, rows: list[int] | None = None) -> list[Any]:
    if isinstance(column, np.ndarray):
        values: list[Any] = (column if rows is None else column[rows]).tolist()
        return values
    return list(column) if rows is None else [column[row] for row in rows]


def _html_cell(value: object) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f'<td style="text-align: right">{value:,}</td>'
    return f'<td style="text-align: left">{escape(visible_text(str(value)))}</td>'


def costs_by_event(events: Sequence[str], **kinds: npt.NDArray[Any]) -> dict[str, Column]:
    """Return a column for each event and kind of cost, such as `self_Ir` and `inclusive_Ir`.

    The costs of each kind have the shape (events, rows).
    """
    return {
        f"{kind}_{event}": values[number]
        for number, event in enumerate(events)
        for kind, values in kinds.items()
    }
