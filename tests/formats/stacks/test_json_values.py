from pathlib import Path

import pytest

from qcachegrind_py.formats.compression import open_profile
from qcachegrind_py.formats.stacks.builder import StackBuilder
from qcachegrind_py.formats.stacks.json_values import (
    index,
    integer,
    items,
    member,
    number,
    read_json,
    text,
)
from qcachegrind_py.formats.stacks.source import StackSource
from qcachegrind_py.profile.errors import InvalidProfile
from qcachegrind_py.profile.progress import NoProgress

DOCUMENT = """{
  "name": "caf\u00e9 [{,\\"", "nothing": {},
  "frames": [{"name": "main", "line": 12}, {"name": "a, b", "line": -1.5}],
  "samples": [[0, 1], [], [0, 11, 2]], "weights": [10, 20, 30],
  "threads": [{"id": 1, "own": [true, null]}, {"id": 2, "own": ["x"]}]
}
"""


def read(data: bytes, folder: Path) -> tuple[object, list[str]]:
    path = folder / "profile.json"
    path.write_bytes(data)
    file = open_profile(path)
    try:
        builder = StackBuilder(str(path), "test")
        value = read_json(StackSource(file, b"", builder, NoProgress(), (0, 1)), builder)
    finally:
        file.close()
    return value, [f"{each.line}: {each.message}" for each in builder.log.kept]


@pytest.mark.parametrize(
    ("cut", "kept"),
    [
        ('{"a": [1, 2', {"a": [1]}),
        ('{"a": [1, 2, ', {"a": [1, 2]}),
        ('{"a": {"b": 1, "c": 2, "d', {"a": {"b": 1, "c": 2}}),
        ('{"a": {"b": 1, "c":', {"a": {"b": 1}}),
        ('{"a": {"b": "x, [', {"a": {}}),
        ("[[1, 2], [3, 4", [[1, 2]]),  # half a sample would be another one
        ("[[1, 2], [3, 4]", [[1, 2], [3, 4]]),
        ('[{"id": 1, "of": {"b": 2', [{"id": 1, "of": {}}]),
        ('[{"id": 1, "of": [{"b": 2', [{"id": 1, "of": []}]),
        ("[[1], oops, [2]]", [[1]]),
        ('["a" "b"]', []),
        ('{"a": 1} and more', {"a": 1}),
        ('["\\ud83d\\', []),
        ("[1, \x00", [1]),
    ],
)
def test_of_cut_json_what_is_complete_is_kept(cut: str, kept: object, tmp_path: Path) -> None:
    value, said = read(cut.encode(), tmp_path)
    assert value == kept
    assert len(said) == 1


def test_the_place_where_json_is_cut_is_said(tmp_path: Path) -> None:
    _, said = read(b'{"a": 1,\n "b": [1, oops, 2]}', tmp_path)
    assert said == ["2: The JSON is cut or wrong at character 11; read up to here."]


def is_part(value: object, whole: object) -> bool:
    """Return whether a value is another one without what is behind some place in it."""
    if isinstance(value, list) and isinstance(whole, list):
        return all(map(is_part, value, whole)) and value[:-1] == whole[: len(value)][:-1]
    if isinstance(value, dict) and isinstance(whole, dict):
        return all(is_part(value[key], whole[key]) for key in value)
    return value == whole


def test_json_cut_anywhere_is_a_part_of_the_whole(tmp_path: Path) -> None:
    data = DOCUMENT.encode()
    whole, said = read(data, tmp_path)
    assert not said
    last: object = {}
    for end in range(2, len(data) - 2):
        value, said = read(data[:end], tmp_path)
        assert is_part(value, whole), data[:end]
        assert is_part(last, value), data[:end]
        assert len(said) == 1
        last = value
    assert last == whole


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "cannot be read"),
        (b"nonsense", "cannot be read"),
        (b"[" * 10**6, "is JSON that is nested too deeply."),
        (b"[" + b"9" * 10**4 + b"]", "cannot be read"),
    ],
)
def test_what_is_no_json_is_refused(data: bytes, reason: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidProfile, match=reason):
        read(data, tmp_path)


def test_values_of_wrong_types_are_nothing() -> None:
    wrong = (None, True, 1.5, "x", [1], {"a": 1}, float("nan"), float("inf"))
    assert [items(each, "a") for each in (*wrong, {"a": [2]})] == [[]] * 8 + [[2]]
    assert [member(each, "a") for each in (*wrong, {"a": {"b": 2}})] == [{}] * 8 + [{"b": 2}]
    assert [text(each) for each in wrong] == ["", "", "", "x", "", "", "", ""]
    assert [integer(each) for each in (*wrong, 2**70, 7)] == [0, 0, 2, 0, 0, 0, 0, 0, 2**70, 7]
    assert [number(each) for each in (*wrong, 10**400, 7)] == [0, 0, 1.5, *[0] * 6, 7]
    assert [index(each, 2) for each in (*wrong, -1, 2, 0, 1)] == [None] * 10 + [0, 1]


def test_texts_are_such_as_the_builder_takes(tmp_path: Path) -> None:
    """Half of a pair of code units has no bytes; bytes that are no UTF-8 stay themselves."""
    value, _ = read(b'["\\ud83d", "caf\xe9", "\xef\xbb\xbf"]', tmp_path)
    assert isinstance(value, list)
    assert [text(each).encode("utf-8", "surrogateescape") for each in value] == [
        b"?",
        b"caf\xe9",
        b"\xef\xbb\xbf",
    ]
