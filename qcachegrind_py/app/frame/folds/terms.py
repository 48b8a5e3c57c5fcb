"""The folds of the window as terms in the text of the filter."""

from __future__ import annotations

from collections.abc import Iterable

from qcachegrind_py.analysis.filters.conditions import STANDARD_LIBRARY
from qcachegrind_py.analysis.filters.expression import (
    is_fold,
    parse_filter,
    with_term,
    without_term,
    written_terms,
)
from qcachegrind_py.profile.errors import FilterError

FOLD_STANDARD_LIBRARY = f"fold:{STANDARD_LIBRARY}"


def folds_outside(own_code: str) -> list[str]:
    """Return the folds that leave the functions that pass a filter, such as “Only My Code”.

    Terms that are about anything but names are left out.
    """
    folds = []
    for words, pieces in written_terms(own_code):
        key, sign = ("fold", pieces["sign"]) if pieces["sign"] else ("only", "")
        fold = f"{key}:{words.removeprefix(sign)}"
        try:
            parse_filter(fold)
        except FilterError:
            continue
        folds.append(fold)
    return folds


def with_folds(text: str, folds: Iterable[str]) -> str:
    """Return the text of a filter with these folds, which may be there already."""
    for fold in folds:
        text = with_term(text, fold)
    return text


def without_folds(text: str, folds: Iterable[str] | None = None) -> str:
    """Return the text of a filter without these folds, or without any."""
    if folds is None:
        folds = [written[0] for written in written_terms(text) if is_fold(written)]
    for fold in folds:
        text = without_term(text, fold)
    return text
