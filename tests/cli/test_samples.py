"""Commands on sampled profiles: noise of changes, and no counts where there are none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from qcachegrind_py.cli.main import main

# of 10,000 samples each: draw changes by more than chance, read does not
BASE = """\
main;parse;read 340
main;parse 4660
main;render;draw 3000
main;render 2000
"""
NEW = """\
main;parse;read 360
main;parse 4560
main;render;draw 3300
main;render 1780
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The current folder, with two profiles of samples."""
    (tmp_path / "old.folded").write_text(BASE, encoding="utf-8")
    (tmp_path / "new.folded").write_text(NEW, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def run(capfd: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(list(words))
    captured = capfd.readouterr()
    return code, captured.out, captured.err


def compared(capfd: pytest.CaptureFixture[str], *words: str) -> str:
    """The output of a comparison of both."""
    code, out, err = run(capfd, "compare", "old.folded", "new.folded", *words)
    assert (code, err) == (0, "")
    return out


def gated(capfd: pytest.CaptureFixture[str], rule: str) -> tuple[int, str]:
    """The exit code of a rule, and the line about it."""
    code, out, _ = run(capfd, "gate", "old.folded", "new.folded", "--fail-if", rule)
    return code, next(line for line in out.splitlines() if "rule" in line)


def test_changes_stand_beside_their_noise(capfd: pytest.CaptureFixture[str]) -> None:
    """draw: 2·√(3000·0.7 + 3300·0.67) = 131.3; read: 2·√(340·0.966 + 360·0.964) = 52.0."""
    lines = compared(capfd).splitlines()
    assert lines[2] == (
        "Samples: 10,000 → 10,000: changes within noise may be chance (2 standard deviations)"
    )
    begin = lines.index("Self cost in samples")
    assert lines[begin + 1 : begin + 7] == [
        "Change  Noise       %   Base    New  Called  Function",
        "  +300   ±132  +10.00  3,000  3,300       –  draw (???: ???)",
        "  −220   ±111  −11.00  2,000  1,780       –  render (???: ???)",
        "  −100   ±141   −2.15  4,660  4,560       –  parse (???: ???) [within noise]",
        "   +20    ±52   +5.88    340    360       –  read (???: ???) [within noise]",
        "… and 1 function without a change",
    ]


def test_shares_have_noise_in_percentage_points(capfd: pytest.CaptureFixture[str]) -> None:
    """All are of 10,000 samples, so that a hundred samples are a percentage point."""
    out = compared(capfd, "--shares", "--filter", "name:read")
    assert " +0.20  ±0.52  3.40  3.60       –  read (???: ???) [within noise]\n" in out


def test_programs_read_the_noise(capfd: pytest.CaptureFixture[str]) -> None:
    report = json.loads(compared(capfd, "--format", "json", "--filter", "name:read"))
    (read,) = report["functions"]
    noise = {kind: round(each["samples"], 2) for kind, each in read["noise"].items()}
    assert (read["changed"], noise) == ({"samples": False}, {"self": 51.98, "inclusive": 51.98})
    header, row = compared(capfd, "--format", "tsv", "--filter", "name:read").splitlines()
    cells = dict(zip(header.split("\t"), row.split("\t"), strict=True))
    assert (cells["changed"], round(float(cells["self noise"]), 2)) == ("0", 51.98)


def test_pages_mark_what_is_within_noise(capfd: pytest.CaptureFixture[str]) -> None:
    assert "±52" in (page := compared(capfd, "--format", "html"))
    assert "within noise" in page
    assert "`read` `???: ???` *within noise*" in compared(capfd, "--format", "markdown")


def test_no_rule_is_met_by_chance(capfd: pytest.CaptureFixture[str]) -> None:
    """read has 5.88 % more, which a second run of the same program may show, too."""
    assert gated(capfd, "self>+5%") == (
        3,
        "Failed: rule self>+5% is met by 1 function (1 more within noise):",
    )
    assert gated(capfd, "self>+5% name:read") == (
        0,
        "Passed: rule self>+5% name:read is not met (1 function within noise).",
    )


def test_a_rule_about_one_side_needs_no_noise(capfd: pytest.CaptureFixture[str]) -> None:
    assert gated(capfd, "self>3% name:read") == (
        3,
        "Failed: rule self>3% name:read is met by 1 function:",
    )


def test_a_report_says_of_how_many_samples_it_is(capfd: pytest.CaptureFixture[str]) -> None:
    """Call counts are not known, so that none is said."""
    code, out, err = run(capfd, "report", "new.folded", "--limit", "2")
    assert (code, err) == (0, "")
    assert out.splitlines()[1:] == [
        "Creator:     Folded stacks",
        "Contents:    5 functions in 0 files of 0 objects",
        "Samples:     10,000",
        "Percentages: of the sum of the self costs; no total is recorded",
        "Totals:      samples  10,000",
        "",
        "samples",
        " Incl.       %   Self       %    Called  Function",
        "10,000  100.00      0    0.00         –  main (???: ???)",
        " 5,080   50.80  1,780   17.80         –  render (???: ???)",
    ]


def test_what_a_callgrind_file_has_no_place_for_is_said(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Stacks are kept by the formats of stacks."""
    assert run(capfd, "convert", "new.folded", "-o", "new.callgrind") == (
        0,
        "",
        "The Callgrind format has the costs of functions, lines and calls, and no whole stacks. "
        "--to speedscope keeps stacks.\n",
    )
    assert run(capfd, "convert", "new.folded", "-o", "again.folded") == (0, "", "")
    lines = [sorted(Path(name).read_text().splitlines()) for name in ("new.folded", "again.folded")]
    assert lines[0] == lines[1]


@pytest.mark.parametrize("options", [(), ("--merge",), ("--filter", "name:read")])
def test_a_callgrind_file_keeps_numbers_of_samples(
    capfd: pytest.CaptureFixture[str], options: tuple[str, ...]
) -> None:
    """Noise is the same, also that of some of the functions: a share of all samples."""
    for name in ("old.folded", "new.folded"):
        run(capfd, "convert", name, "--to", "callgrind", "-o", f"{name}.out", *options)
    files = "old.folded.out", "new.folded.out"
    _, out, _ = run(capfd, "compare", *files, "--filter", "name:read", "--format", "json")
    (read,) = json.loads(out)["functions"]
    whole = json.loads(compared(capfd, "--filter", "name:read", "--format", "json"))
    assert (round(read["noise"]["self"]["samples"], 2), [read]) == (51.98, whole["functions"])


@pytest.mark.parametrize("ending", ["folded", "callgrind"])
def test_a_history_has_no_steps_by_chance(capfd: pytest.CaptureFixture[str], ending: str) -> None:
    """Of three revisions on each side, only draw and render step by more than their noise."""
    files = [f"{name}.{ending}" for name in ("old", "old", "old", "new", "new", "new")]
    for name in ("old", "new"):
        run(capfd, "convert", f"{name}.folded", "-o", f"{name}.{ending}")
    _, out, _ = run(capfd, "history", *files, "--format", "json")
    steps = {row["name"]: row["largest_step"] for row in json.loads(out)["functions"]}
    assert steps == {"draw": 300, "render": -220, "parse": 0, "read": 0, "main": 0}
