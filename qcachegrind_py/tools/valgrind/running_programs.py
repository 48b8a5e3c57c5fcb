"""The user's programs that run under callgrind now, found through /proc without starting anything.

valgrind replaces itself by its tool, so the executable of such a process is `callgrind-amd64-linux`
or alike. Its memory map names the file that it shares with vgdb, and so all that vgdb needs to
reach it.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

from qcachegrind_py.frozen import frozen

PROC = Path("/proc")
_TOOL = "callgrind-"
_OPTION = re.compile(r"--(?:callgrind:)?callgrind-out-file=(.*)", re.DOTALL)
_DEFAULT_NAME = "callgrind.out.%p"
_PLACEHOLDER = re.compile(r"%(?:p|%|q\{([^}]*)\})")
_START_TIME = 19  # position in /proc/PID/stat, counted after the name in parentheses


@frozen(eq=True)
class VgdbAddress:
    """What vgdb must be told to reach a process whose environment may differ from ours.

    The names of the pipes are `PREFIX-from-vgdb-to-PID-by-USER-on-HOST`, where user and host are
    taken from environment variables of valgrind, or of vgdb.
    """

    prefix: str
    user: str
    host: str

    @property
    def options(self) -> tuple[str, ...]:
        return (f"--vgdb-prefix={self.prefix}",)

    @property
    def variables(self) -> dict[str, str]:
        return {"LOGNAME": self.user, "HOST": self.host}


@frozen(eq=True)
class RunningProgram:
    """A program that runs under callgrind."""

    process: int
    arguments: tuple[str, ...]  # the program and its arguments
    seconds: float  # since it was started
    profile: Path  # the file written at its end; the names of dumps begin with this one
    address: VgdbAddress | None  # None if vgdb cannot reach it

    @property
    def name(self) -> str:
        return Path(self.arguments[0]).name if self.arguments else f"process {self.process}"


def can_find_programs(proc: Path = PROC) -> bool:
    """Whether this system lists processes as Linux does."""
    return (proc / "self" / "maps").exists()


def find_running_programs(proc: Path = PROC) -> list[RunningProgram]:
    """Return the programs of this user that run under callgrind, the latest first.

    A process that ends meanwhile is left out.
    """
    programs: list[RunningProgram] = []
    processes = list(_tool_processes(proc))
    uptime = _uptime(proc) if processes else 0.0  # the same for all, or their order would change
    for process in processes:
        with contextlib.suppress(OSError, ValueError, IndexError):
            programs.append(_running_program(process, proc / str(process), uptime))
    return sorted(programs, key=lambda program: (program.seconds, -program.process))


def _tool_processes(proc: Path) -> Iterator[int]:
    names = os.listdir(proc) if proc.is_dir() else []  # noqa: PTH208 -- names are all it needs
    user = os.getuid() if hasattr(os, "getuid") else 0
    for name in names:
        with contextlib.suppress(OSError):
            folder = proc / name
            if name.isdecimal() and folder.stat().st_uid == user and _is_tool(folder):
                yield int(name)


def _is_tool(folder: Path) -> bool:
    try:
        return (folder / "exe").readlink().name.startswith(_TOOL)
    except OSError:
        return False


def _running_program(process: int, folder: Path, uptime: float) -> RunningProgram:
    words = _words(folder / "cmdline")
    environment = dict(word.split("=", 1) for word in _words(folder / "environ") if "=" in word)
    begin = next((i for i, word in enumerate(words) if i and not word.startswith("-")), len(words))
    options = [*environment.get("VALGRIND_OPTS", "").split(), *words[1:begin]]
    return RunningProgram(
        process,
        tuple(words[begin:]),
        max(0.0, uptime - _start_time(folder)),
        _profile(process, options, environment, folder),
        _vgdb_address(process, folder),
    )


def _words(path: Path) -> list[str]:
    return os.fsdecode(path.read_bytes()).split("\0")[:-1]


def _uptime(proc: Path) -> float:
    return float((proc / "uptime").read_text().split()[0])


def _start_time(folder: Path) -> float:
    """Return when the process was started, in seconds after the start of the machine."""
    fields = (folder / "stat").read_bytes().rpartition(b")")[2].split()
    return int(fields[_START_TIME]) / os.sysconf("SC_CLK_TCK")


def _profile(process: int, options: list[str], environment: dict[str, str], folder: Path) -> Path:
    """Return where callgrind writes, which is relative to the folder that it was started in.

    That is not known if the program has changed its folder. Callgrind creates an empty file at
    once, so the right one of the two possible folders is the one that has it. A forked process
    has no file until it writes one; the folder of the shell is then the likelier one.
    """
    patterns = [match[1] for option in options if (match := _OPTION.fullmatch(option))]
    name = _file_name(patterns[-1] if patterns else _DEFAULT_NAME, process, environment)
    folders = [(folder / "cwd").readlink(), Path(environment.get("PWD", ""))]
    candidates = [place / name for place in folders if place.is_absolute()]
    return next((path for path in candidates if path.exists()), candidates[-1])


def _file_name(pattern: str, process: int, environment: dict[str, str]) -> str:
    """Replace `%p` by the process, `%q{NAME}` by an environment variable, and `%%` by `%`."""

    def text(match: re.Match[str]) -> str:
        fixed = {"%p": str(process), "%%": "%"}
        return fixed.get(match[0]) or environment.get(match[1], "")

    return _PLACEHOLDER.sub(text, pattern)


def _vgdb_address(process: int, folder: Path) -> VgdbAddress | None:
    """Return how vgdb reaches the process.

    None if it was forked, as valgrind makes no pipes then; if it runs in a container, which has
    another folder for pipes; or if it was started with `--vgdb=no`.
    """
    shared = re.compile(rf"\S*(?: \S+){{4}} +((/.*)-shared-mem-vgdb-{process}-by-(.*)-on-(.*))\n?")
    with (folder / "maps").open(encoding="utf-8", errors="surrogateescape") as lines:
        for line in lines:
            match = shared.fullmatch(line)
            if match is not None:
                path, prefix, user, host = match.groups()
                return VgdbAddress(prefix, user, host) if Path(path).exists() else None
    return None
