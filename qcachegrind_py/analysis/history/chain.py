"""The functions of a history: each is followed from one revision to the next."""

from __future__ import annotations

import numpy as np

from qcachegrind_py.analysis.comparison.matching import Pairing
from qcachegrind_py.analysis.comparison.sides import Identity
from qcachegrind_py.profile.ids import text_ids
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import Int32Array, Int64Array


class Chain:
    """Numbers the functions of revisions that are paired one by one, the oldest first.

    Rows of functions that turn out to be a family later are joined, and one that is gone is
    remembered by its identity, under which it may come back.
    """

    def __init__(self, first: Profile) -> None:
        """Begin with the oldest revision, of which each function has a row."""
        self._newest = first
        self._rows = np.arange(len(first.functions), dtype=np.int64)  # of the newest revision
        self._joined = self._rows.copy()  # for each row, one that it was joined to, or itself
        self._family_names: dict[int, str] = {}  # of rows of the newest revision
        self._families: set[int] = set()  # rows that have had several functions at once
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
        self._add_rows(row_of_pair, pairing.row_of_new)
        self._rows = row_of_pair[pairing.row_of_new]
        self._name_families(row_of_pair, pairing)

    def _name_families(self, row_of_pair: Int64Array, pairing: Pairing) -> None:
        """Name the families of the newest revision, and those that former ones have been."""
        for rows in (self.joined_rows(row_of_pair[pairing.row_of_base]), self.newest_rows):
            several, counts = np.unique(rows, return_counts=True)
            self._families.update(several[counts > 1].tolist())
        former = {self._joined_row(row): name for row, name in self._family_names.items()}
        self._family_names = {
            **{row: name for row, name in former.items() if row in self._families},
            **{self._joined_row(int(row_of_pair[pair])): n for pair, n in pairing.names.items()},
        }

    def joined_rows(self, rows: Int64Array) -> Int64Array:
        """Return the rows to which these ones belong by now."""
        while not np.array_equal(joined := self._joined[rows], rows):
            rows = joined
        return rows

    def identities(self) -> dict[int, Identity]:
        """Return name, file and object of each row, as in the newest revision that has it.

        The first function of a row rules; a row that was a family in any revision has its name.
        """
        self._identify(np.arange(len(self._rows)))
        return {self._joined_row(row): each for row, each in self._identities.items()}

    # ---------------------------------------------------------------- rows

    def _add_rows(self, row_of_pair: Int64Array, row_of_new: Int32Array) -> None:
        """Fill in the rows of functions that are back, or new."""
        added = np.flatnonzero(row_of_pair[row_of_new] < 0)
        count = len(self._joined)
        for function, identity in zip(added, _identities(self._newest, added), strict=True):
            row = self._gone.pop(identity, count)
            row_of_pair[row_of_new[function]] = row
            count += row == count
        self._joined = np.append(self._joined, np.arange(len(self._joined), count))

    def _join(self, row: int, other: int) -> None:
        one, two = sorted((self._joined_row(row), self._joined_row(other)))
        self._joined[two] = one

    def _joined_row(self, row: int) -> int:
        while self._joined[row] != row:
            row = int(self._joined[row])
        return row

    def _remember_gone(self, pairing: Pairing) -> None:
        is_new = np.zeros(len(pairing), bool)
        is_new[pairing.row_of_new] = True
        gone = np.flatnonzero(~is_new[pairing.row_of_base])
        rows = self.newest_rows[gone].tolist()
        self._gone |= dict(zip(_identities(self._newest, gone), rows, strict=True))
        self._identify(gone)

    def _identify(self, functions: Int64Array) -> None:
        """Store what functions of the newest revision are called."""
        backwards = functions[::-1]
        rows = self.newest_rows[backwards].tolist()
        self._identities |= dict(zip(rows, _identities(self._newest, backwards), strict=True))
        for row in self._family_names.keys() & rows:
            _, file, object_ = self._identities[row]
            self._identities[row] = self._family_names[row], file, object_


def _identities(profile: Profile, functions: Int64Array) -> list[Identity]:
    """Return name, file and object of these functions, as recorded."""
    table = profile.functions
    columns = (table.name, table.file, table.object)
    texts = (profile.texts.lookup(text_ids(column[functions])) for column in columns)
    return list(zip(*texts, strict=True))
