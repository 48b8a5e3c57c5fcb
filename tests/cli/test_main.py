"""The command: exact reports, exit codes, messages on stderr, imported modules."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import qcachegrind_py as q
from qcachegrind_py.app.doctor import scanner_speed
from qcachegrind_py.app.doctor.scanner_speed import slow_scanner_text
from qcachegrind_py.cli import reports
from qcachegrind_py.cli.main import main
from tests.profile_rows import DATA, text_bytes
from tests.profile_text import write_profile_text

ROOT = Path(q.__file__).parents[1]
SLOW = "" if scanner_speed.COMPILED else f"{slow_scanner_text()}\n"
DRAWING = """
    # callgrind format
    version: 1
    creator: drawn by hand
    pid: 7
    cmd: ./a.out -x
    part: 1
    thread: 2
    desc: Trigger: Program termination
    events: Ir Bcm
    summary: 210 9

    ob=/bin/a.out
    fl=/src/main.c
    fn=main
    1 10
    cfn=ping
    calls=2 5
    2 190 6
    cob=/lib/libc.so
    cfi=
    cfn=exit
    calls=0 1
    3 7

    fn=ping
    5 100 4
    cfn=pong
    calls=3 9
    6 90 2

    fn=pong
    9 90 2 77
    cfn=ping
    calls=1 5
    10 40 1
    """
MAIN = {
    "name": "main",
    "file": "/src/main.c",
    "object": "/bin/a.out",
    "cycle": 0,
    "called": 0,
    "self": {"Ir": 10, "Bcm": 0},
    "inclusive": {"Ir": 207, "Bcm": 6},
}
PING = {
    "name": "ping",
    "file": "/src/main.c",
    "object": "/bin/a.out",
    "cycle": 1,
    "called": 3,
    "self": {"Ir": 100, "Bcm": 4},
    "inclusive": {"Ir": 100, "Bcm": 4},
}
PONG = {
    "name": "pong",
    "file": "/src/main.c",
    "object": "/bin/a.out",
    "cycle": 1,
    "called": 3,
    "self": {"Ir": 90, "Bcm": 2},
    "inclusive": {"Ir": 90, "Bcm": 2},
}
# only called by a call that had not returned: it has the cost of its own lines, none
EXIT = {
    "name": "exit",
    "file": "???",
    "object": "/lib/libc.so",
    "cycle": 0,
    "called": 0,
    "self": {"Ir": 0, "Bcm": 0},
    "inclusive": {"Ir": 0, "Bcm": 0},
}


@pytest.fixture
def profile_path(tmp_path: Path) -> Path:
    path = tmp_path / "callgrind.out.7"
    path.write_bytes(text_bytes(DRAWING))
    return path


def run(*arguments: object, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run the command as a user does."""
    return subprocess.run(
        [sys.executable, "-m", "qcachegrind_py", *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", "PYTHONUTF8": "1"},
        capture_output=True,
        encoding="utf-8",
        input=stdin,
        check=False,
    )


def printed(capfd: pytest.CaptureFixture[str], *arguments: object) -> str:
    """The output of the command, run in this process; it must succeed."""
    assert main([str(argument) for argument in arguments]) == 0
    return capfd.readouterr().out


def json_of(capfd: pytest.CaptureFixture[str], *arguments: object) -> dict[str, object]:
    return json.loads(printed(capfd, "--report", "json", *arguments))


# ------------------------------------------------------------ JSON


def header_event(
    name: str, long_name: str, formula: str | None, attributed: int, recorded: int
) -> dict[str, object]:
    """An event in the header, of which less is attributed to functions than was recorded."""
    return {
        "name": name,
        "long_name": long_name,
        "formula": formula,
        "attributed": attributed,
        "recorded": recorded,
        "base": recorded,
    }


def test_json_to_the_letter(profile_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The JSON report is a contract: every key, in its order, with exact integers."""
    report = json_of(capfd, profile_path)
    wanted = {
        "file": str(profile_path),
        "creator": "drawn by hand",
        "command": "./a.out -x",
        "header": {
            "files": [{"path": str(profile_path), "size": profile_path.stat().st_size}],
            "creators": ["drawn by hand"],
            "commands": ["./a.out -x"],
            "pids": [7],
            "descriptions": [],
            "parts": [
                {
                    "file": str(profile_path),
                    "pid": 7,
                    "part": 1,
                    "thread": 2,
                    "trigger": "Program termination",
                    "time_range": "",
                    "counted": True,
                }
            ],
            "events": [
                header_event("Ir", "Instruction Fetch", None, 200, 210),
                header_event("Bcm", "Mispredicted Cond. Branch", None, 6, 9),
                header_event("Bm", "Mispredicted Branch", "Bim + Bcm", 6, 9),
                header_event(
                    "CEst",
                    "Cycle Estimation",
                    "Ir + 10 Bm + 10 L1m + 20 Ge + 100 L2m + 100 LLm",
                    260,
                    300,
                ),
            ],
            "counts": {"functions": 4, "files": 1, "objects": 2, "calls": 6, "active_calls": 1},
            "diagnostic_count": 1,
            "reading_seconds": None,
        },
        "events": ["Ir", "Bcm"],
        "totals": {"Ir": 200, "Bcm": 6},
        "summary": {"Ir": 210, "Bcm": 9},
        "parts": [
            {
                "file": str(profile_path),
                "part": 1,
                "pid": 7,
                "thread": 2,
                "trigger": "Program termination",
                "totals": {"Ir": 200, "Bcm": 6},
            }
        ],
        "functions": [MAIN, PING, PONG, EXIT],
        "calls": [
            {"caller": 0, "callee": 1, "count": 2, "inclusive": {"Ir": 190, "Bcm": 6}},
            {"caller": 0, "callee": 3, "count": 0, "inclusive": {"Ir": 7, "Bcm": 0}},
            {"caller": 1, "callee": 2, "count": 3, "inclusive": {"Ir": 90, "Bcm": 2}},
            {"caller": 2, "callee": 1, "count": 1, "inclusive": {"Ir": 40, "Bcm": 1}},
        ],
        "diagnostics": [
            {
                "line": 32,
                "kind": "surplus-costs",
                "message": "More costs than events; the surplus was ignored: “9 90 2 77”.",
            }
        ],
        "diagnostic_count": 1,
    }
    assert wanted == report
    assert list(wanted) == list(report)
    assert list(MAIN) == list(report["functions"][0])


def test_json_without_cycles(profile_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Without cycles no function has a cycle number, and inclusive costs are those of the calls."""
    report = json_of(capfd, "--no-cycles", profile_path)
    assert {f["name"]: (f["cycle"], f["inclusive"]["Ir"]) for f in report["functions"]} == {
        "main": (0, 207),
        "ping": (0, 230),
        "pong": (0, 90),
        "exit": (0, 0),
    }


def test_json_of_a_minimal_profile(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Values missing from the file are null, empty, 0 or ???."""
    path = tmp_path / "small"
    path.write_text("events: Ir\n1 5\n")
    report = json_of(capfd, path)
    assert report.pop("header")["creators"] == []
    assert report == {
        "file": str(path),
        "creator": "",
        "command": "",
        "events": ["Ir"],
        "totals": {"Ir": 5},
        "summary": None,
        "parts": [
            {
                "file": str(path),
                "part": 0,
                "pid": 0,
                "thread": 0,
                "trigger": "",
                "totals": {"Ir": 5},
            }
        ],
        "functions": [
            {
                "name": "???",
                "file": "???",
                "object": "???",
                "cycle": 0,
                "called": None,
                "self": {"Ir": 5},
                "inclusive": {"Ir": 5},
            }
        ],
        "calls": [],
        "diagnostics": [
            {
                "line": 2,
                "kind": "no-function",
                "message": "Costs before any fn=; they belong to the function ???: “1 5”.",
            }
        ],
        "diagnostic_count": 1,
    }


def test_json_of_several_files(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Several files are the parts of one report; recorded totals are summed."""
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_text("pid: 1\nevents: Ir\nsummary: 6\nfn=f\n1 5\n")
    two.write_text("pid: 2\nevents: Dr Ir\nsummary: 3 8\nfn=f\n1 3 7\n")
    report = json_of(capfd, one, two)
    assert report["totals"] == {"Ir": 12, "Dr": 3}
    assert report["summary"] == {"Ir": 14, "Dr": 3}
    assert [(part["file"], part["pid"], part["totals"]) for part in report["parts"]] == [
        (str(one), 1, {"Ir": 5, "Dr": 0}),
        (str(two), 2, {"Ir": 7, "Dr": 3}),
    ]


def test_json_keeps_integers_exact(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Numbers above 2^53 and negative ones are written to the last digit."""
    path = tmp_path / "large"
    path.write_text(f"events: Ir\nfn=f\n1 {2**62 + 1}\n2 -3\nfn=g\n1 -9\n")
    report = json_of(capfd, path)
    assert [f["self"]["Ir"] for f in report["functions"]] == [2**62 - 2, -9]


def test_json_of_names_that_are_not_utf8(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Bytes that are not UTF-8 are written as escapes, in names of every kind."""
    path = tmp_path / "latin1"
    path.write_bytes(
        b"creator: \xe9\ncmd: \xe8\ndesc: Trigger: \xe7\nevents: T\xe9\nsummary: 7\n"
        b"ob=o\xe9\nfl=f\xe9\nfn=n\xe9\n1 5\ngarbage \xe9\n"
    )
    report = json_of(capfd, path)
    assert (report["creator"], report["command"]) == (r"\xe9", r"\xe8")
    assert report["parts"][0]["trigger"] == r"\xe7"
    assert (report["totals"], report["summary"]) == ({r"T\xe9": 5}, {r"T\xe9": 7})
    (function,) = report["functions"]
    assert (function["name"], function["file"], function["object"]) == (
        r"n\xe9",
        r"f\xe9",
        r"o\xe9",
    )
    assert report["diagnostics"][0]["message"].endswith(r"“garbage \xe9”.")


def test_json_of_a_header_alone(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A profile without costs is reported as such, with and without `events:`."""
    for header, events in (("# callgrind format\n", []), ("events: Ir\n", ["Ir"])):
        path = tmp_path / "header"
        path.write_text(header)
        report = json_of(capfd, path)
        assert (report["events"], report["functions"], report["calls"]) == (events, [], [])
        assert [odd["kind"] for odd in report["diagnostics"]] == ["no-costs"]


def test_json_of_a_real_profile(capfd: pytest.CaptureFixture[str]) -> None:
    """Calls refer to functions of the same report by index; costs add up to the totals."""
    report = json_of(capfd, DATA / "recur-everything" / "callgrind.out.21921.xz")
    names = range(len(report["functions"]))
    assert {call[end] for call in report["calls"] for end in ("caller", "callee")} <= set(names)
    for event in report["events"]:
        assert report["totals"][event] == sum(f["self"][event] for f in report["functions"])
    called = [0] * len(names)
    for call in report["calls"]:
        called[call["callee"]] += call["count"]
    assert called == [f["called"] for f in report["functions"]]


# ------------------------------------------------------------ choices


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ([], ["main", "ping", "pong", "exit"]),
        (["--sort", "inclusive"], ["main", "ping", "pong", "exit"]),
        (["--sort", "self"], ["ping", "pong", "main", "exit"]),
        (["--sort", "called"], ["ping", "pong", "main", "exit"]),
        (["--sort", "name"], ["exit", "main", "ping", "pong"]),
        (["--sort", "self", "--event", "Bcm"], ["ping", "pong", "main", "exit"]),
        (["--no-cycles"], ["ping", "main", "pong", "exit"]),
        (["--limit", "2"], ["main", "ping"]),
        (["--limit", "0"], []),
        (["--limit", "99", "--sort", "name"], ["exit", "main", "ping", "pong"]),
    ],
)
@pytest.mark.parametrize("form", ["json", "tsv", "text"])
def test_order_and_limit(
    arguments: list[str],
    wanted: list[str],
    form: str,
    profile_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """All reports have the functions in the requested order and number; text has cycles, too."""
    out = printed(capfd, "--report", form, *arguments, profile_path)
    if form == "json":
        names = [function["name"] for function in json.loads(out)["functions"]]
    elif form == "tsv":
        names = [line.split("\t")[4] for line in out.splitlines()[1:]]
    else:
        lines = out.partition("  Function\n")[2].splitlines()
        names = [line.split()[5] for line in lines if not line.endswith("<cycle 1> (2 members)")]
    assert wanted == names


def test_calls_of_a_limited_report(profile_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Calls are between functions of the report, by index."""
    report = json_of(capfd, "--limit", "2", "--sort", "self", profile_path)
    assert [(c["caller"], c["callee"], c["count"]) for c in report["calls"]] == [
        (0, 1, 3),
        (1, 0, 1),
    ]


def test_tsv(profile_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Tab-separated values of one event, with a title line."""
    assert printed(capfd, "--report", "tsv", profile_path) == (
        "inclusive\tself\tcalled\tcycle\tname\tfile\tobject\n"
        "207\t10\t0\t0\tmain\t/src/main.c\t/bin/a.out\n"
        "100\t100\t3\t1\tping\t/src/main.c\t/bin/a.out\n"
        "90\t90\t3\t1\tpong\t/src/main.c\t/bin/a.out\n"
        "0\t0\t0\t0\texit\t???\t/lib/libc.so\n"
    )


def test_tsv_of_another_event(profile_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """`--event` names a measured or a derived event: CEst is Ir + 10 Bm here."""
    rows = {}
    for event in ("Bcm", "Bm", "CEst"):
        out = printed(capfd, "--report", "tsv", "--event", event, profile_path)
        rows[event] = [line.split("\t")[:2] for line in out.splitlines()[1:]]
    assert rows["Bcm"] == rows["Bm"] == [["6", "0"], ["4", "4"], ["2", "2"], ["0", "0"]]
    assert rows["CEst"] == [["267", "10"], ["140", "140"], ["110", "110"], ["0", "0"]]


def test_tsv_of_names_that_would_break_it(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A name with a tab or an escape sequence breaks no column and reaches no terminal."""
    path = tmp_path / "hostile"
    path.write_bytes(b"events: Ir\nfl=a\x1b]0;b\nfn=f\tg\x1b[31m\r\x85h\xff\n1 5\n")
    out = printed(capfd, "--report", "tsv", path)
    assert out.splitlines()[1].split("\t")[4:6] == [
        r"f\x09g\x1b[31m\x0d\x85h\xff",
        r"a\x1b]0;b",
    ]


def test_text(profile_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A table for people; percentages are of the recorded total, which is the larger here."""
    assert printed(capfd, "--report", "text", "--limit", "2", profile_path) == (
        f"File:        {profile_path} ({profile_path.stat().st_size} bytes)\n"
        "Creator:     drawn by hand\n"
        "Command:     ./a.out -x\n"
        "Process:     7\n"
        "Trigger:     Program termination\n"
        "Contents:    4 functions in 1 file of 2 objects\n"
        "Calls:       6 and 1 (active)\n"
        "Problems:    1\n"
        "Percentages: of the recorded total\n"
        "Totals:      Ir    210  Instruction Fetch (10 not attributed)\n"
        "             Bcm     9  Mispredicted Cond. Branch (3 not attributed)\n"
        "             Bm      9  Mispredicted Branch = Bim + Bcm (3 not attributed)\n"
        "             CEst  300  Cycle Estimation = Ir + 10 Bm + 10 L1m + 20 Ge + 100 L2m + 100 LLm"
        " (40 not attributed)\n"
        "\n"
        "Ir\n"
        "Incl.       %   Self       %    Called  Function\n"
        "  207   98.57     10    4.76         0  main (/bin/a.out: /src/main.c)\n"
        "  190   90.48    190   90.48         2  <cycle 1> (2 members)\n"
        "  100   47.62    100   47.62         3  ping <cycle 1> (/bin/a.out: /src/main.c)\n"
    )


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ("", "main cycle ping+ pong+ exit"),
        ("--sort self", "cycle ping+ pong+ main exit"),
        ("--sort called", "ping+ pong+ cycle main exit"),
        ("--sort name", "cycle exit main ping+ pong+"),
        ("--no-cycles", "ping main pong exit"),
        ("--threshold 50", "main cycle"),
        ("--limit 1", "main"),
        ("--filter pong", "cycle pong+"),
    ],
)
def test_text_has_the_cycles_among_the_functions(
    arguments: str, wanted: str, profile_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A member has its own costs and those of calls out of the cycle: it says so, as in a list."""
    text = printed(capfd, "--report", "text", *arguments.split(), profile_path)
    lines = text.partition("  Function\n")[2].splitlines()
    names = [line.split("  ")[-1].rpartition(" (")[0] for line in lines]
    names = [name.replace(" <cycle 1>", "+").replace("<cycle 1>", "cycle") for name in names]
    assert names == wanted.split()


def test_functions_with_less_inclusive_than_self_cost(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Their number is in the head of text, and on stderr of other forms; freed memory is right."""
    costs = "events: hits curB\nmain 1,0 -> f 2x2,-5, g 1x9,9\nf 7,-9\ng 9,9"
    path = write_profile_text(tmp_path, costs)
    sentence = "1 function has less inclusive than self cost in hits"
    assert f"Doubtful:    {sentence}\n" in printed(capfd, "--report", "text", path)
    assert main(["--report", "json", str(path)]) == 0
    assert f"{sentence}.\n" in capfd.readouterr().err


def test_text_of_a_profile_without_costs(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A total of 0 has no percentages."""
    path = tmp_path / "zero"
    path.write_text("events: Ir\nfn=f\n1 0\n")
    assert printed(capfd, "--report", "text", path).endswith(
        "Incl.       %   Self       %    Called  Function\n"
        "    0              0                 –  f (???: ???)\n"
    )


# ------------------------------------------------------------ exit codes and stderr


@pytest.mark.parametrize("form", ["json", "tsv", "text"])
def test_success(form: str) -> None:
    """A sound profile gives exit code 0; stderr has nothing but how to compile the scanner."""
    ran = run("--report", form, DATA / "gperf" / "callgrind.out.gperf-cpu")
    assert (ran.returncode, ran.stderr) == (0, SLOW)
    assert "main" in ran.stdout


def test_diagnostics_are_counted_on_stderr(profile_path: Path) -> None:
    """A profile with diagnostics gives exit code 0, and their number on one line of stderr."""
    ran = run("--report", "tsv", profile_path)
    assert (ran.returncode, len(ran.stdout.splitlines())) == (0, 5)
    said = ran.stderr.removesuffix(SLOW)
    assert said.count("\n") == 1
    assert said.startswith("1 ")


def test_slow_reading_is_explained_on_stderr(
    profile_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With an interpreted scanner, the last line says how to compile it."""
    monkeypatch.setattr(reports, "COMPILED", False)
    monkeypatch.setattr(scanner_speed, "COMPILED", False)

    code = main(["--report", "tsv", str(profile_path)])

    said = capsys.readouterr().err.splitlines()
    assert (code, len(said), said[-1]) == (0, 2, slow_scanner_text())


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, " cannot be read: No such file or directory. Check"),
        (b"", " is empty. A profile begins with"),
        (b"\x89PNG\r\n\x1a\n", " is a picture, not a profile."),
        (b"\x1f\x8bgarbage", " looks compressed with gzip, but cannot be decompressed"),
        (b"version: 1\nfn=f\n16 20\n", ":3 has costs before any events: line (“16 20”)."),
    ],
)
def test_a_file_that_cannot_be_read(content: bytes | None, reason: str, tmp_path: Path) -> None:
    """Exit code 1, nothing on stdout, and one line on stderr: file, line, reason."""
    path = tmp_path / "profile"
    if content is not None:
        path.write_bytes(content)
    ran = run("--report", "json", path)
    assert (ran.returncode, ran.stdout, ran.stderr.count("\n")) == (1, "", 1)
    assert ran.stderr.startswith(f"{path}{reason}")


@pytest.mark.parametrize(
    "arguments",
    [
        ["--report", "json"],
        ["--report", "xml", "{file}"],
        ["--nonsense"],
        ["--report", "json", "--sort", "size", "{file}"],
        ["--report", "json", "--limit", "-1", "{file}"],
        ["--report", "json", "--limit", "x", "{file}"],
        ["--report", "json", "--event", "Nowhere", "{file}"],
        ["--screenshot"],
        ["--screenshot", "x.gif", "{file}"],
        ["--size", "12", "{file}"],
        ["--size", "1x1", "{file}"],
        ["--report", "json", "--screenshot", "x.png", "{file}"],
        ["--limit", "3", "{file}"],
        ["--sort", "self", "{file}"],
        ["--no-cycles", "{file}"],
        ["--event", "Ir", "{file}"],
        ["--annotate", "main"],
        ["--annotate", "main", "--screenshot", "x.png", "{file}"],
        ["--annotate", "main", "--limit", "3", "{file}"],
        ["--annotate", "main", "--sort", "self", "--report", "json", "{file}"],
        ["--annotate", "main", "--no-cycles", "{file}"],
        ["--annotate", "main", "--source", "--asm", "{file}"],
        ["--annotate", "main", "--map", "/build", "{file}"],
        ["--annotate", "main", "--map", "=/here", "{file}"],
        ["--annotate", "main", "--event", "Nowhere", "{file}"],
        ["--annotate", "main", "--in", "other.c", "{file}"],
        ["--annotate", "nobody", "{file}"],
        ["--annotate", "", "{file}"],
        ["--asm", "{file}"],
        ["--source", "--report", "json", "{file}"],
        ["--map", "/a=/b", "{file}"],
        ["--in", "main.c", "{file}"],
    ],
)
def test_wrong_usage(arguments: list[str], profile_path: Path) -> None:
    """Exit code 2, nothing on stdout, a reason on stderr and no traceback."""
    ran = run(*(argument.format(file=profile_path) for argument in arguments))
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr
    assert "Traceback" not in ran.stderr


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--limit", "-1"], "--limit: “-1” is not a number of functions, such as 20"),
        (
            ["--size", "foo"],
            "--size: “foo” is not a size such as 1280x800, with sides of 100 to 16384 pixels",
        ),
        (
            ["--screenshot", "x.gif"],
            "--screenshot: pictures are written as .png, .jpg, .jpeg, .webp, not as .gif",
        ),
        (["--nonsense"], "unrecognized arguments: --nonsense"),
        (["--report", "text"], "--report needs a FILE"),
        (["--view", "v.json"], "--view needs a FILE"),
        (
            ["--view", "v.json", "--report", "text", "x"],
            "--view is for the window and for --screenshot",
        ),
    ],
)
def test_wrong_usage_is_explained_in_two_lines(
    arguments: list[str], reason: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """The first line says what is wrong, in the user's terms; the second where all options are."""
    with pytest.raises(SystemExit) as caught:
        main(arguments)

    hint = "qcachegrind-py --help lists all options."
    assert caught.value.code == 2
    assert capfd.readouterr() == ("", f"qcachegrind-py: {reason}\n{hint}\n")


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        ("ModuleNotFoundError('x', name='numpy')", "numpy is not installed."),
        ("ImportError('libno.so: not found', name='numpy.core')",
         "numpy cannot be imported: libno.so: not found."),
        ("ImportError('advice') from ImportError('libno.so: not found', name='numpy')",
         "numpy cannot be imported: libno.so: not found."),
    ],
)  # fmt: skip
def test_a_missing_library_is_named(
    error: str, sentence: str, tmp_path: Path, profile_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a library, a sentence names it and how to get it, and exit code is 1."""
    (tmp_path / "numpy.py").write_text(f"raise {error}\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    ran = run("--report", "text", profile_path)

    hint = "To see what is missing and how to install it: "
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr.startswith(f"qcachegrind-py: {sentence} {hint}")
    assert ran.stderr.endswith(" --doctor\n")
    assert ran.stderr.count("\n") == 1


def test_an_unknown_event_names_the_known_ones(profile_path: Path) -> None:
    """The message for a mistyped event lists the known ones."""
    assert run("--report", "tsv", "--event", "ir", profile_path).stderr == (
        "Unknown event ir; there are: Ir, Bcm, Bm, CEst.\n"
    )


@pytest.mark.parametrize("form", ["json", "tsv", "text"])
def test_a_closed_pipe(form: str) -> None:
    """`| head` ends the report without a traceback or any other message."""
    path = DATA / "python" / "callgrind.out.python-default.xz"
    with subprocess.Popen(
        [sys.executable, "-m", "qcachegrind_py", "--report", form, str(path)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""


def test_stdout_without_unicode(tmp_path: Path) -> None:
    """Reports are UTF-8 whatever the terminal's encoding."""
    path = tmp_path / "umlaut"
    path.write_text("events: Ir\nfn=näme\n1 5\n", encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, "-m", "qcachegrind_py", "--report", "tsv", str(path)],
        cwd=ROOT,
        env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C"},
        capture_output=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, SLOW.encode())
    assert "näme".encode() in ran.stdout


# ------------------------------------------------------------ version and help


def imported(*arguments: str) -> tuple[str, set[str]]:
    """The output of the command, and the modules it has imported by the end."""
    code = (
        "import sys\n"
        "from qcachegrind_py.cli.main import main\n"
        "try:\n    code = main(sys.argv[1:])\n"
        "except SystemExit as end:\n    code = end.code\n"
        "print('\\n\\0', code or 0, *sys.modules)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    out, _, rest = ran.stdout.partition("\n\0 ")
    code_, *modules = rest.split()
    assert code_ == "0", ran.stderr
    return out, set(modules)


@pytest.mark.parametrize("argument", ["--version", "--help"])
def test_version_and_help_import_next_to_nothing(argument: str) -> None:
    """They respond at once, without numpy, Qt or a reader."""
    out, modules = imported(argument)
    assert out.strip()
    assert not modules & {"numpy", "PySide6", "shiboken6", "pyqtgraph", "zstandard"}


@pytest.mark.parametrize(
    "task",
    [
        "--report tsv", "--report html", "--history --report text", "--calls main", "--path main",
        "--annotate main", "--annotate main --asm",
    ],
)  # fmt: skip
def test_no_task_imports_qt(task: str) -> None:
    """A report, a page or an annotation needs no Qt and no display."""
    profile = DATA / "gperf" / "callgrind.out.gperf-cpu"
    out, modules = imported(*task.split(), str(profile))
    assert "main" in out
    assert "numpy" in modules
    assert not {module for module in modules if module.startswith(("PySide6", "shiboken6"))}


def test_version() -> None:
    """The version, and whether the scanner is compiled."""
    ran = run("--version")
    assert ran.stdout in {
        f"qcachegrind_py {q.__version__} (compiled scanner)\n",
        f"qcachegrind_py {q.__version__} (interpreted scanner)\n",
    }
    assert (ran.returncode, ran.stderr) == (0, "")


def test_help_names_every_option() -> None:
    """The help describes every option."""
    out = run("--help").stdout
    options = (
        "--report --event --sort --limit --no-cycles --annotate --in --source --asm --map "
        "--screenshot --size --version --help"
    )
    assert [option for option in options.split() if option not in out] == []


# ---------------------------------------------------------------- standard input


def send(
    sent: bytes, *arguments: str, temporary: Path | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Run the command with these bytes on standard input."""
    command = (sys.executable, "-m", "qcachegrind_py", *arguments)
    folder = {} if temporary is None else dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(temporary))
    environment = {**os.environ, **folder}
    return subprocess.run(
        command, input=sent, capture_output=True, cwd=ROOT, check=False, env=environment
    )


@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_a_profile_comes_through_standard_input(
    pack: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    """A minus as file is standard input, compressed or not; no temporary file is left."""
    ran = send(pack(text_bytes(DRAWING)), "--report", "json", "-", temporary=tmp_path)

    report = json.loads(ran.stdout)
    assert (ran.returncode, report["totals"]["Ir"]) == (0, 200)
    assert [report["file"], *(part["file"] for part in report["parts"])] == ["standard input"] * 2
    assert list(tmp_path.iterdir()) == []


def test_standard_input_may_be_no_profile() -> None:
    """The error is that of a file; standard input can be named only once."""
    text = send(b"hello\n", "--report", "text", "-")
    twice = send(b"", "--report", "text", "-", "-")

    assert (text.returncode, twice.returncode) == (1, 1)
    assert text.stderr.startswith(b"standard input is not a profile in the Callgrind format.")
    assert twice.stderr == b"standard input can be read only once. Name - only once.\n"


# ------------------------------------------------------------ memory


@pytest.mark.parametrize(
    ("size", "code", "said"),
    [
        ("10", 1, "takes about 0 MB of memory, more than the 0 MB that it may. Allow more with"),
        ("none", 0, ""),
        ("1G", 0, ""),
        ("0", 2, "--max-memory: “0” is no size, such as 2G or 500M, and not none"),
        ("2GB", 2, "--max-memory: “2GB” is no size"),
    ],
)
def test_the_memory_that_a_profile_may_take(
    profile_path: Path, size: str, code: int, said: str
) -> None:
    """A file that would take more is refused, with the option that allows more."""
    ran = run("--report", "tsv", "--max-memory", size, profile_path)
    assert (ran.returncode, bool(ran.stdout)) == (code, code == 0)
    assert said in ran.stderr
