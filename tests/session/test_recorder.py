"""The recorder with stand-ins for valgrind: starting, output, parts, and every way to end."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from qcachegrind_py.formats.run_files import Completeness, RecordedRun
from qcachegrind_py.session.recorder import (
    OutputLine,
    ProgramOutput,
    Recorder,
    RecorderState,
    RecordingOutcome,
    add_recent_recording,
    recent_recordings,
    signal_name,
)
from qcachegrind_py.session.settings.store import Settings
from qcachegrind_py.tools.valgrind.recording import LiveState, Recording, RecordingTools
from tests.fake_valgrind import install


class Listener:
    """Starts recordings, and stores all signals of the recorder."""

    def __init__(
        self, recorder: Recorder, tools: RecordingTools, folder: Path, qtbot: QtBot
    ) -> None:
        self.recorder, self.tools, self._qtbot = recorder, tools, qtbot
        self.folder = folder / "profiles"
        self.lines: list[str] = []
        self.parts: list[tuple[Path, ...]] = []
        self.figures: list[LiveState | None] = []
        self.states: list[RecorderState] = []
        self.outcomes: list[RecordingOutcome] = []
        self._base = Recording("/bin/true", folder=str(folder), output=str(self.folder))
        recorder.output_received.connect(
            lambda lines: self.lines.extend(line.text for line in lines)
        )
        recorder.dumped.connect(self.parts.append)
        recorder.changed.connect(
            lambda: self.figures.append(recorder.control and recorder.control.live)
        )
        recorder.ended.connect(self.outcomes.append)
        recorder.changed.connect(lambda: self.states.append(recorder.state))

    def _note_figures(self) -> None:
        if self.recorder.control is not None:
            self.figures.append(self.recorder.control.live)

    def start(self, *arguments: str, **others: object) -> None:
        recording = replace(self._base, arguments=arguments, **others)  # type: ignore[arg-type]
        self.recorder.start(recording, self.tools)

    def wait(self, until: Callable[[], object]) -> None:
        self._qtbot.waitUntil(lambda: bool(until()))

    def outcome(self) -> RecordingOutcome:
        self.wait(lambda: self.outcomes)
        assert not self.recorder.is_running
        return self.outcomes[-1]

    def record(self, *arguments: str, **others: object) -> RecordingOutcome:
        self.start(*arguments, **others)
        return self.outcome()


@pytest.fixture
def listener(qtbot: QtBot, tmp_path: Path) -> Iterator[Listener]:
    if sys.platform != "linux":
        pytest.skip("the stand-ins need /proc")
    recorder = Recorder()
    listener = Listener(recorder, install(tmp_path / "bin"), tmp_path, qtbot)
    yield listener
    recorder.shut_down()
    recorder.deleteLater()


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_program_has_its_words_folder_and_variables(listener: Listener, tmp_path: Path) -> None:
    """The program gets its arguments unchanged, its folder and no input; its lines are received."""
    outcome = listener.record("0", "a b", "$HOME", "'", environment=("COLOUR=green sea",))

    (run,) = outcome.runs
    assert listener.lines == [
        f"in {tmp_path} green sea '' /bin/true 0 a b $HOME '",
        f"=={run.process}== Callgrind, not quite",
    ]
    assert (outcome.exit_code, outcome.is_complete, run.completeness) == (
        0,
        True,
        Completeness.COMPLETE,
    )
    assert run.path.parent == listener.folder
    assert run.path.name == f"{Path(run.path).stem}.{run.process}"
    assert set(listener.states) == {RecorderState.RUNNING, RecorderState.READY}


@pytest.mark.parametrize(
    ("todo", "sentences", "opens"),
    [
        ("3", "true ended after 0 s with code 3.", 1),
        ("nothing", "true ended after 0 s. Nothing was counted.", 0),
        ("void", "true ended after 0 s. Nothing was counted.", 0),
        (
            "cut",
            "true ended after 0 s. The profile is incomplete.",
            1,
        ),
        ("refuse", "No profile was written. valgrind: no, thanks", 0),
        (
            "crash",
            "true crashed after 0 s: Segmentation fault (SIGSEGV). "
            "The profile contains what was counted until then.",
            1,
        ),
        ("children", "true ended after 0 s.", 2),
    ],
)
def test_ways_to_end(listener: Listener, todo: str, sentences: str, opens: int) -> None:
    """Each way to end has a plain sentence, and any recorded cost can be opened."""
    outcome = replace(listener.record(todo), seconds=0)

    assert outcome.messages().replace("0.0 s", "0 s") == sentences
    assert len(outcome.profiles_to_open) == opens


def test_why_nothing_was_counted() -> None:
    """If an option explains it, the message names the option."""
    run = RecordedRun(1, Path("x"), (Path("x"),), Completeness.EMPTY)
    never = RecordingOutcome(
        Recording("p", options={"toggle_collect": "f"}), runs=(run,)
    ).messages()
    paused = RecordingOutcome(Recording("p", options={"paused": True}), runs=(run,)).messages()

    assert never.endswith("Nothing was counted: the function “f” was never entered.")
    assert paused.endswith("Nothing was counted: it started paused and was not resumed.")


def test_start_errors_are_reported(listener: Listener, tmp_path: Path) -> None:
    """If valgrind is missing or the folder cannot be created, nothing is left running."""
    listener.tools = RecordingTools("/no/valgrind")
    gone = listener.record("0").messages()
    (tmp_path / "file").touch()
    folder = listener.record("0", output=str(tmp_path / "file" / "x")).messages()

    assert gone.startswith("No profile was written. Valgrind could not be started: ")
    assert folder == (
        f"No profile was written. {tmp_path}/file/x cannot be created: Not a directory."
    )


@pytest.mark.slow
def test_a_part_while_it_runs(listener: Listener) -> None:
    """Only one part is requested at a time, and announced once written; the program goes on."""
    recorder = listener.recorder
    listener.start("wait")
    listener.wait(lambda: "ready" in listener.lines)
    assert recorder.control is not None
    recorder.control.dump()
    recorder.control.dump()
    is_dumping = recorder.control.is_dumping
    listener.wait(lambda: listener.parts)
    is_dumping_then = recorder.control.is_dumping
    listener.wait(lambda: any(listener.figures))
    recorder.stop()
    outcome = listener.outcome()

    (run,) = outcome.runs
    assert (is_dumping, is_dumping_then) == (True, False)
    assert listener.parts == [(run.path.with_name(f"{run.path.name}.1"),)]
    assert next(filter(None, listener.figures)) == LiveState(True, "Ir", 12345, 1, ("work", "main"))
    assert (outcome.was_stopped, outcome.is_complete) == (True, True)
    assert outcome.messages().endswith("The profile contains what was counted until then.")


def test_counting_is_paused_and_resumed(listener: Listener) -> None:
    """Requests are sent one after another, and the state is what Callgrind replied."""
    recorder = listener.recorder
    recorder.is_monitored = False
    listener.start("wait", options={"paused": True})
    listener.wait(lambda: "ready" in listener.lines)
    control = recorder.control
    assert control is not None
    begun = control.is_counting
    control.set_counting(True)
    control.reset_counters()
    control.set_counting(False)
    at_once = control.is_counting
    listener.wait(lambda: control.live)  # callgrind says that it counts, as the stand-in does
    assert listener.tools.vgdb is not None
    asked = Path(f"{listener.tools.vgdb}.log")
    listener.wait(lambda: len(asked.read_text().splitlines()) > 3)

    assert (begun, at_once, control.is_counting) == (False, False, True)
    queries = asked.read_text().splitlines()
    assert queries == ["instrumentation on", "zero", "instrumentation off", "status internal"]


def test_unresponsive_program_is_killed(listener: Listener) -> None:
    """The second stop saves the costs as a part; no process is left running."""
    recorder = listener.recorder
    listener.start("deaf")
    listener.wait(lambda: "ready" in listener.lines)
    states = []
    for _ in range(2):
        recorder.stop()
        states.append(recorder.state)
    outcome = listener.outcome()

    (run,) = outcome.runs
    assert states == [RecorderState.STOPPING, RecorderState.KILLING]
    assert outcome.signal == signal.SIGKILL
    assert ([file.suffix for file in run.files], outcome.is_complete) == ([".1"], True)
    assert not is_alive(run.process)


def test_without_vgdb_it_can_be_stopped(listener: Listener) -> None:
    """There is nothing to control it with; the third stop kills the process directly."""
    recorder = listener.recorder
    listener.tools = replace(listener.tools, vgdb=None)
    listener.start("deaf")
    listener.wait(lambda: "ready" in listener.lines)
    asked = recorder.control, recorder.lacks_vgdb
    recorder.stop()
    recorder.stop()

    assert asked == (None, True)
    assert listener.outcome().profiles_to_open == []


def test_finish_leaves_nothing_behind(listener: Listener) -> None:
    """Closing the window waits until the program has ended with its profile."""
    listener.start("wait")
    listener.wait(lambda: "ready" in listener.lines)
    listener.recorder.shut_down()

    (outcome,) = listener.outcomes
    assert (listener.recorder.is_running, outcome.is_complete) == (False, True)
    assert not is_alive(outcome.runs[0].process)


def test_signals_have_their_names() -> None:
    """A signal has its name, if known."""
    assert (signal_name(11), signal_name(99)) == ("Segmentation fault (SIGSEGV)", "signal 99")


# ---------------------------------------------------------------- output as lines


def test_lines_are_whole() -> None:
    """Bytes arrive in any pieces, even within characters; a line is shown once it is complete."""
    output, seen = ProgramOutput(), []
    for byte in "grün\r\n\x1b[1;31mred\x1b[0m\tx\nlast".encode():
        output.feed(bytes([byte]))
        seen += output.lines()

    assert seen == [OutputLine("grün", False), OutputLine("red\tx", False)]
    assert output.lines(is_end=True) == [OutputLine("last", False)]
    assert output.lines(is_end=True) == []


def test_own_lines_are_told_apart() -> None:
    """Valgrind's own lines start with the process number; those of a program rarely do."""
    output = ProgramOutput()
    own = ["==12== Callgrind", "==12== ", "--12-- warning: x", "**12** now", "valgrind: no"]
    others = ["== 12 ==", "==12-- x", " ==12== x", "12", "\xff"]
    output.feed("\n".join([*own, *others, ""]).encode("latin-1"))

    assert [line.is_valgrind for line in output.lines()] == [True] * 5 + [False] * 5


def test_output_without_end_is_cut() -> None:
    """Between two reads only the end of the output is kept, and what is dropped is counted."""
    output = ProgramOutput()
    output.feed(b"".join(b"%d\n" % n for n in range(5000)))
    lines = output.lines()
    output.feed(b"y" * 10_000_000 + b"\nz\n")

    assert [line.text for line in (lines[0], lines[1], lines[-1])] == [
        "… 4500 lines omitted",
        "4500",
        "4999",
    ]
    assert [len(line.text) for line in output.lines()] == [2000, 1]
    for _ in range(9):
        output.feed(b"y" * 100_000)
    assert len(output._rest) == 2000


# ---------------------------------------------------------------- recent recordings

SORT = Recording(
    "/usr/bin/sort",
    ("-n", "a b", "", "'\"\\", "grün, %x\x1f\n", "\udce9"),
    "/tmp",
    "~/Profiles",
    ("LANG=C",),
    {"cache_sim": True, "separate_callers": 3, "toggle_collect": "f(int)*"},
    ("--fn-skip=x",),
)


def test_recordings_are_restored(settings: Settings) -> None:
    """All fields are kept, the latest first, without duplicates of command and folder."""
    ls, again = Recording("ls"), Recording("ls", options={"branch_sim": True})
    for recording in (ls, SORT, again):
        add_recent_recording(settings, recording)

    assert recent_recordings(Settings()) == [again, SORT]


def test_as_many_as_a_menu_shows_are_kept(settings: Settings) -> None:
    """The oldest entries are dropped."""
    for number in range(20):
        add_recent_recording(settings, Recording(f"p{number}"))

    assert [r.program for r in recent_recordings(settings)] == [f"p{n}" for n in range(19, 7, -1)]


def test_invalid_entries_are_left_out(settings: Settings) -> None:
    """Settings edited by hand or by another version cause no error."""
    right = '{"program": "ok", "options": {"cache_sim": 1, "unknown": 2, "separate_recs": 99}}'
    bad = ["", "7", "{", "[]", "{}", '{"program": 3}', '{"program": "x", "arguments": "abc"}']
    settings.store("recordings", [*bad, '{"program": "x", "arguments": [1]}', right])

    assert recent_recordings(settings) == [Recording("ok", options={})]
