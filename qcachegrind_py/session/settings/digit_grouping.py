"""The style of numbers that the user chose, with what the locale says."""

from __future__ import annotations

from enum import Enum

from PySide6.QtCore import QLocale

from qcachegrind_py.profile.number_format import NumberStyle


class DigitGrouping(Enum):
    """What stands between groups of three digits."""

    THIN_SPACE = "thin-space"
    LOCALE = "locale"
    NONE = "none"


def locale_number_format(
    locale: QLocale, grouping: DigitGrouping, decimals: int, si: bool
) -> NumberStyle:
    """The style: separators of the locale's where they are asked for, or a point and a blank."""
    if grouping is DigitGrouping.LOCALE:
        grouped = not locale.numberOptions() & QLocale.NumberOption.OmitGroupSeparator
        group = locale.groupSeparator() if grouped else ""
        return NumberStyle(decimals, group, locale.decimalPoint(), si)
    if grouping is DigitGrouping.NONE:
        return NumberStyle(decimals, group_separator="", use_si_prefixes=si)
    return NumberStyle(decimals, use_si_prefixes=si)
