"""Paths that users give, also as URLs."""

from __future__ import annotations

from pathlib import Path

import pytest

from qcachegrind_py.profile.files import local_path


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("file:///tmp/a", "/tmp/a"),
        ("file://localhost/tmp/a", "/tmp/a"),
        ("FILE://LOCALHOST/tmp/a", "/tmp/a"),
        ("file:/tmp/a", "/tmp/a"),
        ("file:///x/call%23grind%20%2520%3F.out", "/x/call#grind %20?.out"),
        ("file:///x/%C3%A4%FF", "/x/\N{LATIN SMALL LETTER A WITH DIAERESIS}\udcff"),
        ("file:///x/100%/a#b?c%", "/x/100%/a#b?c%"),
        ("file:///x/a%0Ab\nc", "/x/a\nb\nc"),
        ("file://elsewhere/tmp/a", "file://elsewhere/tmp/a"),
        ("file:tmp/a", "file:tmp/a"),
        ("file:", "file:"),
        ("http://localhost/tmp/a", "http://localhost/tmp/a"),
        ("profile:/tmp/a", "profile:/tmp/a"),
        ("a%20b", "a%20b"),
        ("-", "-"),
    ],
)
def test_a_url_of_a_file_is_its_path(name: str, path: str) -> None:
    """Bytes are decoded as the system decodes names; other computers' files have no path."""
    assert local_path(name) == path


def test_a_file_called_like_a_url_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever has such a file names it so; its folder is called `file:`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file:").mkdir()
    (tmp_path / "file:/a").write_text("")
    assert local_path("file:/a") == "file:/a"
    assert local_path("file:/b") == "/b"
