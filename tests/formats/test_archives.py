"""Profiles in archives, and text in UTF-16: found, opened by name, and never unpacked to disk."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import random
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import qcachegrind_py as q
from qcachegrind_py.formats import archives
from qcachegrind_py.formats.run_files import find_archived_profiles
from qcachegrind_py.profile.errors import IsAnArchive, UnreadableFile
from qcachegrind_py.profile.files import fingerprint
from qcachegrind_py.profile.progress import NoProgress
from tests import zstd
from tests.reports import Reports

FILES = {
    "notes.txt": b"no profile",
    "./callgrind.out.1": b"creator: x\ncmd: ./a b\nevents: Ir\nfn=f\n1 1\ntotals: 1\n",
    "runs/second.gz": gzip.compress(b"events: Ir\nfn=f\n1 20\ntotals: 20\n"),
    "third.txt": "events: Ir\nfn=f\n1 300\ntotals: 300\n".encode("utf-16"),
}
COSTS = {"callgrind.out.1": 1, "runs/second.gz": 20, "third.txt": 300}
Files = dict[str, bytes]


def write_zip(path: Path, files: Files, packing: int = zipfile.ZIP_DEFLATED) -> None:
    with zipfile.ZipFile(path, "w", packing) as archive:
        archive.mkdir("folder")
        for name, content in files.items():
            archive.writestr(name, content)


def tar_bytes(files: Files, form: int = tarfile.PAX_FORMAT) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=form) as archive:
        for number, (name, content) in enumerate(files.items()):
            header = tarfile.TarInfo(name)
            header.size, header.mtime = len(content), 1000 - number
            archive.addfile(header, io.BytesIO(content))
        link = tarfile.TarInfo("link")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return packed.getvalue()


def packed_tar(pack: Callable[[bytes], bytes], form: int = tarfile.PAX_FORMAT) -> object:
    return lambda path, files: path.write_bytes(pack(tar_bytes(files, form)))


WRITERS = {
    "zip": write_zip,
    "stored zip": lambda path, files: write_zip(path, files, zipfile.ZIP_STORED),
    "bzip2 zip": lambda path, files: write_zip(path, files, zipfile.ZIP_BZIP2),
    "tar": packed_tar(bytes),
    "tar of GNU": packed_tar(bytes, tarfile.GNU_FORMAT),
    "tar.gz": packed_tar(gzip.compress),
    "tar.bz2": packed_tar(bz2.compress),
    "tar.xz": packed_tar(lzma.compress),
    "tar.zst": packed_tar(zstd.compress),
}


def found_in(archive: Path) -> list[str]:
    """The names of the profiles found in an archive, which has no problem."""
    found, problem = find_archived_profiles(NoProgress(), archive)
    assert problem is None
    return [str(profile.path).removeprefix(f"{archive}!") for profile in found]


def total(path: Path | str) -> int:
    return int(np.sum(q.load(path).costs.values))


@pytest.mark.parametrize("kind", WRITERS)
def test_profiles_in_an_archive(kind: str, tmp_path: Path) -> None:
    """They are found by content, whatever the archive is called, and opened by their names."""
    archive = tmp_path / "runs.of!today"
    WRITERS[kind](archive, FILES)  # type: ignore[operator]  # of the table
    before = set(tmp_path.iterdir())

    assert set(found_in(archive)) == set(COSTS)
    assert {name: total(f"{archive}!{name}") for name in COSTS} == COSTS
    assert total(f"{archive}!.//callgrind.out.1") == 1
    found, _ = find_archived_profiles(NoProgress(), archive)
    assert [each.command for each in found if each.path.name.endswith("out.1")] == ["./a b"]
    assert set(tmp_path.iterdir()) == before


@pytest.mark.parametrize("kind", WRITERS)
def test_an_archive_is_no_profile(kind: str, tmp_path: Path) -> None:
    """A profile within its first bytes is not read as if it were the whole."""
    archive = tmp_path / "a"
    WRITERS[kind](archive, FILES)  # type: ignore[operator]  # of the table
    sort = "zip" if "zip" in kind.split() else "tar"
    with pytest.raises(IsAnArchive) as caught:
        q.load(archive)
    assert str(caught.value) == f"{archive} is a {sort} archive. Choose a profile in it."


def test_a_file_called_like_a_member_comes_first(tmp_path: Path) -> None:
    """A file that is really called `a.zip!b` is that file."""
    write_zip(tmp_path / "a.zip", {"b": b"events: Ir\nfn=f\n1 1\n"})
    assert total(tmp_path / "a.zip!b") == 1
    (tmp_path / "a.zip!b").write_text("events: Ir\nfn=f\n1 7\n")
    assert total(tmp_path / "a.zip!b") == 7


def test_names_lead_nowhere(tmp_path: Path) -> None:
    """A member with the name of a file elsewhere is read from the archive, or not found."""
    (tmp_path / "outside").write_text("events: Ir\nfn=f\n1 1\n")
    archive = tmp_path / "a.tar"
    files = {"../outside": b"events: Ir\nfn=f\n1 2\n", "/outside": b"events: Ir\nfn=f\n1 3\n"}
    archive.write_bytes(tar_bytes(files))
    assert set(found_in(archive)) == {"../outside", "outside"}
    assert (total(f"{archive}!../outside"), total(f"{archive}!outside")) == (2, 3)
    with pytest.raises(UnreadableFile, match=r"a/../../outside is not in the archive\.$"):
        q.load(f"{archive}!a/../../outside")


def test_names_that_cannot_be_found(tmp_path: Path) -> None:
    """The reason says whether the archive or the member is missing."""
    write_zip(tmp_path / "a.zip", {"b": b"x", "c.zip": b"PK\3\4"})
    (tmp_path / "plain").write_text("events: Ir\n")
    reasons = {
        "a.zip!x": "is not in the archive.",
        "a.zip!c.zip": "is an archive in an archive. Unpack the outer one.",
        "a.zip!": "cannot be read: No such file or directory. Check whether it was moved or "
        "misspelled.",
        "plain!x": f"was not found: {tmp_path / 'plain'} is a damaged archive, or not one: "
        "truncated header.",
    }
    for name, reason in reasons.items():
        with pytest.raises(q.ProfileError) as caught:
            q.load(tmp_path / name)
        assert str(caught.value) == f"{tmp_path / name} {reason}"


def test_a_changed_archive_is_noticed(tmp_path: Path) -> None:
    """A member has the fingerprint of its archive."""
    archive = tmp_path / "a.zip"
    write_zip(archive, {"b": b"events: Ir\n"})
    before = fingerprint(Path(f"{archive}!b"))
    assert before == fingerprint(archive)
    os.utime(archive, (1, 1))
    assert fingerprint(Path(f"{archive}!b")) != before


# -------------------------------------------------------------------- damage and limits


@pytest.mark.parametrize("kind", ["tar", "tar.gz"])
def test_a_cut_archive(kind: str, tmp_path: Path) -> None:
    """What is there is found, and what is missing is said."""
    filling = random.Random(1).randbytes(200_000)
    whole = tar_bytes({**FILES, "filling": filling, "last": FILES["./callgrind.out.1"]})
    content = gzip.compress(whole) if kind == "tar.gz" else whole
    archive = tmp_path / "a"
    archive.write_bytes(content[: len(content) // 2])
    found, problem = find_archived_profiles(NoProgress(), archive)
    assert {str(each.path).partition("!")[2] for each in found} == set(COSTS)
    assert str(problem).startswith(f"{archive} is a damaged archive, or not one: ")


def test_a_damaged_member(tmp_path: Path) -> None:
    """A profile in damaged data opens as far as it goes, with a diagnostic."""
    lines = "".join(f"{random.Random(n).randrange(10**9)} 1\n" for n in range(20_000))
    archive = tmp_path / "a.zip"
    write_zip(archive, {"b": f"events: Ir\nfn=f\n{lines}".encode()})
    content = bytearray(archive.read_bytes())
    content[len(content) // 2 : len(content) // 2 + 100] = bytes(100)
    archive.write_bytes(content)
    profile = q.load(f"{archive}!b")
    assert 0 < len(profile.costs) < 20_000
    assert profile.diagnostic_count > 0


def test_a_file_with_a_password(tmp_path: Path) -> None:
    """The others are found, and the reason is said."""
    archive = tmp_path / "a.zip"
    write_zip(archive, {"a": b"events: Ir\n", "b": b"events: Ir\n"})
    content = bytearray(archive.read_bytes())
    for start in (content.rindex(b"PK\1\2") + 8, content.rindex(b"PK\3\4") + 6):
        content[start] |= 1
    archive.write_bytes(content)
    found, problem = find_archived_profiles(NoProgress(), archive)
    assert [each.path.name for each in found] == ["a.zip!a"]
    assert "has a file that cannot be unpacked" in str(problem)
    assert "password" in str(problem)


def test_a_zip_archive_packed_in_a_rare_way(tmp_path: Path) -> None:
    """A few bytes of a file may ask for gigabytes of memory, which nothing limits."""
    write_zip(tmp_path / "a.zip", FILES, zipfile.ZIP_LZMA)
    found, problem = find_archived_profiles(NoProgress(), tmp_path / "a.zip")
    assert found == []
    assert str(problem).endswith(
        "has a file that cannot be unpacked: its compression is a rare one."
    )


def test_no_more_files_are_looked_into_than_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An archive of a million files is no choice for a person."""
    monkeypatch.setattr(archives, "_MAX_MEMBERS", 2)
    for kind in ("zip", "tar"):
        WRITERS[kind](tmp_path / kind, dict.fromkeys("abcd", b"events: Ir\n"))  # type: ignore[operator]  # of the table
        found, problem = find_archived_profiles(NoProgress(), tmp_path / kind)
        assert len(found) <= 2
        assert "has more than" in str(problem)


def test_a_tar_archive_is_searched_up_to_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A packed archive may unpack to any size; the profile itself is limited by its reader."""
    monkeypatch.setattr(archives, "_MAX_UNPACKED", 1 << 20)
    large = b"events: Ir\nfn=f\n" + b"1 1\n" * 500_000
    first = gzip.compress(tar_bytes({"a": large, "b": b"events: Ir\n"}))
    (tmp_path / "a.tgz").write_bytes(first)
    found, problem = find_archived_profiles(NoProgress(), tmp_path / "a.tgz")
    assert [each.path.name for each in found] == ["a.tgz!a"]
    assert str(problem).endswith("was searched for files in its first 1 MiB only.")
    assert total(tmp_path / "a.tgz!a") == 500_000


def test_headers_that_would_take_much_memory(tmp_path: Path) -> None:
    """A name of a gigabyte, and a list of files of 100 MB, are refused before they are read."""
    name = tarfile.TarInfo("././@LongLink")
    name.type, name.size = tarfile.GNUTYPE_LONGNAME, 1 << 30
    (tmp_path / "a.tar").write_bytes(name.tobuf() + bytes(1 << 16))
    _, problem = find_archived_profiles(NoProgress(), tmp_path / "a.tar")
    assert "a header that is too long" in str(problem)

    write_zip(tmp_path / "a.zip", {"a": b"x"})
    content = bytearray((tmp_path / "a.zip").read_bytes())
    content[-22 + 12 : -22 + 16] = (100 << 20).to_bytes(4, "little")
    (tmp_path / "a.zip").write_bytes(content)
    _, problem = find_archived_profiles(NoProgress(), tmp_path / "a.zip")
    assert str(problem).endswith("is a zip archive with too many files.")


@pytest.mark.parametrize("kind", WRITERS)
def test_the_search_can_be_cancelled(kind: str, tmp_path: Path) -> None:
    """Unpacking takes long."""
    WRITERS[kind](tmp_path / "a", FILES)  # type: ignore[operator]  # of the table
    with pytest.raises(q.Cancelled):
        find_archived_profiles(Reports(stop_at=1), tmp_path / "a")


# -------------------------------------------------------------------- UTF-16


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstd.compress])
def test_text_in_utf_16(encoding: str, pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    """PowerShell writes it where a program's output is redirected; letters of any size survive."""
    name = "\N{LATIN SMALL LETTER A WITH DIAERESIS}\N{SMILING FACE WITH SMILING EYES}"
    text = f"\N{ZERO WIDTH NO-BREAK SPACE}events: Ir\r\nfn={name}\r\n" + "1 1\r\n" * 50_000
    path = tmp_path / "p"
    path.write_bytes(pack(text.encode(encoding)))
    profile = q.load(path)
    assert (int(np.sum(profile.costs.values)), profile.diagnostic_count) == (50_000, 0)
    assert name in profile.texts.lookup(profile.functions.name)


def test_a_cut_letter_ends_the_text(tmp_path: Path) -> None:
    """Half a letter is an odd line, as in any cut file."""
    path = tmp_path / "p"
    path.write_bytes("events: Ir\nfn=f\n1 7\n".encode("utf-16") + b"1")
    profile = q.load(path)
    assert int(np.sum(profile.costs.values)) == 7
    assert profile.diagnostic_count > 0
