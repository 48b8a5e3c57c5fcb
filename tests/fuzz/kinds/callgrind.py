"""Profiles in the Callgrind format: real and generated ones, mutated.

A profile is read at once, and in small chunks; it is reported, saved, and read again.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from hypothesis import given, settings

import qcachegrind_py as q
from qcachegrind_py.analysis.costs.totals import part_totals
from qcachegrind_py.analysis.folding.fold import fold_functions
from qcachegrind_py.formats.compression import open_profile
from qcachegrind_py.profile.errors import InvalidProfile, NotAProfile
from qcachegrind_py.profile.profile import Profile
from tests.formats.callgrind.chunked_reading import read_in_chunks, whole_content
from tests.formats.callgrind.generated_profiles import profiles
from tests.formats.callgrind.reference_reader import HEADER_KEYS
from tests.formats.profile_comparison import json_report, profile_rows, read_again
from tests.fuzz.mutation import NUMBERS, mutate
from tests.fuzz.outcome import Content, Difference

_DATA = Path(__file__).parents[2] / "data"
# of corrupt ones, as many bytes are read as fit into the chunks
_PACKED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd")
# what a saved profile has other characters for
_REPLACED_IN_NAMES = re.compile(rb"[\0\r]|^[ \t]", re.M)
_BUFFER_SIZE = 8192  # random bytes from which hypothesis makes a profile
_MOST_GENERATED = 300  # profiles to mutate; making one takes 15 ms, as long as reading it
_LARGE = 1 << 20
_MOST_READ = 1 << 24  # bytes of a real profile
_HEADER_LINES, _BODY_LINES = 40, 150
_SPECIFICATIONS = b"ob fl fi fe fn frfn cob cfi cfl cfn calls rcalls jfi jfn jump jcnd".split()
_WORDS = [
    *(b"\n%b: " % key for key in sorted(HEADER_KEYS)),
    *(b"\n%b=" % key for key in _SPECIFICATIONS),
    *(b"\nfn=(1)", b"\ncfn=(2) f\ncalls=1 1\n1 1\n", b"\n# callgrind format\n"),
    *(b"\nevents: Ir Ir\n", b"\npositions: instr bb line\n", b"\nevent: S = Ir + 2 Dr\n"),
    *NUMBERS,
]


def make(random: Random) -> bytes:
    """A mutated profile."""
    return mutate(random, profile(random), profile(random), _WORDS)


def check(data: bytes, folder: Path) -> Content:
    """The content of the profile, its JSON report, or the error."""
    path = folder / "profile"
    path.write_bytes(data)
    read = content_or_error(lambda: q.load(path))
    error = read.get("error", ("",))[0]
    if error in ("", InvalidProfile.__name__) and not data.startswith(_PACKED):
        compare("reading at once and in chunks", *_chunked(data))
    if error:
        return read
    profile = q.load(path)
    _check_saved(profile)
    return {
        **read,
        "report": json_report(profile),
        "folded": folded_report(profile, Random(data)),
    }


def folded_report(profile: Profile, random: Random) -> object:
    """The report of the profile with random functions folded into their callers.

    No cost is lost in any part, and none appears.
    """
    share = random.choice((0.1, 0.5, 0.9))
    functions = np.array([random.random() < share for _ in range(len(profile.functions))], bool)
    folding = fold_functions(profile, functions)
    totals, folded = part_totals(profile), part_totals(folding.profile)
    same(totals.tolist(), folded.tolist(), "the totals of a folded profile")
    exact = (folding.charges.is_exact.tolist(), folding.callbacks.is_exact.tolist())
    return json_report(folding.profile), exact


def _check_saved(profile: Profile) -> None:
    """A saved profile has the same rows; if names are written with other characters, its copy."""
    if _REPLACED_IN_NAMES.search(b"\n".join(profile.texts.raw_strings())):
        profile = read_again(profile)
    again = read_again(profile)
    compare("the profile and a saved one", profile_rows(profile), profile_rows(again))


def compare(what: str, wanted: Content, got: Content) -> None:
    """Raise `Difference` if two contents differ, with the entries that do."""
    names = [name for name in {**wanted, **got} if wanted.get(name) != got.get(name)]
    if names:
        pairs = (f"{name}: {wanted.get(name)!r:.300} / {got.get(name)!r:.300}" for name in names)
        raise Difference(f"{what} differ in {', '.join(names)}", "\n".join(pairs))


def content_or_error(read: Callable[[], Profile]) -> Content:
    """The whole content of a profile, or why the file is none."""
    try:
        return whole_content(read())
    except (NotAProfile, InvalidProfile) as error:
        return {"error": (type(error).__name__, error.line, error.reason)}


def _chunked(data: bytes) -> tuple[Content, Content]:
    """The content as read at once, and in chunks whose sizes follow from the data."""
    random = Random(data)
    first, following = random.randint(1, 400), random.randint(1, 400)
    return (
        content_or_error(lambda: read_in_chunks(data, _LARGE, _LARGE)),
        content_or_error(lambda: read_in_chunks(data, first, following)),
    )


# ---------------------------------------------------------------- unchanged profiles


def profile(random: Random) -> bytes:
    """A part of a real profile, or a generated one."""
    return random.choice((_real, _from_grammar))(random)


def generated(random: Random) -> bytes:
    """A valid profile from the grammar of `generated_profiles`."""
    made: list[bytes] = []

    @settings(database=None)
    @given(profiles())
    def keep(data: bytes) -> None:
        made.append(data)

    while not made:
        keep.hypothesis.fuzz_one_input(random.randbytes(_BUFFER_SIZE))
    return made[0]


def _from_grammar(random: Random) -> bytes:
    return _generated(random.randrange(_MOST_GENERATED))


@cache
def _generated(number: int) -> bytes:
    return generated(Random(number))


def _real(random: Random) -> bytes:
    """The header of a real profile, and some of its lines."""
    lines = random.choice(_real_profiles())
    header = lines[:_HEADER_LINES]
    start = random.randint(0, len(lines))
    return b"".join([*header, *lines[start : start + random.randint(1, _BODY_LINES)]])


@cache
def _real_profiles() -> list[list[bytes]]:
    paths = sorted(path for path in _DATA.glob("*/*.out*") if ".tsv" not in path.name)
    return [_unpacked(path).splitlines(keepends=True) for path in paths]


def _unpacked(path: Path) -> bytes:
    with contextlib.closing(open_profile(path)) as file:
        return file.head(_MOST_READ)


def same(wanted: Any, got: Any, what: str) -> None:
    """Raise `Difference` if two values differ."""
    if wanted != got:
        raise Difference(what, f"{wanted!r:.1000}\n{got!r:.1000}")
