"""A gate: what it fails on in a history of changes, what it refuses, and what is damaged."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from qcachegrind_py.analysis.filters.conditions import TextCondition
from qcachegrind_py.analysis.filters.rules import parse_rule
from qcachegrind_py.app.doctor import scanner_speed
from qcachegrind_py.app.doctor.scanner_speed import slow_scanner_text
from qcachegrind_py.cli.main import main
from qcachegrind_py.profile.errors import FilterError
from tests.profile_text import profile_text
from tests.write.drawn_comparisons import BASE, NEW

HISTORY = Path(__file__).parents[1] / "data/gate/history.tar.xz"
SLOW = "" if scanner_speed.COMPILED else f"{slow_scanner_text()}\n"
VECTOR = "std::vector<unsigned int, std::allocator<unsigned int> > const&"
MIX = "/tmp/mix/mix: /home/mix/mix.cpp"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with the two drawn profiles."""
    for name, drawing in (("old", BASE), ("new", NEW)):
        (tmp_path / name).write_text(profile_text(drawing), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(
    capfd: pytest.CaptureFixture[str], line: str, *rules: str
) -> tuple[int, list[str], list[str]]:
    """Exit code, lines of output and of messages; the hint at a slow scanner is left out."""
    try:
        code = main([*line.split(), *(word for rule in rules for word in ("--fail-if", rule))])
    except SystemExit as ended:
        code = int(ended.code or 0)
    captured = capfd.readouterr()
    return code, captured.out.splitlines(), captured.err.replace(SLOW, "").splitlines()


# ------------------------------------------------------------ a history of changes

COSTS, NEW_ONES, TOTAL = "self>+5% self>+0.1%t", "is:new incl>+1%t", "total>+1%"


@pytest.fixture
def history(folder: Path) -> None:
    """Recordings of one program, before and after changes; tests/data/README.md has these."""
    with tarfile.open(HISTORY) as archive:
        for member in archive:
            content = archive.extractfile(member)
            assert content is not None
            (folder / member.name.removeprefix("callgrind.out.")).write_bytes(content.read())


@pytest.mark.usefixtures("history")
@pytest.mark.parametrize(
    ("change", "options", "lines"),
    [
        ("comment", "", []),
        ("environment", "", []),
        ("move", "", []),
        (
            "regression",
            "",
            [
                f"Failed: rule {COSTS} is met by 1 function:",
                f"  spread(unsigned int) ({MIX}:3): "
                "self cost 204,800 → 286,720 Ir: +81,920 (+40.00 %)",
                "Failed: rule total>+1% is met: total 2,299,975 → 2,381,895 Ir: +81,920 (+3.56 %).",
            ],
        ),
        (
            "rename",
            "",
            [
                f"Failed: rule {NEW_ONES} is met by 1 function:",
                f"  blend({VECTOR}) ({MIX}:12): inclusive cost 0 → 252,265 Ir: +252,265, new",
                f"  mix({VECTOR}) → blend({VECTOR}) may be a rename "
                "(100 % of their calls alike): --accept-renames compares them as one function.",
            ],
        ),
        ("rename", "--accept-renames", []),
        (
            "template",
            "",
            [
                f"Failed: rule {COSTS} is met by 1 function:",
                f"  fold<…> ({MIX}:7): self cost 123,140 → 143,620 Ir: +20,480 (+16.63 %)",
            ],
        ),
        (
            "inlining",
            "",
            [
                f"Failed: rule {COSTS} is met by 1 function:",
                f"  unsigned int fold<unsigned int>({VECTOR}) ({MIX}:9): "
                "self cost 123,140 → 286,860 Ir: +163,720 (+132.95 %)",
            ],
        ),
        ("cpu", "--fold libc", []),
    ],
)
def test_which_changes_fail(
    capfd: pytest.CaptureFixture[str], change: str, options: str, lines: list[str]
) -> None:
    """What changes no cost passes; what fails names function, file, line, numbers and a way out."""
    line = f"gate base {change} {options}"
    code, out, err = run(capfd, line, COSTS, NEW_ONES, TOTAL)
    rules = [*out[out.index("", out.index("") + 1) + 1 :], ""]  # the code of functions is below
    said = rules[: rules.index("")]
    assert [text for text in said if " is not met" not in text] == lines
    assert (code, err) == (3 if lines else 0, [])


@pytest.mark.usefixtures("history")
def test_another_processor(capfd: pytest.CaptureFixture[str]) -> None:
    """A function of the system that costs more names the option that leaves the system out."""
    code, out, _ = run(capfd, "gate base cpu", COSTS)
    assert code == 3
    assert (
        "  __GI___tunables_init (/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2: "
        "./elf/./elf/dl-tunables.c:282): self cost 3,165 → 6,889 Ir: +3,724 (+117.66 %)"
    ) in out
    assert (
        "  ld-linux-x86-64.so.2 is part of the C library: --fold libc folds it into its callers."
    ) in out


# ------------------------------------------------------------ words


@pytest.mark.parametrize(
    ("rule", "word", "meant"),
    [
        ("slef>+5%", "slef", "self"),
        ("totl>+1%", "totl", "total"),
        ("calls>+5%", "calls", "called"),
        ("Ir>+1%", "Ir", "Ir.self>+1%"),
        ("ir=5%", "ir", "Ir.total=5%"),
        ("change>1%", "change", "self, incl"),
        ("self>5 %", "%", "without blanks"),
        ("self>+5% and self>+0.1%t", "and", "all terms"),
        ("self>+5% or self>+0.1%t", "or", "all terms"),
        ("self>+5% | self>+0.1%t", "|", "all terms"),
        ("function:mix self>+5%", "function", "name, class"),
        ("Irr.self>+5%", "Irr", "Ir"),
        ("self=>+5%", "=>", ">"),
        ("self>>5", ">>", ">"),
        ("self?+5%", "?", "<, <="),
        ("self>+5%%", "self>+5%%", "self>+5%"),
        ("is:newer", "is:newer", "is:new"),
        ("self > +5%", "self", "self>+1%"),
        ("slef > +5%", ">", "without blanks"),
    ],
)
def test_words_that_a_gate_refuses(
    capfd: pytest.CaptureFixture[str], rule: str, word: str, meant: str
) -> None:
    """A slip of the keyboard is wrong usage, and never a name that no function has."""
    code, out, (message,) = run(capfd, "gate old new", rule)
    assert (code, out) == (2, [])
    assert f"“{word}”" in message
    assert meant in message


@pytest.mark.parametrize(
    "name",
    [
        "bitset<64>",
        "operator<",
        "operator<=>",
        "operator!=",
        "Foo->bar",
        "php::strlen",
        "C:\\x",
        "C:/x",
        '"slef>+5%"',
        '"and"',
        "name:and",
        "f'2",
        "~Foo()",
    ],
)
def test_names_that_a_gate_accepts(capfd: pytest.CaptureFixture[str], name: str) -> None:
    """Names with signs are names, as is all that is quoted; one that nothing has is reported."""
    code, _, err = run(capfd, "gate old new", f"{name} self>+0")
    idle = f"Rule {name} self>+0: no function of either side matches {name}."
    assert (code, err) == (0, [idle])


RULES = ["self>+5%", "!incl>=+0.1%t", "Ir.total!=10m", "called<-5", "Dw.self=1_000", "is:new"]


@given(st.sampled_from(RULES), st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
def test_one_wrong_character(
    capfd: pytest.CaptureFixture[str], rule: str, data: st.DataObject
) -> None:
    """A rule with one other character is another rule, is refused, or names nothing and says so."""
    place = data.draw(st.integers(0, len(rule) - 1))
    character = data.draw(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]))
    changed = rule[:place] + character + rule[place + 1 :]
    assume(changed != rule)
    try:
        terms = parse_rule(changed, ["Ir", "Dw", "CEst"]).terms
    except FilterError:
        terms = ()
    code, _, err = run(capfd, "gate old new", changed)
    assert (code == 2) is not bool(terms)
    assert err or not any(isinstance(term.condition, TextCondition) for term in terms)


# ------------------------------------------------------------ reasons


def test_all_reasons_are_printed(capfd: pytest.CaptureFixture[str], folder: Path) -> None:
    """Of several exit codes, 1 comes before 2, 2 before 4, and 4 before 3."""
    (folder / "other").write_text(profile_text(NEW.replace("-n 10", "-n 12")))
    rule = "Failed: rule total>+1% is met: total 2,450 → 3,607 Ir: +1,157 (+47.22 %)."
    differ = "The runs are not comparable; they differ in: Command."
    unknown = (
        "--fail-if “slef>1”: unknown word “slef”. Did you mean self? "
        'Quotes make it a name: "slef>1".'
    )
    missing = "cannot be read: No such file or directory. Check whether it was moved or misspelled."
    file, usage = (
        "a file could not be read or written",
        "wrong usage, or a rule that cannot be checked",
    )
    damaged, met = "the profiles are damaged or not comparable", "a rule is met"

    code, out, err = run(capfd, "gate a b --strict", "slef>1", "total>+1%")
    assert (code, out) == (1, [])
    assert err == [
        f"a {missing}",
        "Where there is no base yet, as in a first run, --base-optional goes on without one.",
        f"b {missing}",
        unknown,
        f"Exit code 1: {file}. Besides, {usage}.",
    ]
    code, out, err = run(capfd, "gate old other --strict", "slef>1", "total>+1%")
    assert (code, out) == (2, [])
    assert err == [unknown, differ, rule, f"Exit code 2: {usage}. Besides, {damaged}, and {met}."]
    code, out, err = run(capfd, "gate old other --strict --junit no/x.xml", "total>+1%")
    assert (code, out[-1]) == (1, rule)
    assert err == [
        differ,
        "no/x.xml cannot be written: No such file or directory. Choose an existing folder.",
        f"Exit code 1: {file}. Besides, {damaged}, and {met}.",
    ]
    code, out, err = run(capfd, "gate old other --strict", "total>+1%")
    assert (code, out[-1], err) == (4, rule, [differ, f"Exit code 4: {damaged}. Besides, {met}."])


def test_an_empty_list_stops_no_rule(capfd: pytest.CaptureFixture[str], folder: Path) -> None:
    """Files are written and rules checked, whatever the list of functions has."""
    line = "gate new new --filter is:changed --summary x.md --format text"
    code, out, err = run(capfd, line, "total>1k")
    assert (code, err) == (3, ["--filter is:changed: no function matches."])
    assert out[-1] == "No function is listed."
    assert (folder / "x.md").read_text("utf-8").startswith("## ❌ 1 of 1 rule met")
    assert run(capfd, line + " --strict")[0] == 0


@pytest.mark.parametrize(
    ("costs", "rule", "code"),
    [
        (("0", "0"), "total>+1%", 0),
        (("0", "5"), "total>+1%", 3),
        (("0", "0"), "self>+1%t", 0),
        (("0", "0"), "self>=+0%t", 0),
        (("0", "5"), "self>+1%t", 3),
        (("-5", "5"), "total>+1%", 2),
        (("-5", "5"), "self>+1%t", 2),
        (("5", "-5"), "incl>1%", 2),
        (("5", "0"), "incl>1%", 2),
        (("-5", "-5"), "total>+1", 0),
    ],
)
def test_percentages_of_nothing(
    capfd: pytest.CaptureFixture[str], folder: Path, costs: tuple[str, str], rule: str, code: int
) -> None:
    """Nothing is a percentage of a total of 0 or less; from 0 to 0 is no change, and to more is."""
    for name, cost in zip(("a", "b"), costs, strict=True):
        (folder / name).write_text(f"events: Ir\nfn=f\n1 {cost}\n")
    got, _, err = run(capfd, "gate a b", rule)
    assert got == code
    assert any("the total of Ir" in line and rule in line for line in err) is (code == 2)


# ------------------------------------------------------------ damage

WHOLE = "creator: callgrind-3.19.0\nevents: Ir\n{}fl=a.c\nfn=f\n1 60\nfn=g\n2 40\n\ntotals: 100\n"


@pytest.mark.parametrize(
    ("content", "line", "message"),
    [
        (
            WHOLE.format("").partition("fn=g")[0],
            5,
            "The final totals are missing: the file may be truncated here.",
        ),
        (
            WHOLE.format("summary: 100\n").partition("totals")[0],
            9,
            "The final totals are missing: the file may be truncated here.",
        ),
        (
            WHOLE.format("").partition("0\nfn=g")[0],
            5,
            "The last line is incomplete: the file may be truncated here: “1 6”.",
        ),
        (
            WHOLE.format("").replace("2 40", "2 30"),
            9,
            "The recorded totals differ from the sum of the cost lines: “Ir: 100, summed 90”.",
        ),
        (
            "events: Ir\nfn=f\n1 60\ncfn=g\ncalls=1 2\nfn=g\n2 40\n",
            6,
            "calls= without a cost line; the call was ignored: “fn=g”.",
        ),
        ("events: Ir\nfn=f\n1 60 x\n", 3, "Not a number; ignored: “1 60 x”."),
        (
            "events: Ir\nsummary: 5\nfn=f\n1 60\n",
            2,
            "The recorded summary is less than the sum of the cost lines: “Ir: 5, summed 60”.",
        ),
    ],
)
def test_damage(
    capfd: pytest.CaptureFixture[str], folder: Path, content: str, line: int, message: str
) -> None:
    """A file that is cut or lacks costs fails --strict on either side, and stands in every form."""
    (folder / "whole").write_text(WHOLE.format(""))
    (folder / "cut").write_text(content)
    sentence = f"cut is damaged at line {line}: {message}"
    for sides in ("whole cut", "cut whole", "cut"):
        code, out, err = run(capfd, f"gate {sides} --strict", "total>1k")
        refused = f"{sentence} What is lost is in no number, and --strict refuses the file."
        assert (code, [each for each in err if "damaged" in each]) == (4, [refused])
        code, out, err = run(capfd, f"gate {sides}", "total>1k")
        warning = f"{sentence} What is lost is in no number: the rules may be wrong."
        assert (code, err[-1]) == (0, f"Warning: {warning} --strict refuses such files.")
        assert any(each.split(maxsplit=1)[-1] == sentence for each in out)
    assert any(" found in cut." in each for each in err)
    for form in ("text", "markdown", "html"):
        _, out, _ = run(capfd, f"compare whole cut --format {form}")
        assert any(f"cut is damaged at line {line}: " in each for each in out), form
    read = json.loads(run(capfd, "compare whole cut --format json")[1][0])
    assert (read["base"]["damaged"], read["new"]["damaged"]) == ([], ["cut"])
    found = [(each["file"], each["line"], each["message"]) for each in read["new"]["diagnostics"]]
    assert ("cut", line, message) in found
    run(capfd, "gate whole cut --strict --junit x.xml")
    (case,) = ET.parse(folder / "x.xml").getroot().iter("failure")
    assert (case.text or "").splitlines()[0] == sentence


def test_what_is_no_damage(capfd: pytest.CaptureFixture[str], folder: Path) -> None:
    """Oddities that lose no cost pass: Callgrind's own summary is too small after signals."""
    for content in (
        WHOLE.format("summary: 90\n"),
        WHOLE.format("").replace("2 40", "2 40 7"),
        WHOLE.format("").replace("fn=g", "fn=(3)"),
        WHOLE.format("odd\n"),
        WHOLE.format("summary: 190\n"),
    ):
        (folder / "odd").write_text(content)
        code, _, err = run(capfd, "gate odd odd --strict", "total>1k")
        assert code == 0
        assert [each for each in err if "damaged" in each] == []


def test_damage_of_each_file(capfd: pytest.CaptureFixture[str], folder: Path) -> None:
    """A file with many oddities does not hide those of the next one."""
    (folder / "a").write_text("events: Ir\nfn=f\n" + "calls=1 1\nfn=f\n" * 150 + "1 1\n")
    (folder / "b").write_text("events: Ir\nfn=f\ncalls=1 1\nfn=f\n1 1\n")
    code, _, err = run(capfd, "gate --base new a b --strict")
    assert code == 4
    assert [each.split()[0] for each in err if "damaged" in each][:2] == ["a", "b"]
