"""Files are written whole or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from qcachegrind_py.formats.atomic_write import atomic_write
from qcachegrind_py.profile.errors import Cancelled, UnwritableFile


def test_an_interrupted_write_keeps_the_old_file(tmp_path: Path) -> None:
    """A partial file never replaces a complete one, and nothing is left beside it."""
    path = tmp_path / "saved"
    path.write_bytes(b"before")

    def break_off() -> None:
        with atomic_write(path) as stream:
            stream.write(b"half")
            raise Cancelled

    with pytest.raises(Cancelled):
        break_off()

    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == {"saved": b"before"}


def test_a_full_disk_is_reported_with_a_remedy(tmp_path: Path) -> None:
    """A system error has the path, the reason and a remedy, and loses nothing."""
    if not Path("/dev/full").exists():
        pytest.skip("this system has no disk that is always full")

    with pytest.raises(UnwritableFile) as caught, atomic_write("/dev/full") as stream:
        stream.write(b"x" * 100_000)

    assert str(caught.value) == (
        "/dev/full cannot be written: No space left on device. "
        "Make room on the disk, or choose another one."
    )


def test_a_missing_folder_is_reported(tmp_path: Path) -> None:
    """A file in a missing folder cannot be written, and the folder is not created."""
    path = tmp_path / "missing" / "saved"

    with pytest.raises(UnwritableFile) as caught, atomic_write(path) as stream:
        stream.write(b"x")

    assert str(caught.value) == (
        f"{path} cannot be written: No such file or directory. Choose an existing folder."
    )
    assert list(tmp_path.iterdir()) == []


def test_permissions_of_a_written_file(tmp_path: Path) -> None:
    """A new file has the permissions of the user's mask, a replaced one those it had."""
    new, old, plain = tmp_path / "new", tmp_path / "old", tmp_path / "plain"
    plain.write_bytes(b"")
    old.write_bytes(b"before")
    old.chmod(0o640)

    for path in (new, old):
        with atomic_write(path) as stream:
            stream.write(b"after")

    def rights(path: Path) -> int:
        return stat.S_IMODE(path.stat().st_mode)

    assert (rights(new), rights(old)) == (rights(plain), 0o640)
    assert (new.read_bytes(), old.read_bytes()) == (b"after", b"after")


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    """If the path is a link, its target is replaced."""
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"before")
    link.symlink_to(target)

    with atomic_write(link) as stream:
        stream.write(b"after")

    assert (link.is_symlink(), target.read_bytes()) == (True, b"after")


def test_a_read_only_folder_is_reported(tmp_path: Path) -> None:
    """If nobody may write, not even root, the message has the reason and a remedy."""
    folder = tmp_path if os.name != "posix" or os.geteuid() else Path("/sys")
    tmp_path.chmod(0o500)
    if not os.path.ismount(folder) and os.access(folder, os.W_OK):  # a plain /sys: a bare root
        pytest.skip("this system lets everybody write")

    with pytest.raises(UnwritableFile) as caught, atomic_write(folder / "saved") as stream:
        stream.write(b"x")

    assert str(caught.value) in {
        f"{folder / 'saved'} cannot be written: {reason}. Choose a folder you can write to."
        for reason in ("Permission denied", "Operation not permitted", "Read-only file system")
    }
