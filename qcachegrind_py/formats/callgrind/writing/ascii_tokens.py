"""Vectorised rendering of tokens: a prefix, a number and an optional name, as ASCII bytes.

It uses numpy only, one step for each digit of all numbers, so that it is fast without a compiler.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from qcachegrind_py.profile.tables import Int64Array, UInt64Array

TokenCodes = npt.NDArray[np.uint8]

_DIGITS = np.frombuffer(b"0123456789abcdef", np.uint8)
_POWERS = {
    base: np.array([base**power for power in range(1, most)], np.uint64)
    for base, most in ((10, 20), (16, 16))
}
_NAME_END = ord(")")


@dataclass(frozen=True, slots=True)
class TokenShape:
    """The syntax of all tokens with one code."""

    prefix: bytes
    base: int = 10  # of the number; 0: no number
    names: str = ""  # kind of name it refers to, if any; adds a closing parenthesis


class TokenRenderer:
    """Renders tokens by the shape of their code; code 0 is no token."""

    def __init__(self, shapes: tuple[TokenShape, ...]) -> None:
        self._shapes = shapes
        self._prefix = np.array([len(shape.prefix) for shape in shapes], np.int64)
        self._base = np.array([shape.base for shape in shapes], np.uint8)
        self._closes_parenthesis = np.array([bool(shape.names) for shape in shapes])

    def render(self, codes: TokenCodes, numbers: UInt64Array, names: Mapping[int, bytes]) -> bytes:
        """Return the bytes of the tokens.

        `names` maps the index of a token to the text that follows its closing parenthesis.
        """
        digits = _digit_counts(self._base[codes], numbers)
        lengths = self._prefix[codes] + digits + self._closes_parenthesis[codes]
        tokens = np.fromiter(names.keys(), np.int64, len(names))
        lengths[tokens] += np.fromiter(map(len, names.values()), np.int64, len(names))
        ends = np.cumsum(lengths)
        starts = ends - lengths
        text = np.empty(int(ends[-1]) if len(ends) else 0, np.uint8)
        self._write_prefixes(text, codes, starts)
        starts += self._prefix[codes]
        for base in (10, 16):
            which = np.flatnonzero(self._base[codes] == base)
            _write_digits(text, numbers[which], starts[which] + digits[which] - 1, base)
        starts += digits
        text[starts[self._closes_parenthesis[codes]]] = _NAME_END
        for start, name in zip((starts[tokens] + 1).tolist(), names.values(), strict=True):
            text[start : start + len(name)] = np.frombuffer(name, np.uint8)
        return text.tobytes()

    def _write_prefixes(self, text: TokenCodes, codes: TokenCodes, starts: Int64Array) -> None:
        for code in np.flatnonzero(np.bincount(codes)).tolist():
            offsets = starts[codes == code]
            for offset, byte in enumerate(self._shapes[code].prefix):
                text[offsets + offset] = byte


def digit_counts(numbers: UInt64Array, base: int) -> Int64Array:
    """Return the number of digits of each number."""
    return np.searchsorted(_POWERS[base], numbers, side="right") + 1


def _digit_counts(bases: TokenCodes, numbers: UInt64Array) -> Int64Array:
    counts = np.zeros(len(numbers), np.int64)
    for base in (10, 16):
        which = np.flatnonzero(bases == base)
        counts[which] = digit_counts(numbers[which], base)
    return counts


def _write_digits(
    text: TokenCodes, numbers: UInt64Array, end_offsets: Int64Array, base: int
) -> None:
    """Write the numbers with their last digits at these offsets."""
    divisor = np.uint64(base)
    while len(numbers):
        rest = numbers // divisor
        text[end_offsets] = _DIGITS[(numbers - rest * divisor).astype(np.intp)]
        more = np.flatnonzero(rest)
        numbers, end_offsets = rest[more], end_offsets[more] - 1
