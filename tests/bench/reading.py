"""How fast files are read to function costs, and with how much memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

_RUNS = 3
_MEASURED = """
import json, resource, sys, time
import qcachegrind_py as q
from qcachegrind_py.formats.loading import load
from qcachegrind_py.analysis.function_costs import function_costs
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.perf_counter()
profile = load(sys.argv[1])
costs = function_costs(profile)
seconds = time.perf_counter() - start
memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(json.dumps([seconds, memory * 1024, str(costs.totals[0])]))
"""


def measure(path: Path) -> tuple[float, int]:
    """The least seconds of several runs, and the memory added, each in a process of its own."""
    best, memory = float("inf"), 0
    for _ in range(_RUNS):
        command = [sys.executable, "-c", _MEASURED, str(path)]
        out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        seconds, memory, _ = json.loads(out)
        best = min(best, seconds)
    return best, memory


def annotate_seconds(path: Path) -> float:
    """How long callgrind_annotate takes for it."""
    start = time.perf_counter()
    subprocess.run(["callgrind_annotate", path], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> None:
    for name in sys.argv[1:]:
        path = Path(name)
        size = path.stat().st_size
        seconds, memory = measure(path)
        text = (
            f"{path.name}: {size / 1e6:.0f} MB in {seconds:.3f} s, {size / 1e6 / seconds:.0f} MB/s"
        )
        print(f"{text}, memory added {memory / size:.2f} times the file", flush=True)
        if size < 50e6 and "ANNOTATE" not in os.environ.get("SKIP", ""):
            other = annotate_seconds(path)
            print(f"  callgrind_annotate {other:.2f} s: {other / seconds:.0f} times as long")


if __name__ == "__main__":
    main()
