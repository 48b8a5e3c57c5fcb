"""The user's number format, which may follow the locale."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING

from qcachegrind_py.profile.numbers import NumberStyle

if TYPE_CHECKING:
    from PySide6.QtCore import QLocale


class DigitGrouping(Enum):
    """The separator between groups of three digits."""

    THIN_SPACE = "thin-space"
    LOCALE = "locale"
    NONE = "none"


def locale_number_format(
    system_locale: Callable[[], QLocale], grouping: DigitGrouping, decimals: int, si: bool
) -> NumberStyle:
    """Return the number format: the locale's separators if chosen, else point and thin space."""
    if grouping is DigitGrouping.LOCALE:
        locale = system_locale()
        grouped = not locale.numberOptions() & locale.NumberOption.OmitGroupSeparator
        group = locale.groupSeparator() if grouped else ""
        return NumberStyle(decimals, group, locale.decimalPoint(), si)
    if grouping is DigitGrouping.NONE:
        return NumberStyle(decimals, group_separator="", use_si_prefixes=si)
    return NumberStyle(decimals, use_si_prefixes=si)
