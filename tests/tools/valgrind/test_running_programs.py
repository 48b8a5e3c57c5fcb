"""The user's programs that run under callgrind: on a drawn /proc, and with the installed one."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from qcachegrind_py.tools.valgrind.running_programs import (
    RunningProgram,
    VgdbAddress,
    can_find_programs,
    find_running_programs,
)
from tests.drawn_proc import DrawnProc
from tests.patience import PATIENCE

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs symbolic links of /proc")


@pytest.fixture
def proc(tmp_path: Path) -> DrawnProc:
    return DrawnProc(tmp_path)


def test_what_is_known_of_a_program(proc: DrawnProc, tmp_path: Path) -> None:
    """Program and arguments as typed, time since the start, and how vgdb reaches it."""
    shared = tmp_path / "a b-shared-mem-vgdb-7-by-me-on-my-host"
    shared.touch()
    proc.add(
        7, "/usr/bin/valgrind.bin", "--tool=callgrind", "-v", "./a b", "-x", "", shared=str(shared)
    )

    (program,) = find_running_programs(proc.folder)

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


def test_only_programs_under_callgrind_the_latest_first(proc: DrawnProc) -> None:
    """Other programs and other tools are left out, and so is what cannot be read."""
    proc.add(5, "valgrind", "old", seconds=900)
    proc.add(6, "valgrind", "new", seconds=100)
    proc.add(7, "valgrind", "a", tool="/usr/libexec/valgrind/memcheck-amd64-linux")
    proc.add(8, "callgrind", "a", tool="/bin/sh")
    proc.add(4, "valgrind", "as old", seconds=900)
    proc.add(9, "valgrind", "a")
    (proc.folder / "9" / "stat").unlink()
    (proc.folder / "10").mkdir()

    programs = find_running_programs(proc.folder)

    assert [(p.process, p.name, p.seconds) for p in programs] == [
        (6, "new", 100.0),
        (5, "old", 900.0),
        (4, "as old", 900.0),
    ]


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
    options: list[str], environment: dict[str, str], name: str, proc: DrawnProc,
    tmp_path: Path,
) -> None:  # fmt: skip
    """The last option counts, with its placeholders replaced; those of the program do not."""
    proc.add(7, "valgrind", *options, "./a", "--callgrind-out-file=mine", **environment)

    (program,) = find_running_programs(proc.folder)

    assert program.profile == Path(name.format(tmp_path))


def test_a_program_that_has_changed_its_folder(proc: DrawnProc, tmp_path: Path) -> None:
    """The folder it was started in has the file that callgrind creates, unless it was forked."""
    (tmp_path / "begin").mkdir()
    (tmp_path / "begin" / "callgrind.out.7").touch()
    proc.add(7, "valgrind", "./a", PWD=str(tmp_path / "begin"))
    proc.add(8, "valgrind", "./a", PWD="gone")
    proc.add(9, "valgrind", "./a", PWD=str(tmp_path / "begin"))

    profiles = {p.process: p.profile for p in find_running_programs(proc.folder)}

    assert profiles == {
        7: tmp_path / "begin" / "callgrind.out.7",
        8: tmp_path / "callgrind.out.8",
        9: tmp_path / "begin" / "callgrind.out.9",
    }


def test_programs_out_of_reach(proc: DrawnProc, tmp_path: Path) -> None:
    """`--vgdb=no`, another container's files, and the parent's pipes after a fork: no address."""
    (tmp_path / "p-shared-mem-vgdb-77-by-me-on-here").touch()
    proc.add(7, "valgrind", "--vgdb=no", "./a")
    proc.add(8, "valgrind", "./a", shared="/gone/p-shared-mem-vgdb-8-by-me-on-here")
    proc.add(9, "valgrind", "./a", shared=f"{tmp_path}/p-shared-mem-vgdb-77-by-me-on-here")

    assert [p.address for p in find_running_programs(proc.folder)] == [None] * 3


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
