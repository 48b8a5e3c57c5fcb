"""Names that try to be something else than a name, for the tests of all outputs.

Each name is one that a line of a Callgrind file can have, as bytes. What no name can have is a line
feed, which ends the line; `HOSTILE_PATHS` are names of files, and can.
"""

from __future__ import annotations

import re
import unicodedata

HOSTILE_NAMES = {
    "escape sequences": b"red\x1b[31m\x1b]0;title\x07 clear\x1b[2J\x1bc",
    "control characters": b"bell\x07 nul\x00 del\x7f tab\tend back\x08 return\rstart",
    "C1 controls": "csi\x9b31m next\x85line \x90dcs\x9c".encode(),
    "bidirectional overrides": "rtl\u202egnp.exe\u202d\u202c \u2066a\u2067b\u2068c\u2069".encode(),
    "bidirectional marks": "a\u200eb\u200fc\u061cd \u202ae\u202bf".encode(),
    "invisible characters": "ze\u200bro jo\u200din\u200cer w\u2060j bom\ufeff soft\u00ad".encode(),
    "tags and private use": "t\U000e0041\U000e007f p\ue000 n\uffff".encode(),
    "line separators": "one\u2028two\u2029three\x0bfour\x0cfive".encode(),
    "not UTF-8": b"caf\xe9 \xff\xfe \x9b31m \xed\xa0\x80",
    "HTML": b"<h1>big</h1><img src=x onerror=alert(1)>&amp;&lt;",
    "end of a script": b"</script><script>alert(1)</script>]]></style></title>-->",
    "quotes": b'"\'`><b onclick="x" \\" \\N\\G\\l',
    "formula": b"=cmd|' /C calc'!A0",
    "formula behind a control": b"\x1b=1+1",
    "other formulas": b"@SUM(A1)+-1",
    "CSV": b'a,b;c\t"d"\r,=1',
    "DOT": b'"]; evil [label=x]; subgraph { a -> b } //',
    "Markdown and links": b"[x](javascript:alert(1)) **b** |c| `d` https://example.org/",
    "JSON": b'","name":null}],"x":[{"\\u0000\\',
    "shell": b"$(touch x) `id` ; rm -rf ~ | cat",
    "mnemonics": b"operator&& & &File %s %(name)s {0}",
    "commands of CI services": b"::error file=a,line=1::x%0A::add-mask::1 ##[error]y ##vso[z]",
    "end of commands": b"::stop-commands::x|y;z",
    "long": b"long" * 25_000,
    "braces": b"std::vector<int, std::allocator<int> >::operator<<(<lambda()>)",
}
HOSTILE_PATHS = [b"a&b\n<b>\xe2\x80\xae", b"x\x1b[31m\ny\xff", b"=1+1,\x07.out"]
REAL_NAMES = {  # in scripts written with joiners, right to left, or with wide letters
    "Persian": "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "Hindi": "\u0915\u094d\u200d\u0937",
    "family": "\U0001f469\u200d\U0001f469\u200d\U0001f467",
    "Hebrew": "\u05e9\u05dc\u05d5\u05dd",
    "German": "gr\u00f6\u00dfe_\u00e4ndern",
    "Chinese": "\u51fd\u6570",
}
_INVISIBLE = frozenset(("Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"))


def invisible_characters(text: str, structure: str = "\n") -> set[str]:
    """Characters that are no part of the structure of an output and must not be in it."""
    characters = set(text) - set(structure)
    return {c for c in characters if unicodedata.category(c) in _INVISIBLE}


def profile_of(names: list[bytes], number: int = 1) -> bytes:
    """A part in which each name calls the next, and is a file, an object and all else, too."""
    first = names[0]
    header = b"creator: %s\ncmd: %s\npid: 7\npart: %d\ndesc: Trigger: %s\ndesc: %s: %s\n" % (
        (first, first, number, first, first, first)
    )
    text = header + b"events: Ir %s\n" % re.sub(rb"\s", b"_", first)
    for place, name in enumerate(names):
        text += b"ob=%s\nfl=%s\nfn=%s\n1 10 1\n" % (name, name, name)
        if place + 1 < len(names):
            callee = names[place + 1]
            cost = 10 * (len(names) - place - 1)
            text += b"cob=%s\ncfi=%s\ncfn=%s\ncalls=1 1\n1 %d 1\n" % (callee, callee, callee, cost)
    return text
