"""Reports of many rows are written as they are made: memory does not grow with their number."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TextIO

import pytest

from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.present.function_report import function_listing, function_page, profile_records
from qcachegrind_py.present.selection import ReportSelection
from qcachegrind_py.profile.ids import TextId
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.profile.tables import StringTable
from qcachegrind_py.write.json_rows import write_records
from qcachegrind_py.write.separated import write_table
from qcachegrind_py.write.text import write_page
from tests.profile_rows import profile_from

_FUNCTIONS = 12_000
_ROWS_AT_ONCE = 5_000


class CountingTexts(StringTable):
    """Names that count how often they are looked up together, as rows of a report are."""

    count = 0

    def lookup(self, indexes: Iterable[TextId]) -> list[str]:
        """Return the texts with these numbers, and count them."""
        texts = super().lookup(indexes)
        self.count += len(texts)
        return texts


class ClosedPipe(io.StringIO):
    """A stream whose reader, like `head`, ends after the first function."""

    def write(self, text: str) -> int:
        """Write the text; raises BrokenPipeError if it has a function."""
        if "function_" in text:
            raise BrokenPipeError
        return super().write(text)


def profile_of(functions: int) -> Profile:
    """A profile of that many functions in one file."""
    bodies = "".join(f"fn=function_{number}\n1 1\n" for number in range(functions))
    profile = profile_from(f"events: Ir\nfl=a.c\n{bodies}")
    return replace(profile, texts=CountingTexts(profile.texts.arena, profile.texts.starts))


WRITERS: dict[str, Callable[[ReportSelection, TextIO], None]] = {
    "text": lambda selection, stream: write_page(function_page(selection), stream),
    "csv": lambda selection, stream: write_table(function_listing(selection), "csv", stream),
    "tsv": lambda selection, stream: write_table(function_listing(selection), "tsv", stream),
    "json": lambda selection, stream: write_records(profile_records(selection), stream),
}


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_a_closed_pipe_ends_the_work(write: Callable[[ReportSelection, TextIO], None]) -> None:
    """The first rows reach the stream before any others are formatted, and after them no more are.

    So no more than some thousand rows are in memory, and `| head` ends a report at once.
    """
    profile = profile_of(_FUNCTIONS)
    selection = ReportSelection(ProfileQueries(profile), profile.events.measured)
    with pytest.raises(BrokenPipeError):
        write(selection, ClosedPipe())
    assert isinstance(profile.texts, CountingTexts)
    assert _ROWS_AT_ONCE <= profile.texts.count < 2 * _ROWS_AT_ONCE
