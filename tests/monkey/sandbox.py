"""The folder of a run: settings, temporary files, profiles, saved files, and stand-in programs."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests import fake_valgrind
from tests.patience import PATIENCE, wait_until

_STAND_INS = ("xdg-open", "kate")  # a browser or file manager, and an editor
_REAL = ("objdump",)
_FOLDERS = ("bin", "config", "data", "home", "profiles", "saved", "state", "temporary", "work")
SAVED_NAMES = ("a.csv", "b.json", "c.png", "d.svg", "e.html", "f", "callgrind.out.g")


class Sandbox:
    """A new folder, to which the environment of this process points from then on.

    `profiles` are copies of the given files, which steps may change; `originals` has the bytes.
    """

    def __init__(self, files: Sequence[Path]) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="monkey-"))
        for name in _FOLDERS:
            (self.folder / name).mkdir()
        self.saved, self._temporary = self.folder / "saved", self.folder / "temporary"
        self._set_environment()
        self._add_programs()
        self.profiles = [self._copied(number, file) for number, file in enumerate(files)]
        self.originals = [path.read_bytes() for path in self.profiles]
        self.odd_files = self._odd_files()

    def _set_environment(self) -> None:
        for kind in ("config", "data", "state"):
            os.environ[f"XDG_{kind.upper()}_HOME"] = str(self.folder / kind)
        os.environ["HOME"] = str(self.folder / "home")
        os.environ["TMPDIR"] = str(self._temporary)
        os.chdir(self.folder / "work")
        tempfile.tempdir = str(self._temporary)

    def _add_programs(self) -> None:
        programs = self.folder / "bin"
        fake_valgrind.install(programs)
        for name in _STAND_INS:
            (programs / name).write_text("#!/bin/sh\n")
            (programs / name).chmod(0o755)
        for name in _REAL:
            if (real := shutil.which(name)) is not None:
                (programs / name).symlink_to(real)
        os.environ["PATH"] = str(programs)

    def _copied(self, number: int, file: Path) -> Path:
        """A copy in a folder of its own, as the names of several may be the same."""
        folder = self.folder / "profiles" / str(number)
        folder.mkdir()
        return Path(shutil.copy(file, folder))

    def _odd_files(self) -> list[Path]:
        """What is no profile: text, nothing, a folder, a missing file, an unreadable one."""
        text, empty = self.folder / "work/notes.txt", self.folder / "work/empty"
        text.write_text("events: to come\n")
        empty.touch()
        return [text, empty, empty.parent, empty.parent / "missing", Path("/proc/self/mem")]

    def remove(self) -> None:
        """Delete the folder."""
        os.chdir("/")
        shutil.rmtree(self.folder)

    def left_behind(self) -> list[str]:
        """What a closed window leaves: temporary files, half saved files, running processes.

        Waits for processes, as the killed ones need a moment, and ends the others.
        """
        left = [str(path) for path in sorted(self._temporary.iterdir())]
        left += [str(path) for path in self.folder.rglob("*.part")]  # of `atomic_write`
        try:
            wait_until(lambda: not child_processes(), "")
        except AssertionError:
            for pid, command in child_processes().items():
                left.append(f"process {pid} after {PATIENCE:.0f} s: {command}")
                os.kill(pid, signal.SIGKILL)
        return left


def child_processes() -> dict[int, str]:
    """The command lines of this process's children that still run, by process id (Linux only)."""
    children = {}
    for threads in Path("/proc/self/task").glob("*/children"):
        for pid in map(int, threads.read_text().split()):
            if _state(pid) not in ("Z", ""):
                command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ")
                children[pid] = command.decode(errors="replace")
    return children


def _state(pid: int) -> str:
    """The letter for the state of a process: Z if it has ended, nothing if it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][:1]
    except OSError:
        return ""
