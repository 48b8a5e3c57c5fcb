"""Texts and programs of both sides of a comparison, and what may be paired with what."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from qcachegrind_py.analysis.code.instructions import Alignment
from qcachegrind_py.analysis.code.line_numbering import changed_lines, united_lines
from qcachegrind_py.analysis.comparison.comparison import Comparison, compare
from qcachegrind_py.analysis.comparison.selections import compare_parts
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.errors import MissingFile, ProfileError
from qcachegrind_py.profile.ids import FunctionId, TextId, text_at
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.tools.compared_inputs import (
    ChosenPrograms,
    ComparedCode,
    ComparedSources,
    LineSides,
    find_compared_code,
    function_sides,
    read_compared_sources,
)
from qcachegrind_py.tools.sources.file_search import NO_BASE_SEARCH, BaseSearch, FileSearch
from tests.moved_function import BASE, NEW, PAIRS, write_moved_function
from tests.profile_rows import DATA
from tests.tools.test_git import commit, git, needs_git

# ------------------------------------------------------------ source texts

Row = tuple[str, int, int, int, int, str]


def read(
    compared: Comparison, folder: Path, base_search: BaseSearch = NO_BASE_SEARCH
) -> tuple[LineSides, ComparedSources, FunctionId]:
    """The lines of f and its sources, those of the new side from a folder."""
    function = FunctionId(compared.queries.names.with_name("f")[0])
    sides = function_sides(compared, function)
    search, progress = FileSearch(bases=(str(folder),)), NoProgress()
    sources = read_compared_sources(
        compared, function, sides, sides.files(), search, progress, base_search
    )
    return sides, sources, function


def rows(compared: Comparison, sides: LineSides, sources: ComparedSources) -> list[Row]:
    """File, line and cost of base and new, and text, of each line with costs."""
    texts, profile = sources.shown_texts(), compared.queries.profile
    changed = changed_lines(sides.base, sides.new, sources.numberings)
    columns = (changed.file, changed.number, changed.base_line, changed.new_line)
    found = []
    for file, number, *lines, base, new in zip(
        *(column.tolist() for column in (*columns, changed.base[0], changed.new[0])), strict=True
    ):
        text = [*texts.get(TextId(file), ())][number - 1 : number]
        found.append((profile.texts[TextId(file)], *lines, base, new, "".join(text)))
    return found


def test_lines_of_a_moved_function_pair_by_text(tmp_path: Path) -> None:
    """One line is gone and one is new; all others, and those inlined from a header, are pairs."""
    compared = compare(*map(load, map(str, write_moved_function(tmp_path))))
    sides, sources, function = read(compared, tmp_path / "new")
    files = sides.files()

    assert sorted(rows(compared, sides, sources)) == sorted(PAIRS)
    assert [*sources.notes(compared.queries.profile, files)] == [
        "In the base, the function is in a.c."
    ]
    change = compared.self_cost(compared.events[0]).change[function]
    assert sum(new - base for _, _, _, base, new, _ in PAIRS) == change == -8


def test_neighbours_in_the_old_file_are_not_gone(tmp_path: Path) -> None:
    """Only the function was moved: what is shown are its new file, and the lines that it lost."""
    compared = compare(*map(load, map(str, write_moved_function(tmp_path))))
    _, sources, function = read(compared, tmp_path / "new")
    file = text_at(compared.queries.profile.functions.file, function)
    new = sources.new_texts[file].lines

    assert sources.shown_texts()[file] == [*new[:5], "  s += slow(n);", *new[5:]]


def test_hosts_of_inlined_lines_pair_with_the_lines_that_host_them(tmp_path: Path) -> None:
    """The code inlined in line 11 of a.c is that inlined in line 7 of b.c: one row, not two."""
    compared = compare(*map(load, map(str, write_moved_function(tmp_path))))
    _, sources, function = read(compared, tmp_path / "new")
    hosted = function_sides(compared, function, with_hosts=True)
    file = text_at(compared.queries.profile.functions.file, function)
    base, new = united_lines(hosted.base, hosted.new, file, sources.numberings)
    inlined = base.file != file
    numbering = sources.numberings[file]

    assert numbering.lines_of(base.host[inlined])[0].tolist() == [11]
    assert numbering.lines_of(base.host[inlined])[1].tolist() == [7]
    assert (base.self_cost[0][inlined].tolist(), new.self_cost[0][inlined].tolist()) == ([5], [5])


def test_without_sources_lines_of_two_files_do_not_pair_by_number(tmp_path: Path) -> None:
    """Line 8 of a.c is not line 8 of b.c; all lines are as far down as their calls are."""
    compared = compare(*map(load, map(str, write_moved_function(tmp_path))))
    for source in tmp_path.glob("*/*.?"):
        source.unlink()
    sides, sources, _ = read(compared, tmp_path)

    assert [row[1:5] for row in rows(compared, sides, sources) if row[0] == "b.c"] == [
        *((8, 4, 3, 3), (9, 5, 1, 1), (10, 6, 20, 12), (11, 7, 4, 4), (12, 8, 2, 2)),
    ]
    assert [*sources.notes(compared.queries.profile, sides.files())] == [
        "In the base, the function is in a.c.",
        "Lines of b.c are aligned by their calls, in order: no source was found on either side.",
        "Lines of x.h are paired by number: no source was found on either side.",
    ]


def test_lines_inlined_from_where_the_function_is_now_stay_as_they_are(tmp_path: Path) -> None:
    """The base has lines of b.c already, and a number there can mean one line only."""
    base = BASE.replace("x.h", "b.c")
    compared = compare(*map(load, map(str, write_moved_function(tmp_path, base))))
    sides, sources, _ = read(compared, tmp_path / "new")
    names = compared.queries.profile.texts.lookup(sides.files())
    found = rows(compared, sides, sources)

    assert sorted(names) == ["a.c", "b.c", "x.h"]
    assert sum(row[3] for row in found if row[0] == "a.c") == 30
    assert sum(row[4] - row[3] for row in found) == -8


def test_a_function_without_a_known_file_is_not_moved(tmp_path: Path) -> None:
    """A base without debug information has costs without lines, which are none of b.c."""
    base = "fn=f\n0 35\n"
    compared = compare(*map(load, map(str, write_moved_function(tmp_path, base))))
    sides, _, _ = read(compared, tmp_path / "new")

    assert compared.queries.profile.texts.lookup(map(TextId, sides.base.file.tolist())) == ["???"]


@needs_git
def test_the_revision_of_the_base_has_the_old_file(tmp_path: Path) -> None:
    """It is read beside the new one, where the working tree has it no more."""
    base, new = write_moved_function(tmp_path, BASE, NEW)
    git(tmp_path, "init", "-q")
    (tmp_path / "old" / "a.c").rename(tmp_path / "new" / "a.c")
    revision = commit(tmp_path, "before")
    (tmp_path / "new" / "a.c").unlink()
    compared = compare(load(str(base)), load(str(new)))
    sides, sources, _ = read(compared, tmp_path / "new", BaseSearch(revision=revision))

    assert sorted(rows(compared, sides, sources)) == sorted(PAIRS)


# ---------------------------------------------------------------- programs

SUMS = DATA / "comparison" / "sums"
ADDRESSES, TEXTS, NOTHING = Alignment
HOUR = 3600.0
_FIRST = 1_700_000_000.0  # when the base was recorded


@pytest.fixture
def record(tmp_path: Path) -> Callable[[str, str, float, str], Path]:
    """Return a function that writes the profile of a build, recorded at `path` after some hours."""

    def record(name: str, build: str, hours: float, path: str) -> Path:
        text = (SUMS / f"callgrind.out.{build}").read_text()
        profile = tmp_path / name
        text = text.replace(f"/corpus/comparison/{build}", path).replace(f"./{build}", path)
        profile.write_text(text)
        os.utime(profile, (_FIRST, _FIRST + hours * HOUR))
        return profile

    return record


Record = Callable[[str, str, float, str], Path]


def build_at(path: Path, build: str, hours: float) -> str:
    """Put a build at a path, written some hours after the base was recorded."""
    path.parent.mkdir(exist_ok=True)
    shutil.copyfile(SUMS / build, path)
    os.utime(path, (_FIRST, _FIRST + hours * HOUR))
    return str(path)


def found(base: Path, new: Path, programs: ChosenPrograms = (), name: str = "main") -> ComparedCode:
    compared = compare(load(base), load(new))
    return find_compared_code(compared, named(compared, name), FileSearch(), programs)


def named(compared: Comparison, name: str) -> FunctionId:
    profile = compared.queries.profile
    names = profile.texts.lookup(profile.functions.name.tolist())
    return FunctionId(names.index(name))


def problem(code: ComparedCode) -> str:
    assert isinstance(code.base.problem, ProfileError)
    return str(code.base.problem)


def test_two_programs_are_paired_by_text(tmp_path: Path, record: Record) -> None:
    old, new = (
        build_at(tmp_path / folder / "sums", build, -1)
        for folder, build in (("old", "sums-O2"), ("new", "sums-O3"))
    )
    code = found(record("b", "sums-O2", 0, old), record("n", "sums-O3", 2, new))
    assert code.alignment is TEXTS
    assert code.base.machine_code is not None
    assert code.note == f"paired by text with {old}"


def test_one_program_that_both_recorded_is_one_build(tmp_path: Path, record: Record) -> None:
    path = build_at(tmp_path / "sums", "sums-O2", -1)
    code = found(record("b", "sums-O2", 0, path), record("n", "sums-O2", 2, path))
    assert (code.alignment, code.note) == (ADDRESSES, "one build: paired by address")


def test_copies_of_one_build_are_one_build(tmp_path: Path, record: Record) -> None:
    """Their build-ids are the same, wherever they are."""
    paths = [build_at(tmp_path / folder / "sums", "sums-O2", -1) for folder in ("one", "two")]
    code = found(record("b", "sums-O2", 0, paths[0]), record("n", "sums-O2", 2, paths[1]))
    assert code.alignment is ADDRESSES


def test_a_program_built_again_in_its_place_is_not_that_of_the_base(
    tmp_path: Path, record: Record
) -> None:
    """The usual case: the base's build is gone, and other instructions have its addresses."""
    path = build_at(tmp_path / "sums", "sums-edited", 1)
    base, new = record("b", "sums-O2", 0, path), record("n", "sums-edited", 2, path)
    code = found(base, new)  # `main` has the same addresses in both
    assert code.alignment is NOTHING
    assert problem(code) == (
        f"{path} is the program of both profiles, and was built again after the base was recorded. "
        "Choose the program of the base, and instructions are paired."
    )
    assert code.note == "not paired with instructions of the base"
    wrong = found(base, new, name="weighted.constprop.0")
    assert wrong.alignment is NOTHING
    assert "has no instruction at" in problem(wrong)


def test_the_program_of_the_base_can_be_chosen(tmp_path: Path, record: Record) -> None:
    path = build_at(tmp_path / "sums", "sums-edited", 1)
    kept = build_at(tmp_path / "kept" / "sums", "sums-O2", 1)
    base, new = record("b", "sums-O2", 0, path), record("n", "sums-edited", 2, path)
    for programs in (((path, kept),), (("", kept),)):
        code = found(base, new, programs)
        assert (code.alignment, code.note) == (TEXTS, f"paired by text with {kept}")
    assert found(base, new, (("/other", kept),)).alignment is NOTHING


def test_a_wrong_choice_is_not_used(tmp_path: Path, record: Record) -> None:
    """A binary without instructions where the base has costs cannot be its program."""
    path = build_at(tmp_path / "sums", "sums-O2", 1)
    code = found(
        record("b", "sums-O2", 0, "/gone/sums"),
        record("n", "sums-O2", 2, path),
        (("", str(SUMS / "sums-edited")),),
        "weighted.constprop.0",
    )
    assert code.alignment is NOTHING
    assert "addresses of the base" in problem(code)


def test_a_program_that_is_not_found_pairs_nothing(tmp_path: Path, record: Record) -> None:
    path = build_at(tmp_path / "sums", "sums-O2", -1)
    code = found(record("b", "sums-O2", 0, "/gone/sums"), record("n", "sums-O2", 2, path))
    assert (code.alignment, code.base_object) == (NOTHING, "/gone/sums")
    assert isinstance(code.base.problem, MissingFile)


def test_a_function_of_one_side_has_nothing_to_be_paired_with(
    tmp_path: Path, record: Record
) -> None:
    path = build_at(tmp_path / "sums", "sums-O2", -1)
    new = record("n", "sums-O2", 2, path)
    base = tmp_path / "empty"
    base.write_text(new.read_text().replace("fill", "other"))
    code = found(base, new, name="fill")
    assert (code.alignment, code.base_object, code.note) == (NOTHING, "", "")


def test_parts_of_one_profile_have_one_program(tmp_path: Path, record: Record) -> None:
    path = build_at(tmp_path / "sums", "sums-O2", -1)
    profile = load(record("a", "sums-O2", 0, path), record("b", "sums-O2", 0, path))
    compared = compare_parts(profile, [0], [1])
    code = find_compared_code(compared, named(compared, "main"), FileSearch())
    assert code.alignment is ADDRESSES
