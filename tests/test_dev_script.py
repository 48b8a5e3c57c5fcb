"""The script that sets up a checkout: what it asks of a system, and how it fails.

Its functions are run without its last lines, which would install something.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no sh there")
SCRIPT = Path(__file__).parents[1] / "dev.sh"
_FUNCTIONS = 'eval "$(sed "/^case .{1-}/,\\$d" "$0")"\n'
# What `tools/system_packages.py` says of a bare system, and then of one that got what it needs.
_BARE = "ensurepip libGL.so.1|cc|python3-venv libgl1 gcc|apt-get install python3-venv libgl1 gcc"
_NO_COMPILER = "|cc|gcc|apt-get install gcc"
_ASKED = """
uname() { echo Linux; }
find_python() { :; }
python=answer
answer() { head -n 1 "$answers" | tr '|' '\\n'; sed -i 1d "$answers"; }
system_packages
echo went on
"""


def run_functions(
    code: str, folder: Path, *managers: str, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run code after the script's functions, where these package managers are installed."""
    for name in managers:
        (folder / name).touch()
        (folder / name).chmod(0o755)
    paths = os.pathsep.join((str(folder), os.environ["PATH"]))
    return subprocess.run(
        ["sh", "-c", _FUNCTIONS + code, SCRIPT],
        env={**os.environ, "PATH": paths, **variables},
        capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("answers", "apt", "code", "said"),
    [
        ([""], None, 0, []),
        (
            [_BARE],
            None,
            1,
            [
                "missing on this system: ensurepip libGL.so.1 cc",
                "to install what is missing: apt-get install python3-venv libgl1 gcc",
            ],
        ),
        (
            [_NO_COMPILER],
            None,
            0,
            [
                "missing on this system: cc",
                "to install what is missing: apt-get install gcc",
            ],
        ),
        (
            [_BARE, ""],
            "echo 'Need to get 38.5 MB of archives.'",
            0,
            [
                "missing on this system: ensurepip libGL.so.1 cc",
                "installing with apt-get: python3-venv libgl1 gcc",
                "Need to get 38.5 MB of archives.",
            ],
        ),
        (
            [_BARE, _NO_COMPILER],
            "case $* in *update | *assume-no*) ;; *) printf 'unread\nE: no gcc'; exit 100 ;; esac",
            0,
            [
                "missing on this system: ensurepip libGL.so.1 cc",
                "installing with apt-get: python3-venv libgl1 gcc",
                "apt-get could not install them: E: no gcc",
                "to install what is missing: apt-get install gcc",
            ],
        ),
    ],
    ids=["nothing missing", "bare", "no compiler", "installed", "apt fails"],
)
def test_system_packages_are_installed_or_named(
    answers: list[str], apt: str | None, code: int, said: list[str], tmp_path: Path
) -> None:
    """Where apt may be used, it is said what it installs and how much; else one line is printed.

    A compiler is optional.
    """
    (tmp_path / "answers").write_text("".join(f"{answer}\n" for answer in answers))
    permission = f"may_install() {{ sudo=; {'true' if apt else 'false'}; }}\n"
    if apt:
        (tmp_path / "apt-get").write_text(f"#!/bin/sh\n{apt}\n")

    ran = run_functions(
        permission + _ASKED, tmp_path, *(["apt-get"] if apt else []), answers=f"{tmp_path}/answers"
    )

    assert ran.stderr.splitlines() == [f"dev.sh: {line}" for line in said]
    assert (ran.returncode, ran.stdout) == (code, "" if code else "went on\n")


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        (None, "there is no {python}; PYTHON=... chooses another Python"),
        (
            "echo 3.9.2",
            "{python} is not Python 3.11 or newer, but 3.9.2; PYTHON=... chooses another",
        ),
        ("exit 3", "{python} is not Python 3.11 or newer; PYTHON=... chooses another"),
    ],
)
def test_wrong_python_is_named_on_one_line(output: str | None, reason: str, tmp_path: Path) -> None:
    """The interpreter may be missing, too old, or no Python at all."""
    python = tmp_path / "my python"
    if output:
        python.write_text(f"#!/bin/sh\n{output}\n")
        python.chmod(0o755)

    ran = run_functions("find_python", tmp_path, PYTHON=str(python))

    assert (ran.returncode, ran.stderr) == (1, f"dev.sh: {reason.format(python=python)}\n")


@pytest.mark.parametrize(
    ("arguments", "shows_picture"),
    [
        ("", True),
        ("dev.sh README.md", True),
        ("-", True),
        ("--version", False),
        ("report dev.sh", False),
    ],
)
def test_options_are_passed_on_without_a_display(
    arguments: str, shows_picture: bool, tmp_path: Path
) -> None:
    """Without a display, files are drawn as a picture; the command decides on all else."""
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin/qcachegrind-py"
    command.write_text('#!/bin/sh\necho "$*"\n')
    command.chmod(0o755)
    code = f"""
cd {SCRIPT.parent}
venv={tmp_path}
prepare() {{ :; }}
uname() {{ echo Linux; }}
run {arguments}
"""

    ran = run_functions(code, tmp_path, DISPLAY="", WAYLAND_DISPLAY="")

    called = ran.stdout.splitlines()[0]
    example = SCRIPT.parent / "resources/example/sheet/callgrind.out.sheet.xz"
    picture = f"--screenshot {tmp_path}/qcachegrind-py.png "
    assert called == (picture if shows_picture else "") + (arguments or str(example))


def test_what_changed_and_why_pip_failed_is_said(tmp_path: Path) -> None:
    """Adding what the tests need is no other requirement; another Python needs a new .venv."""
    (tmp_path / "bin").mkdir()
    log = "2026-11-27T18:00:00,1 ERROR: No matching distribution"
    (tmp_path / "bin/python").write_text(f"#!/bin/sh\necho '{log}' >{tmp_path}/pip.log\nexit 1\n")
    (tmp_path / "bin/python").chmod(0o755)
    said = []
    for stamp in ("state ''", "state x", "echo other"):
        code = f"""
venv={tmp_path} stamp={tmp_path}/stamp abi=a python=true compiler=True
remove_compiled() {{ :; }}
rm() {{ :; }}
{stamp} >"$stamp"
install '[dev]'
"""
        said.append(run_functions(code, tmp_path).stderr.splitlines())

    failed = "dev.sh: pip failed, and the next run tries again: No matching distribution"
    assert said == [
        ["dev.sh: adding what the tests need", failed],
        [
            "dev.sh: updating .venv, because its requirements or compiled modules have changed",
            failed,
        ],
        ["dev.sh: creating .venv; this downloads about 160 MB, most of it Qt", failed],
    ]
