"""The numbers of names (format section 3.1.5): given at the first use, in order, for all parts.

What would end a line is written as a symbol for it: a line feed, a zero byte (at which KCachegrind
ends a line, and never comes on) and a carriage return at the end. No file has such names but for
the zero bytes of PHP's nameless classes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from qcachegrind_py.formats.callgrind.writing.ascii_tokens import TokenCodes
from qcachegrind_py.profile.ids import TextId, text_at
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.string_table import UNKNOWN
from qcachegrind_py.profile.tables import Int64Array, UInt64Array

_LINE_ENDS = {b"\n": "␊".encode(), b"\0": "␀".encode()}


class NameIds:
    """Which number each object, file and function of a profile has in the file being written."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        sizes = {
            "object": len(profile.texts),
            "file": len(profile.texts),
            "function": len(profile.functions),
        }
        self._id = {kind: np.zeros(size, np.int64) for kind, size in sizes.items()}
        self._defined = {kind: np.zeros(size, bool) for kind, size in sizes.items()}
        self._next_id = dict.fromkeys(sizes, 0)

    def start_part(self) -> None:
        """Let all be defined anew, with the numbers they have."""
        for defined in self._defined.values():
            defined[:] = False

    def put_references(
        self, codes: TokenCodes, numbers: UInt64Array, kinds: Mapping[str, Sequence[int]]
    ) -> dict[int, bytes]:
        """Put the ids in the place of the numbers of names; give what else definitions need.

        That is, by the place of the token, what follows its parenthesis.
        """
        found: dict[int, bytes] = {}
        for kind, of_kind in kinds.items():
            tokens = np.flatnonzero((codes >= of_kind[0]) & (codes <= of_kind[-1]))
            names, first = np.unique(numbers[tokens].astype(np.int64), return_index=True)
            order = np.argsort(first)
            self._define(kind, names[order], tokens[first[order]], found)
            numbers[tokens] = self._id[kind][numbers[tokens].astype(np.int64)].astype(np.uint64)
        return found

    def _define(
        self, kind: str, names: Int64Array, tokens: Int64Array, found: dict[int, bytes]
    ) -> None:
        new = names[self._id[kind][names] == 0]
        self._id[kind][new] = self._next_id[kind] + 1 + np.arange(len(new))
        self._next_id[kind] += len(new)
        undefined = ~self._defined[kind][names]
        self._defined[kind][names] = True
        for name, token in zip(names[undefined].tolist(), tokens[undefined].tolist(), strict=True):
            found[token] = b" " + encode_line(self._profile.texts[self._text(kind, name)], UNKNOWN)

    def _text(self, kind: str, name: int) -> TextId:
        """The text of a name: a function's is looked up, all others are their own."""
        return text_at(self._profile.functions.name, name) if kind == "function" else TextId(name)


def encode_line(text: str, default: str = "") -> bytes:
    """The text as it can stand in a line, its bytes as they were read; or another for nothing."""
    written = text.encode("utf-8", "surrogateescape").lstrip(b" \t")
    for byte, symbol in _LINE_ENDS.items():
        written = written.replace(byte, symbol)
    if written.endswith(b"\r"):
        written = written[:-1] + "␍".encode()
    return written or default.encode()
