"""The command of a desktop entry: finding it and quoting it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import qcachegrind_py
from qcachegrind_py.app.desktop.running_command import (
    running_command,
    why_not_started,
    with_command,
)

PACKAGE = Path(qcachegrind_py.__file__).parent
ENTRY = "[Desktop Entry]\nExec=x %F\nTryExec=x\nIcon=x\n"


def program(path: Path) -> Path:
    path.write_bytes(b"")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("word", "spelled"),
    [
        ("/usr/bin/x", "/usr/bin/x"),
        ("/a b/x", '"/a b/x"'),
        ("/100%/x", "/bin/env /100%%/x"),
        ("/it's/x", '"/it\'s/x"'),
        ('/a"b/x', r'"/a\\"b/x"'),
        ("/$HOME`/x", r'"/\\$HOME\\`/x"'),
        ("/a\\b/x", r'"/a\\\\b/x"'),
        ("/a\nb/x", r'"/a\nb/x"'),
        ("/é/x", "/é/x"),
    ],
)
def test_quoting_follows_the_specification(
    word: str, spelled: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two rules apply on top of each other: quoting an argument, and escaping a value.

    GLib does not find a program with a percent sign in its path, so `env` starts it.
    """
    monkeypatch.setenv("PATH", "/bin")
    (line,) = [line for line in with_command(ENTRY, [word]).splitlines() if line[:5] == "Exec="]

    assert f"Exec={spelled} %F" == line


def test_entry_is_hidden_if_its_program_is_missing() -> None:
    """TryExec is the unquoted path of the program, also of one that `env` runs."""
    plain = with_command(ENTRY, ["/a b/x"])
    by_env = with_command(ENTRY, ["/usr/bin/env", "PYTHONPATH=/src", "/bin/python3", "-m", "x"])

    assert plain == '[Desktop Entry]\nExec="/a b/x" %F\nTryExec=/a b/x\nIcon=x\n'
    assert by_env.splitlines()[1:3] == [
        "Exec=/usr/bin/env PYTHONPATH=/src /bin/python3 -m x %F",
        "TryExec=/bin/python3",
    ]


def test_started_script_is_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A link stays a link, which survives upgrades; the script for desktops is preferred.

    A script found on the PATH, or by a relative path, becomes absolute.
    """
    script = program(tmp_path / "qcachegrind-py")
    link = tmp_path / "bin" / "qcachegrind_py"
    link.parent.mkdir()
    link.symlink_to(script)
    monkeypatch.setenv("PATH", str(link.parent))
    monkeypatch.chdir(tmp_path)

    def command(started: object) -> tuple[str, ...]:
        monkeypatch.setattr(sys, "argv", [str(started)])
        return running_command()

    assert [(str(link),), (str(link),), (str(link),), (str(script),)] == [
        command(link),
        command("bin/../bin/qcachegrind_py"),
        command("qcachegrind_py"),
        command("qcachegrind-py"),
    ]
    for_desktops = program(tmp_path / "qcachegrind-py-gui")
    assert command(script) == (str(for_desktops),)


def test_python_is_the_command_without_a_script(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run as a module from a checkout, the command names its folder."""
    monkeypatch.setattr(sys, "argv", [str(PACKAGE / "__main__.py")])

    *env, python, dash_m, module = running_command()

    assert (python, dash_m, module) == (sys.executable, "-m", "qcachegrind_py")
    assert env[1:] in ([f"PYTHONPATH={PACKAGE.parent}"], [])


def test_frozen_program_is_its_own_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is sys.executable with PyInstaller, or the AppImage that we run from."""
    image = program(tmp_path / "Some.AppImage")
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setenv("APPIMAGE", str(image))

    monkeypatch.setenv("APPDIR", str(tmp_path))
    of_another_image = running_command()
    monkeypatch.setenv("APPDIR", str(PACKAGE.parents[1]))
    of_this_image = running_command()

    assert (of_another_image, of_this_image) == ((sys.executable,), (str(image),))


@pytest.mark.skipif(sys.platform == "win32", reason="a script stands for the program")
@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ('#!/bin/sh\n[ "$1" = --version ]\n', ""),
        ('#!/bin/sh\n[ -z "$PYTHONPATH" ] && [ "$PWD" = / ]\n', ""),
        ("#!/bin/sh\necho too old >&2\necho >&2\nexit 3\n", "too old"),
        ("#!/bin/sh\nexit 3\n", "it ended by 3"),
        ("#!/no/python\n", "No such file or directory"),
        (None, "No such file or directory"),
    ],
)
def test_command_that_a_menu_cannot_start(
    script: str | None, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command is run as a menu would: elsewhere, and without the terminal's variables."""
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    path = tmp_path / "qcachegrind-py"
    if script is not None:
        program(path).write_text(script)

    assert why_not_started([str(path)]) == reason
