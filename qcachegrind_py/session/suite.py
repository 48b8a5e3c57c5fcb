"""Two suites of benchmarks, compared in the job that opens the first of their pairs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.errors import NotAProfile
from qcachegrind_py.profile.progress import PartialProgress, Progress
from qcachegrind_py.session.loading import ProfileFiles
from qcachegrind_py.tools.sources.file_search import BaseSearch, FileSearch

if TYPE_CHECKING:  # read only when suites are compared
    from qcachegrind_py.present.suite import BenchmarkRow, SuiteReport

_FINDING, _COMPARING = 0.05, 0.9  # of the progress, where these end


@frozen(eq=True)
class SuiteState:
    """What was found in the suites, if any are compared; rows are those of the report."""

    report: SuiteReport | None = None
    folders: tuple[Path, Path] = (Path(), Path())  # base and new

    @property
    def first(self) -> int | None:
        """The row that is opened first: the benchmark that changed most, of those on both sides."""
        rows = self._rows
        compared = [place for place, row in enumerate(rows) if not row.state]
        opened = compared or [place for place, row in enumerate(rows) if row.state != "failed"]
        return max(opened, key=lambda place: abs(rows[place].relative), default=None)

    def sides(self, row: int) -> tuple[ProfileFiles | None, ProfileFiles | None]:
        """Return the files of a benchmark in the base and on the new side."""
        found = self._rows[row]
        base, new = map(_files, (found.base_files, found.new_files))
        return base, new

    def place_of(self, base: ProfileFiles | None, new: ProfileFiles) -> int | None:
        """Return the row of which these are the profiles; None if there is none."""
        wanted = (None, base or new) if base is None else (base, new)
        for place in range(len(self._rows)):
            sides = self.sides(place)
            alone = (None, sides[1] or sides[0]) if None in sides else sides
            if alone == wanted:
                return place
        return None

    @property
    def _rows(self) -> Sequence[BenchmarkRow]:
        return () if self.report is None else self.report.rows


def _files(paths: Sequence[str]) -> ProfileFiles | None:
    return ProfileFiles(tuple(map(Path, paths)), with_siblings=False) if paths else None


def compare_folders(
    progress: Progress, base: Path, new: Path, searches: tuple[FileSearch, BaseSearch]
) -> SuiteState:
    """Compare the suites in two folders. Raises `Cancelled`, `UnreadableFile` and `NotAProfile`."""
    from qcachegrind_py.formats.suites import find_suite
    from qcachegrind_py.present.suite import SuiteChoice, compare_suites, with_places

    half = _FINDING / 2
    suites = [
        find_suite(PartialProgress(progress, begin, begin + half), folder)
        for folder, begin in ((base, 0.0), (new, half))
    ]
    for suite in suites:
        if not suite.benchmarks:
            reason = "is a folder without profiles."
            raise NotAProfile(suite.folder, reason, remedy="Choose one with benchmarks.")
    choice = SuiteChoice()
    part = PartialProgress(progress, _FINDING, _COMPARING)
    report = compare_suites(part, suites[0], suites[1], choice)
    report = with_places(PartialProgress(progress, _COMPARING, 1), report, choice, searches)
    return SuiteState(report, (base, new))
