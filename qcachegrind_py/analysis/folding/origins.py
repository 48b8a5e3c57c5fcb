"""Which rows of the profile before folding the rows of a folded profile come from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qcachegrind_py.analysis.folding.fold import Callbacks, Charges, Folding
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array

_NONE = -1


@dataclass(frozen=True, slots=True, eq=False)
class Origins:
    """The origins of some rows, int64, shape (rows,).

    What is charged, and a call in place of one by a folded function, comes from the call of the
    folded function at that place.
    """

    row: Int64Array  # of the same table before folding, or of the call of a folded function
    through: Int64Array  # the folded function; -1 where there is none
    is_exact: BoolArray  # whether the value of this row is proven
    is_exact_sum: BoolArray  # whether that of all such rows of the caller is, and the callee


def cost_origins(folding: Folding, before: Profile, rows: Int64Array) -> Origins:
    """Return the origins of rows of the costs."""
    start = folding.profile.runs.start
    run = np.searchsorted(start, rows, side="right") - 1
    first_charge = len(folding.profile.costs) - len(folding.charges)
    kept = rows < first_charge
    origin = np.zeros(len(rows), np.int64)
    before_run = np.flatnonzero(folding.kept_runs)[run[kept]]
    origin[kept] = before.runs.start[before_run] + rows[kept] - start[run[kept]]
    return _with_added(origin, folding.charges, folding.charges.callee, rows - first_charge)


def call_origins(folding: Folding, rows: Int64Array) -> Origins:
    """Return the origins of rows of the calls."""
    callbacks = folding.callbacks
    kept = rows < callbacks.first
    origin = np.zeros(len(rows), np.int64)
    origin[kept] = folding.kept_calls[rows[kept]]
    return _with_added(origin, callbacks, callbacks.through, rows - callbacks.first)


def _with_added(
    origin: Int64Array, added: Charges | Callbacks, callee: Int32Array, places: Int64Array
) -> Origins:
    """Return the origins with those of the rows that folding added, at places from 0 on."""
    through = np.full(len(origin), _NONE, np.int64)
    is_exact, is_exact_sum = np.ones(len(origin), bool), np.ones(len(origin), bool)
    is_added = places >= 0
    places = places[is_added]
    origin[is_added] = added.call[places]
    through[is_added] = callee[places]
    is_exact[is_added] = added.is_exact_line[places]
    is_exact_sum[is_added] = added.is_exact[places]
    return Origins(origin, through, is_exact, is_exact_sum)
