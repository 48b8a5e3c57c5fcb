"""Filter expressions: the language of the filter line, its parser and its evaluation.

Terms are separated by blanks, and a function must match all of them:

    word  "two words"           the name contains the text, ignoring case
    ^word  word$  /reg ex/      the name matches the regular expression; a slash is written `\\/`
    name: class: file: lib:     prefix to any of these: search another text (object: means lib:)
    lib:=/usr/lib/libc.so       the text is exactly this
    self>1%  incl>=10k          self, incl or called, compared by < <= > >= =
    cycle:any  cycle:3          the function is a member of a recursion cycle
    !term  -term                the function does not match the term
    fold:libc  only:lib:app     charges functions to their callers (`folds`)

In a comparison of two profiles, signed numbers are changes, others are of the new one:

    self>+5%                    the change in percent of the function's own value in the base
    incl<-1000                  the change itself
    self>+0.1%t                 the change in percent of the base's total
    is:new  is:gone             the function is in the new profile only, or in the base only
    is:moved  is:changed        its file differs, or its self or inclusive cost

A quote inside quotes is doubled. `-` negates only before a letter, quote, slash or `^`: `->` and
`-1` are words, as are `a:b` and `lib::f`, which have no key.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from qcachegrind_py.analysis.filters.changes import Difference, DifferenceCondition, needs_base
from qcachegrind_py.analysis.filters.conditions import (
    Condition,
    CycleCondition,
    TextCondition,
    TextField,
)
from qcachegrind_py.analysis.filters.folds import Fold, FoldKind, fold_of
from qcachegrind_py.analysis.filters.number_terms import COMPARISON_SIGNS, COST_FIELDS, parse_cost
from qcachegrind_py.analysis.filters.subject import FilterSubject
from qcachegrind_py.profile.errors import FilterError
from qcachegrind_py.profile.tables import BoolArray
from qcachegrind_py.visible_text import visible_text

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

_TERM = re.compile(
    r"""(?P<sign> ! | -(?=[^\W\d]|["/^]) )?
        (?: (?P<fold> fold|only|collapse ) : (?!:) )?
        (?: (?P<key> name|class|file|lib|object ) : (?!:) (?P<whole>=)? )?
        (?: "(?P<quoted> (?:[^"]|"")*+ ) (?: (?P<closed>") (?P<rest>\S*) | $ )
          | (?(whole)(?!) | /(?P<pattern> (?:\\.|[^\\/])++ )/ (?!\S) )
          | (?P<bare> \S* ) )""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
_COMPARISON = re.compile(rf"({'|'.join(COST_FIELDS)})({COMPARISON_SIGNS})(.*)", re.IGNORECASE)
_CYCLE = re.compile(r"cycle:(?!:)(.*)", re.IGNORECASE)
_DIFFERENCE = re.compile(r"is:(?!:)(.*)", re.IGNORECASE)
_SURROGATES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Term:
    """One term of a filter: its text and its meaning."""

    text: str
    excluded: bool
    condition: Condition


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter; a function must match all terms. Without terms it is false, and all pass."""

    text: str
    terms: tuple[Term, ...]
    folds: tuple[Fold, ...] = ()  # what is charged to its callers

    def __bool__(self) -> bool:
        return bool(self.terms)

    @property
    def changes(self) -> tuple[Term, ...]:
        """The terms about changes, which need a base."""
        return tuple(term for term in self.terms if needs_base(term.condition))

    def without_changes(self) -> Filter:
        """Return the filter for a profile that is not compared."""
        changes = self.changes
        if not changes:
            return self
        return replace(self, terms=tuple(term for term in self.terms if term not in changes))


NO_FILTER = Filter("", ())


def parse_filter(text: str, *, compares: bool = False) -> Filter:
    """Parse a filter; raise `FilterError`, with advice on the correct form, if it is invalid.

    The terms of comparisons have their meaning only if the filter is for one.
    """
    written = list(written_terms(text))
    terms = (parse_term(text, each, compares=compares) for each in written if not is_fold(each))
    folds = (parse_fold(text, each) for each in written if is_fold(each))
    return Filter(text, tuple(terms), tuple(folds))


def matching_functions(filter_: Filter, subject: FilterSubject) -> BoolArray:
    """Return the mask of functions that pass the filter, shape (functions,)."""
    passes = occurring(subject)
    for term in filter_.terms:
        passes &= term.condition.matches(subject) ^ term.excluded
    return passes


def occurring(subject: FilterSubject) -> BoolArray:
    """Return the mask of functions that are not folded, shape (functions,)."""
    return np.ones(len(subject.names), bool) if subject.is_folded is None else ~subject.is_folded


def with_term(text: str, term: str) -> str:
    """Add a term to the text of a filter, unless present, and remove its negation."""
    (written,) = written_terms(term)
    added = _parse_term(written)
    meanings = {words[0]: _parse_term(words) for words in written_terms(text)}
    opposite = (not added[0], *added[1:])
    terms = [words for words, meaning in meanings.items() if meaning != opposite]
    if added not in meanings.values():
        terms.append(written[0])
    return " ".join(terms)


def without_term(text: str, term: str) -> str:
    """Remove a term, as it is written, from the text of a filter."""
    return " ".join(words for words, _ in written_terms(text) if words != term)


def quoted(key: str, value: str, *, excluded: bool = False) -> str:
    """Return the term for functions with exactly this `name`, `class`, `file` or `lib`."""
    shown = visible_text(value)
    if not shown or shown.startswith('"') or re.search(r"\s", shown):
        shown = '"' + shown.replace('"', '""') + '"'
    return f"{'!' if excluded else ''}{key}:={shown}"


WrittenTerm = tuple[str, re.Match[str]]  # the text of a term and its match of `_TERM`


def written_terms(text: str) -> Iterator[WrittenTerm]:
    """Split a filter into terms, closing the quote of the last one if necessary."""
    text = _SURROGATES.sub("\ufffd", text)  # lone surrogates may be pasted, but occur in no name
    position = 0
    while (position := _skip_blanks(text, position)) < len(text):
        written = _TERM.match(text, position)
        assert written is not None  # any text matches
        is_open = written["quoted"] is not None and not written["closed"]
        yield written[0] + '"' * is_open, written
        position = written.end()


def _skip_blanks(text: str, position: int) -> int:
    while position < len(text) and text[position].isspace():
        position += 1
    return position


def parse_term(text: str, written: WrittenTerm, *, compares: bool) -> Term:
    """Parse a term of a text; raise `FilterError` if it is invalid, or a fold."""
    words, pieces = written
    if is_fold(written):
        raise FilterError(text, words, "a fold is no condition on functions.")
    try:
        return Term(words, bool(pieces["sign"]), _parse_condition(pieces, compares=compares))
    except ValueError as error:
        raise FilterError(text, words, str(error)) from None


def is_fold(written: WrittenTerm) -> bool:
    """Return whether a term is a fold, and no condition."""
    return bool(written[1]["fold"])


def parse_fold(text: str, written: WrittenTerm) -> Fold:
    """Parse a fold of a text; raise `FilterError` if it is invalid."""
    words, pieces = written
    if pieces["sign"]:
        reason = "a fold is not negated: only:… folds all functions that do not match."
        raise FilterError(text, words, reason)
    try:
        condition = _parse_condition(pieces, compares=False)
    except ValueError as error:
        raise FilterError(text, words, str(error)) from None
    if not isinstance(condition, TextCondition):
        reason = f"functions are folded by their names, such as {pieces['fold']}:libc."
        raise FilterError(text, words, reason)
    return fold_of(words, pieces["fold"], condition, has_key=bool(pieces["key"]))


def parse_folds(text: str) -> tuple[Fold, ...]:
    """Parse a text that has nothing but folds, in which `libc` stands for `fold:libc`.

    Raises `FilterError` if it is invalid, or has no term.
    """
    folds = tuple(parse_fold(text, _as_fold(written)) for written in written_terms(text))
    if not folds:
        raise FilterError(text, text, "a term comes here, such as libc or only:lib:app.")
    return folds


def _as_fold(written: WrittenTerm) -> WrittenTerm:
    """Return a term as a fold, if it has no such key."""
    if is_fold(written):
        return written
    sign = written[1]["sign"] or ""
    words = written[0].removeprefix(sign)
    if words.startswith(":"):  # `fold::x` is a word
        words = '"' + words.replace('"', '""') + '"'
    (fold,) = written_terms(f"{sign}{FoldKind.FOLD.value}:{words}")
    return fold


def _parse_term(written: WrittenTerm) -> tuple[bool, str, Condition | str]:
    """Return whether a term is negated, its kind of fold, and its condition, or an invalid text."""
    words, pieces = written
    is_negated, fold = bool(pieces["sign"]), (pieces["fold"] or "").lower()
    try:
        return is_negated, fold, _parse_condition(pieces, compares=True)
    except ValueError:
        return is_negated, fold, words.removeprefix(pieces["sign"] or "")


def _parse_condition(pieces: re.Match[str], *, compares: bool) -> Condition:
    """Return the condition of a term; raise `ValueError` with the reason if it is invalid."""
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
        return parse_cost(*comparison.groups(), compares=compares)
    if not key and (cycle := _CYCLE.fullmatch(bare)):
        return _parse_cycle(cycle[1])
    if compares and not key and (difference := _DIFFERENCE.fullmatch(bare)):
        return _parse_difference(difference[1])
    anchored = bare.startswith("^") or bare.endswith("$")
    return TextCondition(searched, _compile_pattern(bare) if anchored else bare)


def _example(key: str | None) -> str:
    return {"class": "std::string", "file": "main.c", "lib": "libc", "object": "libc"}.get(
        (key or "").lower(), "main"
    )


def _compile_pattern(pattern: str) -> re.Pattern[str]:
    try:
        with warnings.catch_warnings():  # of syntax that may change in a later Python
            warnings.simplefilter("ignore")
            return re.compile(pattern, re.IGNORECASE | re.MULTILINE)
    except (re.error, OverflowError, RecursionError) as error:
        reason = f"this is not a regular expression: {error}."
        raise ValueError(f'{reason} Plain text is written in quotes: "…".') from None


def _parse_cycle(number: str) -> CycleCondition:
    if number.lower() == "any":
        return CycleCondition(None)
    if not re.fullmatch("[0-9]{1,18}", number):
        reason = "after cycle: comes any or the number of a cycle, such as cycle:any or cycle:1."
        raise ValueError(reason)
    return CycleCondition(int(number))


def _parse_difference(word: str) -> DifferenceCondition:
    try:
        return DifferenceCondition(Difference(word.lower()))
    except ValueError:
        words = [difference.value for difference in Difference]
        names = f"{', '.join(words[:-1])} or {words[-1]}"
        raise ValueError(f"after is: comes {names}, such as is:new.") from None
