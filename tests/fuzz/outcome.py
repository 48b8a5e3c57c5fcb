"""The result of one case: what was read, or what went wrong."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Content = dict[str, Any]
"""What a kind reads from a case, by name, to be compared between two ways of reading."""


class Difference(Exception):
    """Two ways of reading disagree."""

    def __init__(self, what: str, detail: str) -> None:
        self.what = what
        self.detail = detail
        super().__init__(f"{what}\n{detail}")


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a case in one worker; without `failure` it is as it should be."""

    failure: str = ""
    """What went wrong, in a few words that are the same for all cases of one cause."""
    detail: str = ""
    """A traceback, the last words of a dead process, or the two values that differ."""
    digests: dict[str, str] = field(default_factory=dict)
    """A digest of each entry of the content."""
    seconds: float = 0.0
    """Processor time."""
