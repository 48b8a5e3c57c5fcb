"""One look for tabs, buttons, fields and titles: flat shapes over Qt's Fusion style.

All colours are those of the palette, so that both themes have the same look: an outline for what
can be edited or pressed, a tint under the mouse, the colour of the selection for what is active.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPalette, QPen, QPolygonF
from PySide6.QtWidgets import (
    QComboBox,
    QProxyStyle,
    QStyle,
    QStyleOption,
    QStyleOptionButton,
    QStyleOptionComboBox,
    QStyleOptionComplex,
    QStyleOptionFrame,
    QStyleOptionSlider,
    QStyleOptionSpinBox,
    QStyleOptionToolButton,
    QTabBar,
    QWidget,
)

from qcachegrind_py.app.style.icons import icon
from qcachegrind_py.views.widgets.colors import blended
from qcachegrind_py.views.widgets.grid import grid

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

RADIUS: Final = 4  # pixels, of the corners of buttons and fields
OUTLINE: Final = QPalette.ColorRole.Shadow  # of buttons and fields
RULE: Final = QPalette.ColorRole.Mid  # lines between parts of the window
_ROLE = QPalette.ColorRole
_STATE = QStyle.StateFlag
_TINTS: Final = {  # how much of the accent is in a ground
    _STATE.State_MouseOver: 0.10,
    _STATE.State_On: 0.16,
    _STATE.State_Sunken: 0.22,
}


def accent(palette: QPalette) -> QColor:
    """The colour of what is active or has the keyboard."""
    return palette.color(QPalette.ColorGroup.Active, _ROLE.Highlight)


def tinted(palette: QPalette, ground: QPalette.ColorRole, state: QStyle.StateFlag) -> QColor:
    """Return a ground, with a tint where the mouse is over it, or where it is pressed or on."""
    parts = [0.0]
    if state & _STATE.State_Enabled:
        parts += [part for flag, part in _TINTS.items() if state & flag]
    return blended(accent(palette), palette.color(ground), max(parts))


def draw_sheet(
    painter: QPainter, area: QRect, ground: QColor | None, edge: QColor, width: float = 1
) -> None:
    """Draw a rectangle with round corners; without a ground, only its edge."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(edge, width))
    painter.setBrush(ground if ground is not None else Qt.BrushStyle.NoBrush)
    inset = width / 2
    painter.drawRoundedRect(QRectF(area).adjusted(inset, inset, -inset, -inset), RADIUS, RADIUS)
    painter.restore()


def _edge(option: QStyleOption, role: QPalette.ColorRole) -> tuple[QColor, float]:
    """Return the colour and width of an outline: that of the accent with the keyboard focus."""
    if option.state & _STATE.State_HasFocus:
        return accent(option.palette), 2
    is_enabled = bool(option.state & _STATE.State_Enabled)
    return option.palette.color(role if is_enabled else RULE), 1


def _draw_field(option: QStyleOption, painter: QPainter) -> None:
    """Draw the ground and the outline of what takes text, or of what offers choices."""
    is_enabled = bool(option.state & _STATE.State_Enabled)
    state = option.state & ~_STATE.State_Sunken  # set for all that takes text
    ground = tinted(option.palette, _ROLE.Base if is_enabled else _ROLE.Window, state)
    draw_sheet(painter, option.rect, ground, *_edge(option, OUTLINE))


def _draw_button(option: QStyleOption, painter: QPainter) -> None:
    """Draw a button; the one of a dialog that Return presses has the outline of the accent."""
    edge, width = _edge(option, RULE)
    if isinstance(option, QStyleOptionButton):
        features, feature = option.features, QStyleOptionButton.ButtonFeature
        if features & feature.Flat:
            _draw_flat_button(option, painter)
            return
        edge = accent(option.palette) if features & feature.DefaultButton else edge
    draw_sheet(
        painter, option.rect, tinted(option.palette, _ROLE.Button, option.state), edge, width
    )


def _draw_tool_button(option: QStyleOption, painter: QPainter) -> None:
    is_flat = bool(option.state & _STATE.State_AutoRaise)
    (_draw_flat_button if is_flat else _draw_button)(option, painter)


def _draw_flat_button(option: QStyleOption, painter: QPainter) -> None:
    """Draw a ground only under the mouse, or where the button is pressed, on, or has the focus."""
    state, palette = option.state, option.palette
    is_lit = state & (_STATE.State_MouseOver | _STATE.State_Sunken | _STATE.State_On)
    if is_lit and state & _STATE.State_Enabled:
        ground = tinted(palette, _ROLE.Window, state)
        draw_sheet(painter, option.rect, ground, ground)
    if state & _STATE.State_HasFocus and state & _STATE.State_KeyboardFocusChange:
        draw_sheet(painter, option.rect, None, accent(palette), 2)


def _draw_rule(option: QStyleOption, painter: QPainter) -> None:
    """Draw the line below tabs and bars."""
    area = option.rect
    painter.fillRect(area.left(), area.bottom(), area.width(), 1, option.palette.color(RULE))


def _draw_frame(option: QStyleOption, painter: QPainter) -> None:
    """Draw the outline of lists and texts in dialogs: Fusion's is as dark as a dark window."""
    painter.save()
    painter.setPen(option.palette.color(RULE))
    painter.drawRect(option.rect.adjusted(0, 0, -1, -1))
    painter.restore()


def _draw_check_box(option: QStyleOption, painter: QPainter) -> None:
    is_on, is_partly = (
        bool(option.state & state) for state in (_STATE.State_On, _STATE.State_NoChange)
    )
    _draw_box(option, painter, is_on or is_partly)
    if not (is_on or is_partly):
        return
    area = QRectF(option.rect)
    points = [(0.25, 0.52), (0.43, 0.70), (0.76, 0.32)] if is_on else [(0.25, 0.5), (0.75, 0.5)]
    places = [QPointF(area.x() + x * area.width(), area.y() + y * area.height()) for x, y in points]
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(option.palette.color(_ROLE.HighlightedText), 1.6))
    painter.drawPolyline(QPolygonF(places))
    painter.restore()


def _draw_box(option: QStyleOption, painter: QPainter, is_on: bool) -> None:
    """Draw the ground of a check box."""
    edge, _ = _edge(option, OUTLINE)
    is_enabled = bool(option.state & _STATE.State_Enabled)
    if is_on:
        ground = accent(option.palette) if is_enabled else edge
        draw_sheet(painter, option.rect, ground, ground)
    else:
        draw_sheet(painter, option.rect, tinted(option.palette, _ROLE.Base, option.state), edge)


def _draw_radio_button(option: QStyleOption, painter: QPainter) -> None:
    edge, _ = _edge(option, OUTLINE)
    area, is_on = QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5), option.state & _STATE.State_On
    is_enabled = bool(option.state & _STATE.State_Enabled)
    fill = accent(option.palette) if is_enabled else edge
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(fill if is_on else edge, 1.4))  # a thinner circle looks fainter
    painter.setBrush(fill if is_on else tinted(option.palette, _ROLE.Base, option.state))
    painter.drawEllipse(area)
    if is_on:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(option.palette.color(_ROLE.HighlightedText))
        painter.drawEllipse(area.center(), area.width() / 5, area.height() / 5)
    painter.restore()


def _draw_tab(option: QStyleOption, painter: QPainter) -> None:
    """Draw no box: a line of the accent under the tab in front, a tint under the mouse."""
    area, palette, state = option.rect, option.palette, option.state
    is_in_front = bool(state & _STATE.State_Selected)
    if state & _STATE.State_MouseOver and not is_in_front:
        ground = tinted(palette, _ROLE.Window, _STATE.State_Enabled | _STATE.State_MouseOver)
        painter.fillRect(area.adjusted(0, 0, 0, -1), ground)
    if is_in_front:
        painter.fillRect(area.left(), area.bottom() - 1, area.width(), 2, accent(palette))
    if state & _STATE.State_HasFocus and is_in_front:
        draw_sheet(painter, area.adjusted(2, 2, -2, -3), None, accent(palette), 1)


def _quiet_tab(option: QStyleOption) -> None:
    """Let the titles of tabs that are not in front step back."""
    if not option.state & _STATE.State_Selected:
        palette = QPalette(option.palette)
        palette.setColor(_ROLE.WindowText, palette.color(_ROLE.PlaceholderText))
        option.palette = palette


def _center_label(option: QStyleOptionToolButton) -> None:
    """Give an icon with words as much room on the left as Qt leaves on the right."""
    if option.toolButtonStyle == Qt.ToolButtonStyle.ToolButtonTextBesideIcon:
        option.rect = option.rect.adjusted(grid(0.5), 0, 0, 0)


def _draw_header(option: QStyleOption, painter: QPainter) -> None:
    """Draw the title of a column on the ground of its rows, with a line below."""
    area, palette = option.rect, option.palette
    state = option.state & ~_STATE.State_On  # set for columns with selected rows
    painter.fillRect(area, tinted(palette, _ROLE.Base, state))
    painter.fillRect(area.left(), area.bottom(), area.width(), 1, palette.color(RULE))


def _draw_tool_bar(option: QStyleOption, painter: QPainter) -> None:
    painter.fillRect(option.rect, option.palette.color(_ROLE.Window))
    _draw_rule(option, painter)


def _draw_handle(option: QStyleOption, painter: QPainter) -> None:
    """Draw a thin line between parts that share the room; under the mouse, in the accent."""
    area, palette = option.rect, option.palette
    is_lit = bool(option.state & _STATE.State_MouseOver)
    color = accent(palette) if is_lit else palette.color(RULE)
    if area.width() < area.height():
        area = QRect(area.center().x(), area.top(), 1 + is_lit, area.height())
    else:
        area = QRect(area.left(), area.center().y(), area.width(), 1 + is_lit)
    painter.fillRect(area, color)


def _scroll_bar_part(option: QStyleOptionSlider, part: QStyle.SubControl) -> QRect:
    """Return where a part of a scroll bar is; it has no arrows, so that the slider has all room."""
    is_wide = option.orientation == Qt.Orientation.Horizontal
    room = option.rect.width() if is_wide else option.rect.height()
    steps = option.maximum - option.minimum
    share = option.pageStep / max(1, steps + option.pageStep)
    length = room if steps <= 0 else min(room, max(grid(3), round(room * share)))
    position = QStyle.sliderPositionFromValue(
        option.minimum, option.maximum, option.sliderPosition, room - length, option.upsideDown
    )
    begin, end = {
        _SC.SC_ScrollBarGroove: (0, room),
        _SC.SC_ScrollBarSlider: (position, position + length),
        _SC.SC_ScrollBarSubPage: (0, position),
        _SC.SC_ScrollBarAddPage: (position + length, room),
    }.get(part, (0, 0))
    if is_wide:
        return QRect(begin, 0, end - begin, option.rect.height())
    return QRect(0, begin, option.rect.width(), end - begin)


_Draw = Callable[[QStyleOption, QPainter], None]
_SC, _CC = QStyle.SubControl, QStyle.ComplexControl
_PE, _CE, _PM, _CT = (
    QStyle.PrimitiveElement,
    QStyle.ControlElement,
    QStyle.PixelMetric,
    QStyle.ContentsType,
)
_PRIMITIVES: Final[dict[QStyle.PrimitiveElement, _Draw]] = {
    _PE.PE_PanelLineEdit: _draw_field,
    _PE.PE_FrameLineEdit: _draw_field,
    _PE.PE_Frame: _draw_frame,
    _PE.PE_PanelButtonTool: _draw_tool_button,
    _PE.PE_PanelButtonCommand: _draw_button,
    _PE.PE_FrameTabBarBase: _draw_rule,
    _PE.PE_IndicatorCheckBox: _draw_check_box,
    _PE.PE_IndicatorItemViewItemCheck: _draw_check_box,
    _PE.PE_IndicatorRadioButton: _draw_radio_button,
    _PE.PE_IndicatorDockWidgetResizeHandle: _draw_handle,
}
_CONTROLS: Final[dict[QStyle.ControlElement, _Draw]] = {
    _CE.CE_TabBarTabShape: _draw_tab,
    _CE.CE_HeaderSection: _draw_header,
    _CE.CE_HeaderEmptyArea: _draw_header,
    _CE.CE_Splitter: _draw_handle,
    _CE.CE_ToolBar: _draw_tool_bar,
}
_STEPS: Final = {  # of the grid
    _PM.PM_LayoutLeftMargin: 1.5,
    _PM.PM_LayoutTopMargin: 1.5,
    _PM.PM_LayoutRightMargin: 1.5,
    _PM.PM_LayoutBottomMargin: 1.5,
    _PM.PM_LayoutHorizontalSpacing: 1,
    _PM.PM_LayoutVerticalSpacing: 1,
    _PM.PM_TabBarTabHSpace: 3,
    _PM.PM_TabBarTabVSpace: 1.5,
    _PM.PM_TabBarBaseOverlap: 0,
    _PM.PM_TabBarTabShiftVertical: 0,
    _PM.PM_TabBarTabShiftHorizontal: 0,
    _PM.PM_ToolBarItemSpacing: 0.5,
    _PM.PM_ToolBarItemMargin: 0.5,
    _PM.PM_ToolBarFrameWidth: 0,
    _PM.PM_DockWidgetTitleMargin: 0.5,
    _PM.PM_DockWidgetSeparatorExtent: 0.75,
    _PM.PM_SplitterWidth: 0.75,
    _PM.PM_ScrollBarExtent: 1.5,
    _PM.PM_ButtonShiftHorizontal: 0,
    _PM.PM_ButtonShiftVertical: 0,
}
_FUSIONS: Final = (  # its values for all widgets, which a start needs 5,000 times
    _PM.PM_DockWidgetTitleBarButtonMargin,
    _PM.PM_ScrollBarSliderMin,
    _PM.PM_ScrollView_ScrollBarOverlap,
    _PM.PM_SmallIconSize,
    _PM.PM_HeaderMargin,
    _PM.PM_DockWidgetFrameWidth,
    _PM.PM_MenuBarPanelWidth,
    _PM.PM_MenuBarVMargin,
    _PM.PM_MenuBarHMargin,
    _PM.PM_TabBarIconSize,
    _PM.PM_FocusFrameHMargin,
)
_CONTROL_HEIGHT: Final = 3  # steps of the grid: of buttons, fields and boxes alike
_CONTROLS_IN_ROWS: Final = {_CT.CT_ComboBox, _CT.CT_LineEdit, _CT.CT_PushButton, _CT.CT_ToolButton}


class WindowStyle(QProxyStyle):
    """Fusion with flat shapes, distances on the grid, and icons that both palettes show."""

    def __init__(self) -> None:
        super().__init__("Fusion")
        self.setObjectName("fusion")  # a proxy has no name of its own
        self._metrics = {metric: grid(steps) for metric, steps in _STEPS.items()}
        self._metrics |= {metric: QProxyStyle.pixelMetric(self, metric) for metric in _FUSIONS}
        self._control_height = grid(_CONTROL_HEIGHT)

    def polish(self, target: Any) -> Any:
        """Let tabs and boxes be told when the mouse is over them."""
        result = super().polish(target)
        if isinstance(target, (QTabBar, QComboBox)):
            target.setAttribute(Qt.WidgetAttribute.WA_Hover)
        return result

    def drawPrimitive(  # noqa: N802
        self,
        element: QStyle.PrimitiveElement,
        option: QStyleOption,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        draw = _PRIMITIVES.get(element)
        if draw is None:
            super().drawPrimitive(element, option, painter, widget)
        elif not (isinstance(option, QStyleOptionFrame) and option.lineWidth == 0):
            draw(option, painter)  # a field within a box has no frame of its own

    def drawControl(  # noqa: N802
        self,
        element: QStyle.ControlElement,
        option: QStyleOption,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        draw = _CONTROLS.get(element)
        if element is _CE.CE_TabBarTabLabel:
            _quiet_tab(option)
        elif element is _CE.CE_ToolButtonLabel and isinstance(option, QStyleOptionToolButton):
            _center_label(option)
        if draw is None:
            super().drawControl(element, option, painter, widget)
        else:
            draw(option, painter)

    def drawComplexControl(  # noqa: N802
        self,
        control: QStyle.ComplexControl,
        option: QStyleOptionComplex,
        painter: QPainter,
        widget: QWidget | None = None,
    ) -> None:
        if isinstance(option, QStyleOptionComboBox):
            _draw_field(option, painter)
            self._draw_chevron(control, _SC.SC_ComboBoxArrow, option, painter, widget)
        elif isinstance(option, QStyleOptionSpinBox):
            _draw_field(option, painter)
            for part in (_SC.SC_SpinBoxUp, _SC.SC_SpinBoxDown):
                self._draw_chevron(control, part, option, painter, widget)
        elif isinstance(option, QStyleOptionSlider) and control is _CC.CC_ScrollBar:
            self._draw_scroll_bar(option, painter, widget)
        else:
            super().drawComplexControl(control, option, painter, widget)

    def _draw_chevron(
        self,
        control: QStyle.ComplexControl,
        part: QStyle.SubControl,
        option: QStyleOptionComplex,
        painter: QPainter,
        widget: QWidget | None,
    ) -> None:
        """Draw what opens a box, or counts a number up or down, in its part of the control."""
        center = QPointF(self.subControlRect(control, option, part, widget).center())
        side = -1 if part is _SC.SC_SpinBoxUp else 1
        ends = [center + QPointF(x, side * y) for x, y in ((-3.5, -1.5), (0, 2), (3.5, -1.5))]
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(option.palette.color(_ROLE.ButtonText), 1.4))
        painter.drawPolyline(QPolygonF(ends))
        painter.restore()

    def _draw_scroll_bar(
        self, option: QStyleOptionSlider, painter: QPainter, widget: QWidget | None
    ) -> None:
        """Draw the slider alone, on the ground of the window."""
        palette, state = option.palette, option.state
        painter.fillRect(option.rect, palette.color(_ROLE.Window))
        is_held = bool(option.activeSubControls & QStyle.SubControl.SC_ScrollBarSlider)
        if not state & _STATE.State_Enabled or option.maximum == option.minimum:
            return
        part = QStyle.SubControl.SC_ScrollBarSlider
        area = self.subControlRect(_CC.CC_ScrollBar, option, part, widget)
        is_wide = option.orientation == Qt.Orientation.Horizontal
        across = grid(0.25) + 1
        area.adjust(*((2, across, -2, -across) if is_wide else (across, 2, -across, -2)))
        color = palette.color(OUTLINE)
        color = blended(accent(palette), color, 0.6) if is_held else color
        draw_sheet(painter, area, color, color)

    def pixelMetric(  # noqa: N802
        self,
        metric: QStyle.PixelMetric,
        option: QStyleOption | None = None,
        widget: QWidget | None = None,
    ) -> int:
        distance = self._metrics.get(metric)
        return super().pixelMetric(metric, option, widget) if distance is None else distance

    def subElementRect(  # noqa: N802
        self, element: QStyle.SubElement, option: QStyleOption, widget: Any = None
    ) -> QRect:
        """Keep the text of a field away from its outline."""
        area = super().subElementRect(element, option, widget)
        if element is QStyle.SubElement.SE_LineEditContents:
            area.adjust(grid(0.5), 0, -grid(0.5), 0)
        return area

    def subControlRect(  # noqa: N802
        self,
        control: QStyle.ComplexControl,
        option: QStyleOptionComplex,
        part: QStyle.SubControl,
        widget: Any = None,
    ) -> QRect:
        """Keep the text of a box away from its outline."""
        if isinstance(option, QStyleOptionSlider) and control is _CC.CC_ScrollBar:
            return _scroll_bar_part(option, part)
        area = super().subControlRect(control, option, part, widget)
        if part is QStyle.SubControl.SC_ComboBoxEditField and isinstance(
            option, QStyleOptionComboBox
        ):
            area.adjust(grid(0.25), 0, 0, 0)
        return area

    def sizeFromContents(  # noqa: N802
        self,
        kind: QStyle.ContentsType,
        option: QStyleOption,
        size: QSize,
        widget: Any = None,
    ) -> QSize:
        """Give all controls that stand in a row one height."""
        result = super().sizeFromContents(kind, option, size, widget)
        if kind is _CT.CT_ComboBox:
            result.setWidth(result.width() + grid(0.5))
        elif kind is _CT.CT_SpinBox:
            result.setHeight(self._control_height)
        if kind in _CONTROLS_IN_ROWS:
            result.setHeight(max(result.height(), self._control_height))
        return result

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
