"""Listings of source lines and instructions, of programs given as text, drawn as text again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from qcachegrind_py.analysis.code.annotated_function import annotate_instructions, annotate_lines
from qcachegrind_py.analysis.code.instructions import NO_CODE, Code, InstructionKind
from qcachegrind_py.analysis.comparison.comparison import compare
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.formats.loading import load
from qcachegrind_py.present.code_instructions import (
    InstructionTexts,
    instruction_rows,
    load_instructions,
)
from qcachegrind_py.present.code_lines import LineTexts, SourceRequest, load_source, source_rows
from qcachegrind_py.present.code_listing import CodeListing, LoadedCode
from qcachegrind_py.present.code_records import RecordKind, code_costs
from qcachegrind_py.present.context import AnnotationStyle, Position
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.ids import TextId
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.tools.sources.file_search import FileSearch, PathRule, clear_folder_listings
from tests.present.table_text import rows_by
from tests.profile_rows import DATA, profile_from, text_bytes
from tests.profile_text import THIN, view_query

PROGRAMS = DATA / "programs"
OUR_RULES = (PathRule("/corpus/a-small", str(PROGRAMS)), PathRule(".", str(PROGRAMS / "src")))
UNFOLDED = {"source_rows": False, "hide_inlined": False}  # the style of most tests
SEEN = "location", "self", "inclusive", "calls", "text"

# ---------------------------------------------------------------- the programs

SOURCE = """
    events: Ir Dr
    ob=/bin/p
    fl=src/a.c
    fn=f
    0 2 1
    2 10 4
    fi=inc/b.h
    7 20 8
    cfi=lib/g.c
    cfn=g
    calls=3 1
    7 300 32
    fe=src/a.c
    9 5 0
    cfi=lib/g.c
    cfn=g
    calls=0 1
    9 40 2
    cfi=src/a.c
    cfn=f
    calls=1200 2
    9 50 6
    jcnd=3/4 2
    9
    jump=5 12
    9
    jump=9 4000
    9
    jcnd=0/0 5
    9
    12 1 1
    99 8 3
    fl=lib/g.c
    fn=g
    1 340 32
    """
TEXTS = {
    "src/a.c": [f"text of line {line}" for line in range(1, 13)],
    "inc/b.h": [f"\tinlined {line};" for line in range(1, 8)],
}
ASSEMBLER = """
    positions: instr line
    events: Ir Dr
    ob=/bin/p
    fl=src/a.c
    fn=f
    0x10 2 10 4
    0x12 2 20 8
    fi=inc/b.h
    0x14 7 5 0
    cfi=lib/g.c
    cfn=g
    calls=3 0x90 1
    0x14 7 300 30
    cfi=lib/g.c
    cfn=h
    calls=0 0x98 1
    0x14 7 40 2
    fe=src/a.c
    0x18 3 8 3
    jcnd=6/7 0x10 2
    0x18 3
    jump=2 0x14 7
    0x1a 3
    jump=2 0x400 7
    0x1a 3
    jcnd=0/0 0x12 2
    0x1a 3
    0x1b 0 1 0
    fl=lib/g.c
    fn=g
    0x90 1 300 30
    """
CODE = """
    0e nop
    10 mov %rsp,%rbp
    12 je 2c <f+0x1c>
    14 call 90 <g>
    18 jne 10 <f>
    1a jmp 14 <f+0x4>
    1c ret
    20 nop
    22 nop
    24 nop
    26 nop
    28 vfmadd231ps %ymm0,%ymm1,%ymm2
    2c (bad)
    30 jmp 90 <g>
    """
SYMBOLS = ((0x10, "f"), (0x28, "f [cold]"), (0x90, "g"), (0x20, ""))
_KINDS = {
    "je": InstructionKind.BRANCH, "jne": InstructionKind.BRANCH,
    "jmp": InstructionKind.JUMP, "call": InstructionKind.CALL,
    "ret": InstructionKind.RETURN, "(bad)": InstructionKind.DATA,
}  # fmt: skip
_WITH_TARGET = InstructionKind.BRANCH, InstructionKind.JUMP, InstructionKind.CALL


def drawn(drawing: str | bytes, event: str = "Ir", **settings: Any) -> ViewQuery:
    """The query of a profile given as text, with absolute costs."""
    return asked(ProfileQueries(profile_from(drawing)), event, **settings)


def asked(
    queries: ProfileQueries, event: str = "Ir", second: str = "", **settings: Any
) -> ViewQuery:
    """The query with these events, by default with the last one as the second."""
    other = queries.events.find(second or queries.events.names[-1])
    return view_query(queries, event, **{"second_event": other, **settings})


def source(
    query: ViewQuery,
    texts: Mapping[str, Sequence[str]] = TEXTS,
    function: str = "f",
    *,
    file: str = "",
    whole: bool = False,
    context: int = 1,
    hides_inlined: bool = False,
) -> CodeListing:
    """The lines of a function, of another file in it, or of a whole file over all functions."""
    queries, profile = query.queries, query.profile
    number = queries.names.with_name(function)[0]
    own = profile.texts.index_of(file) if file else int(profile.functions.file[number])
    lines = queries.lines(number, None)
    if whole or file:
        lines = queries.lines_of_file(own, None, -1 if whole else number)
    known = {profile.texts.index_of(name): of_file for name, of_file in texts.items()}
    annotated = annotate_lines(profile, number, lines, query.costs().cycle, known)
    rows = source_rows(annotated, own, query.labels(), context)
    code = LineTexts(
        rows=rows,
        file_names=rows.file_names(profile.texts),
        texts=known,
        names=profile.texts,
        own_file=own,
        longest=max(known.get(own, ()), key=lambda line: len(line.expandtabs()), default=""),
    )
    costs = code_costs(query, rows, number, is_of_function=not whole)
    return CodeListing.of(code, costs, hides_inlined=hides_inlined)


def assembler(
    query: ViewQuery,
    code: str = CODE,
    symbols: Sequence[tuple[int, str]] = SYMBOLS,
    texts: Mapping[str, Sequence[str]] | None = None,
) -> CodeListing:
    """The instructions of f; with texts, the source lines stand above their instructions."""
    queries, profile = query.queries, query.profile
    number = queries.names.with_name("f")[0]
    annotated = annotate_instructions(
        profile,
        number,
        queries.instructions(number, None),
        query.costs().cycle,
        code_of(code) if code else NO_CODE,
    )
    rows = instruction_rows(
        annotated, symbols if code else (), query.labels(), 1, has_source_rows=texts is not None
    )
    instructions = InstructionTexts(
        rows=rows,
        file_names=rows.file_names(profile.texts),
        texts={TextId(profile.texts.index_of(name)): of for name, of in (texts or {}).items()},
        has_jumps=len(profile.jumps) > 0,
    )
    return CodeListing.of(instructions, code_costs(query, rows, number))


def code_of(text: str) -> Code:
    """A line per instruction: address, name, operands; a jump's first operand is its target."""
    rows = [[*line.split(maxsplit=2), ""][:3] for line in text.strip().splitlines()]
    kinds = [_KINDS.get(name, InstructionKind.PLAIN) for _, name, _ in rows]
    targets = [
        int(operands.split()[0], 16) if kind in _WITH_TARGET else 0
        for (_, _, operands), kind in zip(rows, kinds, strict=True)
    ]
    addresses = [int(address, 16) for address, _, _ in rows]
    return Code(
        np.array(addresses, np.uint64),
        np.full(len(rows), 2, np.int32),
        np.array(kinds, np.int8),
        np.array(targets, np.uint64),
        tuple(name for _, name, _ in rows),
        tuple(operands for _, _, operands in rows),
        tuple(bytes([0xAB, address & 0xFF]) for address in addresses),
    )


def in_source(event: str = "Ir", **options: Any) -> CodeListing:
    """The lines of f in the drawn program."""
    return source(drawn(SOURCE, event), **options)


def in_assembler(event: str = "Ir", **options: Any) -> CodeListing:
    """The instructions of f in the drawn program."""
    return assembler(drawn(ASSEMBLER, event), **options)


BOTH: dict[str, Callable[..., CodeListing]] = {"source": in_source, "assembler": in_assembler}

# ---------------------------------------------------------------- programs in files


def code_query(
    profile: str | Path,
    function: str,
    folder: Path = DATA,
    *,
    base: Path | None = None,
    rules: Iterable[PathRule] = OUR_RULES,
    scope: Scope | None = None,
    context: Mapping[str, Any] | None = None,
    **style: Any,
) -> ViewQuery:
    """The query of a profile, or of its comparison with a base; text is written to the folder.

    Files are found by the rules, and beside the profile. `style` is that of `AnnotationStyle`, but
    without source lines between instructions, and with inlined lines.
    """
    clear_folder_listings()
    path = profile if isinstance(profile, Path) else folder / "callgrind.out.1"
    if isinstance(profile, str):
        path.write_bytes(text_bytes(profile))
    compared = None if base is None else compare(load(base), load(path))
    queries = ProfileQueries(load(path)) if compared is None else compared.queries
    settings = {
        "scope": scope or Scope(),
        "function": queries.names.with_name(function)[0],
        "files": FileSearch(tuple(rules), bases=(str(path.parent), str(Path.cwd()))),
        "annotation": AnnotationStyle(**{**UNFOLDED, **style}),
        **(context or {}),
    }
    if compared is None:
        return view_query(queries, **settings)
    settings |= {"scope": compared.new, "base_parts": compared.base.parts}
    return replace(view_query(queries, **settings), compared=compared)


def loaded(kind: str, query: ViewQuery, **request: Any) -> tuple[LoadedCode, CodeListing]:
    """What a job loads for a query, and its listing."""
    if kind == "source":
        found: LoadedCode = load_source(query, SourceRequest(**request), NoProgress())
    else:
        found = load_instructions(query, NoProgress())
    hides = query.context.annotation.hide_inlined
    return found, CodeListing.of(found.code, found.costs(query), hides_inlined=hides)


# ---------------------------------------------------------------- drawing


def shown_records(
    listing: CodeListing,
    by: str = "location",
    *,
    ascending: bool = True,
    opened: Iterable[int] | None = None,
) -> list[int]:
    """The visible records in an order; ranges without cost are folded but for the opened ones."""
    in_order = (by, ascending) == ("location", True)
    visible = listing.visible(opened, in_code_order=in_order)
    records = rows_by(listing.table, by, ascending=ascending)
    return [record for record in records if visible[record]]


def shown(listing: CodeListing, *keys: str, **order: Any) -> list[str]:
    """The cells of the visible records, a line each, without spaces in numbers."""
    columns = [listing.table.column(key).cells for key in keys or SEEN]
    return [
        " | ".join(cells.text(record) for cells in columns).replace(THIN, "")
        for record in shown_records(listing, **order)
    ]


def folded(listing: CodeListing, *keys: str) -> list[str]:
    """The same with all ranges without cost folded."""
    return shown(listing, *keys or ("location", "text"), opened=())


def record_at(listing: CodeListing, place: str) -> int:
    """The record of a line or an instruction."""
    records = listing.rows.records.record_of_location.tolist()
    return next(record for record in records if listing.texts.location(record) == place)


def places(listing: CodeListing, records: Iterable[int]) -> list[str]:
    """The lines or addresses of records; of others, their texts."""
    texts = listing.texts
    return [texts.location(record) or texts.shown_code(record).strip() for record in records]


def places_at(listing: CodeListing, position: Position) -> list[str]:
    """The lines or addresses at a position."""
    return places(listing, np.flatnonzero(listing.texts.records_at(position)).tolist())


def found(listing: CodeListing, text: str) -> list[str]:
    """The lines or addresses that contain a text."""
    return places(listing, listing.texts.containing(text).tolist())


def jumps_of(listing: CodeListing) -> dict[str, str]:
    """The texts about jumps, by location."""
    kind = listing.rows.records.kind
    cells = listing.table.column("jumps").cells
    return {
        listing.texts.location(record): cells.text(record)
        for record in np.flatnonzero(kind == RecordKind.LOCATION).tolist()
        if cells.text(record)
    }


def copied(listing: CodeListing, *keys: str, **order: Any) -> list[list[Any]]:
    """The cells for other programs, row by row."""
    records = np.array(shown_records(listing, **order), np.int64)
    columns = (listing.table.column(key).cells.values(records) for key in keys)
    return [list(cells) for cells in zip(*columns, strict=True)]
