"""The style of all widgets: Fusion, with icons in the colours of the palette."""

from __future__ import annotations

from typing import Final

from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QProxyStyle, QStyle, QStyleOption, QWidget

from qcachegrind_py.app.style.icons import icon

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
