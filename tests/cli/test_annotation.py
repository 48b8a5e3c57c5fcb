"""The command's annotations: selecting a function, formats, missing files, exit codes."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from qcachegrind_py.cli.main import main
from tests.cli.test_main import SLOW, json_of
from tests.profile_rows import DATA, text_bytes

PROGRAMS = DATA / "programs"
INLINED = PROGRAMS / "annotate" / "callgrind.out.inlined-O2.xz"
DRAWING = """
    events: Ir Bcm
    summary: 200 9

    ob=/build/bin/p
    fl=/build/src/main.c
    fn=main
    2 10 1
    cfi=/build/src/a/util.c
    cfn=helper
    calls=3 1
    2 90
    fi=/build/inc/b.h
    1 5
    fl=/build/src/a/util.c
    fn=helper
    1 40
    fl=/build/src/b/util.c
    fn=helper
    1 50
    ob=/build/lib/l.so
    fl=/build/src/b/util.c
    fn=helper
    1 60
    fn=_ZN4Tree4growEi
    7 1
    fn=_ZNK4Tree4sizeEv
    9 1
    fn=f\tg
    1 3
    """


@pytest.fixture
def profile_path(tmp_path: Path) -> Path:
    """A profile whose sources are in another folder than recorded."""
    path = tmp_path / "callgrind.out.7"
    path.write_bytes(text_bytes(DRAWING))
    sources = tmp_path / "here" / "src"
    sources.mkdir(parents=True)
    (sources / "main.c").write_text("int main() {\n    helper();\n}\n")
    for source in sources.iterdir():
        os.utime(source, (1000, 1000))
    return path


def annotated(capfd: pytest.CaptureFixture[str], *arguments: object) -> tuple[str, str]:
    """The output of the command, which must succeed, and stderr but for the slow scanner."""
    assert main([str(argument) for argument in arguments]) == 0
    captured = capfd.readouterr()
    return captured.out, captured.err.removesuffix(SLOW)


def test_lines_as_json(profile_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Mapped sources have texts; missing ones are listed in the report and on stderr."""
    here = profile_path.parent / "here"
    arguments = ("annotate", profile_path, "main", "--format", "json", "--map", f"/build={here}")
    out, err = annotated(capfd, *arguments)
    missing = "/build/inc/b.h was not found. Choose the file or its folder."
    report = json.loads(out)
    assert (report["function"], report["self"]) == ("main", {"Ir": 15, "Bcm": 1})
    assert [(line["file"], line["text"]) for line in report["lines"]] == [
        ("/build/src/main.c", "    helper();"),
        ("/build/inc/b.h", None),
    ]
    assert report["problem"] == missing
    assert err.splitlines() == [
        missing,
        "For files that were not found, use --map FROM=TO or -I DIR.",
    ]


def test_no_source_is_missing_without_lines(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Without recorded lines no text would help, and none is reported missing."""
    path = tmp_path / "callgrind.out.8"
    path.write_bytes(text_bytes("positions: instr\nevents: Ir\nfl=/gone/a.c\nfn=f\n0x10 5\n"))
    out, err = annotated(capfd, "annotate", path, "f")
    assert err == out.partition("Problem: ")[2].splitlines(keepends=True)[0]
    assert "--dump-line=yes" in err


def test_several_maps(profile_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Each `--map` applies to its own paths; if everything is found, nothing is reported."""
    include = profile_path.parent / "include"
    include.mkdir()
    (include / "b.h").write_text("inline;\n")
    os.utime(include / "b.h", (1000, 1000))
    maps = (
        "--map",
        f"/build/src={profile_path.parent / 'here' / 'src'}",
        "--map",
        f"/build/inc={include}",
    )
    out, err = annotated(capfd, "annotate", profile_path, "main", *maps, "--format", "json")
    report = json.loads(out)
    assert [line["text"] for line in report["lines"]] == ["    helper();", "inline;"]
    assert ("problem" in report, err) == (False, "")


def test_text_is_the_default(profile_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Without `--format`, the lines are printed as text, in the event that `--event` names."""
    here = profile_path.parent / "here"
    arguments = ("annotate", profile_path, "main", "--map", f"/build={here}")
    out, _ = annotated(capfd, *arguments)
    assert out.splitlines()[:4] == [
        "main", "File: /build/src/main.c", "Object: /build/bin/p", "Self Ir: 15 of 200 (7.50 %)",
    ]  # fmt: skip
    assert "      2     10    5.00    100      helper();\n" in out
    assert out == annotated(capfd, *arguments, "--format", "text")[0]
    out, _ = annotated(capfd, *arguments, "--event", "Bcm")
    assert "Self Bcm: 1 of 9 (11.11 %)" in out
    out, _ = annotated(capfd, *arguments, "--format", "tsv")
    assert out.splitlines()[1] == "/build/src/main.c\t2\t10\t100\t    helper();"


def test_a_source_that_was_changed_since(
    profile_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A source newer than the profile is reported, and shown all the same."""
    source = profile_path.parent / "here" / "src" / "main.c"
    os.utime(profile_path, (500, 500))
    out, err = annotated(
        capfd, "annotate", profile_path, "main", "--map", f"/build={profile_path.parent / 'here'}"
    )
    warning = f"{source} changed after the profile was written and may not match it."
    assert "helper();" in out
    assert f"Warning: {warning}\n" in out
    assert f"{warning}\n" in err
    here = f"/build={profile_path.parent / 'here'}"
    arguments = ("annotate", profile_path, "main", "--format", "json", "--map", here)
    out, _ = annotated(capfd, *arguments)
    assert json.loads(out)["warning"] == warning


@pytest.mark.parametrize(
    ("places", "own"),
    [
        (["/build/src/a/util.c"], 40),
        (["/build/src/b/util.c", "p"], 50),
        (["/build/lib/l.so"], 60),
        (["l.so"], 60),
    ],
)
def test_selecting_a_function(
    places: list[str], own: int, profile_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """`--in` names the file or object, by its path or last part; repeated, all must match."""
    within = [word for place in places for word in ("--in", place)]
    report = json_of(capfd, "annotate", profile_path, "helper", *within, "--format", "json")
    assert report["self"] == {"Ir": own, "Bcm": 0}


def test_no_single_function(profile_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The candidates are listed with numbers, which choose one; names may be demangled ones."""
    assert main(["annotate", str(profile_path), "helper", "--in", "p"]) == 2
    assert capfd.readouterr() == (
        "",
        """\
2 functions are called helper; choose one by its number, such as helper#1:
  1  helper (/build/bin/p: /build/src/a/util.c)
  2  helper (/build/bin/p: /build/src/b/util.c)
""",
    )
    for name, own in [("helper#3", 50), ("a/util.c:helper", 40), ("Tree::grow", 1)]:
        report = json_of(capfd, "annotate", profile_path, name, "--format", "json")
        assert report["self"]["Ir"] == own


def test_candidates_are_visible_text(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Each candidate is a line, whatever its name is."""
    path = tmp_path / "profile"
    path.write_text("events: Ir\n" + "".join(f"fl={n}\nfn=f\t\n1 5\n" for n in range(2)))
    assert main(["annotate", str(path), "f\t"]) == 2
    listed = capfd.readouterr().err.splitlines()[1:]
    assert listed == ["  1  f\\x09 (???: 0)", "  2  f\\x09 (???: 1)"]


def test_no_instructions(profile_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Without `--dump-instr` no address is known: the message names that option."""
    out, err = annotated(capfd, "annotate", profile_path, "main", "--format", "json", "--asm")
    report = json.loads(out)
    assert (report["self"], report["instructions"]) == ({"Ir": 15, "Bcm": 1}, [])
    assert "--dump-instr=yes" in report["problem"]
    assert err == f"{report['problem']}\n"
    out, _ = annotated(capfd, "annotate", profile_path, "main", "--asm")
    assert f"Problem: {report['problem']}\n" in out


def test_no_binary(capfd: pytest.CaptureFixture[str]) -> None:
    """Without the binary all costs are listed by address, with exit code 0 and a message."""
    out, err = annotated(capfd, "annotate", INLINED, "main", "--format", "json", "--asm")
    report = json.loads(out)
    rows = report["instructions"]
    assert sum(row["self"]["Ir"] for row in rows) == report["self"]["Ir"] == 17040
    assert {(row["text"], row["size"]) for row in rows} == {(None, 0)}
    assert report["problem"].startswith("/corpus/a-small/bin/inlined-O2 was not found.")
    assert err.splitlines() == [
        report["problem"],
        "For files that were not found, use --map FROM=TO or -I DIR.",
    ]


def real(capfd: pytest.CaptureFixture[str], *arguments: object) -> Any:
    """The annotation of main in a real program, with sources and binary."""
    maps = ("--map", f".={PROGRAMS / 'src'}", "--map", f"/corpus/a-small={PROGRAMS}")
    return json_of(capfd, "annotate", INLINED, "main", *maps, *arguments)


def test_lines_of_a_real_program(capfd: pytest.CaptureFixture[str]) -> None:
    """Lines of all inlined files have their texts and add up to the function's self cost."""
    report = real(capfd)
    assert "problem" not in report
    for line in report["lines"]:
        name = line["file"].removeprefix("././")
        texts = (PROGRAMS / "src" / name).read_text().splitlines()
        assert line["text"] == texts[line["line"] - 1]
    assert {line["file"] for line in report["lines"]} == {
        "././inlined.cpp", "././inl_a.h", "././inl_b.h",
    }  # fmt: skip
    assert sum(line["self"]["Ir"] for line in report["lines"]) == report["self"]["Ir"] == 17040


def test_instructions_of_a_real_program(capfd: pytest.CaptureFixture[str]) -> None:
    """Instructions are consecutive from the function's start, and add up to its self cost."""
    report = real(capfd, "--asm")
    rows = report["instructions"]
    assert "problem" not in report
    assert all(row["text"] and row["size"] for row in rows)
    assert sum(row["self"]["Ir"] for row in rows) == report["self"]["Ir"] == 17040
    (first,) = (row for row in rows if row["address"] == 0x1050)
    assert (first["size"], first["text"], first["line"]) == (4, "subq $8, %rsp", 5)
    (call,) = (row for row in rows if row["address"] == 0x1100)
    assert [(one["function"], one["count"]) for one in call["calls"]] == [
        ("printf", 1), ("_dl_runtime_resolve_xsave", 1),
    ]  # fmt: skip
    (branch,) = (row for row in rows if row["address"] == 0x1091)
    assert branch["jumps"] == [
        {"target": 0x1074, "executed": 600, "followed": 400, "conditional": True}
    ]


def test_another_binary(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The wrong binary is shown with a warning; a file that is no binary is reported."""
    other = f"/corpus/a-small/bin/inlined-O2={PROGRAMS / 'bin' / 'recur-O1'}"
    arguments = ("annotate", INLINED, "main", "--format", "json", "--asm")
    out, err = annotated(capfd, *arguments, "--map", other)
    problem = json.loads(out)["problem"]
    assert "has no instruction at" in problem
    assert err.splitlines()[0] == problem
    broken = tmp_path / "bin" / "inlined-O2"
    broken.parent.mkdir()
    shutil.copy(INLINED, broken)
    out, err = annotated(capfd, *arguments, "--map", f"/corpus/a-small={tmp_path}")
    assert json.loads(out)["problem"].startswith(f"{broken} ")
