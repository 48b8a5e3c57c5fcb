"""Reads random files of all kinds until the time is over, and saves those that fail."""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import itertools
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.fuzz.campaign import Campaign, Finding
from tests.fuzz.cases import KINDS, Case, case_in, case_of

_FINDINGS = Path(tempfile.gettempdir()) / "qcachegrind_py-fuzz"


def main() -> int:
    """Run the fuzzer until the time is over or Ctrl+C is pressed; return 1 if a case failed."""
    options = _options()
    start = time.monotonic()
    cases = [_named(options.replay)] if options.replay else _cases(options, start)
    with Campaign() as campaign:
        with contextlib.suppress(KeyboardInterrupt):
            for finding in campaign.findings(cases):
                _report(finding, options.findings)
        _summarise(campaign, time.monotonic() - start)
        return 1 if campaign.failures else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m tests.fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="time to go on; default: 60")
    parser.add_argument("--seed", type=int, default=None, help="of the first case; default: random")
    parser.add_argument("--kind", nargs="+", choices=KINDS, default=KINDS, help="kinds of files")
    parser.add_argument("--replay", metavar="FILE|KIND:SEED", help="read one case again")
    parser.add_argument("--findings", type=Path, default=_FINDINGS, help=f"folder; {_FINDINGS}")
    return parser.parse_args()


def _named(name: str) -> Case:
    kind, _, seed = name.partition(":")
    return case_of(kind, int(seed)) if kind in KINDS and seed else case_in(Path(name))


def _cases(options: argparse.Namespace, start: float) -> Iterator[Case]:
    """Cases of all kinds in turn, with consecutive seeds."""
    seed = time.time_ns() % 10**9 if options.seed is None else options.seed
    print(f"seeds from {seed}, for {options.seconds:g} s", flush=True)
    for number in itertools.count(seed):
        for kind in options.kind:
            if time.monotonic() - start > options.seconds:
                return
            yield case_of(kind, number)


def _report(finding: Finding, folder: Path) -> None:
    """Save the case, and print how to read it again."""
    folder.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256(finding.case.data).hexdigest()[:8]
    path = folder / f"{finding.case.kind}-{digest}.case"
    path.write_bytes(finding.case.data)
    described = f"{finding.case.name}: {finding.failure}\n\n{finding.detail}"
    path.with_suffix(".txt").write_text(described, encoding="utf-8", errors="replace")
    print(f"\n{described}\n\npython -m tests.fuzz --replay {path}", flush=True)


def _summarise(campaign: Campaign, seconds: float) -> None:
    print(f"\n{campaign.cases.total():,} cases in {seconds:,.0f} s", flush=True)
    for kind, count in campaign.cases.items():
        slowest, name = campaign.slowest[kind]
        print(f"  {kind:10} {count:8,}   slowest {slowest:6.2f} s  {name}")
    for (kind, failure), count in campaign.failures.items():
        print(f"  {kind}: {failure}: {count:,} cases")


if __name__ == "__main__":
    sys.exit(main())
