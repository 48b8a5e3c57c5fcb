"""Run docs/many-profiles.md on 200 runs: its answers in SQL are those of Python."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from qcachegrind_py.cli.main import main
from tests.profile_text import profile_text

PAGE = (Path(__file__).parents[1] / "docs/many-profiles.md").read_text("utf-8")
SHELL = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.M | re.DOTALL)
SQL = re.findall(r"^```sql\n(.*?)^```$", PAGE, re.M | re.DOTALL)
VIEWS, QUESTIONS = SQL[:2], SQL[2:]
COMMANDS = ("./sheet --fast", './sheet --label "a, b"')
START = datetime(2026, 5, 1, tzinfo=UTC)
NAMES = ("parse", "sum,all", 'operator""_s', "007", "idle", "new_one")


class Run(NamedTuple):
    """A run as drawn: its costs by function."""

    name: str
    date: datetime
    command: str
    costs: dict[str, int]


def drawn_runs(count: int) -> list[Run]:
    """Runs of two commands, half a day apart, with functions that change, come and go."""
    draw = random.Random(35)
    costs = {command: {name: draw.randint(100, 999) for name in NAMES} for command in COMMANDS}
    runs = []
    for number in range(count):
        command = draw.choice(COMMANDS)
        levels = costs[command]
        for name in levels:
            if draw.random() < 0.05:
                levels[name] += draw.randint(-50, 100)
        left_out = {"new_one"} if number < count * 0.9 else set(draw.choices(NAMES[:-1], k=1))
        date = START + timedelta(hours=12 * number, seconds=draw.randint(0, 3600))
        kept = {name: cost for name, cost in levels.items() if name not in left_out}
        runs.append(Run(f"night.{number:03}", date, command, kept))
    draw.shuffle(runs)  # names are in another order than dates
    return [run._replace(name=f"night.{number:03}") for number, run in enumerate(runs)]


Answer = list[tuple[Any, ...]]


def first_changes(runs: list[Run]) -> Answer:
    """The first run in which each function of a command costs something else than before."""
    found: dict[tuple[str, str], tuple[Any, ...]] = {}
    last: dict[tuple[str, str], int] = {}
    for run in runs:
        for name, cost in run.costs.items():
            key = run.command, name
            before = last.get(key, cost)
            if before != cost:
                found.setdefault(key, (*key, "a.c", "prog", run.name, before, cost))
            last[key] = cost
    return sorted(found.values())


def most_variable(runs: list[Run]) -> Answer:
    costs: dict[tuple[str, str], list[int]] = {}
    for run in runs:
        for name, cost in run.costs.items():
            costs.setdefault((run.command, name), []).append(cost)
    rows = [(*key, "a.c", "prog", min(of), max(of), len(of)) for key, of in costs.items()]
    return sorted(rows, key=lambda row: (row[4] - row[5], row))[:20]


def runs_of_one_command(runs: list[Run]) -> Answer:
    return [
        (run.name, run.date.replace(tzinfo=None), sum(run.costs.values()))
        for run in runs
        if run.command == COMMANDS[0]
    ]


def regressions(runs: list[Run]) -> Answer:
    rows = []
    for command in COMMANDS:
        own = [run for run in runs if run.command == command]
        old = [run for run in own if run.date <= own[-1].date - timedelta(days=30)][-1].costs
        new = own[-1].costs
        pairs = {name: (old.get(name, 0), new.get(name, 0)) for name in {*old, *new}}
        rows += [
            (command, name, "a.c", "prog", *pair)
            for name, pair in pairs.items()
            if 100 * pair[1] > 101 * pair[0]
        ]
    return sorted(rows, key=lambda row: (row[4] - row[5], row))


IN_PYTHON = (first_changes, most_variable, runs_of_one_command, regressions)


def write_profiles(folder: Path, runs: list[Run]) -> None:
    folder.mkdir()
    for run in runs:
        functions = "\n".join(f"{name}@a.c@prog {cost}" for name, cost in run.costs.items())
        text = f"cmd: {run.command}\n{profile_text(functions)}"
        path = folder / run.name
        path.write_text(text, encoding="utf-8")
        os.utime(path, (run.date.timestamp(), run.date.timestamp()))


def run_commands(lines: str, folder: Path) -> None:
    """Run shell lines; what they ask of our command is done here, as 200 starts take half a minute.

    They must not use its output, therefore.
    """
    asked = folder / "asked"
    command = folder / "bin/qcachegrind-py"
    command.parent.mkdir(exist_ok=True)
    command.write_text(f"#!/bin/sh\nprintf '%s\\0' \"$@\" '' >> '{asked}'\n", encoding="utf-8")
    command.chmod(0o755)
    path = f"{command.parent}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(["sh", "-ec", lines], env={**os.environ, "PATH": path}, check=True)
    for words in asked.read_text(encoding="utf-8").removesuffix("\0\0").split("\0\0"):
        assert main(words.split("\0")) == 0
    asked.unlink()


@pytest.fixture(scope="module")
def runs() -> list[Run]:
    """What was drawn, by date; dates have whole seconds, as those of `date` have."""
    return sorted(drawn_runs(200), key=lambda run: run.date)


@pytest.fixture(scope="module")
def folder(runs: list[Run], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with profiles, in which the shell lines of the page were run."""
    pytest.importorskip("duckdb")
    folder = tmp_path_factory.mktemp("many")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        write_profiles(folder / "profiles", runs)
        for lines in SHELL:
            run_commands(lines, folder)
        yield folder


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="the lines are for a POSIX shell")
@pytest.mark.parametrize("view", VIEWS, ids=["tables", "store"])
def test_answers_in_sql_are_those_of_python(view: str, runs: list[Run], folder: Path) -> None:
    """Four questions of the page, to tables and to a store, find what was drawn."""
    import duckdb

    with duckdb.connect() as connection:
        connection.execute(view).fetchall()
        for question, in_python in zip(QUESTIONS, IN_PYTHON, strict=True):
            answer = connection.execute(question).fetchall()
            assert answer == in_python(runs), in_python.__name__
            assert answer
