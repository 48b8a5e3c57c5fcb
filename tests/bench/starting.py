"""Measures the start: CPU time of --version, and time until a small profile is drawn."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_COMMAND = [sys.executable, "-m", "qcachegrind_py"]
_EXAMPLE = Path(__file__).parents[2] / "resources/example/callgrind.out.templates.xz"


def cost(*arguments: str) -> tuple[float, float]:
    """CPU and wall seconds of the command, the minimum of several runs."""
    runs = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.perf_counter()
        subprocess.run([*_COMMAND, *arguments], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        runs.append((cpu, time.perf_counter() - start))
    return min(runs)


def main() -> None:
    print("--version: {:.3f} s of CPU, {:.3f} s in all".format(*cost("--version")))
    with tempfile.TemporaryDirectory() as folder:
        picture = str(Path(folder) / "picture.png")
        seconds = cost("--screenshot", picture, str(_EXAMPLE))
        print("a small profile drawn: {:.3f} s of CPU, {:.3f} s in all".format(*seconds))


if __name__ == "__main__":
    main()
