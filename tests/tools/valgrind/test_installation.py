"""Valgrind on this machine: how to install it, and its report on a running program."""

from __future__ import annotations

from pathlib import Path

import pytest

from qcachegrind_py.tools.valgrind import recording
from qcachegrind_py.tools.valgrind.recording import (
    InstallAdvice,
    LiveState,
    RecordingTools,
    find_tools,
    install_advice,
    parse_live_state,
)

ANSWER = """instrumentation: on
executed-bbs: 1030795
distinct-contexts: 321
events: Ir Dr
part: 0
threads: 1 2
current-tid: 2
events-1: 14134327 5
frames-1: 1
function-1-0: (below main)
events-1-0: 14013155 1
events-2: 1000
function-2-0: start_thread
calls-2-0: 1
events-2-0: 99
function-2-3: Grid<int>::work(int): x
"""


@pytest.mark.parametrize(
    ("os_release", "command"),
    [
        ('ID=debian\nVERSION_ID="12"', "sudo apt install valgrind"),
        ('NAME="Linux Mint"\nID=linuxmint\nID_LIKE="ubuntu debian"', "sudo apt install valgrind"),
        ("ID=fedora\n", "sudo dnf install valgrind"),
        ('ID="rocky"\nID_LIKE="rhel centos fedora"', "sudo dnf install valgrind"),
        ("ID=arch", "sudo pacman -S valgrind"),
        ('ID="opensuse-tumbleweed"\nID_LIKE="opensuse suse"', "sudo zypper install valgrind"),
        ("ID=nixos", "nix-env -iA nixos.valgrind"),
    ],
)
def test_the_command_that_installs_valgrind(
    os_release: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each system has its own command, which can be pasted as shown."""
    monkeypatch.setattr(recording.os, "geteuid", lambda: 1000)

    advice = install_advice("linux", os_release)

    assert advice == InstallAdvice(
        "Valgrind is not installed. Install it with this command:", command
    )


def test_where_valgrind_does_not_run() -> None:
    """Without a command, the advice names an alternative."""
    texts = [install_advice(*of) for of in (("darwin",), ("win32",), ("linux", "ID=mine\nodd"))]

    assert [advice.command for advice in texts] == ["", "", ""]
    assert [
        word in advice.sentence
        for word, advice in zip(("macOS", "WSL", "valgrind.org"), texts, strict=True)
    ] == [True] * 3


def test_tools_are_programs_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program in the working directory is never run."""
    (tmp_path / "valgrind").write_bytes(b"#!")
    (tmp_path / "valgrind").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", ".")
    by_chance = find_tools()
    monkeypatch.setenv("PATH", str(tmp_path))

    assert (by_chance, find_tools()) == (
        RecordingTools(),
        RecordingTools(str(tmp_path / "valgrind"), None),
    )


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        (ANSWER, LiveState(True, "Ir", 14135327, 2, ("Grid<int>::work(int): x", "start_thread"))),
        (
            ANSWER.replace("14134327", str(2**64 - 7)),
            LiveState(True, "Ir", 1000, 2, ("Grid<int>::work(int): x", "start_thread")),
        ),
        ("instrumentation: off\n", LiveState(is_counting=False)),
        ("instrumentation: on\nevents-1: x\n", LiveState(threads=1)),
        ("no vgdb server for this process\n", None),
        ("", None),
    ],
)
def test_live_state(answer: str, state: LiveState | None) -> None:
    """Costs are summed over threads, the function is the innermost; negative sums are none."""
    assert parse_live_state(answer) == state
