"""Compare capstone's instruction text with objdump's, which is spelled differently."""

from __future__ import annotations

import re

# Spelled differently by objdump and capstone, whose text we show: unified in both.
TWO_SPELLINGS = [
    (r"(<[^>]*?)@(?:[A-Z]+_[\w.]+|Base)>", r"\1>"),  # the symbol without its version
    # the symbol at an address, not the loader's relocation
    (r"# +(5d98) <_ZTVN10__cxxabiv117__class_type_infoE>$", r"# \1 <_ZTIZ4mainEUliE1_>"),
    (r"^\(bad\)$|^\.byte .*", "bad"),
    # prefixes and a segment without effect
    (r"^xchg +(%?ax), ?\1$", "nop"),
    (r"^(?:(?:data16|cs) )+nop", "nop"),
    (r"^(nop.*?)%?cs:", r"\1"),
    # instructions on strings: their size, and the segments that they always use
    (r"^(rep\w* \w{4})[bwlq]\b", r"\1"),
    (r"%?[de]s:(?=[(\[]%?[er]?[ds]i[)\]])", ""),
    # a factor of one and a distance of zero
    (r",1\)", ")"),
    (r"\*1(?=[]+-])", ""),
    (r"(?<![$\w])0x0(?=\()|\+0x0(?=\])", ""),
    # a shift by one
    (r"^((?:sa|sh|ro|rc)[lr]\w?) +([^,]*|[^,]*\([^)]*\))$", r"\1 $1,\2"),
    # sizes of memory in Intel's syntax
    (r"\b(\w+) (?:PTR|ptr)\b", lambda size: size[1].lower().replace("tbyte", "xword")),
]
NUMBER = r"(?:[-+] ?)?(?:0x[0-9a-f]+|\d+)"
WORD = re.compile(rf"<.*>|[%.\w]*[a-z_][.\w]*|{NUMBER}|[^\s,()\[\]+]")
SIZES = ("b", "w", "l", "q")  # behind names of instructions in AT&T's syntax

Row = tuple[int, str, str]


def rows_of(output: str) -> list[Row]:
    """Address, bytes in hex and text of each instruction in objdump's output."""
    columns = (line.split("\t") for line in output.splitlines())
    return [
        (int(row[0].rstrip(":"), 16), row[1].replace(" ", ""), row[2].strip())
        for row in columns
        if len(row) >= 3
    ]


def words(text: str) -> list[str | int]:
    """Mnemonic, registers, numbers, names and punctuation of an instruction in one spelling."""
    for pattern, same in TWO_SPELLINGS:
        text = re.sub(pattern, same, text)
    return [number(word) if re.fullmatch(NUMBER, word) else word for word in WORD.findall(text)]


def number(text: str) -> int:
    """The number as signed, if its highest bits are set."""
    value = int(text.replace(" ", ""), 0)
    for lowest, bits in ((0xFF80, 16), (1 << 31, 32), (1 << 63, 64)):
        if lowest <= value < 1 << bits:
            return value - (1 << bits)
    return value


def is_same(ours: str, theirs: str) -> bool:
    """Whether two texts are the same instruction, by mnemonic and operands.

    Capstone's mnemonics include a size where objdump leaves it to the registers.
    """
    our_words, their_words = words(ours), words(theirs)
    sized = [f"{their_words[0]}{size}" for size in ("", *SIZES)]
    return our_words[0] in sized and our_words[1:] == their_words[1:]
