"""The tests that `docs/format.md` names, sentence by sentence."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[2]
DOCUMENT = TESTS.parent / "docs" / "format.md"
TEST_NAME = re.compile(r"`(test_\w+\.py)::(test_\w+)`")


def table_rows() -> list[list[str]]:
    """The cells of each row that names a sentence, its editions and its tests."""
    rows = re.findall(r"^\| (.*) \|$", DOCUMENT.read_text("utf-8"), re.M)
    cells = [re.split(r" (?<!\\)\| ", row) for row in rows]
    return [row for row in cells if len(row) == 3 and row[0] != "The text says"]


def collected_in(path: Path, session: pytest.Session) -> set[str]:
    """The names of the test functions that pytest collects in a file."""
    module = pytest.Module.from_parent(session, path=path)
    return {item.originalname for item in module.collect() if isinstance(item, pytest.Function)}


def test_every_named_test_is_collected(request: pytest.FixtureRequest) -> None:
    """A test that the page names is in the one file of that name, and pytest runs it."""
    named = defaultdict(set)
    for file, function in TEST_NAME.findall(DOCUMENT.read_text("utf-8")):
        named[file].add(function)
    assert len(named) > 5
    for file, functions in named.items():
        (path,) = TESTS.rglob(file)
        assert functions <= collected_in(path, request.session), file


def test_every_sentence_has_editions_and_tests() -> None:
    """A row has an edition of 1 to 5, and nothing but tests in its last cell."""
    rows = table_rows()
    assert len(rows) > 80
    for _sentence, editions, tests in rows:
        assert re.match(r"[1-5]", editions), editions
        assert TEST_NAME.sub("", tests).strip(", ") == "", tests
