"""Sources and instructions for recorded costs: located, read once, and checked."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import qcachegrind_py as q
from qcachegrind_py.analysis.code.location_costs import (
    InstructionCosts,
    function_lines,
    has_lines,
    instruction_costs,
)
from qcachegrind_py.analysis.names.function_names import FunctionNames
from qcachegrind_py.profile.errors import (
    AnnotationError,
    Cancelled,
    CodeNotFound,
    FileTooLarge,
    MissingFile,
    UnsuitableFile,
)
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.tools import annotation_inputs
from qcachegrind_py.tools.annotation_inputs import (
    code_mismatch,
    is_newer_than_profile,
    missing_instructions_reason,
    problem_texts,
    read_function_code,
    read_sources,
    source_doubts,
)
from qcachegrind_py.tools.sources.file_search import FileSearch, PathRule
from qcachegrind_py.tools.sources.text_file import MAX_BYTES, SourceText
from tests.profile_rows import DATA, profile_from

PROGRAMS = DATA / "programs"
INLINED = PROGRAMS / "annotate" / "callgrind.out.inlined-O2.xz"


@pytest.fixture
def search(tmp_path: Path) -> FileSearch:
    """A search for files recorded below /build: two sources, a binary file, a folder."""
    (tmp_path / "a.c").write_text("one\ntwo\nthree\n")
    (tmp_path / "b.h").write_text("uno\n")
    (tmp_path / "no.txt").write_bytes(b"a\0b")
    (tmp_path / "folder").mkdir()
    return FileSearch((PathRule("/build", str(tmp_path)),))


def test_a_sampler_that_was_not_asked_for_lines() -> None:
    """perf prints source lines only with a field of their own."""
    problem = read_sources(["???"], "/bin/p", FileSearch(), creator="perf script").problems["???"]
    assert str(problem).endswith("Print source lines with perf script -F +srcline.")


def test_sources(search: FileSearch, tmp_path: Path) -> None:
    """Each file is a text or a problem, under its recorded name."""
    names = ["/build/a.c", "/build/b.h", "/build/c.c", "/build/no.txt", "/build/folder", "???", ""]
    sources = read_sources([*names, "/build/a.c"], "/bin/p", search)
    assert {name: (text.path, text.lines) for name, text in sources.texts.items()} == {
        "/build/a.c": (tmp_path / "a.c", ("one", "two", "three")),
        "/build/b.h": (tmp_path / "b.h", ("uno",)),
    }
    assert {name: type(error) for name, error in sources.problems.items()} == {
        "/build/c.c": MissingFile,
        "/build/no.txt": UnsuitableFile,
        "/build/folder": UnsuitableFile,
        "???": AnnotationError,
        "": AnnotationError,
    }
    assert str(sources.problems[""]) == (
        "The profile does not name the source file. Compile with -g, then record again."
    )
    # may be built-in functions of Python
    script = read_sources(["???"], "???", search).problems["???"]
    assert str(script).endswith(
        "file. If the program is a compiled one, compile with -g, then \
record again."
    )


def test_rules_for_an_object(search: FileSearch, tmp_path: Path) -> None:
    """A rule for an object applies to its sources only."""
    only = FileSearch((PathRule("/build", str(tmp_path), object="p"),))
    assert list(read_sources(["/build/a.c"], "/bin/p", only).texts) == ["/build/a.c"]
    assert list(read_sources(["/build/a.c"], "/bin/other", only).problems) == ["/build/a.c"]


def test_changed_source_is_read_again(search: FileSearch, tmp_path: Path) -> None:
    """A file is read once, and again if its size or time changes."""

    def read() -> SourceText:
        return read_sources(["/build/a.c"], "", search).texts["/build/a.c"]

    first = read()
    assert read() is first
    (tmp_path / "a.c").write_text("other\n")
    assert read().lines == ("other",)
    (tmp_path / "a.c").write_text("OTHER\n")
    os.utime(tmp_path / "a.c", (1, 1))
    assert (read().lines, read().modified) == (("OTHER",), 1.0)
    (tmp_path / "a.c").unlink()
    assert list(read_sources(["/build/a.c"], "", search).problems) == ["/build/a.c"]


def test_total_size_is_bounded(
    search: FileSearch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files are read in order up to a total size; the others are too large unless allowed."""
    monkeypatch.setattr(annotation_inputs, "_MAX_FUNCTION_BYTES", 200)
    names = [f"/build/{name}.c" for name in ("one", "two", "three")]
    for name in names:
        (tmp_path / Path(name).name).write_text("x" * 150 + "\n")
    for first, second, third in (names, names[::-1]):
        again = f"/build/./{Path(first).name}"
        sources = read_sources([first, again, second], "", search)
        assert list(sources.texts) == [first, again]
        sources = read_sources([first, second, third], "", search)
        assert list(sources.texts) == [first]
        assert {name: type(error) for name, error in sources.problems.items()} == {
            second: FileTooLarge,
            third: FileTooLarge,
        }
        assert "together" in str(sources.problems[second])
        agreed = {tmp_path / Path(second).name}
        sources = read_sources([first, second, third], "", search, accepted_large=agreed)
        assert (list(sources.texts), list(sources.problems)) == ([first, second], [third])


def test_text_larger_than_the_cache(
    search: FileSearch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An allowed text is cached, however large, until another one is read."""
    monkeypatch.setattr(annotation_inputs._text_cache, "_capacity", 10)
    names = ["/build/a.c"]
    first = read_sources(names, "", search).texts[names[0]]
    assert read_sources(names, "", search).texts[names[0]] is first
    read_sources(["/build/b.h"], "", search)
    assert read_sources(names, "", search).texts[names[0]] is not first


def test_a_large_source(search: FileSearch, tmp_path: Path) -> None:
    """A file over the limit is read if allowed, and only that one."""
    for name in ("large.c", "larger.c"):
        with (tmp_path / name).open("wb") as file:
            file.write(b"first\n" + b" " * 100 + b"\n")
            file.truncate(MAX_BYTES + 1)
    names = ["/build/large.c", "/build/larger.c"]
    assert list(read_sources(names, "", search).problems) == names
    (error,) = read_sources(names[:1], "", search).problems.values()
    assert isinstance(error, FileTooLarge)
    sources = read_sources(names, "", search, accepted_large={tmp_path / "large.c"})
    # zero bytes of the sparse file show that it was read, and is binary
    assert isinstance(sources.problems[names[0]], UnsuitableFile)
    assert isinstance(sources.problems[names[1]], FileTooLarge)


class _Stop:
    def check(self, fraction: float, text: str = "") -> None:
        raise Cancelled


def test_reading_sources_can_be_cancelled(search: FileSearch) -> None:
    """Cancelling yields neither sources nor problems."""
    with pytest.raises(Cancelled):
        read_sources(["/build/a.c"], "", search, _Stop())


def problems(profile: Profile, search: FileSearch) -> tuple[str, ...]:
    lines = function_lines(profile, 0)
    names = profile.texts.lookup(np.unique(lines.file).tolist())
    sources = read_sources(names, "", search)
    return (*problem_texts(sources.problems), *source_doubts(profile, lines, sources))


@pytest.mark.parametrize(
    ("costs", "wanted"),
    [
        ("fl=/build/a.c\nfn=f\n1 5\n3 5", []),
        (
            "fl=/build/a.c\nfn=f\n1 5\n4 5\n9 5",
            ["{}/a.c ends before 2 of 3 lines of the profile. It may be a different version."],
        ),
        (
            "fl=/build/a.c\nfn=f\n0 5\n3 5",
            ["/build/a.c has costs without a line number in the profile."],
        ),
        (
            "fl=/build/c.c\nfn=f\n1 5",
            ["/build/c.c was not found. Choose the file or its folder."],
        ),
        (
            "fl=/build/c.c\nfn=f\n1 5\nfi=/build/d.c\n1 5\nfi=/build/no.txt\n1 5",
            [
                "2 source files not found: /build/c.c, /build/d.c. "
                "Choose the files or their folder.",
                "{}/no.txt is not text: it contains null bytes. Choose another file.",
            ],
        ),
    ],
)
def test_why_texts_are_missing(
    costs: str, wanted: list[str], search: FileSearch, tmp_path: Path
) -> None:
    """Missing texts are explained in a sentence; complete ones are not mentioned."""
    profile = profile_from(f"events: Ir\n{costs}\n")
    assert list(problems(profile, search)) == [text.format(tmp_path) for text in wanted]


def test_a_profile_without_lines() -> None:
    """A profile has lines if a part was recorded with them, and any is known."""
    profile = profile_from("positions: instr\nevents: Ir\nfl=/build/c.c\nfn=f\n0x10 5\n")
    assert not has_lines(profile)
    for positions in ("", "positions: line\n", "positions: instr line\n"):
        assert has_lines(profile_from(f"{positions}events: Ir\nfn=f\n0x10 1 5\n"))
    named = "positions: line\nevents: Ir\nfl=a.c\nfn=f\n"
    assert not has_lines(profile_from(f"{named}0 5\n0 6\n"))
    assert has_lines(profile_from(f"{named}0 5\n3 6\n"))
    parts = "part: 1\npositions: instr\nevents: Ir\nfn=f\n0x1 5\npart: 2\npositions: line\n1 5\n"
    assert has_lines(profile_from(parts))


def instructions(profile: Profile, name: str) -> tuple[int, InstructionCosts]:
    (function,) = FunctionNames(profile).with_name(name)
    return function, instruction_costs(profile, function)


def test_code_of_a_function(tmp_path: Path) -> None:
    """The instructions come from the profile's object and cover all its costs."""
    profile = q.load(INLINED)
    function, costs = instructions(profile, "main")
    search = FileSearch((PathRule("/corpus/a-small", str(PROGRAMS)),))
    code = read_function_code(profile, function, costs, search)
    assert code.path == PROGRAMS / "bin" / "inlined-O2"
    assert code_mismatch(code, costs) == ""
    assert set(costs.address.tolist()) <= set(code.code.address.tolist())


def test_wrong_binary_is_reported() -> None:
    """A binary without instructions at the costs does not match."""
    profile = q.load(INLINED)
    function, costs = instructions(profile, "main")
    bin_ = PROGRAMS / "bin"
    search = FileSearch((PathRule("/corpus/a-small/bin/inlined-O2", str(bin_ / "recur-O1")),))
    code = read_function_code(profile, function, costs, search)
    said = code_mismatch(code, costs)
    assert said.startswith(f"{bin_ / 'recur-O1'} has no instruction at ")
    assert said.endswith(f" of {len(costs)} addresses of the profile. It may be a different build.")


@pytest.mark.parametrize(
    ("object_", "error"),
    [
        ("???", CodeNotFound),
        ("", CodeNotFound),
        ("/build/p", MissingFile),
        ("/build/folder", UnsuitableFile),
    ],
)
def test_no_code(object_: str, error: type[Exception], search: FileSearch) -> None:
    """Without a readable binary, a specific error has the reason."""
    profile = profile_from(f"positions: instr line\nevents: Ir\nob={object_}\nfn=f\n0x10 1 5\n")
    function, costs = instructions(profile, "f")
    with pytest.raises(error):
        read_function_code(profile, function, costs, search)


def test_newer_than_the_profile(tmp_path: Path) -> None:
    """A source is newer if modified more than a minute after the profile was written.

    Sources unpacked or checked out together with the profile are not.
    """
    path = tmp_path / "callgrind.out.1"
    path.write_text("events: Ir\nfn=f\n1 5\n")
    os.utime(path, (1000, 1000))
    profile = q.load(path)
    assert [is_newer_than_profile(time, profile) for time in (999, 1060, 1060.5)] == [
        False,
        False,
        True,
    ]
    path.unlink()
    assert not is_newer_than_profile(2000, profile)


def test_annotation_from_python() -> None:
    """A few lines of Python annotate a function's lines and instructions."""
    profile = q.load(INLINED)
    function = FunctionNames(profile).with_name("main")[0]
    rules = (q.PathRule(".", str(PROGRAMS / "src")), q.PathRule("/corpus/a-small", str(PROGRAMS)))
    search, lines = q.FileSearch(rules), q.function_lines(profile, function)
    files = profile.texts.lookup(lines.file.tolist())
    texts = q.read_sources(files, "", search).texts
    costliest = int(lines.self_cost[0].argmax())
    text = texts[files[costliest]].lines[lines.line[costliest] - 1]
    assert (files[costliest], text) == ("././inl_a.h", "  x ^= x >> 3;")
    code = q.read_function_code(
        profile, function, q.instruction_costs(profile, function), search
    ).code
    assert (code.mnemonic[0], code.operands[0]) == ("subq", "$8, %rsp")
    assert all(getattr(q, name) for name in q.__all__)


def test_sources_beside_the_program(tmp_path: Path) -> None:
    """Relative names are also resolved from the program's folder, its parent, and `src`."""
    for folder in ("bin", "src", "work"):
        (tmp_path / "home" / folder).mkdir(parents=True)
    (tmp_path / "home/bin/p").write_bytes(b"\x7fELF")
    for place in ("bin/a.c", "b.c", "src/c.c", "work/d.c"):
        (tmp_path / "home" / place).write_text(place)
    search = FileSearch((PathRule("/build", str(tmp_path / "home")),))

    names = [f"././{name}.c" for name in "abcd"]
    sources = read_sources(names, "/build/bin/p", search)

    found = {name: text.lines for name, text in sources.texts.items()}
    assert found == {"././a.c": ("bin/a.c",), "././b.c": ("b.c",), "././c.c": ("src/c.c",)}
    assert list(sources.problems) == ["././d.c"]


@pytest.mark.parametrize("name", ["~", "php:internal"])
def test_functions_of_the_language_have_no_source(name: str) -> None:
    """The pseudo-files of Python's and PHP's built-in functions are not searched."""
    sources = read_sources([name], "", FileSearch(bases=("/",)))

    assert (dict(sources.texts), list(map(str, sources.problems.values()))) == (
        {},
        [f"{name} has no source: its functions are built into the language."],
    )


@pytest.mark.parametrize(
    ("creator", "reason"),
    [
        ("", "--dump-instr=yes"),
        ("creator: callgrind-3.22.0\n", "--dump-instr=yes"),
        ("creator: xdebug 3.2.0 (PHP 8.2.35)\n", "Profiles of xdebug 3.2.0 (PHP 8.2.35) have no"),
    ],
)
def test_why_there_are_no_instructions(creator: str, reason: str) -> None:
    """Advice for recording instructions is given only for tools that can do so."""
    assert reason in missing_instructions_reason(profile_from(f"{creator}events: Ir\nfn=f\n1 5\n"))


def test_caches_are_cleared_during_an_import(monkeypatch: pytest.MonkeyPatch) -> None:
    """A partly imported module has no cache yet, and clearing does not fail."""
    name = "qcachegrind_py.tools.disassembly.machine_code"
    monkeypatch.setitem(sys.modules, name, ModuleType(name))

    annotation_inputs.clear_caches()
