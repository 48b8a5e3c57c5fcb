"""Filters and rules: the language of the filter line and of gates, and its parser.

Terms are separated by blanks, and a function must match all of them:

    word  "two words"           the name contains the text, ignoring case
    ^word  word$  /reg ex/      the name matches the regular expression; a slash is written `\\/`
    name: class: file: lib:     prefix to any of these: search another text (object: means lib:)
    lib:=/usr/lib/libc.so       the text is exactly this
    self>1%  incl>=10k          self, incl or called, compared by < <= > >= = !=
    cycle:any  cycle:3          the function is a member of a recursion cycle
    is:unknown                  it is an address, or nameless, in an unknown object
    !term  -term                the function does not match the term
    fold:libc  only:lib:app     charges functions to their callers

In a comparison of two profiles, there are changes, too. A number with a sign is one:

    self>+5%                    the change in percent of the function's own value in the base
    incl<-1000                  the change itself
    self>+0.1%t                 the change in percent of the base's total
    is:new  is:gone             the function is in the new profile only, or in the base only
    is:moved  is:changed        its file differs, or its self or inclusive cost

A rule of a gate (`rules`) has two more:

    total>+1%  total>1g         the total cost of all functions
    Dw.self>+5%                 an event other than that of the report

What has the form `WORD:text` or `EVENT.WORD>NUMBER` is one of these terms or an error, so that no
slip is taken for a name. All else is a name, such as `bitset<64>`, `operator<`, `Foo->bar`, `a::b`
and `C:\\x`, and so is any text in quotes, in which a quote is doubled. `-` negates only before a
letter, quote, slash or `^`: `->` and `-1` are names.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction

import numpy as np

from qcachegrind_py.analysis.filters.conditions import (
    ChangeCondition,
    ChangeLimit,
    ChangeUnit,
    Condition,
    CostCondition,
    CostField,
    CycleCondition,
    Difference,
    DifferenceCondition,
    FilterSubject,
    Fold,
    FoldKind,
    TextCondition,
    TextField,
    TotalCondition,
    UnknownCondition,
    fold_of,
)
from qcachegrind_py.frozen import frozen
from qcachegrind_py.profile.errors import FilterError
from qcachegrind_py.profile.tables import BoolArray
from qcachegrind_py.visible_text import visible_text

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
_KEYED = re.compile(r"(\w+):([^:/\\].*)", re.DOTALL)
_FOLDS = [kind.value for kind in FoldKind]
_KEYS_OF_NO_NAMES = ("cycle", "is")
_ENDS_IN_NUMBER = re.compile(
    r"\S*(?:[<>=][+-]?[0-9][0-9_.]*(?:[kmg]|%t?)?|[+-][0-9][0-9_.]*%t?)|[<>=!]+|[0-9_.]*%t?",
    re.IGNORECASE,
)
_UNKNOWN = "unknown"
_CONNECTIVES = ("and", "or", "not", "&", "&&", "|", "||")
_IN_SHELLS = "In a shell, put rules in quotes: without them, > writes to a file."
_SURROGATES = re.compile("[\ud800-\udfff]")


@frozen(eq=True)
class Term:
    """One term of a filter or a rule: its text and its meaning.

    `event` is the name of the one it is about; None: that of the view or report.
    """

    text: str
    excluded: bool
    condition: Condition
    event: str | None = None

    @property
    def needs_base(self) -> bool:
        """Whether the term is about a change."""
        if isinstance(self.condition, TotalCondition):
            return self.condition.is_change
        return isinstance(self.condition, ChangeCondition | DifferenceCondition)


@frozen(eq=True)
class Language:
    """What terms can be about: changes where there is a base; in rules, totals and events by name.

    `events` are the names of those that exist; None: these are not known.
    """

    compares: bool = False
    is_rule: bool = False
    events: Sequence[str] | None = None


@frozen(eq=True)
class Filter:
    """A filter; a function must match all terms. Without terms it is false, and all pass."""

    text: str
    terms: tuple[Term, ...]
    folds: tuple[Fold, ...] = ()  # what is folded into its callers

    def __bool__(self) -> bool:
        return bool(self.terms)

    @property
    def is_set(self) -> bool:
        """Whether anything is filtered or folded."""
        return bool(self.terms or self.folds)

    @property
    def changes(self) -> tuple[Term, ...]:
        """The terms about changes, which need a base."""
        return tuple(term for term in self.terms if term.needs_base)

    def without_changes(self) -> Filter:
        """Return the filter for a profile that is not compared."""
        changes = self.changes
        if not changes:
            return self
        return replace(self, terms=tuple(term for term in self.terms if term not in changes))


NO_FILTER = Filter("", ())


def parse_filter(text: str, *, compares: bool = False) -> Filter:
    """Parse a filter; raise `FilterError`, with advice on the correct form, if it is invalid.

    Terms about changes are invalid unless the filter is for a comparison.
    """
    written, language = list(written_terms(text)), Language(compares=compares)
    terms = (parse_term(text, each, language) for each in written if not is_fold(each))
    folds = (_parse_fold(text, each) for each in written if is_fold(each))
    return Filter(text, tuple(terms), tuple(folds))


def matching_functions(filter_: Filter, subject: FilterSubject) -> BoolArray:
    """Return the mask of functions that pass the filter, shape (functions,).

    Raises `FilterError` for percentages of a total that is not positive.
    """
    passes = occurring(subject)
    for term in filter_.terms:
        with naming_term(filter_.text, term):
            passes &= term.condition.matches(subject) ^ term.excluded
    return passes


@contextmanager
def naming_term(text: str, term: Term) -> Iterator[None]:
    """Raise a `FilterError` that names the term of a text if the term cannot be checked."""
    try:
        yield
    except ValueError as error:
        raise FilterError(text, term.text, str(error)) from None


def occurring(subject: FilterSubject) -> BoolArray:
    """Return the mask of functions that are not folded, shape (functions,)."""
    return np.ones(len(subject.names), bool) if subject.is_folded is None else ~subject.is_folded


def with_term(text: str, term: str) -> str:
    """Add a term to the text of a filter, unless present, and remove its negation."""
    (written,) = written_terms(term)
    added = _meaning(written)
    meanings = {words[0]: _meaning(words) for words in written_terms(text)}
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
        shown = _in_quotes(shown)
    return f"{'!' if excluded else ''}{key}:={shown}"


def _in_quotes(text: str) -> str:
    """Return the term for functions whose name contains a text, whatever the text is."""
    return '"' + text.replace('"', '""') + '"'


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


def parse_term(text: str, written: WrittenTerm, language: Language) -> Term:
    """Parse a term of a text; raise `FilterError` if it is invalid, or a fold."""
    words, pieces = written
    if is_fold(written):
        raise FilterError(text, words, "a fold is no condition on functions.")
    try:
        condition, event = _parse_condition(pieces, language)
    except ValueError as error:
        raise _invalid(text, words, error) from None
    return Term(words, bool(pieces["sign"]), condition, event)


def _invalid(text: str, words: str, problem: ValueError) -> FilterError:
    if not isinstance(problem, _TermProblem):
        return FilterError(text, words, str(problem))
    of_term = {"word": problem.word, "suggestion": problem.suggestion}
    return FilterError(text, words, str(problem), **of_term)


def is_fold(written: WrittenTerm) -> bool:
    return bool(written[1]["fold"])


def _parse_fold(text: str, written: WrittenTerm) -> Fold:
    """Parse a fold of a text; raise `FilterError` if it is invalid."""
    words, pieces = written
    if pieces["sign"]:
        reason = "a fold is not negated: only:… folds all functions that do not match."
        raise FilterError(text, words, reason)
    try:
        condition, _ = _parse_condition(pieces, Language())
    except ValueError as error:
        raise _invalid(text, words, error) from None
    if not isinstance(condition, TextCondition | UnknownCondition):
        reason = f"functions are folded by their names, such as {pieces['fold']}:libc."
        raise FilterError(text, words, reason)
    return fold_of(words, pieces["fold"], condition, has_key=bool(pieces["key"]))


def parse_folds(text: str) -> tuple[Fold, ...]:
    """Parse a text that has nothing but folds, in which `libc` stands for `fold:libc`.

    Raises `FilterError` if it is invalid, or has no term.
    """
    folds = tuple(_parse_fold(text, _as_fold(written)) for written in written_terms(text))
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
        words = _in_quotes(words)
    (fold,) = written_terms(f"{sign}{FoldKind.FOLD.value}:{words}")
    return fold


def _meaning(written: WrittenTerm) -> tuple[bool, str, Condition | str]:
    """Return whether a term is negated, its kind of fold, and its condition, or an invalid text."""
    words, pieces = written
    is_negated, fold = bool(pieces["sign"]), (pieces["fold"] or "").lower()
    try:
        return is_negated, fold, _parse_condition(pieces, Language(compares=True))[0]
    except ValueError:
        return is_negated, fold, words.removeprefix(pieces["sign"] or "")


def _parse_condition(pieces: re.Match[str], language: Language) -> tuple[Condition, str | None]:
    """Return the condition of a term and its event; raise `ValueError` if it is invalid."""
    key, bare = pieces["key"], pieces["bare"]
    searched = _KEYS[key.lower()] if key else TextField.NAME
    if pieces["rest"]:
        raise ValueError('a blank comes after the closing ". A " in the text is written twice: "".')
    if pieces["quoted"] is not None:
        value = pieces["quoted"].replace('""', '"')
        return TextCondition(searched, value, bool(pieces["whole"])), None
    if pieces["pattern"] is not None:
        return TextCondition(searched, _compile_pattern(pieces["pattern"])), None
    if not bare:
        raise ValueError(f"after {pieces[0]} comes a text, such as {pieces[0]}{_example(key)}.")
    if pieces["whole"]:
        return TextCondition(searched, bare, is_exact=True), None
    if not key:
        try:
            special = _parse_special(bare, language, in_fold=bool(pieces["fold"]))
        except _UnknownWord as problem:
            reason = f"{problem} Quotes make it a name: {_in_quotes(bare)}."
            raise _TermProblem(reason, problem.word, problem.suggestion) from None
        if special is not None:
            return special
    anchored = bare.startswith("^") or bare.endswith("$")
    return TextCondition(searched, _compile_pattern(bare) if anchored else bare), None


def _parse_special(
    bare: str, language: Language, *, in_fold: bool
) -> tuple[Condition, str | None] | None:
    """Return the condition of a term that is no name, and its event; None for a name.

    Raises `_TermProblem` for what is neither.
    """
    events = language.events
    words = (*_COST_FIELDS, _TOTAL) if language.is_rule else tuple(_COST_FIELDS)
    if written := _comparison_of(bare, words, events or ()):
        event = written.event
        if event is not None and not language.is_rule:
            reason = f"a filter is of the event that is shown: write {bare[len(event) + 1 :]}."
            raise _TermProblem(reason, event)
        if event is not None and events is not None and event not in events:
            raise _unknown("event", event, events)
        return _parse_comparison(written, compares=language.compares), event
    keyed = _KEYED.fullmatch(bare)
    if keyed and not (in_fold and keyed[1].lower() not in _KEYS_OF_NO_NAMES):
        return _parse_keyed(keyed[1], keyed[2], words, language), None
    if language.is_rule:
        _check_name_in_rule(bare, words)
    return None


def _parse_keyed(word: str, value: str, words: Sequence[str], language: Language) -> Condition:
    match word.lower():
        case "cycle":
            return _parse_cycle(value)
        case "is":
            is_unknown = value.lower() == _UNKNOWN
            return UnknownCondition() if is_unknown else _parse_difference(value, language)
        case compared if compared in words:
            raise _TermProblem(f"a comparison follows {word}, such as {word}>1%.", f"{word}:")
    raise _unknown("key", word, (*_KEYS, *_FOLDS, *_KEYS_OF_NO_NAMES))


def _check_name_in_rule(bare: str, words: Sequence[str]) -> None:
    """Raise `_TermProblem` for a name that is more likely a slip: a rule must not pass for one."""
    if bare.lower().rpartition(".")[2] in words:
        raise _TermProblem(f"a comparison follows, such as {bare}>+1%. {_IN_SHELLS}", bare)
    if bare.lower() in _CONNECTIVES:
        reason = "all terms of a rule have to hold, and each --fail-if is a rule of its own."
        raise _TermProblem(f"{reason} Quotes make it a name: {_in_quotes(bare)}.", bare)
    if _ENDS_IN_NUMBER.fullmatch(bare):
        reason = "a comparison has a word, a sign and a number without blanks, such as self>+5%."
        raise _TermProblem(f"{reason} Quotes make it a name: {_in_quotes(bare)}.", bare)


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


def _parse_difference(word: str, language: Language) -> DifferenceCondition:
    words = [difference.value for difference in Difference] + [_UNKNOWN]
    if word.lower() not in words:
        near = _unknown("difference", word, words).suggestion
        names = f"{', '.join(words[:-1])} or {words[-1]}"
        raise _TermProblem(f"after is: comes {names}, such as is:{near or 'new'}.", word, near)
    if not language.compares:
        raise _TermProblem(f"is:{word} is about a change, which needs a base.")
    return DifferenceCondition(Difference(word.lower()))


# ---------------------------------------------------------------- terms that compare numbers

_SIGNS = ("<", "<=", ">", ">=", "=", "!=")
_COST_FIELDS = {compared.value: compared for compared in CostField}
_COST_FIELDS["inclusive"] = CostField.INCLUSIVE
_TOTAL = "total"

_SUFFIXES = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}
_MAX_DIGITS = 40
_NUMBER = re.compile(r"([+-]?)([0-9]+(?:_[0-9]+)*(?:\.[0-9]+)?)([kmg]?|%t?)", re.IGNORECASE)
# the event of the second may have signs, in which the first sees the number
_COMPARED = [
    re.compile(rf"(?:(?P<event>{event})\.(?=[^\W\d]))?(?P<word>\w+)(?P<rest>\W.*)", re.DOTALL)
    for event in (r"[^\s<>=]+", r"\S+")
]
_OTHER_SIGN = re.compile(rf"(?P<sign>[^\w\s.:'\"]+?)(?:{_NUMBER.pattern})", re.IGNORECASE)


class _TermProblem(ValueError):
    """Why a term is invalid, which word of it, and what may have been meant; both may be empty."""

    def __init__(self, reason: str, word: str = "", suggestion: str = "") -> None:
        self.word = word
        self.suggestion = suggestion
        super().__init__(reason)


class _UnknownWord(_TermProblem):
    """A text has the form of a term, with a word that none has."""


@frozen(eq=True)
class _Comparison:
    """The pieces of a term that compares a number, as they are written.

    The sign is one of `_SIGNS`.
    """

    event: str | None
    word: str
    sign: str
    number: str

    @property
    def start(self) -> str:
        """What is before the number."""
        return f"{self.event}.{self.word}{self.sign}" if self.event else f"{self.word}{self.sign}"


@frozen(eq=True)
class _WrittenNumber:
    """A number as it is written behind a comparison sign."""

    value: Fraction
    has_sign: bool
    unit: ChangeUnit


def _unknown(what: str, word: str, known: Sequence[str]) -> _UnknownWord:
    """Return that there is no such word, with the one that is spelled most alike, or with all."""
    from difflib import get_close_matches

    spellings = {each.lower(): each for each in known}
    near = get_close_matches(word.lower(), spellings, 1)
    if near:
        suggestion = spellings[near[0]]
        return _UnknownWord(
            f"unknown {what} “{word}”. Did you mean {suggestion}?", word, suggestion
        )
    return _UnknownWord(f"unknown {what} “{word}”. Known: {', '.join(known) or 'none'}.", word)


def _comparison_of(
    text: str, words: Sequence[str], events: Sequence[str] = ()
) -> _Comparison | None:
    """Return the pieces of a text that compares what one of the words means; None for a name.

    Raises `_UnknownWord` for a text that has the form of a comparison, with another word or sign.
    `events` are names of events, which may have been written in place of a word.
    """
    for form in _COMPARED:
        written = form.fullmatch(text)
        if written and (found := _comparison(written, words, events)):
            return found
    return None


def _comparison(
    written: re.Match[str], words: Sequence[str], events: Sequence[str]
) -> _Comparison | None:
    event, word, rest = written.group("event", "word", "rest")
    number = rest.lstrip("<>=!~")
    sign = rest.removesuffix(number)
    if word.lower() in words:
        if sign in _SIGNS:
            return _Comparison(event, word, sign, number)
        if not sign and (other := _OTHER_SIGN.fullmatch(rest)):
            sign = other["sign"]
        if sign:
            raise _unknown("comparison", sign, _SIGNS)
    elif set(sign) & set("<>=") and _parse_number(number) is not None:
        raise _unknown_word(event, word, rest, words, events)
    return None


def _unknown_word(
    event: str | None, word: str, rest: str, words: Sequence[str], events: Sequence[str]
) -> _UnknownWord:
    named = next((each for each in events if each.lower() == word.lower()), None)
    if named is not None and event is None:
        reason = f"“{word}” is an event: write {named}.self{rest} or {named}.{_TOTAL}{rest}."
        return _UnknownWord(reason, word, f"{named}.self")
    return _unknown("word", word, words)


def _parse_comparison(
    written: _Comparison, *, compares: bool
) -> CostCondition | ChangeCondition | TotalCondition:
    """Return the condition of a comparison; raise `_TermProblem` if its number is malformed.

    A number with a sign is a change, which only a comparison of profiles has.
    """
    number, field = _parse_number(written.number), _COST_FIELDS.get(written.word.lower())
    such = _comparison_examples(field, written.start, compares=compares)
    if number is None:
        raise _TermProblem(f"after {written.sign} comes a number, {such}", written.number)
    if number.has_sign and not compares:
        raise _TermProblem("a number with a sign is a change, which needs a base.", written.number)
    limit = ChangeLimit(written.sign, number.value, number.unit)
    is_count = number.unit is ChangeUnit.COUNT
    if field is None:
        if not is_count and not number.has_sign:
            raise _TermProblem(f"after {written.sign} comes a number, {such}", written.number)
        return TotalCondition(limit, number.has_sign)
    if field is CostField.CALLED and written.event:
        raise _TermProblem("calls are of no event: write called without one.", written.event)
    if field is CostField.CALLED and number.unit is ChangeUnit.TOTAL:
        raise _TermProblem(f"calls are counted, and have no total: write a number, {such}")
    if number.has_sign:
        return ChangeCondition(field, limit)
    if field is CostField.CALLED and not is_count:
        raise _TermProblem(f"calls are counted, and have no percentage: write a number, {such}")
    return CostCondition(field, written.sign, number.value, not is_count)


def _parse_number(text: str) -> _WrittenNumber | None:
    """Return the number that a text is; None if it is none."""
    match = _NUMBER.fullmatch(text)
    if match is None or len(text) > _MAX_DIGITS:
        return None
    sign, digits, suffix = match.groups()
    value = Fraction(digits.replace("_", "")) * (-1 if sign == "-" else 1)
    unit = suffix.lower() if "%" in suffix else ""
    return _WrittenNumber(value * _SUFFIXES.get(suffix.lower(), 1), bool(sign), ChangeUnit(unit))


def _comparison_examples(field: CostField | None, start: str, *, compares: bool) -> str:
    if field is None:
        return f"such as {start}+1% for a change, or {start}10m for what it is now."
    if compares:
        return f"such as {start}+5% for a change, or {start}10k for what it is now."
    example = "1000" if field is CostField.CALLED else "1%"
    return f"such as {start}{example} or {start}10k."
