"""The declaration of a column of a flat list."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy.typing as npt


class InComparison(Enum):
    """Whether a column is there only while profiles are compared."""

    NO = "no"
    SHOWN = "shown"
    OFFERED = "offered"  # in the menu of the header


@dataclass(frozen=True, slots=True)
class Column:
    """The declaration of a column: its title, and how it displays, sorts and exports a record."""

    key: str  # in saved headers, so it never changes
    title: str
    tip: str
    text: Callable[[int], str]
    sort_key: Callable[[], npt.NDArray[Any]]  # of all records; numbers are exported from it, too
    share: Callable[[int], float] | None = None
    heading: Callable[[], str] | None = None  # the current title, if it varies
    export_text: Callable[[int], str] | None = None  # for export, if the sort key is not suitable
    exact_text: Callable[[int], str] | None = None  # for the tooltip, if the text may be shortened
    is_number: bool = True
    is_optional: bool = False  # hidden by default
    is_export_only: bool = False  # exported, whether shown or not
    elides_start: bool = True  # elided at its start if it is too narrow, as suits paths
    width: int = 14  # initial width, in digits
    stretches: bool = False  # takes the remaining width
    gives_way: int = 0  # hidden while the list is too narrow: 1 first, then 2 and so on; 0: never
    # the exported numbers, if rows are not sorted by them: changes are sorted by their size
    values: Callable[[], npt.NDArray[Any]] | None = None
    # the numbers of the base, exported beside those of the new side; None without a comparison
    base_values: Callable[[], npt.NDArray[Any] | None] | None = None
    is_change: Callable[[], bool] = lambda: False  # whether bars grow from the middle, both ways
    in_comparison: InComparison = InComparison.NO

    @property
    def is_comparison(self) -> bool:
        """Whether the column is there only while profiles are compared."""
        return self.in_comparison is not InComparison.NO

    @property
    def is_shown_compared(self) -> bool:
        """Whether the column is shown while profiles are compared, and only then."""
        return self.in_comparison is InComparison.SHOWN

    def numbers(self) -> npt.NDArray[Any]:
        """Return the numbers of all records."""
        return self.sort_key() if self.values is None else self.values()
