"""Random changes to the bytes, lines and words of a file.

Every change takes the file and another one of its kind, of which it may insert a piece.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from copy import deepcopy
from random import Random
from typing import Any

_Change = Callable[[Random, bytes, bytes], bytes]

MOST_BYTES = 1 << 17
"""Longer results are truncated, so that no chain of duplications makes a case slow."""
_MOST_CHANGES = 6

NUMBERS = [
    *(b"%d" % number for bits in (7, 8, 15, 16, 31, 32, 53, 63, 64) for number in (2**bits,)),
    *(b"%d" % (2**bits - 1) for bits in (31, 32, 63, 64)),
    *(b"-%d" % 2**bits for bits in (31, 63, 64)),
    *(b"0", b"1", b"-1", b"+1", b"*", b"-0", b"00", b"0x", b"0xg", b"0x0", b"1e9", b"1.5", b"."),
    *(
        b"0xffffffffffffffff",
        b"0x10000000000000000",
        b"-0x8000000000000000",
        b"9" * 400,
        b"9" * 5000,
    ),
]
"""Decimal and hexadecimal numbers at the limits of their widths, and some that are none."""
_VALUES: list[Any] = [
    *(None, True, "", "x", "\ud800", "\udcff", "0x7f4e1ff756bb", "f (a.js:1:2)[3]", [], {}, [[0]]),
    *(-1, 0, 1, 2**31 - 1, 2**31, 2**53, 2**63 - 1, 2**63, 2**64, -(2**63), 10**400),
    *(0.5, -0.0, 1e300, float("inf"), float("nan"), -1e-300),
]
"""Values of JSON, and what Python writes as such."""
_BYTES = [0, 1, 9, 10, 13, 32, 40, 47, 48, 58, 61, 127, 128, 255]
_WORD = re.compile(rb"[0-9a-zA-Z_.*+-]+")
_NUMBER = re.compile(rb"[+-]?(?:0x[0-9a-fA-F]+|[0-9]+)")


def mutate(random: Random, data: bytes, other: bytes, words: Sequence[bytes] = ()) -> bytes:
    """The file after one to six changes; `words` are those that mean something in its format."""
    changes = [*_BINARY, *_BY_LINE, *_BY_WORD] if words else _BINARY
    for _ in range(random.randint(1, _MOST_CHANGES)):
        if words and random.random() < 0.1:
            data = _insert(random, data, random.choice(words))
        data = random.choice(changes)(random, data, other)[:MOST_BYTES]
    return data


def mutate_in_place(random: Random, data: bytes) -> bytes:
    """The file with one to three bytes or integers changed, so that all offsets stay right."""
    for _ in range(random.randint(1, 3)):
        data = random.choice(_IN_PLACE)(random, data, b"")[: len(data)]
    return data


def mutate_values(random: Random, data: bytes) -> bytes:
    """The file of JSON with one to six of its values changed, left out, repeated or exchanged."""
    root = [json.loads(data)]
    for _ in range(random.randint(1, _MOST_CHANGES)):
        owner, key = _place(random, root)
        if random.random() < 0.2 and owner is not root:
            del owner[key]
        elif random.random() < 0.3 and isinstance(owner, list) and owner is not root:
            times = 1 if isinstance(owner[key], list | dict) else random.choice((1, 2, 100))
            owner[key:key] = deepcopy([owner[key]] * times)
        elif random.random() < 0.4:
            other, place = _place(random, root)
            owner[key] = deepcopy(other[place])
        else:
            owner[key] = deepcopy(random.choice(_VALUES))
    return json.dumps(root[0]).encode()


def _place(random: Random, root: list[Any]) -> tuple[Any, Any]:
    """Where a value is: its owner, and its key or index.

    It is drawn step by step from the outside, so that long lists do not hide what is beside them.
    """
    owner: Any = root
    while True:
        key = random.choice(list(owner) if isinstance(owner, dict) else range(len(owner)))
        value = owner[key]
        if not isinstance(value, list | dict) or not value or random.random() < 0.15:
            return owner, key
        owner = value


# ---------------------------------------------------------------- bytes


def _span(random: Random, data: bytes, longest: int = 200) -> slice:
    """A random range of the file, mostly short."""
    start = random.randint(0, len(data))
    longest = random.choice((1, 4, 20, longest, len(data)))
    return slice(start, min(len(data), start + random.randint(0, longest)))


def _replace(data: bytes, span: slice, new: bytes) -> bytes:
    return data[: span.start] + new + data[span.stop :]


def _insert(random: Random, data: bytes, new: bytes) -> bytes:
    place = random.randint(0, len(data))
    return _replace(data, slice(place, place), new)


def _change_byte(random: Random, data: bytes, _other: bytes) -> bytes:
    place = random.randrange(len(data) or 1)
    value = random.choice([random.randrange(256), random.choice(_BYTES)])
    return _replace(data, slice(place, place + 1), bytes([value]))


def _flip_bit(random: Random, data: bytes, _other: bytes) -> bytes:
    if not data:
        return data
    place = random.randrange(len(data))
    return _replace(data, slice(place, place + 1), bytes([data[place] ^ 1 << random.randrange(8)]))


def _change_integer(random: Random, data: bytes, _other: bytes) -> bytes:
    """Overwrite a binary integer by one near a limit of its width."""
    width = random.choice((1, 2, 4, 8))
    limit = 1 << 8 * width
    near = random.choice((0, limit // 2, limit, 0x100, len(data))) + random.randint(-2, 2)
    place = random.randint(0, len(data))
    new = (near % limit).to_bytes(width, random.choice(("little", "big")))
    return _replace(data, slice(place, place + width), new)


def _delete(random: Random, data: bytes, _other: bytes) -> bytes:
    return _replace(data, _span(random, data), b"")


def _duplicate(random: Random, data: bytes, _other: bytes) -> bytes:
    span = _span(random, data)
    return _insert(random, data, data[span] * random.choice((1, 1, 2, 100)))


def _overwrite(random: Random, data: bytes, other: bytes) -> bytes:
    return _replace(data, _span(random, data), other[_span(random, other)])


def _splice(random: Random, data: bytes, other: bytes) -> bytes:
    """The begin of one file and the end of another."""
    return data[: random.randint(0, len(data))] + other[random.randint(0, len(other)) :]


def _truncate(random: Random, data: bytes, _other: bytes) -> bytes:
    return data[: random.randint(0, len(data))]


def _insert_noise(random: Random, data: bytes, _other: bytes) -> bytes:
    return _insert(random, data, random.randbytes(random.choice((1, 8, 100))))


# ---------------------------------------------------------------- lines and words


def _change_lines(random: Random, data: bytes, other: bytes) -> bytes:
    """Delete, move, repeat or exchange lines, or insert some of another file."""
    lines, others = data.splitlines(keepends=True), other.splitlines(keepends=True)
    start = random.randint(0, len(lines))
    stop = min(len(lines), start + random.choice((1, 1, 2, 10)))
    first = random.randint(0, len(others))
    new = random.choice(
        (
            [],
            lines[start:stop] * random.choice((2, 3, 100)),
            others[first : first + random.choice((1, 3, 20))],
            lines[start:stop][::-1],
        )
    )
    lines[start:stop] = []
    place = random.choice((start, random.randint(0, len(lines))))
    return b"".join([*lines[:place], *new, *lines[place:]])


def _change_line_end(random: Random, data: bytes, _other: bytes) -> bytes:
    place = data.find(b"\n", random.randint(0, len(data)))
    end = random.choice((b"", b"\r\n", b"\r", b"\n\n", b" ", b"\0", b"\x85", b"\n\xef\xbb\xbf"))
    return data if place < 0 else _replace(data, slice(place, place + 1), end)


def _change_number(random: Random, data: bytes, _other: bytes) -> bytes:
    found = _NUMBER.search(data, random.randint(0, len(data)))
    return _replace(data, slice(*found.span()), random.choice(NUMBERS)) if found else data


def _change_word(random: Random, data: bytes, other: bytes) -> bytes:
    """Replace a word by one of the other file."""
    found = _WORD.search(data, random.randint(0, len(data)))
    new = _WORD.search(other, random.randint(0, len(other)))
    return _replace(data, slice(*found.span()), new[0]) if found and new else data


_IN_PLACE: list[_Change] = [_change_byte, _flip_bit, _change_integer]
_BINARY: list[_Change] = [
    *_IN_PLACE,
    _delete,
    _duplicate,
    _overwrite,
    _splice,
    _truncate,
    _insert_noise,
]
_BY_LINE: list[_Change] = [_change_lines] * 4 + [_change_line_end]
_BY_WORD: list[_Change] = [_change_number] * 3 + [_change_word] * 3
