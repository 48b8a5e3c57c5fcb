"""The functions of a history: each is followed from one revision to the next."""

from __future__ import annotations

import numpy as np

from qcachegrind_py.analysis.comparison.matching import Pairing
from qcachegrind_py.analysis.comparison.sides import Identity
from qcachegrind_py.analysis.names.function_names import FunctionNames
from qcachegrind_py.profile.ids import function_ids
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import Int64Array


class Chain:
    """Numbers the functions of revisions that are paired one by one, the oldest first.

    Rows of functions that turn out to be a family later are joined, and one that is gone is
    remembered by its identity, under which it may come back.
    """

    def __init__(self, first: Profile) -> None:
        """Begin with the oldest revision, of which each function has a row."""
        self._newest = first
        self._rows = np.arange(len(first.functions), dtype=np.int64)  # of the newest revision
        self._joined = list(range(len(first.functions)))  # for each row, one it was joined to
        self._family_names: dict[int, str] = {}  # of rows of the newest revision
        self._identities: dict[int, Identity] = {}  # of rows that are gone
        self._gone: dict[Identity, int] = {}

    @property
    def newest_rows(self) -> Int64Array:
        """The row of each function of the newest revision, shape (functions,)."""
        return self.joined_rows(self._rows)

    def add(self, profile: Profile, pairing: Pairing) -> None:
        """Follow the functions of the newest revision to the next one."""
        row_of_pair = np.full(len(pairing), -1, np.int64)
        base = self.newest_rows
        row_of_pair[pairing.row_of_base[::-1]] = base[::-1]  # the first function rules
        for function in np.flatnonzero(row_of_pair[pairing.row_of_base] != base).tolist():
            self._join(int(base[function]), int(row_of_pair[pairing.row_of_base[function]]))
        self._remember_gone(pairing)
        self._newest = profile
        names = FunctionNames(profile)
        for function in function_ids(np.flatnonzero(row_of_pair[pairing.row_of_new] < 0)):
            row_of_pair[pairing.row_of_new[function]] = self._row_of(names.identity(function))
        self._rows = row_of_pair[pairing.row_of_new]
        self._family_names = {
            self._joined_row(int(row_of_pair[pair])): name for pair, name in pairing.names.items()
        }

    def joined_rows(self, rows: Int64Array) -> Int64Array:
        """Return the rows to which these ones belong by now."""
        distinct, place = np.unique(rows, return_inverse=True)
        joined = np.fromiter(map(self._joined_row, distinct.tolist()), np.int64, len(distinct))
        return joined[place]

    def identities(self) -> dict[int, Identity]:
        """Return name, file and object of each row, as in the newest revision that has it.

        The first function of a row rules; a family has its own name.
        """
        self._identify(np.arange(len(self._rows)))
        return {self._joined_row(row): each for row, each in self._identities.items()}

    # ---------------------------------------------------------------- rows

    def _row_of(self, identity: Identity) -> int:
        """Return the row of a function that is back, or a new one."""
        if identity in self._gone:
            return self._gone.pop(identity)
        self._joined.append(len(self._joined))
        return len(self._joined) - 1

    def _join(self, row: int, other: int) -> None:
        one, two = sorted((self._joined_row(row), self._joined_row(other)))
        self._joined[two] = one

    def _joined_row(self, row: int) -> int:
        while self._joined[row] != row:
            self._joined[row] = row = self._joined[self._joined[row]]
        return row

    def _remember_gone(self, pairing: Pairing) -> None:
        is_new = np.zeros(len(pairing), bool)
        is_new[pairing.row_of_new] = True
        gone = np.flatnonzero(~is_new[pairing.row_of_base])
        names, rows = FunctionNames(self._newest), self.newest_rows
        for function in function_ids(gone):
            self._gone[names.identity(function)] = int(rows[function])
        self._identify(gone)

    def _identify(self, functions: Int64Array) -> None:
        """Store what functions of the newest revision are called."""
        names, rows = FunctionNames(self._newest), self.newest_rows
        for function in function_ids(functions[::-1]):
            row = int(rows[function])
            name, file, object_ = names.identity(function)
            self._identities[row] = self._family_names.get(row, name), file, object_
