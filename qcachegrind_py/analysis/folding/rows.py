"""Rows of the tables of a profile, chosen and put behind each other."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from qcachegrind_py.profile.tables import BoolArray, Calls, Int64Array, Jumps

_Rows = TypeVar("_Rows", Calls, Jumps)


def call_rows(calls: Calls, rows: Int64Array) -> Calls:
    """Return these calls, in this order."""
    return _chosen(calls, rows)


def joined_calls(calls: Calls, added: Calls) -> Calls:
    """Return both tables as one, the added rows last."""
    more, joined = _columns(added), _columns(calls)
    for name, column in joined.items():
        if column is not None:
            joined[name] = read_only(np.concatenate((column, more[name]), axis=-1))
    return Calls(**joined)


def jumps_without(jumps: Jumps, left_out: BoolArray) -> Jumps:
    """Return the jumps that neither start nor end in the functions of the mask."""
    kept = ~left_out[jumps.function] & ~left_out[jumps.target_function]
    return jumps if kept.all() else _chosen(jumps, np.flatnonzero(kept))


def columns(values: Int64Array, rows: Int64Array) -> Int64Array:
    """Return `values[..., rows]` with the rows of each event contiguous, as tables have them."""
    return np.take(values, rows, axis=-1)


def read_only(column: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the column, which nobody may change from now on."""
    column.flags.writeable = False
    return column


def _chosen(table: _Rows, rows: Int64Array) -> _Rows:
    chosen = _columns(table)
    for name, column in chosen.items():
        if column is not None:
            chosen[name] = read_only(columns(column, rows))
    return type(table)(**chosen)


def _columns(table: Calls | Jumps) -> dict[str, Any]:
    return {field.name: getattr(table, field.name) for field in fields(table)}
