"""Sources of a revision, read by git."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from qcachegrind_py.profile.errors import AnnotationError
from qcachegrind_py.tools.sources.revision import is_revision, read_revision

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


def git(folder: Path, *arguments: str) -> None:
    """Run git in a folder, as somebody."""
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a file that changed after the revision v1."""
    git(tmp_path, "init", "-q")
    source = tmp_path / "src" / "a.c"
    source.parent.mkdir()
    source.write_text("old\nlines\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "one")
    git(tmp_path, "tag", "v1")
    source.write_text("new\n")
    return source


@needs_git
def test_a_file_is_read_as_it_was(repository: Path) -> None:
    """The text is that of the revision, and its path says so; the file stays as it is."""
    text = read_revision(repository, "v1")

    assert text.lines == ("old", "lines")
    assert str(text.path) == f"v1:{repository}"
    assert repository.read_text() == "new\n"


@needs_git
@pytest.mark.parametrize("revision", ["v2", "HEAD~7"])
def test_what_git_cannot_read_is_an_error_with_its_reason(repository: Path, revision: str) -> None:
    with pytest.raises(AnnotationError, match="cannot be read from the repository: fatal"):
        read_revision(repository, revision)


@needs_git
def test_programs_that_a_repository_names_do_not_run(repository: Path) -> None:
    """A repository from elsewhere may name programs for diffs and for looking at files."""
    mark = repository.parent / "ran"
    program = f"touch {mark}; cat"
    git(repository.parent, "config", "diff.x.textconv", program)
    git(repository.parent, "config", "diff.external", program)
    git(repository.parent, "config", "core.fsmonitor", program)
    git(repository.parent, "config", "core.pager", program)
    (repository.parent / ".gitattributes").write_text("*.c diff=x\n")

    assert read_revision(repository, "v1").lines == ("old", "lines")
    assert not mark.exists()


@pytest.mark.parametrize(
    "text", ["", "-x", "--output=f", "v1:other", "a b", "v1\n", "v\x00", "x" * 300]
)
def test_what_is_no_revision_reaches_no_program(tmp_path: Path, text: str) -> None:
    """Options and paths are refused."""
    assert not is_revision(text)
    with pytest.raises(AnnotationError, match="is no revision"):
        read_revision(tmp_path / "a.c", text)


@pytest.mark.parametrize("text", ["v1.2", "HEAD~3", "main@{yesterday}", "0123abc", "origin/main^"])
def test_revisions(text: str) -> None:
    assert is_revision(text)
