"""Measures the start beside a bare PySide6 program, and beside KCachegrind where installed.

    python -m tests.bench.starting [FILE...]

It prints, as the minimum of several runs in turn:

- the milliseconds of `--screenshot`, without a file and of a small example, by the clock and of the
  processor, and of a bare window with a table that is saved as a picture, with the ratios to that:
  on all cores, on one core alone, and beside programs that keep all cores busy;
- how many modules of our own the first frame imports, by room;
- on an X server of its own (Xvfb), the seconds until the screen first changes and until its last
  repaint, without a file and with each FILE, by default a generated profile of 17 MB.

With `--frames FOLDER` it saves a picture of the screen every 30 ms of one start instead.
"""

from __future__ import annotations

import argparse
import mmap
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tests.bench.large_profiles import write_profile
from tests.first_frame import STARTS, by_folder, imported

_ROOT = Path(__file__).parents[2]
_EXAMPLE = _ROOT / "resources/example/callgrind.out.templates.xz"
_BARE = Path(__file__).parent / "bare_window.py"
_OURS = (sys.executable, "-m", "qcachegrind_py")
_REPEATS = 5
_WIDTH, _HEIGHT = 1400, 900
_QUIET = 1.2  # seconds without a change after which a start has ended
_LIMIT = 60.0  # seconds for one start
_CURSOR = 400  # changed pixels up to which a change is a blinking cursor
_FRAME_INTERVAL = 0.03  # seconds between two pictures

Pixels = npt.NDArray[np.uint32]


class Start(NamedTuple):
    """Seconds from the start of the process to the first and last change of the screen."""

    first: float
    last: float


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE")
    parser.add_argument("--frames", type=Path, metavar="FOLDER")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = options.files
        if not files:
            files = [Path(folder) / "callgrind.out.17mb"]
            write_profile(files[0], 17)
        with screen(Path(folder)) as pixels:
            if options.frames:
                save_frames(pixels, options.frames, files[0])
                return
        measure_pictures(Path(folder))
        count_modules()
        for arguments in ((), *((str(file),) for file in files)):
            with screen(Path(folder)) as pixels, session_bus():
                measure_starts(pixels, arguments)


# ---------------------------------------------------------------- pictures without a screen


_STATES = (  # of the machine: before each command, programs beside it
    ("all cores", (), 0),
    ("one core", ("taskset", "--cpu-list", "0"), 0),
    ("all cores busy", (), os.cpu_count() or 1),
)


class Taken(NamedTuple):
    """Milliseconds that a program took."""

    wall: float
    processor: float


def measure_pictures(folder: Path) -> None:
    """Print the milliseconds of pictures of the window and of a bare one, in three states."""
    picture = str(folder / "picture.png")
    commands = {
        "bare window": [sys.executable, str(_BARE), picture],
        "without a file": [*_OURS, "--screenshot", picture],
        "example": [*_OURS, "--screenshot", picture, str(_EXAMPLE)],
    }
    for state, prefix, burners in _STATES:
        if prefix and not shutil.which(prefix[0]):
            continue
        taken: dict[str, list[Taken]] = {name: [] for name in commands}
        with _busy(burners):
            for _ in range(2 * _REPEATS):
                for name, command in commands.items():
                    taken[name].append(_take(folder, [*prefix, *command]))
        print(f"\n{state:15} wall  median  ratio   processor  median  ratio")
        bare = Taken(*map(min, zip(*taken["bare window"], strict=True)))
        for name, rows in taken.items():
            columns = zip(*rows, strict=True)
            text = "    ".join(
                f"{min(column):6.0f}  {statistics.median(column):6.0f}  {min(column) / base:5.2f}"
                for column, base in zip(columns, bare, strict=True)
            )
            print(f"{name:14}{text}")


def _take(folder: Path, command: Sequence[str]) -> Taken:
    """Run a program without a screen."""
    environment = _environment(folder) | {"QT_QPA_PLATFORM": "offscreen"}
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env=environment)
    wall, after = time.perf_counter() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Taken(wall * 1000, processor * 1000)


@contextmanager
def _busy(count: int) -> Iterator[None]:
    """Keep so many cores busy."""
    burners = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.wait()


def count_modules() -> None:
    """Print how many modules the first frame imports, by room, and of other packages."""
    for start, files in STARTS.items():
        modules, _ = imported(files)
        rooms = Counter[str]()
        for folder, names in by_folder(modules).items():
            rooms[folder.partition(".")[0] or "the package"] += len(names)
        text = ", ".join(f"{room} {count}" for room, count in rooms.most_common())
        print(f"\n{start}: {rooms.total()} modules of our own of {len(modules)}: {text}")


# ---------------------------------------------------------------- windows on a screen


def measure_starts(pixels: Pixels, arguments: Sequence[str]) -> None:
    """Print the first and last change of the screen for each program."""
    commands: dict[str, Sequence[str]] = {"QCachegrind.py": [*_OURS, *arguments]}
    if not arguments:
        commands["bare window"] = [sys.executable, str(_BARE)]
    for program in ("qcachegrind", "kcachegrind"):
        if shutil.which(program):
            commands[program] = [program, *arguments]
    starts: dict[str, list[Start]] = {name: [] for name in commands}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(_REPEATS + 1):  # the first run fills caches
            for name, command in commands.items():
                starts[name].append(_watch(pixels, command, Path(folder)))
    print(f"\n{Path(arguments[0]).name if arguments else 'without a file'}")
    for name, found in starts.items():
        first = min(start.first for start in found[1:])
        last = min(start.last for start in found[1:])
        print(f"{name:14} first change {first:5.2f} s   last repaint {last:5.2f} s")


def _watch(pixels: Pixels, command: Sequence[str], folder: Path) -> Start:
    """Start a program, wait until it has painted itself, and end it."""
    before = pixels.copy()
    begin = time.perf_counter()
    with _running(command, folder) as process:
        first = last = 0.0
        while (now := time.perf_counter() - begin) < _LIMIT and process.poll() is None:
            if first and now - last > _QUIET:
                break
            after = pixels.copy()
            changed = np.count_nonzero(after != before)
            if changed > _CURSOR:
                first, last = first or now, now
            if changed:
                before = after
            time.sleep(0.002)
    _wait_until_empty(pixels)
    return Start(first, last)


def save_frames(pixels: Pixels, folder: Path, file: Path) -> None:
    """Save pictures of one start, the time in milliseconds as name."""
    from PySide6.QtGui import QImage

    folder.mkdir(parents=True, exist_ok=True)
    taken: list[tuple[float, Pixels]] = []
    with tempfile.TemporaryDirectory() as settings:
        _watch(pixels, [*_OURS, str(file)], Path(settings))  # fills the caches
        begin = time.perf_counter()
        with _running([*_OURS, str(file)], Path(settings)):
            while (now := time.perf_counter() - begin) < 3:
                taken.append((now, pixels.copy()))
                time.sleep(max(0.0, _FRAME_INTERVAL - (time.perf_counter() - begin - now)))
    previous = None
    for moment, frame in taken:
        if previous is None or np.any(frame != previous):
            image = QImage(frame.tobytes(), _WIDTH, _HEIGHT, QImage.Format.Format_RGB32)
            image.save(str(folder / f"{int(moment * 1000):05d}.png"))
        previous = frame


@contextmanager
def _running(command: Sequence[str], folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program with settings of its own."""
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, stdout=quiet, stderr=quiet, env=_environment(folder))
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def _environment(folder: Path) -> dict[str, str]:
    """The environment, with settings in the folder and compiled modules that are kept."""
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    homes = ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR")
    return kept | {name: str(folder) for name in homes} | {"PYTHONPATH": str(_ROOT)}


# ---------------------------------------------------------------- the screen


@contextmanager
def screen(folder: Path) -> Iterator[Pixels]:
    """Start an X server and let DISPLAY name it; give the pixels of its screen as they change."""
    read, write = os.pipe()
    geometry = f"{_WIDTH}x{_HEIGHT}x24"
    arguments = ["-displayfd", str(write), "-screen", "0", geometry, "-fbdir", str(folder)]
    server = subprocess.Popen(["Xvfb", *arguments, "-nolisten", "tcp"], pass_fds=[write])
    os.close(write)
    try:
        with os.fdopen(read) as stream:
            os.environ["DISPLAY"] = f":{stream.readline().strip()}"
        os.environ.pop("QT_QPA_PLATFORM", None)
        with (folder / "Xvfb_screen0").open("rb") as image:
            content = mmap.mmap(image.fileno(), 0, prot=mmap.PROT_READ)
        offset = len(content) - 4 * _WIDTH * _HEIGHT  # the header of a picture of xwd
        yield np.frombuffer(content, np.uint32, offset=offset).reshape(_HEIGHT, _WIDTH)
    finally:
        server.terminate()
        server.wait()


@contextmanager
def session_bus() -> Iterator[None]:
    """Start a session bus, without which KCachegrind ends at once."""
    if not shutil.which("dbus-daemon"):
        yield
        return
    command = ["dbus-daemon", "--session", "--nofork", "--print-address"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as bus:
        assert bus.stdout is not None
        os.environ["DBUS_SESSION_BUS_ADDRESS"] = bus.stdout.readline().strip()
        try:
            yield
        finally:
            bus.terminate()


def _wait_until_empty(pixels: Pixels) -> None:
    """Wait until the server has removed the window of a program that was killed."""
    while np.any(pixels != pixels[-1, -1]):
        time.sleep(0.01)
    time.sleep(0.1)


if __name__ == "__main__":
    main()
