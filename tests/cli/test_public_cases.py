"""Profiles of public bug reports and of other writers, each with what must be seen of it.

The small ones are in `tests/data/cases`; the others are tested where the folder with all of them
is beside the working copy. Expected numbers are worked out by hand from the files.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from qcachegrind_py.cli.main import main

SMALL = Path(__file__).parents[1] / "data" / "cases"
ALL = Path(__file__).parents[3] / "shared" / "cases"


@dataclass(frozen=True)
class Seen:
    """A command about a case, its exit code, and texts that it prints, apart from blanks.

    `PATH` in the command is the case's folder; a text that begins with `!` is not there.
    """

    command: str
    texts: tuple[str, ...]
    code: int = 0


def text(*texts: str, options: str = "", file: str = "input", code: int = 0) -> Seen:
    """What the text report of a file says."""
    return Seen(f"report PATH/{file} {options}", texts, code)


CASES: dict[str, tuple[Seen, ...]] = {
    "B01-call-count-zero": (
        text("1,000 100.00 100 10.00 0 main", "900 90.00 900 90.00 (active) loop"),
    ),
    "B02-huge-line-numbers": (
        text("Totals: Time 30", "30 100.00 18 60.00 0 {main} (", "2 problems found in"),
    ),
    "B03-file-size-4096": (text("77 100.00 77 100.00"),),
    "B05-nonascii-long-source": (
        Seen(
            "annotate PATH/input main lang --width 80 -I PATH/src",
            ("1 5 23.81 5", "2 7 33.33 16", "1 4 19.05 4", "2 5 23.81 5", "!was not found"),
        ),
    ),
    "B06-quotes-in-symbols": (
        text(
            r"60 60.00 60 60.00 1 std::function<void(const char*)>::operator()(\"x\") const &",
            '30 30.00 30 30.00 3 operator""_kg(long double)',
        ),
    ),
    "B08-very-long-cmd": (
        text("2 100.00 2 100.00 30 100.00 30 100.00", options="--events hits,microseconds"),
    ),
    "B11-only-blank-lines": (text("is empty", code=1),),
    "B12-fi-fe-cfn": (
        text(
            "Totals: Ir 61",
            "60 98.36 20 32.79 0 main (app: main.c)",
            "49 80.33 40 65.57 3 helper",
            "10 16.39 1 1.64 0 other",
        ),
    ),
    "B13-discriminator-lines": (text("7 58.33 3 25.00", "5 41.67 5 41.67"),),
    "B15-ids-defined-twice": (
        text("300 100.00 100 33.33 0 run_forever", "200 66.67 200 66.67 3 Handle._run"),
        Seen("report PATH/input", ("!problem",)),
    ),
    "B18-id-with-two-files": (text("30 85.71 30 85.71 2 {closure} (???: /a.php)"),),
    "B19-zero-total-percent": (
        text("50 0 0 main (???: a.c)", "!5000", "none of curB", options="--event curB"),
        Seen("report PATH/input --format csv --percent --event curB", ("50,,0,,0,0,main,a.c,???",)),
        Seen(
            "report PATH/input --event curB --threshold 99",
            ("the total of curB is 0, so it has no percentages",),
            2,
        ),
    ),
    "B21-no-file-names": (
        text("30 100.00 10 33.33 0 main", "20 66.67 20 66.67 1 f"),
        text("no function matches", options="--filter file:main.c"),
    ),
    "B23-relative-positions": (text("12 100.00 12 100.00", "!problem"),),
    "B24-gungraun-thread-files": (
        text(
            "Parts: 4",
            options="--siblings",
            file="callgrind.bench_find.two.4000.t1.p1.out",
        ),
    ),
    "B25-open-one-thread-file": (
        text("Totals: Ir 120,180", "13 other files", file="callgrind.out.11177-02"),
        text(
            "Parts: 14",
            "Totals: Ir 2,299,238",
            options="--siblings",
            file="callgrind.out.11177",
        ),
    ),
    "B26-open-dialog-filter": (text("curB", "main"),),
    "B27-reload-changed": (text("100 100.00 10 10.00 0 main"),),
    "B28-file-url": (),  # the URL of a file that is not there; test_arguments.py makes such files
    "B30-tar-gz": (text("archive", file="input.tar.gz", code=1),),
    "B32-units-xdebug3": (text("Totals: Time_(10ns) 739,680"),),
    "B33-same-names-one-file": (
        Seen("calls PATH/input go", ("go:5 (???: same.py)", "go:2 (???: same.py)"), 2),
    ),
    "B35-cprofile-one-call": (
        text(
            "(root)",
            "1 <built-in method builtins.exec>",
            "1 <module> (???: <string>)",
            "1 <method 'disable' of '_lsprof.Profiler' objects>",
        ),
    ),
    "B37-xdebug-without-cfl": (
        text(
            "73 100.00 21 28.77 0 {main}",
            "52 71.23 45 61.64 1 Some->__construct",
            "7 9.59 7 9.59 1 php::trim",
        ),
    ),
    "B38-many-files": (text("Totals: Ir 20,000", file="*"),),
    "B39-cachegrind-no-graph": (text("21,016 16.57 21,016 16.57 – do_lookup_x", "32 KiB, 64 B"),),
    "B42-first-event-all-zero": (text("first event that counted"),),
    "B44-called-zero-of-uncounted": (
        text("4,011 100.00 0 0.00 – main", "4,011 100.00 4,011 100.00 – mk"),
        Seen("calls PATH/input main", ("4,011 100.00 – > mk", "!0x")),
        Seen("report PATH/input --format csv", ("4011,0,,0,main", "4011,4011,,0,mk")),
    ),
    "B45-save-loses-targets": (Seen("convert PATH/input -o -", ("calls=3 0x8000200 50",)),),
    "B46-summary-importtime": (text("importtime", code=1),),
    "W01-reli-prof": (
        text(
            r"10 100.00 1 10.00 – App\Router::dispatch",
            r"6 60.00 6 60.00 – App\View::render",
            r"3 30.00 3 30.00 – App\Db::query",
        ),
    ),
    "W02-positions-index": (
        text(
            "357 100.00 234 65.55 60 100.00 40 66.67",
            options="--events HalsteadEffort,HalsteadError",
        ),
    ),
    "W03-orbuculum-old": (text("91 82.73 1 0.91 0 main", "90 81.82 90 81.82 3 wait"),),
    "W06-crxprof": (
        text("100 100.00 10 10.00 0 main", "90 90.00 50 50.00 90 work(", "40 40.00 40 40.00 40"),
    ),
    "W09-chrome2calltree-nan": (text("79 problems found in", "0 0.00 0 0.00 – (root)"),),
    "W11-php-spx": (
        text(
            "75 100.00 20 26.67 0 /srv/a.php",
            "55 73.33 50 66.67 1 A::run",
            "5 6.67 5 6.67 1 strlen",
        ),
        text("−2,147,482,592 1,024 0 /srv/a.php", "none of zm", options="--event zm"),
    ),
    "W13-R-proftools": (text("2 <GC>"),),
    "W14-syzygy": (text("64 100.00 40 62.50 0 ??$swap@", "24 37.50 24 37.50 1 _memcpy"),),
    "W15-sniper": (
        text(
            "L2 3 L2 load misses",
            "1,000 100.00 400 40.00 0 main",
            "600 60.00 600 60.00 11 sin",
        ),
    ),
    "W17-dotnet-trace": (
        text(
            "2,000 100.00 500 25.00 0 MyApp.Program.Main(",
            "1,500 75.00 1,500 75.00 15 System.Collections.Generic.List`1[System.__Canon].Add(",
        ),
    ),
    "W18-rbspy": (
        text(
            "10 100.00 1 10.00 0 <main>",
            "8 80.00 8 80.00 7 fib",
            "1 10.00 1 10.00 1 sleep",
        ),
    ),
    "W20-erlang-tprof": (
        text("120 48.00 120 48.00 – {map,2}", "80 32.00 80 32.00 – {foldl,3}", "50 20.00 50"),
    ),
    "W21-rmp": (text("10,000 100.00 10,000 100.00 10 camlMain__entry"),),
    "W22-dwarf-size": (text("140 100.00 100 71.43 0 main", "40 28.57 40 28.57 1 inl"),),
    "W23-pprofile-real": (
        text("6,082", options="--event microseconds"),
        text(
            "41 functions have less inclusive than self cost in hits, and some in 1 other event",
            "100 5.61 200 11.22 100 <lambda>:8",
        ),
    ),
    "W24-pprofile-statistic": (text("Contents: 5 functions", "1 100.00 1 100.00 1 wait:295"),),
    "W25-yappi-async": (text("Contents: 171 functions", "Ticks (µs)"),),
    "W26-go-mutex-block": (
        text("717", "535 74.62 535 74.62 – sync.(*Mutex).Lock", "182 25.38 182 25.38 – sync"),
    ),
    "W28-callgrind-systime": (text("sysCount 98 (98 not attributed)", "Totals: Ir 2,166,040"),),
    "W29-callgrind-noline": (text("2,166,040 94.21 2,166,040 94.21 10 spin", "2,299,149"),),
}


def commands() -> Iterator[object]:
    for case, seen in CASES.items():
        for number, each in enumerate(seen):
            yield pytest.param(case, each, id=f"{case}-{number}")


@pytest.mark.parametrize(("case", "seen"), list(commands()))
def test_a_public_case(case: str, seen: Seen, capfd: pytest.CaptureFixture[str]) -> None:
    """What was wrong once, here or in another program, is right."""
    folder = next((found for found in (SMALL / case, ALL / case) if found.is_dir()), None)
    if folder is None:
        pytest.skip("this case is too large for the repository")
    words = [word.replace("PATH", str(folder)) for word in seen.command.split()]
    files = sorted(folder.iterdir()) if words[1].endswith("*") else [words[1]]
    names = [str(file) for file in files if Path(file).name != "expected.txt"]
    assert main([words[0], *names, *words[2:]]) == seen.code
    printed = " ".join("".join(capfd.readouterr()).split())
    missing = [each for each in seen.texts if each[0] != "!" and each not in printed]
    surplus = [each for each in seen.texts if each[0] == "!" and each[1:] in printed]
    assert (missing, surplus) == ([], [])


def test_every_case_is_here() -> None:
    """The copies are cases of the table, and so is each case of the wide collection."""
    assert {folder.name for folder in SMALL.iterdir()} <= set(CASES)
    if ALL.is_dir():
        assert {folder.name for folder in ALL.iterdir()} == set(CASES)
