"""Files whose names or ids are chosen to collide in a table are read as quickly as others."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice, product
from pathlib import Path

import pytest

import qcachegrind_py as q
from qcachegrind_py.formats.callgrind.scanner import COMPILED
from tests.growth import assert_linear

SIZE = 24_000 if COMPILED else 3_000


def ids(count: int) -> str:
    """Functions whose ids differ in the highest bits alone."""
    return "".join(f"fn=({number << 40}) f{number}\n1 1\n" for number in range(count))


def names(count: int) -> str:
    """Functions whose names are equal to a hash that adds up letters, each times a power of 31."""
    words = product(("Aa", "BB"), repeat=15)  # as 31 * 65 + 97 is 31 * 66 + 66
    return "".join(f"fn={''.join(word)}\n1 1\n" for word in islice(words, count))


@pytest.mark.parametrize("text", [ids, names])
def test_no_file_chooses_slots(text: Callable[[int], str], tmp_path: Path) -> None:
    """Reading takes time in proportion to the number of names."""
    paths = {}
    for count in (SIZE, SIZE // 8):
        paths[count] = tmp_path / f"{count}"
        paths[count].write_text("events: Ir\n" + text(count))

    assert_linear(lambda count: q.load(paths[count]), SIZE)

    assert len(q.load(paths[SIZE]).functions) == SIZE
