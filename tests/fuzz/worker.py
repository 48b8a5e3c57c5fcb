"""A process that reads cases from its standard input, and answers each with a line of JSON.

It dies with a case that crashes it, or that takes more processor time or address space than the
limits allow.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import re
import resource
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import BinaryIO

from tests.fuzz.cases import check_case
from tests.fuzz.interpreted import import_sources_only
from tests.fuzz.outcome import Content, Difference, Outcome

CPU_SECONDS = 30
"""The default limit of a case; a second is unusual."""
_TOO_MUCH_MEMORY = "took too much memory"
_ADDRESS_SPACE = 8 << 30  # bytes beyond that of the started process, Qt and its libraries included
_GROWTH = 400 << 20  # bytes that a case may take
_IS_SANITIZED = "ASAN_OPTIONS" in os.environ  # reserves 20 TB of addresses


def main() -> None:
    """Answer cases until the input ends."""
    options = _options()
    if options.interpreted:
        import_sources_only()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints is no answer
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    while header := sys.stdin.buffer.readline():
        kind, size = header.split()
        data = sys.stdin.buffer.read(int(size))
        _answer(answers, _outcome(kind.decode(), data, options.seconds))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--interpreted", action="store_true", help="import no compiled modules")
    parser.add_argument("--seconds", type=int, default=CPU_SECONDS, help="processor time of a case")
    return parser.parse_args()


def _answer(answers: BinaryIO, outcome: Outcome) -> None:
    answers.write(json.dumps(asdict(outcome)).encode() + b"\n")
    answers.flush()


def _outcome(kind: str, data: bytes, seconds: int) -> Outcome:
    _limit_resources(seconds)
    errors: list[BaseException] = []
    sys.excepthook = lambda _type, error, _trace: errors.append(error)  # of slots
    threading.excepthook = lambda failed: errors.append(failed.exc_value or SystemExit())
    _forget_peak_memory()
    most, start = _peak_memory(), time.process_time()
    with _folder() as folder:
        try:
            content = check_case(kind, data, folder)
        except Difference as error:
            return Outcome(error.what, error.detail)
        except Exception as error:
            return _failed(error)
    for error in errors:
        return _failed(error)
    growth = _peak_memory() - most
    if growth > _GROWTH:
        return Outcome(_TOO_MUCH_MEMORY, f"{growth >> 20} MB")
    return Outcome(digests=_digests(content), seconds=time.process_time() - start)


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    """The working directory of a case; paths in messages are the same in every process."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield Path()
        finally:
            os.chdir("/")


def _limit_resources(seconds: int) -> None:
    """Let the next case have its share of processor time, and of addresses."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    limit = int(used.ru_utime + used.ru_stime) + seconds
    _set_limit(resource.RLIMIT_CPU, limit)
    if not _IS_SANITIZED:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        _set_limit(resource.RLIMIT_AS, pages * resource.getpagesize() + _ADDRESS_SPACE)


def _set_limit(kind: int, limit: int) -> None:
    resource.setrlimit(kind, (limit, resource.getrlimit(kind)[1]))


def _forget_peak_memory() -> None:
    with contextlib.suppress(OSError):  # of a kernel without it: only a new record counts
        Path("/proc/self/clear_refs").write_text("5")


def _peak_memory() -> int:
    """The most bytes in use since the last reset; `ru_maxrss` begins with that of the parent."""
    status = Path("/proc/self/status").read_text()
    return int(re.findall(r"VmHWM:\s*(\d+) kB", status)[0]) << 10


def _failed(error: BaseException) -> Outcome:
    """An exception, named by its type and the place that raised it."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f"{Path(frames[-1].filename).name}:{frames[-1].name}" if frames else "a slot"
    trace = "".join(traceback.format_exception(error))
    if _is_out_of_memory(error):
        return Outcome(_TOO_MUCH_MEMORY, trace)
    return Outcome(f"{type(error).__name__} in {place}", trace)


def _is_out_of_memory(error: BaseException | None) -> bool:
    return error is not None and (
        isinstance(error, MemoryError) or _is_out_of_memory(error.__cause__)
    )


def _digests(content: Content) -> dict[str, str]:
    return {
        name: hashlib.sha256(repr(value).encode("utf-8", "surrogatepass")).hexdigest()[:16]
        for name, value in content.items()
    }


if __name__ == "__main__":
    main()
