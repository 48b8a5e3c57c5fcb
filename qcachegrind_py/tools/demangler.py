"""Demangle names: C++ of the Itanium ABI, and both manglings of Rust.

Callgrind demangles by itself; LLVM's demanglers handle what other producers and `--demangle=no`
leave. Where pycxxfilt is not installed, names stay as they are. Names are rewritten to Callgrind's
spelling where they would confuse: `{lambda(int)#1}`, not `'lambda'(int)`, since a quote separates a
name from its callers; and ` [clone .cold]`.
"""

from __future__ import annotations

import math
import re
import string

import numpy as np

from qcachegrind_py.profile.progress import NoProgress, Progress
from qcachegrind_py.profile.tables import StringTable

try:
    import pycxxfilt
except ImportError:  # there is no wheel for every system
    pycxxfilt = None  # type: ignore[assignment] # asked for before it is used

# one expression for both would not begin with fixed bytes, and take ten times as long
_MANGLED = (re.compile(rb"\n__?[ZR]"), re.compile(rb"'__?[ZR]"))
_SYMBOL = re.compile(rb"_?(_[ZR][^@ ]*)")
_CHECK_INTERVAL = 100  # names, at 10 ms for the worst one
# LLVM's demanglers recurse: 4,000 bytes can overrun the 512 KiB stack of a thread on macOS. Of
# 330,000 names in libraries of C++ and Rust the longest has 1,222.
_MAX_NAME_LENGTH = 2048
_MAX_GROWTH = 48  # times the mangled name; the maximum in those libraries is 28
# Names refer back to parts of themselves, which may refer back again: 250 bytes can expand to 200
# MB. Names that may exceed this many bytes are skipped: 1 in 1,000 of those names.
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
    """Return the table with its mangled names demangled and unchanged ids.

    In a name with callers, `f'g'h`, each is demangled. Recursion levels, versions (`@GLIBC_2`) and
    other suffixes of a mangled name are kept; the hash of a Rust name is removed.
    """
    if pycxxfilt is None:
        return texts
    progress = progress or NoProgress()
    positions = [match.end() - 1 for pattern in _MANGLED for match in pattern.finditer(texts.arena)]
    if not positions:
        return texts
    found = np.searchsorted(texts.starts, np.array(positions, np.int64), side="right") - 1
    numbers = sorted(set(found.tolist()))  # np.unique would import masked arrays, for 10 ms
    changed: dict[int, bytes] = {}
    for done, number in enumerate(numbers):
        if done % _CHECK_INTERVAL == 0:
            progress.check(done / len(numbers))
        line = texts.arena[int(texts.starts[number]) : int(texts.starts[number + 1]) - 1]
        if (readable := b"'".join(map(_demangle_or_keep, line.split(b"'")))) != line:
            changed[number] = readable
    return _replace_strings(texts, changed) if changed else texts


def _replace_strings(texts: StringTable, changed: dict[int, bytes]) -> StringTable:
    """Return the table with some strings replaced; `changed` is in ascending order of their ids."""
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
    """Return the name demangled, or unchanged if that is not possible."""
    symbol = _SYMBOL.match(name)
    if symbol is None or symbol.end() > _MAX_NAME_LENGTH:
        return name
    try:
        demangled = _demangle_name(symbol[1].decode())
        readable = demangled.encode()
    except ValueError:  # not a valid mangled name, or not UTF-8
        return name
    if not demangled or "\n" in demangled or "\0" in demangled:
        return name
    return name if len(readable) > _MAX_GROWTH * symbol.end() else readable + name[symbol.end() :]


def _demangle_name(name: str) -> str:
    """Return the demangled name; empty if it might be far too long. Raises ValueError."""
    if name.startswith("_R"):
        demangled = pycxxfilt.rust_demangle(name) if _rust_growth(name) < _MAX_EXPANSION else None
        return _rewrite_clones(demangled or "")
    demangled = pycxxfilt.itanium_demangle(name) if _cpp_growth(name) < _MAX_EXPANSION else None
    if demangled and "17h" in name and (hash_match := _RUST_HASH.search(demangled)):
        demangled = (
            _RUST_ESCAPE.sub(_unescape_rust, demangled[: hash_match.start()])
            + demangled[hash_match.end() :]
        )
    elif demangled and "'" in demangled:
        demangled = _rewrite_unnamed_types(demangled)
    return _rewrite_clones(demangled or "")


def _cpp_growth(name: str) -> float:
    """Return an upper bound of the length a C++ name expands to, as an exponent of e.

    References that refer to references multiply, three to each at worst. An expansion of a pack
    repeats its pattern for each argument in the pack.
    """
    references, packs = len(_REFERENCE.findall(name)), len(_PACK.findall(name))
    arguments = len(name) - max(name.find("J"), 0)
    return math.log(len(name)) + references * math.log(3) / 3 + packs * math.log(arguments)


def _rust_growth(name: str) -> float:
    """Return the same bound for Rust, where a reference to a crate is no longer than its name.

    A binder introduces as many lifetimes as its number says, fewer than the name has letters.
    """
    positions = (_base62(reference[1]) + 2 for reference in _RUST_REFERENCE.finditer(name))
    references = sum(name[position : position + 1] != "C" for position in positions)
    binders = (_base62(binder[1]) + 1 for binder in _RUST_BINDER.finditer(name))
    lifetimes = max((number for number in binders if number <= len(name)), default=0)
    return math.log(len(name) * (1 + lifetimes)) + references * math.log(3) / 3


def _base62(digits: str) -> int:
    """Decode a base-62 number, in which no digits mean 0 and `0` means 1."""
    number = 0
    for digit in digits[:6]:
        number = number * 62 + _DIGIT[digit]
    return number + 1 if digits else 0


def _unescape_rust(escape: re.Match[str]) -> str:
    """Return the character for an escape in legacy Rust names, such as `$LT$`."""
    if escape[1]:
        code = int(escape[1], 16)
        sign = chr(code) if code < 0x110000 else ""
        return sign if sign.isprintable() and sign else escape[0]
    if escape[2]:
        return _RUST_SIGNS.get(escape[2], escape[0])
    return "::" if escape[0] == ".." else ""


def _rewrite_unnamed_types(name: str) -> str:
    """Rewrite `'lambda0'(int)` as `{lambda(int)#2}`, and `'unnamed'` as `{unnamed type#1}`."""
    pieces: list[str] = []
    # depth and suffix of each lambda whose parameters are being read
    open_lambdas: list[tuple[int, str]] = []
    done = depth = 0
    for token in _UNNAMED.finditer(name):
        pieces.append(name[done : token.start()])
        done = token.end()
        suffix = f"#{int(token['number'] or -1) + 2}}}"
        depth += (token[0] == "(") - (token[0] == ")")
        if token["kind"] == "lambda":
            open_lambdas.append((depth, suffix))
            pieces.append("{lambda")
        elif token["kind"]:
            pieces.append("{" + _KINDS[token["kind"]] + suffix)
        elif token[0] == ")" and open_lambdas and open_lambdas[-1][0] == depth:
            pieces.append(")" + open_lambdas.pop()[1])
        else:
            pieces.append(token[0])
    return name if open_lambdas else "".join((*pieces, name[done:]))


def _rewrite_clones(name: str) -> str:
    """Rewrite `f() (.isra.0.cold)` as `f() [clone .isra.0] [clone .cold]`."""
    appended = _APPENDED.search(name)
    if appended is None:
        return name
    clones = "".join(f" [clone {clone}]" for clone in _CLONE.findall(appended[1]))
    return name[: appended.start()] + clones
