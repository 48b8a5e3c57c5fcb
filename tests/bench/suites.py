"""Measures how long suites of benchmarks take to be compared, and how much memory that takes.

    python -m tests.bench.suites [BASE NEW PAIRS]

First 100 and 1,000 pairs of 0.2 MB, in which a function is dearer in every third benchmark: time
and memory for each pair are to be the same. Then as many pairs of the two files BASE and NEW. Each
line is a command of its own: its processor time and its largest memory.
"""

from __future__ import annotations

import os
import random
import shutil
import sys
import tempfile
from pathlib import Path

_FUNCTIONS = 500


def profile(dear: int) -> str:
    """A profile of 0.2 MB; the function with this number costs twice as much."""
    chance = random.Random(1)
    lines = ["creator: callgrind-3.22.0", "pid: 7", "cmd: ./bench", "part: 1", "events: Ir Dr", ""]
    total, reads = 0, 0
    for number in range(_FUNCTIONS):
        file = number // 20
        lines += [
            f"fl=({file}) /src/lib/file{file}.c",
            f"fn=({number}) space::function_{number}(int)",
        ]
        for line in range(14):
            cost = chance.randrange(1, 5000) * (1 + (number == dear))
            lines.append(f"{100 + line} {cost} {cost // 3}")
            total, reads = total + cost, reads + cost // 3
        if number + 1 < _FUNCTIONS:
            callee = chance.randrange(number + 1, _FUNCTIONS)
            lines += [
                f"cfn=({callee}) space::function_{callee}(int)",
                "calls=3 100",
                "101 5000 1000",
            ]
    return "\n".join([*lines, f"totals: {total} {reads}", ""])


def write_suites(folder: Path, texts: dict[str, list[str]], pairs: int) -> None:
    """Write both suites: the texts of a side one after another, as often as it takes."""
    for side, choices in texts.items():
        for number in range(pairs):
            path = folder / side / f"benchmark{number}" / "callgrind.out.7"
            path.parent.mkdir(parents=True)
            path.write_text(choices[number % len(choices)], encoding="utf-8")


def link_suites(folder: Path, files: dict[str, Path], pairs: int) -> None:
    """Make suites of one file on each side; its names share what is on the disk."""
    for side, file in files.items():
        first = folder / side / "callgrind.out.7"
        first.parent.mkdir(parents=True)
        shutil.copy(file, first)
        for number in range(pairs):
            (folder / side / f"benchmark{number}").mkdir()
            (folder / side / f"benchmark{number}" / "callgrind.out.7").hardlink_to(first)
        first.unlink()


def measure(title: str, folder: Path) -> None:
    """Print processor time and memory of the command for two suites."""
    words = ["compare", str(folder / "base"), str(folder / "new"), "-o", str(folder / "out.txt")]
    command = [sys.executable, "-m", "qcachegrind_py", *words]
    process = os.posix_spawn(sys.executable, command, dict(os.environ))
    _, status, usage = os.wait4(process, 0)
    time, memory = usage.ru_utime + usage.ru_stime, usage.ru_maxrss // 1000
    print(f"{title:32}{time:8.2f} s{memory:6,} MB" + (f", status {status}" if status else ""))


def main() -> None:
    """Run the measurements."""
    texts = {"base": [profile(-1)], "new": [profile(-1), profile(-1), profile(17)]}
    for pairs in (100, 1000):
        with tempfile.TemporaryDirectory() as name:
            write_suites(Path(name), texts, pairs)
            measure(f"{pairs:,} pairs of {len(texts['base'][0]) // 1000} kB", Path(name))
    if len(sys.argv) > 3:
        files = {"base": Path(sys.argv[1]), "new": Path(sys.argv[2])}
        pairs = int(sys.argv[3])
        with tempfile.TemporaryDirectory() as name:
            link_suites(Path(name), files, pairs)
            measure(f"{pairs:,} pairs of {files['new'].name}", Path(name))


if __name__ == "__main__":
    main()
