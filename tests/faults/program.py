"""The program in a process of its own, with a home and a folder for temporary files of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import pytest

from tests.patience import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "resources" / "example" / "callgrind.out.templates.xz"


@dataclass(frozen=True)
class Ended:
    """What is left of a process."""

    code: int
    output: str
    errors: str


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """Limit the size of files that this process and those it starts write, as on a full disk."""
    resource = pytest.importorskip("resource", reason="this system has no such limit")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@contextmanager
def _signals_as_in_a_terminal() -> Iterator[None]:
    """Let a program that starts now obey signals that `nohup`, or `&` in a script, turned off."""
    names = [name for name in ("SIGINT", "SIGHUP") if hasattr(signal, name)]
    numbers = [getattr(signal, name) for name in names]
    ignored = [number for number in numbers if signal.getsignal(number) is signal.SIG_IGN]
    for number in ignored:
        signal.signal(number, signal.SIG_DFL)
    try:
        yield
    finally:
        for number in ignored:
            signal.signal(number, signal.SIG_IGN)


class Program:
    """The running program."""

    def __init__(
        self,
        home: Path,
        arguments: Sequence[object],
        environment: Mapping[str, str] | None = None,
        stdin: int | IO[bytes] = subprocess.DEVNULL,
    ) -> None:
        self.temporary = home.parent / "temporary"
        self.temporary.mkdir(exist_ok=True)
        kept = {name: text for name, text in os.environ.items() if not name.startswith("XDG_")}
        folders = {"HOME": str(home), "TMPDIR": str(self.temporary), "PYTHONPATH": str(ROOT)}
        qt = {"QT_QPA_PLATFORM": "offscreen"}
        with _signals_as_in_a_terminal():
            self.process = subprocess.Popen(
                [sys.executable, "-m", "qcachegrind_py", *map(str, arguments)],
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**kept, **folders, **qt, **(environment or {})},
            )

    def wait(self) -> Ended:
        """Wait for the end of the process; it is killed if that takes too long."""
        try:
            output, errors = self.process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            output, errors = self.process.communicate()
            errors += b"\nThe program did not end by itself."
        return Ended(self.process.returncode, output.decode(), errors.decode())


def files_in(folder: Path) -> list[str]:
    """The names of all files in a folder and the folders in it, sorted."""
    return sorted(path.name for path in folder.rglob("*") if path.is_file())
