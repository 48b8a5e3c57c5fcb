"""Texts of unknown origin as people see them: what is escaped, and what stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qcachegrind_py.visible_text import (
    print_message,
    visible_lines,
    visible_offsets,
    visible_text,
)
from tests.hostile_names import HOSTILE_NAMES, REAL_NAMES, invisible_characters

JOINER, NON_JOINER = "\u200d", "\u200c"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("std::vector<int>", "std::vector<int>"),
        ("a\x1b[31mb", r"a\x1b[31mb"),
        ("a\tb\nc\rd\x7f", r"a\x09b\x0ac\x0dd\x7f"),
        ("csi\x9b31m\x85", r"csi\u009b31m\u0085"),
        ("exe\u202egpj\u2066", r"exe\u202egpj\u2066"),
        ("\u200e\u200f\u061c", r"\u200e\u200f\u061c"),
        ("\u200b\ufeff\u2060\u00ad", r"\u200b\ufeff\u2060\u00ad"),
        ("\u2028\u2029", r"\u2028\u2029"),
        ("\U000e0041\ue000\uffff", r"\U000e0041\ue000\uffff"),
        ("caf\udce9\udcff", r"caf\xe9\xff"),
        ("\ud800", r"\ud800"),
        ("1\u2009234\u00a0x\u3000", "1\u2009234\u00a0x\u3000"),
        (r"C:\x1b\new", r"C:\x1b\new"),
    ],
)
def test_what_cannot_be_seen_is_escaped(text: str, shown: str) -> None:
    """Control and format characters have escapes; letters, marks and spaces stay."""
    assert visible_text(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("::error::x", r"\x3a:error::x"),
        (" \t::Stop-Commands::x", r" \x09\x3a:Stop-Commands::x"),
        ("::error file=a::x", r"\x3a:error file=a::x"),
        ("a ##[error]x ##[ADD-MASK]y", r"a ##\x5berror]x ##\x5bADD-MASK]y"),
        ("##vso[a] ##teamcity[b]", r"##vso\x5ba] ##teamcity\x5bb]"),
        ("::errors::x", "::errors::x"),
        ("::std::string", "::std::string"),
        ("a::error::x", "a::error::x"),
        ("${a##[0-9]}", "${a##[0-9]}"),
    ],
)
def test_no_name_is_a_command_to_a_ci_service(text: str, shown: str) -> None:
    """What GitHub, Azure or TeamCity would act upon, where it would; other colons stay."""
    assert visible_text(text) == shown
    assert visible_offsets(text)[-1] == len(shown)


@pytest.mark.parametrize("name", REAL_NAMES.values(), ids=REAL_NAMES)
def test_names_in_any_script_stay_readable(name: str) -> None:
    """Joiners inside words that are written with them are no disguise, and stay."""
    assert visible_text(name) == name


@pytest.mark.parametrize("joiner", [JOINER, NON_JOINER])
def test_joiners_that_join_nothing_are_escaped(joiner: str) -> None:
    """Between Latin letters, or at an end, a joiner only makes two names look the same."""
    escape = f"\\u{ord(joiner):04x}"
    persian = REAL_NAMES["Persian"]
    assert visible_text(f"ma{joiner}in") == f"ma{escape}in"
    assert visible_text(f"{joiner}{persian}{joiner}") == f"{escape}{persian}{escape}"
    assert visible_text(f"{persian[0]}{joiner * 2}{persian[1]}") == (
        f"{persian[0]}{escape * 2}{persian[1]}"
    )


@given(st.text(st.characters(codec=None)))
def test_any_text_is_one_visible_line(text: str) -> None:
    """Whatever the text, the result can be printed and encoded, and is shown as it is."""
    shown = visible_text(text)
    assert invisible_characters(shown, JOINER + NON_JOINER) == set()
    assert shown.encode().decode() == shown
    assert visible_text(shown) == shown


@given(st.text(st.characters(codec=None)), st.integers(0, 20))
def test_offsets_are_those_of_the_characters(text: str, place: int) -> None:
    """The shown text from one offset to the next is one character or its escape."""
    offsets, shown = visible_offsets(text), visible_text(text)
    assert (len(offsets), offsets[-1]) == (len(text) + 1, len(shown))
    if place < len(text):
        piece = shown[offsets[place] : offsets[place + 1]]
        assert piece == text[place] or piece.startswith("\\")


def test_lines_of_a_message_stay(capfd: pytest.CaptureFixture[str]) -> None:
    """A text of several lines keeps its lines; a line feed in one line of a message is escaped."""
    assert visible_lines("a\x1b\n\tb\n") == "a\\x1b\n\\x09b\n"
    print_message("a\nb", "c\x1b\udcff")
    assert capfd.readouterr().err == "a\\x0ab\nc\\x1b\\xff\n"


def test_the_list_has_every_kind_of_character() -> None:
    """The names that outputs are tested with have each character that must not be printed."""
    names = "".join(name.decode("utf-8", "surrogateescape") for name in HOSTILE_NAMES.values())
    wanted = {*map(chr, (0, 7, 8, 9, 11, 12, 13, 27, 127, 0x85, 0x90, 0x9B, 0xAD))}
    wanted |= {*map(chr, range(0x200B, 0x2010)), *map(chr, range(0x2028, 0x202F))}
    wanted |= {*map(chr, range(0x2066, 0x206A)), "\u061c", "\ufeff", "\udcff"}
    assert wanted <= set(names)
