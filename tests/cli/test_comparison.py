"""`--base` and `--fail-if`: exit codes, what goes where, and choices that make no sense."""

from __future__ import annotations

import json
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
        (0, "--base old --report text new"),
        (0, "--base old --fail-if total>+48% new"),
        (0, "--base old --strict new"),
        (0, "--fail-if total>4k new"),
        (1, "--base missing --report text new"),
        (1, "--base bad --fail-if total>+1% new"),
        (1, "--base old --report json missing"),
        (1, "--base old --summary nowhere/x.md new"),
        (2, "--base old --shares new"),
        (2, "--base old --fail-if total>>1 new"),
        (2, "--fail-if Dr.self>1 new"),
        (3, "--base old --fail-if total>+47% new"),
        (3, "--base old --fail-if total>+99% --fail-if is:new new"),
        (3, "--fail-if total>3k new"),
        (3, "--base other --fail-if called>+1 old --fail-if total<+0"),
        (4, "--base old --strict other"),
        (4, "--base old --strict --fail-if total>+1% other"),
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
    assert run(capfd, "--base old --shares new", rule)[0] == code


@pytest.mark.parametrize(
    ("line", "rule", "message"),
    [
        (
            "--base events new",
            "Dw.self>+1",
            "--fail-if Dw.self>+1: The event Dw is in the new profile only.",
        ),
        (
            "--base events new",
            "Dr.self>1",
            "--fail-if Dr.self>1: The event Dr is in the base only.",
        ),
        (
            "--base old --shares new",
            "Dr.total>+1",
            "--fail-if “Dr.total>+1”: unknown event “Dr”. Known: Ir, Dw. "
            'Quotes make it a name: "Dr.total>+1".',
        ),
        (
            "new",
            "self>+5%",
            "--fail-if “self>+5%”: a number with a sign is a change, which needs a base.",
        ),
        ("new", "is:new", "--fail-if “is:new”: is:new is about a change, which needs a base."),
    ],
)
def test_rules_on_events_that_a_side_lacks(
    capfd: pytest.CaptureFixture[str], line: str, rule: str, message: str
) -> None:
    """A rule that cannot be checked is wrong usage, since it would never be met."""
    assert run(capfd, line, rule) == (2, "", f"{message}\n")


def test_rules_on_calls_that_a_side_lacks(capfd: pytest.CaptureFixture[str], folder: Path) -> None:
    """Without calls on one side, inclusive costs and counts have no change, self costs have."""
    lines = [line.partition(" -> ")[0] for line in BASE.splitlines()]
    (folder / "flat").write_text(profile_text("\n".join(lines)))
    for rule in ("incl>+5%", "self>+1 called<-1"):
        reason = "the base has no calls, so that only self costs can be compared."
        assert run(capfd, "--base flat new", rule) == (2, "", f"--fail-if {rule}: {reason}\n")
    assert run(capfd, "--base flat new", "self>+1k")[0] == 3
    assert run(capfd, "--base flat new", "incl>3600")[0] == 3


def test_caps_on_events_of_the_new_profile(capfd: pytest.CaptureFixture[str]) -> None:
    """A cap needs no base, not even for an event that the base lacks."""
    assert run(capfd, "--base events new", "Dw.total>50")[0] == 3
    assert run(capfd, "--base events new", "Dw.total>51")[0] == 0


def test_a_profile_against_itself_meets_no_rule_but_a_cap(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Nothing has changed, is new or gone; what is above a limit is so without a base, too."""
    changes = ["self>+0", "self<+0", "incl>+0%", "total>+0%t", "is:new", "is:gone", "is:changed"]
    assert run(capfd, "--base new new", *changes)[0] == 0
    assert run(capfd, "--base new new", "self>2k")[0] == 3


# ------------------------------------------------------------ outputs


def test_a_gate_prints_what_it_found(capfd: pytest.CaptureFixture[str]) -> None:
    """Without a report, facts, totals and rules are on standard output, and nothing else."""
    code, out, err = run(capfd, "--base old --shares new", "self>+1k", "total<+0")
    assert (code, err) == (3, "")
    assert out.startswith("Base:    old\nNew:     new\n")
    assert out.endswith(
        "Rule self>+1k is met by 1 function:\n"
        "  sort (/bin/app: /src/sort.c:1): self cost 1,000 → 2,250 Ir: +1,250 (+125.00 %)\n"
        "Rule total<+0 is not met: total 2,450 → 3,607 Ir: +1,157 (+47.22 %).\n"
    )


@pytest.mark.parametrize("form", ["tsv", "csv", "json", "html", "markdown"])
def test_rules_beside_a_report(capfd: pytest.CaptureFixture[str], form: str) -> None:
    """With a report on standard output, the rules are on standard error."""
    code, out, err = run(capfd, f"--base old --report {form} new", "self>+1k")
    assert code == 3
    assert err.startswith("Rule self>+1k is met by 1 function:\n  sort (")
    assert "sort" in out


def test_rules_within_the_text(capfd: pytest.CaptureFixture[str]) -> None:
    """A text has the rules itself, once."""
    code, out, err = run(capfd, "--base old --report text --limit 1 new", "self>+1k")
    assert (code, err, out.count("Rule self>+1k")) == (3, "", 1)
    assert [line for line in out.splitlines() if " old (" in line] == []


def test_the_report_of_one_profile(capfd: pytest.CaptureFixture[str]) -> None:
    """Without a base, a report is what it is without rules."""
    _, plain, _ = run(capfd, "--report tsv new")
    code, out, err = run(capfd, "--report tsv new", "total>1k")
    assert (code, out, err) == (3, plain, "Rule total>1k is met: total 3,607 Ir.\n")


def test_json_has_the_exit_code(capfd: pytest.CaptureFixture[str]) -> None:
    """The exit code of JSON is that of the process."""
    for line, rule, code in (
        ("--base old --report json new", "total>+1%", 3),
        ("--base old --report json new", "total<+1%", 0),
        ("--base old --report json --strict other", "total>+1%", 4),
    ):
        got, out, _ = run(capfd, line, rule)
        assert (got, json.loads(out)["exit"]) == (code, code)


def test_runs_that_are_not_comparable(capfd: pytest.CaptureFixture[str]) -> None:
    """What differs is said before any number, and with --strict once more as the reason."""
    _, out, err = run(capfd, "--base old --report text --strict other")
    assert out.splitlines()[2] == "Differs: Command: ./app -n 10 → ./app -n 12"
    assert err == "The runs are not comparable; they differ in: Command.\n"


def test_a_base_that_is_not_there_yet(capfd: pytest.CaptureFixture[str]) -> None:
    """With --base-optional, costs are reported without a base, and changes left open."""
    line = "--base missing --base-optional --report json new"
    code, out, err = run(capfd, line, "self>+1%", "total>1")
    assert (code, json.loads(out)["base"]) == (3, None)
    assert err.splitlines() == [
        "missing does not exist: there is no base to compare with.",
        "Rule self>+1% is not checked, as there is no base.",
        "Rule total>1 is met: total 3,607 Ir.",
    ]
    assert run(capfd, "--base bad --base-optional --report json new")[0] == 1


def test_files_for_a_ci_server(capfd: pytest.CaptureFixture[str], folder: Path) -> None:
    """The summary and JUnit's file are written whether or not a rule is met."""
    for rule, code, failures in (("total>+1%", 3, "1"), ("total<+1%", 0, "0")):
        line = "--base old --summary out.md --junit out.xml new"
        assert run(capfd, line, rule)[0] == code
        heading = {"1": "## ❌ 1 of 1 rule met", "0": "## ✅ No rule met"}[failures]
        assert (folder / "out.md").read_text("utf-8").startswith(heading)
        assert ET.parse(folder / "out.xml").getroot()[0].get("failures") == failures


def test_annotations_are_beside_the_report(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Annotations are on standard error, with paths in the checkout that GitHub names."""
    monkeypatch.setenv("GITHUB_WORKSPACE", "/src")
    _, out, err = run(capfd, "--base old --report tsv --annotations github new", "self>+1k")
    assert err.splitlines()[-1].startswith("::error file=sort.c,line=1,title=")
    assert "::error" not in out


def test_no_file_is_replaced_that_is_read(capfd: pytest.CaptureFixture[str], folder: Path) -> None:
    """A profile is not lost to a slip of the keyboard."""
    before = (folder / "old").read_bytes()
    for line in ("--summary old", "--junit ./new", "--summary x --junit x"):
        code, _, err = run(capfd, f"--base old {line} new", "total>+1%")
        assert code == 2
        assert err.endswith("would replace another file of this command. Choose another name.\n")
    assert (folder / "old").read_bytes() == before


# ------------------------------------------------------------ choices


def first_names(out: str) -> list[str]:
    """The names of the functions in a TSV."""
    titles, *rows = [line.split("\t") for line in out.splitlines()]
    return [row[titles.index("name")] for row in rows]


@pytest.mark.parametrize(
    ("choice", "names"),
    [
        ("--limit 2", ["sort", "old"]),
        ("--sort growth --limit 2", ["sort", "less"]),
        ("--sort change:inclusive --limit 2", ["sort", "main"]),
        ("--sort calls --limit 1", ["less"]),
        ("--only gone", ["old"]),
        ("--only grown --sort base", ["sort", "less", "fresh"]),
        ("--filter is:changed --event Dw", ["sort", "old", "fresh", "main"]),
        ("--filter self<-100", ["old"]),
        ("--shares --only grown", ["sort", "fresh"]),
        ("--per-call less --only grown", ["sort", "fresh"]),
    ],
)
def test_choices(capfd: pytest.CaptureFixture[str], choice: str, names: list[str]) -> None:
    """Order, limit, filter and measure apply to the comparison."""
    code, out, _ = run(capfd, f"--base old --report tsv {choice} new")
    assert (code, first_names(out)) == (0, names)


def test_several_events(capfd: pytest.CaptureFixture[str]) -> None:
    """Events stand side by side, also derived ones; JSON has the derived ones, too."""
    _, out, _ = run(capfd, "--base old --report tsv --events Dw,All=Ir+Dw new")
    assert out.split("\t")[0] == "self change Dw"
    assert run(capfd, "--base old --shares --events All=Ir+Dw new", "All.total>+1%")[0] == 3
    _, out, _ = run(capfd, "--base old --report json --events IPD=Ir/Dw new")
    read = json.loads(out)
    assert read["events"] == ["Ir", "Dw", "IPD"]
    assert read["total"]["IPD"]["base"] == pytest.approx(2450 / 33)


def test_a_function_per_call_of_which_there_are_two(
    capfd: pytest.CaptureFixture[str], folder: Path
) -> None:
    """--in says which function the calls of are meant."""
    functions = "main@a.c@app 9 -> f 3x6\n f@a.c@app 6"
    text = profile_text(functions) + "fl=b.c\nfn=f\n1 4\n"
    (folder / "two").write_text(text)
    line = "--base two --report tsv --per-call f two"
    code, _, err = run(capfd, line)
    assert (code, err[:22]) == (2, "2 functions are called")
    code, out, _ = run(capfd, f"{line} --in a.c")
    assert (code, out.splitlines()[1].split("\t")[1:3]) == (0, ["3.0", "3.0"])


@pytest.mark.parametrize("sides", ["--base - new", "--base old -"])
def test_a_side_from_standard_input(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, folder: Path, sides: str
) -> None:
    """Either side may be the output of another command."""
    _, named, _ = run(capfd, "--base old --report tsv new")
    name = "old" if "--base -" in sides else "new"
    with (folder / name).open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        assert run(capfd, f"{sides} --report tsv") == (0, named, "")


@pytest.mark.parametrize(
    ("rules", "pairs"),
    [
        ("", {"new_sort": "new", "old_sort": "gone"}),
        ("--mod-funcname s/^(old|new)_//", {"new_sort": "rule"}),
        ("--mod-funcname s/old/new/", {"new_sort": "rule"}),
    ],
)
def test_rules_for_names(
    capfd: pytest.CaptureFixture[str], folder: Path, rules: str, pairs: dict[str, str]
) -> None:
    """Functions are paired by the names that the rules make of theirs, and shown by their own."""
    for name in ("old", "new"):
        text = profile_text(f"{name}_sort@/{name}/sort.c@app 5")
        (folder / f"{name}.sort").write_text(text)
    _, out, _ = run(capfd, f"--base old.sort --report tsv {rules} new.sort")
    rows = [line.split("\t") for line in out.splitlines()[1:]]
    assert {row[11]: row[10] for row in rows} == pairs


RENAMED = """
    {0}@a.c@app 10 -> one 1x1, two 1x1, three 1x1
    one@a.c@app 1
    two@a.c@app 1
    three@a.c@app 1
    """


def test_renamed_functions(capfd: pytest.CaptureFixture[str], folder: Path) -> None:
    """They are proposed, and paired only if that is asked for; rules take them as they are."""
    for name in ("before", "after"):
        (folder / name).write_text(profile_text(RENAMED.format(name)))
    _, out, _ = run(capfd, "--base before --report text after")
    assert "Renamed?: before → after, 100 % of their calls alike\n" in out
    _, out, _ = run(capfd, "--base before --report json after")
    (proposal,) = json.loads(out)["proposals"]
    assert (proposal["base"]["name"], proposal["new"]["name"]) == ("before", "after")
    assert proposal["alike"] == 1.0
    assert run(capfd, "--base before after", "is:new")[0] == 3
    assert run(capfd, "--base before --accept-renames after", "is:new")[0] == 0
    _, out, _ = run(capfd, "--base before --accept-renames --report tsv after")
    pairs = {row.split("\t")[11]: row.split("\t")[10] for row in out.splitlines()[1:]}
    assert pairs == {"after": "accepted", "one": "exact", "two": "exact", "three": "exact"}


def test_repeated_runs(capfd: pytest.CaptureFixture[str], folder: Path) -> None:
    """Costs are medians, and only what is out of the range of the other side has changed."""
    for name, noisy, grown in (
        ("a1", 100, 10),
        ("a2", 104, 11),
        ("a3", 101, 12),
        ("b1", 103, 20),
        ("b2", 110, 25),
    ):
        text = f"noisy@a.c {noisy}\n grown@a.c {grown}\n same@a.c 5"
        (folder / name).write_text(profile_text(text))
    sides = "--base a1 --base a2 --base a3 --repeats b1 b2"
    code, out, _ = run(capfd, f"{sides} --report text", "self>+1%", "self>+1% is:changed")
    lines = out.splitlines()
    assert code == 3
    assert "Runs:   3 → 2: costs are medians" in lines
    assert lines[-3:] == [
        "   +11  +100.00    11   22       –  grown (???: a.c)",
        "    +5    +4.95   101  106       –  noisy (???: a.c) [within noise]",
        "     0     0.00     5    5       –  same (???: a.c)",
    ]
    assert "Rule self>+1% is met by 2 functions:" in lines
    assert "Rule self>+1% is:changed is met by 1 function:" in lines
    read = json.loads(run(capfd, f"{sides} --report json")[1])
    assert [each["changed"] for each in read["functions"]] == [
        {"Ir": v} for v in (True, False, False)
    ]
    assert read["total"]["Ir"] == {"base": 118, "new": 134, "change": 16}
    assert read["comparable"] == []
    titles, *rows = [
        line.split("\t") for line in run(capfd, f"{sides} --report tsv")[1].splitlines()
    ]
    assert [row[titles.index("changed")] for row in rows] == ["1", "0", "0"]


def test_medians_have_no_remainder(capfd: pytest.CaptureFixture[str], folder: Path) -> None:
    """The median of the totals is no sum of medians, so that a difference means nothing."""
    for name, f, g in (("a1", 10, 1), ("a2", 1, 10), ("a3", 5, 5), ("b1", 7, 7)):
        (folder / name).write_text(profile_text(f"f@a.c {f}\n g@a.c {g}"))
    sides = "--base a1 --base a2 --base a3 --repeats b1"
    code, out, err = run(capfd, f"{sides} --report text", "total>+1%")
    assert code == 3
    assert "Rule total>+1% is met: total 11 → 14 Ir: +3 (+27.27 %)." in out.splitlines()
    assert "attributed" not in out + err
    read = json.loads(run(capfd, f"{sides} --report json")[1])
    assert read["total"]["Ir"] == {"base": 11, "new": 14, "change": 3}
    assert read["attributed"]["Ir"] == {"base": 10, "new": 14, "change": 4}
    assert read["remainder"]["Ir"] is None
    assert read["gross"]["Ir"] == {"grown": 4, "shrunk": 0}


def test_a_rule_that_only_the_recorded_total_meets(
    capfd: pytest.CaptureFixture[str], folder: Path
) -> None:
    """It fails, since a run that costs more is a fact, and says that no function changed."""
    for name, total in (("before", 100), ("after", 150)):
        (folder / name).write_text(f"events: Ir\nsummary: {total}\nfl=a.c\nfn=f\n1 90\n")
    code, out, _ = run(capfd, "--base before after", "total>+1%")
    assert code == 3
    assert out.splitlines()[-1] == (
        "Rule total>+1% is met: total 100 → 150 Ir: +50 (+50.00 %), "
        "but no function changed: only the recorded total did."
    )


def test_a_cycle_of_one_side(capfd: pytest.CaptureFixture[str], folder: Path) -> None:
    """f and g have a cost in the base that its own report does not show, and the rows say so."""
    base = "main@a.c 1 -> f 1x10\n f@a.c 5 -> g 1x5\n g@a.c 5"
    for name, text in (("before", base), ("after", f"{base} -> f 1x1")):
        (folder / name).write_text(profile_text(text))
    alone = json.loads(run(capfd, "--report json before")[1])["functions"]
    assert {each["name"]: each["inclusive"]["Ir"] for each in alone} == {
        "main": 11,
        "f": 10,
        "g": 5,
    }
    read = json.loads(run(capfd, "--base before --report json after")[1])["functions"]
    assert {each["new"][0]["name"]: (each["inclusive"]["Ir"], each["cycle"]) for each in read} == {
        "main": ([11, 11], 0),
        "f": ([5, 5], 1),
        "g": ([5, 5], 1),
    }
    line = "--base before --sort base:inclusive --report"
    _, out, _ = run(capfd, f"{line} text after", "incl>+0")
    lines = out.splitlines()
    assert lines[2] == (
        "Cycles: 2 functions are in a cycle that differs on one side alone; "
        "inclusive costs leave out the calls within it on both"
    )
    assert [each.endswith(" [cycle differs]") for each in lines[-3:]] == [False, True, True]
    _, out, _ = run(capfd, f"{line} tsv after")
    assert [row.split("\t")[-1] for row in out.splitlines()] == ["cycle", "0", "1", "1"]
    for form in ("html", "markdown"):
        out = run(capfd, f"{line} {form} after")[1]
        assert out.count("cycle differs") == 2
        assert "2 functions are in a cycle that differs on one side alone" in out
    for options in ("--no-cycles --base before", "--base after"):
        read = json.loads(run(capfd, f"{options} --report json after")[1])["functions"]
        assert [each["cycle"] for each in read] == [0, 0, 0]


def test_mangled_names(capfd: pytest.CaptureFixture[str], folder: Path) -> None:
    """Rules find readable names; pages show them, and reports have them as recorded."""
    for name, cost in (("before", 5), ("after", 9)):
        (folder / name).write_text(profile_text(f"_ZN2ns3addEi@a.cpp@app {cost}"))
    for form, shown in (
        ("tsv", "_ZN2ns3addEi"),
        ("text", "_ZN2ns3addEi"),
        ("html", "ns::add(int)"),
    ):
        code, out, _ = run(capfd, f"--base before --report {form} after", "self>+1 name:ns::add")
        assert code == 3
        assert shown in out
    functions = json.loads(run(capfd, "--base before --report json after")[1])["functions"]
    assert functions[0]["new"][0]["name"] == "_ZN2ns3addEi"


def test_a_filter_without_a_base(capfd: pytest.CaptureFixture[str]) -> None:
    """Where an optional base is not there, a term about a change leaves nothing out."""
    line = "--base missing --base-optional --report tsv --filter {} new"
    for filter_, count in (("self>+5%", 5), ("is:new", 5), ("self>1k", 2)):
        _, out, _ = run(capfd, line.format(filter_))
        assert len(out.splitlines()) == 1 + count


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--base old --report text --mod-funcname s/a new", "--mod-funcname 's/a' is not of the"),
        ("--base old --report text --mod-filename s/(/x/ new", "--mod-filename 's/(/x/' is not a"),
        ("--base old --shares new", "--shares needs --report or --fail-if"),
        ("--base old --repeats new", "--repeats needs --report or --fail-if"),
        ("--base-program app new", "--base-program needs a --base"),
        ("--base old --base-program app --report text new", "--base-program is for the window"),
        ("--base old --report text", "--report needs a FILE"),
        ("--base old --strict", "--base needs a FILE to compare with it"),
        ("--report markdown new", "--report markdown needs a --base"),
        ("--shares --report text new", "--shares needs a --base"),
        ("--repeats --report text new old", "--repeats needs a --base"),
        ("--base old --repeats --siblings --report text new", "--repeats takes each file as a run"),
        ("--base old --calls main new", "--base excludes --annotate, --calls and --path"),
        ("--base old --save x --fail-if total>1 new", "--base excludes --save and --tree"),
        ("--base old --report tsv --percent new", "--threshold, --percent and --parts"),
        ("--base old --report json --shares new", "--shares and --per-call are for people"),
        (
            "--base old --report text --sort self new",
            "--sort is change, growth, base, new or calls",
        ),
        ("--base old --report text --sort change:x new", "--sort goes by self or inclusive cost"),
        ("--summary x.md new", "--summary, --junit and --annotations need --fail-if or --base"),
        ("--base old --fail-if self>+1 --filter lib:app new", "a rule has terms of its own"),
        ("--fail-if total>1", "--fail-if needs a FILE"),
        ("--fail-if total>1 --screenshot x.png new", "--fail-if excludes --save and --screenshot"),
        ("--base old --fail-if self new", "--fail-if “self”: a comparison follows"),
        ("--base old --report text --per-call nobody new", "nobody"),
        ("--base old --report text --per-call fresh new", "--per-call fresh: it is not called in"),
        ("--base events --report text --event Dw new", "The event Dw is in the new profile only."),
        ("--base old --report text --filter self>+x new", "--filter “self>+x”: after >"),
    ],
)
def test_wrong_usage(capfd: pytest.CaptureFixture[str], line: str, message: str) -> None:
    """A choice that makes no sense is refused with the reason."""
    code, out, err = run(capfd, line)
    assert (code, out) == (2, "")
    assert message in err
