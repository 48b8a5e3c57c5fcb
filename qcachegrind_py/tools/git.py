"""Read a source file as it was in a revision of its repository: the one place that starts git.

A repository is data from elsewhere, and its configuration names programs for comparing, showing,
signing, filtering and fetching. So git gets the two requests that need none of them, what the name
of a revision means and the bytes of one object, with whatever could still start a program or reach
a network switched off.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import IO

from qcachegrind_py.profile.errors import AnnotationError, FileTooLarge
from qcachegrind_py.profile.progress import NoProgress, Progress
from qcachegrind_py.tools.command_line import program_path
from qcachegrind_py.tools.sources.text_file import MAX_BYTES, SourceText, read_source

MAX_SECONDS = 10.0  # for one request
_MAX_LENGTH = 250  # characters of a revision
_MAX_ANSWER = 10_000  # bytes that name a commit, or say what is wrong
_MAX_MESSAGE = 300  # characters of what git says
_CHECK_INTERVAL = 0.02  # seconds
_REMEDY = "Choose another revision, or the file."
# What stands for no commit or several: ranges, negations, the parents of a merge, options, paths.
_NO_SINGLE_COMMIT = re.compile(r"^[-^]|\.\.|\^[@!-]|[\s:*?\[\\]")
_COMMIT = re.compile(rb"([0-9a-f]{40}|[0-9a-f]{64})\n")
_NO_COMMIT = "Needed a single revision"  # git's words
_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "",  # no transport at all, whatever `protocol.NAME.allow` says
    "GIT_NO_LAZY_FETCH": "1",  # of a partial clone; git before 2.45 is stopped by the line above
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
_OPTIONS = (
    "--no-pager",
    "-c", "core.fsmonitor=false",
    "-c", f"core.hooksPath={os.devnull}",
    "-c", "safe.bareRepository=explicit",  # one that lies among the files of another
)  # fmt: skip


def is_revision(text: str) -> bool:
    """Whether a text can name one commit; whether there is such a commit, only git knows."""
    return (
        0 < len(text) <= _MAX_LENGTH
        and text.isprintable()
        and _NO_SINGLE_COMMIT.search(text) is None
    )


def read_revision(path: Path, revision: str, progress: Progress | None = None) -> SourceText:
    """Return the text that a file had in a revision; its path is then `REVISION:PATH`.

    Raises AnnotationError, UnsuitableFile, FileTooLarge and Cancelled.
    """
    name, progress = f"{revision}:{path}", progress or NoProgress()
    if not is_revision(revision):
        reason = "cannot be read: a revision names one commit, such as v1.2 or HEAD~3."
        raise AnnotationError(name, reason, _REMEDY)
    blob = f"{_commit(path, revision, name, progress)}:./{path.name}"
    with tempfile.NamedTemporaryFile(prefix="qcachegrind_py-") as text:
        if said := _run(("cat-file", "blob", blob), path, name, text, MAX_BYTES, progress):
            raise AnnotationError(name, f"is not a file in that revision: {said}.", _REMEDY)
        try:
            return replace(read_source(Path(text.name)), path=Path(name))
        except AnnotationError as error:
            error.path = name
            raise


def _commit(path: Path, revision: str, name: str, progress: Progress) -> str:
    """Return the id of the one commit that a revision names in the repository of a file."""
    resolve = ("rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}")
    with tempfile.TemporaryFile() as answer:
        said = _run(resolve, path, name, answer, _MAX_ANSWER, progress)
        answer.seek(0)
        commit = _COMMIT.fullmatch(answer.read(_MAX_ANSWER))
    if commit is not None:
        return commit[1].decode()
    reason = f"cannot be read from the repository: {said}."
    if not said or _NO_COMMIT in said:
        reason = f"cannot be read: {revision} names no commit of the repository."
    raise AnnotationError(name, reason, _REMEDY)


def _run(
    arguments: tuple[str, ...],
    path: Path,
    name: str,
    output: IO[bytes],
    limit: int,
    progress: Progress,
) -> str:
    """Let git write at most `limit` bytes to `output`; return why it failed, or an empty text."""
    program = program_path("git")
    if program is None:
        raise AnnotationError(name, "cannot be read: git was not found.", "Choose the file.")
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    with tempfile.TemporaryFile() as messages:
        try:
            process = subprocess.Popen(
                [program, *_OPTIONS, *arguments],
                cwd=path.parent,
                env={**inherited, **_ENVIRONMENT},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=messages,
            )
        except (OSError, ValueError) as error:  # ValueError: a zero byte in an argument
            reason = f"cannot be read: git does not start ({error})."
            raise AnnotationError(name, reason, "Choose the file.") from error
        try:
            _wait_for(process, output, name, limit, progress)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        if not process.returncode:
            return ""
        messages.seek(0)
        said = messages.read(_MAX_MESSAGE).decode(errors="replace")
        return " ".join(said.replace("fatal: ", "").split()).rstrip(".") or "git failed"


def _wait_for(
    process: subprocess.Popen[bytes], output: IO[bytes], name: str, limit: int, progress: Progress
) -> None:
    """Wait for the end of git, at most as long as it is worth."""
    end = time.monotonic() + MAX_SECONDS
    while True:
        try:
            process.wait(_CHECK_INTERVAL)
        except subprocess.TimeoutExpired:
            progress.check(0)
        size = os.fstat(output.fileno()).st_size
        if size > limit:
            raise FileTooLarge(name, size, limit)
        if process.returncode is not None:
            return
        if time.monotonic() > end:
            raise AnnotationError(name, "took git too long to read.", _REMEDY)
