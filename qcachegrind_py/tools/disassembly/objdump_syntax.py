"""Instructions of x86 written as objdump writes them, out of capstone's text for them.

Only the spelling: which bytes are which instruction is capstone's. What is spelled otherwise all
the same is in the tests, in one table.
"""

from __future__ import annotations

import functools
import re

_DECIMAL = re.compile(r"(?<![\w%(.])(\d+)(?=[(,]|$)")
_DECIMAL_INTEL = re.compile(r"(?<![\w*(.])(\d+)(?![\w(])")
_PAIR = re.compile(r"\((%\w*),(%\w+)\)")
_PAIR_INTEL = re.compile(r"\[(\w+)\+([a-z]\w*)(?=[\]+-])")
# In some forms a displacement always is in the bytes; capstone leaves out one of zero.
_WITHOUT_ZERO = re.compile(r"(?<!\w)(?=\((?:%(?:[er]bp|r13d?)[,)]|,))")
_WITHOUT_ZERO_INTEL = re.compile(r"(\[(?:(?:[er]bp|r13d?)(?:[+][a-z]\w*\*\d)?|\w+\*\d))\]")
_NEGATIVE = re.compile(r"\$-(0x[0-9a-f]+)")
_BITS = {"b": 8, "w": 16, "l": 32, "q": 64}
_REGISTER = re.compile(r"%[\w()]+")
_STRINGS = frozenset({"movs", "stos", "lods", "scas", "cmps", "ins", "outs"})
_STRING_INTEL = re.compile(r"\b(?:movs|stos|lods|scas|cmps|ins|outs)[bwdq]$")
_NEGATIVE_INTEL = re.compile(r"(?:(?<=,)|^)-(0x[0-9a-f]+)$")
_SIZED_INTEL = re.compile(r"(?:BYTE|WORD|DWORD|QWORD)(?= PTR)")
_BY_ONE = re.compile(rb"[\x26\x2e\x36\x3e\x64-\x67]*[\x40-\x4f]?[\xd0\xd1]", re.S)
_STRING_PLACE = re.compile(r"(?<!:)[(\[]%?[er]?(?P<register>[ds]i)[)\]]")
_SIZE_INTEL = re.compile(r"\b(\w+) ptr ")
_SEGMENT_INTEL = re.compile(r"(\b[c-gs]s:)\[(0x[0-9a-f]+)\]")
_OPERAND = re.compile(r"(?:[^,(]|\([^)]*\))+")

_SUFFIXED = re.compile(
    "mov|add|sub|adc|sbb|and|or|xor|cmp|test|lea|inc|dec|neg|not|i?mul|i?div|sh[lr]d?|sa[lr]|ro[lr]"
    "|rc[lr]|xchg|xadd|cmpxchg|bt[src]?|bs[fr]|tzcnt|lzcnt|popcnt|bswap|movbe|andn|bextr|bls\\w+|bzhi"
    "|mulx|pdep|pext|rorx|sarx|shlx|shrx|adcx|adox|in|out|stos|lods|scas|v?cvtsi2s[sd]|rd\\w+|wr\\w+"
    "|str|sldt|smsw|lar|lsl|nop|ud1|ptwrite|cmov\\w+"
)
_SHIFTS = frozenset({"shl", "shr", "sar", "sal", "rol", "ror", "rcl", "rcr"})
_UNSUFFIXED = frozenset({"call", "jmp", "ret", "push", "pop", "leave", "enter"})
_PADDING = re.compile(rb"(?P<prefixes>[\x66\x2e]*)\x0f\x1f(?P<mode>.)\0*$", re.S)
_SHORT_PADDING = b"\x66\x90"
_CS, _WIDE = b"\x2e", b"\x66"


def spelled(raw: bytes, mnemonic: str, operands: str, is_intel: bool) -> tuple[str, str]:
    """Mnemonic and operands of these bytes as objdump spells them, from capstone's."""
    mnemonic, operands = (_intel if is_intel else _att)(mnemonic, operands)
    if _is_shift(mnemonic) and _BY_ONE.match(raw):
        att, as_intel = "$1," + operands.removeprefix("$0x1,"), operands.removesuffix(",0x1") + ",1"
        operands = as_intel if is_intel else att
    return _padding(raw, mnemonic, operands, is_intel)


def _is_shift(mnemonic: str) -> bool:
    return mnemonic in _SHIFTS or mnemonic[:-1] in _SHIFTS


@functools.lru_cache(maxsize=1 << 14)
def _att(mnemonic: str, operands: str) -> tuple[str, str]:
    """In AT&T's syntax: `mov`, `0x8(%rsp),%eax`."""
    operands = _DECIMAL.sub(lambda number: hex(int(number[1])), operands.replace(", ", ","))
    bits = _BITS.get(mnemonic[-1:], 64)
    operands = _NEGATIVE.sub(lambda number: f"${(1 << bits) - int(number[1], 16):#x}", operands)
    operands = _PAIR.sub(r"(\1,\2,1)", operands)
    operands = _WITHOUT_ZERO.sub("0x0", operands)
    prefix, blank, name = mnemonic.rpartition(" ")
    if name[:-1] in _STRINGS and name[-1:] in _BITS:
        operands = _STRING_PLACE.sub(_with_segment, operands)
    return prefix + blank + _without_suffix(name, operands), operands


def _with_segment(place: re.Match[str]) -> str:
    """What instructions on strings use by themselves, `%es:(%rdi)` and `%ds:(%rsi)`."""
    segment = "es" if place["register"] == "di" else "ds"
    return f"{segment}:{place[0]}" if place[0].startswith("[") else f"%{segment}:{place[0]}"


def _without_suffix(name: str, operands: str) -> str:
    """The name without the letter for a size that a register says as well."""
    stem, suffix = name[:-1], name[-1:]
    if suffix not in "bwlq":
        return name
    if stem in _UNSUFFIXED:
        return stem if suffix in "lq" else name
    if name == "movabsq":
        return stem
    if not _SUFFIXED.fullmatch(stem):
        return name
    every = _OPERAND.findall(operands)
    if stem in _SHIFTS or "cvtsi2s" in stem:
        every = every[-1:] if stem in _SHIFTS else every[:1]
    is_vector = any(operand.startswith(("%xmm", "%mm")) for operand in every)
    if stem == "mov" and is_vector:
        return name
    return stem if any(_REGISTER.fullmatch(operand) for operand in every) else name


@functools.lru_cache(maxsize=1 << 14)
def _intel(mnemonic: str, operands: str) -> tuple[str, str]:
    """In Intel's syntax: `mov`, `eax,DWORD PTR [rbp-0x8]`."""
    operands = operands.replace(", ", ",").replace(" + ", "+").replace(" - ", "-")
    operands = _DECIMAL_INTEL.sub(lambda number: hex(int(number[1])), operands)
    operands = _PAIR_INTEL.sub(r"[\1+\2*1", operands)
    operands = _WITHOUT_ZERO_INTEL.sub(r"\1+0x0]", operands)
    operands = _SEGMENT_INTEL.sub(r"\1\2", operands)
    if _STRING_INTEL.search(mnemonic) and "xmm" not in operands:
        operands = _STRING_PLACE.sub(_with_segment, operands)
        mnemonic = mnemonic[:-1]
    operands = _SIZE_INTEL.sub(lambda size: f"{size[1].upper()} PTR ", operands)
    return mnemonic, _NEGATIVE_INTEL.sub(_unsigned, operands.replace("XWORD", "TBYTE"))


def _unsigned(number: re.Match[str]) -> str:
    """A negative number as it is in as many bits as the first operand has."""
    first = number.string.partition(",")[0]
    bits = 64
    if size := _SIZED_INTEL.match(first):
        bits = _BITS[size[0][0].lower().replace("d", "l")]
    elif first[:1] == "e" or re.fullmatch(r"r\d+d", first):
        bits = 32
    elif re.fullmatch(r"[a-d][lh]|\w{2}l|r\d+b", first):
        bits = 8
    elif re.fullmatch(r"[a-ds][xpi]|bp|r\d+w", first):
        bits = 16
    return f"{(1 << bits) - int(number[1], 16):#x}"


def _padding(raw: bytes, mnemonic: str, operands: str, is_intel: bool) -> tuple[str, str]:
    """An instruction that does nothing, already spelled: how long it is shows in its text.

    A displacement of zero, a segment and repeated prefixes are in the bytes for nothing else.
    """
    if raw == _SHORT_PADDING:
        return "xchg", "ax,ax" if is_intel else "%ax,%ax"
    found = _PADDING.match(raw)
    if found is None:
        return mnemonic, operands
    if found["mode"][0] >> 6 in (1, 2):
        operands = re.sub(r"(?<![\w)])\(", "0x0(", operands).replace("]", "+0x0]")
    prefixes = "data16 " * (found["prefixes"].count(_WIDE) - 1)
    if _CS in found["prefixes"]:
        prefixes += "cs "
        operands = operands.replace("%cs:", "").replace("cs:", "")
    return prefixes + mnemonic, operands
