"""`convert` to stacks and to lines of source."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from qcachegrind_py.cli.main import main
from tests.cli.test_main import SLOW
from tests.profile_text import write_profile_text

DRAWING = "events: Ir Dr\nmain@m.c@prog 3,1 -> f 1x4,2\nf@f.c@libf.so 4,2"


@pytest.fixture
def profile_path(tmp_path: Path) -> Path:
    return write_profile_text(tmp_path, DRAWING)


def test_folded_stacks_are_written_to_standard_output(
    profile_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """One event, the first or that of --event, and what passes the filter."""
    assert main(["convert", str(profile_path), "--to", "folded", "-o", "-"]) == 0
    assert capfd.readouterr() == ("# event: Ir (Instruction Fetch)\nmain 3\nmain;f 4\n", SLOW)
    options = ["--event", "Dr", "--filter", "lib:libf"]
    assert main(["convert", str(profile_path), "--to", "folded", "-o", "-", *options]) == 0
    assert capfd.readouterr().out == "# event: Dr (Data Read Access)\nmain;f 2\n"


def test_the_name_chooses_speedscopes_format_and_compression(profile_path: Path) -> None:
    """OUT.json.gz is the JSON of all chosen events, compressed."""
    out = profile_path.with_name("stacks.json.gz")
    assert main(["convert", str(profile_path), "-o", str(out), "--events", "Ir,Dr"]) == 0
    written = json.loads(gzip.decompress(out.read_bytes()))
    profiles = written["profiles"]
    assert [(each["name"], [event["at"] for event in each["events"]]) for each in profiles] == [
        ("Ir", [0, 3, 7, 7]),
        ("Dr", [0, 1, 3, 3]),
    ]
    assert written["name"] == "callgrind.out.1"


def test_lines_are_printed(profile_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """As LCOV, and as JSON of all chosen events."""
    assert main(["convert", str(profile_path), "--to", "lcov", "-o", "-"]) == 0
    assert capfd.readouterr().out.split("end_of_record\n")[:2] == [
        "TN:\nSF:m.c\nDA:1,3\nLF:1\nLH:1\n",
        "TN:\nSF:f.c\nDA:1,4\nLF:1\nLH:1\n",
    ]
    assert (
        main(["convert", str(profile_path), "--to", "lines-json", "-o", "-", "--events", "Dr"]) == 0
    )
    assert json.loads(capfd.readouterr().out)["totals"] == {"Dr": 3}
