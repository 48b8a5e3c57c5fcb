"""Event types: those that were measured, and those derived from them by formulas.

A formula is a sum of terms, each with a sign, a decimal coefficient and the name of another event:
`Ir + 10 Bm - 0.5*L1m` (format 3.1.7.2; KCachegrind's grammar, with decimals added). Ratios are not
formulas. The built-in names and formulas are KCachegrind's, as its users know them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

import numpy as np

from qcachegrind_py.profile.errors import FormulaError
from qcachegrind_py.profile.tables import Int64Array

Formula = tuple[tuple[Fraction, str], ...]  # terms: coefficient, event name

LONG_NAMES = {
    "Ir": "Instruction Fetch",
    "Dr": "Data Read Access",
    "Dw": "Data Write Access",
    "I1mr": "L1 Instr. Fetch Miss",
    "D1mr": "L1 Data Read Miss",
    "D1mw": "L1 Data Write Miss",
    "I2mr": "L2 Instr. Fetch Miss",
    "D2mr": "L2 Data Read Miss",
    "D2mw": "L2 Data Write Miss",
    "ILmr": "LL Instr. Fetch Miss",
    "DLmr": "LL Data Read Miss",
    "DLmw": "LL Data Write Miss",
    "Bi": "Indirect Branch",
    "Bim": "Mispredicted Ind. Branch",
    "Bc": "Conditional Branch",
    "Bcm": "Mispredicted Cond. Branch",
    "Ge": "Global Bus Event",
    "Smp": "Samples",
    "Sys": "System Time",
    "User": "User Time",
}
BUILT_IN_FORMULAS = {
    "L1m": ("L1 Miss Sum", "I1mr + D1mr + D1mw"),
    "L2m": ("L2 Miss Sum", "I2mr + D2mr + D2mw"),
    "LLm": ("Last-level Miss Sum", "ILmr + DLmr + DLmw"),
    "Bm": ("Mispredicted Branch", "Bim + Bcm"),
    "CEst": ("Cycle Estimation", "Ir + 10 Bm + 10 L1m + 20 Ge + 100 L2m + 100 LLm"),
}

_TERM = re.compile(r"\s*([+-])?\s*(?:(\d+(?:\.\d+)?)\s*\*?)?\s*([^\s\d+*/-][^\s+*]*)")
_MOST_DIGITS = 15  # of a coefficient
_MOST_TERMS = 10_000  # looked at for one event


@dataclass(frozen=True, slots=True)
class EventType:
    """What is counted: measured, or derived where it has a formula."""

    name: str
    long_name: str
    formula: Formula = ()

    @property
    def is_derived(self) -> bool:
        """Whether the costs are computed from those of other events."""
        return bool(self.formula)

    @property
    def title(self) -> str:
        """The name for people: the long one, where there is one."""
        return self.long_name or self.name


@dataclass(frozen=True, slots=True)
class EventTypes:
    """The events of a profile: the measured ones in file order, then the derived ones."""

    measured: tuple[EventType, ...]
    derived: tuple[EventType, ...]
    _weights: dict[str, tuple[Fraction, ...]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )  # by name, once they were asked for

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the measured events, in the order of the rows of `values`."""
        return tuple(event.name for event in self.measured)

    @property
    def all(self) -> tuple[EventType, ...]:
        """The measured events, then the derived ones."""
        return self.measured + self.derived

    def find(self, name: str) -> EventType | None:
        """The event of that name."""
        return next((event for event in self.all if event.name == name), None)

    def weights(self, event: EventType) -> tuple[Fraction, ...]:
        """The coefficient of each measured event in this one; a formula in itself counts 0."""
        return self._weigh(event, (), iter(range(_MOST_TERMS)))[0]

    def _weigh(
        self, event: EventType, above: tuple[str, ...], budget: Iterator[int]
    ) -> tuple[tuple[Fraction, ...], bool]:
        """The weights, and whether they are the same wherever they are asked for.

        They are not where a formula goes round, as it is cut where it was met first. The budget
        bounds what a hostile file can make of that.
        """
        if not event.formula:
            return tuple(Fraction(int(measured == event)) for measured in self.measured), True
        if event.name in self._weights:
            return self._weights[event.name], True
        total, same = [Fraction(0)] * len(self.measured), True
        for coefficient, name in event.formula:
            term = self.find(name)
            if name in (*above, event.name) or next(budget, None) is None:
                same = False
            elif term is not None:
                weights, sure = self._weigh(term, (*above, event.name), budget)
                same = same and sure
                total = [t + coefficient * w for t, w in zip(total, weights, strict=True)]
        if same:
            self._weights[event.name] = tuple(total)
        return tuple(total), same

    def evaluate(self, event: EventType, values: Int64Array) -> Int64Array:
        """The event's costs from those of the measured events, `values` of shape (events, …).

        Exact where coefficients are whole; else computed exactly and rounded once, to the nearest
        integer and halves up. Where that does not fit 64 bits, the array is of Python's integers.
        """
        weights = self.weights(event)
        if weights.count(Fraction(0)) == len(weights) - 1 and Fraction(1) in weights:
            row: Int64Array = values[weights.index(Fraction(1))]
            return row
        scale = math.lcm(*(weight.denominator for weight in weights))
        factors = [int(weight * scale) for weight in weights]
        terms = [(f, costs) for f, costs in zip(factors, values, strict=True) if f and costs.size]
        bound = sum(abs(f) * max(int(costs.max()), -int(costs.min())) for f, costs in terms)
        if 2 * bound + scale >= 1 << 63:
            return _evaluate_large(terms, scale, values.shape[1:])
        total = np.zeros(values.shape[1:], np.int64)
        for factor, costs in terms:
            total += factor * costs
        return total if scale == 1 else (2 * total + scale) // (2 * scale)


def _evaluate_large(
    terms: list[tuple[int, Int64Array]], scale: int, shape: tuple[int, ...]
) -> Int64Array:
    """The same in Python's integers, which have no bound."""
    total = np.zeros(shape, object)
    for factor, row in terms:
        total += factor * row.astype(object)
    costs: Int64Array = (2 * total + scale) // (2 * scale)
    return costs


def parse_formula(text: str) -> Formula:
    """The terms of a formula; raises `FormulaError` that says what is wrong where."""
    terms: list[tuple[Fraction, str]] = []
    at = 0
    text = text.strip()
    if not text:
        raise FormulaError(text, "is empty: write a sum of events, such as Ir + 10 Bm.")
    while at < len(text):
        match = _TERM.match(text, at)
        if match is None or (terms and not match[1]):
            raise FormulaError(text, f"has no event name with a sign at “{text[at:].strip()}”.")
        if len(match[2] or "") > _MOST_DIGITS + 1:
            raise FormulaError(text, f"has a number of more than {_MOST_DIGITS} digits.")
        sign = -1 if match[1] == "-" else 1
        terms.append((sign * Fraction(match[2] or 1), match[3]))
        at = match.end()
    return tuple(terms)


def format_formula(formula: Formula) -> str:
    """The formula as text, in the grammar that `parse_formula` reads."""
    text = ""
    for coefficient, name in formula:
        sign = "-" if coefficient < 0 else "+"
        size = abs(coefficient)
        number = "" if size == 1 else f"{_decimal(size)} "
        text += f" {sign} {number}{name}" if text or sign == "-" else f"{number}{name}"
    return text.strip()


def _decimal(number: Fraction) -> str:
    """All digits of a decimal number."""
    return f"{Decimal(number.numerator) / Decimal(number.denominator):f}"


def event_types(
    measured: Sequence[str], long_names: dict[str, str], formulas: Iterable[tuple[str, Formula]]
) -> EventTypes:
    """The events of a profile: the file's own definitions go before the built-in ones.

    A derived event is offered where at least one event of its formula is there (KCachegrind's
    rule), and where no measured one has its name.
    """
    names = {**LONG_NAMES, **{name: title for name, (title, _) in BUILT_IN_FORMULAS.items()}}
    names |= {name: title for name, title in long_names.items() if title}
    candidates = {name: parse_formula(text) for name, (_, text) in BUILT_IN_FORMULAS.items()}
    candidates |= dict(formulas)
    basic = tuple(EventType(name, names.get(name, "")) for name in measured)
    known = set(measured)
    derived: dict[str, EventType] = {}
    before = -1
    while before < len(known):  # one may rest on another
        before = len(known)
        for name, formula in candidates.items():
            if name not in known and any(term in known for _, term in formula):
                derived[name] = EventType(name, names.get(name, ""), formula)
                known.add(name)
    ordered = tuple(derived[name] for name in candidates if name in derived)
    return EventTypes(basic, ordered)
