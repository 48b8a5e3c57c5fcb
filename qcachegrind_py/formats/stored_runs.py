"""Runs in Parquet files, for questions to many profiles: the functions of a run, without its calls.

A file is one flat table, with a row for each event and function; docs/many-profiles.md describes
its columns. DuckDB writes and reads it. It is no dependency, and imported only here.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Hashable, Iterable, Sequence
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from qcachegrind_py.analysis.comparison.sides import Identity
from qcachegrind_py.analysis.history import StoredRun
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.errors import InvalidProfile, UnreadableFile, UnwritableFile
from qcachegrind_py.profile.events import event_types
from qcachegrind_py.profile.files import IrregularFile, open_regular
from qcachegrind_py.profile.profile import Part
from qcachegrind_py.profile.tables import (
    UNKNOWN,
    Calls,
    Costs,
    Functions,
    Int64Array,
    Runs,
    StringTable,
    no_jumps,
    to_display,
)

ENDING = ".parquet"
_MAGIC = b"PAR1"
_REMEDY = "Install it: pip install duckdb"
_PATTERN = re.compile(r"[*?\[]")  # DuckDB takes a path for a pattern of several
_LINE_ENDS = str.maketrans("\n\r", "  ")  # texts of a profile have none

_ROWS = """
    SELECT ?::VARCHAR AS run, ?::TIMESTAMP AS date, ?::VARCHAR AS command, ?::VARCHAR AS creator,
        unnest(?::VARCHAR[]) AS event, unnest(?::BIGINT[]) AS total,
        unnest(?::VARCHAR[]) AS name, unnest(?::VARCHAR[]) AS file, unnest(?::VARCHAR[]) AS object,
        unnest(?::BIGINT[]) AS called,
        unnest(?::BIGINT[]) AS self, unnest(?::BIGINT[]) AS inclusive
"""
_READ = """
    SELECT coalesce(command, ''), coalesce(creator, ''), event::VARCHAR,
        coalesce(name, '???'), coalesce(file, '???'), coalesce(object, '???'),
        total::BIGINT, coalesce(called, 0)::BIGINT, self::BIGINT, inclusive::BIGINT
    FROM read_parquet(?)
"""
_READ_DATE = "SELECT max(date)::TIMESTAMP FROM read_parquet(?)"


@frozen
class RunSums:
    """What is stored of a run."""

    run: str  # what the user calls it
    date: datetime  # with its time zone; the file has it in UTC
    command: str
    creator: str
    functions: Sequence[Identity]
    called: Int64Array | None  # shape (functions,); None: not known
    events: Sequence[str]
    totals: Int64Array  # shape (events,)
    self_cost: Int64Array  # shape (events, functions)
    inclusive: Int64Array  # shape (events, functions)


def stored_bytes(sums: RunSums, path: str) -> bytes:
    """Return the Parquet file of a run; raises `UnwritableFile`, about `path`, without DuckDB."""
    try:
        connection = _connection()
    except ImportError as error:
        reason = "cannot be written: DuckDB is not installed, which writes Parquet files."
        raise UnwritableFile(path, reason, remedy=_REMEDY) from error
    functions, events = len(sums.functions), len(sums.events)
    names = [list(map(to_display, column)) for column in zip(*sums.functions, strict=True)]
    called = [None] * functions if sums.called is None else sums.called.tolist()
    run, command, creator = map(to_display, (sums.run, sums.command, sums.creator))
    date = sums.date.astimezone(UTC).replace(tzinfo=None)
    columns = [
        [to_display(event) for event in sums.events for _ in range(functions)],
        np.repeat(sums.totals, functions).tolist(),
        *(column * events for column in (*names, called)),
        sums.self_cost.reshape(-1).tolist(),
        sums.inclusive.reshape(-1).tolist(),
    ]
    with connection, tempfile.TemporaryDirectory() as folder:
        stored = Path(folder, f"run{ENDING}")
        rows = connection.sql(_ROWS, params=[run, date, command, creator, *columns])
        rows.write_parquet(str(stored), compression="zstd")
        return stored.read_bytes()


def _connection() -> Any:
    """Return a database in memory that loads nothing from elsewhere; raises ImportError."""
    import duckdb

    return duckdb.connect(":memory:", config={"autoinstall_known_extensions": "false"})


# ---------------------------------------------------------------- reading


def is_stored_run(file: str) -> bool:
    """Return whether a file is in the Parquet format, and therefore no profile."""
    try:
        stream, _ = open_regular(Path(file))
    except (IrregularFile, OSError):
        return False  # reading it as a profile tells why
    with stream:
        return stream.read(len(_MAGIC)) == _MAGIC


def date_of(file: str) -> datetime:
    """Return the date of a run; raises what `read_run` raises."""
    ((date,),) = _rows(file, _READ_DATE)
    return date or datetime.min


def read_run(file: str) -> StoredRun:
    """Read a run. Raises `UnreadableFile` without DuckDB, and `InvalidProfile`."""
    rows = _rows(file, _READ)
    command, creator = rows[0][:2] if rows else ("", "")
    event_rows, events = _numbered(row[2] for row in rows)
    function_rows, functions = _numbered(row[3:6] for row in rows)
    columns = np.array([row[6:] for row in rows], np.int64).reshape(-1, 4).T
    shape = len(events), len(functions)
    totals, called = (np.zeros(size, np.int64) for size in shape)
    totals[event_rows], called[function_rows] = columns[:2]
    self_cost, inclusive = np.zeros((2, *shape), np.int64)
    self_cost[event_rows, function_rows], inclusive[event_rows, function_rows] = columns[2:]
    part = Part(
        path=file,
        pid=0,
        part=0,
        thread=0,
        creator=creator,
        command=command,
        positions=("line",),
        events=tuple(events),
        summary=dict(zip(events, totals.tolist(), strict=True)),
        totals=None,
        header=(("creator", creator), ("cmd", command), ("events", " ".join(events))),
    )
    texts, table = _function_table(functions)
    count = len(functions)
    zeros, number = np.zeros(count, np.int32), np.arange(count, dtype=np.int32)
    return StoredRun(
        paths=(file,),
        events=event_types(events, {}, ()),
        parts=(part,),
        texts=texts,
        functions=table,
        runs=Runs(np.arange(count + 1), zeros, number, table.file),
        costs=Costs(zeros, None, self_cost),
        calls=_no_calls(len(events)),
        jumps=no_jumps(),
        diagnostics=(),
        diagnostic_count=0,
        inclusive=inclusive,
        called=called,
    )


def _no_calls(events: int) -> Calls:
    none, counts = np.zeros(0, np.int32), np.zeros(0, np.int64)
    return Calls(none, none, none, none, none, None, counts, np.zeros((events, 0), np.int64))


def _rows(file: str, query: str) -> list[tuple[Any, ...]]:
    """Return the rows of a query to a file."""
    try:
        connection = _connection()
        from duckdb import Error
    except ImportError as error:
        reason = "cannot be read: DuckDB is not installed, which reads Parquet files."
        raise UnreadableFile(file, reason, remedy=_REMEDY) from error
    path = _PATTERN.sub(r"[\g<0>]", str(Path(file).absolute()))
    with connection:
        try:
            rows: list[tuple[Any, ...]] = connection.execute(query, [path]).fetchall()
        except Error as error:
            reason = f"is no stored run: {str(error).splitlines()[0].rstrip('.!')}."
            raise InvalidProfile(file, reason) from error
    return rows


_Key = TypeVar("_Key", bound=Hashable)


def _numbered(keys: Iterable[_Key]) -> tuple[list[int], list[_Key]]:
    """Number keys in order; return the number of each, and the distinct ones."""
    numbers: dict[_Key, int] = {}
    return [numbers.setdefault(key, len(numbers)) for key in keys], list(numbers)


def _function_table(functions: Iterable[Identity]) -> tuple[StringTable, Functions]:
    names = (text.translate(_LINE_ENDS) for identity in functions for text in identity)
    numbers, texts = _numbered(chain((UNKNOWN,), names))
    columns = np.array(numbers[1:], np.int32).reshape(-1, 3).T.copy()
    raw = (text.encode("utf-8", "surrogateescape") for text in texts)
    return StringTable.from_bytes(raw), Functions(*columns)
