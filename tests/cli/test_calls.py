"""The command's callers, callees and paths: choice of functions, formats, exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qcachegrind_py.cli.main import main
from tests.cli.test_main import printed
from tests.profile_text import write_profile_text
from tests.write.test_call_tables import DRAWING


@pytest.fixture
def profile_path(tmp_path: Path) -> Path:
    return write_profile_text(tmp_path, DRAWING)


def names(text: str) -> list[str]:
    """The marks and names of text, without costs and locations."""
    rows = [line.rpartition(" (")[0].split("  ")[-1] for line in text.splitlines()[3:] if line]
    return [row.strip() for row in rows]


def test_calls_of_functions(profile_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Each function has an entry, in the order of the options, and each only once."""
    text = printed(capfd, "--calls", "h", "--calls", "leaf", "--calls", "h", profile_path)
    assert names(text) == ["< main", "* h", "< g <cycle 1>", "< leaf", "* leaf", "> leaf"]


def test_the_cycle_of_a_function_has_an_entry(
    profile_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The cycle stands behind its members, once; by name it stands alone."""
    cycle = ["< main", "* <cycle 1>", "> g <cycle 1>", "> f <cycle 1>"]
    both = names(printed(capfd, "--calls", "f", "--calls", "g", profile_path))
    assert both[-4:] == cycle
    assert both.count("* <cycle 1>") == 1
    assert names(printed(capfd, "--calls", "<cycle 1>", profile_path)) == cycle
    without = printed(capfd, "--calls", "f", "--no-cycles", profile_path)
    assert names(without) == ["< main", "< g", "* f", "> g"]


UNCOUNTED = """
    events: Samples
    main 1 -> f 0x9
    f 9
    """


def test_calls_that_were_not_counted(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A writer that has 0 for each call does not know their number: 0 is never shown for it."""
    path = write_profile_text(tmp_path, UNCOUNTED)

    def last(*options: str) -> list[str]:
        return printed(capfd, *options, path).splitlines()[-1].split()

    assert last("--report", "text")[4:6] == ["–", "f"]
    assert last("--calls", "main")[2:5] == ["–", ">", "f"]
    assert last("--path", "f")[4:6] == ["–", "f"]
    assert last("--report", "csv") == ["9,9,,0,f,???,???"]
    assert last("--calls", "main", "--report", "csv") == ["1,callee,9,,,0,0,f,???,???"]
    annotated = printed(capfd, "--annotate", "main", path)
    assert "→ f – (???)" in annotated
    report = json.loads(printed(capfd, "--report", "json", path))
    assert [function["called"] for function in report["functions"]] == [None, None]
    assert [call["count"] for call in report["calls"]] == [None]
    (entry,) = json.loads(printed(capfd, "--calls", "main", "--report", "json", path))["entries"]
    assert (entry["called"], entry["callees"][0]["count"]) == (None, None)
    assert "Calls of f: –\n\nThe profile does not count calls." in printed(
        capfd, "--explain", "f", "--called", path
    )
    page = printed(capfd, "--report", "html", path)
    assert page.count('<td class="n">–</td>') == 4  # two functions, a callee and a caller
    compared = json.loads(printed(capfd, "--base", str(path), "--report", "json", path))
    assert [function["called"] for function in compared["functions"]] == [[None, None]] * 2


def test_callgrind_counts_calls(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Of its calls that had not returned the number is 0, and no function is uncalled."""
    path = write_profile_text(tmp_path, f"creator: callgrind-3.20.0\n{UNCOUNTED}")
    text = printed(capfd, "--report", "text", path).splitlines()
    assert [line.split()[4] for line in text[-2:]] == ["0", "(active)"]
    report = json.loads(printed(capfd, "--report", "json", path))
    assert [function["called"] for function in report["functions"]] == [0, 0]
    assert [call["count"] for call in report["calls"]] == [0]


def test_a_path(profile_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A path leads from a root down to the function, in the chosen parts and events."""
    text = printed(capfd, "--path", "leaf", "--events", "Dr,Ir", "--parts", "1", profile_path)
    assert names(text) == ["main", "<cycle 1>", "g <cycle 1>", "leaf"]
    limited = printed(capfd, "--path", "leaf", "--limit", "2", "--report", "json", profile_path)
    assert [step["name"] for step in json.loads(limited)["paths"][0]] == ["g", "leaf"]


def test_the_form_is_that_of_report(profile_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """TSV, CSV and JSON are chosen by `--report`."""
    for option, first in (("--calls", "entry"), ("--path", "path")):
        tsv = printed(capfd, option, "h", "--report", "tsv", profile_path)
        assert tsv.partition("\t")[0] == first
        csv = printed(capfd, option, "h", "--report", "csv", "--percent", profile_path)
        assert csv.partition(",")[0] == first
        assert ",self %," in csv.splitlines()[0]
        report = json.loads(printed(capfd, option, "h", "--report", "json", profile_path))
        assert report["events"] == ["Ir", "Dr"]


def test_the_choice_of_callers_and_callees(
    profile_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Limit, threshold and filter choose among callers and callees."""
    for options in (["--limit", "1"], ["--threshold", "50"], ["--filter", "file:b.c"]):
        text = printed(capfd, "--calls", "main", *options, profile_path)
        assert names(text) == ["* main", "> g <cycle 1>"]


def test_a_tree(profile_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """`--tree` adds callers, callees or both to the functions of the text report."""

    def tree(*options: str) -> list[str]:
        text = printed(capfd, "--report", "text", "--sort", "called", *options, profile_path)
        assert text.startswith("File: ")
        return names(text.partition("\n\n")[2])

    assert tree("--tree", "both", "--limit", "1") == ["< g <cycle 1>", "< leaf", "* leaf", "> leaf"]
    assert tree("--tree", "callers", "--limit", "1") == ["< g <cycle 1>", "< leaf", "* leaf"]
    assert tree("--tree", "callees", "--limit", "1") == ["* leaf", "> leaf"]


def test_text_fits_the_width(profile_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """`--width` holds for entries, paths and trees."""
    for options in (["--calls", "f"], ["--path", "leaf"], ["--report", "text", "--tree", "both"]):
        text = printed(capfd, *options, "--width", "64", profile_path)
        table = text.partition("Function")[2]
        assert max(map(len, table.splitlines())) <= 64


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("ma", "There is no function ma; similar ones are: main (a.c, /bin/prog)."),
        ("<cycle 2>", "There is no <cycle 2>; there is 1 cycle."),
        (
            "twice",
            "2 functions are called twice; choose one with --in: "
            "twice (a.c, /bin/prog); twice (a.c, /lib/lib.so).",
        ),
    ],
)
def test_a_function_that_cannot_be_found(
    name: str, message: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2, and the candidates, as for `--annotate`."""
    path = write_profile_text(tmp_path, DRAWING)
    path.write_text(
        path.read_text("utf-8")
        + "fl=a.c\nob=/bin/prog\nfn=twice\n1 1\nob=/lib/lib.so\nfn=twice\n1 1\n"
    )
    for option in ("--calls", "--path"):
        assert main([option, name, str(path)]) == 2
        assert capfd.readouterr() == ("", f"{message}\n")


def test_one_of_several_functions(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """`--in` says which function of a name is meant, by its file or object."""
    path = tmp_path / "callgrind.out.1"
    path.write_text("events: Ir\nob=/bin/p\nfl=a.c\nfn=f\n1 1\nob=/lib/l.so\nfn=f\n1 2\n")
    text = printed(capfd, "--calls", "f", "--in", "l.so", path)
    assert text.splitlines()[-1].endswith("* f (/lib/l.so: a.c)")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--calls", "f"], "--calls needs a FILE"),
        (["--path", "f"], "--path needs a FILE"),
        (["--tree", "both"], "--tree needs a FILE"),
        (["--calls", "f", "--path", "g", "FILE"], "--calls and --path exclude each other"),
        (
            ["--calls", "f", "--report", "html", "FILE"],
            "--report html is for the whole profile, --calls for single functions",
        ),
        (
            ["--path", "f", "--report", "html", "FILE"],
            "--report html is for the whole profile, --path for single functions",
        ),
        (
            ["--calls", "f", "--annotate", "f", "FILE"],
            "--calls excludes --annotate, --save and --screenshot",
        ),
        (
            ["--path", "f", "--save", "x", "FILE"],
            "--path excludes --annotate, --save and --screenshot",
        ),
        (
            ["--calls", "f", "--tree", "both", "FILE"],
            "--tree is for all functions, --calls for single ones",
        ),
        (
            ["--calls", "f", "--sort", "self", "FILE"],
            "--sort is for all functions; callers and callees are sorted by cost",
        ),
        (
            ["--path", "f", "--threshold", "9", "FILE"],
            "--threshold does not apply to --path, which prints all steps",
        ),
        (["--tree", "both", "FILE"], "--tree is for --report text; JSON has all calls"),
        (
            ["--tree", "both", "--report", "json", "FILE"],
            "--tree is for --report text; JSON has all calls",
        ),
        (["--in", "a.c", "FILE"], "--in is for --annotate, --calls, --path and --per-call"),
    ],
)
def test_wrong_usage(options: list[str], reason: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Options that cannot be combined are explained."""
    with pytest.raises(SystemExit) as caught:
        main(options)

    assert caught.value.code == 2
    assert capfd.readouterr().err.splitlines()[0] == f"qcachegrind-py: {reason}"


def test_a_tree_begins_with_the_head_of_the_table(
    profile_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The facts of the profile, the sizes of its files among them, are the same in both."""
    table = printed(capfd, "--report", "text", profile_path)
    tree = printed(capfd, "--report", "text", "--tree", "both", profile_path)
    assert f"{profile_path.stat().st_size:,} bytes" in table
    assert tree.split("\n\n")[0] == table.split("\n\n")[0]
