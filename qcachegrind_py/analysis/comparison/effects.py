"""Why a cost changed: by more or fewer calls, or by another cost per call.

With n calls that cost c each, the change is split into ½ (n₂ - n₁) (c₁ + c₂) by calls and
½ (n₁ + n₂) (c₂ - c₁) by cost per call. This is symmetric: swapped sides give the opposite effects,
and they add up to the change.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Effects:
    """The shares of a change; exact fractions that add up to it."""

    by_calls: Fraction
    per_call: Fraction


def effects(counts: tuple[int, int], costs: tuple[int, int]) -> Effects | None:
    """Split the change of a cost; base before new. None unless there are calls on both sides."""
    if min(counts) <= 0:
        return None
    base, new = (Fraction(cost, count) for cost, count in zip(costs, counts, strict=True))
    by_calls = Fraction(counts[1] - counts[0], 2) * (base + new)
    return Effects(by_calls, costs[1] - costs[0] - by_calls)


def rounded(effects: Effects, change: int) -> tuple[int, int]:
    """Return both effects as integers that add up to the change: by calls, by cost per call."""
    by_calls = round(effects.by_calls)
    return by_calls, change - by_calls
