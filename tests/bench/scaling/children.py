"""Runs measurements in child processes, with a limit of processor time and memory for each.

A child runs the steps of one group, one after another, and tells of each when it begins and ends.
If a step exceeds a limit, the system ends the child, and another one runs the steps behind it.
"""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

_MEMORY = 8 << 30  # bytes that a child may write to
_PATIENCE = 4  # times the limit: as long, by the clock, a child may take for a step

Gaps = tuple[float, float]  # ms of processor time and by the clock
Step = tuple[str, Callable[[], Gaps | None]]
Group = Callable[[], Iterator[Step]]  # prepares, in the child, and yields what is to be measured


@dataclass(frozen=True, slots=True)
class Figures:
    """What one step took."""

    name: str
    seconds: float = 0.0  # of processor time, of all threads
    gap: float = 0.0  # ms of processor time: the longest that the GUI thread was busy
    wall_gap: float = 0.0  # ms by the clock
    memory: float = 0.0  # MB at the most
    failure: str = ""  # ">60" after the limit of time; else what went wrong


def measure(group: Group, limit: float, without: Iterable[str] = ()) -> Iterator[Figures]:
    """Yield what each step of the group takes, in their order, but for those named `without`."""
    done = set(without)
    while True:
        begun = ""
        for message in _messages(group, done, limit):
            if "begun" in message:
                begun = message["begun"]
            elif "ended" in message:
                return
            else:
                yield Figures(**message)
                done.add(begun)
                begun = ""
        yield Figures(begun or "preparation", failure=f">{limit:.0f}")
        if not begun:
            return
        done.add(begun)


def _messages(group: Group, done: set[str], limit: float) -> Iterator[dict]:
    """Yield what a child says, until its end."""
    reading, writing = os.pipe()
    sys.stdout.flush()
    child = os.fork()
    if not child:
        os.close(reading)
        _run(group, done, limit, writing)
    os.close(writing)
    text = b""
    try:
        while select.select([reading], [], [], _PATIENCE * limit + 60)[0]:
            if not (piece := os.read(reading, 65536)):
                break
            *lines, text = (text + piece).split(b"\n")
            yield from map(json.loads, lines)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(reading)


def _run(group: Group, done: set[str], limit: float, pipe: int) -> None:
    """Run the steps that are not done yet, and end the process."""

    def say(**message: object) -> None:
        os.write(pipe, json.dumps(message).encode() + b"\n")

    resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    _limit_time(limit)
    try:
        for name, step in group():
            if name not in done:
                say(begun=name)
                say(**asdict(_measured(name, step, limit)))
            _limit_time(limit)  # for what the group does before the next step
        say(ended=True)
    except Exception as error:  # of the preparation: no step can be measured
        say(**asdict(Figures("preparation", failure=f"{type(error).__name__}: {error}")))
        say(ended=True)
    finally:
        os._exit(0)


def _measured(name: str, step: Callable[[], Gaps | None], limit: float) -> Figures:
    _limit_time(limit)
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # forget the peak of memory
    start = time.process_time()
    failure, gaps = "", None
    try:
        gaps = step()
    except MemoryError:
        failure = "memory"
    except Exception as error:  # a finding: it is printed with its row
        failure = f"{type(error).__name__}: {error}"
    seconds = time.process_time() - start
    return Figures(name, seconds, *(gaps or (0.0, 0.0)), _peak_memory(), failure)


def _limit_time(limit: float) -> None:
    """End this process when it has used so many more seconds of processor time."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    end = int(time.process_time() + limit) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (end, hard))


def _peak_memory() -> float:
    """MB of memory at the most, since the peak was forgotten."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    (line,) = [line for line in status.splitlines() if line.startswith("VmHWM:")]
    return int(line.split()[1]) / 1024
