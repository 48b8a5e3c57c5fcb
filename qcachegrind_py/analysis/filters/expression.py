"""The filter of the window: a line of text as a value, and which functions pass it.

Terms are divided by blanks, and all must hold:

    word  "two words"           the name contains it, in upper or lower case
    ^word  word$  /reg ex/      the name fits the regular expression; a slash in it is `\\/`
    name: class: file: lib:     before any of these: another text than the name (object: is lib:)
    lib:=/usr/lib/libc.so       the text is exactly this
    self>1%  incl>=10k          self, incl or called, compared by < <= > >= =
    cycle:any  cycle:3          the function is a member of a recursion cycle
    !term  -term                it is not so

A quote in quotes is written twice. `-` excludes only where a letter, quote, slash or `^` follows:
`->` and `-1` are words, and so are `a:b` and `lib::f`, which are no keys.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from qcachegrind_py.analysis.filters.conditions import (
    Condition,
    CostCondition,
    CostField,
    CycleCondition,
    FilterSubject,
    TextCondition,
    TextField,
)
from qcachegrind_py.profile.errors import FilterError
from qcachegrind_py.profile.string_table import to_display
from qcachegrind_py.profile.tables import BoolArray

__all__ = [
    "Filter",
    "FilterSubject",
    "Term",
    "matching_functions",
    "parse_filter",
    "quoted",
    "with_term",
]

_KEYS = {searched.value: searched for searched in TextField} | {"object": TextField.OBJECT}
_COST_FIELDS = {compared.value: compared for compared in CostField}
_COST_FIELDS["inclusive"] = CostField.INCLUSIVE
_SUFFIXES = {"": 1, "%": 1, "k": 10**3, "m": 10**6, "g": 10**9}
_MAX_DIGITS = 40

_TERM = re.compile(
    r"""(?P<sign> ! | -(?=[^\W\d]|["/^]) )?
        (?: (?P<key> name|class|file|lib|object ) : (?!:) (?P<whole>=)? )?
        (?: "(?P<quoted> (?:[^"]|"")*+ ) (?: (?P<closed>") (?P<rest>\S*) | $ )
          | (?(whole)(?!) | /(?P<pattern> (?:\\.|[^\\/])++ )/ (?!\S) )
          | (?P<bare> \S* ) )""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
_COMPARISON = re.compile(r"(self|incl|inclusive|called)(<=|>=|<|>|=)(.*)", re.IGNORECASE)
_NUMBER = re.compile(r"([+-]?[0-9]+(?:_[0-9]+)*(?:\.[0-9]+)?)([kmg%]?)", re.IGNORECASE)
_CYCLE = re.compile(r"cycle:(?!:)(.*)", re.IGNORECASE)
_SURROGATES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Term:
    """One condition, as it was written and as it was understood."""

    text: str
    excluded: bool
    condition: Condition


@dataclass(frozen=True, slots=True)
class Filter:
    """All terms must hold; without any, it is false and lets every function pass."""

    text: str
    terms: tuple[Term, ...]

    def __bool__(self) -> bool:
        return bool(self.terms)


NO_FILTER = Filter("", ())


def parse_filter(text: str) -> Filter:
    """The filter that the text describes; raises `FilterError` that says how to write it right."""
    return Filter(text, tuple(_term(text, written) for written in _split(text)))


def matching_functions(filter_: Filter, subject: FilterSubject) -> BoolArray:
    """Which functions pass the filter."""
    passing = np.ones(len(subject.names), bool)
    for term in filter_.terms:
        passing &= term.condition.matches(subject) ^ term.excluded
    return passing


def with_term(text: str, term: str) -> str:
    """The filter's text with one term more, unless it has that, and without its opposite."""
    (written,) = _split(term)
    added = _parse_term(written)
    meanings = {words[0]: _parse_term(words) for words in _split(text)}
    opposite = (not added[0], added[1])
    kept = [words for words, meaning in meanings.items() if meaning != opposite]
    if added not in meanings.values():
        kept.append(written[0])
    return " ".join(kept)


def quoted(key: str, value: str, *, excluded: bool = False) -> str:
    """A term for the functions with exactly this `name`, `class`, `file` or `lib`."""
    shown = to_display(value)
    if not shown or shown.startswith('"') or re.search(r"\s", shown):
        shown = '"' + shown.replace('"', '""') + '"'
    return f"{'!' if excluded else ''}{key}:={shown}"


WrittenTerm = tuple[str, re.Match[str]]  # a term's text, and its pieces


def _split(text: str) -> Iterator[WrittenTerm]:
    """The terms as they are written; the last one's quote is closed."""
    text = _SURROGATES.sub("\ufffd", text)  # pasted halves of characters, which are in no name
    at = 0
    while (at := _skip_blanks(text, at)) < len(text):
        written = _TERM.match(text, at)
        assert written is not None  # any text fits
        is_open = written["quoted"] is not None and not written["closed"]
        yield written[0] + '"' * is_open, written
        at = written.end()


def _skip_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _term(text: str, written: WrittenTerm) -> Term:
    """What the term means."""
    words, pieces = written
    try:
        return Term(words, bool(pieces["sign"]), _parse_condition(pieces))
    except ValueError as error:
        raise FilterError(text, words, str(error)) from None


def _parse_term(written: WrittenTerm) -> tuple[bool, Condition | str]:
    """Whether a term excludes, and what; of one that cannot be understood, its text."""
    words, pieces = written
    try:
        return bool(pieces["sign"]), _parse_condition(pieces)
    except ValueError:
        return bool(pieces["sign"]), words.removeprefix(pieces["sign"] or "")


def _parse_condition(pieces: re.Match[str]) -> Condition:
    """The condition of a term; raises `ValueError` with the reason."""
    key, bare = pieces["key"], pieces["bare"]
    searched = _KEYS[key.lower()] if key else TextField.NAME
    if pieces["rest"]:
        raise ValueError('a blank comes after the closing ". A " in the text is written twice: "".')
    if pieces["quoted"] is not None:
        value = pieces["quoted"].replace('""', '"')
        return TextCondition(searched, value, bool(pieces["whole"]))
    if pieces["pattern"] is not None:
        return TextCondition(searched, _compile_pattern(pieces["pattern"]))
    if not bare:
        raise ValueError(f"after {pieces[0]} comes a text, such as {pieces[0]}{_example(key)}.")
    if pieces["whole"]:
        return TextCondition(searched, bare, is_exact=True)
    if not key and (comparison := _COMPARISON.fullmatch(bare)):
        return _parse_comparison(*comparison.groups())
    if not key and (cycle := _CYCLE.fullmatch(bare)):
        return _parse_cycle(cycle[1])
    anchored = bare.startswith("^") or bare.endswith("$")
    return TextCondition(searched, _compile_pattern(bare) if anchored else bare)


def _example(key: str | None) -> str:
    return {"class": "std::string", "file": "main.c", "lib": "libc", "object": "libc"}.get(
        (key or "").lower(), "main"
    )


def _compile_pattern(pattern: str) -> re.Pattern[str]:
    try:
        with warnings.catch_warnings():  # of what may mean something else in a later Python
            warnings.simplefilter("ignore")
            return re.compile(pattern, re.IGNORECASE | re.MULTILINE)
    except (re.error, OverflowError, RecursionError) as error:
        reason = f"this is no regular expression: {error}."
        raise ValueError(f'{reason} Plain text is written in quotes: "…".') from None


def _parse_comparison(name: str, sign: str, number: str) -> CostCondition:
    quantity = _COST_FIELDS[name.lower()]
    example = "1000" if quantity is CostField.CALLED else "1%"
    such = f"such as {name}{sign}{example} or {name}{sign}10k."
    found = _NUMBER.fullmatch(number)
    if found is None or len(number) > _MAX_DIGITS:
        raise ValueError(f"after {sign} comes a number, {such}")
    if found[2] == "%" and quantity is CostField.CALLED:
        raise ValueError(f"calls are counted, and have no percentage: write a number, {such}")
    value = Fraction(found[1].replace("_", "")) * _SUFFIXES[found[2].lower()]
    return CostCondition(quantity, sign, value, is_percentage=found[2] == "%")


def _parse_cycle(number: str) -> CycleCondition:
    if number.lower() == "any":
        return CycleCondition(None)
    if not re.fullmatch("[0-9]{1,18}", number):
        reason = "after cycle: comes any or the number of a cycle, such as cycle:any or cycle:1."
        raise ValueError(reason)
    return CycleCondition(int(number))
