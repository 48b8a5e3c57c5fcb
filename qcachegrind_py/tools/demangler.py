"""Mangled names made readable: C++ of the Itanium ABI, and Rust of both its kinds.

Callgrind demangles by itself; what other writers and `--demangle=no` leave is done here, by LLVM's
demanglers. Names read as Callgrind writes them where they would confuse: `{lambda(int)#1}`, not
`'lambda'(int)`, since a quote divides a name from its callers; and ` [clone .cold]`.
"""

from __future__ import annotations

import math
import re
import string

import numpy as np
import pycxxfilt

from qcachegrind_py.profile.progress import NoProgress, Progress
from qcachegrind_py.profile.string_table import StringTable

# one expression for both would not begin with fixed bytes, and take ten times as long
_MANGLED = (re.compile(rb"\n__?[ZR]"), re.compile(rb"'__?[ZR]"))
_SYMBOL = re.compile(rb"_?(_[ZR][^@ ]*)")
_CHECK_INTERVAL = 100  # names, at 10 ms for the worst one
# LLVM's demanglers recurse: 4,000 bytes can overrun the 512 KiB of stack a thread of macOS has. Of
# 330,000 names in libraries of C++ and Rust the longest has 1,222.
_MAX_NAME_LENGTH = 2048
_MAX_GROWTH = 48  # times the mangled name; 28 is the most in those libraries
# Names refer back to parts of themselves, and what is referred to may do so again: 250 bytes can
# stand for 200 MB. What may grow beyond this many bytes is not tried: 1 in 1,000 of those names.
_MAX_EXPANSION = math.log(1e7)
_REFERENCE = re.compile(r"[ST][0-9A-Z]*_")
_PACK = re.compile(r"Dp|sp")
_RUST_REFERENCE = re.compile(r"B([0-9a-zA-Z]*)_")
_RUST_BINDER = re.compile(r"G([0-9a-zA-Z]*)_")
_DIGIT = {digit: n for n, digit in enumerate(string.digits + string.ascii_letters)}

_UNNAMED = re.compile(r"'(?P<kind>lambda|unnamed|block-literal)(?P<number>\d{0,6})'|[()]")
_KINDS = {"unnamed": "unnamed type", "block-literal": "block"}
_APPENDED = re.compile(r" \((\.[^()]*)\)$")
_CLONE = re.compile(r"\.[^.\d][^.]*(?:\.\d+)*|\.\d+")
_RUST_HASH = re.compile(r"::h[0-9a-f]{16}(?=$| \()")
_RUST_ESCAPE = re.compile(r"(?:(?<=::)|^)_(?=\$)|\.\.|\$(?:u([0-9a-f]{1,6})|([A-Z]{1,2}))\$")
_RUST_SIGNS = dict(zip(("SP", "BP", "RF", "LT", "GT", "LP", "RP", "C"), "@*&<>(),", strict=True))


def demangle_names(texts: StringTable, progress: Progress | None = None) -> StringTable:
    """The texts with readable names for mangled ones, each with its number; the same if none is.

    In a name with callers, `f'g'h`, each is made readable. Recursion levels, versions (`@GLIBC_2`)
    and what else stands after a mangled name is kept; the hash of a Rust name is not.
    """
    progress = progress or NoProgress()
    places = [hit.end() - 1 for sign in _MANGLED for hit in sign.finditer(texts.arena)]
    numbers = np.unique(np.searchsorted(texts.starts, np.array(places, np.int64), side="right")) - 1
    changed: dict[int, bytes] = {}
    for done, number in enumerate(numbers.tolist()):
        if done % _CHECK_INTERVAL == 0:
            progress.check(done / len(numbers))
        line = texts.arena[int(texts.starts[number]) : int(texts.starts[number + 1]) - 1]
        if (readable := b"'".join(map(_demangle_or_keep, line.split(b"'")))) != line:
            changed[number] = readable
    return _replace_strings(texts, changed) if changed else texts


def _replace_strings(texts: StringTable, changed: dict[int, bytes]) -> StringTable:
    """The texts with these ones, in order of their numbers, in place of what they were."""
    lengths = np.diff(texts.starts)
    lengths[list(changed)] = [len(line) + 1 for line in changed.values()]
    pieces: list[bytes] = []
    done = 0
    for number, line in changed.items():
        pieces += (texts.arena[done : int(texts.starts[number])], line)
        done = int(texts.starts[number + 1]) - 1
    pieces.append(texts.arena[done:])
    return StringTable(b"".join(pieces), np.concatenate(([0], np.cumsum(lengths))))


def _demangle_or_keep(name: bytes) -> bytes:
    """The name made readable, or as it was where that is not possible."""
    symbol = _SYMBOL.match(name)
    if symbol is None or symbol.end() > _MAX_NAME_LENGTH:
        return name
    try:
        found = _demangle_name(symbol[1].decode())
        readable = found.encode()
    except ValueError:  # nothing that a compiler ever mangled, or not UTF-8
        return name
    if not found or "\n" in found or "\0" in found:
        return name
    return name if len(readable) > _MAX_GROWTH * symbol.end() else readable + name[symbol.end() :]


def _demangle_name(name: str) -> str:
    """The readable name; nothing where it might be far too long. Raises ValueError."""
    if name.startswith("_R"):
        found = pycxxfilt.rust_demangle(name) if _rust_growth(name) < _MAX_EXPANSION else None
        return _rewrite_clones(found or "")
    found = pycxxfilt.itanium_demangle(name) if _cpp_growth(name) < _MAX_EXPANSION else None
    if found and "17h" in name and (hashed := _RUST_HASH.search(found)):
        found = _RUST_ESCAPE.sub(_unescape_rust, found[: hashed.start()]) + found[hashed.end() :]
    elif found and "'" in found:
        found = _rewrite_unnamed_types(found)
    return _rewrite_clones(found or "")


def _cpp_growth(name: str) -> float:
    """A bound of what a name of C++ expands to, as a power of e.

    References that refer to references multiply, three to each at worst. An expansion of a pack
    repeats its pattern for each argument in the pack.
    """
    references, packs = len(_REFERENCE.findall(name)), len(_PACK.findall(name))
    arguments = len(name) - max(name.find("J"), 0)
    return math.log(len(name)) + references * math.log(3) / 3 + packs * math.log(arguments)


def _rust_growth(name: str) -> float:
    """The same for Rust, where a reference to a crate is no longer than the crate's name.

    A binder names as many lifetimes as its number says, fewer than the name has letters.
    """
    places = (_base62(reference[1]) + 2 for reference in _RUST_REFERENCE.finditer(name))
    references = sum(name[place : place + 1] != "C" for place in places)
    binders = (_base62(binder[1]) + 1 for binder in _RUST_BINDER.finditer(name))
    lifetimes = max((number for number in binders if number <= len(name)), default=0)
    return math.log(len(name) * (1 + lifetimes)) + references * math.log(3) / 3


def _base62(digits: str) -> int:
    """A number to base 62, where none at all is 0 and `0` is 1."""
    number = 0
    for digit in digits[:6]:
        number = number * 62 + _DIGIT[digit]
    return number + 1 if digits else 0


def _unescape_rust(escape: re.Match[str]) -> str:
    """A sign that the older names of Rust have in words, such as `$LT$`."""
    if escape[1]:
        code = int(escape[1], 16)
        sign = chr(code) if code < 0x110000 else ""
        return sign if sign.isprintable() and sign else escape[0]
    if escape[2]:
        return _RUST_SIGNS.get(escape[2], escape[0])
    return "::" if escape[0] == ".." else ""


def _rewrite_unnamed_types(name: str) -> str:
    """`'lambda0'(int)` as `{lambda(int)#2}`, `'unnamed'` as `{unnamed type#1}`."""
    pieces: list[str] = []
    waiting: list[tuple[int, str]] = []  # depth and end of each lambda whose arguments are read
    done = depth = 0
    for token in _UNNAMED.finditer(name):
        pieces.append(name[done : token.start()])
        done = token.end()
        end = f"#{int(token['number'] or -1) + 2}}}"
        depth += (token[0] == "(") - (token[0] == ")")
        if token["kind"] == "lambda":
            waiting.append((depth, end))
            pieces.append("{lambda")
        elif token["kind"]:
            pieces.append("{" + _KINDS[token["kind"]] + end)
        elif token[0] == ")" and waiting and waiting[-1][0] == depth:
            pieces.append(")" + waiting.pop()[1])
        else:
            pieces.append(token[0])
    return name if waiting else "".join((*pieces, name[done:]))


def _rewrite_clones(name: str) -> str:
    """`f() (.isra.0.cold)` as `f() [clone .isra.0] [clone .cold]`."""
    appended = _APPENDED.search(name)
    if appended is None:
        return name
    clones = "".join(f" [clone {clone}]" for clone in _CLONE.findall(appended[1]))
    return name[: appended.start()] + clones
