"""The light and the dark palette, which the style of the window draws with."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from qcachegrind_py.app.style.window_style import WindowStyle
from qcachegrind_py.session.settings.store import ColorScheme

_ROLE = QPalette.ColorRole
_LIGHT = {
    _ROLE.Window: "#f4f5f7",
    _ROLE.WindowText: "#1c1f24",
    _ROLE.Base: "#ffffff",
    _ROLE.AlternateBase: "#f7f8fa",
    _ROLE.Text: "#1c1f24",
    _ROLE.Button: "#eceef1",
    _ROLE.ButtonText: "#1c1f24",
    _ROLE.BrightText: "#b3261e",
    _ROLE.Highlight: "#2f6fd0",
    _ROLE.HighlightedText: "#ffffff",
    _ROLE.Link: "#1b5bbf",
    _ROLE.LinkVisited: "#6b3fa0",
    _ROLE.ToolTipBase: "#ffffff",
    _ROLE.ToolTipText: "#1c1f24",
    _ROLE.PlaceholderText: "#646b76",
    _ROLE.Light: "#ffffff",
    _ROLE.Midlight: "#e4e6ea",
    _ROLE.Mid: "#c6cad1",
    _ROLE.Dark: "#9aa0aa",
    _ROLE.Shadow: "#858b96",  # outlines of buttons and fields: 3:1 to window and base
}
_DARK = {
    _ROLE.Window: "#1f2227",
    _ROLE.WindowText: "#e6e8eb",
    _ROLE.Base: "#17191d",
    _ROLE.AlternateBase: "#1b1e22",
    _ROLE.Text: "#e6e8eb",
    _ROLE.Button: "#2a2e35",
    _ROLE.ButtonText: "#e6e8eb",
    _ROLE.BrightText: "#ff8a80",
    _ROLE.Highlight: "#3a74cc",
    _ROLE.HighlightedText: "#ffffff",
    _ROLE.Link: "#8ab4f8",
    _ROLE.LinkVisited: "#c5a5f0",
    _ROLE.ToolTipBase: "#2a2e35",
    _ROLE.ToolTipText: "#e6e8eb",
    _ROLE.PlaceholderText: "#9aa1ac",
    _ROLE.Light: "#3a3f48",
    _ROLE.Midlight: "#30353d",
    _ROLE.Mid: "#3d434d",
    _ROLE.Dark: "#121418",
    _ROLE.Shadow: "#6f7784",
}
_FADED_TEXT = {False: "#8a9099", True: "#757c87"}
_TEXTS = (_ROLE.WindowText, _ROLE.Text, _ROLE.ButtonText)


def is_dark(scheme: ColorScheme) -> bool:
    """Whether the scheme is dark; `SYSTEM` follows the desktop."""
    if scheme is ColorScheme.SYSTEM:
        return QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
    return scheme is ColorScheme.DARK


def palette(dark: bool) -> QPalette:
    result = QPalette()
    for role, color in (_DARK if dark else _LIGHT).items():
        result.setColor(role, QColor(color))
    for role in _TEXTS:
        result.setColor(QPalette.ColorGroup.Disabled, role, QColor(_FADED_TEXT[dark]))
    return result


def apply(scheme: ColorScheme) -> None:
    apply_palette(is_dark(scheme))


def apply_palette(dark: bool) -> None:
    """Set the application's palette, and its style to that of this program."""
    if not isinstance(QApplication.style(), WindowStyle):
        QApplication.setStyle(WindowStyle())
    new_palette = palette(dark)
    if QApplication.palette() != new_palette:  # setting it takes 29 ms and redraws every icon
        QApplication.setPalette(new_palette)
