"""Run a program under callgrind and follow it until its profiles are written.

The program is started from an argument list, in a session of its own, so that it can be stopped
together with its child processes. Its standard input is empty. Callgrind writes the profile on
SIGTERM, but neither when it is killed nor on `callgrind_control --kill`. A program may print more
than anyone can read: only the end of the output between two polls is kept.
"""

from __future__ import annotations

import codecs
import contextlib
import json
import os
import re
import shutil
import signal
import sys
import time
from collections import deque
from dataclasses import asdict
from enum import Enum
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import (
    QElapsedTimer,
    QObject,
    QProcess,
    QProcessEnvironment,
    QStandardPaths,
    QTimer,
    Signal,
)

from qcachegrind_py.formats.run_files import (
    Completeness,
    RecordedRun,
    find_recorded_runs,
    unused_profile_path,
)
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.numbers import format_duration
from qcachegrind_py.session.program_control import ProgramControl, VgdbClient
from qcachegrind_py.session.settings.store import Settings
from qcachegrind_py.tools.valgrind.recording import (
    Recording,
    RecordingTools,
    all_options,
    remove_pipes,
    valgrind_command,
)

_POLL_INTERVAL = 100  # ms between two polls of the output
_POLLS_PER_REQUEST = 10
_SHUTDOWN_TIMEOUT = 15_000  # ms for the profile to be written when the window closes
_REFUSAL = "valgrind: "  # starts valgrind's message if it cannot run the program
_NOT_RUNNING = QProcess.ProcessState.NotRunning
_FLAGS = QProcess.UnixProcessFlag
_BUNDLE_VARIABLES = (
    "LD_LIBRARY_PATH",
    "DYLD_LIBRARY_PATH",
)  # modified by bundlers of Python programs
_MAX_LINES = 500  # between two polls
_MAX_LINE_LENGTH = 2000
_MAX_UNREAD = 1 << 18  # bytes in one chunk, of which the end is kept
_VALGRIND_PREFIX = re.compile(r"(==|--|\*\*)\d+\1 ?|valgrind: ")
_CONTROL = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(\x07|\x1b\\)|[\x00-\x08\x0b-\x1f]"
)
_SHORT_RUN = 1 << 20  # bytes: a disk with less free space counts as full
_RECORDINGS = "recordings"
_MAX_RECORDINGS = 12
_TEXT_FIELDS = ("program", "folder", "output")
_LIST_FIELDS = ("arguments", "environment", "extra")


# ---------------------------------------------------------------- what it prints


class OutputLine(NamedTuple):
    """A line of output, and whether valgrind printed it."""

    text: str
    is_valgrind: bool


def is_valgrind_line(line: str) -> bool:
    """Whether valgrind printed the line, judged by its prefix."""
    return _VALGRIND_PREFIX.match(line) is not None


class ProgramOutput:
    """Splits the bytes of one stream into lines."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""  # an incomplete last line
        self._lines: deque[OutputLine] = deque(maxlen=_MAX_LINES)
        self._lost = 0  # lines

    def feed(self, data: bytes) -> None:
        text = self._rest + self._decoder.decode(data[-_MAX_UNREAD:])
        *complete_lines, self._rest = text.split("\n")
        self._rest = self._rest[-_MAX_LINE_LENGTH:]
        for line in complete_lines:
            self._add(line)

    def lines(self, *, is_end: bool = False) -> list[OutputLine]:
        """Return the lines since the last call; `is_end` includes an incomplete last line."""
        if is_end and self._rest:
            self._add(self._rest)
            self._rest = ""
        lines = list(self._lines)
        if self._lost:
            lines.insert(0, OutputLine(f"… {self._lost} lines omitted", is_valgrind=True))
        self._lines.clear()
        self._lost = 0
        return lines

    def _add(self, line: str) -> None:
        if len(self._lines) == _MAX_LINES:
            self._lost += 1
        line = _CONTROL.sub("", line)[:_MAX_LINE_LENGTH]
        self._lines.append(OutputLine(line, is_valgrind_line(line)))


# ---------------------------------------------------------------- how it ends


@frozen(eq=True)
class RecordingOutcome:
    """The result of a recording that ended or failed to start."""

    recording: Recording
    seconds: float = 0.0
    exit_code: int | None = None  # None if a signal ended the program
    signal: int = 0
    was_stopped: bool = False  # by the user
    runs: tuple[RecordedRun, ...] = ()
    error_text: str = ""  # valgrind's last message, or why it could not be started

    @property
    def profiles_to_open(self) -> list[RecordedRun]:
        """The non-empty profiles, the program's own first."""
        return [run for run in self.runs if run.completeness is not Completeness.EMPTY]

    @property
    def is_complete(self) -> bool:
        """Whether the program's own profile was written completely."""
        return bool(self.runs) and self.runs[0].completeness is Completeness.COMPLETE

    def messages(self) -> str:
        """Return sentences about how the program ended and what was recorded."""
        if not self.runs:
            return f"No profile was written. {self.error_text}".strip()
        return f"{self._ending_message()} {self._profile_message()}".strip()

    def _ending_message(self) -> str:
        after = f"after {format_duration(self.seconds)}"
        name = Path(self.recording.program).name
        if self.was_stopped:
            return f"Stopped {after}."
        if self.signal:
            return f"{name} crashed {after}: {signal_name(self.signal)}."
        with_code = f" with code {self.exit_code}" if self.exit_code else ""
        return f"{name} ended {after}{with_code}."

    def _profile_message(self) -> str:
        run = self.runs[0]
        if run.completeness is Completeness.TRUNCATED:
            return _truncation_reason(run.path)
        if run.completeness is Completeness.EMPTY:
            return self._missing_profile_reason()
        is_short = self.was_stopped or self.signal
        return "The profile contains what was counted until then." if is_short else ""

    def _missing_profile_reason(self) -> str:
        options = self.recording.options
        if function := options.get("toggle_collect"):
            return f"Nothing was counted: the function “{function}” was never entered."
        if options.get("paused"):
            return "Nothing was counted: it started paused and was not resumed."
        return "Nothing was counted."


def _truncation_reason(path: Path) -> str:
    with contextlib.suppress(OSError):
        if shutil.disk_usage(path.parent).free < _SHORT_RUN:
            return f"The profile is incomplete: the disk of {path.parent} is full."
    return "The profile is incomplete."


def signal_name(number: int) -> str:
    try:
        return f"{signal.strsignal(number)} ({signal.Signals(number).name})"
    except ValueError:
        return f"signal {number}"


# ---------------------------------------------------------------- the recording


class RecorderState(Enum):
    """The stage of a recording."""

    READY = "ready"
    RUNNING = "running"
    STOPPING = "stopping"  # asked to terminate; the profile is being written
    KILLING = "killing"  # a last part is being written before it is killed


class Recorder(QObject):
    """Runs one recording at a time; its owner calls `shut_down` before the program exits."""

    changed = Signal()  # state or control; about once a second while the program runs
    output_received = Signal(object)  # a list of OutputLine
    dumped = Signal(object)  # the files of a requested part: one, or one per thread
    ended = Signal(object)  # a RecordingOutcome

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.state = RecorderState.READY
        self.is_monitored = True  # whether its status is requested regularly
        self.command: list[str] = []  # the command started last
        self.recording = Recording("")  # the current or last one
        self._profile = Path()
        self._pid = 0
        self._error_text = ""
        self._vgdb: str | None = None
        self._clock = QElapsedTimer()
        self.control: ProgramControl | None = None  # of the running program, if there is vgdb
        self._process = self._new_process()
        self._streams = ProgramOutput(), ProgramOutput()
        self._poll_count = 0
        self._timer = QTimer(self, interval=_POLL_INTERVAL)
        self._timer.timeout.connect(self._poll)

    # ---------------------------------------------------------------- user requests

    @property
    def is_running(self) -> bool:
        return self.state is not RecorderState.READY

    @property
    def lacks_vgdb(self) -> bool:
        """Whether the running program can only be stopped, because vgdb is missing."""
        return self.state is RecorderState.RUNNING and self._vgdb is None

    @property
    def seconds(self) -> float:
        return self._clock.elapsed() / 1000 if self._clock.isValid() else 0.0

    def start(self, recording: Recording, tools: RecordingTools) -> None:
        """Record a program; `recording_problem` must have found none with it."""
        if self.is_running or tools.valgrind is None:
            return
        self.recording, self._error_text, self._pid = recording, "", 0
        self._streams = ProgramOutput(), ProgramOutput()
        self._profile = unused_profile_path(recording.output_folder, recording.name, time.time())
        self._process = self._new_process()
        self.state = RecorderState.RUNNING
        self._clock.start()
        try:
            recording.output_folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            self._error_text = f"{recording.output_folder} cannot be created: {error.strerror}."
            self._end(RecordingOutcome(recording, error_text=self._error_text))
            return
        self.command = valgrind_command(recording, tools.valgrind, self._profile)
        self._process.setWorkingDirectory(str(recording.working_folder))
        self._process.setProcessEnvironment(_environment(recording))
        self._vgdb = tools.vgdb
        self._process.start(self.command[0], self.command[1:])
        self.changed.emit()

    def stop(self) -> None:
        """Ask the program to end; the second call dumps a last part and kills, the third kills."""
        match self.state:
            case RecorderState.RUNNING:
                self.state = RecorderState.STOPPING
                self._signal(signal.SIGTERM)
            case RecorderState.STOPPING if self.control is not None:
                self.state = RecorderState.KILLING
                self.control.dump_at_end(self._kill)
            case RecorderState.STOPPING | RecorderState.KILLING:
                self._kill()
        self.changed.emit()

    def shut_down(self) -> None:
        """Stop the program and wait a limited time for its profile; called on window close."""
        if self.state is RecorderState.RUNNING:
            self.stop()
        if self.is_running and not self._process.waitForFinished(_SHUTDOWN_TIMEOUT):
            self._kill()
            self._process.waitForFinished(_SHUTDOWN_TIMEOUT)

    # ---------------------------------------------------------------- process events

    def _new_process(self) -> QProcess:
        process = QProcess(self)
        process.setStandardInputFile(QProcess.nullDevice())
        if os.name == "posix":
            process.setUnixProcessParameters(_FLAGS.CreateNewSession | _FLAGS.ResetSignalHandlers)
        process.started.connect(self._on_started)
        process.readyReadStandardOutput.connect(self._read)
        process.readyReadStandardError.connect(self._read)
        process.finished.connect(self._on_finished)
        process.errorOccurred.connect(self._on_error)
        return process

    def _on_started(self) -> None:
        self._pid = int(self._process.processId())
        if self._vgdb is not None:
            self.control = self._new_control(self._vgdb)
        self._poll_count = 0
        self._timer.start()
        self.changed.emit()

    def _read(self) -> None:
        output, errors = self._streams
        output.feed(bytes(self._process.readAllStandardOutput().data()))
        errors.feed(bytes(self._process.readAllStandardError().data()))

    def _poll(self) -> None:
        self._show_lines(is_end=False)
        self._poll_count += 1
        if self.is_monitored and self._poll_count % _POLLS_PER_REQUEST == 0:
            if self.control is not None:
                self.control.request_status()
            else:
                self.changed.emit()

    def _new_control(self, vgdb: str) -> ProgramControl:
        profile = self._profile.with_name(f"{self._profile.name}.{self._pid}")
        is_counting = not self.recording.options.get("paused", False)
        client = VgdbClient(vgdb, self._pid, self)
        control = ProgramControl(client, profile, self, is_counting=is_counting)
        control.changed.connect(self.changed)
        control.dumped.connect(self.dumped)
        control.failed.connect(lambda text: self.output_received.emit([OutputLine(text, True)]))
        return control

    def _show_lines(self, *, is_end: bool) -> None:
        lines = [line for stream in self._streams for line in stream.lines(is_end=is_end)]
        texts = [  # `==123==` alone is an empty line
            line.text for line in lines if line.is_valgrind and line.text.strip("=0123456789 ")
        ]
        if not self._error_text.startswith(_REFUSAL):
            refusals = [text for text in texts if text.startswith(_REFUSAL)]
            self._error_text = next(iter(refusals or texts[-1:]), self._error_text)
        if lines:
            self.output_received.emit(lines)

    # ---------------------------------------------------------------- the end

    def _signal(self, number: signal.Signals) -> None:
        """Signal the program and its child processes, if they still exist."""
        if self._pid:
            with contextlib.suppress(OSError):
                os.killpg(self._pid, number)
        else:  # still starting
            self._process.terminate()

    def _kill(self) -> None:
        if self._process.state() != _NOT_RUNNING:
            self._signal(signal.SIGKILL)
            self._process.kill()

    def _on_error(self, error: QProcess.ProcessError) -> None:
        if error == QProcess.ProcessError.FailedToStart:
            why = f"Valgrind could not be started: {self._process.errorString()}."
            self._end(RecordingOutcome(self.recording, error_text=why))

    def _on_finished(self, code: int, status: QProcess.ExitStatus) -> None:
        self._read()
        self._show_lines(is_end=True)
        was_stopped = self.state is not RecorderState.RUNNING
        if was_stopped:  # child processes may have ignored SIGTERM
            self._signal(signal.SIGKILL)
            remove_pipes(self._pid)
        crashed = status == QProcess.ExitStatus.CrashExit
        runs = tuple(find_recorded_runs(self._profile, self._pid))
        self._end(
            RecordingOutcome(
                self.recording,
                self.seconds,
                exit_code=None if crashed else code,
                signal=code if crashed else 0,
                was_stopped=was_stopped,
                runs=runs,
                error_text=self._error_text,
            )
        )

    def _end(self, outcome: RecordingOutcome) -> None:
        self._timer.stop()
        if self.control is not None:
            self.control.close()
            self.control.deleteLater()
            self.control = None
        self._process.deleteLater()
        self.state = RecorderState.READY
        self.changed.emit()
        self.ended.emit(outcome)


def default_output_folder() -> str:
    """Return the default folder of profiles, inside the user's documents folder."""
    documents = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    return str(Path(documents or Path.home()) / "Profiles")


def _environment(recording: Recording) -> QProcessEnvironment:
    """Return the process environment without a bundle's changes, plus the user's variables."""
    environment = QProcessEnvironment.systemEnvironment()
    if getattr(sys, "frozen", False):
        for name in _BUNDLE_VARIABLES:
            original = environment.value(f"{name}_ORIG")
            environment.remove(name)
            if original:
                environment.insert(name, original)
    for name, value in recording.variables().items():
        environment.insert(name, value)
    return environment


# ---------------------------------------------------------------- recent recordings


def recent_recordings(settings: Settings) -> list[Recording]:
    """Return the recent recordings, latest first; invalid entries are skipped."""
    recordings = (_deserialized(text) for text in settings.stored_texts(_RECORDINGS))
    return [recording for recording in recordings if recording is not None]


def add_recent_recording(settings: Settings, recording: Recording) -> None:
    """Store the recording as the latest, replacing one of the same command line and folder."""

    def place(recording: Recording) -> object:
        return recording.program, recording.arguments, recording.folder

    others = [r for r in recent_recordings(settings) if place(r) != place(recording)]
    texts = [json.dumps(asdict(r)) for r in (recording, *others)[:_MAX_RECORDINGS]]
    settings.store(_RECORDINGS, texts)


def _deserialized(text: str) -> Recording | None:
    """Return the recording that settings contain; None if it is none of ours."""
    try:
        values = json.loads(text)
    except ValueError:
        return None
    if not isinstance(values, dict) or not values.get("program"):
        return None
    texts = {name: values.get(name, "") for name in _TEXT_FIELDS}
    lists = {name: values.get(name, []) for name in _LIST_FIELDS}
    if not all(isinstance(words, list) for words in lists.values()):
        return None
    if not all(
        isinstance(word, str) for words in (texts.values(), *lists.values()) for word in words
    ):
        return None
    options = values.get("options", {})
    if not isinstance(options, dict):
        options = {}
    arguments, environment, extra = (tuple(lists[name]) for name in _LIST_FIELDS)
    return Recording(
        **texts,
        arguments=arguments,
        environment=environment,
        options={o.name: options[o.name] for o in all_options() if o.accepts(options.get(o.name))},
        extra=extra,
    )
