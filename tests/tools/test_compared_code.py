"""Which programs both sides of a comparison have, and what may be paired with what."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from qcachegrind_py.analysis.code.instructions import Alignment
from qcachegrind_py.analysis.comparison.comparison import Comparison, compare
from qcachegrind_py.analysis.comparison.part_comparison import compare_parts
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.errors import MissingFile, ProfileError
from qcachegrind_py.profile.ids import FunctionId
from qcachegrind_py.tools.compared_code import ChosenPrograms, ComparedCode, find_compared_code
from qcachegrind_py.tools.sources.file_search import FileSearch
from tests.profile_rows import DATA

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
