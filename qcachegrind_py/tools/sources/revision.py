"""Read a source file as it was in a revision of its git repository.

Git only reads here: it runs without hooks, filters, external programs, network and questions, for
a limited time, and its output is limited as source files are.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import IO

from qcachegrind_py.profile.errors import AnnotationError, FileTooLarge
from qcachegrind_py.profile.progress import NoProgress, Progress
from qcachegrind_py.tools.sources.text_file import MAX_BYTES, SourceText, read_source

MAX_SECONDS = 10.0
_MAX_LENGTH = 250  # characters of a revision
_MAX_MESSAGE = 300  # characters of what git says
_CHECK_INTERVAL = 0.02  # seconds
_REMEDY = "Choose another revision, or the file."
_ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ASKPASS": "",
    "GIT_PAGER": "cat",
    "LC_ALL": "C",
}
_OPTIONS = (
    "--no-pager",
    "-c", "core.fsmonitor=false",
    "-c", f"core.hooksPath={os.devnull}",
    "-c", "protocol.allow=never",
)  # fmt: skip


def is_revision(text: str) -> bool:
    """Whether a text can name a revision: it is no option, and names no path."""
    return (
        0 < len(text) <= _MAX_LENGTH
        and not text.startswith("-")
        and text.isprintable()
        and not any(character.isspace() or character == ":" for character in text)
    )


def read_revision(path: Path, revision: str, progress: Progress | None = None) -> SourceText:
    """Return the text that a file had in a revision; its path is then `REVISION:PATH`.

    Raises AnnotationError, UnsuitableFile, FileTooLarge and Cancelled.
    """
    name = f"{revision}:{path}"
    if not is_revision(revision):
        raise AnnotationError(name, "is no revision of a file.", _REMEDY)
    with tempfile.NamedTemporaryFile(prefix="qcachegrind_py-") as text:
        _run_git(path, revision, text, progress or NoProgress())
        return replace(read_source(Path(text.name)), path=Path(name))


def _run_git(path: Path, revision: str, output: IO[bytes], progress: Progress) -> None:
    """Write the content of the file to `output`."""
    command = ["git", *_OPTIONS, "show", "--no-textconv", "--no-ext-diff"]
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    name = f"{revision}:{path}"
    with tempfile.TemporaryFile() as messages:
        try:
            process = subprocess.Popen(
                [*command, f"{revision}:./{path.name}"],
                cwd=path.parent,
                env={**inherited, **_ENVIRONMENT},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=messages,
            )
        except OSError as error:
            reason = f"cannot be read: git does not start ({error.strerror})."
            raise AnnotationError(name, reason, "Choose the file.") from error
        try:
            _wait_for(process, output, name, progress)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        if process.returncode:
            messages.seek(0)
            said = messages.read(_MAX_MESSAGE).decode(errors="replace").strip()
            reason = f"cannot be read from the repository: {' '.join(said.split())}."
            raise AnnotationError(name, reason, _REMEDY)


def _wait_for(
    process: subprocess.Popen[bytes], output: IO[bytes], name: str, progress: Progress
) -> None:
    """Wait for the end of git, at most as long as it is worth."""
    end = time.monotonic() + MAX_SECONDS
    while True:
        try:
            process.wait(_CHECK_INTERVAL)
        except subprocess.TimeoutExpired:
            progress.check(0)
        size = os.fstat(output.fileno()).st_size
        if size > MAX_BYTES:
            raise FileTooLarge(Path(name), size, MAX_BYTES)
        if process.returncode is not None:
            return
        if time.monotonic() > end:
            raise AnnotationError(name, "takes git too long to read.", _REMEDY)
