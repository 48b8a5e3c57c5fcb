"""Which parts are the base and which are new while profiles, or parts of one, are compared."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qcachegrind_py.profile.ids import PartId
from qcachegrind_py.profile.tables import BoolArray, Int64Array


@dataclass(frozen=True, slots=True, eq=False)
class PartSides:
    """The sides of all parts; arrays have the shape (parts,)."""

    is_base: BoolArray
    process: Int64Array  # int64, equal for a process of the base and its counterpart
    counterpart: Int64Array  # the same dump and thread on the other side; -1: there is none

    def name(self, part: PartId) -> str:
        """Return the side of a part."""
        return "base" if self.is_base[part] else "new"


def part_sides(numbers: dict[str, Int64Array], is_base: BoolArray, own: int) -> PartSides:
    """Return the sides of parts, of which those from `own` on are of another profile.

    Two runs have other process ids: their first processes are counterparts, and so on.
    """
    process = numbers["pid"].copy()
    for of_side in (is_base, ~is_base):
        if own < len(process):
            process[of_side] = 1 + np.unique(process[of_side], return_inverse=True)[1].reshape(-1)
    columns = np.stack((process, numbers["thread"], numbers["part"]), axis=1)
    _, key = np.unique(columns, axis=0, return_inverse=True)
    key = key.reshape(-1)
    base, new = (_first_parts(key, of_side) for of_side in (is_base, ~is_base))
    counterpart = np.where(is_base, new[key], base[key])
    return PartSides(is_base, process, counterpart)


def _first_parts(key: Int64Array, chosen: BoolArray) -> Int64Array:
    """Return the first of the chosen parts with each key, shape (keys,); -1 where there is none."""
    parts = np.flatnonzero(chosen)[::-1]
    first = np.full(len(key), -1, np.int64)
    first[key[parts]] = parts
    return first
