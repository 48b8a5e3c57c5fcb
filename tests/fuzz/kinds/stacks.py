"""Files of other profilers' stacks: real ones of every format, mutated, packed or not."""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from random import Random

import qcachegrind_py as q
from tests.formats.profile_comparison import json_report
from tests.fuzz.kinds import callgrind
from tests.fuzz.mutation import mutate, mutate_in_place
from tests.fuzz.outcome import Content

_DATA = Path(__file__).parents[2] / "data" / "stacks"
_FORMATS = (".dhat", ".folded", ".perf", ".json", ".gz", ".cpuprofile")
_WORD = re.compile(rb"[\w.:+-]{2,40}")


def make(random: Random) -> bytes:
    """A piece of a real file with a few wrong bytes, lines or words."""
    data, other = _real(random), _real(random)
    if random.random() < 0.4:
        return mutate_in_place(random, data)
    words = random.sample(sorted(set(_WORD.findall(data))), 3) if random.random() < 0.7 else ()
    return mutate(random, data, other, words)


def check(data: bytes, folder: Path) -> Content:
    """The content of the profile and its JSON report, or the error."""
    path = folder / "stacks"
    path.write_bytes(data)
    read = callgrind.content_or_error(lambda: q.load(path))
    return read if "error" in read else {**read, "report": json_report(q.load(path))}


def _real(random: Random) -> bytes:
    data = random.choice([path for path in sorted(_DATA.iterdir()) if path.suffix in _FORMATS])
    content = data.read_bytes()
    if data.suffix == ".gz" and random.random() < 0.9:
        content = gzip.decompress(content)
    is_text = data.suffix in (".folded", ".perf")
    return content[: random.randint(200, 20_000)] if is_text else content
