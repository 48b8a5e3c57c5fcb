"""Reading source files: lines as compilers count them, and named errors for other files."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import threading
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qcachegrind_py.profile.errors import (
    Cancelled,
    FileTooLarge,
    ProfileError,
    UnreadableFile,
    UnsuitableFile,
)
from qcachegrind_py.tools.sources import text_file
from qcachegrind_py.tools.sources.text_file import read_source


def read(tmp_path: Path, data: bytes) -> tuple[tuple[str, ...], str]:
    """Lines and encoding of a file with these bytes."""
    path = tmp_path / "a.c"
    path.write_bytes(data)
    source = read_source(path)
    assert source.path == path
    return source.lines, source.encoding


def refusal(kind: type[ProfileError], path: Path, limit: int | None = 1000) -> str:
    with pytest.raises(kind) as caught:
        read_source(path, limit=limit)
    return str(caught.value).removeprefix(f"{path} ")


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", ()),
        (b"\n", ("",)),
        (b"a", ("a",)),
        (b"a\nb\n", ("a", "b")),
        (b"a\n\nb", ("a", "", "b")),
        (b"a\r\nb\r\n", ("a", "b")),
        (b"a\rb\r\rc", ("a", "b", "", "c")),
        (b"a\n\rb\r\r\nc\r", ("a", "", "b", "", "c")),
        (b"a\fb\vc\x1cd\x85e\n", ("a\fb\vc\x1cd…e",)),
        ("a\u2028b\u2029c\u0085d\n".encode(), ("a\u2028b\u2029c\u0085d",)),
    ],
)
@pytest.mark.parametrize("piece", [1, 2, 3, 1 << 18])
def test_lines(
    tmp_path: Path,
    data: bytes,
    lines: tuple[str, ...],
    piece: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Only line feeds and returns end a line, at any chunk boundary; the last needs no end."""
    monkeypatch.setattr(text_file, "_CHUNK_SIZE", piece)
    assert read(tmp_path, data)[0] == lines


@pytest.mark.parametrize(
    ("data", "line", "encoding"),
    [
        ("int grün; // 😀".encode(), "int grün; // 😀", "utf-8"),
        ("int grün;".encode("utf-8-sig"), "int grün;", "utf-8-sig"),
        ("int grün; // 😀".encode("utf-16"), "int grün; // 😀", "utf-16"),
        (b"\xfe\xff" + "grün".encode("utf-16-be"), "grün", "utf-16"),
        ("int grün; // 😀".encode("utf-32"), "int grün; // 😀", "utf-32"),
        (b"\0\0\xfe\xff" + "grün".encode("utf-32-be"), "grün", "utf-32"),
        (b"\xff\xfea\0\x00\xd8b\0c", "a\ufffdb\ufffd", "utf-16"),
        (b"int gr\xfcn; // \x80", "int grün; // €", "cp1252"),
        (b"int gr\xfcn; // \x81", "int grün; // \x81", "latin-1"),
        # the file's own declaration
        (b"# coding: latin-1 \x80", "# coding: latin-1 \x80", "iso8859-1"),
        (b"# -*- coding: iso-8859-15 -*- \xa4", "# -*- coding: iso-8859-15 -*- €", "iso8859-15"),
        (b"# -*- coding: latin-1-unix -*- \x80", None, "iso8859-1"),
        (b"/* vim: set fileencoding=cp1251 : */ \xc0", None, "cp1251"),
        (b"#!/usr/bin/python\r\n# coding=koi8-r \xc1", None, "koi8-r"),
        (b"\n\n# coding: koi8-r \xc1", None, "cp1252"),
        ("# coding: shift_jis \u30a2".encode("shift_jis"), "# coding: shift_jis \u30a2", None),
        (b"# coding: gb2312 \xff", "# coding: gb2312 ÿ", "cp1252"),
        ("# coding: latin-1 ü".encode(), "# coding: latin-1 ü", "utf-8"),
        # and encodings that are not text, or never end
        *(
            (f"# coding: {name} \xfc".encode("latin-1"), f"# coding: {name} ü", "cp1252")
            for name in ("punycode", "idna", "zip", "hex", "rot13", "unicode_escape", "utf-7")
        ),
        *(
            (f"# coding: {name} \xfc".encode("latin-1"), f"# coding: {name} ü", "cp1252")
            for name in ("undefined", "utf-16", "nosuch", "..", "x" * 900, "__init__", "aliases")
        ),
    ],
)
def test_encodings(tmp_path: Path, data: bytes, line: str | None, encoding: str | None) -> None:
    """A byte order mark decides, then UTF-8, then a declaration, else Western."""
    lines, used = read(tmp_path, data)

    assert encoding in (used, None)
    assert line in (lines[0], None)


@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: ("coding:" + text).encode()))
def test_any_bytes(data: bytes) -> None:
    """Every file is a text or a named error, and no line contains a line end."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "a.c")
        path.write_bytes(data)
        try:
            lines = read_source(path).lines
        except UnsuitableFile:
            return

    assert not re.search(r"[\r\n\0]", "".join(lines))
    ends = len(re.findall(rb"\r\n|\r|\n", data))
    if not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        assert len(lines) == ends + (bool(data) and data[-1:] not in b"\r\n")


def test_modification_time(tmp_path: Path) -> None:
    """The time is the file's modification time, to compare with the profile's."""
    (tmp_path / "a.c").write_text("a")
    os.utime(tmp_path / "a.c", (0, 1_700_000_000.5))
    assert read_source(tmp_path / "a.c").modified == 1_700_000_000.5


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such files")
def test_irregular_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders, pipes, sockets and devices are named without blocking on them."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    monkeypatch.chdir(tmp_path)  # a socket's path must be short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")

    names = (".", "pipe", "link", "socket", "/dev/zero", "/dev/null")
    assert [refusal(UnsuitableFile, Path(tmp_path, name)) for name in names] == [
        f"is {kind}, not a text file. Choose the file itself."
        for kind in ("a folder", "a named pipe", "a named pipe", "a socket", *["a device"] * 2)
    ]


def test_unreadable_files(tmp_path: Path) -> None:
    """The error has the system's reason."""
    (tmp_path / "file").write_text("a")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")

    assert refusal(UnreadableFile, tmp_path / "nosuch") == (
        "cannot be read: No such file or directory. Check whether it was moved."
    )
    assert refusal(UnreadableFile, tmp_path / "file/x") == "cannot be read: Not a directory."
    for name in ("loop", "a\0b", "\ud800", "x" * 5000):
        assert refusal(UnreadableFile, tmp_path / name).startswith("cannot be read: ")


_ROOT = Path(__file__).parents[3]
_READ_AS_NOBODY = """
import os, sys
from pathlib import Path
from qcachegrind_py.tools.sources.text_file import read_source
from qcachegrind_py.profile.errors import UnreadableFile
if os.geteuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
try:
    read_source(Path(sys.argv[1]))
except UnreadableFile as error:
    print(error)
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has other rights")
def test_files_of_other_users() -> None:
    """Without permission, the error advises to ask the owner of the file."""
    with TemporaryDirectory() as folder:  # pytest's own folders are closed to others
        Path(folder).chmod(0o755)
        path = Path(folder, "a.c")
        path.write_text("a")
        path.chmod(0)
        command = [sys.executable, "-c", _READ_AS_NOBODY, str(path)]
        ran = subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=False)

    reason = "cannot be read: Permission denied. Ask its owner for read permission.\n"
    assert (ran.stdout, ran.stderr) == (f"{path} {reason}", "")


def test_large_files(tmp_path: Path) -> None:
    """A file over the limit is read only if allowed."""
    path = tmp_path / "a.c"
    path.write_bytes(b"x" * 1000)
    assert read_source(path, limit=1000).lines == ("x" * 1000,)

    with path.open("r+b") as file:
        file.truncate(1_000_000_000)
    reason = "has 1,000 MB, more than the limit of 50 MB."
    assert refusal(FileTooLarge, path, text_file.MAX_BYTES) == reason

    path.write_bytes(b"x" * 1001)
    with pytest.raises(FileTooLarge) as caught:
        read_source(path, limit=1000)
    assert (caught.value.size, caught.value.limit) == (1001, 1000)
    assert read_source(path, limit=None).lines == ("x" * 1001,)


def test_many_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of very many short lines is rejected before it fills the memory."""
    monkeypatch.setattr(text_file, "MAX_LINES", 3)
    (tmp_path / "a.c").write_bytes(b"\n" * 4)

    for limit in (1000, None):
        reason = refusal(UnsuitableFile, tmp_path / "a.c", limit)
        assert reason == "has more than 3 lines, which no source has."
    (tmp_path / "a.c").write_bytes(b"\n" * 3)
    assert read_source(tmp_path / "a.c", limit=None).lines == ("",) * 3


class _Stop:
    def __init__(self, after: int) -> None:
        self.left = after

    def check(self, fraction: float, text: str = "") -> None:
        assert 0 <= fraction <= 1
        self.left -= 1
        if self.left < 0:
            raise Cancelled


def test_reading_can_be_cancelled(tmp_path: Path) -> None:
    """Bytes, then characters, are processed in chunks, with a check in between."""
    path = tmp_path / "a.c"
    path.write_bytes(b"int a;\n" * 300_000)
    for after in range(0, 18, 4):
        with pytest.raises(Cancelled):
            read_source(path, progress=_Stop(after))
    assert len(read_source(path, progress=_Stop(1000)).lines) == 300_000


def test_a_long_line(tmp_path: Path) -> None:
    """A line of 10 MB is one line."""
    assert read(tmp_path, b"x" * 10_000_000 + b"\ny") == (("x" * 10_000_000, "y"), "utf-8")


@pytest.mark.parametrize(
    "data",
    [b"\x7fELF\0\1", b"int a;\n" * 1000 + b"\0", b"\xff\xfea\0\0\0", b"\xff\xfe\0\0" + b"\0" * 4],
)
def test_binary_files(tmp_path: Path, data: bytes) -> None:
    """Zero bytes mean a binary file, unless a mark announces wide characters."""
    (tmp_path / "a.c").write_bytes(data)
    wanted = "is not text: it contains null bytes. Choose another file."
    assert refusal(UnsuitableFile, tmp_path / "a.c", None) == wanted


def test_a_file_that_changes(tmp_path: Path) -> None:
    """A file that changes while it is read is read as far as possible."""
    path = tmp_path / "a.c"
    path.write_bytes(b"x" * 99 + b"\n")
    stop = threading.Event()

    def change() -> None:
        while not stop.is_set():
            for lines in (100_000, 10):
                path.write_bytes((b"x" * 99 + b"\n") * lines)

    writer = threading.Thread(target=change)
    writer.start()
    try:
        for _ in range(50):
            lines = read_source(path, limit=20_000_000).lines
            assert {"x" * 99, lines[-1] if lines else ""} >= set(lines)
    finally:
        stop.set()
        writer.join()
