"""Profiles drawn as functions and arrows, models read back as lines of cells, and big files made.

A line a function: its name and place, its self costs, and whom it calls how often at what cost::

    events: Ir Dr
    main@a.c@prog 10,1 -> f 3x40,4, g 1x50,5
    f@b.c 40,4
    g 50,5

Header lines such as `events: Ir Dr` are taken as they are; without them the one event is Ir.
"""

from __future__ import annotations

import gzip
import re
from pathlib import Path

from PySide6.QtCore import QAbstractItemModel, Qt

from qcachegrind_py.analysis.questions import Questions
from qcachegrind_py.formats.callgrind.scanner import COMPILED
from qcachegrind_py.formats.loading import load
from qcachegrind_py.models.functions import FunctionModel
from qcachegrind_py.profile.tables import Int32Array, Int64Array

EXAMPLE = Path(__file__).resolve().parents[1] / "resources/example/callgrind.out.templates.xz"
THIN = "\N{THIN SPACE}"

FunctionRows = tuple[Int64Array, Int64Array, Int64Array, Int32Array]

_HEADER = re.compile(r"[a-z]+: ")
_CALL = re.compile(r"(\S+) (\d+)x(-?\d+(?:,-?\d+)*)")


def profile_text(drawing: str) -> str:
    """The drawing in the Callgrind format."""
    lines = [line.strip() for line in drawing.splitlines()]
    headers = [line for line in lines if _HEADER.match(line)]
    rows = [line.partition(" -> ") for line in lines if line and not _HEADER.match(line)]
    if not any(header.startswith("events:") for header in headers):
        headers.append("events: Ir")
    places = {spec.split("@")[0]: spec for spec in (head.split()[0] for head, _, _ in rows)}
    text = [*headers, ""]
    for head, _, calls in rows:
        spec, costs = head.split()
        text += _named(spec, "ob", "fl", "fn")
        text.append(f"1 {costs.replace(',', ' ')}")
        for callee, count, cost in _CALL.findall(calls):
            text += _named(places.get(callee, callee), "cob", "cfi", "cfn")
            text += [f"calls={count} 1", f"1 {cost.replace(',', ' ')}"]
    return "\n".join(text) + "\n"


def _named(spec: str, object_key: str, file_key: str, function_key: str) -> list[str]:
    name, file, object_ = [*spec.split("@"), "???", "???"][:3]
    return [f"{object_key}={object_}", f"{file_key}={file}", f"{function_key}={name}"]


def write_drawing(folder: Path, drawing: str, name: str = "callgrind.out.1") -> Path:
    """The drawing as a file."""
    path = folder / name
    path.write_text(profile_text(drawing), encoding="utf-8")
    return path


def asked(folder: Path, drawing: str) -> Questions:
    """The questions to the profile that is drawn."""
    return Questions(load(write_drawing(folder, drawing)))


def function_rows(questions: Questions, event: str = "Ir") -> FunctionRows:
    """What the function list shows of one event: inclusive and self cost, called count, cycle."""
    kind = questions.profile.events.find(event)
    assert kind is not None
    costs = questions.costs(True)
    inclusive, own = questions.inclusive(kind, True), questions.self_cost(kind)
    return inclusive, own, costs.called, costs.cycle


def function_model(
    questions: Questions, event: str = "Ir", kind: type[FunctionModel] = FunctionModel
) -> FunctionModel:
    """The function list as a model, its costs as they are."""
    model = kind()
    found = questions.profile.events.find(event)
    assert found is not None
    model.set_unit(questions.total(found).base, False)
    model.set_functions(questions.names, *function_rows(questions, event))
    return model


def dump(model: QAbstractItemModel, *columns: int) -> list[str]:
    """What a model shows, a line a row, cells divided by bars; all columns if none are named."""
    columns = columns or tuple(range(model.columnCount()))
    return [
        " | ".join(str(model.index(row, column).data()) for column in columns)
        for row in range(model.rowCount())
    ]


def titles(model: QAbstractItemModel) -> list[str]:
    """The header of a model, without the room that is kept for the sort arrow."""
    horizontal = Qt.Orientation.Horizontal
    return [
        str(model.headerData(column, horizontal)).strip() for column in range(model.columnCount())
    ]


def write_many_functions(path: Path, functions: int) -> Path:
    """A file in which function number n, of names in no order, costs n."""
    lines = [f"fn=name{n * 7919 % functions}\n1 {n}\n" for n in range(1, functions + 1)]
    path.write_text("events: Ir\n\nfl=a.c\n" + "".join(lines))
    return path


def write_slow_file(path: Path, megabytes: int) -> Path:
    """A packed file of that many MB unpacked, a tenth of them where the scanner is interpreted.

    The members of a gzip file may stand one behind the other: so a small one is enough to pack.
    """
    lines = "".join(f"fn=f{n}\n" + "".join(f"{k} {k}\n" for k in range(400)) for n in range(300))
    blocks = max(1, megabytes * 1_000_000 // len(lines) // (1 if COMPILED else 10))
    cost = 300 * sum(range(400)) * blocks
    header = f"events: Ir\nsummary: {cost}\n\nfl=a.c\n"
    block = gzip.compress(lines.encode(), 1)
    path.write_bytes(gzip.compress(header.encode()) + blocks * block)
    return path
