"""`compare` and `gate`: exit codes, what goes where, and choices that make no sense."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import qcachegrind_py as q
from qcachegrind_py.app.doctor import scanner_speed
from qcachegrind_py.app.doctor.scanner_speed import slow_scanner_text
from qcachegrind_py.cli.main import main
from tests.profile_text import profile_text
from tests.write.drawn_comparisons import BASE, NEW

ROOT = Path(q.__file__).parents[1]
SLOW = "" if scanner_speed.COMPILED else f"{slow_scanner_text()}\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with two profiles, one of another command, and one of other events."""
    drawings = {
        "old": BASE,
        "new": NEW,
        "other": NEW.replace("-n 10", "-n 12"),
        "events": "events: Ir Dr\n cmd: ./app -n 10\n main@/src/main.c@/bin/app 100,5",
        "bad": "",
    }
    for name, drawing in drawings.items():
        text = profile_text(drawing) if drawing else "no profile\n"
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    return tmp_path


def run(capfd: pytest.CaptureFixture[str], line: str, *rules: str) -> tuple[int, str, str]:
    """Exit code, output and messages of the command, run in this process.

    The hint at a slow scanner is left out; the verdict on rules follows it.
    """
    words = [*line.split(), *(word for rule in rules for word in ("--fail-if", rule))]
    try:
        code = main(words)
    except SystemExit as ended:
        code = int(ended.code or 0)
    captured = capfd.readouterr()
    return code, captured.out, captured.err.replace(SLOW, "")


@pytest.mark.parametrize(
    ("code", "line"),
    [
        (0, "compare old new"),
        (0, "gate old new --fail-if total>+48%"),
        (0, "gate old new --strict"),
        (0, "gate new --fail-if total>4k"),
        (1, "compare missing new"),
        (1, "gate bad new --fail-if total>+1%"),
        (1, "compare old missing --format json"),
        (1, "gate old new --summary nowhere/x.md"),
        (2, "gate new --shares"),
        (2, "gate old new --fail-if total>>1"),
        (2, "gate new --fail-if Dr.self>1"),
        (3, "gate old new --fail-if total>+47%"),
        (3, "gate old new --fail-if total>+99% --fail-if is:new"),
        (3, "gate new --fail-if total>3k"),
        (3, "gate other old --fail-if called>+1 --fail-if total<+0"),
        (4, "gate old other --strict"),
        (4, "gate old other --strict --fail-if total>+1%"),
    ],
)
def test_exit_codes(code: int, line: str, folder: Path) -> None:
    """Each exit code, through a process."""
    ran = subprocess.run(
        [sys.executable, "-m", "qcachegrind_py", *line.split()],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "PATH": "", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        check=False,
    )
    assert ran.returncode == code, ran.stderr


# ------------------------------------------------------------ rules


@pytest.mark.parametrize(
    ("rule", "code"),
    [
        # sort: 1,000 → 2,250 Ir of 2,450 → 3,607; exactly, below and above
        ("self>=+125% name:sort", 3),
        ("self>+125% name:sort", 0),
        ("self>+124.999% name:sort", 3),
        ("self>=+1250 name:sort", 3),
        ("self>+1250", 0),
        ("self>=+51.02040816%t", 3),
        ("self>=+51.02040817%t", 0),
        ("total>=+1157", 3),
        ("total>+1157", 0),
        ("total>=3607", 3),
        ("total>3607", 0),
        ("called>=+20%", 3),
        ("called>+20% !is:new", 0),
        ("Dw.self>+19", 3),
        ("Dw.self>+20", 0),
        ("lib:libc self>+0", 0),
    ],
)
def test_thresholds(capfd: pytest.CaptureFixture[str], rule: str, code: int) -> None:
    """A threshold is exact: met where a cost is at it, if the rule says so, and not beside it."""
    assert run(capfd, "gate old new --shares", rule)[0] == code


def test_rules_on_calls_that_a_side_lacks(capfd: pytest.CaptureFixture[str], folder: Path) -> None:
    """Without calls on one side, inclusive costs and counts have no change, self costs have."""
    lines = [line.partition(" -> ")[0] for line in BASE.splitlines()]
    (folder / "flat").write_text(profile_text("\n".join(lines)))
    for rule in ("incl>+5%", "self>+1 called<-1"):
        reason = "the base has no calls, so only self costs can be compared."
        code, out, err = run(capfd, "gate flat new", rule)
        assert (code, err) == (2, f"--fail-if {rule} cannot be checked: {reason}\n")
        assert out.endswith(f"\nNot checked: rule {rule} cannot be checked: {reason}\n")
    assert run(capfd, "gate flat new", "self>+1k")[0] == 3
    assert run(capfd, "gate flat new", "incl>3600")[0] == 3


def test_caps_on_events_of_the_new_profile(capfd: pytest.CaptureFixture[str]) -> None:
    """A cap needs no base, not even for an event that the base lacks."""
    assert run(capfd, "gate events new", "Dw.total>50")[0] == 3
    assert run(capfd, "gate events new", "Dw.total>51")[0] == 0


def test_a_profile_against_itself_meets_no_rule_but_a_cap(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Nothing has changed, is new or gone; what is above a limit is so without a base, too."""
    changes = ["self>+0", "self<+0", "incl>+0%", "total>+0%t", "is:new", "is:gone", "is:changed"]
    assert run(capfd, "gate new new", *changes)[0] == 0
    assert run(capfd, "gate new new", "self>2k")[0] == 3


# ------------------------------------------------------------ outputs


@pytest.mark.parametrize("form", ["tsv", "csv", "json", "html", "markdown"])
def test_rules_beside_a_report(capfd: pytest.CaptureFixture[str], form: str) -> None:
    """With a report on standard output, the rules are on standard error."""
    code, out, err = run(capfd, f"gate old new --format {form}", "self>+1k")
    assert code == 3
    assert err.startswith("Failed: rule self>+1k is met by 1 function:\n  sort (")
    assert "sort" in out


def test_the_report_of_one_profile(capfd: pytest.CaptureFixture[str]) -> None:
    """Without a base, a report is what it is without rules."""
    _, plain, _ = run(capfd, "report new --format tsv")
    code, out, err = run(capfd, "gate new --format tsv", "total>1k")
    assert (code, out, err) == (3, plain, "Failed: rule total>1k is met: total 3,607 Ir.\n")


def test_files_for_a_ci_server(capfd: pytest.CaptureFixture[str], folder: Path) -> None:
    """The summary and JUnit's file are written whether or not a rule is met."""
    for rule, code, failures in (("total>+1%", 3, "1"), ("total<+1%", 0, "0")):
        line = "gate old new --summary out.md --junit out.xml"
        assert run(capfd, line, rule)[0] == code
        heading = {"1": "## ❌ 1 of 1 rule met", "0": "## ✅ No rule met"}[failures]
        assert (folder / "out.md").read_text("utf-8").startswith(heading)
        assert ET.parse(folder / "out.xml").getroot()[0].get("failures") == failures


def test_annotations_are_beside_the_report(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Annotations are on standard error, with paths in the checkout that GitHub names."""
    monkeypatch.setenv("GITHUB_WORKSPACE", "/src")
    _, out, err = run(capfd, "gate old new --format tsv --annotations github", "self>+1k")
    assert err.splitlines()[-1].startswith("::error file=sort.c,line=1,title=")
    assert "::error" not in out


def test_no_file_is_replaced_that_is_read(capfd: pytest.CaptureFixture[str], folder: Path) -> None:
    """A profile is not lost to a slip of the keyboard."""
    before = (folder / "old").read_bytes()
    for line in ("--summary old", "--junit ./new", "--summary x --junit x"):
        code, _, err = run(capfd, f"gate old new {line}", "total>+1%")
        assert code == 2
        assert err.endswith("would replace another file of this command. Choose another name.\n")
    assert (folder / "old").read_bytes() == before


# ------------------------------------------------------------ choices


@pytest.mark.parametrize("sides", ["- new", "old -"])
def test_a_side_from_standard_input(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, folder: Path, sides: str
) -> None:
    """Either side may be the output of another command."""
    _, named, _ = run(capfd, "compare old new --format tsv")
    name = "old" if sides[0] == "-" else "new"
    with (folder / name).open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        assert run(capfd, f"compare {sides} --format tsv") == (0, named, "")
