"""Explains numbers, and adds up the lines that the explanations name from the raw text."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import qcachegrind_py as q
from qcachegrind_py.analysis.comparison.comparison import compare
from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.explanation.explain import explain
from qcachegrind_py.analysis.explanation.numbers import (
    AnyKey,
    BaseReason,
    EstimateKey,
    EstimateKind,
    Explanation,
    NumberKey,
    PercentageBase,
    Sharing,
    SharingStep,
    StepRule,
)
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.formats.records import Record, find_records
from qcachegrind_py.profile.events import UserEvent, as_number
from qcachegrind_py.profile.ids import PartId
from qcachegrind_py.profile.progress import NoProgress
from tests.proof.cells import Cell, Views
from tests.proof.raw_text import RawText

_WEIGHT = 3  # of the second event in the derived one
_SUM, _RATE = "ProvenSum", "ProvenRate"  # events of this module
_NEARLY = 1e-7  # of sums in floating point


@dataclass
class Proof:
    """The proof of some numbers of one profile, or of both sides of a comparison."""

    queries: ProfileQueries
    scopes: list[Scope]
    seed: int
    failures: list[str] = field(default_factory=list)
    views: Counter[str] = field(default_factory=Counter)
    _explained: list[Explanation] = field(default_factory=list)
    _texts: dict[str, RawText] = field(default_factory=dict)

    def prove(self, numbers: int) -> None:
        """Prove so many random numbers of all views, or fewer where there are no more."""
        chance = random.Random(self.seed)
        for _ in range(numbers):  # a context gives some dozen numbers, or none
            views = Views(
                self.queries, chance.choice(self.queries.events.all), chance.choice(self.scopes),
                chance,
            )  # fmt: skip
            cells = [*views.cells()]
            for cell in chance.sample(cells, len(cells))[: max(20, numbers // 4)]:
                self._prove_cell(cell)
                if self.views.total() >= numbers:
                    break
            if self.views.total() >= numbers:
                break
        self._prove_sums()

    # ---------------------------------------------------------------- one number

    def _prove_cell(self, cell: Cell) -> None:
        self.views[cell.view] += 1
        found = explain(self.queries, cell.key, cell.event, cell.scope)
        if not _is_same(found.value, cell.value):
            self._fail(cell, f"the explanation is of {found.value}")
        self._explained.append(found)
        if found.terms:
            terms = sum(term.value for term in found.terms) + found.more[1]
            if not found.event.is_ratio and terms != found.value:
                self._fail(cell, f"the terms add up to {terms}")
        for base in found.bases:
            self._prove_base(cell, base)
        if found.sharing is not None and isinstance(cell.key, EstimateKey):
            if found.sharing.is_exact != cell.is_exact:
                self._fail(cell, f"it is exact: {found.sharing.is_exact}")
            self._prove_sharing(cell, cell.key, found, found.sharing)

    def _prove_base(self, cell: Cell, base: PercentageBase) -> None:
        """The total that percentages are of is that of the format, and the reason is true."""
        total = self.queries.total(cell.event, cell.scope.parts)
        if base.value != total.base:
            self._fail(cell, f"its percentage is of {base.value}")
        is_larger = total.recorded is not None and total.recorded >= total.counted
        if (base.reason is BaseReason.RECORDED) != is_larger:
            self._fail(cell, f"its percentage is of the {base.reason.value} total")

    def _prove_sharing(
        self, cell: Cell, key: EstimateKey, found: Explanation, sharing: Sharing
    ) -> None:
        """Each step is the product it states, of numbers that are explained in turn."""
        for step in sharing.steps:
            if not _is_stated(step, key):
                self._fail(cell, f"a step is not what it states: {step}")
            for name, value in ((step.part_key, step.part), (step.whole_key, step.whole)):
                if isinstance(name, NumberKey) and step.rule not in (
                    StepRule.WHOLE,
                    StepRule.REST,
                    StepRule.BALANCE,
                ):
                    self._prove_factor(cell, name, value)
        arrived = sum(step.value for step in sharing.steps) - sharing.ignored
        if not sharing.is_flow:
            arrived = sharing.steps[-1].value if sharing.steps else found.value
        if sharing.ignored < -0.5 - _NEARLY * abs(found.value) and not key.is_count:
            self._fail(cell, f"more than the steps give was added: {-sharing.ignored}")
        if not sharing.is_complete and not _is_near(arrived, found.value):
            self._fail(cell, f"the steps give {arrived}")

    def _prove_factor(self, cell: Cell, key: NumberKey, value: int | float) -> None:
        factor = explain(self.queries, key, self.queries.measured_event(cell.event), cell.scope)
        if factor.value != value:
            self._fail(cell, f"a factor is {value}, but explained as {factor.value}: {key}")
        self._explained.append(factor)

    def _fail(self, cell: Cell | AnyKey, reason: str) -> None:
        self.failures.append(f"{self.queries.profile.paths}: {cell}: {reason}")

    # ---------------------------------------------------------------- the raw text

    def _prove_sums(self) -> None:
        """Add up the lines of all explanations, which are looked for at once."""
        costs, calls = self._rows("costs"), self._rows("calls")
        found = find_records(self.queries.profile, costs, calls, NoProgress())
        records = [
            dict(zip(rows.tolist(), each, strict=True))
            for rows, each in zip((costs, calls), found, strict=True)
        ]
        for explained in self._explained:
            of_costs = [records[0][row] for row in explained.rows.costs.tolist()]
            of_calls = [records[1][row] for row in explained.rows.calls.tolist()]
            self._prove_sum(explained, [*of_costs, *of_calls])

    def _rows(self, table: str) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        rows = [getattr(explained.rows, table) for explained in self._explained]
        return np.unique(np.concatenate(rows)) if rows else np.empty(0, np.int64)

    def _prove_sum(self, explained: Explanation, records: list[Record]) -> None:
        if explained.sharing is not None and not records:
            return  # an estimate, of which the factors are proven
        sums = Counter[str]()
        for record in records:
            sums.update(self._line_values(record, is_count=explained.key.is_count))
        expected = sums["calls"] if explained.key.is_count else self._value(explained, sums)
        if not _is_same(explained.value, expected):
            self._fail(explained.key, f"{explained.value}, but the lines add up to {expected}")

    def _value(self, explained: Explanation, sums: Counter[str]) -> int | float:
        """The number that the sums of the lines give: for our own events by plain arithmetic."""
        event, names = explained.event, [each.name for each in self.queries.events.measured]
        if not event.is_derived:
            return sums[event.name]
        if event.name in (_SUM, _RATE):
            first, second = _operands(self.queries)
            if event.name == _SUM:
                return sums[first] + _WEIGHT * sums[second]
            if sums[first]:
                return sums[second] / sums[first]
        column = np.array([[sums[name]] for name in names], np.int64)
        return as_number(self.queries.events.evaluate(event, column)[0])

    def _line_values(self, record: Record, *, is_count: bool) -> dict[str, int]:
        text = self._texts.get(record.path)
        if text is None:
            text = self._texts[record.path] = RawText(Path(record.path))
        if text.text(record.line) != record.text:
            self.failures.append(f"{record}: the line is {text.text(record.line)!r}")
        return {"calls": text.count_before(record.line)} if is_count else text.costs(record.line)


def _is_same(explained: int | float, value: int | float) -> bool:
    if isinstance(value, float):
        both_undefined = value != value and explained != explained
        return both_undefined or abs(explained - value) <= 1e-9 * abs(value)
    return explained == value


def _is_near(one: float, other: float) -> bool:
    """Whether both are the same but for rounding to a whole number."""
    return abs(one - other) <= 0.5 + _NEARLY * max(abs(one), abs(other))


def _is_stated(step: SharingStep, key: EstimateKey) -> bool:
    """Whether the value of a step follows from its numbers."""
    match step.rule:
        case StepRule.WHOLE | StepRule.INSIDE | StepRule.STAND_IN:
            return True
        case StepRule.LIMITED:
            return step.value < step.part
        case StepRule.REST | StepRule.BALANCE:
            return step.value == step.whole - step.part
        case StepRule.RECORDED | StepRule.OWN:
            return step.value == step.part
        case StepRule.ALL:
            return step.part == step.whole and step.value == step.amount
    share = step.amount / step.whole if step.whole > 0 else 0.0
    on_path = key.kind in (EstimateKind.FRAME, EstimateKind.BRANCH)
    value = step.part * (min(share, 1.0) if on_path else share)
    if key.kind is EstimateKind.FRAME and not (key.is_count and step.node == key.path[-1]):
        value = min(value, step.amount)
    return _is_near(value, step.value)


# -------------------------------------------------------------------- profiles


def proof_of(path: Path, numbers: int, seed: int) -> Proof:
    """Prove numbers of a profile in several scopes. Raises the errors of loading."""
    profile, chance = q.load(path), random.Random(seed)
    queries = ProfileQueries(profile)
    _add_user_events(queries)
    parts = range(len(profile.parts))
    scopes = [Scope(), Scope(cycles=False)]
    for _ in range(2):
        some = chance.sample(parts, chance.randint(1, len(parts)))
        scopes.append(Scope(frozenset(map(PartId, some)), cycles=chance.random() < 0.7))
    return _proof(queries, scopes, numbers, seed)


def proof_of_comparison(base: Path, new: Path, numbers: int, seed: int) -> Proof:
    """Prove numbers of both sides of a comparison. Raises the errors of loading."""
    compared = compare(q.load(base), q.load(new))
    _add_user_events(compared.queries)
    return _proof(compared.queries, [compared.base, compared.new], numbers, seed)


def _proof(queries: ProfileQueries, scopes: list[Scope], numbers: int, seed: int) -> Proof:
    proof = Proof(queries, scopes, seed)
    if queries.function_count:
        proof.prove(numbers)
    return proof


def _add_user_events(queries: ProfileQueries) -> None:
    """Add a sum and a ratio of measured events."""
    if operands := _operands(queries):
        first, second = operands
        sum_ = UserEvent(_SUM, "", f"{first} + {_WEIGHT} {second}")
        queries.set_user_events([sum_, UserEvent(_RATE, "", f"{second} / {first}")])


def _operands(queries: ProfileQueries) -> list[str]:
    """The first two events that formulas can name; none if there are not two."""
    names = [each.name for each in queries.events.measured if each.name.isidentifier()]
    return names[:2] if len(names) > 1 else []
