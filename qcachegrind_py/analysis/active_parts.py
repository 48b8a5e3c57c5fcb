"""The rows of the active parts: what the user chose to look at."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray, Calls, Int32Array

Parts = frozenset[int] | None  # indexes of the profile's parts; None for all


def is_active(part: Int32Array, parts: frozenset[int]) -> BoolArray:
    """Whether each row is of an active part."""
    return np.isin(part, list(parts))


def active_calls(profile: Profile, parts: Parts) -> Calls:
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
