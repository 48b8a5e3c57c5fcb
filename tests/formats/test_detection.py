"""Format detection by content; a further format takes one row of the table."""

from __future__ import annotations

import marshal
from pathlib import Path

import pytest

import qcachegrind_py as q
from qcachegrind_py.formats import loading
from qcachegrind_py.formats.compression import ProfileStream
from qcachegrind_py.formats.loading import FORMATS, ProfileFormat, detect_format
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.progress import Progress
from tests.profile_rows import cost_rows, profile_from

PYTHON = marshal.dumps({("a.py", 1, "f"): (1, 1, 0.5, 0.5, {})})


@pytest.mark.parametrize(
    ("head", "name"),
    [
        (b"# callgrind format\n", "Callgrind"),
        (b"\n\ncmd: x\nevents: Ir\n", "Callgrind"),
        (b"\0\n  version: 1\n", "Callgrind"),
        (PYTHON, "Python profile"),
        (marshal.dumps({}), "Python profile"),
        (marshal.dumps({("a.py", 1, "\nevents: Ir\n"): (1, 1, 0.5, 0.5, {})}), "Python profile"),
    ],
)
def test_format_of_a_file(head: bytes, name: str) -> None:
    """Names in a Python profile may look like header lines: its first bytes decide."""
    assert detect_format(Path("x"), head).name == name


@pytest.mark.parametrize("head", [b"", b" \n", b"{}", b"events\n", b"\x7fELF", b"# callgrind\n"])
def test_files_of_no_format(head: bytes) -> None:
    """A file that no format recognises is not a profile."""
    with pytest.raises(q.NotAProfile):
        detect_format(Path("x"), head)


@pytest.mark.parametrize(
    ("head", "reason"),
    [
        (PYTHON[:2], "looks like a Python profile, but is truncated or damaged. Record it again"),
        (PYTHON[:2] + b"\x07" + PYTHON[3:], "looks like a Python profile, but is truncated"),
        (b"{x" + PYTHON[2:] + b"\0", "looks like a Python profile, but is truncated or damaged."),
        (b'{"a": 1}', "is JSON, not a profile."),
        (b"{\n}", "is JSON, not a profile."),
        (b'{\n "format": "qcachegrind_py saved views"', "is a file of saved views, not a profile."),
        (b"{printf}", "is not a profile of a known format."),
        (b"\x01\0", "is binary data, not a profile."),
    ],
)
def test_what_else_a_file_is(head: bytes, reason: str) -> None:
    """A Python profile and JSON begin with the same brace, and differ behind it."""
    with pytest.raises(q.NotAProfile) as caught:
        detect_format(Path("x"), head)
    assert str(caught.value).startswith(f"x {reason}")


class _Letters:
    """Reads files of letters, each with a cost of 1."""

    def __init__(self, progress: Progress) -> None:
        self._profiles: dict[int, Profile] = {}

    def read(
        self, index: int, file: ProfileStream, head: bytes, share: tuple[float, float]
    ) -> None:
        letters = head.decode().split()[1:]
        lines = "".join(f"fn={letter}\n1 1\n" for letter in letters)
        self._profiles[index] = profile_from(f"events: Letters\n{lines}")

    def profiles(self) -> dict[int, Profile]:
        return self._profiles


@pytest.fixture
def _with_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    row = ProfileFormat("Letters", lambda head: head.startswith(b"letters"), _Letters)
    monkeypatch.setattr(loading, "FORMATS", (row, *FORMATS))


@pytest.mark.usefixtures("_with_letters")
def test_a_further_format_is_one_row(tmp_path: Path) -> None:
    """Files of all formats are merged in the given order."""
    contents = (b"events: Ir\nfn=f\n1 5\n", b"letters a b a", PYTHON, b"events: Ir\nfn=a\n1 7\n")
    paths = [tmp_path / str(number) for number in range(len(contents))]
    for path, content in zip(paths, contents, strict=True):
        path.write_bytes(content)
    profile = q.load(*paths)

    assert profile.events.names == ("Ir", "Letters", "ns")
    assert [(row.part, row.function[0], row.costs) for row in cost_rows(profile)] == [
        (0, "f", (5, 0, 0)),
        (1, "a", (0, 1, 0)),
        (1, "b", (0, 1, 0)),
        (1, "a", (0, 1, 0)),
        (2, "f", (0, 0, 500_000_000)),
        (3, "a", (7, 0, 0)),
    ]
