"""Where the addresses that a sampler recorded are in a binary.

Callgrind writes addresses of the linked file. Samplers write those of the running process, or
places in the file, and few say which. Both differ from the linked addresses by a number of whole
pages, which is the same for a whole object in one process. The functions that both the profile and
the binary name prove it: each allows few distances, and the one that most of them allow is right.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from qcachegrind_py.profile.ids import FunctionId, TextId, text_at
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import WeightedCache
from qcachegrind_py.profile.tables import StringTable, UInt64Array
from qcachegrind_py.tools.demangler import demangle_names
from qcachegrind_py.tools.disassembly.machine_code import moved
from qcachegrind_py.tools.elf.headers import text_at as name_at
from qcachegrind_py.tools.elf.image import ElfImage, Fingerprint

_PAGE = 4096
_MOST_PAGES = 256  # of a function that proves anything
_MAX_IMAGES = 4

_Ranges = dict[str, list[tuple[int, int]]]  # start and end of the functions of each name


def distance_of_addresses(
    image: ElfImage, profile: Profile, function: FunctionId, addresses: UInt64Array
) -> int:
    """Return by how much recorded addresses of a function exceed those of the binary.

    It may be negative, and is 0 if nothing proves another.
    """
    ranges = _ranges_cache.get((image.path, image.fingerprint), lambda: _named_ranges(image))
    names, low, high = _recorded_ranges(profile, function)
    votes = Counter[int]()
    for name, first, last in zip(names, low, high, strict=True):
        votes.update(_distances(ranges.get(name, ()), first, last))
    own_name = profile.texts[text_at(profile.functions.name, function)]
    first, last = int(addresses[0]), int(addresses[-1])
    own = _distances(ranges.get(own_name, ()), first, last)
    if not own:  # as of an inlined function, which is no symbol
        own = {each for each in votes if (image.code.holding(moved(addresses, -each)) >= 0).all()}
    return max(own, key=lambda each: (votes[each], each == 0, -abs(each)), default=0)


def _recorded_ranges(
    profile: Profile, function: FunctionId
) -> tuple[list[str], list[int], list[int]]:
    """Return the names of the functions in one object, and the lowest and highest address of each.

    In each file that was read, a function has its own, since another run has other addresses.
    """
    contexts, functions = profile.contexts, profile.functions
    if contexts is None or contexts.address is None:
        return [], [], []
    rows = np.flatnonzero(
        (functions.object == functions.object[function])[contexts.function] & (contexts.address > 0)
    )
    paths = {path: number for number, path in enumerate(profile.paths)}
    file = np.array([paths.get(part.path, 0) for part in profile.parts], np.int64)
    key = file[contexts.part[rows]] * len(functions) + contexts.function[rows]
    keys, number = np.unique(key, return_inverse=True)
    low = np.full(len(keys), np.iinfo(np.uint64).max, np.uint64)
    high = np.zeros(len(keys), np.uint64)
    np.minimum.at(low, number, contexts.address[rows])
    np.maximum.at(high, number, contexts.address[rows])
    named = functions.name[keys % len(functions)]
    return profile.texts.lookup(map(TextId, named.tolist())), low.tolist(), high.tolist()


def _distances(ranges: Iterable[tuple[int, int]], first: int, last: int) -> set[int]:
    """Return the distances in whole pages that put two addresses into one of the ranges.

    The end counts, too: a call that never returns is the last instruction.
    """
    found: set[int] = set()
    for start, end in ranges:
        least, most = -((end - last) // _PAGE), (first - start) // _PAGE
        if most - least < _MOST_PAGES:
            found.update(_PAGE * pages for pages in range(least, most + 1))
    return found


def _named_ranges(image: ElfImage) -> _Ranges:
    """Return the functions of a binary by their names, as they are and demangled."""
    symbols, functions = image.symbols, image.functions
    if not len(symbols) or not len(functions):
        return {}
    row = functions.containing(symbols.address)
    rows = np.flatnonzero((row >= 0) & (functions.start[row] == symbols.address)).tolist()
    names = [name_at(symbols.strings, int(symbols.name[each])).partition("@")[0] for each in rows]
    table = StringTable.from_bytes((b"", *(name.encode("utf-8", "replace") for name in names)))
    readable = demangle_names(table).lookup(map(TextId, range(1, len(names) + 1)))
    ranges: _Ranges = {}
    for number, each in enumerate(rows):
        place = int(functions.start[row[each]]), int(functions.end[row[each]])
        for name in {names[number], readable[number]}:
            ranges.setdefault(name, []).append(place)
    return ranges


_ranges_cache = WeightedCache[tuple[Path, Fingerprint], _Ranges](_MAX_IMAGES)
