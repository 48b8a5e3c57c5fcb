"""The lines of a function that was moved to another file: they pair by text across both files."""

from __future__ import annotations

from pathlib import Path

from qcachegrind_py.analysis.code.line_numbering import changed_lines, united_lines
from qcachegrind_py.analysis.comparison.comparison import Comparison, compare
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.ids import FunctionId, TextId, text_at
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.tools.compared_sources import (
    ComparedSources,
    LineSides,
    function_sides,
    read_compared_sources,
)
from qcachegrind_py.tools.sources.base_search import NO_BASE_SEARCH, BaseSearch
from qcachegrind_py.tools.sources.file_search import FileSearch
from tests.moved_function import BASE, NEW, PAIRS, write_moved_function
from tests.tools.test_git import commit, git, needs_git

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
