"""How the lines of a function are paired: by the sources of both sides, or by number."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from qcachegrind_py.analysis.comparison.comparison import Comparison, compare
from qcachegrind_py.analysis.comparison.selections import compare_parts
from qcachegrind_py.formats.loading import load
from qcachegrind_py.present.contributions import LineChanges, load_line_changes
from qcachegrind_py.profile.errors import Cancelled
from qcachegrind_py.profile.ids import FunctionId
from qcachegrind_py.profile.progress import NoProgress, Progress
from qcachegrind_py.tools.sources.file_search import (
    NO_BASE_SEARCH,
    BaseSearch,
    FileSearch,
    PathRule,
)
from tests.moved_function import PAIRS, write_moved_function

Write = Callable[..., Path]
OLD = "int f() {\n  work();\n}\n"
NEW = "// why\nint f() {\n  work();\n  more();\n}\n"


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a profile of the function f with costs of lines, and its source beside it."""

    def write(folder: str, costs: str, source: str = "", name: str = "f.c") -> Path:
        place = tmp_path / folder
        place.mkdir(exist_ok=True)
        if source:
            (place / name).write_text(source, encoding="utf-8")
        path = place / "callgrind.out.1"
        rows = costs.replace(", ", "\n")
        path.write_text(f"events: Ir\nfl={name}\nfn=f\n{rows}\n", encoding="utf-8")
        return path

    return write


def loaded(
    comparison: Comparison,
    *folders: Path,
    progress: Progress | None = None,
    base_search: BaseSearch = NO_BASE_SEARCH,
) -> LineChanges:
    """The lines of f, with sources looked for in these folders."""
    (f,) = comparison.queries.names.with_name("f")
    return load_line_changes(
        comparison,
        FunctionId(f),
        comparison.events[0],
        FileSearch(bases=tuple(map(str, folders))),
        progress or NoProgress(),
        base_search,
    )


def rows(lines: LineChanges) -> list[tuple[int, int, int, int, str]]:
    """Line and cost of base and new, and the text, of each row."""
    columns = lines.base_line, lines.new_line, lines.cost.base, lines.cost.new
    return list(zip(*(column.tolist() for column in columns), lines.text, strict=True))


def test_lines_pair_by_the_sources_of_both_sides(write: Write) -> None:
    """Each side's is the one beside its profile, so a line on top shifts all others."""
    base, new = write("old", "1 5, 2 10", OLD), write("new", "2 5, 3 20, 4 7", NEW)
    found = loaded(compare(load(base), load(new)), new.parent)

    assert (rows(found), found.note) == (
        [(1, 2, 5, 5, "int f() {"), (2, 3, 10, 20, "  work();"), (0, 4, 0, 7, "  more();")],
        "",
    )


def test_lines_that_only_the_base_has_show_its_text(write: Write) -> None:
    """The new source does not have it any more."""
    base, new = write("old", "3 10, 4 7", NEW), write("new", "2 10", OLD)
    found = loaded(compare(load(base), load(new)), new.parent)

    assert rows(found) == [(3, 2, 10, 10, "  work();"), (4, 0, 7, 0, "  more();")]


def test_one_source_for_both_sides(write: Write, tmp_path: Path) -> None:
    """Equal numbers are the same line, unless the file changed after the base was recorded."""
    source = tmp_path / "f.c"
    base, new = write("old", "2 10"), write("new", "3 20")
    source.write_text(OLD, encoding="utf-8")
    comparison = compare(load(base), load(new))
    os.utime(source, (0, 0))
    before = loaded(comparison, tmp_path)
    os.utime(source, (1 << 33, 1 << 33))
    after = loaded(comparison, tmp_path)

    assert (rows(before), before.note) == (
        [(2, 2, 10, 0, "  work();"), (3, 3, 0, 20, "}")],
        "",
    )
    assert (rows(after), after.note) == (
        [(2, 3, 10, 20, "}")],
        "Lines of f.c are aligned by their calls, in order: both sides have one source file, which "
        "changed after the base was recorded.",
    )


def test_the_source_of_the_new_side_is_missing(write: Write) -> None:
    """The lines are aligned as they are in the Source dock, and the note says why."""
    base, new = write("old", "2 10", OLD), write("new", "3 20")
    found = loaded(compare(load(base), load(new)), new.parent)

    assert rows(found) == [(2, 3, 10, 20, "  work();")]
    assert found.note == (
        "Lines of f.c are aligned by their calls, in order: "
        "the source of the new side was not found."
    )


def test_both_sources_are_missing(write: Write) -> None:
    """Lines have numbers only."""
    base, new = write("old", "2 10"), write("new", "2 20")
    found = loaded(compare(load(base), load(new)), new.parent)

    assert rows(found) == [(2, 2, 10, 20, "")]
    assert found.note == ("Lines of f.c are paired by number: no source was found on either side.")


def test_the_source_that_was_chosen_for_the_base(write: Write, tmp_path: Path) -> None:
    """It is that of the Source dock, so both say the same."""
    base, new = write("old", "2 10"), write("new", "3 20", NEW)
    (tmp_path / "kept.c").write_text(OLD, encoding="utf-8")
    search = BaseSearch((PathRule("f.c", str(tmp_path / "kept.c")),))
    found = loaded(compare(load(base), load(new)), new.parent, base_search=search)

    assert (rows(found), found.note) == ([(2, 3, 10, 20, "  work();")], "")


def test_a_function_that_was_moved(tmp_path: Path) -> None:
    """Its lines pair by text across both files, and the note says where it was."""
    base, new = write_moved_function(tmp_path)
    found = loaded(compare(load(base), load(new)), new.parent)

    assert rows(found) == [pair[1:] for pair in PAIRS]
    assert found.note == "In the base, the function is in a.c."


def test_parts_of_one_profile_have_one_source(tmp_path: Path) -> None:
    """Each line is itself, so nothing needs to be said."""
    path = tmp_path / "callgrind.out.1"
    part = "part: {0}\nevents: Ir\nfl=f.c\nfn=f\n2 {1}\n"
    path.write_text(part.format(1, 10) + part.format(2, 30), encoding="utf-8")
    found = loaded(compare_parts(load(path), [0], [1]), tmp_path)

    assert (rows(found), found.note) == ([(2, 2, 10, 30, "")], "")


def test_loading_can_be_cancelled(write: Write) -> None:
    """At any of its steps."""

    class Cancelling(NoProgress):
        steps = 0

        def check(self, fraction: float, phase: str = "") -> None:
            Cancelling.steps -= 1
            if Cancelling.steps < 0:
                raise Cancelled

    base, new = write("old", "1 5, 2 10", OLD), write("new", "2 5, 3 20, 4 7", NEW)
    comparison = compare(load(base), load(new))
    for steps in range(3):
        Cancelling.steps = steps
        with pytest.raises(Cancelled):
            loaded(comparison, new.parent, progress=Cancelling())
