"""Words beside the icons of buttons, as many as there is room for."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QToolButton

_WORDS = Qt.ToolButtonStyle.ToolButtonTextBesideIcon
_ICON = Qt.ToolButtonStyle.ToolButtonIconOnly


class ButtonWords:
    """Gives words to the buttons that come first, and icons alone to the others."""

    def __init__(self, buttons: Sequence[QToolButton]) -> None:
        self._buttons = buttons
        self._widths: list[int] = []  # of the words of each button, once known

    def fit(self, room: int) -> None:
        """Show the words that fit into this width, which the icons leave."""
        if not self._widths:
            self._widths = [_width_of_words(button) for button in self._buttons]
        for button, width in zip(self._buttons, self._widths, strict=True):
            room -= width
            style = _WORDS if room >= 0 else _ICON
            if style is not button.toolButtonStyle():
                button.setToolButtonStyle(style)

    def width(self) -> int:
        """Return how much wider the buttons are than with icons alone."""
        widths = zip(self._buttons, self._widths, strict=False)
        return sum(width for button, width in widths if button.toolButtonStyle() is _WORDS)

    def are_due(self, event: QEvent) -> bool:
        """Return whether words are to be chosen anew after this event of what has the buttons.

        They are when another part needs another room. With another font they are measured again.
        """
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._widths = []
        return event.type() == QEvent.Type.LayoutRequest


def _width_of_words(button: QToolButton) -> int:
    widths = []
    for style in (_ICON, _WORDS):
        button.setToolButtonStyle(style)
        widths.append(button.sizeHint().width())
    return widths[1] - widths[0]
