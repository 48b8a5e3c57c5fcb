"""Real profiles against KCachegrind's numbers, function by function and event by event.

The small ones are in `tests/data`. A wide collection beside the checkout is tested if it exists.
"""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Iterator
from pathlib import Path

import pytest

import qcachegrind_py as q
from qcachegrind_py.profile.profile import Profile
from tests.formats.kcachegrind_tables import (
    Table,
    kcachegrind_table,
    profile_table,
    table_differences,
    without_files,
)
from tests.profile_rows import DATA, cost_rows, diagnostic_rows, function_rows

WIDE = Path(__file__).parents[3] / "shared" / "corpus"
UNPACKERS = {b"\x1f\x8b": gzip.decompress, b"BZ": bz2.decompress, b"\xfd7": lzma.decompress}
TABLE_ENDS = {".nocyc.tsv.xz": False, ".cyc.tsv.xz": True}
SEPARATOR = b"==== NEW PROFILING FILE"


BZR = "b-public/jrfonseca+gprof2dot/tests/callgrind/bzr.callgrind"
DEFINED_AHEAD = (
    "Position specifications [...] only change the meaning of subsequent cost lines or "
    "associations [...] you can define name compression mappings directly after the header, and "
    "before any cost lines."
)
# Tables that have functions in another file, and the sentences of the format that give a function
# its file. All other numbers of these tables are ours.
OTHER_FILES = {
    # `fi=` before each `fn=`, never `fl=`, and `cfi=` between `cfn=` and `calls=`; KCachegrind has
    # all functions in the unknown file.
    BZR: "fi= [...] The source file including the code which is responsible for the cost of next "
    "cost lines. cfi= [...] The source file including the code of the target of the next call "
    "cost lines.",
    # All ids are defined ahead; KCachegrind has all functions in the file that is defined last.
    "yappi/callgrind.out.yappi": DEFINED_AHEAD,
    "a-python/yappi/callgrind.out.yappi": DEFINED_AHEAD,
}


def tables_in(folder: Path) -> Iterator[tuple[Path, Path, bool]]:
    """Every table in the folder: the name of its profile, the table, and whether with cycles."""
    for path in sorted(folder.rglob("*.tsv.xz")):
        end = next(end for end in TABLE_ENDS if path.name.endswith(end))
        name = path.relative_to(folder).with_name(path.name.removesuffix(end))
        yield name, path, TABLE_ENDS[end]


def profile_path(folder: Path, name: Path) -> Path:
    return next(
        path
        for end in ("", ".xz", ".gz")
        if (path := folder / name.with_name(name.name + end)).exists()
    )


def self_cost_totals(data: bytes) -> dict[str, int]:
    """The sum of the self-cost lines by event, using only the shape of the lines."""
    positions, events, skip = 1, [], False
    totals: dict[bytes, int] = {}
    for line in data.split(b"\n"):
        start = line[:1]
        if start in b"0123456789+*-" and start:
            if skip:
                skip = False
                continue
            for event, cost in zip(events, line.split()[positions:], strict=False):
                if not cost.removeprefix(b"-").isdigit():
                    break
                number = int(cost)
                totals[event] += number - (1 << 64) if number >> 63 > 0 else number
        elif line.startswith((b"calls=", b"jump=", b"jcnd=")):
            skip = True
        elif line.startswith(b"events:"):
            events = line[7:].split()
            totals |= {event: totals.get(event, 0) for event in events}
        elif line.startswith(b"positions:"):
            positions = len(line[10:].split())
    return {event.decode(): total for event, total in totals.items()}


def unpacked(path: Path) -> bytes:
    data = path.read_bytes()
    return UNPACKERS[data[:2]](data) if data[:2] in UNPACKERS else data


def check_tables(folder: Path, name: Path, tables: list[tuple[Path, bool]]) -> None:
    """Compare one profile with its tables, with cycles and without."""
    check_tables_of(q.load(profile_path(folder, name)), f"{name}", tables)


def files_of(table: Table) -> set[str]:
    return {file for _name, file, _object in table.rows}


def check_tables_of(profile: Profile, name: str, tables: list[tuple[Path, bool]]) -> None:
    """Compare a loaded profile with the tables of that name."""
    for path, cycles in tables:
        wanted = kcachegrind_table(path)
        got = profile_table(profile, q.function_costs(profile, cycles=cycles))
        if name in OTHER_FILES:
            assert len(files_of(wanted)) == 1 < len(files_of(got)), path
            wanted, got = without_files(wanted), without_files(got)
        assert (wanted.events, wanted.totals) == (got.events, got.totals), path
        if cycles:
            assert wanted.cycles == got.cycles, path
        assert table_differences(wanted, got) == {}, path


def tables_by_profile(*folders: Path) -> dict[Path, list[tuple[Path, bool]]]:
    found: dict[Path, list[tuple[Path, bool]]] = {}
    for folder in folders:
        for name, path, cycles in tables_in(folder):
            found.setdefault(name, []).append((path, cycles))
    return found


SMALL = tables_by_profile(DATA)


@pytest.mark.parametrize("name", SMALL, ids=str)
def test_a_real_profile_has_the_numbers_of_kcachegrind(name: Path) -> None:
    """Self and inclusive cost, called count and cycle of every function are KCachegrind's."""
    assert len(SMALL[name]) == 2
    check_tables(DATA, name, SMALL[name])


@pytest.mark.parametrize("name", SMALL, ids=str)
def test_totals_of_a_real_profile_are_the_sum_of_its_self_cost_lines(name: Path) -> None:
    """No cost line is lost or counted twice: an independent sum of the lines is the same."""
    path = profile_path(DATA, name)
    profile = q.load(path)
    totals = q.function_costs(profile).totals.tolist()
    assert self_cost_totals(unpacked(path)) == dict(zip(profile.events.names, totals, strict=True))


# a separator between two profiles, a last line without line end, and a summary below the costs
WITH_ODDITIES = {"xdebug-append", "yappi", "toggle"}


@pytest.mark.parametrize(
    "name", [name for name in SMALL if name.parts[0] not in WITH_ODDITIES], ids=str
)
def test_a_sound_profile_has_no_diagnostics(name: Path) -> None:
    """Regular features of a writer give no diagnostics."""
    assert diagnostic_rows(q.load(profile_path(DATA, name))) == []


def test_names_of_a_latin1_profile() -> None:
    """Names that are not UTF-8 are read, distinguished, and keep their bytes."""
    profile = q.load(DATA / "latin1" / "callgrind.out.22456")
    raw = unpacked(DATA / "latin1" / "callgrind.out.22456")
    names = {part for function in function_rows(profile) for part in function}
    odd = [name.encode("utf-8", "surrogateescape") for name in names if not name.isprintable()]
    assert odd
    assert all(name in raw for name in odd)


def test_threads_of_one_run() -> None:
    """Files of threads loaded together are its parts; their costs add up."""
    paths = [DATA / "separate-threads" / f"callgrind.out.22265-0{n}" for n in (1, 2, 3)]
    together = q.load(*paths)
    alone = [q.load(path) for path in paths]
    assert [part.thread for part in together.parts] == [1, 2, 3]
    totals = [q.function_costs(profile).totals.tolist() for profile in alone]
    assert [sum(column) for column in zip(*totals, strict=True)] == q.function_costs(
        together
    ).totals.tolist()
    assert [row for profile in alone for row in cost_rows(profile)] == [
        row._replace(part=0) for row in cost_rows(together)
    ]


# ------------------------------------------------------------ the wide collection

needs_wide = pytest.mark.skipif(not WIDE.exists(), reason="the wide collection is not there")


@pytest.mark.slow
@needs_wide
def test_every_profile_of_the_wide_collection() -> None:
    """Every table of KCachegrind's, or its corrected version, is matched exactly."""
    tables = tables_by_profile(WIDE / "kcachegrind", WIDE / "corrected")
    assert len(tables) > 200
    failed = []
    for name, found in tables.items():
        try:
            check_tables(WIDE, name, found)
        except AssertionError as error:
            failed.append(f"{name}: {str(error)[:300]}")
    assert failed == []


@needs_wide
def test_callees_and_bodies_of_a_file_with_cfi_behind_cfn() -> None:
    """They are one function each, in the file that `fi=` and `cfi=` give alike."""
    path = profile_path(WIDE, Path(BZR))
    bodies, callees = set(), set()
    given: dict[bytes, str] = {}
    for line in unpacked(path).splitlines():
        key, _, value = line.partition(b"=")
        given[key] = value.decode()
        if key == b"fn":
            bodies.add((given[b"fn"], given[b"fi"], ""))
        elif key == b"calls":
            callees.add((given[b"cfn"], given[b"cfi"], ""))
    functions = function_rows(q.load(path))
    assert len(bodies & callees) > 2000
    assert sorted(functions) == sorted(bodies | callees)
    assert len({name for name, _file, _object in functions}) == len(functions)
