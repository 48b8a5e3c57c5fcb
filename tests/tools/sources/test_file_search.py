"""Locating the files a profile names: the best evidence wins, ambiguity is reported."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from qcachegrind_py.profile.errors import AmbiguousFile, Cancelled, MissingFile
from qcachegrind_py.tools.sources import file_search
from qcachegrind_py.tools.sources.file_search import (
    FileSearch,
    PathRule,
    SearchFolder,
    clear_folder_listings,
    parse_rule,
)

Found = Callable[..., str]


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Hide the machine's files, and clear caches between tests."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    monkeypatch.delenv("RUSTUP_HOME", raising=False)
    clear_folder_listings()
    yield
    clear_folder_listings()


def grow(root: Path, files: str) -> None:
    """Write files, given as relative paths separated by blanks."""
    for name in files.split():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)


@pytest.fixture
def found(tmp_path: Path) -> Found:
    """The located file relative to the test's folder; candidates are in brackets.

    Folders are written as in `lib one:own`, where `own` applies to the object `one`.
    """

    def found(recorded: str, folders: str = "", *, rules: str = "", object_: str = "") -> str:
        search = FileSearch(
            rules=tuple(parse_rule(rule.replace("=", f"={tmp_path}/")) for rule in rules.split()),
            folders=tuple(
                SearchFolder(str(tmp_path / name), object_)
                for object_, _, name in (each.rpartition(":") for each in folders.split())
            ),
            bases=(str(tmp_path / "profiles"), str(tmp_path / "work")),
        )
        try:
            return search.find(recorded, object_).relative_to(tmp_path).as_posix()
        except AmbiguousFile as error:
            names = (path.relative_to(tmp_path).as_posix() for path in error.candidates)
            return f"<{' '.join(names)}>"
        except MissingFile:
            return "<missing>"

    return found


def test_order_of_locations(tmp_path: Path, found: Found) -> None:
    """Rules, the path itself, search folders; those for the object come first."""
    grow(tmp_path, "build/x/a.c one/x/a.c two/x/a.c own/a.c own/x/a.c all/x/a.c")
    recorded = str(tmp_path / "build/x/a.c")
    rules = f"{tmp_path}/build=none {tmp_path}/build=one {tmp_path}/build=two"
    folders = "all m:own"

    looked = []
    for place in ("one/x/a.c", "two/x/a.c", "build/x/a.c", "own/x/a.c", "own/a.c", "all/x/a.c"):
        looked.append((place, found(recorded, folders, rules=rules, object_="/lib/m")))
        (tmp_path / place).unlink()
        clear_folder_listings()
    looked.append(("<missing>", found(recorded, folders, rules=rules, object_="/lib/m")))

    assert [place for place, _ in looked] == [result for _, result in looked]


def test_relative_paths(tmp_path: Path, found: Found) -> None:
    """Relative paths are resolved from the profile's folder, then the working directory."""
    grow(tmp_path, "profiles/s/a.c work/s/a.c work/s/b.c src/c.c work/nptl/l.c work/csu/libc.c")
    recorded = ("s/a.c", "././s/./a.c", "s/b.c", r"s\b.c", "../src/c.c", "./nptl/./nptl/l.c")

    assert [found(each) for each in (*recorded, "./csu/../csu/libc.c", "c.c", "/s/a.c")] == [
        "profiles/s/a.c",
        "profiles/s/a.c",
        "work/s/b.c",
        "work/s/b.c",
        "profiles/../src/c.c",
        "work/nptl/l.c",
        "work/csu/libc.c",
        "<missing>",
        "<missing>",
    ]


def test_rules_for_relative_paths_and_objects(tmp_path: Path) -> None:
    """A rule for libc applies to its relative paths, even if it yields relative ones."""
    grow(tmp_path, "glibc/nptl/l.c")
    recorded = "./nptl/./nptl/l.c"

    def find(rule: PathRule, object_: str) -> Path | None:
        try:
            return FileSearch((rule,), bases=(str(tmp_path),)).find(recorded, object_)
        except MissingFile:
            return None

    assert find(PathRule(".", "glibc", "libc.so*"), "/lib/libc.so.6") == tmp_path / "glibc/nptl/l.c"
    assert find(PathRule(".", "glibc", "libc.so*"), "/lib/libm.so.6") is None


@pytest.mark.parametrize(
    ("files", "recorded", "wanted"),
    [
        # the longest tail, in the folder itself before folders below
        ("r/x/y/a.c r/y/a.c r/a.c", "/b/x/y/a.c", "r/x/y/a.c"),
        ("r/y/a.c r/a.c r/p/z/a.c", "/b/x/y/a.c", "r/y/a.c"),
        ("r/y/a.c r/p/y/a.c", "/b/x/y/a.c", "r/y/a.c"),
        ("r/a.c", "/b/x/y/a.c", "r/a.c"),
        ("r/a.c r/p/y/a.c", "/b/x/y/a.c", "r/p/y/a.c"),
        ("r/p/y/a.c r/q/x/y/a.c r/q/z/a.c", "/b/x/y/a.c", "r/q/x/y/a.c"),
        ("r/p/q/a.c r/b.c", "/b/x/y/a.c", "r/p/q/a.c"),
        # the search folder's own name counts
        ("r/a.c r/p/a.c r/p/r/a.c", "/b/r/a.c", "r/a.c"),
        # equally likely: ambiguous
        ("r/p/y/a.c r/q/y/a.c r/a.c", "/b/x/y/a.c", "<r/p/y/a.c r/q/y/a.c>"),
        ("r/p/a.c r/q/a.c", "/b/x/y/a.c", "<r/p/a.c r/q/a.c>"),
        ("r/a.c r/q/a.c", "/b/x/y/a.c", "<r/a.c r/q/a.c>"),
        ("r/a.c r/q/a.c", "a.c", "<r/a.c r/q/a.c>"),
        ("r/a.c s/a.c", "/b/x/y/a.c", "<r/a.c s/a.c>"),
        ("r/p/a r/q/a", "a", "<r/p/a r/q/a>"),
        ("r/y/a.c s/y/a.c", "/b/x/y/a.c", "r/y/a.c"),
        ("s/x/y/a.c r/y/a.c", "/b/x/y/a.c", "s/x/y/a.c"),
        # paths of other kinds
        ("r/nptl/l.c r/sysdeps/nptl/l.c", "./nptl/./nptl/l.c", "r/nptl/l.c"),
        ("r/sysdeps/x.h", "./csu/../sysdeps/x.h", "r/sysdeps/x.h"),
        ("r/src/a.c r/x/a.c", "../../src/a.c", "r/src/a.c"),
        ("r/src/a.c r/x/a.c", r"C:\b\src\a.c", "r/src/a.c"),
        # not searched
        ("r/.git/y/a.c r/CVS/y/a.c r/.cache/a.c", "/b/x/y/a.c", "<missing>"),
        ("r/a.cc r/ba.c r/A.C", "/b/x/y/a.c", "<missing>"),
        ("t/y/a.c", "/b/x/y/a.c", "<missing>"),
        ("r/x t/y/a.c", "../t/y/a.c", "<missing>"),
    ],
)
def test_search_folders(
    tmp_path: Path, found: Found, files: str, recorded: str, wanted: str
) -> None:
    """The longest matching tail wins; a bare name never does if two files have it."""
    grow(tmp_path, files)
    assert found(recorded, "r s nosuch") == wanted


@hypothesis_settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    files=st.lists(st.lists(st.sampled_from("xy"), max_size=3), max_size=6),
    recorded=st.lists(st.sampled_from("xy"), max_size=3),
)
def test_search_against_a_slow_one(
    tmp_path_factory: pytest.TempPathFactory, files: list[list[str]], recorded: list[str]
) -> None:
    """The result equals that of a naive search over all files."""
    root = tmp_path_factory.mktemp("r")
    paths = ["/".join((*folders, "a.c")) for folders in files]
    grow(root, " ".join(paths))
    clear_folder_listings()
    tail = (*recorded, "a.c")

    def shared(path: str) -> int:
        pairs = zip(reversed(path.split("/")), reversed(tail), strict=False)
        return len(list(itertools.takewhile(lambda pair: pair[0] == pair[1], pairs)))

    direct = [path for path in paths if path != "a.c" and shared(path) == path.count("/") + 1]
    best = {path for path in paths if shared(path) == max(map(shared, paths))}
    wanted = {max(direct, key=len)} if direct else best
    try:
        found = {FileSearch(folders=(SearchFolder(str(root)),)).find("/".join(("/b", *tail)))}
    except AmbiguousFile as error:
        found = set(error.candidates)
    except MissingFile:
        found = set()

    assert {path.relative_to(root).as_posix() for path in found} == wanted


def test_links(tmp_path: Path, found: Found) -> None:
    """Links to one file count as that file; links to folders are not followed."""
    grow(tmp_path, "real/a.c real/b.c r/z.c")
    for link in ("r/p", "r/q"):
        (tmp_path / link).mkdir()
        (tmp_path / link / "a.c").symlink_to(tmp_path / "real/a.c")
    (tmp_path / "r/loop").symlink_to(tmp_path / "r")
    (tmp_path / "r/away").symlink_to(tmp_path / "real")
    (tmp_path / "r/dead.c").symlink_to(tmp_path / "nosuch")

    names = ("/b/a.c", "/b/b.c", "/b/z.c", "/b/dead.c")
    assert [found(name, "r") for name in names] == ["r/p/a.c", "<missing>", "r/z.c", "<missing>"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_irregular_files(tmp_path: Path, found: Found) -> None:
    """A folder or pipe with the name is the result only if no file has it."""
    grow(tmp_path, "work/dir/a.c/x r/pipe/x.c")
    (tmp_path / "profiles/dir").mkdir(parents=True)
    os.mkfifo(tmp_path / "profiles/dir/a.c")
    os.mkfifo(tmp_path / "r/a.c")
    assert found("dir/a.c", "r") == "profiles/dir/a.c"

    grow(tmp_path, "r/low/a.c")
    clear_folder_listings()
    assert found("dir/a.c", "r") == "r/low/a.c"


def test_rust(tmp_path: Path, found: Found) -> None:
    """Rust's standard library is found by its commit; for an unknown version, candidates are."""
    commit = "59807616e1d8f1a0b2c3d4e5f60718293a4b5c6d"
    chains = "home/.rustup/toolchains"
    rust = "lib/rustlib/src/rust/library/core/src/cell.rs"
    grow(tmp_path, f"{chains}/nightly/{rust} {chains}/stable/{rust}")
    manifest = tmp_path / chains / "stable/lib/rustlib/multirust-channel-manifest.toml"
    manifest.write_text('[pkg.rust]\nversion = "1.95.0 (59807616e 2026-04-14)"\n')
    both = f"<{chains}/nightly/{rust} {chains}/stable/{rust}>"
    recorded = ("/rustc/{}/library/core/src/cell.rs", r"/rustc/{}\library\core\src\cell.rs")

    assert [found(each.format(commit)) for each in recorded] == [f"{chains}/stable/{rust}"] * 2
    others = [commit.replace("5", "6"), "5", "1.95.0", "."]
    assert [found(recorded[0].format(other)) for other in others] == [both, both, both, "<missing>"]

    (tmp_path / chains / "nightly" / rust).unlink()
    assert found(recorded[0].format("f" * 40)) == f"{chains}/stable/{rust}"
    assert found("/rustc/x") == "<missing>"


def test_searched_locations(tmp_path: Path) -> None:
    """A missing file lists the searched locations in order, each once."""
    search = FileSearch(
        rules=(PathRule("/b", "/none/1"), PathRule("/b", "rel"), PathRule("/c", "/none/3")),
        folders=(SearchFolder("/none/all/"), SearchFolder("/none/own", "m"), SearchFolder("")),
        bases=("/none/profiles", "/none/work"),
    )

    def tried(search: FileSearch, recorded: str) -> tuple[str, ...]:
        with pytest.raises(MissingFile) as caught:
            search.find(recorded, "m")
        assert caught.value.path == recorded
        return caught.value.tried

    assert tried(search, "/b/./x/a.c") == (
        "/none/1/x/a.c",
        "/none/profiles/rel/x/a.c",
        "/none/work/rel/x/a.c",
        "/b/./x/a.c",
        "/b/x/a.c",
        "/none/own/**/a.c",
        "/none/all/**/a.c",
    )
    assert tried(search, "a.c")[:2] == ("/none/profiles/a.c", "/none/work/a.c")
    assert tried(FileSearch(), "a.c") == ()
    assert tried(FileSearch(), "/rustc/1/a.rs") == (
        "/rustc/1/a.rs",
        f"{tmp_path}/home/.rustup/toolchains/*/lib/rustlib/src/rust",
        "/usr/lib/rustlib/src/rust",
        "/usr/src/rustc-*",
    )
    many = FileSearch(bases=tuple(f"/none/{number}" for number in range(40)))
    assert tried(many, "a.c") == tuple(f"/none/{number}/a.c" for number in range(12))


@pytest.mark.parametrize(
    "recorded",
    [
        "",
        "/",
        ".",
        "..",
        "a/..",
        "/b/a\0c",
        "\0",
        "/b/\udcff\ud800.c",
        "b/\ud800/a.c",
        "/" + "a" * 5000,
        "a/" * 2500 + "a.c",
        "../" * 2500 + "nosuch.c",
        "/" * 5000 + "nosuch.c",
        "/b/" + "x/./" * 2500 + "nosuch.c",
        "a" * 1_000_000,
        "/b/*/[a/?.c",
        "~root/nosuch.c",
        "C:",
        "C:\\",
        "NUL",
        "/rustc",
        "/rustc/(/../../a/nosuch.rs",
        "???",
        "<frozen importlib._bootstrap>",
    ],
    ids=lambda recorded: ascii(recorded[:12]),
)
def test_hostile_names(tmp_path: Path, found: Found, recorded: str) -> None:
    """Any recorded name is either found or missing, without an error."""
    grow(tmp_path, "r/a.c r/x/x.c profiles/b.c work/b.c")
    assert found(recorded, "r *:r", rules="/b=x .=y") in ("<missing>", "r/a.c")


def test_hostile_folders() -> None:
    """A search folder in the settings need not exist or be a folder."""
    folders = ("/dev/null", "/none\0", "/none/\ud800", "~\0/x", "/" + "a" * 5000)
    search = FileSearch(
        (PathRule("/b", "~\0"), PathRule("[", "x"), PathRule("", "/none")),
        tuple(map(SearchFolder, folders)),
        folders,
    )
    for recorded in ("/b/a.c", "a.c"):
        with pytest.raises(MissingFile):
            search.find(recorded)


def test_names_that_are_not_utf_8(tmp_path: Path) -> None:
    """A name that is not UTF-8 is found by its bytes, also below a search folder."""
    folder = os.fsencode(tmp_path) + b"/r/gr\xfcn"
    try:
        Path(os.fsdecode(folder)).mkdir(parents=True)
        Path(os.fsdecode(folder + b"/\xe9.c")).write_text("")
    except OSError:
        pytest.skip("this file system has no such names")
    search = FileSearch(folders=(SearchFolder(str(tmp_path)),))

    assert os.fsencode(search.find("/b/gr\udcfcn/\udce9.c")) == folder + b"/\xe9.c"


def test_folders_are_cached(tmp_path: Path, found: Found) -> None:
    """A folder is listed once, until the cache is cleared."""
    grow(tmp_path, "r/p/a.c")
    assert found("/b/a.c", "r") == "r/p/a.c"

    grow(tmp_path, "r/q/a.c r/q/b.c")
    assert (found("/b/a.c", "r"), found("/b/b.c", "r")) == ("r/p/a.c", "<missing>")

    clear_folder_listings()
    assert (found("/b/a.c", "r"), found("/b/b.c", "r")) == ("<r/p/a.c r/q/a.c>", "r/q/b.c")


def test_large_folders(tmp_path: Path, found: Found, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the near files of a huge folder are searched, and few candidates listed."""
    grow(
        tmp_path, " ".join(f"r/{number:03}/deep/a.c r/{number:03}/near.c" for number in range(120))
    )
    assert found("/b/a.c", "r").count(" ") == 99

    monkeypatch.setattr(file_search, "MAX_ENTRIES", 130)
    clear_folder_listings()
    assert found("/b/a.c", "r") == "<missing>"
    assert found("/b/near.c", "r").startswith("<r/000/near.c r/001/near.c")


class Impatient:
    """Progress that is cancelled at the nth check."""

    def __init__(self, checks: int) -> None:
        self.checks = checks

    def check(self, fraction: float, text: str = "") -> None:
        self.checks -= 1
        if self.checks < 0:
            raise Cancelled


def test_stopping(tmp_path: Path) -> None:
    """A search can be cancelled at each folder and within one; partial lists are dropped."""
    grow(tmp_path, "r/p/a.c " + " ".join(f"r/x{number}" for number in range(1100)))
    search = FileSearch(folders=(SearchFolder(str(tmp_path / "r")),))

    needed = 0
    while True:
        try:
            found = search.find("/b/a.c", progress=Impatient(needed))
        except Cancelled:
            needed += 1
        else:
            break

    assert (found, needed) == (tmp_path / "r/p/a.c", 5)  # two folders; entries 0, 1000, and 0
