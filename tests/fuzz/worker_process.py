"""The other end of a worker: starts it, hands it cases, and notices how it dies."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType

from tests.fuzz.cases import Case
from tests.fuzz.outcome import Outcome
from tests.fuzz.worker import CPU_SECONDS

_ROOT = Path(__file__).parents[2]
_COMMAND = [sys.executable, "-W", "error", "-X", "faulthandler", "-m", "tests.fuzz.worker"]
_MOST_WAITING = 600  # seconds of the clock, however busy the machine is: for deadlocks
# Writing and removing a file takes 10 ms on a disk, as long as reading it.
_MEMORY = next((folder for folder in ("/dev/shm",) if os.access(folder, os.W_OK)), None)
_LAST_WORDS = 6000  # bytes


class Worker:
    """A process that reads cases; a new one is started when it has died."""

    def __init__(self, *, interpreted: bool = False, seconds: int = CPU_SECONDS) -> None:
        self._seconds = seconds
        self._arguments = [f"--seconds={seconds}", *["--interpreted"] * interpreted]
        self._process: subprocess.Popen[bytes] | None = None
        self._folder = tempfile.TemporaryDirectory(dir=_MEMORY)  # of all temporary files
        self._errors = Path(self._folder.name) / "errors"

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
        self._folder.cleanup()

    def run(self, case: Case) -> Outcome:
        """Have the case read, by a new process if there is none."""
        process = self._process = self._process or self._started()
        assert process.stdin is not None
        try:
            process.stdin.write(f"{case.kind} {len(case.data)}\n".encode() + case.data)
            process.stdin.flush()
            answer = _answer_of(process)
        except BrokenPipeError:
            answer = b""
        except TimeoutError:
            self.stop()
            return Outcome("hung", f"no answer within {_MOST_WAITING} s")
        return Outcome(**json.loads(answer)) if answer else self._death()

    def stop(self) -> None:
        """End the process, if there is one."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _started(self) -> subprocess.Popen[bytes]:
        environment = {
            **os.environ,
            "PYTHONPATH": str(_ROOT),
            "PYTHONHASHSEED": "0",  # sets have the same order in all workers
            "QT_QPA_PLATFORM": "offscreen",
            "TMPDIR": self._folder.name,
        }
        with self._errors.open("wb") as errors:
            return subprocess.Popen(
                [*_COMMAND, *self._arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                cwd=_ROOT,
                env=environment,
            )

    def _death(self) -> Outcome:
        assert self._process is not None
        self._process.communicate()
        code, self._process = self._process.returncode, None
        last_words = self._errors.read_bytes()[-_LAST_WORDS:].decode("utf-8", "replace")
        if code == -signal.SIGXCPU:
            return Outcome("took too long", f"more than {self._seconds} s\n{last_words}")
        how = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return Outcome(f"died of {how}", last_words)


def _answer_of(process: subprocess.Popen[bytes]) -> bytes:
    """The line that the process answers; empty if it dies. Raises `TimeoutError`."""
    assert process.stdout is not None
    answer = b""
    deadline = time.monotonic() + _MOST_WAITING
    while not answer.endswith(b"\n"):
        if not select.select([process.stdout], [], [], max(0, deadline - time.monotonic()))[0]:
            raise TimeoutError
        piece = os.read(process.stdout.fileno(), 1 << 16)
        if not piece:
            return b""
        answer += piece
    return answer
