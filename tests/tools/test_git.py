"""Sources of a revision, read by git."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from qcachegrind_py.profile.errors import AnnotationError, FileTooLarge
from qcachegrind_py.tools import git as git_module
from qcachegrind_py.tools.git import is_revision, read_revision

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
NO_COMMITS = ("", "-x", "--output=f", "^HEAD", "HEAD..HEAD", "HEAD...HEAD", "..", "*", "v*", "v?")
NO_COMMITS += ("v[1]", "HEAD^@", "HEAD^!", "HEAD^-", "HEAD^-1", "v1:other", ":/text", "a b", "v1\n")
NO_COMMITS += ("v\\1", "v\x00", "x" * 300)


def git(folder: Path, *arguments: str, given: str = "") -> str:
    """Run git in a folder, as somebody; return what it printed."""
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
    ran = subprocess.run(
        ["git", *who, *arguments],
        cwd=folder,
        check=True,
        capture_output=True,
        input=given,
        encoding="utf-8",
    )
    return ran.stdout.strip()


def commit(folder: Path, message: str) -> str:
    """Commit all files, and return the commit."""
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", message)
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a file that changed after the revision v1."""
    top = tmp_path / "top"
    source = top / "src" / "a.c"
    source.parent.mkdir(parents=True)
    git(top, "init", "-q")
    source.write_text("old\nlines\n")
    commit(top, "one")
    git(top, "tag", "v1")
    git(top, "tag", "-a", "-m", "annotated", "v1.0")
    source.write_text("new\n")
    return source


@needs_git
@pytest.mark.parametrize("revision", ["v1", "v1.0", "HEAD", "HEAD^{/one}", "HEAD@{0}", "v1~0^0"])
def test_a_file_is_read_as_it_was(repository: Path, revision: str) -> None:
    """The text is that of the revision, and its path says so; the file stays as it is."""
    text = read_revision(repository, revision)

    assert text.lines == ("old", "lines")
    assert str(text.path) == f"{revision}:{repository}"
    assert repository.read_text() == "new\n"


@needs_git
@pytest.mark.parametrize("revision", ["v2", "HEAD~7", "tree", "0" * 40])
def test_a_revision_names_a_commit_of_the_repository(repository: Path, revision: str) -> None:
    """An unknown name, and the name of something else, is an error with a sentence."""
    git(repository.parent, "tag", "tree", "HEAD^{tree}")

    with pytest.raises(AnnotationError) as caught:
        read_revision(repository, revision)

    assert str(caught.value) == (
        f"{revision}:{repository} cannot be read: {revision} names no commit of the repository. "
        "Choose another revision, or the file."
    )


@needs_git
def test_outside_of_a_repository_git_says_why(tmp_path: Path) -> None:
    with pytest.raises(AnnotationError, match="cannot be read from the repository: not a git repo"):
        read_revision(tmp_path / "a.c", "HEAD")


@needs_git
@pytest.mark.parametrize("name", ["folder", "later.c", "no such\nfile.c"])
def test_what_is_no_file_in_a_revision(repository: Path, name: str) -> None:
    """Folders, and files that came later, have no text; git would list a folder as one."""
    folder = repository.parent / "folder"
    folder.mkdir()
    (folder / "b.c").write_text("b\n")
    commit(repository.parent, "two")
    (repository.parent / "later.c").write_text("later\n")

    with pytest.raises(AnnotationError, match="is not a file in that revision"):
        read_revision(repository.with_name(name), "HEAD")


@needs_git
def test_the_size_of_a_file_is_limited(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git is stopped at the limit for source files, and binary data is named by its revision."""
    monkeypatch.setattr(git_module, "MAX_BYTES", 9)
    with pytest.raises(FileTooLarge):
        read_revision(repository, "v1")

    repository.write_bytes(b"\0\1")
    commit(repository.parent, "two")
    with pytest.raises(AnnotationError, match=rf"^HEAD:{repository} is not text"):
        read_revision(repository, "HEAD")


@pytest.mark.parametrize("text", NO_COMMITS)
def test_what_is_no_commit_reaches_no_program(tmp_path: Path, text: str) -> None:
    """Ranges, negations, patterns, options and paths are refused, with a sentence."""
    assert not is_revision(text)
    with pytest.raises(AnnotationError, match="a revision names one commit, such as v1"):
        read_revision(tmp_path / "a.c", text)


@pytest.mark.parametrize(
    "text", ["v1.2", "HEAD~3", "main@{yesterday}", "@{-1}", "0123abc", "origin/main^", "fix-1.x"]
)
def test_revisions(text: str) -> None:
    assert is_revision(text)


# ---------------------------------------------------------------- programs of a repository

PROGRAMS = (  # settings that name one
    "core.alternateRefsCommand",
    "core.askPass",
    "core.editor",
    "core.fsmonitor",
    "core.gitProxy",
    "core.pager",
    "core.sshCommand",
    "credential.helper",
    "diff.external",
    "diff.x.command",
    "diff.x.textconv",
    "filter.x.clean",
    "filter.x.process",
    "filter.x.smudge",
    "gpg.openpgp.program",
    "gpg.program",
    "gpg.ssh.program",
    "gpg.x509.program",
    "interactive.diffFilter",
    "merge.x.driver",
    "pager.cat-file",
    "pager.rev-parse",
    "pager.show",
    "remote.origin.uploadpack",
    "sequence.editor",
    "uploadpack.packObjectsHook",
)


class HostileRepository:
    """A repository that names each program that git can run; all of them write a mark.

    `src/signed.c` is a signed commit where a file should be, and `src/missing.c` has to be fetched.
    """

    def __init__(self, folder: Path) -> None:
        self.top = folder / "top"
        self.source = self.top / "src" / "a.c"
        self._mark = folder / "ran"
        self._program = folder / "program"
        self._program.write_text(f'#!/bin/sh\necho "$0 $*" >> "{self._mark}"\nexit 1\n')
        self._program.chmod(0o755)
        self.source.parent.mkdir(parents=True)
        git(self.top, "init", "-q")
        for name in ("a.c", "signed.c", "missing.c"):
            self.source.with_name(name).write_text(f"{name}\n")
        (self.top / ".gitattributes").write_text("*.c diff=x filter=x merge=x\n")
        first = commit(self.top, "one")
        self._sign_where_a_file_was(first)
        self._remove_an_object()
        self._configure()

    @property
    def marks(self) -> str:
        """The programs that ran, and nothing if none did."""
        return self._mark.read_text() if self._mark.exists() else ""

    def forget_marks(self) -> None:
        self._mark.unlink(missing_ok=True)

    def variables(self) -> dict[str, str]:
        """Return variables by which a shell or a hook would name programs and repositories."""
        program = str(self._program)
        return {
            "GIT_EXTERNAL_DIFF": program,
            "GIT_PAGER": program,
            "GIT_SSH": program,
            "GIT_SSH_COMMAND": program,
            "GIT_PROXY_COMMAND": program,
            "GIT_ASKPASS": program,
            "GIT_EDITOR": program,
            "GIT_ALLOW_PROTOCOL": "ext:ssh:file",
            "GIT_NO_LAZY_FETCH": "0",
            "GIT_TRACE": str(self._mark),
            "GIT_DIR": str(self.top / "elsewhere"),
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "core.fsmonitor",
            "GIT_CONFIG_VALUE_0": program,
        }

    def _sign_where_a_file_was(self, parent: str) -> None:
        tree = git(self.top, "rev-parse", "HEAD^{tree}")
        signature = "-----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----"
        who = "A <a@example.org> 1700000000 +0000"
        text = f"tree {tree}\nparent {parent}\nauthor {who}\ncommitter {who}\n"
        text += f"gpgsig {signature}\n\nA message that is no source\n"
        signed = git(self.top, "hash-object", "-w", "-t", "commit", "--stdin", given=text)
        git(self.top, "update-index", "--add", "--cacheinfo", f"160000,{signed},src/signed.c")
        git(self.top, "commit", "-q", "-m", "two")

    def _remove_an_object(self) -> None:
        blob = git(self.top, "rev-parse", "HEAD:src/missing.c")
        (self.top / ".git" / "objects" / blob[:2] / blob[2:]).unlink()

    def _configure(self) -> None:
        program = str(self._program)
        hooks = self.top / "hooks"
        hooks.mkdir()
        for hook in ("post-index-change", "reference-transaction", "fsmonitor-watchman"):
            (hooks / hook).symlink_to(self._program)
        settings = dict.fromkeys(PROGRAMS, program)
        settings |= {
            "core.hooksPath": str(hooks),
            "core.repositoryFormatVersion": "1",
            "log.showSignature": "true",
            "alias.show": f"!{program}",
            "alias.cat-file": f"!{program}",
            "alias.rev-parse": f"!{program}",
            "filter.x.required": "true",
            "extensions.partialClone": "origin",
            "remote.origin.promisor": "true",
            "remote.origin.url": f"ext::{program} %S",
            "protocol.allow": "always",
            "protocol.ext.allow": "always",
        }
        for name, value in settings.items():
            git(self.top.parent, "config", "--file", "top/.git/config", name, value)


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HostileRepository:
    """The repository, with the user's own configuration out of the way."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    return HostileRepository(tmp_path)


@needs_git
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("signed.c", ("show", "--no-textconv", "--no-ext-diff")),
        ("missing.c", ("cat-file", "blob")),
        ("a.c", ("show", "--textconv")),
        ("a.c", ("cat-file", "--filters")),
    ],
)
def test_the_traps_are_armed(
    hostile: HostileRepository, name: str, arguments: tuple[str, ...]
) -> None:
    """Git as people run it starts programs of that repository, so that the next test means much."""
    subprocess.run(
        ["git", *arguments, f"HEAD:./{name}"],
        cwd=hostile.source.parent,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert hostile.marks


@needs_git
@pytest.mark.parametrize("has_variables", [False, True])
@pytest.mark.parametrize("has_own", [False, True])
def test_no_program_that_a_repository_names_runs(
    hostile: HostileRepository,
    monkeypatch: pytest.MonkeyPatch,
    has_variables: bool,
    has_own: bool,
) -> None:
    """Whatever is configured, here, in the user's own file or by variables, only git runs.

    The file is read; what is a commit, or would have to be fetched, is no file.
    """
    if has_own:
        shutil.copy(hostile.top / ".git" / "config", hostile.top.parent / ".gitconfig")
    if has_variables:
        for name, value in hostile.variables().items():
            monkeypatch.setenv(name, value)

    assert read_revision(hostile.source, "HEAD").lines == ("a.c",)
    for name in ("signed.c", "missing.c"):
        with pytest.raises(AnnotationError, match="is not a file in that revision"):
            read_revision(hostile.source.with_name(name), "HEAD")
    assert hostile.marks == ""


@needs_git
def test_git_of_the_sources_folder_does_not_run(
    hostile: HostileRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With `.` in PATH, a program called git beside a source is not the one that is meant."""
    shutil.copy(hostile.top.parent / "program", hostile.source.with_name("git"))
    monkeypatch.setenv("PATH", os.pathsep.join((".", os.environ["PATH"])))

    assert read_revision(hostile.source, "HEAD").lines == ("a.c",)
    assert hostile.marks == ""


def test_without_git_the_error_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(AnnotationError, match=r"git was not found. Choose the file\."):
        read_revision(tmp_path / "a.c", "HEAD")
