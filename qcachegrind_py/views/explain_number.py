"""The explanation of a number: what a number consists of, down to the lines of the profile."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from html import escape

from PySide6.QtCore import QUrl
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QTextBrowser, QWidget

from qcachegrind_py.analysis.costs.scope import Scope
from qcachegrind_py.analysis.explanation.explain import explain
from qcachegrind_py.analysis.explanation.numbers import (
    AnyKey,
    Explanation,
    NumberKey,
    NumberKind,
    NumberRequest,
)
from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.context import Change, Context
from qcachegrind_py.present.explanation import (
    Paragraph,
    RecordGroup,
    Section,
    Sentence,
    Wording,
    record_groups,
)
from qcachegrind_py.present.number_request import number_request
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.errors import Cancelled, ProfileError
from qcachegrind_py.profile.events import EventType
from qcachegrind_py.profile.ids import NO_NODE
from qcachegrind_py.profile.progress import PartialProgress, Progress
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.profile_view import JobView, header_row, stacked
from qcachegrind_py.views.widgets.controls import text_button
from qcachegrind_py.views.widgets.empty_page import NO_FUNCTION_CHOSEN
from qcachegrind_py.write.explanation import explanation_lines


class NumberPage:
    """Writes explanations; links have the index of their number in `links`."""

    def __init__(self) -> None:
        self.links: list[AnyKey] = []

    def section(self, heading: str, sections: Iterable[Section]) -> str:
        begin = f"{heading}: " if heading else ""
        pieces: list[str] = []
        for paragraph in (each for section in sections for each in section):
            pieces += self._paragraph(begin, paragraph)
            begin = ""
        return "".join(pieces)

    def _paragraph(self, begin: str, paragraph: Paragraph) -> Iterator[str]:
        value = f": <b>{escape(paragraph.value)}</b>" if paragraph.value else ""
        yield f"<p>{escape(begin + paragraph.text)}{value}"
        remarks = map(self._sentence, paragraph.remarks)
        if not paragraph.terms:
            yield from (f"<br>{remark}" for remark in remarks)
        yield "</p>"
        yield _table((number, self._sentence(words)) for number, words in paragraph.terms)
        yield from (f"<p>{remark}</p>" for remark in remarks)
        yield f"<p>in {escape(paragraph.file)}:</p>" if paragraph.file else ""
        yield _table(
            (line.values, f"line {line.number}", f"<code>{escape(line.text)}</code>")
            for line in paragraph.lines
        )

    def _sentence(self, sentence: Sentence) -> str:
        return "".join(
            escape(piece.text) if piece.key is None else self._link(piece.key, piece.text)
            for piece in sentence
        )

    def _link(self, key: AnyKey, text: str) -> str:
        self.links.append(key)
        return f'<a href="#{len(self.links) - 1}">{escape(text)}</a>'


def _table(rows: Iterable[tuple[str, ...]]) -> str:
    """Return a table of numbers, and of cells behind them that are HTML; empty without rows."""
    cells = "".join(
        f'<tr><td align="right">{escape(number)}</td>'
        + "".join(f'<td style="padding-left: 8px">{cell}</td>' for cell in others)
        + "</tr>"
        for number, *others in rows
    )
    return f"<table>{cells}</table>" if cells else ""


_KINDS = {
    NumberKind.INCLUSIVE: ("Inclusive", "Explain the inclusive cost of the active function"),
    NumberKind.SELF: ("Self", "Explain the self cost of the active function"),
    NumberKind.CALLED: ("Called", "Explain how often the active function was called"),
}


@frozen(eq=True)
class _ExplainedSide:
    """An explanation in one scope, and its records or why there are none."""

    heading: str
    scope: Scope
    explained: Explanation
    records: list[RecordGroup] | str


class ExplainNumber(JobView):
    """An explanation of the inclusive cost of the active function, or of another number."""

    depends_on = (
        Change.PROFILE | Change.FUNCTION | Change.EVENT | Change.EVENTS | Change.SCOPE
        | Change.NAMES | Change.NUMBERS
    )  # fmt: skip

    def __init__(self, session: Session) -> None:
        super().__init__(session, "explanation")
        # None: the inclusive cost of the active function
        self._request: NumberRequest | None = None
        self._earlier: list[NumberRequest | None] = []  # whose links were followed
        self._request_of: object = None  # what the number is of
        self._links: list[AnyKey] = []
        self._text = ""
        self.page = QTextBrowser()
        self.page.setAccessibleName("Explanation")
        self.page.setFrameShape(QFrame.Shape.NoFrame)
        self.page.setOpenLinks(False)
        # HTML would make plain blanks of the thin spaces between digits
        self.page.document().setDefaultStyleSheet("p, td { white-space: pre-wrap; }")
        self.page.anchorClicked.connect(self._follow_link)
        self.back_button = text_button("&Back", "Explain the number before again", self._go_back)
        self.copy_button = text_button("Copy", "Copy the explanation as text", self._copy_text)
        self.set_content(self._create_content(), self.page)

    def _create_content(self) -> QWidget:
        space = QWidget()
        kinds = (
            text_button(text, tip, partial(self._explain_kind, kind))
            for kind, (text, tip) in _KINDS.items()
        )
        row = header_row(*kinds, self.back_button, space, self.copy_button, most=space)
        return stacked(QWidget(), row, self.page)

    # ---------------------------------------------------------------- the number

    def explain(self, request: NumberRequest | None) -> None:
        """Explain a number of the open profile; None for that of the active function."""
        self._earlier.clear()
        self._show_request(request)

    def _show_request(self, request: NumberRequest | None) -> None:
        self._request, self._request_of = request, _subject(self.navigation.context)
        self.refresh_for(Change.EVENT)

    def _explain_kind(self, kind: NumberKind) -> None:
        query = self.session.query
        if query is not None:
            self.explain(number_request(query, NumberKey(kind, query.context.function)))

    def _follow_link(self, link: QUrl) -> None:
        """Explain a term, in the event and the parts of the number that it is a term of."""
        query = self.session.query
        if query is None:
            return
        self._earlier.append(self._request)
        event, scope = None, None
        if self._request is not None:
            event, scope = self._request.event, self._request.scope
        key = self._links[int(link.fragment())]
        self._show_request(number_request(query, key, event=event, scope=scope))

    def _go_back(self) -> None:
        if self._earlier:
            self._show_request(self._earlier.pop())

    def refresh(self, query: ViewQuery, _change: Change) -> None:
        """Explain the number, or that of another function once it is active."""
        context = query.context
        if self._request_of != _subject(context):
            self._request = None
            self._earlier.clear()
        self.back_button.setEnabled(bool(self._earlier))
        if context.event is None or context.function == NO_NODE:
            self.show_placeholder(NO_FUNCTION_CHOSEN)
            return
        inclusive = NumberKey(NumberKind.INCLUSIVE, context.function)
        request = self._request or number_request(query, inclusive)
        queries, event = query.queries, request.event or context.event
        scopes = {"": request.scope or context.scope}
        if context.base is not None and request.scope is None:
            scopes = {"New": context.scope, "Base": context.base}
        self.start_job(
            lambda progress: _explain_sides(progress, queries, request, event, scopes), self._show
        )

    def content_inputs(self, context: Context) -> object:
        return replace(context, selected=NO_NODE, position=None), self._request

    def clear(self) -> None:
        self._links, self._text = [], ""
        self.page.clear()

    def set_stale(self, stale: bool) -> None:
        self.page.setEnabled(not stale)

    def _show(self, sides: list[_ExplainedSide]) -> None:
        query = self.session.query
        if query is None:
            return
        page, pages, texts = NumberPage(), [], []
        context = query.context
        for each in sides:
            words = Wording(query.queries, each.scope, context.numbers, context.short_names)
            sections = [*words.sections(each.explained, each.records)]
            pages.append(page.section(each.heading, sections))
            texts += [*explanation_lines(sections), ""]
        self._links = page.links
        self.page.setHtml("<hr>".join(pages))
        self._text = "\n".join(texts)

    def _copy_text(self) -> None:
        QGuiApplication.clipboard().setText(self._text)


def _subject(context: Context) -> object:
    """What a number is of: another active function brings its own inclusive cost."""
    return context.profile, context.scope, context.function


def _explain_sides(
    progress: Progress,
    queries: ProfileQueries,
    request: NumberRequest,
    event: EventType,
    scopes: dict[str, Scope],
) -> list[_ExplainedSide]:
    """Explain a number in each scope. Raises `Cancelled`."""
    sides = []
    for index, (heading, scope) in enumerate(scopes.items()):
        part = PartialProgress(progress, index / len(scopes), (index + 1) / len(scopes))
        explained = explain(queries, request.key, event, scope, request.percentages)
        records = _records(part, queries, explained)
        sides.append(_ExplainedSide(heading, scope, explained, records))
    return sides


def _records(
    progress: Progress, queries: ProfileQueries, explained: Explanation
) -> list[RecordGroup] | str:
    """Return the records, or why they cannot be shown. Raises `Cancelled`."""
    try:
        return record_groups(queries, explained, progress)
    except Cancelled:
        raise
    except ProfileError as error:
        return str(error)
