"""Event types: measured events, and events derived from them by formulas or as ratios.

A formula is a sum of terms, each with a sign, a coefficient and the name of another event:
`Ir + 10 Bm - 0.5*L1m` (Callgrind Format Specification, 3.1.7.2, with KCachegrind's grammar, and
decimals added). Coefficients may be hexadecimal; a blank or `*` then separates them from the name,
which might begin with further digits. A formula from the user, but not from a file, may also be a
ratio of two sums: `D1mr + D1mw / Dr + Dw`. There are no parentheses, since the slash has the lowest
precedence.

The built-in names and formulas are KCachegrind's, which users know, and one of gungraun. Events of
the user are checked when they are defined; from then on, `EventTypes.with_user_events` adds those
that fit a profile and ignores the rest.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.errors import EventNameError, FormulaError, not_found
from qcachegrind_py.profile.tables import Int64Array

if TYPE_CHECKING:
    import numpy.typing as npt

Formula = tuple[tuple[Fraction, str], ...]  # terms: coefficient, event name
Float64Array: TypeAlias = "npt.NDArray[np.float64]"
# int64, Python integers if these do not suffice, float64 for ratios
CostArray: TypeAlias = "npt.NDArray[Any]"
_Weights = tuple[Fraction, ...]

# ---------------------------------------------------------------- formulas

_HEXADECIMAL = r"0[xX][0-9a-fA-F]"
_TERM = re.compile(  # possessive quantifiers prevent backtracking on long runs of blanks
    r"\s*+([+-])?\s*+"
    rf"(?:({_HEXADECIMAL}++(?=[\s*])|(?!{_HEXADECIMAL})\d++(?:\.\d++)?)\s*+\*?\s*+)?"
    r"([^\s\d+*/-][^\s+*]*)"
)
_NUMBER = re.compile(rf"{_HEXADECIMAL}+|\d+(?:\.\d+)?")
_MAX_DIGITS = 15  # of a coefficient


def parse_formula(text: str) -> Formula:
    """Parse a sum; raise `FormulaError`, with the reason and a remedy, if it is invalid."""
    terms: list[tuple[Fraction, str]] = []
    offset = 0
    text = text.strip()
    if not text:
        raise FormulaError(text, "is empty: write a sum of events, such as Ir + 10 Bm.")
    while offset < len(text):
        match = _TERM.match(text, offset)
        if match is None or (terms and not match[1]):
            reason = f"cannot be understood at “{text[offset:].strip()}”: write events with + or -"
            raise FormulaError(text, f"{reason} between them, such as Ir + 10 Bm.")
        number = _in_decimal(match[2] or "1")
        if len(number.replace(".", "")) > _MAX_DIGITS:
            reason = f"has a number of more than {_MAX_DIGITS} digits before {match[3]}"
            raise FormulaError(text, f"{reason}: write a shorter one.")
        sign = -1 if match[1] == "-" else 1
        terms.append((sign * Fraction(number), match[3]))
        offset = match.end()
    return tuple(terms)


def _in_decimal(number: str) -> str:
    """Return a number in decimal notation; a hexadecimal one of too many digits is unchanged."""
    is_hexadecimal = number[:2] in ("0x", "0X") and len(number) <= _MAX_DIGITS
    return str(int(number, 16)) if is_hexadecimal else number


def parse_ratio(text: str) -> tuple[Formula, Formula]:
    """Parse a user's formula into dividend and divisor; the divisor is empty for a sum.

    Raises `FormulaError` if it is invalid.
    """
    text = text.strip()
    sides = text.split("/")
    if len(sides) > 2:
        again = f"/ {'/'.join(sides[2:]).strip()}".strip()
        reason = f"divides a second time at “{again}”: write one sum divided by one sum."
        raise FormulaError(text, reason)
    if len(sides) == 1:
        return parse_formula(text), ()
    _check_ratio_sides(text, sides[0].strip(), sides[1].strip())
    try:
        return parse_formula(sides[0]), parse_formula(sides[1])
    except FormulaError as error:
        raise FormulaError(text, error.reason) from None


def _check_ratio_sides(text: str, dividend: str, divisor: str) -> None:
    for side, sum_ in (("left", dividend), ("right", divisor)):
        if not sum_:
            reason = f"has nothing {side} of the slash: write a sum of events there."
            raise FormulaError(text, reason)
    if _NUMBER.fullmatch(divisor):
        reason = f"divides by the number {divisor}: write a factor instead, such as 0.001 Ir."
        raise FormulaError(text, reason)


def format_formula(formula: Formula) -> str:
    """Format a formula in the grammar of `parse_formula`."""
    text = ""
    for coefficient, name in formula:
        sign = "-" if coefficient < 0 else "+"
        size = abs(coefficient)
        number = "" if size == 1 else f"{_decimal_text(size)} "
        text += f" {sign} {number}{name}" if text or sign == "-" else f"{number}{name}"
    return text.strip()


def _decimal_text(number: Fraction) -> str:
    return f"{Decimal(number.numerator) / Decimal(number.denominator):f}"


# ---------------------------------------------------------------- events

_LONG_NAMES = {
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
_BUILT_IN = {
    name: (title, parse_formula(text))
    for name, title, text in (
        ("L1m", "L1 Miss Sum", "I1mr + D1mr + D1mw"),
        ("L2m", "L2 Miss Sum", "I2mr + D2mr + D2mw"),
        ("LLm", "Last-level Miss Sum", "ILmr + DLmr + DLmw"),
        ("Bm", "Mispredicted Branch", "Bim + Bcm"),
        ("CEst", "Cycle Estimation", "Ir + 10 Bm + 10 L1m + 20 Ge + 100 L2m + 100 LLm"),
        # gungraun's and iai-callgrind's, by their name for it: L1 hits + 5 LL hits + 35 RAM hits,
        # where these are Ir + Dr + Dw - L1m, L1m - LLm and LLm
        ("EstimatedCycles", "Cycles by gungraun", "Ir + Dr + Dw + 4 L1m + 30 LLm"),
    )
}
_ESTIMATE, _ESTIMATE_OF_HITS = (_BUILT_IN[name][1] for name in ("CEst", "EstimatedCycles"))
_MAX_TERMS = 10_000  # evaluated for one event


@frozen(eq=True)
class EventType:
    """An event: measured, derived if it has a formula, or a ratio if it has a divisor, too."""

    name: str
    long_name: str
    formula: Formula = ()
    divisor: Formula = ()

    @property
    def is_derived(self) -> bool:
        """Whether the costs are computed from other events."""
        return bool(self.formula)

    @property
    def is_ratio(self) -> bool:
        """Whether the event is one sum divided by another, which cannot be added up."""
        return bool(self.divisor)

    @property
    def title(self) -> str:
        """The name for display: the long one, if any."""
        return self.long_name or self.name


@frozen(eq=True)
class UserEvent:
    """An event that the user defined for all profiles, with the texts as typed."""

    name: str
    long_name: str
    formula: str  # a sum, or one sum divided by another


def first_counted(
    events: Sequence[EventType], is_zero: Callable[[EventType], bool]
) -> EventType | None:
    """Return the first measured event that counted anything; without one, the first event."""
    counted = (event for event in events if not event.is_derived and not is_zero(event))
    return next(counted, next(iter(events), None))


def zeros_passed_over(events: Sequence[EventType], shown: EventType) -> str:
    """Return a sentence about the events before `shown`, which counted nothing; empty if none."""
    if not events or shown == events[0]:
        return ""
    return (
        f"{events[0].name} is 0 throughout, so {shown.name} is shown: "
        "the first event that counted anything."
    )


@frozen(eq=True)
class EventTypes:
    """The events of a profile: the measured ones in file order, then the derived ones."""

    measured: tuple[EventType, ...]
    derived: tuple[EventType, ...]
    _weights: dict[str, _Weights] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )  # cached by name

    def __hash__(self) -> int:  # without the formulas of derived events: caches hash it often
        return hash((self.measured, len(self.derived)))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the measured events, in the order of the rows of `values`."""
        return tuple(event.name for event in self.measured)

    @property
    def all(self) -> tuple[EventType, ...]:
        """The measured events, then the derived ones."""
        return self.measured + self.derived

    def find(self, name: str) -> EventType | None:
        """Return the event with this name, or None."""
        return next((event for event in self.all if event.name == name), None)

    def named(self, name: str) -> EventType:
        """Return the event with this name; raise `NotInProfile` if there is none."""
        event = self.find(name)
        if event is None:
            raise not_found("event", name, [each.name for each in self.all])
        return event

    def with_user_events(self, user_events: Iterable[UserEvent]) -> EventTypes:
        """Add the user's events; they replace derived events of the same name.

        Events that are invalid, have the name of a measured event, or depend on no measured event
        are left out, since they are meant for other profiles.
        """
        existing = {event.name: event for event in self.derived}
        parsed = (_parsed(definition) for definition in user_events)
        defined = {event.name: event for event in parsed if event and event.name not in self.names}
        while True:
            derived = _available(self.names, existing | defined)
            offered = {event.name for event in derived}
            useless = [name for name in defined if name in existing and name not in offered]
            if not useless:
                return EventTypes(self.measured, derived)
            for name in useless:  # retain the event that it would have replaced
                del defined[name]

    # ---------------------------------------------------------------- costs

    def weights(self, event: EventType) -> _Weights:
        """Return the coefficient of each measured event; circular references count 0.

        Raises `ValueError` for a ratio.
        """
        if event.is_ratio:
            raise ValueError(f"{event.name} is a ratio and has no weights")
        return self._compute_weights(event, (), iter(range(_MAX_TERMS)))[0]

    def _compute_weights(
        self, event: EventType, above: tuple[str, ...], budget: Iterator[int]
    ) -> tuple[_Weights, bool]:
        """Return the weights, and whether they are independent of the path to the event.

        They depend on it in circular formulas, which are cut at the first repetition. The budget
        bounds the work for hostile files.
        """
        if not event.formula:
            return tuple(Fraction(int(measured == event)) for measured in self.measured), True
        if event.name in self._weights:
            return self._weights[event.name], True
        weights, is_independent = self._sum_weights(event.formula, (*above, event.name), budget)
        if is_independent:
            self._weights[event.name] = weights
        return weights, is_independent

    def _sum_weights(
        self, formula: Formula, above: tuple[str, ...], budget: Iterator[int]
    ) -> tuple[_Weights, bool]:
        total, is_independent = [Fraction(0)] * len(self.measured), True
        for coefficient, name in formula:
            if name in above or next(budget, None) is None:
                is_independent = False
                continue
            term = self.find(name)
            if term is not None and not term.is_ratio:
                weights, is_term_independent = self._compute_weights(term, above, budget)
                is_independent = is_independent and is_term_independent
                total = [t + coefficient * w for t, w in zip(total, weights, strict=True)]
        return tuple(total), is_independent

    def evaluate(self, event: EventType, values: Int64Array) -> CostArray:
        """Compute the costs of an event from `values` of the measured events, shape (events, …).

        The result has the shape (…) and is int64, or Python integers if 64 bits do not suffice.
        Sums are exact; with fractional coefficients they are rounded once, to the nearest integer
        and halves up. Ratios are float64 quotients of exact sums, NaN for division by 0.
        """
        if event.is_ratio:
            return self._ratios(event, values)
        if not event.formula and event in self.measured:  # 1 µs; by weights it would be 20
            return values[self.measured.index(event)]  # type: ignore[no-any-return]
        weights = self.weights(event)
        if weights.count(Fraction(0)) == len(weights) - 1 and Fraction(1) in weights:
            row: Int64Array = values[weights.index(Fraction(1))]
            return row
        scale = math.lcm(*(weight.denominator for weight in weights))
        total = _weighted_sum(weights, scale, values)
        return total if scale == 1 else (2 * total + scale) // (2 * scale)

    def constituents(self, event: EventType) -> tuple[EventType, ...]:
        """Return the measured events that an event is computed of; itself if it is measured."""
        if event in self.measured:
            return (event,)
        above, budget = (event.name,), iter(range(_MAX_TERMS))
        sides = [
            self._sum_weights(side, above, budget)[0] for side in (event.formula, event.divisor)
        ]
        used = [any(weights) for weights in zip(*sides, strict=True)]
        return tuple(each for each, is_used in zip(self.measured, used, strict=True) if is_used)

    def _ratios(self, event: EventType, values: Int64Array) -> Float64Array:
        above, budget = (event.name,), iter(range(_MAX_TERMS))
        dividend = self._sum_weights(event.formula, above, budget)[0]
        divisor = self._sum_weights(event.divisor, above, budget)[0]
        scale = math.lcm(*(weight.denominator for weight in dividend + divisor))
        return _quotients(
            _weighted_sum(dividend, scale, values), _weighted_sum(divisor, scale, values)
        )


def _weighted_sum(weights: _Weights, scale: int, values: Int64Array) -> Int64Array:
    """Return exact weighted sums times the scale; Python integers if 64 bits may not suffice.

    The check leaves one spare bit, since rounding doubles a sum and adds the scale.
    """
    factors = [int(weight * scale) for weight in weights]
    terms = [(f, costs) for f, costs in zip(factors, values, strict=True) if f and costs.size]
    bound = sum(abs(f) * max(1, int(costs.max()), -int(costs.min())) for f, costs in terms)
    kind = object if 2 * bound + scale >= 1 << 63 else np.int64
    total = np.zeros(values.shape[1:], kind)
    for factor, costs in terms:
        total += factor * costs.astype(kind, copy=False)
    return total


def _quotients(dividend: Int64Array, divisor: Int64Array) -> Float64Array:
    """Divide element by element; each quotient is the nearest float or a neighbour of it."""
    quotients = np.full(dividend.shape, np.nan)
    if dividend.dtype == divisor.dtype == np.int64:
        np.divide(dividend, divisor, out=quotients, where=divisor != 0)
        return quotients
    for index in np.ndindex(quotients.shape):
        if divisor[index]:
            quotients[index] = _quotient(int(dividend[index]), int(divisor[index]))
    return quotients


def _quotient(dividend: int, divisor: int) -> float:
    try:
        return dividend / divisor
    except OverflowError:
        return math.inf if (dividend < 0) == (divisor < 0) else -math.inf


def as_number(cost: Any) -> int | float:
    """Convert an element of a `CostArray` to a Python number."""
    number: int | float = cost.item() if isinstance(cost, np.generic) else cost
    return number


def format_definition(event: EventType) -> str:
    """Format the definition of a derived event in the grammar of `parse_ratio`."""
    sum_ = format_formula(event.formula)
    return f"{sum_} / {format_formula(event.divisor)}" if event.is_ratio else sum_


def event_types(
    measured: Sequence[str], long_names: dict[str, str], formulas: Iterable[tuple[str, Formula]]
) -> EventTypes:
    """Build the event table of a profile; definitions of the file override the built-in ones.

    A derived event is available if at least one event of its formula is (KCachegrind's rule) and
    no measured event has its name. The built-in cycle estimate needs another one than Ir: without
    misses it would be the number of instructions by another name. That of gungraun needs all.
    """
    names = {**_LONG_NAMES, **{name: title for name, (title, _) in _BUILT_IN.items()}}
    names |= {name: title for name, title in long_names.items() if title}
    definitions = {name: formula for name, (_, formula) in _BUILT_IN.items()} | dict(formulas)
    candidates = {
        name: EventType(name, names.get(name, ""), formula) for name, formula in definitions.items()
    }
    basic = tuple(EventType(name, names.get(name, "")) for name in measured)
    return EventTypes(basic, _available(measured, candidates))


def _available(
    measured: Sequence[str], candidates: Mapping[str, EventType]
) -> tuple[EventType, ...]:
    """Return the derived events that depend, also indirectly, on a measured event.

    Both sides of a ratio must do so.
    """
    known, offered = set(measured), set(measured)
    before = -1
    while before < len(offered):
        before = len(offered)
        for name, event in candidates.items():
            sums = (event.formula, event.divisor) if event.is_ratio else (event.formula,)
            if name not in offered and all(_is_computable(terms, known) for terms in sums):
                offered.add(name)
                known |= set() if event.is_ratio else {name}
    offered -= set(measured)
    return tuple(event for name, event in candidates.items() if name in offered)


def _is_computable(formula: Formula, known: set[str]) -> bool:
    terms = {name for _, name in formula}
    if formula == _ESTIMATE_OF_HITS:
        return terms <= known
    if formula == _ESTIMATE:
        terms.remove("Ir")
    elif "Ir" in known and "CEst" in terms - known:
        return False  # the rest of the formula would mislead: CEst - Ir would be -Ir
    return not known.isdisjoint(terms)


def _parsed(definition: UserEvent) -> EventType | None:
    """Return the user's event; None if its formula is invalid, as one by older rules may be."""
    try:
        formula, divisor = parse_ratio(definition.formula)
    except FormulaError:
        return None
    return EventType(definition.name, definition.long_name, formula, divisor)


# ---------------------------------------------------------------- definitions by the user

_INVALID_IN_NAME = re.compile(r"[\s+*/-]")
_MAX_SUGGESTIONS = 3


def check_user_event(
    user_event: UserEvent, events: EventTypes, others: Iterable[UserEvent]
) -> None:
    """Raise `FormulaError`, with the first mistake and its remedy, if the event is invalid.

    `events` are those of the open profile, with or without the user's own; `others` are the user's
    other definitions. Formulas may use all of these names and those of Valgrind's tools, since a
    definition made for one profile can be edited while another is open. Without an open profile,
    every name is allowed.
    """
    others = tuple(others)
    _check_name(user_event, events, {other.name for other in others})
    formula, divisor = parse_ratio(user_event.formula)
    named = tuple(dict.fromkeys(name for _, name in formula + divisor))
    text = user_event.formula.strip()
    derived = _known_derived(user_event, events, others)
    if user_event.name in named:
        raise FormulaError(text, f"names {user_event.name} itself: leave it out.")
    _check_known(text, named, {*events.names, *derived, *_LONG_NAMES}, events)
    for name in named:
        if name in derived and derived[name].is_ratio:
            reason = f"adds up {name}, which is a ratio: write a sum of events in its place."
            raise FormulaError(text, reason)
    if path := _cycle_path(user_event.name, named, derived):
        reason = f"refers to itself: {' → '.join((user_event.name, *path))}. Leave {path[0]} out."
        raise FormulaError(text, reason)


def _check_name(definition: UserEvent, events: EventTypes, taken: set[str]) -> None:
    name = definition.name
    reason = _name_problem(name)
    if not reason and name in events.names:
        reason = "is that of a measured event: write another."
    elif not reason and name in taken:
        reason = "is that of another definition: write another, or change that definition."
    if reason:
        raise EventNameError(name, definition.formula, reason)


def _name_problem(name: str) -> str:
    """Return why formulas cannot use the name, with a remedy; empty if they can."""
    if not name.strip():
        return "is empty: write one by which formulas can name the event, such as MissRate."
    if match := _INVALID_IN_NAME.search(name):
        what = "a blank" if match[0].isspace() else f"the sign {match[0]}"
        better = re.sub(r"_+", "_", _INVALID_IN_NAME.sub("_", name)).strip("_")
        remedy = f"write {better}" if better else "write letters, digits and _"
        return f"has {what} in it, where formulas take a name to end: {remedy}."
    if not name.isprintable():
        return "has a character that cannot be seen: write letters, digits and _."
    if name[0].isdecimal():
        return "begins with a digit, which formulas take for a number: put a letter before it."
    return ""


def _known_derived(
    definition: UserEvent, events: EventTypes, others: Iterable[UserEvent]
) -> dict[str, EventType]:
    """Return the derived events that formulas may use: built-in, the profile's and the user's."""
    derived = {name: EventType(name, *of_name) for name, of_name in _BUILT_IN.items()}
    derived |= {event.name: event for event in events.derived}
    derived |= {event.name: event for event in map(_parsed, others) if event}
    taken = {*events.names, definition.name}
    return {name: event for name, event in derived.items() if name not in taken}


def _check_known(text: str, named: Iterable[str], known: set[str], events: EventTypes) -> None:
    unknown = [name for name in named if name not in known]
    if any(name.startswith("(") for name in unknown):
        reason = "has parentheses: leave them out, as all left of a slash is divided by all right"
        raise FormulaError(text, f"{reason} of it, and a factor is for one event.")
    if not unknown or not events.measured:
        return
    remedies = [_remedy(name, known) for name in unknown]
    examples = _join_words(events.names[:_MAX_SUGGESTIONS], "or")
    remedy = f"write {_join_words([r for r in remedies if r] or [examples], 'and')}."
    what = "which is not an event" if len(unknown) == 1 else "which are not events"
    raise FormulaError(text, f"names {_join_words(unknown, 'and')}, {what}: {remedy}")


def _remedy(name: str, known: set[str]) -> str:
    """Return the name that was probably meant; empty if none is similar."""
    terms = name.split("-")
    if len(terms) > 1 and known.issuperset(terms):
        return f"{' - '.join(terms)} with blanks"  # without blanks, a minus is part of a name
    from difflib import get_close_matches

    same = [other for other in sorted(known) if other.lower() == name.lower()]
    return next(iter(same or get_close_matches(name, sorted(known), 1)), "")


def _join_words(words: Iterable[str], last: str) -> str:
    """Join words as in a sentence: a, b and c."""
    *before, end = words
    return f"{', '.join(before)} {last} {end}" if before else end


def _cycle_path(
    name: str, named: Iterable[str], derived: Mapping[str, EventType]
) -> tuple[str, ...]:
    """Return the chain of events from one in `named` back to `name`; empty if there is none."""
    paths: list[tuple[str, ...]] = [(first,) for first in named if first in derived]
    seen = {path[0] for path in paths}
    for path in paths:  # breadth-first: the list grows during the loop
        event = derived[path[-1]]
        for _, term in event.formula + event.divisor:
            if term == name:
                return (*path, name)
            if term in derived and term not in seen:
                seen.add(term)
                paths.append((*path, term))
    return ()
