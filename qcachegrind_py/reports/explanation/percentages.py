"""The sentences about percentages: what they are of, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from qcachegrind_py.analysis.explanation.numbers import (
    BaseReason,
    Explanation,
    NumberKey,
    PercentageBase,
)
from qcachegrind_py.profile.numbers import (
    NumberStyle,
    format_exact,
    format_percentage,
    has_percentages,
)
from qcachegrind_py.reports.explanation.pieces import Piece, Sentence, sentence

_REASONS = {
    BaseReason.PARENT: "the unit is the percentage of the parent",
    BaseReason.CODE: "percentages beside code are of the function",
    BaseReason.PART: "percentages in the list of parts are of the part",
    BaseReason.ACTIVE: "percentages in this list are of the active function",
}


def percentage_sentences(
    explained: Explanation, subject: Callable[[NumberKey], str], style: NumberStyle
) -> Iterator[Sentence]:
    """Yield a sentence with the division for each base; `subject` names a number.

    There is none for an event without percentages.
    """
    value = explained.value if explained.sharing is None else round(explained.value)
    for base in explained.bases:
        if isinstance(value, float) or not has_percentages(base.value):
            continue
        share = format_percentage(value, base.value, style)
        numbers = (format_exact(number, "", style) for number in (value, base.value))
        division = " / ".join(numbers)
        yield sentence(f"{division} = {share} % of ", *_base(base, subject, style))


def _base(
    base: PercentageBase, subject: Callable[[NumberKey], str], style: NumberStyle
) -> Sentence:
    """Return what the base is, and why."""
    if base.key is not None and base.reason in _REASONS:
        name = subject(base.key)
        return sentence("the ", Piece(name[:1].lower() + name[1:], base.key), _because(base))
    file, side = ("the base's file", " of the base") if base.is_of_base else ("the file", "")
    other = "" if base.other is None else format_exact(base.other, "", style)
    counted = Piece(f"sum of all self costs{side}", None if base.is_of_base else base.key)
    match base.reason:
        case BaseReason.RECORDED if base.other == base.value:
            text = f"total that {file} records (summary:), to which all self costs add up."
            return sentence("the ", text)
        case BaseReason.RECORDED:
            text = f"total that {file} records (summary:); all self costs add up to {other}."
            return sentence("the ", text)
        case BaseReason.TOO_SMALL:
            why = f", as the total that {file} records (summary:), {other}, is less."
        case BaseReason.CHOSEN:
            why = f", as the settings say; {file} records a total (summary:) of {other}."
        case _:
            why = f", as {file} records no total (summary:)."
    return sentence("the ", counted, why)


def _because(base: PercentageBase) -> str:
    return f", as {_REASONS[base.reason]}."
