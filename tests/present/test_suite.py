"""Suites compared: which functions explain their benchmarks, in which order, and why."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from qcachegrind_py.formats.suites import find_suite
from qcachegrind_py.present.exact import TEXT_STYLE
from qcachegrind_py.present.page import Finding, Verdict
from qcachegrind_py.present.suite import SuiteChoice, SuiteReport, compare_suites, with_places
from qcachegrind_py.present.suite_table import (
    MOST_IN_TEXT,
    finding_facts,
    is_changed,
    listed_rows,
    rule_verdicts,
    suite_records,
    suite_table,
)
from qcachegrind_py.present.table import FunctionName
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.tools.sources.file_search import NO_BASE_SEARCH, FileSearch
from tests.profile_text import profile_text

MAIN = "cmd: ./app\n main@/src/main.c@/bin/app"


def report_of(folder: Path, base: dict[str, str], new: dict[str, str]) -> SuiteReport:
    """The comparison of benchmarks that are given as text, with the lines of its findings."""
    for side, drawings in (("base", base), ("new", new)):
        (folder / side).mkdir()
        for name, drawing in drawings.items():
            text = profile_text(drawing) if "->" in drawing or "@" in drawing else drawing
            (folder / side / name).write_text(text, encoding="utf-8")
    suites = (find_suite(NoProgress(), folder / side) for side in ("base", "new"))
    choice = SuiteChoice()
    report = compare_suites(NoProgress(), *suites, choice)
    return with_places(NoProgress(), report, choice, (FileSearch(), NO_BASE_SEARCH))


def told(report: SuiteReport) -> list[tuple[str, str]]:
    return list(finding_facts(report, TEXT_STYLE, MOST_IN_TEXT))


def loop(cost: int, *, other: int = 0, total: int = 1000) -> str:
    """A benchmark with a function of this cost, another one, and so much in all."""
    rest = total - cost - other
    return f"""
        {MAIN} {rest} -> hash 1x{cost}, sort 1x{other}
        hash@/src/hash.c@/bin/app {cost}
        sort@/src/sort.c@/bin/app {other}
        """


def test_small_benchmarks_count_like_large_ones(tmp_path: Path) -> None:
    """sort makes 5 % of one benchmark, hash 1 % of a thousand times as much."""
    report = report_of(
        tmp_path,
        {"large": loop(50_000, total=1_000_000), "small": loop(10, other=50)},
        {"large": loop(60_000, total=1_010_000), "small": loop(10, other=100, total=1050)},
    )
    assert told(report) == [
        ("Grew", "sort (/src/sort.c:1) in small: +5.00 %, +50 Ir"),
        ("Grew", "hash (/src/hash.c:1) in large: +1.00 %, +10,000 Ir"),
    ]


def test_a_function_of_several_programs_is_one_finding(tmp_path: Path) -> None:
    """Benchmarks may be programs of their own, which all have a copy of the function.

    What compilers add to a name differs from one build to the next.
    """

    def of(program: str, clone: str, cost: int) -> str:
        return f"""
            cmd: ./{program}
            main@/src/{program}.c@/bin/{program} 100 -> hash{clone} 1x{cost}
            hash{clone}@/src/hash.c@/bin/{program} {cost}
            """

    report = report_of(
        tmp_path,
        {"one": of("one", "", 100), "two": of("two", "", 100)},
        {"one": of("one", ".constprop.0", 110), "two": of("two", "", 120)},
    )
    sentence = "hash (/src/hash.c:1) in 2 benchmarks: +5.00 % to +10.00 % of each, +30 Ir"
    assert told(report) == [("Grew", sentence)]


def test_functions_of_libraries_are_told_apart_by_library(tmp_path: Path) -> None:
    def of(library: str, cost: int) -> str:
        return f"""
            {MAIN} 100 -> copy 1x{cost}
            copy@/src/copy.c@/lib/{library} {cost}
            """

    report = report_of(
        tmp_path,
        {"one": of("liba.so.1", 100), "two": of("libb.so.1", 100)},
        {"one": of("liba.so.2", 110), "two": of("libb.so.1", 120)},
    )
    assert told(report) == [
        ("Grew", "copy (libb.so: /src/copy.c:1) in two: +10.00 %, +20 Ir"),
        ("Grew", "copy (liba.so: /src/copy.c:1) in one: +5.00 %, +10 Ir"),
    ]


def test_directions_are_said(tmp_path: Path) -> None:
    report = report_of(
        tmp_path,
        {"a": loop(100, other=100), "b": loop(100, other=100)},
        {"a": loop(150, other=80, total=1030), "b": loop(70, other=80, total=950)},
    )
    assert told(report) == [
        ("Changed", "hash (/src/hash.c:1) in 2 benchmarks: −3.00 % to +5.00 % of each, +20 Ir"),
        ("Shrank", "sort (/src/sort.c:1) in 2 benchmarks: −2.00 % of each, −40 Ir"),
    ]


def test_what_is_called_more_often_leads_to_the_first_call_that_is(tmp_path: Path) -> None:
    """main reads twice; what that costs is one finding, and so is the dearer hash beside it."""

    def of(times: int, hash_cost: int) -> str:
        read, word, letter = 1 * times, 10 * times, 100 * times
        below = 5 * letter + 20 * word + 30 * read
        return f"""
            {MAIN} 1000 -> read {read}x{below}, hash 1x{hash_cost}
            read@/src/read.c@/bin/app {30 * read} -> word {word}x{5 * letter + 20 * word}
            word@/src/read.c@/bin/app {20 * word} -> letter {letter}x{5 * letter}
            letter@/src/read.c@/bin/app {5 * letter}
            hash@/src/hash.c@/bin/app {hash_cost}
            """

    report = report_of(tmp_path, {"a": of(1, 270)}, {"a": of(2, 350)})
    assert told(report) == [
        (
            "Grew",
            "letter (/src/read.c) and 2 more functions in a: +36.50 %, +730 Ir, "
            "called 100 → 200 times as main calls read (/src/main.c:1)",
        ),
        ("Grew", "hash (/src/hash.c:1) in a: +4.00 %, +80 Ir"),
    ]


def test_recursion_ends_the_search_for_calls(tmp_path: Path) -> None:
    def of(times: int) -> str:
        return f"""
            {MAIN} 100 -> walk {times}x{50 * times}
            walk@/src/walk.c@/bin/app {50 * times} -> walk {9 * times}x0
            """

    report = report_of(tmp_path, {"a": of(1)}, {"a": of(3)})
    ((_, sentence),) = told(report)
    assert sentence.startswith(
        "walk (/src/walk.c) in a: +66.67 %, +100 Ir, called 10 → 30 times by main"
    )


def test_small_changes_are_counted_and_no_findings(tmp_path: Path) -> None:
    report = report_of(
        tmp_path,
        {"a": loop(5000, other=5000, total=100_000)},
        {"a": loop(5050, other=5100, total=100_150)},
    )
    assert told(report) == [
        ("Grew", "sort (/src/sort.c:1) in a: +0.10 %, +100 Ir"),
        ("And", "1 more function that changed less"),
    ]


def test_equal_suites_have_no_findings(tmp_path: Path) -> None:
    report = report_of(tmp_path, {"a": loop(5)}, {"a": loop(5)})
    assert told(report) == []
    assert len(listed_rows(report, unchanged=False)) == 0


@pytest.mark.parametrize(
    ("key", "names"),
    [
        ("change", ["bad", "shrunk", "grown", "fresh", "gone"]),
        ("growth", ["bad", "grown", "shrunk", "fresh", "gone"]),
        ("base", ["bad", "grown", "shrunk", "fresh", "gone"]),
        ("new", ["bad", "grown", "shrunk", "fresh", "gone"]),
    ],
)
def test_orders(tmp_path: Path, key: str, names: list[str]) -> None:
    """What could not be compared comes first, what is on one side last."""
    bad = "# callgrind format\nevents: Ir\nfn=f\n1 5\n"
    report = report_of(
        tmp_path,
        {"grown": loop(9), "shrunk": loop(90, total=900), "gone": loop(1), "same": loop(2)}
        | {"bad": bad},
        {"grown": loop(99, total=1090), "shrunk": loop(0, total=810), "fresh": loop(1)}
        | {"same": loop(2), "bad": bad.replace("Ir", "Dw")},
    )
    rows = listed_rows(report, key, unchanged=False)  # type: ignore[arg-type]
    assert [report.rows[row].name for row in rows] == names


def test_the_table_has_a_row_for_each_benchmark(tmp_path: Path) -> None:
    report = report_of(
        tmp_path,
        {"a": loop(100, other=50), "gone": loop(1)},
        {"a": loop(150, other=40, total=1040), "fresh": loop(1)},
    )
    rows = listed_rows(report, unchanged=True)
    columns = suite_table(report, TEXT_STYLE).columns
    cells = [[column.title, *column.cells.texts(rows)] for column in columns]
    assert cells == [
        ["%", "+4.00", "new", "gone"],
        ["Change", "+40", "–", "–"],
        ["Base", "1,000", "–", "1,000"],
        ["New", "1,040", "1,000", "–"],
        ["Explained by", "hash +50, sort −10", "", ""],
        ["Benchmark", "a", "fresh", "gone"],
    ]
    assert report.rows[0].command == f"compare {tmp_path}/base/a {tmp_path}/new/a"


def test_functions_that_make_up_for_one_another_are_listed(tmp_path: Path) -> None:
    report = report_of(tmp_path, {"a": loop(100, other=50)}, {"a": loop(50, other=100)})
    assert [row.change for row in report.rows] == [0]
    assert is_changed(report.rows[0])


def test_a_command_names_all_files_of_a_run(tmp_path: Path) -> None:
    text = "creator: callgrind-3.22.0\npid: 7\ncmd: x\npart: 1\nthread: {}\nevents: Ir\nfn=f\n1 5\n"
    files = {f"callgrind.out.7-0{number}": text.format(number) for number in (1, 2)}
    report = report_of(tmp_path, files, files)
    base, new = tmp_path / "base/callgrind.out.7-0", tmp_path / "new/callgrind.out.7-0"
    assert [row.command for row in report.rows] == [
        f"compare --base {base}1 --base {base}2 {new}1 {new}2"
    ]


COUNT = (
    "count(std::vector<std::__cxx11::basic_string<char, std::char_traits<char>, "
    "std::allocator<char> >, std::allocator<char> > const&, unsigned long)"
)


def test_long_names_lose_arguments_in_sentences(tmp_path: Path) -> None:
    """As in lists, what tells the function stays; other programs and tips get the whole name."""

    def benchmark(cost: int) -> str:
        text = f"{MAIN} 900 -> COUNT 1x{cost}\nCOUNT@/src/words.cpp@/bin/app {cost}"
        return profile_text(text).replace("COUNT", COUNT)

    report = report_of(tmp_path, {"one": benchmark(100)}, {"one": benchmark(200)})
    (explained,) = suite_table(report, TEXT_STYLE).columns[4].cells.texts(np.array([0]))
    (whole,) = (text for _, text in finding_facts(report, TEXT_STYLE, MOST_IN_TEXT, str))
    (record,) = suite_records(report, np.array([0])).before["findings"]
    assert told(report) == [
        ("Grew", "count(std::vector…) (/src/words.cpp:1) in one: +10.00 %, +100 Ir")
    ]
    finding = Finding(0, FunctionName(COUNT, "/src/words.cpp", "/bin/app"), "+100 Ir")
    row = replace(report.rows[0], verdicts=(Verdict("self>+1", True, "is met", (finding,), 0),))
    (verdict,) = rule_verdicts(replace(report, rows=(row,)), ["self>+1"])
    assert [each.name.name for each in verdict.findings] == ["count(std::vector…)"]
    assert explained == "count(std::vector…) +100"
    assert whole.startswith(f"{COUNT} (/src/words.cpp:1)")
    assert record["name"] == COUNT


def test_the_c_library_is_folded(tmp_path: Path) -> None:
    """In the window as in the command: it is another one on each machine."""

    def benchmark(cost: int) -> str:
        return f"{MAIN} 900 -> memcpy 1x{cost}\nmemcpy@copy.S@/lib/libc.so.6 {cost}"

    report = report_of(tmp_path, {"one": benchmark(100)}, {"one": benchmark(200)})
    assert report.folds == ("fold:libc",)
    assert told(report) == [("Grew", "main (/src/main.c:1) in one: +10.00 %, +100 Ir")]
