"""Compares our numbers with those of callgrind_annotate, which must be installed.

    python -m tests.bench.annotate_comparison [-I SOURCES]... FILE...

For each profile it prints how many numbers were compared, and each that differs, of:

- the totals of all events;
- the self costs of all functions, and the functions that have 90 % of the first event;
- callers and callees, with counts and inclusive costs (`--tree=both`);
- the lines of all source files that are found in SOURCES, over all functions.

callgrind_annotate identifies functions by file and name: the code that a function has from another
file is an entry of its own, and functions of two libraries with the same file and name are one.
Costs are therefore compared by name, and fewer entries reach 90 % here. It prints `summary:` also
where that is less than the sum of the costs, of several parts that of the last. The cost of a call
that had not returned, `calls=0`, is self cost there.
"""

from __future__ import annotations

import argparse
import re
import subprocess
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

import qcachegrind_py as q
from qcachegrind_py.analysis.code.location_costs import file_lines
from qcachegrind_py.analysis.costs.scope import ALL_PARTS, Scope
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.profile.ids import text_ids
from qcachegrind_py.profile.profile import Profile
from qcachegrind_py.reports.selection import Order, ReportSelection

Costs = tuple[int, ...]
_Key = TypeVar("_Key", bound=Hashable)
_RULE = "-" * 80
_SHOWN = 5  # rows that differ, of each comparison
_FUNCTION = re.compile(
    r" +(?:(?P<kind>[<*>]) +)?(?P<file>\S.*?):(?P<name>.*?)"
    r"(?: \((?P<count>[\d,]+)x\))?(?: \[(?:[^\]]*/[^\]]*|\?\?\?)\])?$"
)
_LINE = re.compile(r"-- line (\d+) -+$")
_COST = r" *([\d,]+|\.)"


class Theirs:
    """What callgrind_annotate prints for a profile."""

    def __init__(self, path: Path, events: int, sources: Sequence[str]) -> None:
        self._path, self._sources = path, sources
        self._costs = re.compile(rf"{_COST * events}(?= |$)")

    def _sections(self, *options: str) -> list[str]:
        command = ["callgrind_annotate", "--show-percs=no", *options, str(self._path)]
        ran = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace")
        return re.split(rf"(?m)^{_RULE}\n", ran.stdout)

    def _row(self, line: str) -> tuple[Costs, str] | None:
        found = self._costs.match(line)
        if found is None:
            return None
        numbers = (word.replace(",", "") for word in found.groups())
        return tuple(int(n) if n != "." else 0 for n in numbers), line[found.end() :]

    def totals(self) -> Costs:
        """The totals of all events."""
        sections = self._sections("--threshold=0", "--auto=no")
        return next(row[0] for text in sections for row in self._rows(text) if "TOTALS" in row[1])

    def _rows(self, text: str) -> Iterator[tuple[Costs, str]]:
        yield from filter(None, map(self._row, text.splitlines()))

    def functions(self, threshold: int) -> list[tuple[str, Costs]]:
        """Name and self costs of each entry."""
        text = self._sections(f"--threshold={threshold}", "--auto=no")[-1]
        found = ((costs, _FUNCTION.match(rest)) for costs, rest in self._rows(text))
        return [(match["name"], costs) for costs, match in found if match]

    def calls(self) -> Iterator[tuple[tuple[str, str], Costs]]:
        """Caller and callee, with the count and inclusive costs of the calls."""
        text = self._sections("--threshold=100", "--auto=no", "--tree=caller", "--inclusive=yes")[
            -1
        ]
        callers: list[tuple[str, Costs]] = []
        for costs, rest in self._rows(text):
            match = _FUNCTION.match(rest)
            if match and match["kind"] == "<":
                callers.append(
                    (match["name"], (int((match["count"] or "0").replace(",", "")), *costs))
                )
            elif match:
                yield from (((name, match["name"]), cost) for name, cost in callers)
                callers = []

    def lines(self) -> dict[str, dict[int, Costs]]:
        """The costs of lines by recorded file, for the sources that were found."""
        includes = (f"--include={folder}" for folder in self._sources)
        sections = self._sections("--threshold=100", "--auto=yes", "--context=0", *includes)
        files: dict[str, dict[int, Costs]] = {}
        for title, text in pairwise(sections):
            if title.startswith("-- Auto-annotated source: "):
                name = title.partition(": ")[2].strip().rpartition(" + ")[2]
                files[name] = dict(self._numbered(text))
        return files

    def _numbered(self, text: str) -> Iterator[tuple[int, Costs]]:
        number = 1
        for line in text.splitlines()[2:]:
            row = self._row(line)
            if marker := _LINE.match(line):
                number = int(marker[1])
            elif row and not row[1].startswith("  => "):
                if any(row[0]):
                    yield number, row[0]
                number += 1


class Ours:
    """The same from our queries."""

    def __init__(self, profile: Profile) -> None:
        self._profile, self._queries = profile, ProfileQueries(profile)
        self._scope = Scope(cycles=False)
        names: list[str] = profile.texts.lookup(text_ids(profile.functions.name))
        self._names = names

    def totals(self) -> Costs:
        """The totals of all measured events, as percentages are of them."""
        events = self._profile.events.measured
        return tuple(int(self._queries.total(event, ALL_PARTS).base) for event in events)

    def functions(self, threshold: int) -> list[tuple[str, Costs]]:
        """Name and self costs of each function."""
        events, costs = self._profile.events.measured[:1], self._queries.costs(self._scope)
        selection = ReportSelection(
            self._queries, events, self._scope, Order("self"), threshold=Fraction(threshold)
        )
        rows = selection.functions.tolist()
        return [(self._names[row], tuple(costs.self_cost[:, row].tolist())) for row in rows]

    def calls(self) -> Iterator[tuple[tuple[str, str], Costs]]:
        """Caller and callee, with the count and inclusive costs of the calls."""
        edges, names = self._queries.call_edges(Scope()), self._names
        pairs = zip(edges.caller.tolist(), edges.callee.tolist(), strict=True)
        numbers = zip(edges.count.tolist(), edges.inclusive.T.tolist(), strict=True)
        for (caller, callee), (count, costs) in zip(pairs, numbers, strict=True):
            yield (names[caller], names[callee]), (count, *costs)

    def lines(self, file: str) -> dict[int, Costs]:
        """The self costs of the lines of a file over all functions."""
        lines = file_lines(self._profile, self._profile.texts.index_of(file), ALL_PARTS)
        rows = zip(lines.line.tolist(), lines.self_cost.T.tolist(), strict=True)
        return {line: tuple(costs) for line, costs in rows if any(costs)}


def summed(rows: Iterable[tuple[_Key, Costs]]) -> dict[_Key, Costs]:
    """The sums of the costs of equal keys, without those that are 0."""
    sums: dict[_Key, Costs] = {}
    for key, costs in rows:
        before = sums.get(key, (0,) * len(costs))
        sums[key] = tuple(a + b for a, b in zip(before, costs, strict=True))
    return {key: costs for key, costs in sums.items() if any(costs)}


def named(rows: Iterable[tuple[str, Costs]]) -> dict[str, Costs]:
    """The names alone, for a comparison of which functions there are."""
    return {name: () for name, _costs in rows}


def compare(title: str, theirs: Mapping[_Key, Costs], ours: Mapping[_Key, Costs]) -> None:
    """Print how many rows are equal, and some of those that differ."""
    keys = theirs.keys() | ours.keys()
    different = [key for key in keys if theirs.get(key) != ours.get(key)]
    print(f"  {title:10}{len(keys) - len(different):8} equal{len(different):6} different")
    for key in sorted(different, key=str)[:_SHOWN]:
        print(f"    {key}: {theirs.get(key)} there, {ours.get(key)} here")


def compare_profile(path: Path, sources: Sequence[str]) -> None:
    """Print the comparison of one profile."""
    profile = q.load(path)
    print(f"{path}: {len(profile.parts)} parts" if len(profile.parts) > 1 else path)
    theirs, ours = Theirs(path, len(profile.events.names), sources), Ours(profile)
    compare("totals", {"": theirs.totals()}, {"": ours.totals()})
    compare("functions", summed(theirs.functions(100)), summed(ours.functions(100)))
    compare("90 %", named(theirs.functions(90)), named(ours.functions(90)))
    compare("calls", summed(theirs.calls()), summed(ours.calls()))
    for file, lines in theirs.lines().items():
        compare(Path(file).name, lines, ours.lines(file))


def main() -> None:
    """Compare the files on the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("-I", dest="sources", metavar="SOURCES", action="append", default=[])
    parser.add_argument("files", metavar="FILE", nargs="+", type=Path)
    options = parser.parse_args()
    for path in options.files:
        compare_profile(path, options.sources)


if __name__ == "__main__":
    main()
