"""The header of the part that is being read, until it is complete."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from qcachegrind_py.profile.profile import Part

_HALF = 1 << 63


@dataclass(slots=True)
class PartHeader:
    """What the header lines of one part said so far, and where its rows begin."""

    path: str
    first_row: int  # of the cost lines
    next_row: int  # the first whose cost is not in `cost_read` yet
    start: float  # how much of the file lies before it, 0 to 1
    cost_read: int = 0  # of the first event
    lines: list[tuple[str, str]] = field(default_factory=list)
    events: tuple[str, ...] = ()
    summary: list[int] | None = None
    totals: list[int] | None = None
    totals_line: int = 0
    numbers: dict[str, int] = field(default_factory=dict)  # pid, part, thread

    def has(self, key: str) -> bool:
        """Whether the part has a line of that key."""
        return any(known == key for known, _ in self.lines)

    def text(self, key: str) -> str:
        """The value of the last line of that key."""
        return next((value for known, value in reversed(self.lines) if known == key), "")

    def finished(self) -> Part:
        """The part as it stays."""
        return Part(
            path=self.path,
            pid=self.numbers.get("pid", 0),
            part=self.numbers.get("part", 0),
            thread=self.numbers.get("thread", 0),
            creator=self.text("creator"),
            command=self.text("cmd"),
            events=self.events,
            summary=self._by_event(self.summary),
            totals=self._by_event(self.totals),
            header=tuple(self.lines),
        )

    def _by_event(self, numbers: Sequence[int] | None) -> dict[str, int] | None:
        if numbers is None:
            return None
        costs = dict.fromkeys(self.events, 0)
        for name, number in zip(self.events, numbers, strict=False):
            costs[name] = (costs[name] + number + _HALF) % (2 * _HALF) - _HALF  # as counters wrap
        return costs
