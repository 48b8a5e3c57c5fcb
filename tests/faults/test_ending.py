"""The program is ended by a signal, is killed while it writes, or loses its display."""

from __future__ import annotations

import lzma
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.program import EXAMPLE, ROOT, Ended, Program, files_in
from tests.patience import wait_until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals"),
]
SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")
LOG = "qcachegrind_py.log"


def started(home: Path) -> bool:
    """Whether the log says that the window was started."""
    return any("started" in log.read_text() for log in home.rglob(LOG))


def left_in(home: Path) -> set[str]:
    """The names of all files but settings, and what Graphviz's compiler keeps in the cache."""
    kept = home / ".cache"
    files = (path for path in home.rglob("*") if path.is_file() and kept not in path.parents)
    return {path.name for path in files if path.suffix != ".ini"}


@pytest.mark.parametrize("name", SIGNALS)
def test_a_window_is_closed_by_a_signal(tmp_path: Path, name: str) -> None:
    """The exit code is that of the signal; there is no crash report, and no message."""
    home, number = tmp_path / "home", getattr(signal, name)
    program = Program(home, [EXAMPLE])
    wait_until(lambda: started(home), "the program did not start")
    program.process.send_signal(number)

    assert program.wait() == Ended(128 + number, "", "")
    assert files_in(program.temporary) == []
    assert left_in(home) == {LOG}


@pytest.mark.parametrize("name", SIGNALS)
def test_a_command_is_ended_by_a_signal(tmp_path: Path, name: str) -> None:
    """Ctrl+C and the like end a command without a traceback, and remove what it put aside."""
    program = Program(tmp_path / "home", ["report", "-"], stdin=subprocess.PIPE)
    put_aside = "qcachegrind_py-*/standard input"  # Python tries the folder with a file before
    wait_until(lambda: list(program.temporary.glob(put_aside)), "standard input was not read")
    program.process.send_signal(getattr(signal, name))

    assert program.wait() == Ended(128 + getattr(signal, name), "", "")
    assert list(program.temporary.iterdir()) == []


def test_a_program_killed_while_it_saves_leaves_the_old_file(tmp_path: Path) -> None:
    """The new file takes the name of the old one only when it is complete.

    The half that is left has a name that says what it is, and goes when a file is saved later.
    """
    target = tmp_path / "saved.xz"
    target.write_text("the old file")
    source = tmp_path / "callgrind.out.large"
    lines = "".join(f"{line} {line * 7919 % 10007}\n" for line in range(1, 1_000_000))
    source.write_text(f"events: Ir\nfn=main\n{lines}")
    program = Program(tmp_path / "home", ["convert", source, "-o", target])
    wait_until(lambda: list(tmp_path.glob(".*.part")), "nothing was saved")
    program.process.kill()

    assert program.wait().code == -signal.SIGKILL
    assert target.read_text() == "the old file"
    (part,) = tmp_path.glob(".*.part")
    assert part.name.startswith(".saved.xz.qcachegrind-py-")
    os.utime(part, (0, 0))
    assert Program(tmp_path / "home", ["convert", EXAMPLE, "-o", target]).wait() == Ended(0, "", "")
    assert list(tmp_path.glob(".*")) == []


def test_what_a_killed_program_put_aside_is_removed(tmp_path: Path) -> None:
    """By the next that reads standard input, after a day, unless a program still shows it."""
    arguments = ["report", "-"]
    running = [Program(tmp_path / "home", arguments, stdin=subprocess.PIPE) for _ in range(2)]
    temporary = running[0].temporary
    wait_until(lambda: len(files_in(temporary)) == 2, "standard input was not read")
    running[0].process.kill()
    running[0].wait()
    for folder in temporary.iterdir():
        os.utime(folder, (0, 0))
    with lzma.open(EXAMPLE) as profile:
        text = profile.read()
    third = subprocess.run(
        [sys.executable, "-m", "qcachegrind_py", *arguments],
        input=text,
        env={**os.environ, "TMPDIR": str(temporary), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=True,
    )
    assert third.stdout
    assert len(files_in(temporary)) == 1

    assert running[1].process.stdin is not None
    running[1].process.stdin.write(text)
    assert running[1].wait().code == 0
    assert list(temporary.iterdir()) == []


@pytest.fixture
def display() -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """The name of an X server's display, and its process."""
    if shutil.which("Xvfb") is None:
        pytest.skip("there is no Xvfb")
    read, write = os.pipe()
    command = ["Xvfb", "-displayfd", str(write), "-noreset"]
    server = subprocess.Popen(command, pass_fds=(write,), stderr=subprocess.DEVNULL)
    os.close(write)
    with os.fdopen(read) as number:
        yield f":{number.readline().strip()}", server
    server.kill()
    server.wait()


def waits_for_events(process: subprocess.Popen[bytes]) -> bool:
    """Whether a window has been started, and used no processor for half a second."""
    stat = Path(f"/proc/{process.pid}/stat")
    used = [stat.read_text().split()[13:15]]
    time.sleep(0.5)
    used.append(stat.read_text().split()[13:15])
    return used[0] == used[1]


def test_a_lost_display_ends_the_window(
    tmp_path: Path, display: tuple[str, subprocess.Popen[bytes]]
) -> None:
    """Qt's one line says why the program ends; it is no crash of the program."""
    name, server = display
    home = tmp_path / "home"
    program = Program(home, [EXAMPLE], {"DISPLAY": name, "QT_QPA_PLATFORM": "xcb"})
    wait_until(
        lambda: program.process.poll() is not None or list(home.rglob("*.ini")), "no settings"
    )
    # Qt's words are others, and there are more, while the first frames are on their way
    wait_until(
        lambda: program.process.poll() is not None or waits_for_events(program.process), "busy"
    )
    if program.process.poll() is not None:
        pytest.skip(f"Qt cannot use an X server here: {program.wait().errors}")
    server.kill()
    ended = program.wait()

    assert (ended.code, ended.output) == (1, "")
    assert "The X11 connection broke" in ended.errors
    assert len(ended.errors.splitlines()) == 1
    assert left_in(home) == {LOG}
