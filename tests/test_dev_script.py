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
# Two libraries and a compiler are missing, and this user may install nothing.
_BARE = """
uname() { echo Linux; }
may_install() { false; }
missing() {
    for kind; do
        case $kind in
        venv) echo venv ensurepip python3-venv python3 python ;;
        qt) printf '%s\\n' 'qt libGL.so.1 libgl1 libglvnd-glx libglvnd' 'qt libGLX.so libgl1 x y' ;;
        compiler) [ -n "${has_compiler-}" ] || echo compiler cc gcc,libc6-dev gcc gcc ;;
        esac
    done
}
"""
_INSTALL = "apt-get install -y --no-install-recommends"


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


def test_user_is_told_everything_at_once(tmp_path: Path) -> None:
    """One line installs all that is missing, optional packages last: apt may not have them."""
    ran = run_functions(_BARE + "system_packages venv compiler qt", tmp_path, "apt-get")

    assert (ran.returncode, ran.stderr.splitlines()) == (
        1,
        [
            "dev.sh: missing on this system: cc ensurepip libGL.so.1 libGLX.so",
            "dev.sh: optional, as they only make files open faster: gcc libc6-dev",
            f"dev.sh: run as root: apt-get update && {_INSTALL} libgl1 python3-venv"
            f" && {_INSTALL} gcc libc6-dev",
        ],
    )


def test_compiler_is_optional(tmp_path: Path) -> None:
    """Without permission to install one, the script says how, and goes on."""
    code = "system_packages venv compiler; echo went on"
    bare = _BARE.replace("venv) echo", "venv) : ")
    ran = run_functions(bare + code, tmp_path, "apt-get")

    assert (ran.returncode, ran.stdout, ran.stderr.splitlines()) == (
        0,
        "went on\n",
        [
            "dev.sh: missing on this system: cc",
            "dev.sh: going on without a compiler; to open files faster, "
            f"run as root: apt-get update && {_INSTALL} gcc libc6-dev",
        ],
    )


@pytest.mark.parametrize("allowed", ["gcc", "libgl1"])
def test_what_apt_lacks(tmp_path: Path, allowed: str) -> None:
    """If apt has no compiler, the script goes on; if it lacks a library, the script ends."""
    (tmp_path / "apt-get").write_text(rf"""#!/bin/sh
case $* in *update | *" {allowed}"*) ;; *) printf 'unread\nE: no candidate'; exit 100 ;; esac
""")
    code = "may_install() { sudo=; }; system_packages qt compiler; echo went on"

    ran = run_functions(_BARE + code, tmp_path, "apt-get")

    assert (ran.returncode, ran.stdout, ran.stderr.splitlines()[-1]) == {
        "libgl1": (0, "went on\n", "dev.sh: going on without a compiler: E: no candidate"),
        "gcc": (1, "", "E: no candidate"),
    }[allowed]


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
        ("file other", True),
        ("-", True),
        ("--version", False),
        ("--report text file", False),
    ],
)
def test_options_are_passed_on_without_a_display(
    arguments: str, shows_picture: bool, tmp_path: Path
) -> None:
    """Without a display, files are drawn as a picture; with an option the command decides."""
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin/qcachegrind-py"
    command.write_text('#!/bin/sh\necho "$*"\n')
    command.chmod(0o755)
    code = f"venv={tmp_path}; prepare() {{ :; }}; uname() {{ echo Linux; }}; run {arguments}"

    ran = run_functions(code, tmp_path, DISPLAY="", WAYLAND_DISPLAY="")

    called = ran.stdout.splitlines()[0]
    example = SCRIPT.parent / "resources/example/sheet/callgrind.out.sheet.xz"
    picture = f"--screenshot {tmp_path}/qcachegrind-py.png "
    assert called == (picture if shows_picture else "") + (arguments or str(example))


def test_what_changed_is_said(tmp_path: Path) -> None:
    """Adding what the tests need is no other requirement; another Python needs a new .venv."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/python").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "bin/python").chmod(0o755)
    said = []
    for stamp in ("state ''", "state x", "echo other"):
        code = f"""
venv={tmp_path} stamp={tmp_path}/stamp abi=a python=true cc=cc header=/
remove_compiled() {{ :; }}
rm() {{ :; }}
{stamp} >"$stamp"
install '[dev]'
"""
        said.append(run_functions(code, tmp_path).stderr.splitlines())

    failed = (
        "dev.sh: pip failed, for the reason above; "
        "it needs the network, and the next run tries again"
    )
    assert said == [
        ["dev.sh: adding what the tests need", failed],
        [
            "dev.sh: updating .venv, because its requirements or compiled modules have changed",
            failed,
        ],
        ["dev.sh: creating .venv; this downloads about 110 MB, most of it Qt", failed],
    ]
