"""Recording with valgrind: commands, problems found before their start, and the installation."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from qcachegrind_py.tools.valgrind import recording
from qcachegrind_py.tools.valgrind.recording import (
    RECOMMENDED,
    LiveState,
    Recording,
    RecordingTools,
    Value,
    all_options,
    find_tools,
    install_advice,
    parse_live_state,
    recording_problem,
    resolve_program,
    valgrind_command,
)

HOSTILE = ("a b", "", "$HOME", "*", "\\", "'", '"', "--tool=none", "grün", "a\nb", "%p", "; id")


@pytest.fixture
def program(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that creates an executable file."""

    def program(name: str, start: bytes = b"\x7fELF", mode: int = 0o755) -> Path:
        path = tmp_path / name
        path.write_bytes(start)
        path.chmod(mode)
        return path

    return program


def switches(**options: Value) -> list[str]:
    """The command's words for options."""
    return valgrind_command(Recording("/bin/no-such", options=options), "/v", Path("/out"))[3:-1]


def test_every_word_reaches_the_program_as_it_is(program: Callable[..., Path]) -> None:
    """Arguments follow the program, one word each, unchanged."""
    path = program("my program")

    found = valgrind_command(
        Recording(str(path), HOSTILE, options={}), "/bin/v", Path("/a%b/callgrind.out.x")
    )

    head = ["/bin/v", "--tool=callgrind", "--callgrind-out-file=/a%%b/callgrind.out.x.%p"]
    assert found == [*head, str(path), *HOSTILE]


def test_options_are_words() -> None:
    """Each option becomes the word that valgrind knows; defaults are omitted."""
    every: dict[str, Value] = {
        option.name: True if option.default is False else (3 if option.maximum else "f(int)*")
        for option in all_options()
    }

    assert switches() == []
    assert switches(separate_recs=2, toggle_collect="", cache_sim=False) == []
    assert switches(separate_recs="3", cache_sim=1, separate_callers=21, unknown=True) == []
    assert switches(**RECOMMENDED) == ["--dump-instr=yes", "--collect-jumps=yes"]
    assert switches(**every) == [
        "--dump-instr=yes",
        "--collect-jumps=yes",
        "--cache-sim=yes",
        "--branch-sim=yes",
        "--collect-systime=nsec",
        "--collect-bus=yes",
        "--separate-threads=yes",
        "--trace-children=yes",
        "--separate-callers=3",
        "--separate-recs=3",
        "--instr-atstart=no",
        "--toggle-collect=f(int)*",
        "--dump-every-bb=3000000",
    ]


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="no valgrind")
def test_valgrind_knows_every_option() -> None:
    """Every option is in the help of the installed valgrind."""
    help_ = subprocess.run(
        ["valgrind", "--tool=callgrind", "--help"], capture_output=True, text=True, check=True
    ).stdout

    assert [o.switch for o in all_options() if f"{o.switch}=" not in help_] == []


def test_a_program_is_found(
    program: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name is searched on the PATH; a path is relative to the working folder chosen."""
    path = program("here")
    monkeypatch.setenv("PATH", f".:{tmp_path}")
    monkeypatch.chdir("/")
    at = Recording("", folder=str(tmp_path))

    names = ("here", "./here", str(path), "gone", "./gone", "", "a\0b")
    found = [resolve_program(replace(at, program=name)) for name in names]

    assert found == [str(path), str(path), str(path), None, None, None, None]
    assert resolve_program(replace(at, program="here", folder="/")) == str(path)


def test_unrecordable_programs_are_reported(
    program: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each way in which valgrind would fail or misbehave is reported beforehand."""
    monkeypatch.setenv("PATH", "/nowhere")
    good = program("good")
    program("text", b"echo hi\n")
    program("packed", b"PK\0\1")
    program("empty", b"")
    program("plain", mode=0o644)
    program("script", b"#!/bin/sh -e\n")
    program("lost", b"#! /no/such/python\n")
    recording = Recording(str(good), folder=str(tmp_path), output=str(tmp_path / "new/er"))

    def said(name: str, **others: object) -> str:
        return recording_problem(replace(recording, program=name, **others))  # type: ignore[arg-type]  # any

    assert [said("./good"), said("./script"), said(str(good), arguments=HOSTILE)] == ["", "", ""]
    assert said("nope") == (
        "The program nope was not found. Choose it with Browse, or enter its full path."
    )
    assert (
        said("good")
        == "The program good was not found. To run the one in the working folder, enter ./good."
    )
    assert said("./nope") == "The program ./nope was not found."
    assert said(str(tmp_path)) == f"{tmp_path} is a folder, not a program."
    assert said("./plain") == ("plain is not executable. To make it executable: chmod +x")
    assert said("./empty") == "empty is empty."
    assert said("./text") == (
        "text is a script without a #! line. Record its interpreter instead, for example: python3"
    )
    assert said("./packed") == "packed is not a program for this system."
    assert said("./lost") == "lost needs the interpreter /no/such/python, which is not installed."
    assert said("./good", folder="/no/folder") == "The folder /no/folder does not exist."
    assert said("./good", folder=str(good)) == f"{good} is a file, not a folder."
    assert said("./good", output=f"{good}/x") == f"{good} is a file, not a folder for profiles."
    assert said("./good", environment=("A=1", "B")) == (
        "“B” in the environment must have the form NAME=value."
    )
    assert said("./good", extra=("-v", "no")) == (
        "“no” is not a Valgrind option: options start with -- and contain no spaces."
    )
    assert said("./good", extra=("--tool=none",)) == "--tool is already set above."
    assert said("./good", arguments=("a\0b",)) == ("Arguments must not contain a null character.")
    # from Python 3.14 on, there is no file with a name that is too long
    too_long = ("Cannot check this: ", "The program ./xxx")
    assert said("./" + "x" * 5000).startswith(too_long)


# ------------------------------------------------------------ installation

ANSWER = """instrumentation: on
executed-bbs: 1030795
distinct-contexts: 321
events: Ir Dr
part: 0
threads: 1 2
current-tid: 2
events-1: 14134327 5
frames-1: 1
function-1-0: (below main)
events-1-0: 14013155 1
events-2: 1000
function-2-0: start_thread
calls-2-0: 1
events-2-0: 99
function-2-3: Grid<int>::work(int): x
"""


@pytest.mark.parametrize(
    ("platform", "manager", "sentence", "command"),
    [
        ("linux", "dnf", "Valgrind is not installed. Install it with this command:", "valgrind"),
        ("linux", "", "valgrind.org", ""),
        ("darwin", "", "macOS", ""),
        ("win32", "", "WSL", ""),
    ],
)
def test_how_valgrind_is_installed(
    platform: str, manager: str, sentence: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a command that can be pasted as shown, or the name of an alternative."""
    monkeypatch.setattr(recording, "package_manager", lambda: manager)

    advice = install_advice(platform)

    assert sentence in advice.sentence
    assert advice.command.endswith(command)
    assert bool(advice.command) == bool(command)


def test_tools_are_programs_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program in the working directory is never run."""
    (tmp_path / "valgrind").write_bytes(b"#!")
    (tmp_path / "valgrind").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", ".")
    by_chance = find_tools()
    monkeypatch.setenv("PATH", str(tmp_path))

    assert (by_chance, find_tools()) == (
        RecordingTools(),
        RecordingTools(str(tmp_path / "valgrind"), None),
    )


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        (ANSWER, LiveState(True, "Ir", 14135327, 2, ("Grid<int>::work(int): x", "start_thread"))),
        (
            ANSWER.replace("14134327", str(2**64 - 7)),
            LiveState(True, "Ir", 1000, 2, ("Grid<int>::work(int): x", "start_thread")),
        ),
        ("instrumentation: off\n", LiveState(is_counting=False)),
        ("instrumentation: on\nevents-1: x\n", LiveState(threads=1)),
        ("no vgdb server for this process\n", None),
        ("", None),
    ],
)
def test_live_state(answer: str, state: LiveState | None) -> None:
    """Costs are summed over threads, the function is the innermost; negative sums are none."""
    assert parse_live_state(answer) == state
