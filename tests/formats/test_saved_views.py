"""Files of saved views: what is written is read, and what is malformed is refused in a sentence."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from qcachegrind_py.analysis.names.function_names import Grouping
from qcachegrind_py.formats.saved_views import (
    SavedFunction,
    SavedLayout,
    SavedParts,
    SavedView,
    TabGroup,
    is_view_file,
    read_views,
    with_imported,
    with_view,
    write_views,
)
from qcachegrind_py.profile.errors import NotASavedView, UnreadableFile, UnsuitableFile

FULL = SavedView(
    "parse · Ir",
    "Two thirds are in the tokenizer.\nSee line 12.",
    SavedFunction("parse(char const*)", "/src/\udcff.c", "/bin/demo", is_cycle=True),
    "Ir",
    "Dr",
    'self>1% fold:libc "two words"',
    True,
    Grouping.OBJECT,
    "absolute",
    False,
    SavedParts((0, 2), 3),
    SavedLayout((TabGroup(("source", "assembler"), "assembler", 0, 10, 500, 990),), ("parts",)),
)
HEAD: dict[str, Any] = {"format": "qcachegrind_py saved views", "version": 1}


def written(folder: Path, content: object) -> Path:
    path = folder / "views.json"
    text = content if isinstance(content, str) else json.dumps(content)
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    return path


def of_views(*views: object) -> dict[str, Any]:
    return HEAD | {"views": list(views)}


def test_what_is_written_is_read(tmp_path: Path) -> None:
    """Names that are not UTF-8 included: they are exact, as everywhere inside the program."""
    views = (FULL, SavedView("only a name"))
    write_views(tmp_path / "views.json", views, "demo")
    assert read_views(tmp_path / "views.json") == views


def test_file_that_a_person_writes(tmp_path: Path) -> None:
    """A name is enough; keys of later versions are ignored, and so is an unknown grouping."""
    view = {"name": " hot ", "filter": "lib:c", "grouping": "planet", "mood": [1], "note": None}
    path = written(tmp_path, "\ufeff" + json.dumps(of_views(view) | {"extra": {}}))
    assert read_views(path) == (SavedView("hot", filter="lib:c"),)


def test_file_is_recognised_by_its_content(tmp_path: Path) -> None:
    write_views(tmp_path / "no_ending", [FULL])
    assert is_view_file(tmp_path / "no_ending")
    assert not is_view_file(written(tmp_path, {"format": "speedscope"}))
    assert not is_view_file(written(tmp_path, "events: Ir\n# qcachegrind_py saved views"))
    assert not is_view_file(tmp_path)
    assert not is_view_file(tmp_path / "missing")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "cannot be read as saved views: its text is not valid JSON."),
        ("[" * 100_000, "cannot be read as saved views: its text is not valid JSON."),
        ("9" * 10_000, "cannot be read as saved views: its text is not valid JSON."),
        ("[]", "is not a file of saved views."),
        ({"format": "other"}, "is not a file of saved views."),
        (HEAD | {"version": True}, "version must be a whole number from 1 to 1000000."),
        (HEAD | {"views": {}}, "has a wrong value: views must be a list."),
        (of_views(), "has no saved views."),
        (of_views(*[{"name": "x"}] * 101), "has 101 saved views, more than 100."),
        (of_views({"name": "x"}, 7), "has a wrong value: view 2 must be an object."),
        (of_views({"name": "  "}), "has a view without a name (view 1)."),
        (of_views({"name": 1}), "has a wrong value: view 1, name must be a text."),
        (
            of_views({"name": "x" * 201}),
            "has too long a text: view 1, name may have 200 characters.",
        ),
        (
            of_views({"name": "x", "cycles": 1}),
            "has a wrong value: view 1, cycles must be true or false.",
        ),
        (
            of_views({"name": "x", "function": {"file": []}}),
            "has a wrong value: view 1, function, file must be a text.",
        ),
        (
            of_views({"name": "x", "parts": {"count": 2, "active": [2]}}),
            "has a wrong value: view 1, parts, active must be a whole number from 0 to 1.",
        ),
        (
            of_views({"name": "x", "layout": {"groups": [{"docks": [1]}]}}),
            "has a wrong value: view 1, layout, groups, docks must be texts.",
        ),
        (
            of_views({"name": "x", "layout": {"groups": [{"docks": ["a"], "place": [0, 0, 1]}]}}),
            "has a group of docks without docks or a place (view 1, layout, groups).",
        ),
        (
            of_views({"name": "x", "layout": {"floating": ["a"] * 101}}),
            "has too many values: view 1, layout, floating may have 100.",
        ),
    ],
)
def test_malformed_file_is_refused(tmp_path: Path, content: object, reason: str) -> None:
    """The sentence begins with the path and says what is wrong and where."""
    path = written(tmp_path, content)
    with pytest.raises(NotASavedView) as caught:
        read_views(path)
    assert str(caught.value).startswith(f"{path} ")
    assert reason in str(caught.value)
    assert str(caught.value).endswith("Choose a file that “Export Saved Views” has written.")


def test_newer_file_asks_for_a_newer_program(tmp_path: Path) -> None:
    path = written(tmp_path, of_views({"name": "x"}) | {"version": 2})
    with pytest.raises(NotASavedView, match=r"version 2 of the format\. Update the program"):
        read_views(path)


def test_huge_file_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.json"
    with path.open("wb") as file:
        file.truncate(8_000_001)
    with pytest.raises(NotASavedView, match="more than 8 MB"):
        read_views(path)


def test_path_without_a_regular_file(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile):
        read_views(tmp_path / "missing")
    with pytest.raises(UnsuitableFile, match="is a folder, not a file of saved views"):
        read_views(tmp_path)
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(UnsuitableFile, match="is a named pipe"):
            read_views(tmp_path / "pipe")


A, B = SavedView("a"), SavedView("b")


@pytest.mark.parametrize(
    ("change", "names_and_notes"),
    [
        (lambda: with_view((A, B), SavedView("c")), [("a", ""), ("b", ""), ("c", "")]),
        (lambda: with_view((A, B), SavedView("a", "new")), [("a", "new"), ("b", "")]),
        (lambda: with_imported((A,), (A, B)), [("a", ""), ("b", "")]),
        (
            lambda: with_imported((A,), (SavedView("a", "1"), SavedView("a", "2"))),
            [("a", ""), ("a (2)", "1"), ("a (3)", "2")],
        ),
    ],
)
def test_views_with_another(
    change: Callable[[], tuple[SavedView, ...]], names_and_notes: list[tuple[str, str]]
) -> None:
    """Saving under a name replaces; importing never does, and adds nothing twice."""
    assert [(view.name, view.note) for view in change()] == names_and_notes


def test_imported_views_are_bounded() -> None:
    many = tuple(SavedView(str(number)) for number in range(99))
    assert [view.name for view in with_imported(many, (A, B))[98:]] == ["98", "a"]
