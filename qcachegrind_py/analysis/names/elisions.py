"""Names and locations in less room than they need: what is left out first, and what stays.

Of `ns::Map<int>::find(Key const&) const`, the parameters are left out first, then the template
arguments, then the scope: `…::find(…) const`. The function's own name stays as long as it fits by
itself. In a name with its callers, as callgrind writes `f(int)'g(char)'main`, the callers are cut
from their end before the scope is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from qcachegrind_py.analysis.names.class_names import CLOSING, OPERATOR

ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
_KEPT_OF_OBJECT = 6  # characters: `ld…so.2`
_KEPT_END_OF_OBJECT = 4

_TOKEN = re.compile(
    rf"(?P<operator>{OPERATOR})"
    r"|(?P<skip>\(anonymous [^()]*\)|\(below main\)|->|<=>| <<? |'[<>()\[\]{}]'|::'[\w ]+')"
    r"|(?P<open>[(<\[{])|(?P<close>[)>\]}])"
    r"|(?P<scope>::)|(?P<blank> (?=[^\[<]))|(?P<caller>'(?=.)(?!\d+(?:['\s]|$)))",
)
_BEFORE_LISTS = {"(": "_$>]}'", "<": "_$)]}>:"}  # besides letters and digits
_SCOPE_BEGIN = re.compile("::| ")
_BRACKET = re.compile(r"[(<\[{)>\]}]")
_SUFFIX = re.compile(r"(?: <cycle \d+>)?(?:  ↻)?$")


@dataclass(frozen=True, slots=True)
class FittedName:
    """A name as it is shown, of which the callers can be told from the rest."""

    text: str
    callers_begin: int  # position in `text`; equals `callers_end` if there are none
    callers_end: int


@dataclass(frozen=True, slots=True)
class _Bracket:
    """An open bracket."""

    sign: str
    begin: int  # of its content
    is_list: bool  # of parameters or template arguments


@dataclass(slots=True)
class _Parts:
    """Positions in a name."""

    end: int  # of the name, without a suffix such as ` <cycle 1>`
    own_begin: int = 0  # of the function's own name
    callers_begin: int = -1
    parameters: list[tuple[int, int]] = field(default_factory=list)  # without brackets
    arguments: list[tuple[int, int]] = field(default_factory=list)  # of templates

    @property
    def own_end(self) -> int:
        """The end of the function's own name, without its arguments and parameters."""
        lists = [*self.parameters, *self.arguments]
        ends = [self.callers_begin, *(begin - 1 for begin, _ in lists)]
        return min((end for end in ends if end > self.own_begin), default=self.end)


def fitted_name(name: str, fits: Callable[[str], bool]) -> FittedName:
    """Return as much of the name as fits, in the order of importance.

    `fits` tells whether a text has enough room. If not even the function's own name does, it is
    returned nevertheless, to be cut by the caller.
    """
    text, parts = name, _parts(name)
    while not fits(text):
        span = next(_spans(text, parts), None)
        if span is None:
            own = text[parts.own_begin : parts.own_end]
            return FittedName(own, len(own), len(own))
        text = _squeezed(text, *span, fits)
        parts = _parts(text)
    begin = parts.callers_begin
    return FittedName(text, begin if begin >= 0 else parts.end, parts.end)


def _spans(text: str, parts: _Parts) -> Iterator[tuple[int, int, bool]]:
    """Yield what is left out, in order: begin, end, and whether its end is kept longest."""
    lists = [*reversed(parts.parameters), *parts.arguments]
    spans = [(begin, end, False) for begin, end in lists]
    if parts.callers_begin >= 0:
        spans.append((parts.callers_begin + 1, parts.end, False))
    spans.append((0, parts.own_begin, True))
    for begin, end, keeps_end in spans:
        if end - begin > 1:  # else it is nothing, or an ellipsis
            yield begin, end, keeps_end


def _squeezed(text: str, begin: int, end: int, keeps_end: bool, fits: Callable[[str], bool]) -> str:
    """Return the text with as much of a span as fits, and an ellipsis for the rest."""

    def with_kept(count: int) -> str:
        if keeps_end:
            inside = ELLIPSIS + _from_a_scope(text[end - count : end])
        else:
            inside = _balanced(text[begin : begin + count]) + ELLIPSIS
        return text[:begin] + inside + text[end:]

    return with_kept(_largest(end - begin - 1, lambda count: fits(with_kept(count))))


def _from_a_scope(end: str) -> str:
    """Return the part of the end of a scope that begins with `::` or behind a blank."""
    begin = _SCOPE_BEGIN.search(end)
    return end[begin.end() if begin[0] == " " else begin.start() :] if begin else ""


def _balanced(begin: str) -> str:
    """Return the begin of a list up to the first bracket that stays open in it."""
    opened: list[int] = []
    for bracket in _BRACKET.finditer(begin):
        if bracket[0] in CLOSING:
            del opened[-1:]
        else:
            opened.append(bracket.start())
    return begin[: opened[0]] if opened else begin


def _largest(most: int, is_possible: Callable[[int], bool]) -> int:
    """Return the largest possible number up to `most`; 0 if none is."""
    least, beyond = 0, most + 1
    while beyond - least > 1:
        middle = (least + beyond) // 2
        if is_possible(middle):
            least = middle
        else:
            beyond = middle
    return least


def _parts(name: str) -> _Parts:
    """Find the parts of a name; a name with unbalanced brackets is one part."""
    suffix = _SUFFIX.search(name)
    parts = _Parts(suffix.start() if suffix else len(name))
    opened: list[_Bracket] = []
    operator_end = blank_end = -1  # of the last ones before the parameters
    is_complete = False  # whether parameters have followed the function's own name
    for token in _TOKEN.finditer(name, 0, parts.end):
        kind, at = token.lastgroup, token.start()
        if kind == "open":
            bracket = _Bracket(token[0], token.end(), _is_list(name, at, operator_end))
            if not opened and bracket.is_list and token[0] == "(" and not is_complete:
                parts.own_begin, is_complete = max(parts.own_begin, blank_end), True
            opened.append(bracket)
        elif kind == "close" and not _close(opened, token[0], at, parts):
            return _Parts(parts.end)
        elif opened:
            continue
        elif kind == "caller" and parts.callers_begin < 0 < at:
            parts.callers_begin, is_complete = at, True
        elif kind == "operator":
            operator_end = token.end()
        elif kind == "scope" and parts.callers_begin < 0:
            parts.own_begin, operator_end, is_complete = token.end(), -1, False
        elif kind == "blank" and operator_end < 0:
            blank_end = token.end()
    return _Parts(parts.end) if opened else parts


def _is_list(name: str, at: int, operator_end: int) -> bool:
    """Return whether a bracket follows a name, so that parameters or arguments are in it."""
    before, sign = name[at - 1 : at], name[at]
    is_behind_name = before.isalnum() or (before != "" and before in _BEFORE_LISTS.get(sign, ""))
    return sign in _BEFORE_LISTS and (at == operator_end or is_behind_name)


def _close(opened: list[_Bracket], sign: str, at: int, parts: _Parts) -> bool:
    """Close a bracket, and note an outermost list; return False if brackets do not match.

    A `>` without `<` is a comparison, as is a `<` still open at another bracket's end.
    """
    while sign != ">" and opened and opened[-1].sign == "<":
        opened.pop()
    if not opened or opened[-1].sign != CLOSING[sign]:
        return sign == ">"
    bracket = opened.pop()
    if bracket.is_list and not opened:
        (parts.parameters if sign == ")" else parts.arguments).append((bracket.begin, at))
    return True


def fitted_location(location: str, fits: Callable[[str], bool]) -> str:
    """Return as much of a location, such as `ld-linux.so.2: dl-reloc.c`, as fits.

    The object is shortened in its middle; if little is left of it, only the file stays, cut at its
    beginning if need be.
    """
    if fits(location):
        return location
    object_, colon, file = location.rpartition(": ")
    if not colon and "/" not in file:  # an object alone, or the number of members of a cycle
        return file[: _largest(len(file) - 1, lambda n: fits(file[:n] + ELLIPSIS))] + ELLIPSIS

    def with_object(count: int) -> str:
        end = max(_KEPT_END_OF_OBJECT, (count + 1) // 2)
        return f"{object_[: count - end]}{ELLIPSIS}{object_[-end:]}{colon}{file}"

    kept = _largest(len(object_) - 1, lambda n: n < _KEPT_OF_OBJECT or fits(with_object(n)))
    if kept >= _KEPT_OF_OBJECT:
        return with_object(kept)
    count = _largest(len(file), lambda count: fits(ELLIPSIS + file[len(file) - count :]))
    return ELLIPSIS + file[len(file) - count :]
