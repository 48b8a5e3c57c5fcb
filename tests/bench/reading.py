"""Measures time and memory from a file to its function costs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

_RUNS = 5
_MEASURED = """
import json, resource, sys, time
from qcachegrind_py.formats.loading import load
from qcachegrind_py.analysis.costs.function_costs import function_costs
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
seconds, memory = [], 0
for _ in range(int(sys.argv[2])):
    start = time.perf_counter()
    profile = load(sys.argv[1])
    function_costs(profile)
    seconds.append(time.perf_counter() - start)
    memory = memory or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    del profile
print(json.dumps([seconds, memory * 1024]))
"""


def measure(path: Path) -> tuple[float, float, int]:
    """Seconds in a fresh process, the fewest when repeated, and added bytes of memory."""
    command = [sys.executable, "-c", _MEASURED, str(path), str(_RUNS)]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}  # as the command sets it
    runs = []
    for _ in range(3):
        out = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
        runs.append(json.loads(out.stdout))
    first = min(seconds[0] for seconds, _ in runs)
    return first, min(min(seconds) for seconds, _ in runs), min(memory for _, memory in runs)


def annotate_seconds(path: Path) -> float:
    """The seconds that callgrind_annotate takes."""
    start = time.perf_counter()
    subprocess.run(["callgrind_annotate", path], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> None:
    for name in sys.argv[1:]:
        path = Path(name)
        size = path.stat().st_size
        first, best, memory = measure(path)
        print(
            f"{path.name}: {size / 1e6:.0f} MB, the first time {first:.3f} s, again {best:.3f} s "
            f"({size / 1e6 / best:.0f} MB/s), memory added {memory / size:.2f} times the file",
            flush=True,
        )
        if size < 50e6:
            other = annotate_seconds(path)
            ratios = f"{other / first:.0f} and {other / best:.0f} times as long"
            print(f"  callgrind_annotate {other:.2f} s: {ratios}", flush=True)


if __name__ == "__main__":
    main()
