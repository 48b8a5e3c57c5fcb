"""The completion of the command's options in interactive shells."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from qcachegrind_py.app.desktop.install import DesktopPaths, install
from qcachegrind_py.cli.shared_files import shared_files
from tests.patience import wait_until

pty = pytest.importorskip("pty")  # exists wherever these shells do
BASH_COMPLETION = Path("/usr/share/bash-completion/bash_completion")
SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], f". {BASH_COMPLETION}"),
    "zsh": (
        ["zsh", "-f", "-i"],
        "fpath=($XDG_DATA_HOME/zsh/site-functions $fpath); autoload -U compinit; compinit -u -D",
    ),
    "fish": (["fish", "-i"], "true"),
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A user with the completion installed, two commands that record their arguments, a file."""
    folders = [tmp_path / name for name in ("data", "config", "state")]
    install(DesktopPaths(*folders, shared_files()), ("x",))
    for name in ("qcachegrind-py", "qcachegrind_py"):
        path = tmp_path / name
        path.write_text('#!/bin/sh\nprintf "%s\\n" "$@" > written; mv written arguments\n')
        path.chmod(0o755)
    (tmp_path / "callgrind.out.7").touch()
    return tmp_path


@contextlib.contextmanager
def interactive(command: list[str], home: Path) -> Iterator[int]:
    """Run a shell on a terminal; yield where to type."""
    keyboard, terminal = pty.openpty()
    kept = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    folders = {"HOME": str(home), "XDG_DATA_HOME": str(home / "data")}
    path = f"{home}{os.pathsep}{os.environ['PATH']}"
    shell = subprocess.Popen(
        command,
        cwd=home,
        env={**kept, **folders, "PATH": path, "TERM": "dumb", "XDG_CONFIG_HOME": str(home / "c")},
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        preexec_fn=lambda: os.login_tty(terminal),  # fish needs a terminal that controls it
    )
    try:
        yield keyboard
    finally:
        os.close(keyboard)
        os.close(terminal)
        shell.kill()
        shell.wait()


@pytest.mark.parametrize("name", ["qcachegrind-py", "qcachegrind_py"])
@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_completes(shell: str, name: str, home: Path) -> None:
    """The Tab key completes tasks, options, choices and files, by either name of the command."""
    command, setup = SHELLS[shell]
    if not shutil.which(shell) or (shell == "bash" and not BASH_COMPLETION.exists()):
        pytest.skip(f"{shell} or its completion is not installed")
    with interactive(command, home) as keyboard:
        os.write(keyboard, f"{setup}; touch ready\n".encode())
        wait_until((home / "ready").exists, f"{shell} has not started")
        os.write(keyboard, f"{name} rep\t--no-c\t--sort s\t--output call\tcall\t\n".encode())
        wait_until((home / "arguments").exists, f"{shell} has not run the command")
    completed = (home / "arguments").read_text().splitlines()
    assert completed == [
        *("report", "--no-cycles", "--sort", "self"),
        *("--output", "callgrind.out.7", "callgrind.out.7"),
    ]
