"""The class of a function: the scope that its name stands in, told from the name alone.

A profile does not say which language a function is written in, so the syntax of its name has to.
Names of C++, Rust, Perl and Ruby are paths with `::`; those of Go, Java and Python are paths with
dots; PHP and Erlang have signs of their own. What is defined inside a function, such as a lambda or
a local class, is of the class of that function. All this takes time in proportion to the name,
however odd the name is.
"""

from __future__ import annotations

import re

GLOBAL = "(global)"

# An operator's sign counts as such where a bracket, a blank or the end follows. Of `operator<<int>`
# that leaves `operator<` with an argument.
OPERATOR = (
    r"(?<!\w)operator(?!\w)(?: ?(?:\(\)|\[\]|"
    r"(?:<=>|<<=|>>=|->\*|<<|>>|<=|>=|->|<|>)(?=[ (<\[,)']|$)))?"
)
CLOSING = {")": "(", ">": "<", "]": "[", "}": "{"}

_TOKEN = re.compile(
    rf"(?P<skip>\(anonymous [^()]*\)|->| <<? |::(?=<(?!=>)..))"  # `::<` only gives arguments
    rf"|(?P<end>{OPERATOR}"
    r"|::h[0-9a-f]{16}(?!\w)"  # what rustc puts after a name to make it unique
    r"|::(?=\{\{?closure|\{lambda|'lambda|\{default arg|_\$u7b\$\$u7b\$closure)"
    r"|'| ?\[clone | \[)"
    r"|(?P<open>(?:(?<!\w)decltype ?)?[(<\[{])|(?P<close>[)>\]}])|(?P<scope>::)|(?P<blank> )",
    re.DOTALL,
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
    """The scope of a name; `GLOBAL` where it stands in none.

    `std::map<A::B, C>::find(D::E)` is of the class `std::map<A::B, C>`; arguments, the return type
    of a template's instance and what a compiler appends to its clones are left out. A name with its
    callers, `f'g'h`, is of the class of `f`.
    """
    name = _without_location(name.removeprefix("php::"))
    if _XDEBUG_FILE.match(name):
        return GLOBAL
    if name.startswith("<") and name.endswith(">") and "::" not in name:
        return _class_of_python_builtin(name) or GLOBAL
    if sign := _SIGN.match(name):
        return next(scope for scope in sign.groups() if scope)
    return _class_of_scoped_name(name) or _class_of_dotted_name(name) or GLOBAL


def _without_location(name: str) -> str:
    """Without where a function of Python is: `f /usr/lib/a.py:3`, `f package.module:3`, `f:3`."""
    head, _, line = name.rpartition(":")
    if not line.isdecimal() or head.endswith(":") or not head:
        return name
    return head if head.endswith(">") and head.count("<") == 1 else head.partition(" ")[0]


def _class_of_python_builtin(name: str) -> str:
    """`<method 'append' of 'list' objects>` and `<built-in method builtins.max>` have a class."""
    _, of, owner = name[1:-1].partition(" of ")
    if of:
        return owner.partition(" ")[0].strip("'")
    return name[1:-1].rpartition(" ")[2].rpartition(".")[0]


def _class_of_scoped_name(name: str) -> str:
    """What is before the last `::` outside of all brackets; nothing where there is none."""
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
    """A `>` where no `<` is open, and a `<` that is still open at a `)`, were comparisons."""
    while opening != "<" and opened and opened[-1] == "<":
        opened.pop()
    if opened and opened[-1] == opening:
        opened.pop()


def _class_of_dotted_name(name: str) -> str:
    """`package/path.(*Type)`, `package.Class` or `module`; nothing where no dot divides the name.

    A name of C has dots only in front of what the compiler appended: `qsort_r.part.0`.
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
