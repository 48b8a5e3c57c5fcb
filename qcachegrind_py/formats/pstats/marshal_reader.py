"""Recognition and decoding of the marshal format, in which Python's profilers save.

`marshal.loads` may crash the interpreter on malicious files; its documentation advises against
untrusted input. This module reads dictionaries, tuples, texts, numbers, None, True and False, as
written by Python 2.7 to 3.14, and rejects everything else. Texts remain bytes. A dictionary is
returned as a list of pairs, so that nothing is hashed before validation. Memory is limited to a
small multiple of the input, so dictionaries cannot be referenced again. As an exception,
`python -m profile` writes the code object of the program in place of a name; it is skipped.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

# ------------------------------------------------------------- recognition

DAMAGED = "looks like a Python profile, but is truncated or damaged."
RECORD_AGAIN = "Record it again, and wait for the program to end before opening it."

# a dictionary whose first key is a triple; the high bit marks objects that are referenced later
_DICTIONARY = (b"{", b"\xfb")
_TUPLE = (b"(", b")", b"\xa8", b"\xa9")  # neither JSON nor any text goes on like this
_TRIPLE = (b"(\x03\0\0\0", b")\x03", b"\xa8\x03\0\0\0", b"\xa9\x03")
_EMPTY = (b"{0", b"\xfb0")


def is_damaged_python_profile(head: bytes) -> bool:
    """Return whether a file with these first bytes, which cannot be read, may have been one."""
    return head.startswith(_DICTIONARY) and (head.startswith(_TUPLE, 1) or b"\0" in head)


def is_python_profile(head: bytes) -> bool:
    """Return whether a file with these first bytes comes from Python's profilers, even if empty."""
    return head in _EMPTY or (head.startswith(_DICTIONARY) and head.startswith(_TRIPLE, 1))


# ---------------------------------------------------------------- decoding

Value = bytes | int | float | None | tuple["Value", ...] | list[tuple["Value", "Value"]]

_MAX_DEPTH = 8  # a profile has 4
_MAX_CODE_DEPTH = 100  # nested functions; far below Python's recursion limit
_MAX_TUPLE_LENGTH = 16  # a profile has 5
_MAX_DIGITS = 8  # of 15 bits each
_CODE_FIELD_COUNTS = (4, 5, 6)  # integers before the code: Python 2; 3.3 and 3.11; 3.8
_HAS_REFERENCE = 0x80
_REFERENCE = ord("r")
_INTEGER, _LARGE_INTEGER, _FLOAT = map(struct.Struct, ("<i", "<q", "<d"))
_TOO_SHORT = "it ends too early"
_SHORT_TEXTS = b"zZ"
_TEXTS = b"uastA"  # Python 2 references only `t`
_CONSTANTS: dict[int, Value] = {ord("N"): None, ord("T"): 1, ord("F"): 0}
_ONLY_IN_CODE = frozenset(b".yx:<>")


class MarshalError(ValueError):
    """The bytes are no valid profile; the message has the reason and the offset."""


class MarshalReader:
    """Reads the bytes of a file from the start; `position` is the current offset."""

    def __init__(self, data: bytes) -> None:
        self.position = 0
        self._data = data
        self._references: list[Value] = []
        self._interned: list[bytes] = []  # texts that Python 2 references by `R`
        self._depth = 0
        self._code_depth = 0
        self._simple: dict[int, Callable[[], Value]] = {
            ord("i"): partial(self._unpacked, _INTEGER),
            ord("I"): partial(self._unpacked, _LARGE_INTEGER),
            ord("g"): partial(self._unpacked, _FLOAT),
            **dict.fromkeys(_SHORT_TEXTS, self._short_text),
            **dict.fromkeys(_TEXTS, self._text),
            ord("t"): self._interned_text,
            ord("l"): self._long,
            ord("f"): self._text_float,
        }
        self._others: dict[int, Callable[[bool], Value]] = {
            ord("("): lambda referenced: self._tuple(self._size(), referenced),
            ord(")"): lambda referenced: self._tuple(self._take(1)[0], referenced),
            ord("{"): self._dictionary,
            ord("R"): lambda _referenced: self._reference(self._interned),
            ord("c"): self._code_object,
        }

    def pairs(self) -> Iterator[tuple[Value, Value]]:
        """Yield the keys and values of the top-level dictionary.

        Raises `MarshalError` at the first invalid byte, or if the file is truncated.
        """
        if self._type_code() & ~_HAS_REFERENCE != ord("{"):
            raise self._error("this is not a dictionary")
        if self._data[0] & _HAS_REFERENCE:
            self._references.append(None)
        yield from self._pairs()

    # ---------------------------------------------------------------- bytes

    def _error(self, what: str) -> MarshalError:
        return MarshalError(f"{what}, at byte {self.position}")

    def _take(self, size: int) -> bytes:
        taken = self._data[self.position : self.position + size]
        if len(taken) < size:
            raise self._error(_TOO_SHORT)
        self.position += size
        return taken

    def _type_code(self) -> int:
        return self._take(1)[0]

    def _unpacked(self, form: struct.Struct) -> Any:
        try:
            (number,) = form.unpack_from(self._data, self.position)
        except struct.error:
            raise self._error(_TOO_SHORT) from None
        self.position += form.size
        return number

    def _size(self) -> int:
        size: int = self._unpacked(_INTEGER)
        if not 0 <= size <= len(self._data):
            raise self._error("a length is impossible")
        return size

    # ---------------------------------------------------------------- values

    def _value(self) -> Value:
        position, data = self.position, self._data
        if position >= len(data):
            raise self._error(_TOO_SHORT)
        code = data[position]
        self.position = position + 1
        kind, referenced = code & ~_HAS_REFERENCE, code >= _HAS_REFERENCE
        if kind == _REFERENCE:
            return self._reference(self._references)
        if (read_simple := self._simple.get(kind)) is not None:
            value = read_simple()
            if referenced:
                self._references.append(value)
            return value
        if kind in _CONSTANTS:
            return _CONSTANTS[kind]
        if self._code_depth and kind in _ONLY_IN_CODE:
            return self._constant(kind, referenced)
        if (read := self._others.get(kind)) is None:
            raise self._error(f"{chr(kind)!a} stands for no kind of value")
        return read(referenced)

    def _remember(self, value: Value, referenced: bool) -> Value:
        """Return the value, storing it if it may be referenced later."""
        if referenced:
            self._references.append(value)
        return value

    def _reference(self, table: list[Value] | list[bytes]) -> Value:
        number = self._size()
        value = table[number] if number < len(table) else None
        if value is None:
            raise self._error("it refers to nothing")
        return value

    def _short_text(self) -> bytes:
        return self._take(self._take(1)[0])

    def _text(self) -> bytes:
        return self._take(self._size())

    def _interned_text(self) -> bytes:
        text = self._text()
        self._interned.append(text)
        return text

    def _long(self) -> int:
        digits: int = self._unpacked(_INTEGER)
        if abs(digits) > _MAX_DIGITS and not self._code_depth:
            raise self._error("a number is too large")
        value = 0
        for index, digit in enumerate(
            struct.unpack(f"<{abs(digits)}H", self._take(2 * abs(digits)))
        ):
            value |= digit << 15 * index
        return value if digits >= 0 else -value

    def _text_float(self) -> float:
        try:
            return float(self._take(self._take(1)[0]))
        except ValueError as error:
            raise self._error("a number cannot be understood") from error

    def _tuple(self, size: int, referenced: bool) -> Value:
        if size > _MAX_TUPLE_LENGTH and not self._code_depth:
            raise self._error("a tuple is too long")
        index = self._nested(referenced)
        value = tuple([self._value() for _ in range(size)])
        self._depth -= 1
        if referenced and not any(isinstance(item, list) for item in value):
            self._references[index] = value
        return value

    def _dictionary(self, referenced: bool) -> Value:
        self._nested(referenced)
        pairs = list(self._pairs())
        self._depth -= 1
        return pairs

    def _pairs(self) -> Iterator[tuple[Value, Value]]:
        while self._data[self.position : self.position + 1] != b"0":
            key = self._value()
            yield key, self._value()
        self.position += 1

    def _nested(self, referenced: bool) -> int:
        """Enter a nested value and return the index reserved for its reference."""
        self._depth += 1
        if self._depth > (_MAX_CODE_DEPTH if self._code_depth else _MAX_DEPTH):
            raise self._error("it is nested too deep")
        self._remember(None, referenced)
        return len(self._references) - 1

    # ---------------------------------------------------------------- code

    def _code_object(self, referenced: bool) -> Value:
        """Return the name of a code object; the rest is read because it may be referenced later.

        Up to Python 3.10 the fifth value is the tuple of free variables, later it is a text.
        """
        index = self._nested(referenced)
        self._code_depth += 1
        self._take(4 * self._code_field_count())
        is_new = isinstance([self._value() for _ in range(5)][-1], bytes)
        rest = [self._value() for _ in range(3)]
        self._take(4)
        self._value()
        if is_new:
            self._value()
        self._code_depth -= 1
        self._depth -= 1
        name = rest[1 if is_new else 2]
        text = b"<code object %b>" % (name if isinstance(name, bytes) else b"")
        if referenced:
            self._references[index] = text
        return text

    def _code_field_count(self) -> int:
        """Return the number of integers before the code, which is a text of plausible length."""
        for counts in _CODE_FIELD_COUNTS:
            begin = self.position + 4 * counts
            kind, length = self._data[begin : begin + 1], self._data[begin + 1 : begin + 5]
            size = int.from_bytes(length, "little", signed=True)
            if kind in (b"s", b"\xf3") and 0 <= size <= len(self._data) - begin:
                return counts
        raise self._error("there is code of an unknown version of Python")

    def _constant(self, kind: int, referenced: bool) -> Value:
        """Read a value found only in code: a complex number, `...`, a set or a slice."""
        if kind == ord("."):
            return 0
        if kind == ord("y"):
            return self._remember(self._take(16), referenced)
        if kind == ord("x"):
            return self._remember(
                self._take(self._take(1)[0]) + self._take(self._take(1)[0]), referenced
            )
        if kind == ord(":"):
            return self._tuple(3, referenced)
        return self._tuple(self._size(), referenced)
