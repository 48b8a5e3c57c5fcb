"""The fonts of diagrams, and the sizes of texts in them, which jobs ask for."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontDatabase, QFontMetricsF

_SMALL_SCALE = 0.88  # of labels and code


@dataclass(frozen=True, slots=True)
class DiagramFonts:
    """The font of boxes, in bold, for labels of arrows, and for code."""

    plain: QFont
    bold: QFont
    small: QFont
    code: QFont

    @classmethod
    def of(cls, plain: QFont) -> DiagramFonts:
        """Return the fonts for boxes in this one."""
        bold, small = QFont(plain), QFont(plain)
        bold.setBold(True)
        code = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        if plain.pointSizeF() > 0:
            small.setPointSizeF(plain.pointSizeF() * _SMALL_SCALE)
            code.setPointSizeF(small.pointSizeF())
        else:  # a style sheet has set the size in pixels
            small.setPixelSize(max(1, round(plain.pixelSize() * _SMALL_SCALE)))
        return cls(plain, bold, small, code)


class FontMeasure:
    """The sizes of texts in a font."""

    def __init__(self, font: QFont) -> None:
        self._metrics = QFontMetricsF(font)

    @property
    def height(self) -> float:
        """The height of a line."""
        return self._metrics.height()

    def width(self, text: str) -> float:
        """Return the width of a text."""
        return self._metrics.horizontalAdvance(text)

    def elided(self, text: str, width: float) -> str:
        """Return the text, with an ellipsis in the middle if it is wider."""
        return self._metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, width)
