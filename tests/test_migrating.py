"""Run the commands of docs/migrating.md, of other tools and ours: both have the same answers."""

from __future__ import annotations

import lzma
import re
import shutil
import sys
from pathlib import Path

import pytest

from qcachegrind_py.cli.main import main
from tests.test_readme import EXAMPLE, ROOT, run_in_shell

PAGE = ROOT / "docs" / "migrating.md"
CACHEGRIND = ROOT / "tests" / "data" / "cachegrind" / "cachegrind.out.templ-O2.xz"
ROWS = 8
# As the page says, these cost something else there: the first three have inlined code, which has
# rows of its own, and the last one calls itself, which counts twice.
OTHERWISE = {
    "round_and_return",
    "__vfprintf_internal",
    "_IO_default_xsputn",
    "msort_with_tmp.part.0'2",
}


def pairs() -> list[tuple[str, str]]:
    """The commands of another tool, each with ours."""
    return re.findall(r"^    (c.*)\n    (qcachegrind-py .*)$", PAGE.read_text("utf-8"), re.M)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the files that the page names, as other tools read them."""
    for path in (EXAMPLE / "sheet").glob("*.[ch]"):
        shutil.copy(path, tmp_path)
    recorded, merged = EXAMPLE / "sheet" / "callgrind.out.sheet.xz", tmp_path / "callgrind.out.1234"
    assert main(["convert", str(recorded), "--merge", "--to", "callgrind", "-o", str(merged)]) == 0
    for name in ("cachegrind.old", "cachegrind.new"):
        (tmp_path / name).write_bytes(lzma.decompress(CACHEGRIND.read_bytes()))
    benchmark = tmp_path / "target" / "gungraun" / "sheet" / "cells" / "all" / "fill.small"
    benchmark.mkdir(parents=True)
    for kept in ("", ".old", ".base@main"):
        shutil.copy(merged, benchmark / f"callgrind.fill.small.out{kept}")
    return tmp_path


def function_rows(text: str) -> list[tuple[str, str]]:
    """Cost and name of the first functions that callgrind_annotate or cg_annotate lists."""
    table = re.split(r"^.*file:function\n-+\n", text, maxsplit=1, flags=re.M)[-1]
    rows = re.findall(
        r"^ *([\d,]+) \([^)]*\)  .*?[^ ]:([^ ].*?)(?: \(\d+x\))?(?: \[.*\])?$", table, re.M
    )
    return rows[:ROWS]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="the lines are for a POSIX shell")
@pytest.mark.parametrize(("theirs", "ours"), pairs())
def test_commands_have_the_same_answer(theirs: str, ours: str, folder: Path) -> None:
    """Both commands succeed; the functions of their table are in ours, with the same costs."""
    our_answer = run_in_shell(ours, folder)
    assert our_answer.returncode == 0, our_answer.stderr
    tool = theirs.split()[0]
    if tool == "cargo":
        assert "1 equal" in our_answer.stdout  # its benchmarks are beyond this test
        return
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")

    answer = run_in_shell(theirs, folder)

    assert answer.returncode == 0, answer.stderr
    if ours.split()[1] in ("report", "calls"):
        rows = function_rows(answer.stdout)
        assert len(rows) == ROWS
        lines = our_answer.stdout.splitlines()
        missing = [
            name
            for cost, name in rows
            if not any(name in line and (name in OTHERWISE or cost in line) for line in lines)
        ]
        assert missing == []


def test_every_tool_has_its_commands() -> None:
    """The page is read as it is meant: lines of other tools, each with one of ours below it."""
    named = [theirs.split()[0] for theirs, _ in pairs()]
    commands = re.findall(r"^    ", PAGE.read_text("utf-8"), re.M)
    assert set(named) == {"callgrind_annotate", "cg_annotate", "cg_diff", "cg_merge", "cargo"}
    assert len(commands) == 2 * len(named)
