"""Files of Python's profilers as bytes: every Python version, and truncated or invalid files."""

from __future__ import annotations

import contextlib
import lzma
import marshal
import struct
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import qcachegrind_py as q
from tests.formats.pstats.profiled_programs import record, recursive
from tests.growth import assert_linear
from tests.profile_rows import call_rows, cost_rows, cost_table
from tests.reports import Reports

MAIN, F = ("a.py", 1, "main"), ("b.py", 7, "f")
STATISTICS: dict[Any, Any] = {
    MAIN: (1, 1, 0.25, 1.0, {}),
    F: (2, 2, 0.75, 0.75, {MAIN: (2, 2, 0.75, 0.75)}),
}
TABLE = {
    "main": (250_000_000, 10**9, 1),
    "f": (750_000_000, 750_000_000, 2),
    "(root)": (0, 10**9, 0),
}


def text(value: str, kind: bytes = b"s") -> bytes:
    return kind + struct.pack("<i", len(value)) + value.encode()


def row(*items: bytes) -> bytes:
    return b"(" + struct.pack("<i", len(items)) + b"".join(items)


def number(value: int) -> bytes:
    return b"i" + struct.pack("<i", value)


def seconds(value: float) -> bytes:
    return b"g" + struct.pack("<d", value)


def loaded(path: Path, data: bytes) -> q.Profile:
    path.write_bytes(data)
    return q.load(path)


def refusal(path: Path, data: bytes) -> str:
    with pytest.raises(q.InvalidProfile) as caught:
        loaded(path, data)
    assert caught.value.remedy
    return caught.value.reason


@pytest.mark.parametrize("version", range(marshal.version + 1))
def test_versions_of_the_format(tmp_path: Path, version: int) -> None:
    """Every format that this Python writes: with numbers as texts, with and without references."""
    assert cost_table(loaded(tmp_path / "profile", marshal.dumps(STATISTICS, version))) == TABLE


def test_python_2(tmp_path: Path) -> None:
    """Its texts have reference numbers of their own, and its numbers may have 64 bits."""
    again = row(b"R" + struct.pack("<i", 0), number(1), b"R" + struct.pack("<i", 1))
    called = b"I" + struct.pack("<q", 2), b"l" + struct.pack("<iH", 1, 2)
    times = seconds(0.75), b"f\x040.75"
    data = (
        row(text("a.py", b"t"), number(1), text("main", b"t")),
        row(number(1), number(1), seconds(0.25), b"f\x041e+0", b"{0"),
        row(text("b.py"), number(7), text("f")),
        row(*called, *times, b"{" + again + row(*called, *times) + b"0"),
    )

    assert cost_table(loaded(tmp_path / "profile", b"{" + b"".join(data) + b"0")) == TABLE


def code(before: int, after_name: tuple[bytes, ...], *, new: bool) -> bytes:
    """A code object as a given Python writes it, with unusual constants."""
    odd = row(b"y" + bytes(16), b"x\x011\x012", b".", b">\0\0\0\0", b":NNN", row(*[b"N"] * 99))
    names = [text("code"), odd, row(), row(), text("kinds") if new else row()]
    names += [] if new else [row()]
    names += [text("a.py"), text("<module>"), *after_name]
    return b"c" + struct.pack("<i", 115) * before + b"".join(names)


@pytest.mark.parametrize(
    "code_",
    [
        code(4, (b"\1\0\0\0", text("lines")), new=False),  # Python 2
        code(5, (b"\1\0\0\0", text("lines")), new=False),  # 3.7
        code(6, (b"\1\0\0\0", text("lines")), new=False),  # 3.10
        code(5, (text("<module>"), b"\1\0\0\0", text("lines"), text("errors")), new=True),  # 3.11
        marshal.dumps(compile("x = {1, 2}, 1 << 99, b'', ..., 2j", "a.py", "exec")),
    ],
)
def test_code_in_the_place_of_a_name(tmp_path: Path, code_: bytes) -> None:
    """`python -m profile` writes the code of the program, of which only the name is used."""
    function = row(number(1), number(1), seconds(1.0), seconds(1.0), b"{0")
    data = b"{" + row(text("profile"), number(0), code_) + function + b"0"

    assert cost_table(loaded(tmp_path / "profile", data)) == {
        "<code object <module>>": (10**9, 10**9, 1),
        "(root)": (0, 10**9, 0),
    }


def test_cut_files(tmp_path: Path) -> None:
    """A truncated file is refused at any length: without its end, the sums are wrong."""
    whole = record(tmp_path / "whole", recursive).read_bytes()
    for place in range(10, len(whole), 7):
        assert "is truncated or damaged" in refusal(tmp_path / "profile", whole[:place])


def test_changed_files(tmp_path: Path) -> None:
    """With any byte changed a file has other contents, or is refused with a named error."""
    whole = record(tmp_path / "whole", recursive).read_bytes()
    for place in range(10, len(whole), 7):
        with contextlib.suppress(q.InvalidProfile):
            loaded(tmp_path / "profile", whole[:place] + b"\xff" + whole[place + 1 :])


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"{)\x03", "it ends too early, at byte 3"),
        (b"{)\x03" + b")\1" * 50, "it is nested too deep"),
        (b"{)\x03c" + bytes(16) + b"s\0\0\0\0" + b")\1" * 5000, "it is nested too deep"),
        (b"{)\x03(\xff\xff\xff\x7f", "a length is impossible"),
        (b"{)\x03(\x11\0\0\0" + bytes(99), "a tuple is too long"),
        (b"{)\x03r\0\0\0\0NN", "it refers to nothing"),
        (b"{\xa9\x03r\0\0\0\0NN", "it refers to nothing"),  # to the tuple that it stands in
        (b"{)\x03NNNN0", "a function has no file, line and name"),
        (b"{" + row(b"s\0\0\0\0", number(0), b"s\0\0\0\0") + b"N0", "no calls, times and callers"),
        (b"{)\x03[\0\0\0\0", "'[' stands for no kind of value"),
        (b"{)\x03l\0\1\0\0" + bytes(600), "a number is too large"),
        (b"{)\x03f\x03abc", "a number cannot be understood"),
    ],
)
def test_made_up_files(tmp_path: Path, data: bytes, reason: str) -> None:
    """A file that no profiler writes is refused, whatever memory or depth it claims."""
    assert reason in refusal(tmp_path / "profile", data)


@pytest.mark.parametrize(
    ("numbers", "reason"),
    [
        ((1, -1, 0.0, 0.0, {}), "impossible number of calls"),
        ((1, 2**63, 0.0, 0.0, {}), "impossible number of calls"),
        ((1, 1, float("nan"), 0.0, {}), "a time is impossible"),
        ((1, 1, 1e300, 0.0, {}), "a time is impossible"),
        ((1, 1, 9e9, 9e9, {}), "the numbers are impossible"),
        ((1, 1, 0.0, 0.0, {F: None}), "a caller has no calls and times"),
    ],
)
def test_impossible_numbers(tmp_path: Path, numbers: tuple[Any, ...], reason: str) -> None:
    """Numbers that overflow 64 bits, and values that are not numbers, are refused."""
    assert reason in refusal(tmp_path / "profile", marshal.dumps({MAIN: numbers}))


def test_dictionaries_are_not_shared(tmp_path: Path) -> None:
    """Many functions that share a large table of callers would take more memory than the file."""
    callers = {("a.py", line, "f"): (1, 1, 0.0, 0.0) for line in range(100)}
    statistics = {("b.py", line, "g"): (1, 1, 0.0, 0.0, callers) for line in range(100)}

    assert "it refers to nothing" in refusal(tmp_path / "profile", marshal.dumps(statistics))


def test_a_name_in_many_lines(tmp_path: Path) -> None:
    """A long name shared by many functions is shortened in each of their names."""
    name = "f" * 100_000
    statistics = {("a.py", line, name): (1, 1, 0.0, 0.0, {}) for line in range(100)}
    profile = loaded(tmp_path / "profile", marshal.dumps(statistics))

    assert len(profile.texts.arena) < 100 * 600


@pytest.mark.parametrize("pack", [lzma.compress, bytes])
def test_any_name_and_packing(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    """The contents of a file count, not its name, compressed or not; truncated ones are refused."""
    path = tmp_path / "callgrind.out.1"

    assert cost_table(loaded(path, pack(marshal.dumps(STATISTICS)))) == TABLE
    if pack is lzma.compress:
        with pytest.raises(q.InvalidProfile, match="cannot be decompressed completely"):
            loaded(path, pack(record(tmp_path / "x", recursive).read_bytes() * 99)[:-30])


def test_a_function_named_as_the_root(tmp_path: Path) -> None:
    """The function becomes the root, with its self cost."""
    profile = loaded(
        tmp_path / "profile",
        marshal.dumps({("~", 0, "(root)"): (0, 0, 0.5, 0.5, {}), MAIN: (1, 1, 0.25, 0.25, {})}),
    )

    assert cost_table(profile) == {
        "(root)": (5 * 10**8, 75 * 10**7, 0),
        "main": (25 * 10**7,) * 2 + (1,),
    }


def chain_of(count: int) -> bytes:
    """A file of functions that call one another, one below the other."""
    keys = [("a.py", line, f"f{line}") for line in range(1, count + 1)]
    callers = [{}, *({key: (1, 1, 1e-6, 1e-6)} for key in keys)]
    rows = zip(keys, callers, strict=False)
    return marshal.dumps({key: (1, 1, 1e-6, 1e-6, by) for key, by in rows})


def test_a_long_chain_of_calls_takes_linear_time(tmp_path: Path) -> None:
    """Each function is looked at a few times, however deep it is."""
    path = tmp_path / "chain"
    files = {count: chain_of(count) for count in (1500, 12_000)}

    assert_linear(lambda count: loaded(path, files[count]), 12_000)


def test_building_the_tables_is_reported_and_cancelled(tmp_path: Path) -> None:
    """Reading takes the first part of the progress; each pass over the functions is reported."""
    path = tmp_path / "chain"
    path.write_bytes(chain_of(5000))
    whole = Reports()
    profile = q.load(path, progress=whole)
    in_tables = [fraction for fraction in whole.fractions if fraction > 0.7]
    with pytest.raises(q.Cancelled):
        q.load(path, progress=Reports(stop_at=len(whole.fractions)))

    assert len(profile.functions) == 5001
    assert whole.fractions == sorted(whole.fractions)
    assert len(in_tables) >= 2 * 5000 / 1000
    assert max(later - before for before, later in pairwise(whole.fractions)) < 0.2


def test_an_empty_profile(tmp_path: Path) -> None:
    """An empty profile from the profiler is an empty profile here."""
    profile = loaded(tmp_path / "profile", marshal.dumps({}))

    assert (len(profile.functions), len(profile.calls), profile.events.names) == (0, 0, ("ns",))


def test_json_is_still_json(tmp_path: Path) -> None:
    """A dictionary starts as JSON does."""
    (tmp_path / "x").write_text('{"events": 1}')
    with pytest.raises(q.NotAProfile, match="is JSON, not a profile"):
        q.load(tmp_path / "x")


def test_with_profiles_of_another_format(tmp_path: Path) -> None:
    """Loaded together they are the parts of one profile, in order, with the events of both."""
    functions = "fl=b.py\nfn=f\n7 5 6\nfn=other\n8 1 2\n"
    call = "cfi=a.py\ncfn=main\ncalls=1 1\n9 3 4\n"
    (tmp_path / "1").write_text(f"events: Ir ns\n{functions}{call}")
    (tmp_path / "2").write_bytes(marshal.dumps(STATISTICS))
    profile = q.load(tmp_path / "1", tmp_path / "2", tmp_path / "1")
    f, other, main = (("f", "b.py", ""), ("other", "b.py", ""), ("main", "a.py", ""))

    assert profile.events.names == ("Ir", "ns")
    assert [Path(part.path).name for part in profile.parts] == ["1", "2", "1"]
    assert [
        (0, f, 7, (5, 6)),
        (0, other, 8, (1, 2)),
        (1, main, 1, (0, 250_000_000)),
        (1, f, 7, (0, 750_000_000)),
        (2, f, 7, (5, 6)),
        (2, other, 8, (1, 2)),
    ] == [(c.part, c.function, c.line, c.costs) for c in cost_rows(profile)]
    assert [
        (0, other, main, 9, 1, (3, 4)),
        (1, main, f, 1, 2, (0, 750_000_000)),
        (1, ("(root)", "", ""), main, 0, 1, (0, 10**9)),
        (2, other, main, 9, 1, (3, 4)),
    ] == [(c.part, c.caller, c.callee, c.line, c.call_count, c.costs) for c in call_rows(profile)]
