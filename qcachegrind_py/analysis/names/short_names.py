"""Names of functions without their template arguments, for places with little room.

Only what is displayed gets shorter; searching and sorting go by the whole names.
"""

from __future__ import annotations

import re

from qcachegrind_py.analysis.names.class_names import CLOSING, OPERATOR

_TOKEN = re.compile(
    rf"(?P<operator>{OPERATOR})"
    r"|(?P<sign>->|<=>| <<? |'[<>()\[\]{}]')"  # arrows, comparisons, a character as an argument
    r"|(?P<open>[(<\[{])|(?P<close>[)>\]}])"
)


def without_template_arguments(name: str) -> str:
    """The name with `<…>` for each list of template arguments, whatever is nested in it.

    Brackets that a path begins with, as in `<T as Trait>::method` and `<module>`, stay, and so does
    a name whose brackets do not match.
    """
    pieces: list[str] = []
    done = 0
    for start, stop in _argument_lists(name):
        pieces += (name[done:start], "…")
        done = stop
    pieces.append(name[done:])
    return "".join(pieces)


def _argument_lists(name: str) -> list[tuple[int, int]]:
    """Where lists of arguments that are in no other begin and end; none if brackets mismatch."""
    lists: list[tuple[int, int]] = []
    opened: list[str] = []
    start, depth = 0, 0  # of the list that is being read: where, and how many brackets are open
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
    """Whether a `<` comes after a name, a bracket or an operator, and not where a path begins."""
    before = name[at - 1] if at else " "
    if before == " ":
        return at - 1 == after_operator
    return at == after_operator or before.isalnum() or before in "_$)]}>:"


def _close_bracket(opened: list[str], closing: str) -> bool:
    """Take away the bracket that is closed; a `<` still open at a `)` was a comparison."""
    while closing != ">" and opened and opened[-1] == "<":
        opened.pop()
    if not opened or opened[-1] != CLOSING[closing]:
        return False
    opened.pop()
    return True
