"""Opening a file in an editor: the program started, its arguments, and what is never run."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from qcachegrind_py.profile.errors import AnnotationError, MissingFile
from qcachegrind_py.tools.editor import editor_command, known_editors, open_in_editor
from tests.patience import wait_until

HOSTILE = ("-rf", "a b", "'; touch x; '", '"$(id)"', "{line}", "ü\n%s&", "\udce9", "+3", "a:7")
on_posix = pytest.mark.skipif(os.name == "nt", reason="scripts as programs")


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Return a function that installs a program, alone on the PATH, which records its arguments."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))

    def install(name: str) -> Path:
        out = tmp_path / f"{name} was told"
        program = folder / name
        # written under another name and moved, so that the file is never seen incomplete
        script = f"#!/bin/sh\nprintf '%s\\0' \"$@\" > '{out}.new'\n/bin/mv '{out}.new' '{out}'\n"
        program.write_text(script)
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        return out

    return install


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A source file that is executable: running it would leave a mark."""
    path = tmp_path / "a b.c"
    path.write_text(f"#!/bin/sh\n> '{tmp_path}/run'\n")
    path.chmod(0o755)
    return path


def words(recorded: Path) -> list[str]:
    """The arguments of an installed program, once it has started."""
    wait_until(recorded.exists, "not started")
    return [os.fsdecode(word) for word in recorded.read_bytes().split(b"\0")[:-1]]


@pytest.mark.parametrize(
    ("template", "command"),
    [
        ("code --goto {file}:{line}", ["code", "--goto", "/src/a b.c:12"]),
        ("gedit +{line} {file}", ["gedit", "+12", "/src/a b.c"]),
        ("emacs", ["emacs", "/src/a b.c"]),
        ("ed -n{line}", ["ed", "-n12", "/src/a b.c"]),
        (
            "  '/opt/my editor/ed'  --at={line}:{line}\t{file} ",
            ["/opt/my editor/ed", "--at=12:12", "/src/a b.c"],
        ),
        (
            "ed '{file}' \"$HOME\" `id` ; # {other}",
            ["ed", "/src/a b.c", "$HOME", "`id`", ";", "#", "{other}"],
        ),
    ],
)
@on_posix
def test_templates(template: str, command: list[str]) -> None:
    """A template is split into words without a shell, and the file is always passed."""
    assert editor_command(template, Path("/src/a b.c"), 12) == command


@pytest.mark.parametrize("name", HOSTILE)
@on_posix
def test_a_name_is_one_word(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Any file name is passed as one absolute path, never as an option."""
    monkeypatch.chdir(tmp_path)

    commands = [editor_command(t, Path(name), 3) for t in ("ed {file}", "ed", "ed +{line} {file}")]

    path = f"{tmp_path}/{name}"
    assert commands == [["ed", path], ["ed", path], ["ed", "+3", path]]


@pytest.mark.parametrize("line", [0, -7])
def test_lines_begin_at_one(line: int) -> None:
    """Cost without a line opens the file at its first line."""
    assert editor_command("ed +{line}", Path("/a"), line)[1] == "+1"


@pytest.mark.parametrize("template", ["{file}", "{file} {line}", "./{file}", "", "  ", "ed 'a"])
def test_a_template_names_a_program(template: str) -> None:
    """The file itself is never the program; an unreadable template is reported."""
    with pytest.raises(AnnotationError) as error:
        editor_command(template, Path("/src/a.c"), 1)

    assert "Choose an editor in the settings" in str(error.value)


@on_posix
def test_editor_is_started(install: Callable[[str], Path], source: Path, tmp_path: Path) -> None:
    """The editor gets file and line; the file is not run."""
    recorded = install("my-ed")

    open_in_editor("my-ed --line {line} {file}", source, 7)

    assert words(recorded) == ["--line", "7", str(source)]
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("name", HOSTILE)
@on_posix
def test_hostile_names_reach_the_editor(
    install: Callable[[str], Path], name: str, tmp_path: Path
) -> None:
    """Names with quotes, blanks, line ends or invalid UTF-8 arrive unchanged."""
    if "/" in name or sys.platform == "darwin":
        pytest.skip("not a name here")
    recorded = install("my-ed")
    path = tmp_path / name
    path.touch()

    open_in_editor("my-ed", path, 1)

    assert words(recorded) == [str(path)]


@on_posix
def test_known_editors_are_those_installed(install: Callable[[str], Path], source: Path) -> None:
    """Editors on the PATH are offered in a fixed order; the first is the default."""
    for name in ("gedit", "vim", "kate", "nano"):
        recorded = install(name)
    recorded = source.parent / "kate was told"

    editors = known_editors()
    open_in_editor("", source, 12)

    assert editors == [("Kate", "kate --line {line} {file}"), ("gedit", "gedit +{line} {file}")]
    assert words(recorded) == ["--line", "12", str(source)]


@pytest.mark.skipif(sys.platform != "linux", reason="the opener of Linux desktops")
def test_without_an_editor_the_folder_is_shown(
    install: Callable[[str], Path], source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The desktop gets the folder, as it might run the file; $EDITOR may need a terminal."""
    monkeypatch.setenv("EDITOR", "vim")
    vim = install("vim")
    recorded = install("xdg-open")

    open_in_editor(" ", source, 1)

    assert (words(recorded), vim.exists()) == ([str(source.parent)], False)


@on_posix
def test_start_failures_are_reported(
    install: Callable[[str], Path], source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A missing or unsuitable editor and a deleted file raise an error with advice."""
    install("broken")
    (tmp_path / "bin" / "broken").write_bytes(b"\x7fELF nothing")
    (tmp_path / "here").write_bytes((tmp_path / "a b.c").read_bytes())
    (tmp_path / "here").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f".:{os.environ['PATH']}")

    def said(template: str, path: Path = source) -> str:
        with pytest.raises(AnnotationError) as error:
            open_in_editor(template, path, 1)
        return f"{type(error.value).__name__}: {error.value.reason}"

    assert (
        said("no-such-editor")
        == "AnnotationError: cannot be opened: the editor “no-such-editor” was not found."
    )
    assert said("here") == "AnnotationError: cannot be opened: the editor “here” was not found."
    assert said("") == "AnnotationError: cannot be opened: the editor “xdg-open” was not found."
    assert "does not start" in said("broken")
    assert said("broken", tmp_path / "gone.c") == f"{MissingFile.__name__}: was not found."
    assert said("broken", tmp_path) == f"{MissingFile.__name__}: was not found."
    assert not (tmp_path / "run").exists()
