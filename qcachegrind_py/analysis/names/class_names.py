"""Class names: the enclosing scope of a function, derived from its name alone.

A profile does not record the language of a function, so it is inferred from the syntax of the name.
Names in C++, Rust, Perl and Ruby are paths with `::`; those in Go, Java and Python are paths with
dots; PHP and Erlang have a syntax of their own. Definitions inside a function, such as lambdas and
local classes, belong to the class of that function. The time is linear in the length of the name,
even for malformed names.
"""

from __future__ import annotations

import re

GLOBAL = "(global)"

# An operator's sign must be followed by a bracket, a blank or the end, so that `operator<<int>` is
# `operator<` with a template argument.
OPERATOR = (
    r"(?<!\w)operator(?!\w)(?: ?(?:\(\)|\[\]|"
    r"(?:<=>|<<=|>>=|->\*|<<|>>|<=|>=|->|<|>)(?=[ (<\[,)']|$)))?"
)
CLOSING = {")": "(", ">": "<", "]": "[", "}": "{"}

_TOKEN = re.compile(
    rf"(?P<skip>\(anonymous [^()]*\)|->| <<? |::(?=<(?!=>)..))"  # `::<` introduces arguments only
    rf"|(?P<end>{OPERATOR}"
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
    for token in _TOKEN.finditer(name):
        kind, last = token.lastgroup, token[0][-1]
        if kind == "close":
            _close_brackets(opened, CLOSING[last])
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


def _close_brackets(opened: list[str], opening: str) -> None:
    """Close a bracket; a `>` without `<`, and a `<` still open at a `)`, are comparisons."""
    while opening != "<" and opened and opened[-1] == "<":
        opened.pop()
    if opened and opened[-1] == opening:
        opened.pop()


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
