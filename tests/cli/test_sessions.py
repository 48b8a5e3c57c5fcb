"""What the command prints, to the letter: `sessions/` has profiles, commands and their output.

A session is prose, which says the rules, with profiles and commands below it::

    `old` is drawn:
        main 1 -> f 3x5
    `odd` reads:
        events: Ir

    Callees stand below a function.
        $ calls old main
        2$ calls old nobody
        ! There is no function nobody.

A number before `$` is the exit code, and lines with `!` are messages. `...` stands for anything.
JSON is laid out freely, a tab is `¦`, and what is bold is between `«` and `»`. Behind `| ` is what
of an output is compared: the columns of TSV with these titles, with rows separated by `; `, or
members of JSON, of which `*` is each one.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple

import pytest

from qcachegrind_py.app.doctor.scanner_speed import slow_scanner_text
from qcachegrind_py.cli.main import main
from tests.profile_text import profile_text

_FILE = re.compile(r"`(\S+)` (is drawn|reads):")
_COMMAND = re.compile(r"    (\d?)\$ (.*?)(?: \| ([^\s']\S*))?")
_HINT = re.compile(r"qcachegrind-py( \w+)? --help shows (its options|all tasks)\.")


class Command(NamedTuple):
    """A command, and the profiles above it."""

    files: dict[str, str]
    line: str
    selected: str
    code: int
    printed: str


def commands(session: str) -> Iterator[Command]:
    """Yield the commands of a session."""
    files = dict[str, str]()
    for block in re.split(r"\n(?=\S|    \d?\$ )", session):
        first, _, rest = block.partition("\n")
        if file := _FILE.fullmatch(first):
            text = dedent(rest)
            files[file[1]] = profile_text(text) if file[2] == "is drawn" else text.strip() + "\n"
        elif command := _COMMAND.fullmatch(first):
            code, line, selected = command.groups("")
            printed = re.sub("^ {4}", "", rest, flags=re.M).strip("\n")
            yield Command(dict(files), line, selected, int(code or 0), printed)


def every_command() -> Iterator[object]:
    for path in sorted(Path(__file__).with_name("sessions").glob("*.txt")):
        for number, command in enumerate(commands(path.read_text("utf-8"))):
            yield pytest.param(command, id=f"{path.stem}-{number}: {command.line}")


def selected(out: str, what: str) -> str:
    """These columns of TSV, or members of JSON."""
    if not out.startswith("{"):
        titles, *rows = (line.split("\t") for line in out.splitlines())
        places = [titles.index(title.replace("_", " ")) for title in what.split(",")]
        return "; ".join(" ".join(row[place] for place in places) for row in rows)
    return json.dumps(members(json.loads(out), what.split(".")))


def members(value: object, path: list[str]) -> object:
    """What is below a path in JSON; several keys with commas are a list."""
    if not path:
        return value
    first, *rest = path
    if isinstance(value, list):
        chosen = value if first == "*" else [value[int(first)]]
        found = [members(each, rest) for each in chosen]
        return found if first == "*" else found[0]
    assert isinstance(value, dict)
    if "," in first:
        return [members(value[key], rest) for key in first.split(",")]
    return members(value[first], rest)


def ran(command: Command, capfd: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """The exit code and what a command prints, as a session has it."""
    for name, text in command.files.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(text.encode())
    try:
        code = main(shlex.split(command.line))
    except SystemExit as ended:
        code = int(ended.code or 0)
    out, err = capfd.readouterr()
    if command.selected and out:
        out = selected(out, command.selected)
    out = out.replace("\t", "¦").replace("\x1b[1m", "«").replace("\x1b[0m", "»")
    slow = slow_scanner_text().splitlines()
    lines = [line for line in err.splitlines() if line not in slow and not _HINT.fullmatch(line)]
    messages = [f"! {line}" for line in lines]
    return code, "\n".join([*out.rstrip("\n").splitlines(), *messages]).lstrip("\n")


@pytest.mark.parametrize("command", list(every_command()))
def test_a_command(
    command: Command,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)
    code, printed = ran(command, capfd)
    wanted = command.printed
    if wanted.startswith(("{", "[")):
        text, mark, messages = wanted.partition("\n! ")
        wanted = json.dumps(json.loads(text)) + mark + messages
    elif "..." in wanted:
        parts = map(re.escape, wanted.split("..."))
        if re.fullmatch(".*".join(parts), printed, re.S):
            wanted = printed
    assert (code, printed) == (command.code, wanted)
