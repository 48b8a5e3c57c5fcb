"""Ids of names (format specification, 3.1.5): assigned at first use, valid in all parts.

Characters that would end a line are replaced by symbols: a line feed, a zero byte (at which
KCachegrind ends a line and stops) and a trailing carriage return. The only such names in practice
are those of PHP's anonymous classes, which contain zero bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from qcachegrind_py.formats.callgrind.writing.ascii_tokens import TokenCodes
from qcachegrind_py.profile.ids import TextId, text_at
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import UNKNOWN, Int64Array, UInt64Array

_LINE_ENDS = {b"\n": "␊".encode(), b"\0": "␀".encode()}


class NameIds:
    """The id of each object, file and function of a profile in the output file."""

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
        """Require all names to be defined again in the new part, with the same ids."""
        for defined in self._defined.values():
            defined[:] = False

    def put_references(
        self, codes: TokenCodes, numbers: UInt64Array, kinds: Mapping[str, Sequence[int]]
    ) -> dict[int, bytes]:
        """Replace the numbers of names by ids, in place, and return the texts of definitions.

        The result maps the index of a token to the text that follows its parenthesis.
        """
        definitions: dict[int, bytes] = {}
        for kind, of_kind in kinds.items():
            tokens = np.flatnonzero((codes >= of_kind[0]) & (codes <= of_kind[-1]))
            names, first = np.unique(numbers[tokens].astype(np.int64), return_index=True)
            order = np.argsort(first)
            self._define(kind, names[order], tokens[first[order]], definitions)
            numbers[tokens] = self._id[kind][numbers[tokens].astype(np.int64)].astype(np.uint64)
        return definitions

    def _define(
        self, kind: str, names: Int64Array, tokens: Int64Array, definitions: dict[int, bytes]
    ) -> None:
        new = names[self._id[kind][names] == 0]
        self._id[kind][new] = self._next_id[kind] + 1 + np.arange(len(new))
        self._next_id[kind] += len(new)
        undefined = ~self._defined[kind][names]
        self._defined[kind][names] = True
        for name, token in zip(names[undefined].tolist(), tokens[undefined].tolist(), strict=True):
            definitions[token] = b" " + encode_line(
                self._profile.texts[self._text(kind, name)], UNKNOWN
            )

    def _text(self, kind: str, name: int) -> TextId:
        """Return the text of a name; numbers of objects and files are texts already."""
        return text_at(self._profile.functions.name, name) if kind == "function" else TextId(name)


def encode_line(text: str, default: str = "") -> bytes:
    """Encode a text for a line, with its original bytes; `default` replaces an empty one."""
    written = text.encode("utf-8", "surrogateescape").lstrip(b" \t")
    for byte, symbol in _LINE_ENDS.items():
        written = written.replace(byte, symbol)
    if written.endswith(b"\r"):
        written = written[:-1] + "␍".encode()
    return written or default.encode()
