"""`gate --against`: many small steps, each of which passes, are seen from earlier revisions."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from jsonschema import validate

from qcachegrind_py.analysis.history import best_and_median
from qcachegrind_py.cli.main import main
from qcachegrind_py.formats.history_files import in_natural_order
from tests.profile_text import profile_text

RULES = ["--fail-if", "total>+1%", "--fail-if", "self>+3% name:=f", "--fail-if", "total>1g"]
SCHEMA = Path(__file__).parents[2] / "docs/comparison.schema.json"


@pytest.fixture
def costs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with revisions; the cost of `f` is in their names."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "costs"
    folder.mkdir()
    return folder


def write(path: Path, cost: int) -> str:
    path.write_text(profile_text(f"main@a.c 9000 -> f 1x{cost}\nf@a.c {cost}"), encoding="utf-8")
    return str(path.relative_to(path.parents[1]) if path.parent.name == "costs" else path.name)


def fill(folder: Path, *costs: int) -> None:
    for number, cost in enumerate(costs, start=1):
        write(folder / f"r{number}.out", cost)


def rules_said(capfd: pytest.CaptureFixture[str], *words: str) -> tuple[int, list[str], str]:
    code = main(["gate", *words])
    out, err = capfd.readouterr()
    return code, [line for line in out.splitlines() if " rule " in line], err


def test_a_drift(capfd: pytest.CaptureFixture[str], costs: Path) -> None:
    """Steps of 0.4 % pass; from the best of ten revisions, and the median, they are more."""
    fill(costs, *range(1000, 1440, 40))  # eleven: the first is too old
    new = write(costs.parent / "new", 1440)
    code, said, err = rules_said(capfd, new, "--against", "costs", *RULES)
    assert (code, err) == (3, "")
    assert said == [
        "Passed: rule total>+1% is not met: total 10,400 → 10,440 Ir: +40 (+0.38 %).",
        "Passed: rule self>+3% name:=f is not met.",
        "Passed: rule total>1g is not met: total 10,400 → 10,440 Ir: +40 (+0.38 %).",
        "Failed: rule total>+1% against the best of 10 revisions is met: "
        "total 10,040 → 10,440 Ir: +400 (+3.98 %), from r2.out.",
        "Failed: rule self>+3% name:=f against the best of 10 revisions is met by 1 function, "
        "from r2.out:",
        "Failed: rule total>+1% against the median of 10 revisions is met: "
        "total 10,200 → 10,440 Ir: +240 (+2.35 %), from r6.out.",
        "Failed: rule self>+3% name:=f against the median of 10 revisions is met by 1 function, "
        "from r6.out:",
    ]


def test_a_base_of_ones_own(capfd: pytest.CaptureFixture[str], costs: Path) -> None:
    """OLD is the base then, and a revision that is the base is not compared with twice."""
    fill(costs, 1000, 1000, 1100)
    new = write(costs / "r4.out", 1110)
    old = write(costs.parent / "old", 1109)
    code, said, _ = rules_said(capfd, old, new, "--against", "costs", "--fail-if", "total>+1%")
    assert (code, len(said)) == (3, 2)
    assert said[0].startswith("Passed: rule total>+1% is not met: total 10,109 → 10,110")
    assert said[1].startswith(
        "Failed: rule total>+1% against the best and the median of 3 revisions is met: "
        "total 10,000 → 10,110"
    )
    assert said[1].endswith("from r2.out.")
    fill(costs, 1100)
    for path in costs.glob("r[23]*"):
        path.unlink()
    code, said, _ = rules_said(capfd, new, "--against", "costs", "--fail-if", "total>+1%")
    assert (code, len(said)) == (0, 1)


def test_every_form_has_the_earlier_revisions(
    capfd: pytest.CaptureFixture[str], costs: Path
) -> None:
    """JSON has names instead of indexes, and JUnit a test for each rule and revision."""
    fill(costs, 1000, 1090, 1080)
    new = write(costs.parent / "new", 1100)
    line = [new, "--against", "costs", "--format", "json", "--junit", "x.xml", *RULES]
    assert main(["gate", *line]) == 3
    read = json.loads(capfd.readouterr().out)
    validate(read, json.loads(SCHEMA.read_text("utf-8")))
    (best,) = read["against"]
    assert (best["which"], best["file"]) == ("the best of 3 revisions", "costs/r1.out")
    assert [(each["text"], each["met"]) for each in best["rules"]] == [
        ("total>+1%", False),
        ("self>+3% name:=f", True),
    ]
    assert best["rules"][1]["functions"] == [{"name": "f", "file": "a.c", "object": "???"}]
    suite = ET.parse("x.xml").getroot()[0]
    assert [case.get("name") for case in suite if case.find("failure") is not None] == [
        "self>+3% name:=f against the best of 3 revisions"
    ]
    main(["gate", *line[:3], "--format", "markdown", *RULES])
    assert "## ❌ 1 of 5 rules met" in capfd.readouterr().out


def test_a_folder_without_revisions(capfd: pytest.CaptureFixture[str], costs: Path) -> None:
    """The first run has none, which is an error unless the base is optional."""
    new = write(costs / "r1.out", 1)
    text = "costs has no profile: there is no revision to compare with.\n"
    code, said, err = rules_said(capfd, new, "--against", "costs", "--fail-if", "total>+1%")
    assert (code, said, err) == (1, [], text)
    words = [new, "--against", "costs", "--base-optional", "--fail-if", "total>+1%"]
    code, said, err = rules_said(capfd, *words)
    told = "Not checked: rule total>+1% has no base to compare with."
    assert (code, said, err) == (0, [told], text)


def test_an_event_of_no_revision(capfd: pytest.CaptureFixture[str], costs: Path) -> None:
    fill(costs, 5)
    (costs / "r0.out").write_text(profile_text("f 4"), encoding="utf-8")
    for name in ("old", "new"):
        (costs.parent / name).write_text("events: Dw\nfn=f\n1 5\n", encoding="utf-8")
    words = ["old", "new", "--against", "costs", "--fail-if", "total>+1%"]
    code, _, err = rules_said(capfd, *words)
    assert code == 2
    assert err.startswith("--against: no revision in costs has the event Dw.\n")


@pytest.mark.parametrize(
    ("totals", "best", "median"),
    [
        ([5], 0, 0),
        ([5, 5], 1, 1),
        ([3, 5], 0, 0),
        ([9, 3, 5, 3, 8], 3, 2),
        ([4, 1, 2, 3], 1, 2),
    ],
)
def test_the_best_and_the_median(totals: list[int], best: int, median: int) -> None:
    """Of equal ones the newest is meant, and of two in the middle the lower one."""
    assert best_and_median(totals) == (best, median)


def test_the_order_of_names() -> None:
    assert in_natural_order(["r10", "r9", "a2b10", "a2b9", "r"]) == [
        "a2b9",
        "a2b10",
        "r",
        "r9",
        "r10",
    ]
