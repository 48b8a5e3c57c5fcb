"""What is measured of the command: every report, with all that it has, written to nowhere.

Each is a run of the command but for the start of Python, so its time includes that of reading.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

from qcachegrind_py.cli.main import main
from tests.bench.scaling.children import Step

_REPORTS = {
    "text": "report FILE",
    "text, all events": "report FILE --events all",
    "text, both trees": "calls FILE --tree both",
    "tsv": "report FILE --format tsv",
    "csv": "report FILE --format csv",
    "json": "report FILE --format json",
    "html": "report FILE --format html",
    "calls": "calls FILE main",
    "calls, json": "calls FILE main --format json",
    "path": "calls FILE main --path",
    "path to the last function": "calls FILE function_ROWS --path",
    "annotate": "annotate FILE main",
    "annotate, json": "annotate FILE main --format json",
    "annotate --asm": "annotate FILE main --asm",
    "annotate, all files": "annotate FILE",
    "annotate, all functions": "annotate FILE *",
    "annotate --file": "annotate FILE --file main.c",
    "explain": "explain FILE main",
    "explain --inclusive": "explain FILE main --inclusive",
    "explain, all lines": "explain FILE main --limit ROWS",
    "speedscope": "convert FILE --to speedscope -o /dev/null",
    "folded stacks": "convert FILE --to folded -o /dev/null",
    "save": "convert FILE -o /dev/null",
    "save merged": "convert FILE -o /dev/null --merge",
}
_OF_RUNS = {  # which each are a file of their own
    "compare --repeats": ("compare --repeats", "--base"),
    "history": ("history", ""),
}
_ACCEPTED = (0, 1, 2)  # 1: the profile has nothing for this report; 2: no such function


def reports(path: Path, rows: int) -> Iterator[Step]:
    """Every report; of many runs, those that compare them."""
    runs = sorted(map(str, path.parent.glob("run.*")))
    for name, (task, base) in (_OF_RUNS if runs else {}).items():
        half = len(runs) // 2
        first = [word for run in runs[:half] for word in (base, run) if word]
        arguments = [*task.split(), *first, *runs[half:]]
        yield f"report: {name}", lambda arguments=arguments: _run(arguments)
    for name, words in _REPORTS.items():
        arguments = [_word(word, path, rows) for word in words.split()]
        yield f"report: {name}", lambda arguments=arguments: _run(arguments)


def _word(word: str, path: Path, rows: int) -> str:
    return str(path) if word == "FILE" else word.replace("ROWS", str(rows))


def _run(arguments: list[str]) -> None:
    gc.disable()  # as the program does
    code = main(arguments)
    if code not in _ACCEPTED:
        raise RuntimeError(f"exit code {code}")
