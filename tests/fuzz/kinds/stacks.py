"""Files of other profilers' stacks: real ones of every format, mutated, packed or not."""

from __future__ import annotations

import contextlib
import gzip
import re
from collections import defaultdict
from functools import cache
from pathlib import Path
from random import Random

import qcachegrind_py as q
from qcachegrind_py.formats.compression import open_profile
from qcachegrind_py.formats.stacks.files import stack_format
from tests.formats.profile_comparison import json_report
from tests.fuzz.kinds.callgrind import content_or_error, folded_report
from tests.fuzz.mutation import mutate, mutate_in_place, mutate_values
from tests.fuzz.outcome import Content

_DATA = Path(__file__).parents[2] / "data" / "stacks"
_MOST_READ = 1 << 20
_WORD = re.compile(rb"[\w.:+-]{2,40}")


def make(random: Random) -> bytes:
    """A file of any format, or a piece of it, with a few wrong values, bytes, lines or words."""
    data, other = _real(random), _real(random)
    if data.startswith(b"{") and random.random() < 0.5:
        data = mutate_values(random, data)
    elif random.random() < 0.4:
        data = mutate_in_place(random, data)
    else:
        is_text = random.random() < 0.7
        words = random.sample(sorted(set(_WORD.findall(data))), 3) if is_text else ()
        data = mutate(random, data, other, words)
    if random.random() > 0.1:
        return data
    packed = gzip.compress(data, mtime=0)
    return mutate_in_place(random, packed) if random.random() < 0.5 else packed


def check(data: bytes, folder: Path) -> Content:
    """The content of the profile and its JSON report, also with functions folded, or the error."""
    path = folder / "stacks"
    path.write_bytes(data)
    read = content_or_error(lambda: q.load(path))
    if "error" in read:
        return read
    profile = q.load(path)
    report, folded = json_report(profile), folded_report(profile, Random(data))
    return {**read, "report": report, "folded": folded}


def _real(random: Random) -> bytes:
    """A real file, each format as often as any other; of text a piece of it."""
    files = random.choice(_real_files())
    data = random.choice(files)
    is_text = not data.startswith(b"{") and b"\0" not in data
    return data[: random.randint(200, 20_000)] if is_text else data


@cache
def _real_files() -> list[list[bytes]]:
    """The real files of each format, unpacked."""
    files = defaultdict[str, list[bytes]](list)
    for path in sorted(_DATA.iterdir()):
        with contextlib.closing(open_profile(path)) as file:
            data = file.head(_MOST_READ)
        if format_ := stack_format(data):
            files[format_.name].append(data)
    return list(files.values())
