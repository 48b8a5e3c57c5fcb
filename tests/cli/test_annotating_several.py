"""Annotations of several functions, of patterns, of all functions, and of whole files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qcachegrind_py.cli.main import main
from tests.profile_rows import text_bytes

# ns::a of a.c has a line of b.h inlined; ns::b is in b.h; f::z calls itself, and is alone in z.c
DRAWING = """
    creator: drawn by hand
    events: Ir Dw
    event: Both = Ir + Dw
    ob=prog
    fl=a.c
    fn=ns::a
    2 10 1
    cfi=b.h
    cfn=ns::b
    calls=2 3
    3 40
    fi=b.h
    3 20 2
    fe=a.c
    4 5
    fl=b.h
    fn=ns::b
    3 40
    fl=deep/z.c
    fn=f::z
    7 25 3
    cfn=f::z
    calls=1 7
    7 12
    """


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with the profile `p`, and the sources in a folder below `src`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p").write_bytes(text_bytes(DRAWING))
    (tmp_path / "src/inner").mkdir(parents=True)
    for name in ("a.c", "b.h"):
        lines = [f"{name} {number}" for number in range(1, 6)]
        (tmp_path / "src/inner" / name).write_text("\n".join(lines) + "\n")
    return tmp_path


def rows(capfd: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    """The rows of a table without its titles."""
    assert main(["annotate", "p", *arguments, "--format", "csv"]) == 0
    return capfd.readouterr().out.splitlines()[1:]


ROWS_OF_A = [
    "ns::a,prog,a.c,2,10,10,a.c 2",
    "ns::a,prog,a.c,3,0,40,a.c 3",
    "ns::a,prog,a.c,4,5,5,a.c 4",
    "ns::a,prog,b.h,3,20,20,b.h 3",
]
ROWS_OF_B = ["ns::b,prog,b.h,3,40,40,b.h 3"]
ROWS_OF_Z = ["f::z,prog,deep/z.c,7,25,25,"]


@pytest.mark.usefixtures("folder")
def test_patterns_stand_for_all_functions_that_fit(capfd: pytest.CaptureFixture[str]) -> None:
    """They come in the order of their inclusive costs, each once, with the functions named."""
    assert rows(capfd, "ns::*", "-I", "src") == ROWS_OF_A + ROWS_OF_B
    assert rows(capfd, "?::[bz]", "ns::?", "-I", "src") == [
        *ROWS_OF_Z,
        *ROWS_OF_A,
        *ROWS_OF_B,
    ]
    assert rows(capfd, "f::z", "ns::b", "-I", "src") == [
        *ROWS_OF_Z,
        *ROWS_OF_B,
    ]


FILE_B = [",,b.h,3,60,60,b.h 3"]
FILE_A = [",,a.c,2,10,10,a.c 2", ",,a.c,3,0,40,a.c 3", ",,a.c,4,5,5,a.c 4"]
FILE_Z = [",,deep/z.c,7,25,37,"]


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("options", "files"),
    [
        ("", FILE_B + FILE_Z + FILE_A),
        ("--threshold 85", FILE_B + FILE_Z),
        ("--threshold 60", FILE_B),
        ("--event Dw --threshold 60", [",,deep/z.c,7,3,3,", ",,b.h,3,2,2,b.h 3"]),
        ("--limit 1", FILE_B),
        ("--filter file:z.c", FILE_Z),
        ("--filter name:ns::a", FILE_B + FILE_A),
        ("--asm --filter file:z.c", []),
    ],
)
def test_the_costly_files_of_a_program(
    options: str, files: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    """Each file comes once, with the costs of all functions in its lines, the costliest first.

    They are those in which the chosen functions have costs, by default 99 % of all. Instructions
    are those of functions.
    """
    assert rows(capfd, *options.split(), "-I", "src") == files


@pytest.mark.usefixtures("folder")
def test_a_whole_file_has_the_costs_of_all_functions(capfd: pytest.CaptureFixture[str]) -> None:
    """Line 3 of the header costs 20 where it is inlined, and 40 in its own function.

    All calls count, also that of f::z to itself, as in the window.
    """
    assert rows(capfd, "--file", "b.h", "-I", "src") == ["b.h,3,60,60,b.h 3"]
    assert rows(capfd, "--file", "z.c") == ["deep/z.c,7,25,37,"]
    assert rows(capfd, "--file", "b.h", "--file", "a.c", "-I", "src") == [
        ",,b.h,3,60,60,b.h 3",
        ",,a.c,2,10,10,a.c 2",
        ",,a.c,3,0,40,a.c 3",
        ",,a.c,4,5,5,a.c 4",
    ]


@pytest.mark.usefixtures("folder")
def test_text_of_a_file_with_several_events(capfd: pytest.CaptureFixture[str]) -> None:
    """Events stand side by side, derived ones, too; narrow where the width is given."""
    arguments = [
        "annotate",
        "p",
        "--file",
        "b.h",
        "--events",
        "Ir,Both",
        "--context",
        "1",
        "-I",
        "src",
    ]
    assert main([*arguments, "--context", "1", "--width", "90"]) == 0
    assert capfd.readouterr().out.splitlines() == [
        "File: b.h",
        "Self Ir: 60 of 100 (60.00 %)",
        "Self Both: 62 of 106 (58.49 %)",
        "",
        "         Ir                    Both",
        "   Line   Self       %  Incl.   Self       %  Incl.  Source",
        "      …",
        "      2                                              b.h 2",
        "      3     60   60.00     60     62   58.49     62  b.h 3",
        "      4                                              b.h 4",
        "      …",
    ]


@pytest.mark.usefixtures("folder")
def test_text_of_several_ends_with_their_share(capfd: pytest.CaptureFixture[str]) -> None:
    """How much of the total the printed functions cost themselves."""
    assert main(["annotate", "p", "ns::*", "--context", "0"]) == 0
    assert capfd.readouterr().out.splitlines()[-2:] == ["", "Annotated Ir: 75 of 100 (75.00 %)"]


@pytest.mark.usefixtures("folder")
def test_functions_and_files_have_no_share(capfd: pytest.CaptureFixture[str]) -> None:
    """A function and its file have costs in common, which would count twice."""
    assert main(["annotate", "p", "f::z", "--file", "z.c"]) == 0
    assert "Annotated" not in capfd.readouterr().out


@pytest.mark.usefixtures("folder")
def test_json_of_several_is_a_list(capfd: pytest.CaptureFixture[str]) -> None:
    """One function is the object itself; a file has no function and no object."""
    assert main(["annotate", "p", "ns::b", "--format", "json", "-I", "src"]) == 0
    one = json.loads(capfd.readouterr().out)
    assert main(["annotate", "p", "ns::?", "--format", "json", "-I", "src"]) == 0
    several = json.loads(capfd.readouterr().out)
    assert main(["annotate", "p", "--file", "b.h", "--format", "json", "-I", "src"]) == 0
    file = json.loads(capfd.readouterr().out)

    line = {"file": "b.h", "line": 3, "text": "b.h 3"}
    assert one == {
        "function": "ns::b",
        "file": "b.h",
        "object": "prog",
        "self": {"Ir": 40, "Dw": 0},
        "lines": [line | {"self": {"Ir": 40, "Dw": 0}, "inclusive": {"Ir": 40, "Dw": 0}}],
    }
    assert several["annotations"][1] == one
    assert [each["function"] for each in several["annotations"]] == ["ns::a", "ns::b"]
    assert file == {
        "file": "b.h",
        "self": {"Ir": 60, "Dw": 2},
        "lines": [line | {"self": {"Ir": 60, "Dw": 2}, "inclusive": {"Ir": 60, "Dw": 2}}],
    }


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["no*"], "No function matches no*."),
        (
            ["--file", "no.c"],
            "--file: no source file matches no.c; give its recorded path or the last components.",
        ),
    ],
)
def test_what_is_not_there(
    arguments: list[str], reason: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """A pattern or a file that fits nothing is wrong usage."""
    assert main(["annotate", "p", *arguments]) == 2
    assert capfd.readouterr() == ("", f"{reason}\n")


def test_a_file_of_two_folders_is_ambiguous(
    folder: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The command lists the files of that name."""
    (folder / "p").write_text("events: Ir\nfl=x/m.c\nfn=f\n1 5\nfl=y/m.c\nfn=g\n1 6\n")
    assert main(["annotate", "p", "--file", "m.c"]) == 2
    reason = "--file: several source files match m.c: x/m.c; y/m.c; give more of the path.\n"
    assert capfd.readouterr().err == reason
    assert rows(capfd, "--file", "y/m.c") == ["y/m.c,1,6,6,"]


@pytest.mark.usefixtures("folder")
def test_parts_of_an_annotation(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Costs are those of the chosen parts."""
    (folder / "p").write_text(
        "part: 1\nevents: Ir\nfl=b.h\nfn=g\n3 5\npart: 2\nfl=b.h\nfn=g\n3 7\n"
    )
    assert rows(capfd, "g", "--parts", "2", "-I", "src") == ["b.h,3,7,7,b.h 3"]
