"""What of a profile is looked at: which parts count, and how recursion cycles are found."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from qcachegrind_py.profile.ids import PartId
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray, Calls, Int32Array

Parts = frozenset[PartId] | None  # indexes of the profile's parts; None for all


def is_active(part: Int32Array, parts: frozenset[PartId]) -> BoolArray:
    """Whether each row is of an active part."""
    return np.isin(part, list(parts))


def calls_of_active_parts(profile: Profile, parts: Parts) -> Calls:
    """The calls of the active parts."""
    calls = profile.calls
    if parts is None:
        return calls
    rows = is_active(calls.part, parts)
    columns: dict[str, Any] = {}
    for field in fields(calls):
        column = getattr(calls, field.name)
        columns[field.name] = None if column is None else column[..., rows]
    return Calls(**columns)


@dataclass(frozen=True, slots=True)
class Scope:
    """The settings that costs depend on. `parts` is None for all of them.

    With a `cut` above 0, a call that costs less than this share of the costliest call its caller
    received is overlooked in the search for cycles (KCachegrind's CycleCut).
    """

    parts: Parts = None
    cycles: bool = True
    cut: float = 0.0
