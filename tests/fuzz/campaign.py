"""Reads many cases, in one process with compiled modules and one without, and keeps what fails."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from types import TracebackType

from qcachegrind_py.formats.callgrind.scanner import COMPILED as HAS_COMPILED
from tests.fuzz.cases import COMPARED, Case
from tests.fuzz.minimising import minimised
from tests.fuzz.outcome import Outcome
from tests.fuzz.worker_process import Worker


@dataclass(frozen=True, slots=True)
class Finding:
    """A case that fails, and how."""

    case: Case
    failure: str
    detail: str


@dataclass(slots=True)
class Campaign:
    """The processes that read cases, and what they found."""

    cases: Counter[str] = field(default_factory=Counter)
    """Numbers of cases read, by kind."""
    failures: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Numbers of cases that failed, by kind and failure."""
    slowest: dict[str, tuple[float, str]] = field(default_factory=dict)
    """Seconds of processor time and name of the slowest case, by kind."""
    _worker: Worker = field(default_factory=Worker)
    _interpreted: Worker = field(default_factory=lambda: Worker(interpreted=True))

    def __enter__(self) -> Campaign:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._worker.__exit__(kind, error, trace)
        self._interpreted.__exit__(kind, error, trace)

    def findings(self, cases: Iterable[Case]) -> Iterator[Finding]:
        """Read the cases; yield the first case of each failure, made small."""
        for case in cases:
            outcome = self.outcome(case)
            self.cases[case.kind] += 1
            self.slowest[case.kind] = max(
                self.slowest.get(case.kind, (0.0, "")), (outcome.seconds, case.name)
            )
            if outcome.failure:
                cause = case.kind, outcome.failure
                self.failures[cause] += 1
                if self.failures[cause] == 1:
                    yield self._small_finding(case, outcome)

    def outcome(self, case: Case) -> Outcome:
        """Read a case in each of the processes that its kind is for."""
        outcome = self._worker.run(case)
        if outcome.failure or case.kind not in COMPARED or not HAS_COMPILED:
            return outcome
        other = self._interpreted.run(case)
        if other.failure:
            return replace(other, failure=f"interpreted: {other.failure}")
        names = sorted({*outcome.digests.items()} ^ {*other.digests.items()})
        if not names:
            return outcome
        differing = ", ".join(dict.fromkeys(name for name, _digest in names))
        return Outcome(f"compiled and interpreted differ in {differing}")

    def _small_finding(self, case: Case, outcome: Outcome) -> Finding:
        def fails(data: bytes) -> bool:
            return self.outcome(replace(case, data=data)).failure == outcome.failure

        # A case of these takes minutes; and a valid file is not valid without some of its lines.
        if outcome.failure in ("hung", "took too long") or case.kind == "grammar":
            return Finding(case, outcome.failure, outcome.detail)
        small = replace(case, data=minimised(case.data, fails))
        return Finding(small, outcome.failure, self.outcome(small).detail or outcome.detail)
