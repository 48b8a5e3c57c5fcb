"""Real profiles, saved and read again: same report, lines, other programs' totals, and size."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import qcachegrind_py as q
from qcachegrind_py.analysis.costs.function_costs import FunctionCosts
from qcachegrind_py.formats.callgrind.writing.profile_writer import save
from qcachegrind_py.formats.callgrind.writing.selection import Selection
from qcachegrind_py.profile.profile import Profile
from tests.formats.callgrind.reference_reader import Function
from tests.formats.profile_comparison import json_report, part_headers, profile_rows, written_bytes
from tests.formats.test_corpus import SMALL, check_tables_of, profile_path, unpacked
from tests.profile_rows import DATA, function_rows

SMALLEST = 700  # bytes of a file of callgrind's own; below are headers alone, cut by hand
ANNOTATE = shutil.which("callgrind_annotate")


def differences(path: Path, copy: Path) -> list[str]:
    """The differences between a profile and its copy, which this saves."""
    profile = q.load(path)
    save(profile, copy)
    again = q.load(copy)
    before, after = json_report(profile), json_report(again)
    found = [key for key in before if before[key] != after[key]]
    found += [] if part_headers(profile) == part_headers(again) else ["headers"]
    found += [] if profile_rows(profile) == profile_rows(again) else ["lines"]
    found += [] if written_bytes(again) == copy.read_bytes() else ["a copy of the copy"]
    sizes = copy.stat().st_size, len(unpacked(path))
    if profile.creator.startswith("callgrind-") and sizes[0] > sizes[1] > SMALLEST:
        found.append(f"{sizes[0]} > {sizes[1]} bytes")
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL, ids=str)
def test_a_real_profile_is_saved_as_it_is(name: Path, tmp_path: Path) -> None:
    """Report, header, every line and jump are the same; Callgrind's own file is not smaller."""
    assert differences(profile_path(DATA, name), tmp_path / "copy") == []


@pytest.mark.parametrize("name", SMALL, ids=str)
def test_a_saved_profile_has_the_numbers_of_kcachegrind(name: Path, tmp_path: Path) -> None:
    """KCachegrind's core counts the same in the copy as in the file."""
    save(q.load(profile_path(DATA, name)), tmp_path / "copy")

    check_tables_of(q.load(tmp_path / "copy"), str(name), SMALL[name])


def numbers_of(profile: Profile, costs: FunctionCosts) -> dict[Function, tuple[object, ...]]:
    """Call count, self and inclusive costs by function; functions without any are left out."""
    columns = costs.called.tolist(), costs.self_cost.T.tolist(), costs.inclusive.T.tolist()
    rows = zip(function_rows(profile), *columns, strict=True)
    return {key: (called, *c) for key, called, *c in rows if called or any(c[0]) or any(c[1])}


@pytest.mark.parametrize("name", SMALL, ids=str)
def test_what_is_chosen_of_a_real_profile_keeps_its_numbers(name: Path, tmp_path: Path) -> None:
    """Every third function keeps its costs in every second part.

    This includes cycles and active calls.
    """
    profile = q.load(profile_path(DATA, name))
    parts = tuple(range(0, len(profile.parts), 2))
    kept = np.arange(len(profile.functions)) % 3 == 0
    save(profile, tmp_path / "copy", Selection(parts=parts, functions=kept))
    again = q.load(tmp_path / "copy")

    before = numbers_of(profile, q.function_costs(profile, parts=frozenset(parts)))
    after = numbers_of(again, q.function_costs(again))
    names = {
        function for function, is_kept in zip(function_rows(profile), kept, strict=True) if is_kept
    }
    assert {key: row for key, row in before.items() if key in names} == {
        key: row for key, row in after.items() if key in names
    }


# ------------------------------------------------------------ callgrind_annotate

_ROW = re.compile(r" *([\d,. ]+)  (.*?)(?: \[[^]]*\])?")


def annotated(path: Path) -> tuple[list[str], Counter[tuple[str, ...]]]:
    """The totals and the functions, with self costs, printed by callgrind_annotate."""
    assert ANNOTATE is not None
    options = ["--threshold=100", "--auto=no", "--show-percs=no"]
    done = subprocess.run(
        [ANNOTATE, *options, str(path)], capture_output=True, check=True, timeout=300
    )
    text = done.stdout.decode("utf-8", "replace")
    (totals,) = [line for line in text.splitlines() if "PROGRAM TOTALS" in line]
    rows = text.partition("file:function\n")[2].splitlines()[1:]
    matches = filter(None, map(_ROW.fullmatch, rows))
    return _costs(totals), Counter((*_costs(match[1]), match[2]) for match in matches)


def _costs(text: str) -> list[str]:
    """The numbers of a line; a missing cost is 0."""
    words = text.split(" PROGRAM")[0].split()
    return ["0" if word == "." else word for word in words]


@pytest.mark.skipif(ANNOTATE is None, reason="callgrind_annotate is not installed")
@pytest.mark.parametrize(
    "name", ["cachey-everything/callgrind.out.22151", "recur-everything/callgrind.out.21921"]
)
def test_a_saved_profile_has_the_numbers_of_callgrind_annotate(name: str, tmp_path: Path) -> None:
    """Totals and self costs by file and function are those of the original, and ours."""
    original, copy = tmp_path / "original", tmp_path / "copy"
    original.write_bytes(unpacked(profile_path(DATA, Path(name))))
    profile = q.load(original)
    save(profile, copy)

    totals, rows = annotated(copy)

    assert (totals, rows) == annotated(original)
    assert len(rows) > 100
    summary = profile.parts[0].summary
    assert summary is not None
    assert totals == [f"{cost:,}" for cost in summary.values()]
