"""Which sources may be written into a report; a window and a terminal show all of them."""

from __future__ import annotations

import os
import sysconfig
from pathlib import Path

import pytest

from qcachegrind_py.profile.errors import WithheldFile
from qcachegrind_py.tools.sources.file_search import (
    FileSearch,
    PathRule,
    SearchFolder,
    clear_folder_listings,
)

OUTSIDE = "sources from outside of the project are not written"
PRIVATE = "files that only their owner may read are not written"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's home, with a project that git knows and a folder of downloads."""
    home = tmp_path / "users" / "u"
    for folder in ("project/.git", "project/build", "project/src", "Downloads", ".ssh"):
        (home / folder).mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    monkeypatch.chdir(home)
    clear_folder_listings()
    return home


def written(path: Path, text: str = "text\n", mode: int = 0o644) -> Path:
    """Write a file of that mode, and return it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


def search(
    *bases: Path, named: tuple[Path, ...] = (), rules: tuple[PathRule, ...] = ()
) -> FileSearch:
    folders = tuple(SearchFolder(str(folder)) for folder in named)
    return FileSearch(rules, folders, tuple(map(str, bases)), is_for_writing=True)


def permits(search: FileSearch, recorded: Path | str) -> bool:
    """Whether a source is written; it is found in any case."""
    assert search.find(str(recorded)).is_file()
    try:
        search.find_source(str(recorded))
    except WithheldFile:
        return False
    return True


def refusal(search: FileSearch, recorded: Path | str) -> tuple[str, str]:
    """Return why a source is not written, and the folder to permit."""
    with pytest.raises(WithheldFile) as caught:
        search.find_source(str(recorded))
    return caught.value.cause, str(caught.value.folder)


def test_a_work_tree_belongs_to_the_profile_in_its_build_folder(home: Path) -> None:
    """CMake records `build/../src/m.c`; the work tree has both, and nothing beside it counts."""
    source = written(home / "project/src/m.c")
    beside = written(home / "other/m.c")
    of_build = search(home / "project/build")

    assert permits(of_build, "../src/m.c")
    assert permits(of_build, f"{home}/project/build/../src/m.c")
    assert permits(of_build, source)
    assert refusal(of_build, "../../other/m.c") == (OUTSIDE, str(beside.parent))


def test_without_git_the_folder_of_the_profile_counts(home: Path) -> None:
    """Both the folder of the profile and the working folder count, with what is below them."""
    first, second, third = (written(home / f"{name}/deep/a.c") for name in ("one", "two", "three"))
    both = search(home / "one", home / "two")

    assert permits(both, first)
    assert permits(both, second)
    assert not permits(both, third)
    assert not permits(search(home / "one/deep/empty/.."), second)


def test_a_profile_in_downloads_gives_nothing_of_the_home(home: Path) -> None:
    """A downloaded profile is opened where it lies, in a home that is the working folder."""
    written(home / ".ssh/id_rsa", mode=0o600)
    written(home / "letter.txt")
    written(home / "project/src/m.c")
    downloaded = search(home / "Downloads", home)

    assert permits(downloaded, written(home / "Downloads/mine.c"))
    assert refusal(downloaded, "../letter.txt") == (OUTSIDE, str(home / "letter.txt"))
    assert refusal(downloaded, "../.ssh/id_rsa") == (OUTSIDE, str(home / ".ssh/id_rsa"))
    assert refusal(downloaded, "../project/src/m.c") == (OUTSIDE, str(home / "project"))
    assert refusal(downloaded, "/etc/passwd") == (OUTSIDE, "/etc")
    assert not permits(downloaded, "/rustc/0123456789abcdef/../../etc/passwd")


@pytest.mark.parametrize("place", [".", "/", "/tmp", "../../temporary"])
def test_a_folder_in_which_anything_lies_is_no_project(home: Path, place: str) -> None:
    """The home, the root and the temporary folders never count, whoever names them.

    That the home is a work tree, as for people who keep their settings in git, changes nothing.
    """
    (home / ".git").mkdir()
    letter = written(home / "letter.txt")
    at = Path(os.path.normpath(home / place))

    assert refusal(search(at), letter) == (OUTSIDE, str(letter))
    assert refusal(search(home / "Downloads", named=(at,)), letter) == (OUTSIDE, str(letter))
    rule = PathRule("/build", str(at))
    assert refusal(search(home / "Downloads", rules=(rule,)), letter) == (OUTSIDE, str(letter))
    assert permits(search(home / "Downloads", named=(letter,)), letter)
    assert permits(search(home / "one"), written(home / "one/a.c"))


def test_a_folder_above_the_home_is_no_project(home: Path) -> None:
    """A profile in the folder of all homes gives none of them, unless that is a work tree."""
    letter = written(home / "letter.txt")
    assert not permits(search(home.parent), letter)

    (home.parent / ".git").mkdir()
    clear_folder_listings()
    assert permits(search(home.parent), letter)


def test_a_folder_of_secrets_is_no_project(home: Path) -> None:
    public = written(home / ".ssh/id.pub")
    assert refusal(search(home / ".ssh"), public) == (OUTSIDE, str(public))


def test_links_are_followed_first(home: Path) -> None:
    """A link in the project to what is outside is not written; one from outside to it is."""
    written(home / "letter.txt")
    source = written(home / "project/src/m.c")
    (home / "project/src/link.c").symlink_to(home / "letter.txt")
    (home / "project/src/folder").symlink_to(home)
    (home / "outside.c").symlink_to(source)
    of_project = search(home / "project")

    assert not permits(of_project, home / "project/src/link.c")
    assert not permits(of_project, home / "project/src/folder/letter.txt")
    assert permits(of_project, home / "outside.c")


def test_libraries_of_the_system_are_written(home: Path) -> None:
    """System headers and the library of the running Python say nothing about the user."""
    library = Path(sysconfig.get_path("stdlib")) / "json" / "__init__.py"

    assert permits(search(home / "project"), library)
    assert refusal(search(home / "project"), "/bin/sh")[0] == OUTSIDE


@pytest.mark.skipif(not Path("/usr/include/stdio.h").exists(), reason="no system headers")
def test_system_headers_are_written(home: Path) -> None:
    assert permits(search(home / "project"), "/usr/include/stdio.h")


@pytest.mark.parametrize(
    ("name", "secret"),
    [
        (".ssh/id.pub", ".ssh"),
        (".gnupg/x", ".gnupg"),
        (".env", ".env"),
        (".env.local", ".env.local"),
        (".ENV", ".ENV"),
        (".git/config", ".git"),
        ("deep/.git/config", "deep/.git"),
        (".netrc", ".netrc"),
    ],
)
def test_secrets_need_an_option_that_names_them(home: Path, name: str, secret: str) -> None:
    """Below a project, and below a folder that is searched, files with secrets are left out."""
    path, secret_path = written(home / "project" / name), home / "project" / secret
    cause = f"files in or below “{secret_path.name}” are not written"

    assert refusal(search(home / "project"), path) == (cause, str(secret_path))
    named = search(home / "project", named=(home / "project",))
    assert refusal(named, path) == (cause, str(secret_path))
    assert permits(search(home / "project", named=(secret_path,)), path)


@pytest.mark.parametrize("name", [".venv/lib/python3/a.py", ".github/a.py", ".gitignore", "env/a"])
def test_other_hidden_files_are_sources(home: Path, name: str) -> None:
    assert permits(search(home / "project"), written(home / "project" / name))


def test_files_that_only_the_owner_may_read_need_an_option(home: Path) -> None:
    """Who has a umask of 077 gives one option, for the project, and it is named."""
    path = written(home / "project/src/m.c", mode=0o600)

    assert refusal(search(home / "project"), path) == (PRIVATE, str(home / "project"))
    assert permits(search(home / "project", named=(home / "project",)), path)
    path.chmod(0o640)
    assert permits(search(home / "project"), path)


def test_a_path_rule_permits_its_target(home: Path) -> None:
    """Also one relative to the profile; a rule for one file permits even a private one."""
    moved = written(home / "moved/m.c")
    private = written(home / "moved/private.c", mode=0o600)
    rules = (PathRule("/build", str(home / "moved")), PathRule("/rel", "../moved"))

    assert permits(search(home / "project", rules=rules[:1]), "/build/m.c")
    assert permits(search(home / "project", rules=rules[1:]), "/rel/m.c")
    assert permits(search(home / "project", rules=rules[:1]), moved)
    assert refusal(search(home / "project", rules=rules[:1]), private)[0] == PRIVATE
    chosen = PathRule("/build/private.c", str(private))
    assert permits(search(home / "project", rules=(chosen,)), "/build/private.c")


def test_folders_that_a_profile_names_permit_nothing(home: Path) -> None:
    """A profile's program may lie anywhere, and sources are looked for around it."""
    written(home / "secret/letter.txt")
    around = FileSearch(
        (), (), (str(home / "project"),), object_bases=(str(home / "secret"),), is_for_writing=True
    )

    assert around.find("letter.txt") == home / "secret/letter.txt"
    assert not permits(around, "letter.txt")


def test_what_is_only_shown_is_found_anywhere(home: Path) -> None:
    shown = FileSearch((), (), (str(home / "project"),))
    assert shown.find_source("/etc/passwd") == Path("/etc/passwd")
