"""Progress reports while reading."""

from __future__ import annotations

import sys
import threading
from itertools import pairwise
from pathlib import Path

import pytest

import qcachegrind_py as q
from qcachegrind_py.formats.callgrind import reader
from tests.reports import Reports

LINES = 20_000


def written(path: Path, header: str, cost: int, middle: str = "") -> Path:
    """Write a file of many cost lines with something in the middle; its halves may differ."""
    half = "".join(f"{n} {cost}\n" for n in range(LINES // 2))
    path.write_text(f"{header}events: Ir\nfn=f\n{half}{middle or half}")
    return path


def reports_of(monkeypatch: pytest.MonkeyPatch, *paths: Path) -> Reports:
    monkeypatch.setattr(reader, "CHUNK_SIZE", 4096)
    reports = Reports()
    q.load(*paths, progress=reports)
    return reports


@pytest.mark.parametrize(
    ("header", "cost"),
    [
        ("", 5),
        (f"summary: {5 * LINES}\n", 5),
        (f"summary: {10 * LINES}\n", 5),
        ("summary: 3\n", 5),
        ("summary: 0\n", 5),
        (f"summary: {2**64 - 5}\n", 5),
        (f"summary: {5 * LINES}\n", -5),
    ],
    ids=["bytes", "summary", "high", "low", "zero", "negative", "falling"],
)
def test_it_never_goes_back(
    header: str, cost: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the summary, progress runs from about 0 to at most 1, and never back."""
    fractions = reports_of(monkeypatch, written(tmp_path / "a", header, cost)).fractions
    assert len(fractions) > 15
    assert all(one <= other for one, other in pairwise(fractions))
    assert 0 <= fractions[0] < 1
    assert fractions[-1] <= 1


FALLING = "".join(f"{n} -5\n" for n in range(LINES // 2))
RISING = "".join(f"{n} 5\n" for n in range(LINES // 2))


@pytest.mark.parametrize(
    ("header", "second_half"),
    [
        (f"summary: {5 * LINES}\n", FALLING),
        ("", f"summary: {10**12}\n{RISING}"),
        ("", f"events: Ir\nsummary: {10**12}\n{RISING}"),
    ],
    ids=["cost is given back", "a late summary", "a late part"],
)
def test_it_never_goes_back_in_the_middle(
    header: str, second_half: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If new data would lower it, progress stays the same."""
    path = written(tmp_path / "a", header, 5, second_half)
    fractions = reports_of(monkeypatch, path).fractions
    assert all(one <= other for one, other in pairwise(fractions))
    assert fractions[-1] >= 0.2


def test_recorded_cost_counts_where_there_is_a_summary(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If half of the recorded cost is in the file, progress ends at a half."""
    path = written(tmp_path / "a", f"summary: {10 * LINES}\n", 5)
    assert reports_of(monkeypatch, path).fractions[-1] == pytest.approx(0.5, abs=0.01)


def test_it_is_even_where_the_cost_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cost that is spread evenly over a file makes steps of equal size, up to the end."""
    path = written(tmp_path / "a", f"summary: {5 * LINES}\n", 5)
    fractions = reports_of(monkeypatch, path).fractions
    assert fractions[-1] == 1.0
    assert max(other - one for one, other in pairwise(fractions)) < 0.04  # of some 40 chunks


@pytest.mark.parametrize("parts", [2, 10])
def test_parts_of_one_file_share_its_bytes(
    parts: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first part may run ahead of the bytes; progress still moves until the end of the last."""
    path = tmp_path / "a"
    body = "".join(f"{n} 5\n" for n in range(LINES // parts))
    header = f"events: Ir\nsummary: {5 * (LINES // parts)}\nfn=f\n"
    path.write_text("".join(f"part: {part}\n{header}{body}" for part in range(1, parts + 1)))
    fractions = reports_of(monkeypatch, path).fractions
    assert fractions[-1] == 1.0
    late = [fraction for fraction in fractions if fraction > 2.2 / parts]
    assert max((other - one for one, other in pairwise(late)), default=0) < 0.1
    assert parts == 2 or len(late) > 0.6 * len(fractions)


def open_resources() -> tuple[int, int]:
    """The number of threads and of open files."""
    return threading.active_count(), len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.skipif(sys.platform != "linux", reason="/proc lists the open files")
@pytest.mark.parametrize("limit", [0, 1, 10])
def test_a_cancelled_load_leaves_nothing(
    limit: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither a thread nor an open file."""
    monkeypatch.setattr(reader, "CHUNK_SIZE", 4096)
    path = written(tmp_path / "a", f"summary: {5 * LINES}\n", 5)
    left = open_resources()
    with pytest.raises(q.Cancelled):
        q.load(path, progress=Reports(stop_at=limit + 1))
    assert open_resources() == left


def test_bytes_count_where_there_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a summary progress follows the bytes, evenly up to the end."""
    fractions = reports_of(monkeypatch, written(tmp_path / "a", "", 5)).fractions
    assert fractions[-1] == 1.0
    assert max(other - one for one, other in pairwise(fractions)) < 0.1


def test_files_share_the_progress(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of two files has a half, and the text names the one being read."""
    paths = [written(tmp_path / name, "", 5) for name in ("a", "b")]
    reports = reports_of(monkeypatch, *paths)
    assert reports.texts == {"a", "b"}
    assert any(fraction == pytest.approx(0.5, abs=0.01) for fraction in reports.fractions)
    assert reports.fractions[-1] == 1.0
