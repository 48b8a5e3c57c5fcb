"""The style of numbers from the user's choice and the locale."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QLocale

from qcachegrind_py.profile.numbers import NumberStyle
from qcachegrind_py.session.settings.store import DigitGrouping, locale_number_format

GERMAN = QLocale(QLocale.Language.German, QLocale.Country.Germany)
ENGLISH = QLocale(QLocale.Language.English, QLocale.Country.UnitedStates)


@pytest.mark.parametrize(
    ("locale", "grouping", "style"),
    [
        (GERMAN, DigitGrouping.LOCALE, NumberStyle(3, ".", ",", True)),
        (ENGLISH, DigitGrouping.LOCALE, NumberStyle(3, ",", ".", True)),
        (QLocale.c(), DigitGrouping.LOCALE, NumberStyle(3, "", ".", True)),
        (GERMAN, DigitGrouping.THIN_SPACE, NumberStyle(3, "\u2009", ".", True)),
        (GERMAN, DigitGrouping.NONE, NumberStyle(3, "", ".", True)),
    ],
)
def test_separators(locale: QLocale, grouping: DigitGrouping, style: NumberStyle) -> None:
    """Group and point are the locale's where asked for; the C locale groups nothing."""
    assert locale_number_format(lambda: locale, grouping, 3, True) == style
