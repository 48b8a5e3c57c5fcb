"""Processes that lay out graphs: start, request, answer and kill.

Time limits and cancellation are left to `graphviz_engine`.
"""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, NamedTuple

from qcachegrind_py.tools.command_line import module_command
from qcachegrind_py.tools.layout import worker
from qcachegrind_py.tools.layout.worker import LENGTH_BYTES, MAX_BYTES, MISSING, PLACED, READY

DIED = b""  # the kind of answer that stands for a process that ended
_KILL_TIMEOUT = 1.0  # seconds for the listener of a killed process, whose pipe is at its end
_NO_CONSOLE = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # Windows would show one briefly


class Answer(NamedTuple):
    """An answer: one of the kinds of `worker`, or `DIED`, and a text."""

    kind: bytes
    text: str


def _environment() -> dict[str, str]:
    """Return this process's environment without module paths relative to the current folder."""
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    absolute = os.pathsep.join(path for path in paths if Path(path).is_absolute())
    return {**os.environ, "PYTHONPATH": absolute}


class LayoutProcess:
    """A running `worker`; its owner must `kill` it. Raises OSError if it cannot start."""

    is_single_use = False  # whether it ends after its first graph

    def __init__(self, command: Sequence[str] = ()) -> None:
        self._process = subprocess.Popen(
            command or module_command(worker.__name__, worker.__file__),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=sys.prefix,
            env=_environment(),
            creationflags=_NO_CONSOLE,
        )
        self.id = self._process.pid
        self.is_ready = False
        self._answer_queue: queue.SimpleQueue[Answer] = queue.SimpleQueue()
        self._listener = threading.Thread(target=self._listen, name="layout", daemon=True)
        self._listener.start()

    def ask(self, graph: bytes) -> None:
        """Request a layout; only once the process is ready, as it reads at once then."""
        self._write(len(graph).to_bytes(LENGTH_BYTES, "little") + graph)

    def answer(self, timeout: float) -> Answer | None:
        """Return the next answer, None after `timeout` seconds; for ever `DIED` at the end."""
        try:
            answer = self._answer_queue.get(timeout=timeout)
        except queue.Empty:
            return None
        if answer.kind == DIED:
            self._answer_queue.put(answer)  # for whoever asks next
        self.is_ready = self.is_ready or answer.kind == READY
        return answer

    def kill(self) -> None:
        """Kill the process and wait until it is gone; idempotent and thread-safe."""
        self._process.kill()
        self._process.wait()
        self._listener.join(_KILL_TIMEOUT)
        with contextlib.suppress(OSError):
            self._input.close()

    @property
    def _input(self) -> IO[bytes]:
        assert self._process.stdin is not None
        return self._process.stdin

    def _write(self, message: bytes) -> None:
        with contextlib.suppress(OSError, ValueError):  # it died: the answers report it
            self._input.write(message)
            self._input.flush()

    def _listen(self) -> None:
        """Pass answers on until the process ends, then reap it."""
        assert self._process.stdout is not None
        try:
            with self._process.stdout as source:
                for answer in self._parse_answers(source):
                    self._answer_queue.put(answer)
        finally:
            self._answer_queue.put(Answer(DIED, ""))
            self._process.wait()

    def _parse_answers(self, source: IO[bytes]) -> Iterator[Answer]:
        """Yield the complete answers in the worker's output."""
        while len(head := source.read(1 + LENGTH_BYTES)) == 1 + LENGTH_BYTES:
            length = int.from_bytes(head[1:], "little")
            if length > MAX_BYTES or len(text := source.read(length)) < length:
                return
            yield Answer(head[:1], text.decode(errors="replace"))


class DotProcess(LayoutProcess):
    """The system's `dot`: it lays out one graph, and ends."""

    is_single_use = True

    def __init__(self, dot: str) -> None:
        super().__init__((dot, "-Tplain"))

    def ask(self, graph: bytes) -> None:
        """Request the layout; no other request is possible afterwards."""
        self._write(graph)
        with contextlib.suppress(OSError):
            self._input.close()

    def _parse_answers(self, source: IO[bytes]) -> Iterator[Answer]:
        yield Answer(READY, "")
        placed = source.read(MAX_BYTES).decode(errors="replace")
        yield Answer(PLACED, placed) if placed else Answer(MISSING, "“dot” printed nothing")
