"""Measures how long a history takes to be read, how much memory, and whether its steps are found.

    python -m tests.bench.history [FOLDER] [--revisions N] [--large FILE]

First N revisions (1,000) of a real profile of 0.2 MB are made in FOLDER, with noise, outliers and
planted steps; the history of them is read twice, and its steps are compared with the planted ones.
Then FILE, by default a generated one of 18 MB, is read once, and as a history of 20 revisions.
"""

from __future__ import annotations

import argparse
import lzma
import random
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from qcachegrind_py.analysis.costs.function_costs import function_costs
from qcachegrind_py.analysis.history import History, Revision, read_history, steps
from qcachegrind_py.formats.loading import load
from tests.bench.large_profiles import write_profile

_PROFILE = Path(__file__).parents[1] / "data/programs/callgrind.out.jumps-O1.xz"
_QUIET, _LOUD = 0.0005, 0.02  # standard deviation of the noise, in proportion to the cost
_OUTLIERS = 0.005  # of all costs
_STEPPING = 60  # functions
_COSTLY = 300  # from which cost on a function has steps
_CLOSEST = 6  # revisions from one step to the next, and to an end
_Planted = dict[str, dict[int, float]]  # by function, the factor of its cost from a revision on


class Template:
    """The lines of a profile, and which of them are self costs of which function."""

    def __init__(self, text: str) -> None:
        self.lines = text.splitlines()
        self.costs: dict[str, list[int]] = defaultdict(list)  # lines of each function
        names: dict[str, str] = {}
        function, is_call = "", False
        for number, line in enumerate(self.lines):
            if match := re.match(r"c?fn=(\(\d+\))(?: (.*))?", line):
                names.setdefault(match[1], match[2])
                if line.startswith("fn="):
                    function = names[match[1]]
            elif function and re.match(r"[\d+*-]", line) and not is_call:
                self.costs[function].append(number)
            is_call = line.startswith(("calls=", "jump=", "jcnd="))

        for numbers in self.costs.values():
            numbers.sort(key=self._cost_in, reverse=True)

    def _cost_in(self, number: int) -> int:
        return int(self.lines[number].rpartition(" ")[2])

    def cost(self, function: str) -> int:
        """The self cost of a function."""
        return sum(map(self._cost_in, self.costs[function]))

    def text(self, factors: dict[str, float]) -> str:
        """The profile with other self costs."""
        lines = list(self.lines)
        for function, factor in factors.items():
            change = round(self.cost(function) * (factor - 1))
            for number in self.costs[function]:
                positions, _, cost = lines[number].rpartition(" ")
                changed = max(0, int(cost) + change)
                lines[number] = f"{positions} {changed}"
                change -= changed - int(cost)
        kept = (line for line in lines if not line.startswith(("summary:", "totals:")))
        return "\n".join(kept) + "\n"


def planted_steps(template: Template, revisions: int, chance: random.Random) -> _Planted:
    """Steps of some costly functions, of 2 to 60 %."""
    costly = [name for name in template.costs if template.cost(name) >= _COSTLY]
    planted: _Planted = {}
    for name in sorted(chance.sample(costly, min(_STEPPING, len(costly)))):
        places = chance.sample(range(_CLOSEST, revisions - _CLOSEST, _CLOSEST), 2)
        sizes = (1 + chance.choice((-1, 1)) * chance.uniform(0.02, 0.6) for _ in places)
        planted[name] = dict(zip(sorted(places), sizes, strict=True))
    return planted


def write_revisions(folder: Path, count: int) -> tuple[list[Path], _Planted]:
    """Write the profiles of a made history; return them and what was planted."""
    chance = random.Random(1)
    template = Template(lzma.decompress(_PROFILE.read_bytes()).decode())
    planted = planted_steps(template, count, chance)
    loud = {name for name in template.costs if name not in planted and chance.random() < 0.2}
    level = dict.fromkeys(template.costs, 1.0)
    paths = []
    for revision in range(count):
        factors = {}
        for name in template.costs:
            level[name] *= planted.get(name, {}).get(revision, 1.0)
            noise = chance.gauss(1, _LOUD if name in loud else _QUIET)
            if _CLOSEST < revision < count - _CLOSEST and chance.random() < _OUTLIERS:
                noise *= chance.uniform(0.3, 3)
            factors[name] = level[name] * noise
        paths.append(folder / f"callgrind.out.r{revision:04}")
        paths[-1].write_text(template.text(factors))
    return paths, planted


def check_steps(history: History, planted: _Planted) -> None:
    """Print how many planted steps were found where they are, and how many were invented."""
    found = steps(history.self_cost(history.events[0]))
    places = {
        (history.functions[row][0], revision)
        for row, revision in zip(found.series.tolist(), found.revision.tolist(), strict=True)
    }
    there = {(name, revision) for name, some in planted.items() for revision in some}
    missed, invented = there - places, places - there
    print(f"steps: {len(there)} planted, {len(there & places)} found, ", end="")
    print(f"{len(missed)} missed, {len(invented)} invented in {len(history.functions)} functions")
    for name, revision in sorted(missed | invented):
        print(f"  {'missed' if (name, revision) in missed else 'invented'}: {revision} {name[:60]}")


def read(paths: list[Path]) -> History:
    """Read the history of these files."""
    revisions = [Revision(path.name, str(path)) for path in paths]
    return read_history(revisions, lambda file, progress: load(file, progress=progress))


def timed(title: str, paths: list[Path]) -> tuple[History, float]:
    """Print how long the history takes."""
    start, processor = time.perf_counter(), time.process_time()
    history = read(paths)
    seconds = time.perf_counter() - start
    print(f"{title:28}{seconds:8.2f} s ({time.process_time() - processor:.2f} s of processor time)")
    return history, seconds


def peak() -> float:
    """The highest memory of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure_large(file: Path) -> None:
    """Print time and memory of one profile and of a history of 20; each in its own process."""
    for count in (1, 2, 20):
        command = [sys.executable, "-m", __spec__.name, "--large", str(file), "--count", str(count)]
        subprocess.run(command, check=True)


def parsed() -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--revisions", type=int, default=1000)
    parser.add_argument("--large", type=Path)
    parser.add_argument("--count", type=int, help=argparse.SUPPRESS)
    return parser.parse_args()


def arguments_of(options: argparse.Namespace) -> Iterator[Path]:
    """The folder of the files that are made."""
    if options.folder:
        options.folder.mkdir(parents=True, exist_ok=True)
        yield options.folder
        return
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def run_in(folder: Path, options: argparse.Namespace) -> None:
    """Make the files, and measure."""
    paths, planted = write_revisions(folder, options.revisions)
    size = paths[0].stat().st_size / 1e6
    print(f"{len(paths)} revisions of {size:.2f} MB")
    before = peak()
    history, _ = timed("first opening", paths)
    timed("second opening", paths)
    print(f"peak memory {peak():.0f} MB, {before:.0f} before")
    start = time.perf_counter()
    check_steps(history, planted)
    print(f"steps of all functions      {time.perf_counter() - start:8.2f} s")
    large = options.large or folder / "large"
    if not large.exists():
        write_profile(large, 18)
    measure_large(large)


def main() -> None:
    """Run what the options say."""
    options = parsed()
    if options.count:
        start = time.perf_counter()
        if options.count == 1:
            function_costs(load(options.large))
            print(f"one profile and its costs   {time.perf_counter() - start:8.2f} s", end="")
        else:
            read([options.large] * options.count)
            print(f"history of {options.count:2}{time.perf_counter() - start:23.2f} s", end="")
        print(f", peak memory {peak():.0f} MB")
        return
    for folder in arguments_of(options):
        run_in(folder, options)


if __name__ == "__main__":
    main()
