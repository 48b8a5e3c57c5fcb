"""Processes that lay out graphs: how they are started, asked, heard and killed.

They know neither how long a layout may take nor who waits for it; that is `graph_layout`'s.
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

from qcachegrind_py.tools.layout import worker
from qcachegrind_py.tools.layout.worker import LENGTH_BYTES, MAX_BYTES, PLACED, READY
from qcachegrind_py.tools.module_launcher import module_command

DIED = b""  # the kind of answer that a process gives which ends
_KILL_TIMEOUT = 1.0  # seconds for the listener of a killed process, whose pipe is at its end
_NO_CONSOLE = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # Windows would show one for a moment


class Answer(NamedTuple):
    """What a process says: one of the kinds of `layout_worker`, or `DIED`, and a text."""

    kind: bytes
    text: str


def _environment() -> dict[str, str]:
    """Ours, without what in the paths of modules depends on the current folder."""
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    absolute = os.pathsep.join(path for path in paths if Path(path).is_absolute())
    return {**os.environ, "PYTHONPATH": absolute}


class LayoutProcess:
    """A running `layout_worker`. Its owner has to `kill` it; raises OSError if it cannot start."""

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
        """Have a graph laid out. To be called once it is ready; it reads at once then."""
        self._write(len(graph).to_bytes(LENGTH_BYTES, "little") + graph)

    def answer(self, patience: float) -> Answer | None:
        """The next answer, if it comes within so many seconds; `DIED` for ever at the end."""
        try:
            answer = self._answer_queue.get(timeout=patience)
        except queue.Empty:
            return None
        if answer.kind == DIED:
            self._answer_queue.put(answer)
        self.is_ready = self.is_ready or answer.kind == READY
        return answer

    def kill(self) -> None:
        """End the process now, and wait until it is gone. May be called again, by any thread."""
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
        with contextlib.suppress(OSError, ValueError):  # it died: the answers tell
            self._input.write(message)
            self._input.flush()

    def _listen(self) -> None:
        """Pass its answers on until it ends, and see to it that no zombie stays behind."""
        assert self._process.stdout is not None
        try:
            with self._process.stdout as source:
                for answer in self._parse_answers(source):
                    self._answer_queue.put(answer)
        finally:
            self._answer_queue.put(Answer(DIED, ""))
            self._process.wait()

    def _parse_answers(self, source: IO[bytes]) -> Iterator[Answer]:
        """The answers in the worker's output, as far as they are whole."""
        while len(head := source.read(1 + LENGTH_BYTES)) == 1 + LENGTH_BYTES:
            length = int.from_bytes(head[1:], "little")
            if length > MAX_BYTES or len(text := source.read(length)) < length:
                return
            yield Answer(head[:1], text.decode(errors="replace"))


class DotProcess(LayoutProcess):
    """The system's `dot`, for where the worker cannot run: it lays out one graph, and ends."""

    is_single_use = True

    def __init__(self, dot: str) -> None:
        super().__init__((dot, "-Tplain"))

    def ask(self, graph: bytes) -> None:
        """Have the graph laid out, after which nothing can be asked."""
        self._write(graph)
        with contextlib.suppress(OSError):
            self._input.close()

    def _parse_answers(self, source: IO[bytes]) -> Iterator[Answer]:
        yield Answer(READY, "")
        yield Answer(PLACED, source.read(MAX_BYTES).decode(errors="replace"))
