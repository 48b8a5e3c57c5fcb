"""The light and the dark palette, on Qt's Fusion style with icons in the colours of the palette."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication, QIcon, QPalette
from PySide6.QtWidgets import QApplication, QProxyStyle, QStyle, QStyleOption, QWidget

from qcachegrind_py.app.style.icons import icon
from qcachegrind_py.session.settings.store import ColorScheme

_PIXMAP = QStyle.StandardPixmap
_ICONS: Final = {  # Qt's own are black or dark grey, also on a dark window
    _PIXMAP.SP_TitleBarCloseButton: "close",
    _PIXMAP.SP_DockWidgetCloseButton: "close",
    _PIXMAP.SP_LineEditClearButton: "close",
    _PIXMAP.SP_TitleBarNormalButton: "float",
    _PIXMAP.SP_ArrowBack: "back",
    _PIXMAP.SP_ArrowForward: "forward",
    _PIXMAP.SP_FileDialogBack: "back",
    _PIXMAP.SP_FileDialogToParent: "up",
}
_WITHOUT_ICON: Final = "SP_Dialog"  # buttons of dialogs; their text says it all


class WindowStyle(QProxyStyle):
    """Fusion, whose icons can be seen in both palettes."""

    def __init__(self) -> None:
        super().__init__("Fusion")
        self.setObjectName("fusion")  # a proxy has no name of its own

    def standardIcon(  # noqa: N802
        self,
        standard: QStyle.StandardPixmap,
        option: QStyleOption | None = None,
        widget: QWidget | None = None,
    ) -> QIcon:
        """Return the program's own icon where it has one, and none for buttons of dialogs."""
        if standard in _ICONS:
            return icon(_ICONS[standard])
        if standard.name.startswith(_WITHOUT_ICON):
            return QIcon()
        return super().standardIcon(standard, option, widget)


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
    _ROLE.Shadow: "#60656e",
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
    _ROLE.Shadow: "#0b0c0e",
}
_CHECKBOX_OUTLINE = "#69717e"  # contrast of 3:1 to the window and to the check mark
_WITH_BOXES = ("QCheckBox", "QRadioButton")
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
    """Set the application's palette, and its style to Fusion with icons of this program."""
    if not isinstance(QApplication.style(), WindowStyle):
        QApplication.setStyle(WindowStyle())
    new_palette = palette(dark)
    if QApplication.palette() != new_palette:  # setting it takes 29 ms and redraws every icon
        QApplication.setPalette(new_palette)
        for widget in _WITH_BOXES:
            # the stubs declare bytes, which the call rejects
            QApplication.setPalette(_with_checkbox_outline(new_palette, dark), widget)  # type: ignore[arg-type]


def _with_checkbox_outline(base: QPalette, dark: bool) -> QPalette:
    """The palette of check boxes: Fusion draws the outline of an empty box dark on dark."""
    result = QPalette(base)
    if dark:
        result.setColor(_ROLE.Base, QColor(_CHECKBOX_OUTLINE))
    return result
