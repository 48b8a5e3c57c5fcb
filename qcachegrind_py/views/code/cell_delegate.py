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
from qcachegrind_py.views.code.jump_gutter import draw_jumps
from qcachegrind_py.views.code.text_style import CodeLook
from qcachegrind_py.views.common.row_delegates import draw_bar, tint

_MARGIN = 5
_TAB = 8
_LONGEST = 1000  # characters of a line that are drawn; all of it is copied
_KEPT = 20_000  # cells
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_END, _BEGIN = Qt.TextElideMode.ElideLeft, Qt.TextElideMode.ElideRight
_CALL_MARK = "\N{RIGHTWARDS ARROW} "
_FOLD_MARK = "\N{MIDLINE HORIZONTAL ELLIPSIS} "
_INDENT = 3  # characters of a line that was put in here
# Python looks a member of an enumeration up anew each time: 1 µs, 1,000 times a picture
_CALL, _FOLD, _HEADING = map(int, (RecordKind.CALL, RecordKind.FOLD, RecordKind.HEADING))
_SELECTED = QStyle.StateFlag.State_Selected

Index = QModelIndex | QPersistentModelIndex
Stretch = tuple[float, str, QColor]  # where it begins, in pixels from the left


class CodeDelegate(QStyledItemDelegate):
    """For all columns of one table; `text_column` has the code itself."""

    def __init__(self, table: QWidget, model: CodeModel, text_column: int) -> None:
        super().__init__(table)
        self._model = model
        self.text_column = text_column
        self.scrolled = 0  # pixels of the text that are out of sight on the left
        self.sought = ""  # a text, in small letters, that is lit up
        self._stretches: dict[int, list[Stretch]] = {}  # of the code, by record
        self._texts: dict[tuple[int, int], tuple[str, float]] = {}  # by record and column
        for changed in (model.modelReset, model.dataChanged, model.layoutChanged):
            changed.connect(self.forget)
        self.renew(table)

    def renew(self, table: QWidget) -> None:
        """Take fonts and colours from the table anew."""
        self.look = CodeLook(table)
        self.tint = tint(table.palette())
        self.forget()

    def forget(self) -> None:
        """The cells may look otherwise now."""
        self._stretches.clear()
        self._texts.clear()

    def forget_code(self) -> None:
        """The code may have other colours now."""
        self._stretches.clear()

    def width_of(self, text: str) -> int:
        """The room that a text in the font of the code needs."""
        return QFontMetrics(self.look.font).horizontalAdvance(shown_text(text)) + 2 * _MARGIN

    @property
    def indent(self) -> int:
        """How far lines that were put in, and calls, stand to the right of others."""
        return round(_INDENT * self.look.digit)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: N802
        text = self._model.columns[index.column()].text(self._model.record(index))
        return QSize(self.width_of(text), int(self.look.height) + _MARGIN)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        model, column, area = self._model, index.column(), option.rect
        record, records = int(model.order[index.row()]), model.rows.records
        is_selected = bool(option.state & _SELECTED)
        if is_selected:
            painter.fillRect(area, self.look.selection)
        elif model.is_marked(record):
            painter.fillRect(area, self.tint)
        elif int(records.kind[record]) == _FOLD:
            painter.fillRect(area, self.look.fold)
        if column == model.JUMPS:
            if model.is_in_code_order:
                draw_jumps(painter, area, records, record, self.look, is_selected)
        elif column == self.text_column:
            self._draw_code(painter, area, record, is_selected)
        else:
            self._draw_cell(painter, area, record, column, is_selected)

    def _draw_cell(
        self, painter: QPainter, area: QRect, record: int, column: int, is_selected: bool
    ) -> None:
        """A number in the font of all numbers; a place in that of the code, and quieter."""
        look, is_cost = self.look, self._model.SELF <= column <= self._model.CALLS
        known = self._texts.get((record, column))
        text, share = known if known is not None else self._cell(record, column, area.width())
        if not text:
            return
        if share:
            draw_bar(painter, area, share, look.selection, is_selected)
        color = look.text if is_cost else look.faint
        painter.setFont(look.numbers if is_cost else look.font)
        painter.setPen(look.selected_text if is_selected else color)
        side = _RIGHT if self._model.columns[column].is_number else _LEFT
        painter.drawText(area.adjusted(_MARGIN, 0, -_MARGIN, 0), side, text)

    def _cell(self, record: int, column: int, width: int) -> tuple[str, float]:
        """Text and bar of a cell; a place that is too long keeps its end."""
        declared = self._model.columns[column]
        text = declared.text(record)
        if text and column not in range(self._model.SELF, self._model.CALLS + 1):
            room, metrics = width - 2 * _MARGIN, QFontMetrics(self.look.font)
            side = _END if declared.elides_start else _BEGIN
            text = metrics.elidedText(text, side, room)
        cell = text, declared.share(record) if declared.share and text else 0.0
        if len(self._texts) > _KEPT:
            self._texts.clear()
        self._texts[record, column] = cell
        return cell

    # ---------------------------------------------------------------- the code

    def _draw_code(self, painter: QPainter, area: QRect, record: int, is_selected: bool) -> None:
        look, stretches = self.look, self._stretches.get(record)
        if stretches is None:
            if len(self._stretches) > _KEPT:
                self._stretches.clear()
            stretches = self._stretches[record] = self._code(record)
        kind = int(self._model.rows.records.kind[record])
        painter.setFont(look.bold if kind == _HEADING else look.font)
        painter.setClipRect(area)
        # what is said about code stays where it is when the code is scrolled
        start = area.left() - (0 if kind in (_CALL, _FOLD) else self.scrolled)
        if self.sought:
            self._mark_found(painter, area, start, stretches)
        baseline = area.top() + (area.height() - look.height) / 2 + look.ascent
        for left, text, color in stretches:
            painter.setPen(look.selected_text if is_selected else color)
            if kind == _CALL:
                room = area.width() - round(left) - _MARGIN
                text = QFontMetrics(look.font).elidedText(text, Qt.TextElideMode.ElideRight, room)
            painter.drawText(QPointF(start + left, baseline), text)
        painter.setClipping(False)

    def found_in(self, record: int) -> tuple[int, int]:
        """From where to where, in pixels of the whole text, the sought text first stands."""
        stretches = self._code(record) if record >= 0 else []
        line, metrics = "".join(text for _, text, _ in stretches), QFontMetrics(self.look.font)
        at = line.lower().find(self.sought) if self.sought else -1
        if at < 0:
            return 0, 0
        start = round(stretches[0][0]) + metrics.horizontalAdvance(line[:at])
        return start, start + metrics.horizontalAdvance(line[at : at + len(self.sought)])

    def _mark_found(
        self, painter: QPainter, area: QRect, start: float, stretches: list[Stretch]
    ) -> None:
        """A background for the text that is sought, wherever it is in a line."""
        line, metrics = "".join(text for _, text, _ in stretches), QFontMetrics(self.look.font)
        at = line.lower().find(self.sought)
        while at >= 0:
            left = start + stretches[0][0] + metrics.horizontalAdvance(line[:at])
            found = metrics.horizontalAdvance(line[at : at + len(self.sought)])
            painter.fillRect(QRectF(left, area.top(), found, area.height()), self.look.found)
            at = line.lower().find(self.sought, at + len(self.sought))

    def _code(self, record: int) -> list[Stretch]:
        """The text of a record in stretches of one colour each."""
        model, look = self._model, self.look
        kind, text = int(model.rows.records.kind[record]), model.full_text(record)
        indent = float(_MARGIN)
        if kind == _CALL or model.is_inlined(record):
            indent += self.indent
        if kind == _CALL:
            return [(indent, shown_text(_CALL_MARK + text), look.link)]
        if kind == _FOLD:
            return [(indent, shown_text(_FOLD_MARK + text), look.faint)]
        color = look.text if model.has_text(record) else look.faint
        if words := model.colored_words(record):
            return self._colored(indent, text, words)
        return [(indent, shown_text(text), color)]

    def _colored(self, left: float, text: str, words: ColoredWords) -> list[Stretch]:
        """The stretches of a line; words without a colour of their own are put together."""
        shown, look = shown_text(text), self.look
        metrics = None if shown.isascii() else QFontMetrics(look.font)
        stretches: list[Stretch] = []
        end = 0
        for start, length, kind in (*words, (len(text), 0, 0)):
            color = look.words.get(kind)
            if color is None and length:
                continue  # drawn with what is around it
            for first, last, of in ((end, start, look.text), (start, start + length, color)):
                begin, stop = _column(text, first), _column(text, last)
                if begin < min(stop, len(shown)) and of is not None:
                    before = (
                        begin * look.digit
                        if metrics is None
                        else metrics.horizontalAdvance(shown[:begin])
                    )
                    stretches.append((left + before, shown[begin:stop], of))
            end = start + length
        return stretches


def _column(text: str, place: int) -> int:
    """Where a character of a line is once its tabs are blanks."""
    return len(text[:place].expandtabs(_TAB)) if "\t" in text else place


def shown_text(text: str) -> str:
    """A line as it is drawn: tabs are blanks, what does not print is replaced, the end is cut."""
    return plain_line(text[:_LONGEST].expandtabs(_TAB)) + ("…" if len(text) > _LONGEST else "")
