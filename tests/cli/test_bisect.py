"""The script of docs/command.md for `git bisect run` finds a commit in a generated history."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(
    shutil.which("git") is None or os.name != "posix", reason="needs git and a shell"
)
PAGE = Path(__file__).parents[2] / "docs/command.md"
# self costs of `tokenize` and `parse` in each commit: one cannot be built, one ends without totals
COMMITS: dict[str, tuple[int, int] | None] = {
    "first": (100, 100),
    "parse is dearer": (100, 900),
    "broken": None,
    "damaged": (100, 900),
    "tokenize is a little dearer": (104, 900),
    "culprit": (140, 900),
    "after it": (140, 90),
    "last": (150, 90),
}


def profile_of(name: str, costs: tuple[int, int] | None) -> str:
    """The profile that a recording of a commit gives; empty if there is none."""
    if costs is None:
        return ""
    end = f"totals: {sum(costs)}\n" if name != "damaged" else ""
    tokenize, parse = costs
    return f"{_HEAD}fn=tokenize\n1 {tokenize}\nfn=parse\n2 {parse}\n{end}"


def script(folder: Path) -> str:
    """The script of the page, with its files in a folder."""
    section = PAGE.read_text("utf-8").partition("### A script for `git bisect run`")[2]
    block = re.search(r"```sh\n(.*?)```", section, re.DOTALL)
    assert block is not None
    return block[1].replace("/tmp/", f"{folder}/")


_NAMES = ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL")
_HEAD = "version: 1\ncreator: callgrind-3.20\ncmd: ./program\nevents: Ir\n\nfl=a.c\n"


class History:
    """A repository in which each commit has the profile that a recording of it would give."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._work = folder, folder / "work"
        self._environment = {
            **os.environ,
            "PATH": f"{folder}/bin:{os.environ['PATH']}",
            "PYTHONPATH": str(PAGE.parents[1]),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
            **{
                f"GIT_{who}_{what}": "a@b.c"
                for who in ("AUTHOR", "COMMITTER")
                for what in ("NAME", "EMAIL")
            },
        }
        self._work.mkdir()
        (folder / "bin").mkdir()
        self._tool("make", "test -s profile")
        self._tool("valgrind", f"cp profile {folder}/new.out")
        self._tool("qcachegrind-py", f'exec "{sys.executable}" -m qcachegrind_py "$@"')
        self.git("init", "-q")
        for name, costs in COMMITS.items():
            (self._work / "profile").write_text(profile_of(name, costs))
            self.git("add", "profile")
            self.git("commit", "-q", "-m", name)
        self._first = self.git("rev-list", "--max-parents=0", "HEAD").strip()
        (folder / "good.out").write_text(self.git("show", f"{self._first}:profile"))

    def _tool(self, name: str, line: str) -> None:
        path = self._folder / "bin" / name
        path.write_text(f"#!/bin/sh\n{line}\n")
        path.chmod(0o755)

    def git(self, *arguments: str) -> str:
        """Run git, and return what it prints."""
        done = subprocess.run(
            ["git", *arguments],
            cwd=self._work, env=self._environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        return done.stdout + done.stderr

    def bisected(self, text: str) -> str:
        """What `git bisect run` says of a script."""
        (self._folder / "bisect.sh").write_text(text)
        self.git("bisect", "start", "HEAD", self._first)
        return self.git("bisect", "run", "sh", f"{self._folder}/bisect.sh")


def test_the_commit_that_made_a_function_dearer(tmp_path: Path) -> None:
    """Commits that cannot be built, or have no whole profile, are skipped."""
    said = History(tmp_path).bisected(script(tmp_path))
    assert "is the first bad commit" in said
    assert re.search(r"^    culprit$", said, re.M), said


def test_a_rule_that_is_wrong_ends_the_bisection(tmp_path: Path) -> None:
    """It would call every commit good, or bad."""
    said = History(tmp_path).bisected(script(tmp_path).replace("self>+5%", "slef>+5%"))
    assert "slef" in said
    assert "exit code 128" in said
    assert "is the first bad commit" not in said
