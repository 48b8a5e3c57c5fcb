"""Sentences with numbers and names in them that are links to explanations of their own."""

from __future__ import annotations

from dataclasses import dataclass

from qcachegrind_py.analysis.explanation.numbers import AnyKey


@dataclass(frozen=True, slots=True)
class Piece:
    """Some words, which lead to the explanation of a number if they name one."""

    text: str
    key: AnyKey | None = None


Sentence = tuple[Piece, ...]


def sentence(*pieces: str | Piece) -> Sentence:
    """Return a sentence of words and links."""
    return tuple(piece if isinstance(piece, Piece) else Piece(piece) for piece in pieces)


def plain(pieces: Sentence) -> str:
    """Return the words of a sentence."""
    return "".join(piece.text for piece in pieces)
