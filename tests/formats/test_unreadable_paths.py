"""Paths that cannot be read as files: each gives a named error with a remedy."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

import qcachegrind_py as q


def refusal(path: Path) -> str:
    with pytest.raises(q.UnreadableFile) as caught:
        q.load(path)
    assert caught.value.path == str(path)
    return str(caught.value).removeprefix(f"{path} ")


def test_a_missing_file(tmp_path: Path) -> None:
    """A missing file is reported as missing."""
    assert refusal(tmp_path / "callgrind.out.1") == (
        "cannot be read: No such file or directory. Check whether it was moved or misspelled."
    )


def test_a_folder(tmp_path: Path) -> None:
    """A folder is reported as such."""
    assert refusal(tmp_path) == "is a folder. Choose a profile in it."


def test_a_file_taken_for_a_folder(tmp_path: Path) -> None:
    """The system's own reason is given if there is no better one."""
    (tmp_path / "file").write_text("events: Ir\n")
    assert refusal(tmp_path / "file" / "x").startswith("cannot be read: Not a directory.")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_named_pipe(tmp_path: Path) -> None:
    """A pipe without a writer does not block."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert refusal(pipe) == "is not a regular file. Save it to a file first."


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="this system has no /dev/zero")
@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null"])
def test_a_device(device: str) -> None:
    """An endless device is not read."""
    assert refusal(Path(device)) == "is not a regular file. Save it to a file first."


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="this system has no /proc")
def test_a_file_whose_first_bytes_cannot_be_read() -> None:
    """An error of the first read is reported like one of opening."""
    assert refusal(Path("/proc/self/mem")) == "cannot be read: Input/output error."


def test_a_name_that_is_no_path() -> None:
    """A path with a NUL is refused with a named error, like every path that cannot be opened."""
    with pytest.raises(q.UnreadableFile, match="cannot be read"):
        q.load("call\0grind")


def test_a_loop_of_links(tmp_path: Path) -> None:
    """A link to itself cannot be read."""
    (tmp_path / "a").symlink_to(tmp_path / "a")
    assert re.match(r"cannot be read: .*links?", refusal(tmp_path / "a"))


_READ_AS_NOBODY = """
import os, sys
import qcachegrind_py as q
q.load(sys.argv[1])
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
try:
    q.load(sys.argv[2])
except q.UnreadableFile as error:
    print(error)
"""


@pytest.mark.skipif(not hasattr(os, "setuid"), reason="this system has no such permissions")
def test_a_file_without_permission() -> None:
    """The error has the missing permission and a remedy; as root, the test drops privileges."""
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        readable, forbidden = Path(folder) / "readable", Path(folder) / "forbidden"
        for path in (readable, forbidden):
            path.write_text("events: Ir\nfn=f\n1 1\n")
        forbidden.chmod(0o000)
        ran = subprocess.run(
            [sys.executable, "-c", _READ_AS_NOBODY, str(readable), str(forbidden)],
            cwd=Path(q.__file__).parents[1],
            capture_output=True,
            text=True,
            check=False,
        )
    assert (ran.stdout, ran.stderr) == (
        f"{forbidden} cannot be read: Permission denied. Ask its owner for read permission.\n",
        "",
    )


def test_several_files_of_which_one_is_missing(tmp_path: Path) -> None:
    """The error names the file that caused it."""
    good, bad = tmp_path / "good", tmp_path / "bad"
    good.write_text("events: Ir\nfn=f\n1 1\n")
    with pytest.raises(q.UnreadableFile) as caught:
        q.load(good, bad)
    assert caught.value.path == str(bad)


def test_no_file_at_all() -> None:
    """`load()` without a path is a programming error."""
    with pytest.raises(TypeError, match="at least one"):
        q.load()
