"""Folding functions into their callers: its actions, its bar, and what menus offer to fold.

All of them change the terms that the filter bar has, which alone say what is folded.
"""

from __future__ import annotations

import re
from functools import reduce
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QMainWindow,
    QToolButton,
)

from qcachegrind_py.analysis.costs.function_costs import cycle_members
from qcachegrind_py.analysis.filters.conditions import (
    C_LIBRARY,
    STANDARD_LIBRARY,
    Fold,
    FoldKind,
    TextCondition,
    TextField,
    UnknownCondition,
)
from qcachegrind_py.analysis.filters.expression import (
    parse_filter,
    quoted,
    with_term,
    without_term,
    written_terms,
)
from qcachegrind_py.analysis.names.function_names import base_name
from qcachegrind_py.app.frame.frame import Frame
from qcachegrind_py.app.frame.notices import ContextBar, ContextRow
from qcachegrind_py.app.style.icons import icon
from qcachegrind_py.app.style.tips import fill_in_whats_this
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.context import Change, Context
from qcachegrind_py.present.table import short_text
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.errors import FilterError
from qcachegrind_py.profile.events import as_number
from qcachegrind_py.profile.ids import NO_NODE, FunctionId, NodeId, function_ids
from qcachegrind_py.profile.numbers import format_count, plural
from qcachegrind_py.profile.tables import UNKNOWN, Int64Array
from qcachegrind_py.session.session import Session
from qcachegrind_py.views.widgets.controls import PlainLabel, text_button, tip_text
from qcachegrind_py.views.widgets.grid import grid
from qcachegrind_py.visible_text import visible_text

if TYPE_CHECKING:  # imported when functions are folded
    from qcachegrind_py.analysis.queries import FoldedQueries

FOLD_STANDARD_LIBRARY = f"fold:{STANDARD_LIBRARY}"
_WHATS_THIS = (
    "Functions that are folded into their callers: they do not appear in any view, and what they "
    "cost is self cost of the lines that call them. Click a fold to show its functions again."
)
_ONLY = "Show Only Inside "
_NUMBERS = Change.PROFILE | Change.SCOPE | Change.EVENT | Change.NUMBERS | Change.UNIT
_KINDS = {
    FoldKind.FOLD: "",
    FoldKind.ONLY: "all but ",
    FoldKind.COLLAPSE: "recursion of ",
}
_SPECIAL = re.compile(r"[\\^$*+?()\[\]{}|]")  # in regular expressions
_THINGS = {
    TextField.NAME: "names",
    TextField.CLASS: "classes",
    TextField.FILE: "files",
    TextField.OBJECT: "libraries",
}
_WHY_ESTIMATED = (
    "folded functions call some that are shown, for several callers; which caller caused what is "
    "not recorded."
)
_WHY_REMAINING = (
    "nobody calls them, or they connect too many callers and callees to tell these apart."
)


class FoldActions:
    """Connects the actions of folding; they apply to the selected function, or the active one."""

    def __init__(self, frame: Frame) -> None:
        session, filter_bar = frame.session, frame.filter_bar
        self._window, self._session = frame.window, session
        self._actions, self._filter = frame.actions, filter_bar
        self._has_bar = False
        frame.actions.connect(
            {
                "fold_function": lambda: self._add_of_function("fold", "name"),
                "only_object": lambda: self._add_of_function("only", "lib"),
                "fold_library": lambda: self._toggle("fold_library", [FOLD_STANDARD_LIBRARY]),
                "fold_others": lambda: self._toggle(
                    "fold_others", folds_outside(filter_bar.own_code_terms)
                ),
                "no_folds": self.remove_all,
            }
        )
        session.navigation.changed.connect(self._on_changed)
        self._on_changed(session.navigation.context, Change(0))

    def follow(self, session: Session) -> None:
        """Apply the actions to the functions of this session."""
        self._session.navigation.changed.disconnect(self._on_changed)
        self._session = session
        session.navigation.changed.connect(self._on_changed)
        self._on_changed(session.navigation.context, Change(0))

    def add(self, *folds: str) -> None:
        self._filter.set_text(reduce(with_term, folds, self._filter.whole_text))

    def remove(self, *folds: str) -> None:
        self._filter.set_text(reduce(without_term, folds, self._filter.whole_text))

    def remove_all(self) -> None:
        self._filter.remove_folds()

    def _add_of_function(self, kind: str, key: str) -> None:
        queries, function = self._session.queries, self._function()
        if queries is not None and function is not None:
            names = queries.names
            name = names.name(function) if key == "name" else names.object(function)
            if name != UNKNOWN or key == "name":
                self.add(f"{kind}:{quoted(key, name)}")

    def _function(self) -> FunctionId | None:
        """Return the function to fold; None if a cycle is selected."""
        queries, context = self._session.queries, self._session.navigation.context
        node = context.function if context.selected == NO_NODE else context.selected
        if queries is None or node == NO_NODE or not queries.is_function(node):
            return None
        return node

    def _toggle(self, action: str, folds: list[str]) -> None:
        change = self.add if self._actions[action].isChecked() else self.remove
        change(*folds)

    def _on_changed(self, context: Context, _change: Change) -> None:
        """Enable the actions that have an effect, and check those whose folds are there."""
        if context.filter.folds and not self._has_bar:
            self._has_bar = True
            FoldBar(self._window, self._session, self).add_below_toolbar(self._window)
        function, folds = self._function(), {fold.text for fold in context.filter.folds}
        actions, queries = self._actions, self._session.queries
        for name in ("fold_function", "only_object"):
            actions[name].setEnabled(function is not None)
        for name in ("fold_library", "fold_others"):
            actions[name].setEnabled(queries is not None)
        actions["no_folds"].setEnabled(bool(folds))
        actions["fold_library"].setChecked(FOLD_STANDARD_LIBRARY in folds)
        others = folds_outside(self._filter.own_code_terms)
        actions["fold_others"].setChecked(bool(others) and folds.issuperset(others))


class FoldBar(ContextBar):
    """Lists what is folded, each with a button that shows it again, and what it costs."""

    def __init__(self, window: QMainWindow, session: Session, actions: FoldActions) -> None:
        self._session, self.row = session, FoldRow(actions)
        super().__init__("Folds", window, _WHATS_THIS)
        self.addWidget(self.row)
        fill_in_whats_this(self)
        session.navigation.changed.connect(self._on_changed)
        self._on_changed(session.navigation.context, Change.all_changes())

    def is_needed(self) -> bool:
        return bool(self._session.navigation.context.filter.folds)

    def _on_changed(self, context: Context, change: Change) -> None:
        if not change & (_NUMBERS | Change.FILTER):
            return
        folds = context.filter.folds
        self.setVisible(bool(folds))
        query = self._session.query
        if query is not None and folds:
            from qcachegrind_py.analysis.queries import FoldedQueries

            if isinstance(query.queries, FoldedQueries):
                self.row.show_summary(query, query.queries)
        self.row.show_folds(folds)


class FoldRow(ContextRow):
    """A button for each fold, as many as fit, and what all of them cost."""

    def __init__(self, actions: FoldActions) -> None:
        super().__init__("Folds")
        self._actions = actions
        self._folds: tuple[Fold, ...] = ()
        self.buttons: list[QToolButton] = []
        self.more, self.summary, self.title = PlainLabel(), PlainLabel(), PlainLabel()
        self.title.setText("Folded into callers:")
        self.unfold = text_button("Unfold All", "Show all folded functions again")
        self.unfold.clicked.connect(actions.remove_all)
        self._chips = QHBoxLayout()
        self._chips.setSpacing(grid(0.5))
        self.row.addWidget(self.title)
        self.row.addLayout(self._chips)
        self.row.addWidget(self.more)
        self.row.addSpacing(grid())
        self.row.addWidget(self.summary)
        self.row.addStretch(1)
        self.row.addWidget(self.unfold)

    def show_folds(self, folds: tuple[Fold, ...]) -> None:
        if folds != self._folds:
            self._folds = folds
            for button in self.buttons:
                self._chips.removeWidget(button)
                button.hide()
                button.deleteLater()
            self.buttons = [self._button(fold) for fold in folds]
            for button in self.buttons:
                self._chips.addWidget(button)
            self._recolor()
        self._fit()

    def show_summary(self, query: ViewQuery, queries: FoldedQueries) -> None:
        """Say how many functions are folded, and what they cost."""
        self.summary.setText(summary_text(query, queries))
        self.summary.setToolTip(tip_text(*summary_notes(query, queries)))

    def _button(self, fold: Fold) -> QToolButton:
        title = fold_title(fold)
        tip = tip_text(title, fold.text, "Click to show these functions again")
        button = text_button(short_text(title).replace("&", "&&"), tip)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setAccessibleName(f"Unfold {title}")
        button.clicked.connect(lambda _checked=False: self._actions.remove(fold.text))
        return button

    # ---------------------------------------------------------------- width and colour

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._recolor()

    def _recolor(self) -> None:
        for button in self.buttons:
            button.setIcon(icon("close", self.palette()))

    def _fit(self) -> None:
        """Show as many buttons as fit; the tip of a number beside them lists the others.

        The room is computed, since showing and hiding buttons in turn would resize the row again.
        """
        gap = self._chips.spacing()
        widths = [button.sizeHint().width() + gap for button in self.buttons]
        digits = self.fontMetrics().horizontalAdvance(f"+{len(widths)}") + gap
        room = self.width() - self._width_without_buttons()
        count = _fitting(widths, room)
        if count < len(widths):
            count = _fitting(widths, room - digits)
        hidden = self._folds[count:]
        for index, button in enumerate(self.buttons):
            button.setVisible(index < count)
        self.more.setVisible(bool(hidden))
        self.more.setText(f"+{len(hidden)}")
        self.more.setToolTip(tip_text(*map(fold_title, hidden)))

    def _width_without_buttons(self) -> int:
        margins, spacing = self.row.contentsMargins(), self.row.spacing()
        fixed = (self.title, self.summary, self.unfold)
        width = sum(widget.sizeHint().width() + spacing for widget in fixed)
        return width + margins.left() + margins.right() + self.fontMetrics().height() // 2


def _fitting(widths: list[int], room: int) -> int:
    """Return how many of the widths fit beside each other, from the first on."""
    return sum(used <= room for used in accumulate(widths))


_NAMED = {STANDARD_LIBRARY: "standard libraries", C_LIBRARY: C_LIBRARY}


def fold_title(fold: Fold) -> str:
    """Return in words what a fold is about."""
    name = _NAMED.get(fold.text.partition(":")[2]) or _condition_title(fold.conditions[0])
    return f"{_KINDS[fold.kind]}{name}"


def _condition_title(condition: TextCondition | UnknownCondition) -> str:
    if isinstance(condition, UnknownCondition):
        return "unknown functions"
    field, pattern = condition.field, condition.pattern
    things = _THINGS[field]
    if isinstance(pattern, str):
        if condition.is_exact:
            return visible_text(_shown(field.value, pattern))
        text = visible_text(pattern)
        return text if field is TextField.NAME else f"{things} with “{text}”"
    text = visible_text(re.sub(r"\(([^()|]*)\)\?", r"\1", pattern.pattern))  # usual, not required
    begin = text.removeprefix("^")
    if begin != text and not _SPECIAL.search(begin):
        in_folder = begin.startswith("/")
        return f"{things} in {begin.rstrip('/')}" if in_folder else f"{begin}…"
    return f"{things} that match {text}"


def summary_text(query: ViewQuery, queries: FoldedQueries) -> str:
    """Return how many functions are folded, and how much of the total they cost."""
    count, event = int(queries.folding.is_folded.sum()), query.context.event
    if not count:
        return "no function matches"
    text = f"{format_count(count)} {plural(count, 'function')}"
    if event is None or event.is_ratio:
        return text
    scope = query.context.scope
    charged = as_number(queries.charged(event, scope)[: queries.function_count].sum())
    return f"{text}, {query.unit(event).with_unit(charged)} of {short_text(event.name)}"


def summary_notes(query: ViewQuery, queries: FoldedQueries) -> list[str]:
    """Return what a tip says of folds: what is estimated, and which functions remain and why."""
    folding, notes = queries.folding, ["Their costs are self costs of the lines that call them."]
    estimated = int(folding.is_estimated(query.context.scope.parts).sum())
    if estimated:
        costs = plural(estimated, "self cost is an estimate")
        if estimated > 1:
            costs = "self costs are estimates"
        notes.append(f"≈ {format_count(estimated)} {costs}: {_WHY_ESTIMATED}")
    remaining = int(folding.remains.sum())
    if remaining:
        functions = f"{format_count(remaining)} {plural(remaining, 'function')}"
        verb = "remains" if remaining == 1 else "remain"
        notes.append(f"{functions} that should be folded {verb}: {_WHY_REMAINING}")
    return notes


# ---------------------------------------------------------------- entries of menus


@frozen(eq=True)
class FoldEntry:
    """One entry of a menu: its text with a mnemonic, what it names, and the fold."""

    title: str
    name: str
    fold: str
    reason: str = ""  # why it cannot be chosen; empty if it can


def function_folds(query: ViewQuery, function: FunctionId, class_name: str) -> list[FoldEntry]:
    """Return the entries for a function, and for the class, file and object it belongs to.

    `class_name` is empty if it is not known.
    """
    names = query.queries.names
    groups = (
        ("&Function", "name", names.name(function)),
        ("&Class", "class", class_name),
        ("&Source File", "file", names.file(function)),
        ("&Object", "lib", names.object(function)),
    )
    entries = [
        FoldEntry(title, _shown(key, name), f"fold:{quoted(key, name)}")
        for title, key, name in groups
        if name and (name != UNKNOWN or key == "name")
    ]
    entries += [
        FoldEntry(_ONLY + title.replace("&", ""), _shown(key, name), f"only:{quoted(key, name)}")
        for title, key, name in groups[1:]
        if name and name != UNKNOWN
    ]
    return entries


def group_folds(key: str, name: str) -> list[FoldEntry]:
    return [
        FoldEntry("&Fold into Callers", _shown(key, name), f"fold:{quoted(key, name)}"),
        FoldEntry("Show Only &Inside", _shown(key, name), f"only:{quoted(key, name)}"),
    ]


def recursion_fold(query: ViewQuery, node: NodeId) -> FoldEntry | None:
    """Return the entry that folds the recursion of a cycle, or of the cycle of a member.

    It is exact where one member alone is called from outside, and not offered otherwise. None if
    the node is in no cycle.
    """
    queries, scope = query.queries, query.context.scope
    cycle = queries.cycle_of(node, scope)
    if cycle < 0:
        return None
    entered = function_ids(_entered_members(query, cycle))
    title = "Fold &Recursion into"
    if len(entered) == 1:
        name = queries.names.name(entered[0])
        return FoldEntry(title, name, f"collapse:{quoted('name', name)}")
    if not entered:
        reason = "No function of the cycle is called from outside, so none stands for it."
    else:
        count = format_count(len(entered))
        reason = (
            f"{count} functions of the cycle are called from outside. Which share of the cycle "
            "belongs to the calls of each is not recorded."
        )
    return FoldEntry("Fold &Recursion", "", "", reason)


def _entered_members(query: ViewQuery, cycle: NodeId) -> Int64Array:
    """Return the members of a cycle that are called from outside."""
    queries, scope = query.queries, query.context.scope
    edges, functions = queries.call_edges(scope), queries.function_count
    members = cycle_members(cycle, queries.costs(scope), functions)
    is_member = np.zeros(functions, bool)
    is_member[members] = True
    rows = edges.rows_to(members)
    return np.unique(edges.callee[rows[~is_member[edges.caller[rows]]]])


def _shown(key: str, name: str) -> str:
    return base_name(name) if key in ("lib", "file") else name


# ---------------------------------------------------------------- terms of the filter


def folds_outside(own_code: str) -> list[str]:
    """Return the folds that leave the functions that pass a filter, such as “Only My Code”.

    Terms that are about anything but names are left out.
    """
    folds = []
    for words, pieces in written_terms(own_code):
        key, sign = ("fold", pieces["sign"]) if pieces["sign"] else ("only", "")
        fold = f"{key}:{words.removeprefix(sign)}"
        try:
            parse_filter(fold)
        except FilterError:
            continue
        folds.append(fold)
    return folds
