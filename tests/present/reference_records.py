"""Records of code, built slowly: one location after the other, each range searched separately."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from qcachegrind_py.present.code_records import CodeRecords, RecordKind

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
