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
from tests.patience import wait_until
from tests.resources.shell_completion import FOLDER, completion_files

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


def test_shells_complete_the_options_of_the_command() -> None:
    """The files have every option and choice with its present text.

    `python -m tests.resources.shell_completion` writes them.
    """
    for name, text in completion_files().items():
        assert (FOLDER / name).read_text(encoding="utf-8") == text


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A user with the completion installed, two commands that record their arguments, a file."""
    install(DesktopPaths(tmp_path / "data", tmp_path / "config", tmp_path / "state"), ("x",))
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
    """The Tab key completes options, their choices and files, by either name of the command."""
    command, setup = SHELLS[shell]
    if not shutil.which(shell) or (shell == "bash" and not BASH_COMPLETION.exists()):
        pytest.skip(f"{shell} or its completion is not installed")
    with interactive(command, home) as keyboard:
        os.write(keyboard, f"{setup}; touch ready\n".encode())
        wait_until((home / "ready").exists, f"{shell} has not started")
        os.write(keyboard, f"{name} --no-c\t--sort s\t--save call\t\n".encode())
        wait_until((home / "arguments").exists, f"{shell} has not run the command")
    completed = (home / "arguments").read_text().splitlines()
    assert completed == ["--no-cycles", "--sort", "self", "--save", "callgrind.out.7"]
