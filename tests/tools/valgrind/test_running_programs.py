"""The user's programs that run under callgrind: on a drawn /proc, and with the installed one."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from qcachegrind_py.tools.valgrind.running_programs import (
    RunningProgram,
    VgdbAddress,
    can_find_programs,
    find_running_programs,
    is_running,
)
from tests.patience import PATIENCE

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs symbolic links of /proc")
TOOL = "/usr/libexec/valgrind/callgrind-amd64-linux"
TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100

Draw = Callable[..., None]


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    """A drawn /proc, 1000 seconds after the start of the machine."""
    proc = tmp_path / "proc"
    proc.mkdir()
    (proc / "uptime").write_text("1000.00 3999.00\n")
    (proc / "version").write_text("Linux")
    return proc


@pytest.fixture
def process(proc: Path, tmp_path: Path) -> Draw:
    """Draw a process: `process(7, "valgrind", "./a")`; keywords replace what it has."""

    def draw(
        pid: int,
        *words: str,
        tool: str = TOOL,
        cwd: str = str(tmp_path),
        shared: str = "",
        started: float = 990,
        **environment: str,
    ) -> None:
        folder = proc / str(pid)
        folder.mkdir()
        (folder / "exe").symlink_to(tool)
        (folder / "cwd").symlink_to(cwd)
        (folder / "cmdline").write_text("".join(f"{word}\0" for word in words))
        variables = (f"{name}={value}\0" for name, value in environment.items())
        (folder / "environ").write_text("".join(variables))
        fields = " ".join(["S", *["0"] * 18, str(int(started * TICKS)), "0"])
        (folder / "stat").write_text(f"{pid} (call) grind) {fields}")
        (folder / "maps").write_text(
            f"00400000-00401000 r-xp 00000000 fe:00 34 {TOOL}\n"
            f"02c90000-02c91000 rw-s 00000000 fe:00 56                  {shared}\n"
        )

    return draw


def test_what_is_known_of_a_program(proc: Path, process: Draw, tmp_path: Path) -> None:
    """Program and arguments as typed, time since the start, and how vgdb reaches it."""
    shared = tmp_path / "a b-shared-mem-vgdb-7-by-me-on-my-host"
    shared.touch()
    process(
        7, "/usr/bin/valgrind.bin", "--tool=callgrind", "-v", "./a b", "-x", "", shared=str(shared)
    )

    (program,) = find_running_programs(proc)

    assert program == RunningProgram(
        7,
        ("./a b", "-x", ""),
        10.0,
        tmp_path / "callgrind.out.7",
        VgdbAddress(str(tmp_path / "a b"), "me", "my-host"),
    )
    assert program.name == "a b"
    assert program.address is not None
    assert program.address.options == (f"--vgdb-prefix={tmp_path}/a b",)
    assert program.address.variables == {"LOGNAME": "me", "HOST": "my-host"}


def test_only_programs_under_callgrind_the_latest_first(proc: Path, process: Draw) -> None:
    """Other programs and other tools are left out, and so is what cannot be read."""
    process(5, "valgrind", "old", started=100)
    process(6, "valgrind", "new", started=900)
    process(7, "valgrind", "a", tool="/usr/libexec/valgrind/memcheck-amd64-linux")
    process(8, "callgrind", "a", tool="/bin/sh")
    process(9, "valgrind", "a")
    (proc / "9" / "stat").unlink()
    (proc / "10").mkdir()

    programs = find_running_programs(proc)

    assert [(p.process, p.name, p.seconds) for p in programs] == [
        (6, "new", 100.0),
        (5, "old", 900.0),
    ]
    assert [is_running(p, proc) for p in programs] == [True, True]
    shutil.rmtree(proc / "5")
    assert [is_running(p, proc) for p in programs] == [True, False]


@pytest.mark.parametrize(
    ("options", "environment", "name"),
    [
        (["--callgrind-out-file=/tmp/x.%p.%q{JOB}.100%%"], {"JOB": "night"}, "/tmp/x.7.night.100%"),
        (["--callgrind-out-file=a", "--callgrind-out-file=b"], {}, "{}/b"),
        (["--callgrind:callgrind-out-file=c"], {"VALGRIND_OPTS": "--callgrind-out-file=d"}, "{}/c"),
        ([], {"VALGRIND_OPTS": "-q --callgrind-out-file=d.%p"}, "{}/d.7"),
        ([], {}, "{}/callgrind.out.7"),
    ],
)
def test_where_callgrind_writes(
    options: list[str], environment: dict[str, str], name: str, proc: Path, process: Draw,
    tmp_path: Path,
) -> None:  # fmt: skip
    """The last option counts, with its placeholders replaced; those of the program do not."""
    process(7, "valgrind", *options, "./a", "--callgrind-out-file=mine", **environment)

    (program,) = find_running_programs(proc)

    assert program.profile == Path(name.format(tmp_path))


def test_a_program_that_has_changed_its_folder(proc: Path, process: Draw, tmp_path: Path) -> None:
    """The folder it was started in has the file that callgrind creates at once."""
    (tmp_path / "begin").mkdir()
    (tmp_path / "begin" / "callgrind.out.7").touch()
    process(7, "valgrind", "./a", PWD=str(tmp_path / "begin"))
    process(8, "valgrind", "./a", PWD="gone")

    profiles = {p.process: p.profile for p in find_running_programs(proc)}

    assert profiles == {
        7: tmp_path / "begin" / "callgrind.out.7",
        8: tmp_path / "callgrind.out.8",
    }


def test_programs_out_of_reach(proc: Path, process: Draw, tmp_path: Path) -> None:
    """`--vgdb=no`, another container's files, and pipes of the parent give no address."""
    (tmp_path / "p-shared-mem-vgdb-77-by-me-on-here").touch()
    process(7, "valgrind", "--vgdb=no", "./a")
    process(8, "valgrind", "./a", shared="/gone/p-shared-mem-vgdb-8-by-me-on-here")
    process(9, "valgrind", "./a", shared=f"{tmp_path}/p-shared-mem-vgdb-77-by-me-on-here")

    assert [p.address for p in find_running_programs(proc)] == [None] * 3


def test_systems_without_proc(tmp_path: Path) -> None:
    """Elsewhere than on Linux there is no list, and the window can say so."""
    assert (find_running_programs(tmp_path / "proc"), can_find_programs(tmp_path / "proc")) == (
        [],
        False,
    )
    assert can_find_programs()


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")
def test_a_real_program(tmp_path: Path) -> None:
    """The installed valgrind is found as drawn above, in whatever environment it was started."""
    command = ["valgrind", "--tool=callgrind", sys.executable, "-c", "import time; time.sleep(99)"]
    environment = os.environ | {"LOGNAME": "someone", "HOST": "elsewhere", "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL
    ) as process:
        try:
            deadline = time.monotonic() + PATIENCE
            found: list[RunningProgram] = []
            while not (found and found[0].address) and time.monotonic() < deadline:
                found = [p for p in find_running_programs() if p.process == process.pid]
        finally:
            process.send_signal(signal.SIGKILL)

    assert [(p.arguments, p.profile, p.address) for p in found] == [
        (
            tuple(command[2:]),
            tmp_path / f"callgrind.out.{process.pid}",
            VgdbAddress(f"{tmp_path}/vgdb-pipe", "someone", "elsewhere"),
        )
    ]
