"""Measures writing profiles against reading them in the same run, and their size.

The HTML report is measured as well: total time and size.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from qcachegrind_py.formats.callgrind.writing.profile_writer import save
from qcachegrind_py.formats.callgrind.writing.selection import Selection
from qcachegrind_py.formats.loading import load
from qcachegrind_py.profile.profile import Profile


def peak() -> int:
    """The peak memory of this process, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def measure(profile: Profile, out: Path, selection: Selection) -> tuple[float, int]:
    """Seconds to write, and bytes added to the peak memory."""
    before, start = peak(), time.perf_counter()
    save(profile, out, selection)
    return time.perf_counter() - start, peak() - before


def report_seconds(path: Path, out: Path) -> float:
    """The seconds that the command takes for the HTML report."""
    start = time.perf_counter()
    with out.open("wb") as file:
        command = [sys.executable, "-m", "qcachegrind_py", "report", str(path), "--format", "html"]
        subprocess.run(command, check=True, stdout=file, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> None:
    for path in map(Path, sys.argv[1:]):
        start = time.perf_counter()
        profile = load(path)
        reading = time.perf_counter() - start
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "written"
            print(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB, read in {reading:.2f} s")
            for what, selection in (("written", Selection()), ("merged", Selection(merged=True))):
                seconds, memory = measure(profile, out, selection)
                share = out.stat().st_size / path.stat().st_size
                print(
                    f"  {what} in {seconds:.2f} s, {seconds / reading:.1f} times as long; "
                    f"{share:.3f} of the size; {memory / 1e6:.0f} MB more memory",
                    flush=True,
                )
            seconds = report_seconds(path, out)
            print(f"  as a page {seconds:.2f} s in all, {out.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
