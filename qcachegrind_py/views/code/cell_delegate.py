"""Draws the cells of a table of code straight from its model: some 300 of them in a picture.

What is drawn in a cell is remembered until the model says that it changed. So a picture of 43 rows
takes 9 ms, and through the roles that Qt asks for one by one 24 ms.
"""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from qcachegrind_py.models.base.plain_text import plain_line
from qcachegrind_py.models.code.records import RecordKind
from qcachegrind_py.models.code.table_base import CodeModel, ColoredWords
from qcachegrind_py.views.code.jump_gutter import paint_jumps
from qcachegrind_py.views.code.text_style import CodeStyle
from qcachegrind_py.views.common.row_delegates import highlight_brush, paint_cost_bar

_MARGIN = 5
_TAB_WIDTH = 8
_MAX_LINE_LENGTH = 1000  # characters of a line that are drawn; all of it is copied
_MAX_CACHED = 20_000  # cells
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_ELIDE_START, _ELIDE_END = Qt.TextElideMode.ElideLeft, Qt.TextElideMode.ElideRight
_CALL_MARK = "\N{RIGHTWARDS ARROW} "
_FOLD_MARK = "\N{MIDLINE HORIZONTAL ELLIPSIS} "
_INDENT = 3  # characters of a line that was put in here
# Python looks a member of an enumeration up anew each time: 1 µs, 1,000 times a picture
_CALL, _FOLD, _HEADING = map(int, (RecordKind.CALL, RecordKind.FOLD, RecordKind.HEADING))
_SELECTED = QStyle.StateFlag.State_Selected

Index = QModelIndex | QPersistentModelIndex
TextRun = tuple[float, str, QColor]  # where it begins, in pixels from the left


class CodeDelegate(QStyledItemDelegate):
    """For all columns of one table; `text_column` has the code itself."""

    def __init__(self, table: QWidget, model: CodeModel, text_column: int) -> None:
        super().__init__(table)
        self._model = model
        self.text_column = text_column
        self.scroll_offset = 0  # pixels of the text that are out of sight on the left
        self.search_text = ""  # a text, in small letters, that is lit up
        self._run_cache: dict[int, list[TextRun]] = {}  # of the code, by record
        self._cell_cache: dict[tuple[int, int], tuple[str, float]] = {}  # by record and column
        for changed in (model.modelReset, model.dataChanged, model.layoutChanged):
            changed.connect(self.clear_cache)
        self.update_style(table)

    def update_style(self, table: QWidget) -> None:
        """Take fonts and colours from the table anew."""
        self.code_style = CodeStyle(table)
        self.tint = highlight_brush(table.palette())
        self.clear_cache()

    def clear_cache(self) -> None:
        """The cells may look otherwise now."""
        self._run_cache.clear()
        self._cell_cache.clear()

    def clear_code_cache(self) -> None:
        """The code may have other colours now."""
        self._run_cache.clear()

    def text_width(self, text: str) -> int:
        """The room that a text in the font of the code needs."""
        return (
            QFontMetrics(self.code_style.font).horizontalAdvance(displayed_line(text)) + 2 * _MARGIN
        )

    @property
    def indent(self) -> int:
        """How far lines that were put in, and calls, stand to the right of others."""
        return round(_INDENT * self.code_style.digit_width)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: N802
        text = self._model.columns[index.column()].text(self._model.record(index))
        return QSize(self.text_width(text), int(self.code_style.height) + _MARGIN)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        model, column, area = self._model, index.column(), option.rect
        record, records = int(model.order[index.row()]), model.rows.records
        is_selected = bool(option.state & _SELECTED)
        if is_selected:
            painter.fillRect(area, self.code_style.selection)
        elif model.is_marked(record):
            painter.fillRect(area, self.tint)
        elif int(records.kind[record]) == _FOLD:
            painter.fillRect(area, self.code_style.fold)
        if column == model.JUMPS:
            if model.is_in_code_order:
                paint_jumps(painter, area, records, record, self.code_style, is_selected)
        elif column == self.text_column:
            self._paint_code(painter, area, record, is_selected)
        else:
            self._paint_cell(painter, area, record, column, is_selected)

    def _paint_cell(
        self, painter: QPainter, area: QRect, record: int, column: int, is_selected: bool
    ) -> None:
        """A number in the font of all numbers; a place in that of the code, and quieter."""
        look, is_cost = self.code_style, self._model.SELF <= column <= self._model.CALLS
        known = self._cell_cache.get((record, column))
        text, share = known if known is not None else self._cell(record, column, area.width())
        if not text:
            return
        if share:
            paint_cost_bar(painter, area, share, look.selection, is_selected)
        color = look.text if is_cost else look.faint_text
        painter.setFont(look.number_font if is_cost else look.font)
        painter.setPen(look.selected_text if is_selected else color)
        side = _RIGHT if self._model.columns[column].is_number else _LEFT
        painter.drawText(area.adjusted(_MARGIN, 0, -_MARGIN, 0), side, text)

    def _cell(self, record: int, column: int, width: int) -> tuple[str, float]:
        """Text and bar of a cell; a place that is too long keeps its end."""
        declared = self._model.columns[column]
        text = declared.text(record)
        if text and column not in range(self._model.SELF, self._model.CALLS + 1):
            room, metrics = width - 2 * _MARGIN, QFontMetrics(self.code_style.font)
            side = _ELIDE_START if declared.elides_start else _ELIDE_END
            text = metrics.elidedText(text, side, room)
        cell = text, declared.share(record) if declared.share and text else 0.0
        if len(self._cell_cache) > _MAX_CACHED:
            self._cell_cache.clear()
        self._cell_cache[record, column] = cell
        return cell

    # ---------------------------------------------------------------- the code

    def _paint_code(self, painter: QPainter, area: QRect, record: int, is_selected: bool) -> None:
        look, stretches = self.code_style, self._run_cache.get(record)
        if stretches is None:
            if len(self._run_cache) > _MAX_CACHED:
                self._run_cache.clear()
            stretches = self._run_cache[record] = self._text_runs(record)
        kind = int(self._model.rows.records.kind[record])
        painter.setFont(look.bold_font if kind == _HEADING else look.font)
        painter.setClipRect(area)
        # what is said about code stays where it is when the code is scrolled
        start = area.left() - (0 if kind in (_CALL, _FOLD) else self.scroll_offset)
        if self.search_text:
            self._paint_matches(painter, area, start, stretches)
        baseline = area.top() + (area.height() - look.height) / 2 + look.ascent
        for left, text, color in stretches:
            painter.setPen(look.selected_text if is_selected else color)
            if kind == _CALL:
                room = area.width() - round(left) - _MARGIN
                text = QFontMetrics(look.font).elidedText(text, Qt.TextElideMode.ElideRight, room)
            painter.drawText(QPointF(start + left, baseline), text)
        painter.setClipping(False)

    def match_extent(self, record: int) -> tuple[int, int]:
        """From where to where, in pixels of the whole text, the sought text first stands."""
        stretches = self._text_runs(record) if record >= 0 else []
        line, metrics = (
            "".join(text for _, text, _ in stretches),
            QFontMetrics(self.code_style.font),
        )
        at = line.lower().find(self.search_text) if self.search_text else -1
        if at < 0:
            return 0, 0
        start = round(stretches[0][0]) + metrics.horizontalAdvance(line[:at])
        return start, start + metrics.horizontalAdvance(line[at : at + len(self.search_text)])

    def _paint_matches(
        self, painter: QPainter, area: QRect, start: float, stretches: list[TextRun]
    ) -> None:
        """A background for the text that is sought, wherever it is in a line."""
        line, metrics = (
            "".join(text for _, text, _ in stretches),
            QFontMetrics(self.code_style.font),
        )
        at = line.lower().find(self.search_text)
        while at >= 0:
            left = start + stretches[0][0] + metrics.horizontalAdvance(line[:at])
            found = metrics.horizontalAdvance(line[at : at + len(self.search_text)])
            painter.fillRect(QRectF(left, area.top(), found, area.height()), self.code_style.match)
            at = line.lower().find(self.search_text, at + len(self.search_text))

    def _text_runs(self, record: int) -> list[TextRun]:
        """The text of a record in stretches of one colour each."""
        model, look = self._model, self.code_style
        kind, text = int(model.rows.records.kind[record]), model.full_text(record)
        indent = float(_MARGIN)
        if kind == _CALL or model.is_inlined(record):
            indent += self.indent
        if kind == _CALL:
            return [(indent, displayed_line(_CALL_MARK + text), look.link)]
        if kind == _FOLD:
            return [(indent, displayed_line(_FOLD_MARK + text), look.faint_text)]
        color = look.text if model.has_text(record) else look.faint_text
        if words := model.colored_words(record):
            return self._colored_runs(indent, text, words)
        return [(indent, displayed_line(text), color)]

    def _colored_runs(self, left: float, text: str, words: ColoredWords) -> list[TextRun]:
        """The stretches of a line; words without a colour of their own are put together."""
        shown, look = displayed_line(text), self.code_style
        metrics = None if shown.isascii() else QFontMetrics(look.font)
        stretches: list[TextRun] = []
        end = 0
        for start, length, kind in (*words, (len(text), 0, 0)):
            color = look.token_colors.get(kind)
            if color is None and length:
                continue  # drawn with what is around it
            for first, last, of in ((end, start, look.text), (start, start + length, color)):
                begin, stop = _column_without_tabs(text, first), _column_without_tabs(text, last)
                if begin < min(stop, len(shown)) and of is not None:
                    before = (
                        begin * look.digit_width
                        if metrics is None
                        else metrics.horizontalAdvance(shown[:begin])
                    )
                    stretches.append((left + before, shown[begin:stop], of))
            end = start + length
        return stretches


def _column_without_tabs(text: str, index: int) -> int:
    """Where a character of a line is once its tabs are blanks."""
    return len(text[:index].expandtabs(_TAB_WIDTH)) if "\t" in text else index


def displayed_line(text: str) -> str:
    """A line as it is drawn: tabs are blanks, what does not print is replaced, the end is cut."""
    return plain_line(text[:_MAX_LINE_LENGTH].expandtabs(_TAB_WIDTH)) + (
        "…" if len(text) > _MAX_LINE_LENGTH else ""
    )
