"""`gate --against` of suites: each benchmark has a best and a median run of its own."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from qcachegrind_py.cli.main import main
from tests.profile_text import profile_text

RULES = ["--fail-if", "total>+1%", "--fail-if", "self>+3% name:=f", "--fail-if", "total>1g"]
BEST, MEDIAN = (f"against the {which} of up to 10 revisions" for which in ("best", "median"))


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(folder: str, **costs: int) -> None:
    """Write a benchmark for each of these costs of `f`."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, cost in costs.items():
        text = profile_text(f"main@a.c 9000 -> f 1x{cost}\nf@a.c {cost}")
        (Path(folder) / f"{name}.out").write_text(text, encoding="utf-8")


def said(capfd: pytest.CaptureFixture[str], *words: str) -> tuple[int, list[str], str]:
    """Return exit code, what is said of rules, and messages."""
    code = main(["gate", *words, "--format", "rules"])
    out, err = capfd.readouterr()
    lines = out.splitlines()
    first = next((at for at, line in enumerate(lines) if " rule " in line), len(lines))
    return code, lines[first:], err


def test_a_drift_in_one_benchmark(capfd: pytest.CaptureFixture[str]) -> None:
    """Steps of 0.4 % pass; from the best of ten revisions, and the median, they are more."""
    for number, cost in enumerate(range(1000, 1440, 40), start=1):  # eleven: the first is too old
        write(f"costs/r{number}", parse=cost, text=500)
    write("new", parse=1440, text=500, fresh=7)
    code, lines, err = said(capfd, "new", "--against", "costs", *RULES)
    assert (code, err) == (3, "")
    assert lines == [
        "Passed: rule total>+1% is met in none of 3 benchmarks.",
        "Passed: rule self>+3% name:=f is met in none of 3 benchmarks.",
        "Passed: rule total>1g is met in none of 3 benchmarks.",
        f"Failed: rule total>+1% {BEST} is met in 1 of 1 benchmark:",
        "  parse: total 10,040 → 10,440 Ir: +400 (+3.98 %), from r2",
        f"Failed: rule self>+3% name:=f {BEST} is met in 1 of 1 benchmark:",
        "  f (???: a.c:1): self cost 1,040 → 1,440 Ir: +400 (+38.46 %), from r2 in parse",
        f"Failed: rule total>+1% {MEDIAN} is met in 1 of 1 benchmark:",
        "  parse: total 10,200 → 10,440 Ir: +240 (+2.35 %), from r6",
        f"Failed: rule self>+3% name:=f {MEDIAN} is met in 1 of 1 benchmark:",
        "  f (???: a.c:1): self cost 1,200 → 1,440 Ir: +240 (+20.00 %), from r6 in parse",
    ]


def test_each_benchmark_has_revisions_of_its_own(capfd: pytest.CaptureFixture[str]) -> None:
    """The last ten are those that have it, however long ago, and OLD is the base."""
    write("costs/r1", rare=1000, parse=1000)
    for number in range(2, 12):
        write(f"costs/r{number}", parse=1300 + number)
    write("old", rare=1190, parse=1300)
    write("costs/r12", rare=1200, parse=1300)  # the new one is no revision of its own history
    words = ["old", "costs/r12", "--against", "costs", "--fail-if", "total>+1%"]
    code, lines, _ = said(capfd, *words)
    assert code == 3
    assert lines == [
        "Passed: rule total>+1% is met in none of 2 benchmarks.",
        f"Failed: rule total>+1% {BEST} is met in 1 of 2 benchmarks:",
        "  rare: total 10,000 → 10,200 Ir: +200 (+2.00 %), from r1",
        f"Passed: rule total>+1% {MEDIAN} is met in none of 1 benchmark.",
    ]


def test_json_and_junit_have_the_further_rules(capfd: pytest.CaptureFixture[str]) -> None:
    for number, cost in enumerate((1000, 1090, 1080), start=1):
        write(f"costs/r{number}", a=500, parse=cost)
    write("new", a=500, parse=1110)
    words = ["new", "--against", "costs", "--fail-if", "total>+1%"]
    assert main(["gate", *words, "--format", "json", "--junit", "x.xml"]) == 3
    read = json.loads(capfd.readouterr().out)
    assert read["rules"] == [
        {"text": "total>+1%", "met": False, "benchmarks": []},
        {"text": f"total>+1% {BEST}", "met": True, "benchmarks": [0]},
    ]
    assert [each["rules"] for each in read["benchmarks"]] == [
        [
            {"text": "total>+1%", "met": False, "reason": None},
            {"text": f"total>+1% {BEST}", "met": True, "reason": None},
        ],
        [{"text": "total>+1%", "met": False, "reason": None}],
    ]
    cases = ET.parse("x.xml").getroot()[0]
    failed = [case for case in cases if case.find("failure") is not None]
    assert [(case.get("classname"), case.get("name")) for case in failed] == [
        ("parse", f"total>+1% {BEST}")
    ]


def test_no_revision_and_one_that_is_unreadable(capfd: pytest.CaptureFixture[str]) -> None:
    """The first run has none, which is an error unless the base is optional."""
    write("costs/r1", parse=1000)
    text = "costs has no folder of benchmarks: there is no revision to compare with.\n"
    words = ["--against", "costs", "--fail-if", "total>+1%"]
    code, lines, err = said(capfd, "costs/r1", *words)
    assert (code, lines, err) == (1, [], text)
    code, lines, err = said(capfd, "costs/r1", *words, "--base-optional")
    told = "Not checked: rule total>+1% has no base to compare with in any benchmark."
    assert (code, lines, err) == (0, [told], text)


def test_what_cannot_be_read_of_an_earlier_revision(capfd: pytest.CaptureFixture[str]) -> None:
    """It fails the gate after all others were checked."""
    for number, cost in enumerate((1000, 1150, 1200), start=1):
        write(f"costs/r{number}", parse=cost)
    write("new", parse=1200)
    broken = Path("costs/r1/parse.out")
    broken.write_text("# callgrind format\nfn=f\n1 5\nevents: Ir\n", encoding="utf-8")
    code, lines, err = said(capfd, "new", "--against", "costs", "--fail-if", "total>+0.1%")
    assert code == 1
    assert err.startswith(f"{broken}")
    assert lines == [
        "Passed: rule total>+0.1% is met in none of 1 benchmark.",
        f"Failed: rule total>+0.1% {BEST} is met in 1 of 1 benchmark:",
        "  parse: total 10,150 → 10,200 Ir: +50 (+0.49 %), from r2",
    ]
