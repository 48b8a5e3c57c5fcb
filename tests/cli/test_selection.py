"""Events, order, threshold, filter and parts on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qcachegrind_py.app.doctor.scanner_speed import slow_scanner_text
from qcachegrind_py.cli.main import main
from qcachegrind_py.formats.callgrind.scanner import COMPILED
from tests.profile_rows import text_bytes
from tests.profile_text import write_profile_text

SLOW = "" if COMPILED else f"{slow_scanner_text()}\n"
DRAWING = """
    part: 1
    events: Ir Dw
    event: Both = Ir + 0x2 Dw
    fl=a.c
    fn=main
    1 60 1
    cfn=f
    calls=2 2
    1 30 9
    fn=f
    2 30 9
    part: 2
    fl=a.c
    fn=g
    3 10
    """


@pytest.fixture
def path(tmp_path: Path) -> str:
    path = tmp_path / "p"
    path.write_bytes(text_bytes(DRAWING))
    return str(path)


def table(capfd: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    """The lines of a table, without the columns behind the costs and the name."""
    assert main(["--report", "tsv", *arguments]) == 0
    rows = [line.split("\t") for line in capfd.readouterr().out.splitlines()]
    return [" ".join((*row[:-5], row[-3])) for row in rows]


def test_several_events_stand_side_by_side(path: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Titles name the event where there are several; derived events are computed."""
    assert table(capfd, "--events", "Dw, Both", path) == [
        "inclusive Dw self Dw inclusive Both self Both name",
        "10 1 110 62 main",
        "9 9 48 48 f",
        "0 0 10 10 g",
    ]
    assert table(capfd, "--events", "Ir,Ir", path)[0] == "inclusive self name"


def test_percentages_are_columns_of_their_own(path: str, capfd: pytest.CaptureFixture[str]) -> None:
    """They are shares of the total of the chosen parts."""
    assert table(capfd, "--percent", path) == [
        "inclusive inclusive % self self % name",
        "90 90.0000 60 60.0000 main",
        "30 30.0000 30 30.0000 f",
        "10 10.0000 10 10.0000 g",
    ]
    assert table(capfd, "--percent", "--parts", "2", path)[1] == "10 100.0000 10 100.0000 g"


FREED = """
    events: curB totB
    main 0,10 -> f 1x50,490
    f 0,490
    """


def test_an_event_that_adds_up_to_nothing_has_no_percentages(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Memory that was freed again has costs, but no total that they could be a share of."""
    freed = str(write_profile_text(tmp_path, FREED))
    assert table(capfd, "--event", "curB", "--percent", freed) == [
        "inclusive inclusive % self self % name",
        "50  0  main",
        "50  0  f",
    ]
    assert main(["--report", "text", "--events", "curB,totB", freed]) == 0
    out = capfd.readouterr().out
    assert "of the sum of the self costs; no total is recorded; none of curB: no positive" in out
    assert [line.split() for line in out.splitlines()[-2:]] == [
        ["50", "0", "500", "100.00", "10", "2.00", "0", "main", "(???:", "???)"],
        ["50", "0", "490", "98.00", "490", "98.00", "1", "f", "(???:", "???)"],
    ]
    assert main(["--report", "html", freed]) == 0
    page = capfd.readouterr().out
    assert "0, of which there are no percentages" in page
    assert "\N{THIN SPACE}%)" not in page
    assert main(["--report", "text", "--threshold", "90", "--event", "curB", freed]) == 2
    refusal = "--threshold: the total of curB is 0, of which there are no percentages."
    assert refusal in capfd.readouterr().err


def test_events_may_be_defined(path: str, capfd: pytest.CaptureFixture[str]) -> None:
    """A formula may be a ratio, which is empty where it is not defined, and has no percentage."""
    assert table(capfd, "--events", "Ir, IPD = Ir / Dw", "--sort", "IPD", "--percent", path) == [
        "inclusive Ir inclusive Ir % self Ir self Ir % inclusive IPD inclusive IPD % self IPD "
        "self IPD % name",
        "90 90.0000 60 60.0000 9.0  60.0  main",
        "30 30.0000 30 30.0000 3.3333333333333335  3.3333333333333335  f",
        "10 10.0000 10 10.0000     g",
    ]
    assert main(["--annotate", "g", "--events", "IPD=Ir/Dw", "--width", "80", path]) == 0
    out = capfd.readouterr().out.splitlines()
    assert (out[3], out[-1]) == ("Self IPD: –", "      3         –                 –")


@pytest.mark.parametrize(
    ("order", "names"),
    [
        ("Dw", ["f", "main", "g"]),
        ("Dw:self", ["f", "main", "g"]),
        ("Dw:inclusive", ["main", "f", "g"]),
        ("self", ["main", "f", "g"]),
    ],
)
def test_order_by_any_event(
    order: str, names: list[str], path: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """The event of the order need not be shown."""
    rows = table(capfd, "--sort", order, path)[1:]
    assert [row.split()[-1] for row in rows] == names


def test_filter_and_threshold(path: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Reports have the functions that pass both."""
    assert table(capfd, "--filter", "self<50%", path)[1:] == ["30 30 f", "10 10 g"]
    assert table(capfd, "--sort", "self", "--threshold", "90%", path)[1:] == [
        "90 60 main",
        "30 30 f",
    ]


def test_json_has_derived_events_and_percentages_on_request(
    path: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """Measured events are always there; the header tells which parts are counted."""
    arguments = ["--report", "json", "--events", "Both,Dw", "--percent", "--limit", "1"]
    assert main([*arguments, "--parts", "1", path]) == 0
    report = json.loads(capfd.readouterr().out)

    assert [part["counted"] for part in report["header"]["parts"]] == [True, False]
    assert report["totals"] == {"Ir": 90, "Dw": 10}
    (function,) = report["functions"]
    assert function["self"] == {"Ir": 60, "Dw": 1, "Both": 62}
    assert function["inclusive"] == {"Ir": 90, "Dw": 10, "Both": 110}
    assert function["self_percent"] == {"Both": 100 * 62 / 110, "Dw": 10.0}
    assert function["inclusive_percent"] == {"Both": 100.0, "Dw": 100.0}


def test_text_of_several_events(path: str, capfd: pytest.CaptureFixture[str]) -> None:
    """The events are above their columns."""
    assert main(["--report", "text", "--events", "Ir,Dw", "--limit", "2", path]) == 0
    assert capfd.readouterr().out.splitlines()[-4:] == [
        "Ir                            Dw",
        "Incl.       %   Self       %  Incl.       %   Self       %    Called  Function",
        "   90   90.00     60   60.00     10  100.00      1   10.00         0  main (???: a.c)",
        "   30   30.00     30   30.00      9   90.00      9   90.00         2  f (???: a.c)",
    ]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--events", "Ir,No"], "Unknown event No; there are: Ir, Dw, Both."),
        (["--sort", "No:self"], "Unknown event No; there are: Ir, Dw, Both."),
        (["--event", "CEst"], "Unknown event CEst; there are: Ir, Dw, Both."),
        (["--events", "X=Ir/"], "--events: The formula “Ir/” has nothing right of the slash"),
        (["--filter", "slef>1%"], "--filter “slef>1%”: unknown word “slef”. Did you mean self?"),
        (["--filter", "self>+1%"], "--filter “self>+1%”: a number with a sign is a change"),
        (["--filter", "self>x"], "--filter "),
        (["--parts", "3"], "--parts 3: there are parts 1 to 2."),
    ],
)
def test_what_the_profile_lacks(
    arguments: list[str], reason: str, path: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """It is wrong usage, with one line that says what there is."""
    assert main(["--report", "tsv", *arguments, path]) == 2
    output = capfd.readouterr()
    assert (output.out, output.err.count("\n")) == ("", 1)
    assert output.err.startswith(reason)


@pytest.mark.parametrize("form", ["text", "tsv", "csv", "json", "html", "lines-json", "lcov"])
def test_an_empty_list_is_an_answer(
    form: str, path: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """A report without functions is written, with a line that says why; nothing is saved of it."""
    assert main(["--report", form, "--filter", "nothing", path]) == 0
    output = capfd.readouterr()
    assert "a.c" not in output.out
    assert output.err == f"--filter nothing: no function matches.\n{SLOW}"
    assert main(["--save", "-", "--filter", "nothing", path]) == 2
    assert capfd.readouterr().out == ""


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--report=tsv", "--event=Ir", "--events=Dw", "p"], "--event and --events exclude"),
        (["--report=text", "--percent", "p"], "--percent is for --report tsv, csv and json"),
        (["--report=tsv", "--threshold=101", "p"], "“101” is not a percentage from 0 to 100"),
        (["--report=tsv", "--threshold=1e999999999", "p"], "is not a percentage from 0 to 100"),
        (["--report=tsv", "--threshold=x", "p"], "“x” is not a percentage from 0 to 100"),
        (["--parts=1", "p"], "--parts, --filter and --fold are for"),
    ],
)
def test_options_that_do_not_fit(
    arguments: list[str], reason: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """Options that do not fit together are wrong usage, with a reason."""
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert (ended.value.code, reason in capfd.readouterr().err) == (2, True)


ZEROS = "RB is 0 throughout, so DB is shown: the first event that counted anything.\n"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("--report text {0}", ZEROS),
        ("--report tsv {0}", ZEROS),
        ("--report json {0}", ZEROS),
        ("--report html {0}", ZEROS),
        ("--report text --history {0} {0}", ZEROS),
        ("--report text --base {0} {0}", ZEROS),
        ("--fail-if total>7 {0}", ZEROS),
        ("--calls f {0}", ZEROS),
        ("--annotate f {0}", ZEROS),
        ("--report text --event RB {0}", ""),
        ("--report text --events RB,DB {0}", ""),
        ("--report text --base {0} --event RB {0}", ""),
        ("--save {0}.saved {0}", ""),
    ],
)
def test_an_event_that_counted_nothing_is_not_the_default(
    arguments: str, said: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Every report is about the first event that counted anything, and says so."""
    path = tmp_path / "xtleak.kcg.1"
    path.write_text("events: RB PB DB\nfl=a.c\nfn=f\n1 0 0 7\ntotals: 0 0 7\n")
    assert main(arguments.format(path).split()) == 0
    output = capfd.readouterr()
    errors = output.err.removesuffix(SLOW)
    assert [line for line in errors.splitlines(keepends=True) if "0 throughout" in line] == (
        [said] if said else []
    )
    if arguments == "--report tsv {0}":
        assert output.out.splitlines()[1].split("\t")[:2] == ["7", "7"]
