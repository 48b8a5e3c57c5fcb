"""Keys of function names: what stays of a name when a program is built again.

Compilers clone functions and number the clones, and Rust appends hashes. Two builds number them
differently, so that equal full names may stand for different code, and different ones for the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from qcachegrind_py.analysis.names.short_names import without_template_arguments

NameRule = Callable[[str], str]

_CLONES = (
    r"(?:\.(?:llvm|__uniq|isra|constprop|part|lto_priv|clone)(?:\.\d+)*"
    r"|\.(?:cold|warm|hot|unlikely|localalias)(?:\.\d+)*"
    r"| ?\[clone [^\]]*\])"
)
_CLONE_END = re.compile(rf"{_CLONES}+$")
_RUST_HASH = re.compile(r"::h([0-9a-f]{16,17})(?:\.\d+)?$")
_CRATE_HASH = re.compile(r"(?<=\w)\[[0-9a-f]{8,16}\]")  # v0 names: core[846d8a2fe2e3d3ea]::fmt
_MARK = re.compile(r"[.\[']|::h[0-9a-f]{16}")  # in all names that may have another key
_LINE = re.compile(r":\d+(?:-\d+)?(?=\}?$)")  # of Python and PHP
_ADDRESS = re.compile(r"0x[0-9a-fA-F]+")
_PARAMETERS = re.compile(r"\(.*$", re.DOTALL)


def family_key(name: str) -> str:
    """Return the name without the marks of clones and the hashes of Rust.

    A name of callgrind's with callers, `f'a'b`, is such a name in each segment.
    """
    if _MARK.search(name) is None:  # most names: 0.3 µs instead of 3
        return name
    if "'" in name:
        return "'".join(_segment_key(segment) for segment in name.split("'"))
    return _segment_key(name)


def _segment_key(name: str) -> str:
    key = _RUST_HASH.sub("", _CLONE_END.sub("", name))
    return _CRATE_HASH.sub("", key) or name


def lineless_key(name: str) -> str:
    """Return the family key without the line that Python and PHP append; empty without one."""
    key = family_key(name)
    short = _LINE.sub("", key)
    return short if short != key else ""


def template_key(name: str) -> str:
    """Return the family key without template arguments; empty if the name has none.

    The list of parameters is left out, too, since it repeats the arguments.
    """
    key = family_key(name)
    short = without_template_arguments(key)
    return _PARAMETERS.sub("", short) if short != key else ""


def rust_hash(name: str) -> str:
    """Return the hash that rustc appended to the name; empty if there is none."""
    found = _RUST_HASH.search(_CLONE_END.sub("", name))
    return found[1] if found else ""


def is_address(name: str) -> bool:
    """Return whether the name is only an address, as of code without symbols."""
    return _ADDRESS.fullmatch(name) is not None


def substitution(text: str) -> NameRule:
    """Parse a rule `s/pattern/replacement/` with the flags g and i, as cg_annotate has them.

    Any character may separate the fields. Raises `ValueError` if it is malformed.
    """
    fields = text[2:].split(text[1]) if len(text) > 1 and text[0] == "s" else []
    if len(fields) != 3 or set(fields[2]) - set("gi"):
        raise ValueError(f"{text!r} is not of the form s/pattern/replacement/")
    flags = re.IGNORECASE if "i" in fields[2] else 0
    try:
        pattern = re.compile(fields[0], flags)
        pattern.sub(fields[1], "")
    except (re.error, IndexError) as error:
        raise ValueError(f"{text!r} is not a valid rule: {error}") from error
    count = 0 if "g" in fields[2] else 1
    return lambda name: pattern.sub(fields[1], name, count=count)


def apply_rules(rules: Sequence[NameRule], name: str) -> str:
    """Apply the rules to a name, one after the other."""
    for rule in rules:
        name = rule(name)
    return name
