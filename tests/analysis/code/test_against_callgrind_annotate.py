"""Line costs against callgrind_annotate: every line of every function of real programs.

Its annotations of all functions are in `tests/data/programs/annotate`, where the README tells how
they were made.
"""

from __future__ import annotations

import lzma
import re
from collections.abc import Iterator

import numpy as np
import pytest

import qcachegrind_py as q
from qcachegrind_py.analysis.code.location_costs import LineCosts, file_lines, function_lines
from qcachegrind_py.analysis.costs.scope import ALL_PARTS
from qcachegrind_py.analysis.names.function_names import FunctionNames
from qcachegrind_py.profile.profile import Profile
from tests.profile_rows import DATA

ANNOTATED = DATA / "programs" / "annotate"
PROFILES = {
    "inlined-O2": ANNOTATED / "callgrind.out.inlined-O2.xz",
    "recur-everything": DATA / "recur-everything" / "callgrind.out.21921.xz",
}
_SOURCE = re.compile(r"-- Auto-annotated source: (.*)")
_ROW = re.compile(r"([\d,. ]+)  (?:(\d+)|=> (.*) \(([\d,]+)x\))")

Costs = tuple[int, ...]
Lines = dict[tuple[str, int], Costs]
Calls = dict[tuple[str, int, str], Costs]  # by file, line, callee with its file: count and costs


def numbers(cells: str) -> Costs:
    return tuple(0 if cell == "." else int(cell.replace(",", "")) for cell in cells.split())


def add(calls: Calls, key: tuple[str, int, str], costs: Costs) -> None:
    before = calls.get(key, (0,) * len(costs))
    calls[key] = tuple(map(sum, zip(before, costs, strict=True)))


def annotations(name: str) -> Iterator[tuple[list[str], Lines, Calls]]:
    """Name, file and object of each function (empty for the whole), and its line costs."""
    text = lzma.decompress((ANNOTATED / f"{name}.annotated.xz").read_bytes()).decode()
    for piece in text.split("===")[1:]:
        head, _, body = piece.partition("\n")
        lines: Lines = {}
        calls: Calls = {}
        file, line = "", 0
        for row in body.splitlines():
            if match := _SOURCE.fullmatch(row):
                file = match[1]
            elif match := _ROW.fullmatch(row):
                costs, number, callee, count = match.groups()
                if number:
                    line = int(number)
                    lines[file, line] = numbers(costs)
                else:
                    add(calls, (file, line, callee), (*numbers(count), *numbers(costs)))
        yield head.strip().split("\t") if head.strip() else [], lines, calls


def lines_of(profile: Profile, lines: LineCosts) -> Lines:
    """Self cost by file and line, if it is not 0 and the line is known."""
    texts = profile.texts
    return {
        (texts[int(lines.file[row])], int(lines.line[row])): tuple(lines.self_cost[:, row].tolist())
        for row in np.flatnonzero(lines.self_cost.any(axis=0) & (lines.line > 0)).tolist()
    }


def of_known_files(lines: Lines) -> Lines:
    return {key: costs for key, costs in lines.items() if any(costs) and key[0] != "???"}


@pytest.mark.parametrize("name", PROFILES)
def test_lines_of_every_function(name: str) -> None:
    """Each function has callgrind_annotate's self cost per line, in all its files.

    Together with the cost of no line it adds up to the function's self cost.
    """
    profile = q.load(PROFILES[name])
    self_cost = q.function_costs(profile).self_cost
    names = FunctionNames(profile)
    compared = set()
    for function, wanted, _ in annotations(name):
        if function:
            number = names.find(function[0], function[1], function[2])
            compared.add(number)
            lines = function_lines(profile, number)
            assert of_known_files(lines_of(profile, lines)) == of_known_files(wanted), function
            assert lines.self_cost.sum(axis=1).tolist() == self_cost[:, number].tolist()
    assert compared == set(np.flatnonzero(self_cost.any(axis=0)).tolist())


@pytest.mark.parametrize("name", PROFILES)
def test_lines_of_every_file(name: str) -> None:
    """Over all functions, a file has callgrind_annotate's self cost per line."""
    profile = q.load(PROFILES[name])
    wanted = next(lines for function, lines, _ in annotations(name) if not function)
    found: Lines = {}
    for file in np.unique(profile.runs.file).tolist():
        found |= lines_of(profile, file_lines(profile, file, ALL_PARTS))
    assert of_known_files(found) == of_known_files(wanted)


@pytest.mark.parametrize("name", PROFILES)
def test_calls_of_every_line(name: str) -> None:
    """The calls from each line have callgrind_annotate's counts and inclusive costs.

    It tells callees by name and file alone, so those are added up here. For a line shared by
    several functions it shows the calls of one, so such lines are skipped.
    """
    profile = q.load(PROFILES[name])
    wanted = next(calls for function, _, calls in annotations(name) if not function)
    texts, functions = profile.texts, profile.functions
    found: Calls = {}
    callers: dict[tuple[str, int], set[str]] = {}
    for function in np.unique(profile.calls.caller).tolist():
        lines = function_lines(profile, function)
        calls = lines.calls
        for row, callee in enumerate(calls.callee.tolist()):
            callee_name = f"{texts[int(functions.file[callee])]}:{profile.function_name(callee)}"
            site = int(calls.location[row])
            where = texts[int(lines.file[site])], int(lines.line[site])
            add(
                found,
                (*where, callee_name),
                (int(calls.count[row]), *calls.inclusive[:, row].tolist()),
            )
            callers.setdefault(where, set()).add(profile.function_name(function))
    sure = {key: costs for key, costs in wanted.items() if len(callers[key[:2]]) == 1}
    assert {key: found.get(key) for key in sure} == sure
    assert len(sure) > 350
