"""What of a profile is looked at: which parts count, and how recursion cycles are found."""

from __future__ import annotations

from dataclasses import dataclass

from qcachegrind_py.analysis.active_parts import Parts


@dataclass(frozen=True, slots=True)
class Scope:
    """The settings that costs depend on. `parts` is None for all of them.

    With a `cut` above 0, a call that costs less than this share of the costliest call its caller
    received is overlooked in the search for cycles (KCachegrind's CycleCut).
    """

    parts: Parts = None
    cycles: bool = True
    cut: float = 0.0
