"""The task `explain`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from qcachegrind_py.cli.main import main
from tests.cli.test_main import SLOW
from tests.profile_text import write_profile_text


@pytest.fixture
def profile_path(tmp_path: Path) -> Path:
    drawing = "events: Ir Dr\nmain@m.c@prog 3,1 -> f 2x4,2\nf@f.c@libf.so 4,2"
    return write_profile_text(tmp_path, drawing)


def test_a_number_is_explained(profile_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The self cost by default, with the line of the file that has it."""
    assert main(["explain", str(profile_path), "f"]) == 0
    text = "\n".join(
        [
            "Self cost of f, Ir: 4",
            "  4 / 7 = 57.14 % of the sum of all self costs, as the file records no total "
            "(summary:).",
            "",
            "f.c:1: 4",
            f"  in {profile_path}:",
            "    line 15: 1 4 2  → 4",
            "Sum of 1 line of the profile: 4",
            "",
        ]
    )
    assert capfd.readouterr() == (text, SLOW)


@pytest.mark.parametrize(
    ("options", "first"),
    [
        (["--inclusive", "--event", "Dr"], "Inclusive cost of f, Dr: 2"),
        (["--called"], "Calls of f: 2"),
        (["--in", "libf.so"], "Self cost of f, Ir: 4"),
    ],
)
def test_another_number(
    options: list[str], first: str, profile_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Inclusive cost, calls, another event, and a function told by its place."""
    assert main(["explain", str(profile_path), "f", *options]) == 0
    assert capfd.readouterr().out.splitlines()[0] == first


def test_numbers_of_recorded_stacks_are_sums_of_paths(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A stack counts once, however often the function is on it; calls are not counted."""
    path = tmp_path / "recursive.folded"
    path.write_text("main;walk;leaf 3\nmain;walk;read;walk 4\nmain;sort;walk 2\nmain;sort 1\n")
    for options in (["--inclusive"], ["--fold", "read"], ["--called"]):
        assert main(["explain", str(path), "walk", *options]) == 0
    assert capfd.readouterr().out.splitlines() == [
        "Inclusive cost of walk, samples: 9",
        "  9 / 10 = 90.00 % of the sum of all self costs.",
        "",
        "What all stacks cost that contain the function, each of them once.",
        "  7  main › walk",
        "  2  main › sort › walk",
        "Self cost of walk, samples: 6",
        "  6 / 10 = 60.00 % of the sum of all self costs.",
        "",
        "What all stacks cost that end there.",
        "  4  main › walk › walk",
        "  2  main › sort › walk",
        "Calls of walk: –",
        "  The profile does not count calls.",
    ]


_REPLACING = """
import os, sys
from qcachegrind_py.cli.main import main

path, other, number = sys.argv[1], sys.argv[2], int(sys.argv[3])
opened = 0

def replace(event, arguments):
    global opened
    if event == "open" and str(arguments[0]) == path:
        opened += 1
        if opened == number:
            os.replace(other, path)

sys.addaudithook(replace)
sys.exit(main(["explain", path, "f"]))
"""


@pytest.mark.parametrize("number", [3, 4])
def test_a_profile_that_is_replaced_meanwhile_explains_nothing(
    profile_path: Path, tmp_path: Path, number: int
) -> None:
    """The text of one file would explain the number of another: line 15 is there in both.

    The file is opened for its run, for its costs, for the places of its rows, and for the lines.
    """
    other = tmp_path / "other"
    other.write_text(profile_path.read_text().replace("\n1 4 2\n", "\n1 9 9\n"))
    arguments = [sys.executable, "-c", _REPLACING, str(profile_path), str(other), str(number)]
    ended = subprocess.run(arguments, capture_output=True, text=True, check=False, timeout=60)
    reason = "has changed since it was read, so its lines cannot be shown. Read it again."
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr == f"{profile_path} {reason}\n"
    assert not other.exists()
