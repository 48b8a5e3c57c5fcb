"""Reports about mutated profiles: tables, trees, pages, annotated code, a saved selection.

The first line of a case has the options of the command, the rest is the profile.
"""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Sequence
from pathlib import Path
from random import Random

from qcachegrind_py.cli.main import main
from tests.fuzz.kinds import callgrind
from tests.fuzz.outcome import Content

_OPTIONS = [
    "annotate",
    "report",
    "calls --tree both --limit 50",
    "calls --tree callers --sort self --threshold 90",
    "report --sort name --no-cycles --width 60",
    "report --filter self>1%",
    "report --filter cycle:any",
    "report --events X=2*Ir-Dr,Y=Ir/Dr",
    "report --format tsv --percent --parts 1",
    "report --fold f",
    "report --format json --fold only:main --fold stdlib",
    "report --format html --fold /[a-m]/ --filter self>0",
    "explain main --fold f --fold collapse:f",
    "annotate --asm --fold !f",
    "annotate --fold /[aeiou]/",
    "convert --to folded -o - --fold only:main",
    "convert -o FOLDER/copy --fold /[a-f]/ --merge",
    "gate FOLDER/profile --format text --fold /[a-m]/ --fail-if self>+0",
    "report --format csv --percent --sort called",
    "report --format json --percent",
    "report --format html",
    "report --format html --limit 3",
    "gate FOLDER/profile --format json --fail-if self>+0 --accept-renames",
    "gate FOLDER/profile --format text --fail-if incl>+5% --fail-if total>1k --shares",
    "compare FOLDER/profile --format markdown --only grown --no-cycles",
    "annotate --format csv --asm",
    "annotate --format json --threshold 50",
    "calls 2 main fib",
    "calls main --format json",
    "calls <cycle\xa01>",
    "calls main --path --format json",
    "calls ??? --path",
    "convert -o FOLDER/copy.gz",
    "convert -o FOLDER/copy --parts 1 --filter self>0",
]
_WRITTEN = 1_700_000_000  # seconds since 1970: pages have the minute, and two processes write it


def make(random: Random) -> bytes:
    """Options and a mutated profile."""
    return random.choice(_OPTIONS).encode() + b"\n" + callgrind.make(random)


def check(data: bytes, folder: Path) -> Content:
    """The exit code of the command, and what it prints."""
    options, _, profile = data.partition(b"\n")
    path = folder / "profile"
    path.write_bytes(profile)
    os.utime(path, (_WRITTEN, _WRITTEN))
    if options.decode("utf-8", "replace") not in _OPTIONS:
        return {}  # of a case made smaller: other options might open the window
    words = options.decode("utf-8", "replace").replace("FOLDER", str(folder)).split(" ")
    return _run([*(word.replace("\xa0", " ") for word in words), str(path)])


def _run(arguments: Sequence[str]) -> Content:
    printed, errors = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(errors):
        try:
            code: object = main(list(arguments))
        except SystemExit as error:  # of options that are none
            code = error.code
    printed.flush()
    return {"code": code, "printed": printed.buffer.getvalue()}
