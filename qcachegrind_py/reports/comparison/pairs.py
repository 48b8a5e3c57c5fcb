"""The functions of a comparison by their names: which of the base is which of the new profile."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from qcachegrind_py.analysis.comparison.matching import How, Pairing
from qcachegrind_py.profile.ids import text_ids
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import BoolArray, Int32Array, Int64Array, StringTable


@dataclass(frozen=True, slots=True)
class FunctionName:
    """Name, file and object of a function."""

    name: str
    file: str
    object: str


@dataclass(frozen=True, eq=False)
class FunctionPairs:
    """The rows of a comparison; without a base, they are the functions of the new profile.

    `merged` has a function for each row, with the name to show; `texts` are its texts, readable
    where they were mangled.
    """

    merged: Profile
    new_profile: Profile
    base_profile: Profile | None = None
    pairing: Pairing | None = None
    texts: StringTable | None = None  # None: as recorded

    def __len__(self) -> int:
        return len(self.merged.functions)

    def shown(self, rows: Int64Array) -> list[FunctionName]:
        """Return the names to show of these rows: those of the new side, where it has any."""
        return list(function_names(self.merged, rows, self.texts))

    def new(self, rows: Int64Array) -> list[tuple[FunctionName, ...]]:
        """Return the functions of the new profile in each of these rows."""
        if self.pairing is None:
            return [(name,) for name in function_names(self.merged, rows)]
        return self._new_members.names(self.new_profile, rows)

    def base(self, rows: Int64Array) -> list[tuple[FunctionName, ...]]:
        """Return the functions of the base in each of these rows."""
        if self.base_profile is None:
            return [() for _ in rows]
        return self._base_members.names(self.base_profile, rows)

    def how(self, rows: Int64Array) -> list[How]:
        """Return by what both sides of each of these rows were paired."""
        if self.pairing is None:
            return [How.NONE] * len(rows)
        return [self.pairing.how[row] for row in rows.tolist()]

    @cached_property
    def only_base(self) -> BoolArray:
        """Which rows the new profile has not, shape (rows,)."""
        return self._new_members.is_empty

    @cached_property
    def only_new(self) -> BoolArray:
        """Which rows the base has not, shape (rows,)."""
        return self._base_members.is_empty

    @cached_property
    def is_moved(self) -> BoolArray:
        """Which rows are in another file than before, shape (rows,)."""
        how = self.how(np.arange(len(self)))
        return np.array([each is How.MOVED for each in how], bool)

    @cached_property
    def _new_members(self) -> _Members:
        rows = np.arange(len(self)) if self.pairing is None else self.pairing.row_of_new
        return _Members.of(rows, len(self))

    @cached_property
    def _base_members(self) -> _Members:
        rows = np.zeros(0, np.int64) if self.pairing is None else self.pairing.row_of_base
        return _Members.of(rows, len(self))


@dataclass(frozen=True, slots=True, eq=False)
class _Members:
    """The functions of one side by row."""

    function: Int64Array  # sorted by row
    start: Int64Array  # where those of each row begin, and the end, shape (rows + 1,)

    @staticmethod
    def of(row: Int32Array | Int64Array, rows: int) -> _Members:
        """Return the members of each row; `row` is that of each function."""
        function = np.argsort(row, kind="stable")
        return _Members(function, np.searchsorted(row[function], np.arange(rows + 1)))

    @property
    def is_empty(self) -> BoolArray:
        """Which rows have no function, shape (rows,)."""
        empty: BoolArray = np.diff(self.start) == 0
        return empty

    def names(self, profile: Profile, rows: Int64Array) -> list[tuple[FunctionName, ...]]:
        """Return the names of the functions in each of these rows."""
        begin, end = self.start[rows], self.start[rows + 1]
        counts = end - begin
        places = np.arange(counts.sum()) + np.repeat(begin - np.cumsum(counts) + counts, counts)
        names = function_names(profile, self.function[places])
        return [tuple(next(names) for _ in range(count)) for count in counts.tolist()]


def function_names(
    profile: Profile, functions: Int64Array, texts: StringTable | None = None
) -> Iterator[FunctionName]:
    """Yield the names of these functions, as recorded by default."""
    table, texts = profile.functions, texts or profile.texts
    columns = (
        texts.lookup(text_ids(column[functions]))
        for column in (table.name, table.file, table.object)
    )
    return map(FunctionName, *columns)
