"""Measures time and memory from a file to its function costs.

    python -m tests.bench.reading FILE...
    python -m tests.bench.reading MEGABYTES...     generated files of these sizes

A file is read by processes of its own; the least of all times counts. The rates of other programs
are for files up to 50 MB.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from tests.bench.large_profiles import write_profile

_PROCESSES = 5
_MEASURED = """
import json, sys, time
from qcachegrind_py.formats.loading import load
from qcachegrind_py.analysis.costs.function_costs import function_costs
def peak():  # kB; ru_maxrss would include what the parent process had
    return next(int(line.split()[1]) for line in open("/proc/self/status") if "VmHWM" in line)
before = peak()
seconds, memory = [], 0
for _ in range(4):
    start = time.perf_counter()
    profile = load(sys.argv[1])
    read = time.perf_counter()
    function_costs(profile)
    seconds.append((time.perf_counter() - start, read - start))
    memory = memory or peak() - before
    del profile
print(json.dumps([seconds, memory * 1024]))
"""


class Measured(NamedTuple):
    """The fewest seconds and bytes of several processes."""

    first: float  # from the file to the costs, the first time in a process
    again: float
    loaded: float  # without the costs
    memory: int


def measure(path: Path) -> Measured:
    """Read a file in several processes."""
    results: list[tuple[list[tuple[float, float]], int]] = []
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}  # as the command sets it
    for _ in range(_PROCESSES):
        command = [sys.executable, "-c", _MEASURED, str(path)]
        out = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
        results.append(json.loads(out.stdout))
    return Measured(
        first=min(times[0][0] for times, _ in results),
        again=min(time_ for times, _ in results for time_, _ in times),
        loaded=min(loaded for times, _ in results for _, loaded in times),
        memory=min(memory for _, memory in results),
    )


def annotate_seconds(path: Path) -> float:
    """The seconds that callgrind_annotate takes."""
    start = time.perf_counter()
    subprocess.run(["callgrind_annotate", path], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def report(path: Path) -> None:
    """Measure a file and print the results."""
    size = path.stat().st_size
    print(f"{path.name}: {size / 1e6:.0f} MB", flush=True)
    measured = measure(path)
    print(
        f"  the first time {measured.first:.3f} s, again {measured.again:.3f} s "
        f"({size / 1e6 / measured.again:.0f} MB/s, {measured.loaded:.3f} s without the costs), "
        f"memory added {measured.memory / size:.2f} times the file",
        flush=True,
    )
    if size < 50e6 and shutil.which("callgrind_annotate"):
        other = annotate_seconds(path)
        ratios = f"{other / measured.first:.0f} and {other / measured.again:.0f} times as long"
        print(f"  callgrind_annotate {other:.2f} s: {ratios}", flush=True)


def main() -> None:
    """Measure the files, or generated ones of the sizes, named on the command line."""
    for argument in sys.argv[1:]:
        if not argument.isdigit():
            report(Path(argument))
            continue
        with TemporaryDirectory() as folder:
            path = Path(folder) / f"generated-{argument}"
            write_profile(path, int(argument), functions=min(20_000, 2000 * int(argument)))
            report(path)


if __name__ == "__main__":
    main()
