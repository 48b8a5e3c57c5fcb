"""Functions folded into their callers in reports, saved profiles and comparisons."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest

import qcachegrind_py as q
from qcachegrind_py.app.doctor import scanner_speed
from qcachegrind_py.app.doctor.scanner_speed import slow_scanner_text
from qcachegrind_py.cli.main import main
from tests.profile_rows import text_bytes

DOCS = Path(q.__file__).parents[1] / "docs"
SLOW = "" if scanner_speed.COMPILED else f"{slow_scanner_text()}\n"
# Two callers pass `compare` to a sort of the library, which allocates memory of its own.
DRAWING = """
    creator: drawn by hand
    cmd: ./a.out
    events: Ir
    summary: 200
    ob=/bin/a.out
    fl=a.c
    fn=main
    1 10
    cfn=few
    calls=1 5
    2 40
    cfn=many
    calls=1 9
    3 90
    cfn=print
    calls=1 20
    4 60
    fn=few
    5 5
    cob=/lib/libc-2.36.so
    cfi=sort.c
    cfn=qsort
    calls=1 1
    6 35
    fn=many
    9 20
    cob=/lib/libc-2.36.so
    cfi=sort.c
    cfn=qsort
    calls=1 1
    10 70
    fn=compare
    15 45
    fn=print
    20 10
    cob=/lib/libc-2.36.so
    cfi=printf.c
    cfn=printf
    calls=1 1
    21 50
    ob=/lib/libc-2.36.so
    fl=sort.c
    fn=qsort
    1 40
    cob=/bin/a.out
    cfi=a.c
    cfn=compare
    calls=9 15
    2 45
    cfi=malloc.c
    cfn=malloc
    calls=2 1
    3 20
    fl=printf.c
    fn=printf
    1 50
    fl=malloc.c
    fn=malloc
    1 20
    """


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "callgrind.out.1"
    path.write_bytes(text_bytes(DRAWING))
    return path


def said(capfd: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Exit code, output and messages of the command."""
    try:
        code = main(list(map(str, arguments)))
    except SystemExit as error:
        code = int(error.code or 0)
    captured = capfd.readouterr()
    return code, captured.out, captured.err.replace(SLOW, "")


def functions(out: str) -> list[str]:
    """Inclusive cost, self cost, called count and name of each row of a table as TSV."""
    rows = [line.split("\t") for line in out.splitlines()[1:]]
    return [" ".join((*row[:3], row[4])) for row in rows]


NOTE = "Self costs of 2 functions are partly estimates, since it is not recorded who caused them.\n"


@pytest.mark.parametrize(
    "options",
    [
        ("--fold", "libc"),
        ("--fold", "fold:lib:libc"),
        ("--filter", "fold:libc"),
        ("--fold", "qsort", "--fold", "malloc", "--fold", "printf"),
        ("--fold", "qsort malloc", "--filter", "fold:printf"),
        ("--fold", "only:lib:a.out"),
        ("--fold", "stdlib"),
    ],
)
def test_folded_functions_are_charged_to_their_callers(
    path: Path, capfd: pytest.CaptureFixture[str], options: tuple[str, ...]
) -> None:
    """However the folds are written; what is an estimate is said where the form has no sign."""
    code, out, err = said(capfd, "report", *options, path, "--format", "tsv")
    assert (code, err) == (0, NOTE)
    assert functions(out) == [
        "200 10 0 main",
        "90 60 1 many",  # 20, and two thirds of qsort and malloc
        "60 60 1 print",
        "45 45 9 compare",
        "40 25 1 few",
    ]


def test_the_head_names_folds_and_estimates(path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The facts are those of the file; costs that are partly estimates have a sign."""
    _, out, err = said(capfd, "report", path, "--fold", "libc")
    head, table = out.split("\n\n")
    assert err == ""
    assert head.splitlines()[-3:] == [
        "Folded:      fold:libc",
        "             3 functions are folded into the callers",
        "             self costs of 2 functions are partly estimates (≈)",
    ]
    assert "Contents:    8 functions in 4 files of 2 objects" in head
    rows = [re.sub(r" +", " ", line.strip()).split(" ") for line in table.splitlines()[2:]]
    estimated = {row[5] for row in rows if row[2].startswith("≈")}
    assert estimated == {"few", "many"}
    assert len({line.index("%") for line in table.splitlines()[1:2]}) == 1


def test_exact_charges_are_called_exact(path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    _, out, _ = said(capfd, "report", path, "--fold", "printf")
    assert "1 function is folded into the callers" in out
    assert "the folded costs are exact" in out
    assert "≈" not in out
    assert said(capfd, "report", path, "--format", "tsv", "--fold", "printf")[2] == ""


def test_a_function_without_callers_remains(path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    _, out, _ = said(capfd, "report", path, "--fold", "only:name:=print")
    assert (
        "6 functions are folded into the callers; 1 remains, since it is not known which caller "
        "caused the cost" in out
    )


def test_json_has_folds_and_charges(path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Only where something is folded; calls refer to the functions that are listed."""
    plain = json.loads(said(capfd, "report", path, "--format", "json")[1])
    read = json.loads(said(capfd, "report", path, "--format", "json", "--fold", "libc")[1])
    assert read["folds"] == ["fold:libc"]
    assert set(read) - {"folds"} == set(plain)
    assert read["totals"] == plain["totals"] == {"Ir": 200}
    of = {function["name"]: function for function in read["functions"]}
    assert set(of) == {"main", "few", "many", "print", "compare"}
    assert (of["print"]["charged"], of["print"]["estimated"]) == ({"Ir": 50}, False)
    assert (of["main"]["charged"], of["main"]["estimated"]) == ({"Ir": 0}, False)
    assert (of["few"]["estimated"], of["many"]["estimated"]) == (True, True)
    assert of["few"]["charged"]["Ir"] + of["many"]["charged"]["Ir"] == 60
    names = [function["name"] for function in read["functions"]]
    calls = {
        (names[call["caller"]], names[call["callee"]]): call["estimated"] for call in read["calls"]
    }
    assert calls == {
        ("main", "few"): False,
        ("main", "many"): False,
        ("main", "print"): False,
        ("few", "compare"): True,
        ("many", "compare"): True,
    }
    assert all("charged" not in function for function in plain["functions"])


@pytest.mark.parametrize(
    "line",
    [
        ("report",),
        ("calls", "--tree", "both"),
        ("report", "--format", "csv"),
        ("report", "--format", "html"),
        ("convert", "--to", "lcov", "-o", "-"),
        ("calls", "few"),
        ("calls", "compare", "--path"),
        ("annotate",),
        ("annotate", "--asm"),
        ("convert", "--to", "folded", "-o", "-"),
    ],
)
def test_folded_functions_are_in_no_report(
    path: Path, capfd: pytest.CaptureFixture[str], line: tuple[str, ...]
) -> None:
    code, out, _ = said(capfd, line[0], path, *line[1:], "--fold", "libc")
    assert code == 0
    assert len(out) > 20
    assert not re.findall(r"\b(qsort|printf|malloc|sort\.c)\b", out)


def test_calls_and_self_costs_that_are_estimates_have_a_sign(
    path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """In the text of calls and paths, and as a member of JSON."""
    _, out, _ = said(capfd, "calls", path, "few", "--fold", "libc")
    assert [line.split()[:6] for line in out.splitlines()[3:]] == [
        ["40", "20.00", "1×", "<", "main", "(/bin/a.out:"],
        ["40", "20.00", "≈25", "12.50", "1", "*"],
        ["15", "7.50", "≈5×", ">", "compare", "(/bin/a.out:"],
    ]
    _, out, _ = said(capfd, "calls", path, "compare", "--path", "--fold", "libc")
    assert re.search(r"≈4×  compare \(", out)
    _, out, _ = said(capfd, "calls", path, "few", "--format", "json", "--fold", "libc")
    read = json.loads(out)
    (entry,) = read["entries"]
    assert read["folds"] == ["fold:libc"]
    estimated = [each["estimated"] for each in (entry, *entry["callers"], *entry["callees"])]
    assert estimated == [True, False, True]


def test_lines_have_what_their_calls_cost(path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    _, out, err = said(capfd, "convert", path, "--to", "lines-json", "-o", "-", "--fold", "libc")
    read = json.loads(out)
    jsonschema.validate(read, json.loads((DOCS / "lines.schema.json").read_text("utf-8")))
    assert read["folds"] == ["fold:libc"]
    (file,) = read["files"]
    costs = {line["line"]: line["self"]["Ir"] for line in file["lines"]}
    assert (costs[20], costs[21]) == (10, 50)
    assert costs[6] + costs[10] == 60
    assert err.startswith("Costs of lines of 2 functions are partly estimates")


@pytest.mark.parametrize(
    ("line", "name"),
    [
        (("calls", "FILE", "qsort"), "qsort"),
        (("calls", "FILE", "malloc", "--path"), "malloc"),
        (("annotate", "FILE", "printf"), "printf"),
        (("explain", "FILE", "qsort"), "qsort"),
        (("compare", "FILE", "FILE", "--per-call", "qsort"), "qsort"),
    ],
)
def test_a_folded_function_cannot_be_asked_for(
    path: Path, capfd: pytest.CaptureFixture[str], line: tuple[str, ...], name: str
) -> None:
    arguments = [path if word == "FILE" else word for word in line]
    code, out, err = said(capfd, *arguments, "--fold", "libc")
    assert (code, out) == (2, "")
    assert err == f"{name} is folded: its costs are those of the functions that called it.\n"


def test_a_source_of_folded_functions_is_not_found(
    path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    code, _, err = said(capfd, "annotate", path, "--file", "printf.c", "--fold", "libc")
    assert (code, err[:33]) == (2, "--file: no source file matches pr")


def test_an_explanation_ends_in_the_lines_of_the_file(
    path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A charge is part of the call of the folded function, and calls by it are, too."""
    _, out, _ = said(capfd, "explain", path, "print", "--fold", "libc")
    assert "a.c:21: 50\n" in out
    assert "calls=1 1 / 21 50 (charged for printf, which is folded)  → 50\n" in out
    assert "Partly an estimate" not in out
    _, out, _ = said(capfd, "explain", path, "compare", "--called", "--fold", "libc")
    assert out.splitlines()[0] == "Calls of compare: 9"
    assert "Partly an estimate (≈)" in out
    shares = re.findall(
        r"(\d+) (\d+) \(calls by qsort, which is folded, an estimated share\)  → (\d)", out
    )
    assert [line[:2] for line in shares] == [("6", "35"), ("10", "70")]
    assert sum(int(line[2]) for line in shares) == 9


def test_a_saved_profile_has_the_same_numbers(
    path: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The folded functions are gone from it, and it says what was folded."""
    saved = tmp_path / "saved"
    assert said(capfd, "convert", path, "-o", saved, "--fold", "libc")[0] == 0
    folded = said(capfd, "report", path, "--format", "tsv", "--fold", "libc")[1]
    assert said(capfd, "report", saved, "--format", "tsv") == (0, folded, "")
    read = q.load(saved)
    assert {read.texts[name] for name in read.functions.name.tolist()} == {
        "main",
        "few",
        "many",
        "print",
        "compare",
    }
    assert "Folded:      fold:libc\n" in said(capfd, "report", saved)[1]


@pytest.mark.parametrize(
    ("term", "message"),
    [
        ("nothing", "fold:nothing: no function matches.\n"),
        (
            "only:nothing",
            "only:nothing: no function matches, and all that have callers are folded.\n",
        ),
        ("collapse:main", "collapse:main: no function of a recursion cycle matches.\n"),
        ("stdlib:x", "fold:stdlib:x: no function matches.\n"),
    ],
)
def test_a_fold_of_nothing_is_pointed_out(
    path: Path, capfd: pytest.CaptureFixture[str], term: str, message: str
) -> None:
    code, out, err = said(capfd, "report", path, "--format", "csv", "--fold", term)
    assert (code, err) == (0, message)
    assert len(out.splitlines()) > 1


# ------------------------------------------------------------ comparisons


@pytest.fixture
def new(tmp_path: Path) -> Path:
    """The same program after a change: printf costs 10 more, and malloc is gone."""
    text = DRAWING.replace("    21 50", "    21 60").replace("    4 60", "    4 70")
    text = text.replace("    fn=printf\n    1 50", "    fn=printf\n    1 60")
    text = text.replace("    cfi=malloc.c\n    cfn=malloc\n    calls=2 1\n    3 20\n", "")
    text = text.replace("    fl=malloc.c\n    fn=malloc\n    1 20\n", "")
    text = text.replace("    fn=qsort\n    1 40", "    fn=qsort\n    1 60")
    path = tmp_path / "callgrind.out.2"
    path.write_bytes(text_bytes(text.replace("summary: 200", "summary: 210")))
    return path


def test_both_sides_are_folded(path: Path, new: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(
        capfd, "compare", path, new, "--format", "json", "--fold", "libc", "--sort", "change"
    )
    read = json.loads(out)
    jsonschema.validate(read, json.loads((DOCS / "comparison.schema.json").read_text("utf-8")))
    assert code == 0
    assert read["folds"] == ["fold:libc"]
    of = {each["new"][0]["name"]: each for each in read["functions"]}
    assert set(of) == {"main", "few", "many", "print", "compare"}
    assert of["print"]["self"] == {"Ir": [60, 70]}
    assert of["print"]["estimated"] == [False, False]
    assert of["few"]["estimated"] == [True, True]
    assert read["total"]["Ir"] == {"base": 200, "new": 210, "change": 10}


def test_text_of_a_comparison_names_the_folds(
    path: Path, new: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = said(capfd, "compare", path, new, "--filter", "fold:libc", "--unchanged")
    assert "Folded:  fold:libc\n" in out
    assert "self costs of 2 functions are partly estimates (≈)" in out
    rows = out.partition("Changed lines")[0].splitlines()
    assert not [row for row in rows if "qsort" in row or "printf" in row]
    assert [row.endswith("[≈]") for row in rows if " many (" in row] == [True]
    assert [row.endswith(")") for row in rows if " print (" in row] == [True]


@pytest.mark.parametrize(
    ("rule", "code"),
    [
        ("name:=printf", 0),  # it is folded
        ("is:gone", 0),  # so is what is gone
        ("name:=print self>+10%", 3),
        ("!name:=print self>+1%", 0),
        ("total>+1%", 3),
    ],
)
def test_rules_are_about_what_remains(
    path: Path, new: Path, capfd: pytest.CaptureFixture[str], rule: str, code: int
) -> None:
    line = ("gate", path, new, "--fail-if", rule, "--fold", "printf", "--fold", "malloc")
    assert said(capfd, *line)[0] == code


def test_rules_without_a_base_are_about_what_remains(
    path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert said(capfd, "gate", path, "--fail-if", "self>20% lib:libc")[0] == 3
    assert said(capfd, "gate", path, "--fail-if", "self>20% lib:libc", "--fold", "libc")[0] == 0
    assert said(capfd, "gate", path, "--fail-if", "self>29% print", "--fold", "printf")[0] == 3


@pytest.mark.parametrize("form", ["html", "markdown", "tsv", "csv", "text"])
def test_folded_functions_are_in_no_comparison(
    path: Path, new: Path, capfd: pytest.CaptureFixture[str], form: str
) -> None:
    arguments = ("--format", form, "--fold", "libc", "--unchanged")
    code, out, _ = said(capfd, "compare", path, new, *arguments)
    assert code == 0
    assert "compare" in out
    assert not re.findall(r"\b(qsort|printf|malloc)\b", out)
