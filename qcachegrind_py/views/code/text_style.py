"""Fonts and colours of code, legible on light and dark palettes and on selected rows."""

from __future__ import annotations

from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontMetricsF, QPalette
from PySide6.QtWidgets import QWidget

from qcachegrind_py.tools.sources.highlighting import Token

_ROLE = QPalette.ColorRole
_DARK_BELOW = 128
_INLINED_ALPHA = 150  # of 255: paler than the rows of folded lines
_MATCH_COLOR, _MATCH_ALPHA = "#f5b800", {False: 110, True: 90}  # of 255, light and dark: legible
# each colour has a contrast of at least 4.5:1 to the base of its palette
_LIGHT_COLORS = {
    Token.KEYWORD: "#7b2fbf",
    Token.TYPE: "#0b6674",
    Token.NAME: "#0a4fb0",
    Token.STRING: "#1f6b31",
    Token.NUMBER: "#94450c",
    Token.COMMENT: "#646b76",
    Token.PREPROCESSOR: "#a02669",
}
_DARK_COLORS = {
    Token.KEYWORD: "#c5a5f0",
    Token.TYPE: "#72cfd6",
    Token.NAME: "#8ab4f8",
    Token.STRING: "#93d4a0",
    Token.NUMBER: "#f0b482",
    Token.COMMENT: "#8f97a3",
    Token.PREPROCESSOR: "#f29ac2",
}


class CodeStyle:
    """The fonts and colours for one widget; create it again when its font or palette changes."""

    def __init__(self, widget: QWidget) -> None:
        palette = widget.palette()
        self.font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
        self.font.setPointSizeF(widget.font().pointSizeF())
        self.font.setStyleStrategy(QFont.StyleStrategy.PreferQuality)
        self.number_font = widget.font()
        self.bold_font = QFont(self.font)
        self.bold_font.setBold(True)
        self.gone_font = QFont(self.font)  # of code that only the base of a comparison has
        self.gone_font.setStrikeOut(True)
        metrics = QFontMetricsF(self.font)
        self.digit_width = metrics.horizontalAdvance("0")
        self.ascent, self.height = metrics.ascent(), metrics.height()
        self.text = palette.color(_ROLE.Text)
        self.selected_text = palette.color(_ROLE.HighlightedText)
        self.faint_text = palette.color(_ROLE.PlaceholderText)
        self.link = palette.color(_ROLE.Link)
        self.jump = palette.color(_ROLE.Link)
        self.branch = palette.color(_ROLE.BrightText)
        self.palette = palette
        self.selection = palette.color(_ROLE.Highlight)
        self.fold = palette.color(_ROLE.Midlight)
        self.inlined = QColor(self.fold)
        self.inlined.setAlpha(_INLINED_ALPHA)
        is_dark = palette.color(_ROLE.Base).lightness() < _DARK_BELOW
        self.match = QColor(_MATCH_COLOR)
        self.match.setAlpha(_MATCH_ALPHA[is_dark])
        colors = _DARK_COLORS if is_dark else _LIGHT_COLORS
        self.token_colors = {int(kind): QColor(color) for kind, color in colors.items()}
