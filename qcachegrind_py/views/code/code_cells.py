"""The model of code, and how it is painted: cells, jump arrows, fonts and colours.

The delegate caches each cell's contents until the model changes. Painting 43 rows, some 300 cells,
takes 9 ms this way, and 24 ms through Qt's item roles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from math import ceil

import numpy as np
from PySide6.QtCore import (
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontDatabase,
    QFontMetrics,
    QFontMetricsF,
    QPainter,
    QPalette,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from qcachegrind_py.present.code_listing import Chunk, CodeListing, ColoredWords
from qcachegrind_py.present.code_records import Arrows, CodeCosts, RecordKind
from qcachegrind_py.present.jump_lanes import JumpLanes, LanePart
from qcachegrind_py.profile.ids import NO_FUNCTION
from qcachegrind_py.profile.tables import BoolArray, Int64Array
from qcachegrind_py.tools.sources.text_file import Highlights, Token
from qcachegrind_py.views.tables.bars import (
    number_and_bar,
    paint_change_bar,
    paint_cost_bar,
)
from qcachegrind_py.views.tables.row_delegates import RowStates, mark_width, paint_mark
from qcachegrind_py.views.tables.table_model import TableModel
from qcachegrind_py.views.widgets.colors import RowGround, marked_color, pointed_color
from qcachegrind_py.visible_text import visible_offsets, visible_text

_ASCENDING = Qt.SortOrder.AscendingOrder


class CodeModel(TableModel):
    """A table of source lines or instructions that folds ranges and groups."""

    colored = Signal()  # only the colours of lines have changed

    def __init__(self, empty: CodeListing, parent: QObject | None = None) -> None:
        """`empty` has the columns, and no records."""
        self.listing, self._nothing = empty, empty
        self.is_folded = False
        self.colors: dict[Chunk, Highlights] = {}  # of source lines, as far as they are known
        self._opened: set[int] = set()  # numbers of ranges without cost
        self._matched = np.empty(0, bool)  # records of the selected position
        super().__init__(empty.table, parent)
        self._sorted_by = (0, _ASCENDING)

    @property
    def is_in_code_order(self) -> bool:
        """Whether rows are in code order, so that arrows and folds make sense."""
        return self._sorted_by == (0, _ASCENDING)

    # ---------------------------------------------------------------- content

    def show_listing(self, listing: CodeListing) -> None:
        """Show other code; resets the model."""
        self.listing = listing
        self.colors.clear()
        self._opened.clear()
        self._matched = np.zeros(len(listing.rows.records), bool)
        self.show(listing.table)
        self._update_rows()

    def show_costs(self, costs: CodeCosts) -> None:
        """Show other costs of the same code: rows move along with their indexes."""
        self.listing = self.listing.with_costs(costs)
        self.show_numbers(self.listing.table)

    def clear(self) -> None:
        """Show nothing, and release the profile."""
        self.show_listing(self._nothing)

    @property
    def has_rows(self) -> bool:
        return self.listing is not self._nothing

    def add_colors(self, chunk: Chunk, colors: Highlights) -> None:
        self.colors[chunk] = colors
        self.colored.emit()

    # ---------------------------------------------------------------- folding

    def fold(self, folded: bool) -> None:
        self.is_folded = folded
        self._opened.clear()
        self._update_rows()

    def reveal(self, record: int) -> None:
        """Unfold the range and open the group that hide the record."""
        stretch = int(self.listing.rows.records.stretch[record])
        if self.is_folded and stretch >= 0:
            self._opened.add(stretch)
            self._update_rows()
        if self.listing.shown_record(record) != record:
            self.set_group_closed(record, closed=False)

    def set_group_closed(self, record: int, *, closed: bool) -> None:
        listing = self.listing.with_group(record, closed=closed)
        if listing is not self.listing:
            self.listing, self.table, self._sorted = listing, listing.table, None
            self._update_rows()
            self.redraw()

    def _update_rows(self) -> None:
        """Show the records that are neither folded nor in a closed group."""
        opened = self._opened if self.is_folded else None
        mask = self.listing.visible(opened, in_code_order=self.is_in_code_order)
        self.set_filter(None if mask.all() else mask)

    def _sorted_order(self) -> Int64Array:
        if not self.is_in_code_order:
            return super()._sorted_order()
        return np.arange(self.table.length) if self._mask is None else np.flatnonzero(self._mask)

    def sort(self, column: int, order: Qt.SortOrder = _ASCENDING) -> None:
        super().sort(column, order)
        self._update_rows()

    # ---------------------------------------------------------------- position

    def set_position(self, matched: BoolArray) -> None:
        """Mark these records: those of the line or instruction selected elsewhere."""
        if not np.array_equal(matched, self._matched):
            self._matched = matched
            self.redraw()

    @property
    def matched(self) -> BoolArray:
        """The mask of the records of the selected position."""
        return self._matched

    def is_marked(self, record: int) -> bool:
        """Whether the record belongs to the selected position or function."""
        if self._highlighted != NO_FUNCTION and self.table.node(record) == self._highlighted:
            return True
        if self._matched[record]:
            return True
        hidden = self.listing.hidden_members(record)  # none for most rows
        return len(hidden) > 0 and bool(self._matched[hidden].any())


_MARGIN = 5
_TAB_WIDTH = 8
_MAX_LINE_LENGTH = 1000  # characters painted of a line; copying takes all of it
_MAX_CACHED = 20_000  # cells
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_ELIDE_START, _ELIDE_END = Qt.TextElideMode.ElideLeft, Qt.TextElideMode.ElideRight
_CALL_MARK = "\N{RIGHTWARDS ARROW} "
_FOLD_MARK = "\N{MIDLINE HORIZONTAL ELLIPSIS} "
_INDENT = 3  # characters, for calls and inlined lines
# plain integers, because looking up an enum member takes 1 µs, 1,000 times for each repaint
_CALL, _FOLD, _HEADING, _SOURCE = map(
    int, (RecordKind.CALL, RecordKind.FOLD, RecordKind.HEADING, RecordKind.SOURCE)
)
_IN_PLACE = (_CALL, _FOLD, _SOURCE, _HEADING)  # kinds that do not scroll sideways with the code
_SELECTED = QStyle.StateFlag.State_Selected

Index = QModelIndex | QPersistentModelIndex
TextRun = tuple[float, str, QColor]  # start in pixels from the left, text, colour
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
        self.metrics, self.exact_metrics = QFontMetrics(self.font), QFontMetricsF(self.font)
        self.digit_width = self.exact_metrics.horizontalAdvance("0")
        self.ascent, self.height = self.exact_metrics.ascent(), self.exact_metrics.height()
        self.text = palette.color(_ROLE.Text)
        self.selected_text = palette.color(_ROLE.HighlightedText)
        self.faint_text = palette.color(_ROLE.PlaceholderText)
        self.link = palette.color(_ROLE.Link)
        self.jump = palette.color(_ROLE.Link)
        self.branch = palette.color(_ROLE.BrightText)
        self.palette = palette
        self.selection = palette.color(_ROLE.Highlight)
        self.pointed = pointed_color(palette)
        self.fold = palette.color(_ROLE.Midlight)
        self.inlined = QColor(self.fold)
        self.inlined.setAlpha(_INLINED_ALPHA)
        is_dark = palette.color(_ROLE.Base).lightness() < _DARK_BELOW
        self.match = QColor(_MATCH_COLOR)
        self.match.setAlpha(_MATCH_ALPHA[is_dark])
        colors = _DARK_COLORS if is_dark else _LIGHT_COLORS
        self.token_colors = {int(kind): QColor(color) for kind, color in colors.items()}


class CodeDelegate(QStyledItemDelegate):
    """The delegate of all columns of one table."""

    def __init__(
        self,
        table: QWidget,
        model: CodeModel,
        beside_bars: Mapping[int, int],
        row_states: RowStates,
    ) -> None:
        """`beside_bars` are the widths of the numbers in columns with bars, in pixels."""
        super().__init__(table)
        self._beside_bars, self._row_states = beside_bars, row_states
        self._model = model
        self.text_column, self._jumps = model.places("text", "jumps")
        self._costs = range(*model.places("self", "jumps"))  # columns in the font of numbers
        self.scroll_offset = 0  # pixels of the code scrolled out on the left
        self.search_text = ""  # the highlighted text, in lower case
        self._run_cache: dict[int, list[TextRun]] = {}  # runs of the code, by record
        # by record, column and width
        self._cell_cache: dict[tuple[int, int, int], tuple[str, float]] = {}
        for changed in (model.modelReset, model.dataChanged, model.layoutChanged):
            changed.connect(self.clear_cache)
        self.update_style(table)

    def update_style(self, table: QWidget) -> None:
        self.code_style = CodeStyle(table)
        self.tint = marked_color(table.palette())
        self.clear_cache()

    def clear_cache(self) -> None:
        self._run_cache.clear()
        self._cell_cache.clear()

    def clear_code_cache(self) -> None:
        self._run_cache.clear()

    def text_width(self, text: str) -> int:
        """Return the width of a cell with this text in the font of the code, in pixels."""
        metrics = self.code_style.exact_metrics  # rounded down, a text that fits is elided
        return ceil(metrics.horizontalAdvance(displayed_line(text))) + 2 * _MARGIN

    @property
    def indent(self) -> int:
        """The indentation of calls and inlined lines, in pixels."""
        return round(_INDENT * self.code_style.digit_width)

    @property
    def triangle_width(self) -> int:
        """The width in front of the code for the triangles that open groups, in pixels."""
        return round(self.code_style.height) if len(self._model.listing.rows.records.groups) else 0

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: N802
        text = self._model.columns[index.column()].cells.text(self._model.record(index))
        return QSize(self.text_width(text), int(self.code_style.height) + _MARGIN)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        model, column, area = self._model, index.column(), option.rect
        record, listing = int(model.order[index.row()]), model.listing
        is_selected = bool(option.state.value & _SELECTED.value)
        ground = self.code_style.selection if is_selected else self._tint_of(record)
        if ground is None and self._row_states.pointed == index.row():
            ground = self.code_style.pointed
        if ground is not None:
            painter.fillRect(area, ground)
        if column == self._jumps:
            if model.is_in_code_order:
                _paint_jumps(painter, area, *listing.jumps, record, self.code_style, is_selected)
        elif column == self.text_column:
            if listing.rows.records.is_host(record):
                self._paint_triangle(painter, area, record, is_selected)
            code = area.adjusted(self.triangle_width, 0, 0, 0)
            if mark := listing.texts.mark(record):
                code = self._paint_mark(painter, code, mark, is_selected)
            self._paint_code(painter, code, record, is_selected)
        else:
            self._paint_cell(painter, area, record, column, is_selected)

    def _tint_of(self, record: int) -> QColor | QBrush | None:
        """Return the background of a row that is not selected, if it is another than of others."""
        texts, records = self._model.listing.texts, self._model.listing.rows.records
        if self._model.is_marked(record):
            return self.tint
        if records.kind[record] == _FOLD:
            return self.code_style.fold
        is_source = records.kind[record] == _SOURCE
        if is_source or records.is_inlined(record) or texts.is_gone(record):
            return self.code_style.inlined
        return None

    def _paint_cell(
        self, painter: QPainter, area: QRect, record: int, column: int, is_selected: bool
    ) -> None:
        """Paint a cost in the font of numbers, or a location, faint, in the font of the code.

        The bar of a cost is at the right of its number, and never below it.
        """
        style, is_cost, listing = self.code_style, column in self._costs, self._model.listing
        if column == 0 and listing.texts.frame(record):
            return  # it stands before the code
        known = self._cell_cache.get((record, column, area.width()))
        text, share = known if known is not None else self._cell(record, column, area.width())
        if not text:
            return
        room = self._beside_bars.get(column, area.width())
        numbers, bar = number_and_bar(area, room)
        if not bar.isEmpty():
            paint = paint_change_bar if listing.is_compared else paint_cost_bar
            paint(painter, bar, share, style.palette, self._ground(record, is_selected))
        color = style.text if is_cost and not listing.is_tiny[record] else style.faint_text
        if column == 0 and listing.texts.mark(record):
            color = style.text
        painter.setFont(style.number_font if is_cost else style.font)
        painter.setPen(style.selected_text if is_selected else color)
        side = _RIGHT if self._model.columns[column].is_number else _LEFT
        painter.drawText(numbers, side, text)

    def _paint_mark(self, painter: QPainter, area: QRect, mark: str, is_selected: bool) -> QRect:
        """Paint the word for code of one side at the right; return what it leaves for the code."""
        style = self.code_style
        width = mark_width(style.number_font, mark)
        frame = QRectF(area).adjusted(area.width() - width + 2.5, 1.5, -4.5, -1.5)
        color = style.selected_text if is_selected else style.text
        paint_mark(painter, frame, mark, style.number_font, color)
        return area.adjusted(0, 0, -width, 0)

    def _ground(self, record: int, is_selected: bool) -> RowGround:
        if is_selected:
            return RowGround.ACTIVE  # of the same colour
        return RowGround.PLAIN if self._tint_of(record) is None else RowGround.TINTED

    def _cell(self, record: int, column: int, width: int) -> tuple[str, float]:
        """Return the elided text of a cell and its cost share; locations keep their end."""
        declared = self._model.columns[column]
        cells = declared.cells
        text = cells.text(record)
        if text and column not in self._costs:
            available, metrics = width - 2 * _MARGIN, self.code_style.metrics
            side = _ELIDE_START if declared.elides_start else _ELIDE_END
            text = metrics.elidedText(text, side, available)
        bar = cells.bar(record) if text else None
        cell = text, bar or 0.0
        if len(self._cell_cache) > _MAX_CACHED:
            self._cell_cache.clear()
        self._cell_cache[record, column, width] = cell
        return cell

    # ---------------------------------------------------------------- the code

    def _paint_code(self, painter: QPainter, area: QRect, record: int, is_selected: bool) -> None:
        style, runs = self.code_style, self._runs(record)
        kind = int(self._model.listing.rows.records.kind[record])
        is_gone = self._model.listing.texts.is_gone(record)
        font = style.gone_font if is_gone else style.font
        painter.setFont(style.bold_font if kind == _HEADING else font)
        painter.setClipRect(area)
        start = area.left() - (0 if kind in _IN_PLACE else self.scroll_offset)
        for left, width in self._matches(runs):
            match = QRectF(start + left, area.top(), width, area.height())
            painter.fillRect(match, style.match)
        baseline = area.top() + (area.height() - style.height) / 2 + style.ascent
        for left, text, color in runs:
            painter.setPen(style.selected_text if is_selected else color)
            if kind in _IN_PLACE:
                width = area.width() - round(left) - _MARGIN
                text = style.metrics.elidedText(text, Qt.TextElideMode.ElideRight, width)
            painter.drawText(QPointF(start + left, baseline), text)
        painter.setClipping(False)

    def _paint_triangle(
        self, painter: QPainter, area: QRect, record: int, is_selected: bool
    ) -> None:
        """Paint the triangle that opens the group of a line, or points down if it is open."""
        style, half = self.code_style, self.code_style.height / 4
        middle = QPointF(area.left() + self.triangle_width / 2, area.center().y() + 0.5)
        back, side = QPointF(half * 0.6, 0), QPointF(0, half)
        if not self._model.listing.is_closed(record):
            back, side = QPointF(0, half * 0.6), QPointF(half, 0)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(style.selected_text if is_selected else style.text)
        painter.drawPolygon(QPolygonF([middle + back, middle - back - side, middle - back + side]))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def code_width(self, record: int) -> int:
        """Return the pixels that the code of a record needs; 0 if it is elided in its place."""
        if int(self._model.listing.rows.records.kind[record]) in _IN_PLACE:
            return 0
        left, text, _ = self._runs(record)[-1]
        return self.triangle_width + round(left) + self.text_width(text) - _MARGIN

    def match_extent(self, record: int) -> tuple[int, int]:
        """Return start and end of the first search match, in pixels of the whole text.

        Without a match, the result is (0, 0).
        """
        runs = self._runs(record) if record >= 0 else []
        left, width = next(self._matches(runs), (0, 0))
        return round(left), round(left) + width

    def _matches(self, runs: list[TextRun]) -> Iterator[tuple[float, int]]:
        """Yield start and width of each search match, in pixels of the whole text."""
        if not self.search_text:
            return
        line, metrics = "".join(text for _, text, _ in runs), self.code_style.metrics
        at = line.lower().find(self.search_text)
        while at >= 0:
            end = at + len(self.search_text)
            left = runs[0][0] + metrics.horizontalAdvance(line[:at])
            yield left, metrics.horizontalAdvance(line[at:end])
            at = line.lower().find(self.search_text, end)

    def _runs(self, record: int) -> list[TextRun]:
        runs = self._run_cache.get(record)
        if runs is None:
            if len(self._run_cache) > _MAX_CACHED:
                self._run_cache.clear()
            runs = self._run_cache[record] = self._text_runs(record)
        return runs

    def _text_runs(self, record: int) -> list[TextRun]:
        texts = self._model.listing.texts
        records = self._model.listing.rows.records
        style = self.code_style
        kind, text = int(records.kind[record]), texts.full_text(record)
        is_tiny = bool(self._model.listing.is_tiny[record])
        indent = float(_MARGIN)
        indent += self.indent * ((kind == _CALL) + records.is_inlined(record))
        if kind == _CALL:
            color = style.faint_text if is_tiny else style.link
            return [(indent, displayed_line(_CALL_MARK + text), color)]
        if kind == _FOLD:
            return [(indent, displayed_line(_FOLD_MARK + text), style.faint_text)]
        color = style.text if texts.has_text(record) else style.faint_text
        words = texts.colored_words(record, self._model.colors)
        if texts.is_gone(record):  # struck out in one faint colour
            color, words = style.faint_text, ()
        if cut := texts.common_indent(record):
            text = text[cut:]
            words = tuple((start - cut, length, token) for start, length, token in words)
        before: list[TextRun] = []
        if frame := texts.frame(record):
            frame = displayed_line(f"{frame}  ")
            before = [(indent, frame, style.faint_text)]
            indent += self.text_width(frame) - 2 * _MARGIN
            if is_tiny:
                color, words = style.faint_text, ()
        runs = self._colored_runs(indent, text, words) if words else []
        runs = runs or [(indent, displayed_line(text), color)]
        return [*before, *runs, *self._hidden_lines(record, text)]

    def _hidden_lines(self, record: int, text: str) -> list[TextRun]:
        """Return how many inlined lines a closed group hides, behind the text of its line."""
        hidden = self._model.listing.hidden_text(record)
        if not hidden:
            return []
        start = self.text_width(text + "  ") - _MARGIN
        return [(start, _FOLD_MARK + hidden, self.code_style.faint_text)]

    def _colored_runs(self, left: float, text: str, words: ColoredWords) -> list[TextRun]:
        """Return the runs of a line; adjacent words in the default colour share one run."""
        shown, style = displayed_line(text), self.code_style
        metrics = None if shown.isascii() else QFontMetrics(style.font)
        runs: list[TextRun] = []
        columns = _shown_columns(text)
        end = 0
        for start, length, kind in (*words, (len(text), 0, 0)):
            color = style.token_colors.get(kind)
            if color is None and length:
                continue  # becomes part of the default-coloured run around it
            for first, last, run_color in (
                (end, start, style.text),
                (start, start + length, color),
            ):
                begin, stop = columns(first), columns(last)
                if begin < min(stop, len(shown)) and run_color is not None:
                    before = (
                        begin * style.digit_width
                        if metrics is None
                        else metrics.horizontalAdvance(shown[:begin])
                    )
                    runs.append((left + before, shown[begin:stop], run_color))
            end = start + length
        return runs


def _shown_columns(text: str) -> Callable[[int], int]:
    """Return a function from the index of a character to that in the displayed line."""

    def expanded(index: int) -> int:
        return len(text[:index].expandtabs(_TAB_WIDTH)) if "\t" in text else index

    line = text[:_MAX_LINE_LENGTH].expandtabs(_TAB_WIDTH)
    if line.isprintable():
        return expanded
    offsets = visible_offsets(line + "…")
    return lambda index: offsets[min(expanded(index), len(line) + 1)]


def displayed_line(text: str) -> str:
    """Return a line as painted: tabs expanded, other control characters shown, end cut off."""
    return visible_text(text[:_MAX_LINE_LENGTH].expandtabs(_TAB_WIDTH)) + (
        "…" if len(text) > _MAX_LINE_LENGTH else ""
    )


# ---------------------------------------------------------------- jumps
#
# Unconditional jumps are solid lines in the colour of links, conditional jumps dashed lines in the
# colour of warnings; both are thick at the selected row. Jumps without recorded counts are faint.
# If there is no lane for a jump, only its ends are painted, dotted.

_GUTTER_MARGIN = 3
_HEAD_LENGTH = 3.5  # half the height of an arrowhead
_MIN_LANES = 2
_DASHES = [2.5, 2.0]
_WIDE, _NARROW = 2.0, 1.2  # pixels
_UNKNOWN_ALPHA = 90  # of 255
_TURN_OFFSET = 2.0  # pixels: jumps start below the middle of a row and end above it

# for each part: whether a line leads up and down, and the offset of its turn from the middle
_LINES: dict[int, tuple[bool, bool, float]] = {
    int(LanePart.PASSES): (True, True, 0.0),
    int(LanePart.STARTS_UP): (True, False, _TURN_OFFSET),
    int(LanePart.STARTS_DOWN): (False, True, _TURN_OFFSET),
    int(LanePart.ENDS_FROM_ABOVE): (True, False, -_TURN_OFFSET),
    int(LanePart.ENDS_FROM_BELOW): (False, True, -_TURN_OFFSET),
    int(LanePart.LOOPS): (False, False, -_TURN_OFFSET),
}
_PASSES = int(LanePart.PASSES)


def _lane_width(style: CodeStyle) -> float:
    """Return the distance between lanes, in pixels."""
    return max(5.0, style.digit_width * 0.75)


def gutter_width(lanes: int, style: CodeStyle) -> int:
    return round((max(_MIN_LANES, lanes) + 1) * _lane_width(style)) + 2 * _GUTTER_MARGIN


def _paint_jumps(
    painter: QPainter,
    area: QRect,
    arrows: Arrows,
    lanes: JumpLanes,
    record: int,
    style: CodeStyle,
    is_selected: bool,
) -> None:
    """Paint the parts of all arrows that cross the row of a record; `lanes` are in records."""
    segments = lanes.segments(record)
    without_lane = lanes.unplaced_arrows(record)
    if not segments and not without_lane:
        return
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for arrow in without_lane:
        is_target = int(lanes.target[arrow]) == record
        color = style.branch if arrows.conditional[arrow] else style.jump
        _paint_stub(painter, area, style.selected_text if is_selected else color, is_target)
    for lane, part, merged in segments:
        arrow, kind = int(merged[0]), int(part)
        is_branch, is_known = bool(arrows.conditional[arrow]), int(arrows.executed[arrow]) >= 0
        color = style.selected_text if is_selected else style.branch if is_branch else style.jump
        pen = _jump_pen(color.rgb(), is_branch, is_known, is_selected and kind != _PASSES)
        painter.setPen(pen)
        _paint_segment(painter, area, lane, kind, _lane_width(style))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def _paint_stub(painter: QPainter, area: QRect, color: QColor, is_target: bool) -> None:
    """Paint one end of an arrow without a lane as a dotted line, with a head at the target."""
    painter.setPen(QPen(color, _WIDE, Qt.PenStyle.DotLine))
    left, right = area.left() + _GUTTER_MARGIN, area.right() - _GUTTER_MARGIN
    middle = (area.top() + area.bottom() + 1) / 2 + (-_TURN_OFFSET if is_target else _TURN_OFFSET)
    painter.drawLine(QPointF(left, middle), QPointF(right, middle))
    if is_target:
        _paint_head(painter, right, middle, color)


def _paint_head(painter: QPainter, right: float, turn: float, color: QColor) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    tip, back = QPointF(right + 1, turn), QPointF(_HEAD_LENGTH * 1.4, 0)
    half = QPointF(0, _HEAD_LENGTH)
    painter.drawPolygon(QPolygonF([tip, tip - back - half, tip - back + half]))


@lru_cache(32)
def _jump_pen(rgb: int, is_branch: bool, is_known: bool, is_wide: bool) -> QPen:
    color = QColor(rgb)
    if not is_known:
        color.setAlpha(_UNKNOWN_ALPHA)
    pen = QPen(color, _WIDE if is_wide else _NARROW)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    if is_branch:
        pen.setDashPattern(_DASHES)
    return pen


def _paint_segment(painter: QPainter, area: QRect, lane: int, part: int, width: float) -> None:
    right = area.right() - _GUTTER_MARGIN
    x, top, bottom = right - (lane + 1) * width, area.top(), area.bottom() + 1
    up, down, shift = _LINES[part]
    if part == _PASSES:
        painter.drawLine(QPointF(x, top), QPointF(x, bottom))
        return
    turn = (top + bottom) / 2 + shift
    if up:
        painter.drawLine(QPointF(x, top), QPointF(x, turn))
    if down:
        painter.drawLine(QPointF(x, turn), QPointF(x, bottom))
    painter.drawLine(QPointF(x, turn), QPointF(right, turn))
    if shift < 0:
        _paint_head(painter, right, turn, painter.pen().color())
