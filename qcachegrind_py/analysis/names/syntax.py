"""What is in a name: its class, its arguments, and what is left out where there is little room.

A profile does not record the language of a function, so its class, the enclosing scope, is inferred
from the syntax of the name. Names in C++, Rust, Perl and Ruby are paths with `::`; those in Go,
Java and Python are paths with dots; PHP and Erlang have a syntax of their own. Definitions inside a
function, such as lambdas and local classes, belong to the class of that function. The time is
linear in the length of the name, even for malformed names.

Of `ns::Map<int>::find(Key const&) const`, the end of the template arguments is left out first, then
that of the parameters, then the scope: `…::find(…) const`. The function's own name stays; where not
even that fits, its beginning does: `__memcpy_avx…`. In a name with its callers, as callgrind writes
`f(int)'g(char)'main`, the callers are cut from their end before the scope is. Only the display is
shortened; search and sorting use the full names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from qcachegrind_py.frozen import frozen

GLOBAL = "(global)"
ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"

# An operator's sign must be followed by a bracket, a blank or the end, so that `operator<<int>` is
# `operator<` with a template argument.
_OPERATOR = (
    r"(?<!\w)operator(?!\w)(?: ?(?:\(\)|\[\]|"
    r"(?:<=>|<<=|>>=|->\*|<<|>>|<=|>=|->|<|>)(?=[ (<\[,)']|$)))?"
)
_CLOSING = {")": "(", ">": "<", "]": "[", "}": "{"}

# ---------------------------------------------------------------- classes

_SCOPE_TOKEN = re.compile(
    rf"(?P<skip>\(anonymous [^()]*\)|->| <<? |::(?=<(?!=>)..))"  # `::<` introduces arguments only
    rf"|(?P<end>{_OPERATOR}"
    r"|::h[0-9a-f]{16}(?!\w)"  # the hash that rustc appends to make names unique
    r"|::(?=\{\{?closure|\{lambda|'lambda|\{default arg|_\$u7b\$\$u7b\$closure)"
    r"|'| ?\[clone | \[)"
    r"|(?P<open>(?:(?<!\w)decltype ?)?[(<\[{])|(?P<close>[)>\]}])|(?P<scope>::)|(?P<blank> )",
    re.DOTALL,
)

# Most names, for which the general rules take 13 µs and these 0.5: a path of words, in C++ with
# arguments. The last one is no hash of Rust's, the first one none that PHP's tools write.
_WORD = r"(?!operator::)\w+"
_PLAIN = re.compile(
    rf"(?!(?:php|include|require)(?:_once)?::)({_WORD}(?:::{_WORD})*)"
    r"::(?!h[0-9a-f]{16}(?!\w))~?\w+(?:\(|$)"
)

_XDEBUG_FILE = re.compile(r"(?:include|require)(?:_once)?::|\{closure:")
_SIGN = re.compile(
    r"(?!operator)([\w\\]+(?:@anonymous[^>]*)?)->"  # PHP: Class->method
    r"|([\w:/]+)#(?!\d)"  # Ruby: Class#method
    r"|([\w\\]+)\\(?:\w+|\{closure.*)$"  # PHP: name\space\function
    r"|\{([\w@]+),.*,\d+\}$",  # Erlang: {module,function,arity}
    re.DOTALL,
)

_CLONE = re.compile(
    r"\d*|cold|hot|unlikely|part|isra|constprop|localalias|lto_priv|llvm|resolver|ifunc|clone"
    r"|tm_clone|actor|destroy|cleanup|_?omp_fn|omp_outlined|default|avx\w*|sse\w*|arch_\w+"
    r"|func\d+|gowrap\d+"  # Go: functions inside the function
)
_DOTTED = re.compile(r"(?!0x|\d)[\w$./<>*-]+")
_FILE_ENDINGS = frozenset(("c", "cc", "cpp", "h", "so", "py", "php", "rb", "pl"))


def class_of(name: str) -> str:
    """Return the enclosing scope of a function name, or `GLOBAL` if it has none.

    `std::map<A::B, C>::find(D::E)` has the class `std::map<A::B, C>`. Arguments, return types of
    template instances and suffixes of compiler clones are ignored. A name with its callers,
    `f'g'h`, has the class of `f`.
    """
    if name.isidentifier():
        return GLOBAL
    if plain := _PLAIN.match(name):
        return plain[1]
    name = _without_location(name.removeprefix("php::"))
    if _XDEBUG_FILE.match(name):
        return GLOBAL
    if name.startswith("<") and name.endswith(">") and "::" not in name:
        return _class_of_python_builtin(name) or GLOBAL
    if sign := _SIGN.match(name):
        return next(scope for scope in sign.groups() if scope)
    return _class_of_scoped_name(name) or _class_of_dotted_name(name) or GLOBAL


def _without_location(name: str) -> str:
    """Remove the location from a Python name: `f /usr/lib/a.py:3`, `f package.module:3`, `f:3`."""
    head, _, line = name.rpartition(":")
    if not line.isdecimal() or head.endswith(":") or not head:
        return name
    return head if head.endswith(">") and head.count("<") == 1 else head.partition(" ")[0]


def _class_of_python_builtin(name: str) -> str:
    """Return the class in `<method 'append' of 'list' objects>`, `<built-in method builtins.max>`.

    The result is empty if there is none.
    """
    _, of, owner = name[1:-1].partition(" of ")
    if of:
        return owner.partition(" ")[0].strip("'")
    return name[1:-1].rpartition(" ")[2].rpartition(".")[0]


def _class_of_scoped_name(name: str) -> str:
    """Return the part before the last `::` outside brackets, or an empty string."""
    start, scope = 0, -1
    opened: list[str] = []
    for token in _SCOPE_TOKEN.finditer(name):
        kind, last = token.lastgroup, token[0][-1]
        if kind == "close":
            _close_bracket(opened, last)
        elif kind == "open" and (opened or token[0] != "("):
            opened.append(last)
        elif opened:
            if token[0] == " [":
                opened.append("[")
        elif kind in ("open", "end"):
            break
        elif kind == "blank":
            start, scope = token.end(), -1
        elif kind == "scope":
            scope = token.start()
    return name[start : max(scope, start)]


def _close_bracket(opened: list[str], closing: str) -> bool:
    """Pop the matching bracket, if any; a `<` still open at a `)` was a comparison."""
    while closing != ">" and opened and opened[-1] == "<":
        opened.pop()
    if not opened or opened[-1] != _CLOSING[closing]:
        return False
    opened.pop()
    return True


def _class_of_dotted_name(name: str) -> str:
    """Return `package/path.(*Type)`, `package.Class` or `module`, or an empty string without a dot.

    Names in C have dots only before suffixes that the compiler appended: `qsort_r.part.0`.
    """
    package, receiver, rest = name.partition(".(")
    if receiver and _DOTTED.fullmatch(package):
        return f"{package}.({rest.partition(')')[0]})" if ")" in rest else ""
    path = re.split(r"['(\[ ]", name, maxsplit=1)[0].partition(".<locals>")[0]
    if not _DOTTED.fullmatch(path) or path[0] in "./<":
        return ""
    folder, slash, last = path.rpartition("/")
    parts = last.split(".")
    while len(parts) > 1 and _CLONE.fullmatch(parts[-1]):
        parts.pop()
    if parts[-1] in _FILE_ENDINGS and "(" not in name:
        return ""
    return folder + slash + ".".join(parts[:-1]) if len(parts) > 1 else ""


def name_without_parameters(name: str) -> str:
    """Return the scope and the function's own name: `Tree::grow` of `void Tree::grow<int>(T)`.

    Names without parameters are returned as they are.
    """
    parts = _parts(name)
    if not any(begin > parts.own_begin for begin, _ in parts.parameters):
        return name
    own, scope = name[parts.own_begin : parts.own_end], class_of(name)
    return f"{scope}::{own}" if name[: parts.own_begin].endswith(f"{scope}::") else own


# ---------------------------------------------------------------- short forms

_ARGUMENT_TOKEN = re.compile(
    rf"(?P<operator>{_OPERATOR})"
    r"|(?P<sign>->|<=>| <<? |'[<>()\[\]{}]')"  # arrows, comparisons, a character as an argument
    r"|(?P<open>[(<\[{])|(?P<close>[)>\]}])"
)
_INNER = r"[^<>()\[\]{}']*+"  # possessive, so that no name is searched twice
_LIST = rf"<{_INNER}>"
for _ in range(3):  # further levels of nesting
    _LIST = rf"<{_INNER}(?:(?<=[\w$:]){_LIST}{_INNER})*+>"
_ARGUMENTS = re.compile(rf"(?<=[\w$:])(?!<>){_LIST}")
_OTHER_SIGNS = ("operator", "->", "=>", "[", "]", "{", "}", "'")


def without_template_arguments(name: str) -> str:
    """Replace each list of template arguments, with all that is nested in it, by `<…>`.

    Brackets at the start of a path, as in `<T as Trait>::method` and `<module>`, are left
    unchanged, as are names with unbalanced brackets.
    """
    if (short := _without_plain_arguments(name)) is not None:
        return short
    pieces: list[str] = []
    done = 0
    for start, stop in _argument_lists(name):
        pieces += (name[done:start], ELLIPSIS)
        done = stop
    pieces.append(name[done:])
    return "".join(pieces)


def _without_plain_arguments(name: str) -> str | None:
    """Return the name without template arguments if brackets in it have only their usual meaning.

    None for names with operators, lambdas or types of functions, which need a closer look. Most
    names have none of these, and take 2 µs instead of 10.
    """
    parameters = name.count("(")
    if parameters != name.count(")") or parameters > 1:
        return None
    for sign in _OTHER_SIGNS:  # takes a third of the time of a search, and of any()
        if sign in name:
            return None
    if parameters and name.index("(") > name.index(")"):
        return None
    short, lists = _ARGUMENTS.subn("<…>", name)
    return short if short.count("<") == short.count(">") == lists else None


def _argument_lists(name: str) -> list[tuple[int, int]]:
    """Return start and stop of each outermost argument list; empty if brackets are unbalanced."""
    lists: list[tuple[int, int]] = []
    opened: list[str] = []
    start, depth = 0, 0  # of the current list: its start, and the number of open brackets
    after_operator = -2
    for token in _ARGUMENT_TOKEN.finditer(name):
        kind, sign, at = token.lastgroup, token[0], token.start()
        if kind == "operator":
            after_operator = token.end()
        elif kind == "open":
            opened.append(sign)
            if sign == "<" and not depth and _opens_arguments(name, at, after_operator):
                start, depth = token.end(), len(opened)
        elif kind == "close" and _close_bracket(opened, sign):
            if sign == ">" and len(opened) == depth - 1 and at > start:
                lists.append((start, at))
            depth = depth if len(opened) >= depth else 0
        elif kind == "close" and not (sign == ">" and "(" in opened[-1:]):
            return []
    return [] if opened else lists


def _opens_arguments(name: str, at: int, after_operator: int) -> bool:
    """Return whether a `<` follows a name, bracket or operator and does not start a path."""
    is_behind_blank = name[at - 1 : at] == " "
    return at - 1 == after_operator if is_behind_blank else _is_list(name, at, after_operator)


def short_paths(paths: Sequence[str]) -> list[str]:
    """Shorten each path to its base name, plus as many folders as distinguish it from the others.

    Both `/` and `\\` separate folders. Identical paths are not shortened.
    """
    # Sorted by their ends, each path is beside the one with which it has most of its end in common.
    reversed_parts = [path.replace("\\", "/").split("/")[::-1] for path in paths]
    order = sorted(range(len(paths)), key=reversed_parts.__getitem__)
    lengths = [1] * len(paths)
    for one, other in pairwise(order):
        first, second = reversed_parts[one], reversed_parts[other]
        length = 1 + common_length(first, second)
        lengths[one] = max(lengths[one], length)
        lengths[other] = max(lengths[other], length)
    return [
        "/".join(parts[:length][::-1])
        for parts, length in zip(reversed_parts, lengths, strict=True)
    ]


def common_length(one: Sequence[object], other: Sequence[object]) -> int:
    """Return with how many equal elements two sequences begin."""
    length = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        length += 1
    return length


# ---------------------------------------------------------------- what is left out

_KEPT_OF_OBJECT = 6  # characters: `ld…so.2`
_KEPT_END_OF_OBJECT = 4

_PART_TOKEN = re.compile(
    rf"(?P<operator>{_OPERATOR})"
    r"|(?P<skip>\(anonymous [^()]*\)|\(below main\)|->|<=>| <<? |'[<>()\[\]{}]'|::'[\w ]+')"
    r"|(?P<open>[(<\[{])|(?P<close>[)>\]}])"
    r"|(?P<scope>::)|(?P<blank> (?=[^\[<]))|(?P<caller>'(?=.)(?!\d+(?:['\s]|$)))",
)
_BEFORE_LISTS = {"(": "_$>]}'", "<": "_$)]}>:"}  # besides letters and digits
_SCOPE_BEGIN = re.compile("::| ")
_BRACKET = re.compile(r"[(<\[{)>\]}]")
_IN_SENTENCES = 60  # characters of a name
_SUFFIX = re.compile(r"(?: <cycle \d+>)?(?:  ↻)?$")


@frozen(eq=True)
class FittedName:
    """A name as it is shown, of which the callers can be told from the rest."""

    text: str
    callers_begin: int  # position in `text`; equals `callers_end` if there are none
    callers_end: int


@frozen(eq=True)
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

    `fits` tells whether a text has enough room. Of the function's own name at least the first
    letter is returned.
    """
    text, parts = name, _parts(name)
    if not fits(text):
        lists = [*parts.arguments, *reversed(parts.parameters)]
        full = [(begin, end) for begin, end in lists if end - begin > 1]  # not … or nothing
        text = _with_less_in_lists(text, full, fits)
        parts = _parts(text)
    while not fits(text):
        span = next(_spans(text, parts), None)
        if span is None:
            own = _begin_of(text[parts.own_begin : parts.own_end], fits)
            return FittedName(own, len(own), len(own))
        text = _squeezed(text, *span, fits)
        parts = _parts(text)
    begin = parts.callers_begin
    return FittedName(text, begin if begin >= 0 else parts.end, parts.end)


def name_within(name: str, length: int = _IN_SENTENCES) -> str:
    """Return as much of the name as fits into so many characters, two or more."""
    if len(name) <= length:
        return name
    return fitted_name(name, lambda text: len(text) <= length).text


def _begin_of(own: str, fits: Callable[[str], bool]) -> str:
    """Return as much of the beginning of a name as fits, and an ellipsis for the rest."""
    if len(own) < 2 or fits(own):
        return own
    own = own.removeprefix(ELLIPSIS)
    kept = _largest(len(own) - 1, lambda count: fits(own[:count] + ELLIPSIS))
    return own[: max(1, kept)] + ELLIPSIS


def _with_less_in_lists(
    name: str, lists: Sequence[tuple[int, int]], fits: Callable[[str], bool]
) -> str:
    """Return the name with as many of these lists emptied, the first ones first, as it has to be.

    The last of them keeps as much as fits. The time grows little faster than the length of a name,
    however many lists it has.
    """

    def emptied(count: int) -> str:
        pieces, done = list[str](), 0
        for begin, end in sorted(lists[:count]):
            pieces += (name[done:begin], ELLIPSIS)
            done = end
        return "".join((*pieces, name[done:]))

    count = _largest(len(lists), lambda count: not fits(emptied(count)))
    text = emptied(count)
    if count == len(lists):
        return text
    begin, end = lists[count]
    moved = sum(stop - start - 1 for start, stop in lists[:count] if start < begin)
    return _squeezed(text, begin - moved, end - moved, False, fits)


def _spans(text: str, parts: _Parts) -> Iterator[tuple[int, int, bool]]:
    """Yield what is left out behind lists: begin, end, and whether its end is kept longest."""
    spans = [(0, parts.own_begin, True)]
    if parts.callers_begin >= 0:
        spans.insert(0, (parts.callers_begin + 1, parts.end, False))
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
        if bracket[0] in _CLOSING:
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
    for token in _PART_TOKEN.finditer(name, 0, parts.end):
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
    if not opened or opened[-1].sign != _CLOSING[sign]:
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
