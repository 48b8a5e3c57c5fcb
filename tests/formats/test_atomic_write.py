"""Files are written whole or not at all."""

from __future__ import annotations

import os
import re
import stat
import time
from pathlib import Path

import pytest

from qcachegrind_py.formats.compression import atomic_write, lock
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


def parts_of(folder: Path) -> list[Path]:
    """The part files in a folder."""
    return sorted(folder.glob(".*.part"))


@pytest.mark.parametrize("name", ["callgrind.out.77", "\N{SNOWMAN}" * 80])
def test_the_part_file_says_what_it_is(tmp_path: Path, name: str) -> None:
    """Whoever finds one after a crash knows the program and the file; long names are cut."""
    with atomic_write(tmp_path / name):
        (part,) = parts_of(tmp_path)

    assert re.fullmatch(rf"\.{name[:50]}\.qcachegrind-py-[0-9a-f]{{8}}\.part", part.name)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_private_file_is_private_from_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even before its mode is set can others open the file that replaces a private one."""
    secret, modes = tmp_path / "secret", []
    secret.write_bytes(b"before")
    secret.chmod(0o640)
    chmod = os.chmod

    def watched(path: int | Path, mode: int) -> None:
        modes.append(stat.S_IMODE(os.stat(path).st_mode))  # noqa: PTH116 (a descriptor)
        chmod(path, mode)

    monkeypatch.setattr(os, "chmod", watched)
    monkeypatch.setattr(os, "supports_fd", {*os.supports_fd, watched})
    mask = os.umask(0)
    try:
        with atomic_write(secret):
            modes.append(stat.S_IMODE(parts_of(tmp_path)[0].stat().st_mode))
    finally:
        os.umask(mask)

    assert modes == [0o600, 0o640]


def test_a_planted_link_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even who guesses the name of the part file cannot redirect what is written."""
    target, victim = tmp_path / "saved", tmp_path / "victim"
    target.write_bytes(b"before")
    victim.write_bytes(b"precious")
    monkeypatch.setattr(os, "urandom", bytes)
    planted = tmp_path / ".saved.qcachegrind-py-00000000.part"
    planted.symlink_to(victim)

    with pytest.raises(UnwritableFile, match="File exists"), atomic_write(target) as stream:
        stream.write(b"after")

    assert (target.read_bytes(), victim.read_bytes()) == (b"before", b"precious")
    assert planted.is_symlink()


def test_what_killed_programs_left_is_removed(tmp_path: Path) -> None:
    """The next one that writes into the folder removes it after a day, but nothing else."""
    digits, two_days = "0123abcd", 2 * 24 * 3600
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    old = [f".{name}.qcachegrind-py-{digits}.part" for name in ("saved", "a\nb", "other")]
    kept = [
        f".saved.qcachegrind-py-{digits}0.part",  # longer than ours
        f"saved.qcachegrind-py-{digits}.part",  # not hidden
        f".saved.{digits}.part",
        ".saved.qcachegrind-py-locked00.part",
        f".young.qcachegrind-py-{digits}.part",
        f".locked.qcachegrind-py-{digits}.part",
    ]
    for name in (*old, *kept):
        (tmp_path / name).write_bytes(b"half")
        if "young" not in name:
            os.utime(tmp_path / name, (time.time() - two_days,) * 2)
    link = tmp_path / f".link.qcachegrind-py-{digits}.part"
    link.symlink_to(victim)
    os.utime(link, (0, 0), follow_symlinks=False)

    with (tmp_path / kept[-1]).open("rb") as other_process:
        lock(other_process.fileno())
        with atomic_write(tmp_path / "saved"):
            pass

    assert victim.read_bytes() == b"precious"
    left = {path.name for path in tmp_path.iterdir()} - {"saved", "victim"}
    assert left == {*kept, link.name}


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="needs another user")
def test_what_others_left_stays(tmp_path: Path) -> None:
    """A file of another user is not ours to remove, also where we may."""
    part = tmp_path / ".saved.qcachegrind-py-0123abcd.part"
    part.write_bytes(b"half")
    os.chown(part, 12345, 12345)
    os.utime(part, (0, 0))

    with atomic_write(tmp_path / "saved"):
        pass

    assert part.exists()
