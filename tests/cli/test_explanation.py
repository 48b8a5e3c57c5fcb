"""`--explain` as a command."""

from __future__ import annotations

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
    assert main(["--explain", "f", str(profile_path)]) == 0
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
    assert main(["--explain", "f", *options, str(profile_path)]) == 0
    assert capfd.readouterr().out.splitlines()[0] == first


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--explain", "f"], "--explain needs a FILE"),
        (["--explain", "f", "--inclusive", "--called", "F"], "--inclusive and --called exclude"),
        (["--inclusive", "F"], "--inclusive and --called are for --explain"),
        (["--explain", "f", "--report", "text", "F"], "--explain excludes all other tasks"),
        (["--explain", "f", "--filter", "x", "F"], "--sort, --threshold and --filter are not"),
        (["--explain", "f", "--events", "Ir,Dr", "F"], "--explain is about one event"),
    ],
)
def test_wrong_usage_is_told(
    options: list[str], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Options that would be ignored are refused."""
    with pytest.raises(SystemExit) as ended:
        main(options)
    assert (ended.value.code, reason in capsys.readouterr().err) == (2, True)
