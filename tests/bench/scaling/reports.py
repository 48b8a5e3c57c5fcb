"""What is measured of the command: every report, with all that it has, written to nowhere.

Each is a run of the command but for the start of Python, so its time includes that of reading.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from qcachegrind_py.cli.main import main
from tests.bench.scaling.children import Step

_REPORTS = {
    "text": "report",
    "text, both trees": "calls --tree both",
    "tsv": "report --format tsv",
    "csv": "report --format csv",
    "json": "report --format json",
    "html": "report --format html",
    "calls": "calls main",
    "calls, json": "calls main --format json",
    "path": "calls main --path",
    "annotate": "annotate main",
    "annotate, json": "annotate main --format json",
    "annotate --asm": "annotate main --asm",
    "annotate-all": "--annotate-all",
    "annotate-file": "annotate --file main.c",
    "save": "convert -o /dev/null",
    "save merged": "convert -o /dev/null --merge",
}
_ACCEPTED = (0, 1)  # 1: the profile has nothing for this report, such as instructions


def reports(path: Path) -> Iterator[Step]:
    """Every report."""
    for name, options in _REPORTS.items():
        yield f"report: {name}", lambda options=options: _run([*options.split(), str(path)])


def _run(arguments: list[str]) -> None:
    code = main(arguments)
    if code not in _ACCEPTED:
        raise RuntimeError(f"exit code {code}")
