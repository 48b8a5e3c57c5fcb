"""Records of code, built slowly: one location after the other, each range searched separately."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from qcachegrind_py.models.code.records import CodeRecords, RecordKind
from qcachegrind_py.models.code.table_base import CodeModel

LOCATION, CALL, FOLD, HEADING, SOURCE = RecordKind


class Record(NamedTuple):
    """What a record is, as `CodeRecords` says it in columns."""

    kind: RecordKind
    location: int
    call: int = -1
    stretch: int = -1


def unmarked_stretches(
    sites: int, marked: Iterable[int], context: int, least: int = 2
) -> list[list[int]]:
    """The consecutive locations that are not near a marked one."""
    near = {site + step for site in marked for step in range(-context, context + 1)}
    found: list[list[int]] = [[]]
    for site in range(sites):
        if site in near:
            found.append([])
        else:
            found[-1].append(site)
    return [stretch for stretch in found if len(stretch) >= least]


def reference_records(
    calls: list[list[int] | None],
    targets: Iterable[int] = (),
    headings: Collection[int] = (),
    context: int = 0,
) -> list[Record]:
    """The records of all locations; each has its number of calls, or None without cost."""
    costly = [site for site, of_site in enumerate(calls) if of_site is not None]
    stretches = unmarked_stretches(len(calls), [*costly, *targets, *headings], context)
    number = {site: n for n, stretch in enumerate(stretches) for site in stretch}
    records = []
    for site, of_site in enumerate(calls):
        stretch = number.get(site, -1)
        if stretch >= 0 and stretches[stretch][0] == site:
            records.append(Record(FOLD, site, stretch=stretch))
        if site in headings:
            records.append(Record(HEADING, site, stretch=stretch))
        records.append(Record(LOCATION, site, stretch=stretch))
        records += [Record(CALL, site, call, stretch) for call in of_site or ()]
    return records


def plain_records(records: CodeRecords) -> list[Record]:
    """The records as plain tuples."""
    columns = (records.kind, records.location, records.call, records.stretch)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return [Record(RecordKind(kind), *others) for kind, *others in rows]


def shown_records(model: CodeModel) -> list[Record]:
    """The visible records of a model, from the top."""
    records = plain_records(model.rows.records)
    return [records[record] for record in model.order.tolist()]


def calls_follow_location(model: CodeModel) -> bool:
    """Whether each visible call is below its location, after the calls that precede it."""
    rows = shown_records(model)
    site = None
    for before, row in zip([None, *rows], rows, strict=False):
        if row.kind == LOCATION:
            site = row.location
        elif row.kind == CALL:
            is_first = before is not None and before.kind == LOCATION
            is_next = before is not None and before.call == row.call - 1
            if site != row.location or not (is_first or is_next):
                return False
    return len({row.location for row in rows if row.kind == LOCATION}) == len(
        [row for row in rows if row.kind == LOCATION]
    )
