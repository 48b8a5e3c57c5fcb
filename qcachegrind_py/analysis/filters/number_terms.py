"""Terms that compare numbers: `self>1%`, `incl>=10k`, `total!=0`, and the change `Dw.self>+5%`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction

from qcachegrind_py.analysis.filters.changes import (
    ChangeCondition,
    ChangeLimit,
    ChangeUnit,
    TotalCondition,
)
from qcachegrind_py.analysis.filters.conditions import CostCondition
from qcachegrind_py.analysis.filters.subject import CostField

SIGNS = ("<", "<=", ">", ">=", "=", "!=")
COST_FIELDS = {compared.value: compared for compared in CostField}
COST_FIELDS["inclusive"] = CostField.INCLUSIVE
TOTAL = "total"

_SUFFIXES = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}
_MAX_DIGITS = 40
_NUMBER = re.compile(r"([+-]?)([0-9]+(?:_[0-9]+)*(?:\.[0-9]+)?)([kmg]?|%t?)", re.IGNORECASE)
# the event of the second may have signs, in which the first sees the number
_COMPARED = [
    re.compile(rf"(?:(?P<event>{event})\.(?=[^\W\d]))?(?P<word>\w+)(?P<rest>\W.*)", re.DOTALL)
    for event in (r"[^\s<>=]+", r"\S+")
]
_OTHER_SIGN = re.compile(rf"(?P<sign>[^\w\s.:'\"]+?)(?:{_NUMBER.pattern})", re.IGNORECASE)


class TermProblem(ValueError):
    """Why a term is invalid, which word of it, and what may have been meant; both may be empty."""

    def __init__(self, reason: str, word: str = "", suggestion: str = "") -> None:
        self.word = word
        self.suggestion = suggestion
        super().__init__(reason)


class UnknownWord(TermProblem):
    """A text has the form of a term, with a word that none has."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """The pieces of a term that compares a number, as they are written.

    The sign is one of `SIGNS`.
    """

    event: str | None
    word: str
    sign: str
    number: str

    @property
    def start(self) -> str:
        """What is before the number."""
        return f"{self.event}.{self.word}{self.sign}" if self.event else f"{self.word}{self.sign}"


@dataclass(frozen=True, slots=True)
class WrittenNumber:
    """A number as it is written behind a comparison sign."""

    value: Fraction
    has_sign: bool
    unit: ChangeUnit


def unknown(what: str, word: str, known: Sequence[str]) -> UnknownWord:
    """Return that there is no such word, with the one that is spelled most alike, or with all."""
    spellings = {each.lower(): each for each in known}
    near = get_close_matches(word.lower(), spellings, 1)
    if near:
        suggestion = spellings[near[0]]
        return UnknownWord(f"unknown {what} “{word}”. Did you mean {suggestion}?", word, suggestion)
    return UnknownWord(f"unknown {what} “{word}”. Known: {', '.join(known) or 'none'}.", word)


def comparison_of(text: str, words: Sequence[str], events: Sequence[str] = ()) -> Comparison | None:
    """Return the pieces of a text that compares what one of the words means; None for a name.

    Raises `UnknownWord` for a text that has the form of a comparison, with another word or sign.
    `events` are names of events, which may have been written in place of a word.
    """
    for form in _COMPARED:
        written = form.fullmatch(text)
        if written and (found := _comparison(written, words, events)):
            return found
    return None


def _comparison(
    written: re.Match[str], words: Sequence[str], events: Sequence[str]
) -> Comparison | None:
    event, word, rest = written.group("event", "word", "rest")
    number = rest.lstrip("<>=!~")
    sign = rest.removesuffix(number)
    if word.lower() in words:
        if sign in SIGNS:
            return Comparison(event, word, sign, number)
        if not sign and (other := _OTHER_SIGN.fullmatch(rest)):
            sign = other["sign"]
        if sign:
            raise unknown("comparison", sign, SIGNS)
    elif set(sign) & set("<>=") and is_number(number):
        raise _unknown_word(event, word, rest, words, events)
    return None


def _unknown_word(
    event: str | None, word: str, rest: str, words: Sequence[str], events: Sequence[str]
) -> UnknownWord:
    named = next((each for each in events if each.lower() == word.lower()), None)
    if named is not None and event is None:
        reason = f"“{word}” is an event: write {named}.self{rest} or {named}.{TOTAL}{rest}."
        return UnknownWord(reason, word, f"{named}.self")
    return unknown("word", word, words)


def parse_comparison(
    written: Comparison, *, compares: bool
) -> CostCondition | ChangeCondition | TotalCondition:
    """Return the condition of a comparison; raise `TermProblem` if its number is malformed.

    A number with a sign is a change, which only a comparison of profiles has.
    """
    number, field = _parse_number(written.number), COST_FIELDS.get(written.word.lower())
    such = _examples(field, written.start, compares=compares)
    if number is None:
        raise TermProblem(f"after {written.sign} comes a number, {such}", written.number)
    if number.has_sign and not compares:
        raise TermProblem("a number with a sign is a change, which needs a base.", written.number)
    limit = ChangeLimit(written.sign, number.value, number.unit)
    is_count = number.unit is ChangeUnit.COUNT
    if field is None:
        if not is_count and not number.has_sign:
            raise TermProblem(f"after {written.sign} comes a number, {such}", written.number)
        return TotalCondition(limit, number.has_sign)
    if field is CostField.CALLED and written.event:
        raise TermProblem("calls are of no event: write called without one.", written.event)
    if field is CostField.CALLED and number.unit is ChangeUnit.TOTAL:
        raise TermProblem(f"calls are counted, and have no total: write a number, {such}")
    if number.has_sign:
        return ChangeCondition(field, limit)
    if field is CostField.CALLED and not is_count:
        raise TermProblem(f"calls are counted, and have no percentage: write a number, {such}")
    return CostCondition(field, written.sign, number.value, not is_count)


def is_number(text: str) -> bool:
    """Return whether a text is a number with its unit."""
    return _parse_number(text) is not None


def _parse_number(text: str) -> WrittenNumber | None:
    """Return the number that a text is; None if it is none."""
    match = _NUMBER.fullmatch(text)
    if match is None or len(text) > _MAX_DIGITS:
        return None
    sign, digits, suffix = match.groups()
    value = Fraction(digits.replace("_", "")) * (-1 if sign == "-" else 1)
    unit = suffix.lower() if "%" in suffix else ""
    return WrittenNumber(value * _SUFFIXES.get(suffix.lower(), 1), bool(sign), ChangeUnit(unit))


def _examples(field: CostField | None, start: str, *, compares: bool) -> str:
    if field is None:
        return f"such as {start}+1% for a change, or {start}10m for what it is now."
    if compares:
        return f"such as {start}+5% for a change, or {start}10k for what it is now."
    example = "1000" if field is CostField.CALLED else "1%"
    return f"such as {start}{example} or {start}10k."
