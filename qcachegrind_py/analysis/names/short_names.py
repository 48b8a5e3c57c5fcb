"""Short forms: function names without template arguments, and paths that still differ.

Only the display is shortened; search and sorting use the full names.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from qcachegrind_py.analysis.names.class_names import CLOSING, OPERATOR

_TOKEN = re.compile(
    rf"(?P<operator>{OPERATOR})"
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
        pieces += (name[done:start], "…")
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
    for token in _TOKEN.finditer(name):
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
    before = name[at - 1] if at else " "
    if before == " ":
        return at - 1 == after_operator
    return at == after_operator or before.isalnum() or before in "_$)]}>:"


def _close_bracket(opened: list[str], closing: str) -> bool:
    """Pop the matching bracket, if any; a `<` still open at a `)` was a comparison."""
    while closing != ">" and opened and opened[-1] == "<":
        opened.pop()
    if not opened or opened[-1] != CLOSING[closing]:
        return False
    opened.pop()
    return True


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


def common_length(one: Sequence[str], other: Sequence[str]) -> int:
    """Return with how many equal elements two sequences begin."""
    length = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        length += 1
    return length
