"""What the command palette finds: commands of all menus, views, settings, and functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import shiboken6
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDockWidget, QMenuBar

from qcachegrind_py.app.settings.shortcuts import MenuEntry, all_entries
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.table import cell_text
from qcachegrind_py.present.view_query import ViewQuery
from qcachegrind_py.profile.events import as_number
from qcachegrind_py.profile.ids import FunctionId
from qcachegrind_py.session.settings.store import Settings
from qcachegrind_py.visible_text import visible_offsets, visible_text

MAX_FUNCTIONS = 50
_LONGEST, _MAX_LETTERS = 10_000, 1000  # of a name, which may have megabytes; and of a title
_ELLIPSIS = "…"
_MAX_COMMANDS = 12  # above the functions, while something is typed
_WORD_START, _IN_TITLE, _ELSEWHERE = 4, 2, 1  # points for a word, by where it is found
_WHOLE_START = 4  # the title begins with all that is typed


@frozen
class Entry:
    """One row: what it is called, where it is, and what choosing it does."""

    title: str
    place: str  # the second line: its menu, the page of a setting, or the location of a function
    run: Callable[[], object]
    key: str = ""  # by which it is remembered; empty for what is not
    value: str = ""  # on the right: keys, whether it is on, or a cost
    tip: Callable[[], Sequence[str]] = tuple
    words: str = ""  # by which it is found as well, in small letters
    is_enabled: bool = True
    positions: tuple[int, ...] = ()  # the letters of the title that match
    function: FunctionId | None = None


def command_entries(bar: QMenuBar) -> Iterator[Entry]:
    """Yield the actions of all menus, as they are now."""
    for entry in all_entries(bar, as_opened=True):
        if not isinstance(entry.action.parent(), QDockWidget):  # *Go* has the views as well
            yield _command(entry)


def _command(entry: MenuEntry) -> Entry:
    action, state = entry.action, ""
    if action.isCheckable():
        state = "on" if action.isChecked() else "off"
    return Entry(
        title=cell_text(entry.title.removesuffix("…")),
        place=entry.menu,
        run=partial(_trigger, action),
        key=entry.name,
        value=" · ".join(filter(None, (state, entry.keys))),
        tip=partial(_tip, action),
        words=f"{entry.menu} {entry.keys} {action.statusTip()}".lower(),
        is_enabled=action.isEnabled(),
    )


def _trigger(action: QAction) -> None:
    if shiboken6.isValid(action):  # a menu may have been filled again since
        action.trigger()


def _tip(action: QAction) -> list[str]:
    return [action.statusTip()] if shiboken6.isValid(action) else []


def setting_entries(show: Callable[[str], object]) -> Iterator[Entry]:
    """Yield the settings that have a row in the dialog; `show` opens it at one of them."""
    for setting in Settings.declared():
        if setting.page:
            yield Entry(
                title=setting.title,
                place=f"Settings ▸ {setting.page}",
                run=partial(show, setting.name),
                key=f"setting:{setting.name}",
                tip=partial(list, [setting.tip]),
                words=f"settings {setting.search_text}",
            )


def best_commands(entries: Sequence[Entry], text: str, recent: Sequence[str]) -> list[Entry]:
    """Return the entries that contain all words, best first; without words all, recent ones first.

    Of those that match equally well, the ones used recently come first, then those of the menus.
    """
    words, ranks = text.lower().split(), {key: rank for rank, key in enumerate(recent)}
    found = [(_points(entry, words, text), entry) for entry in entries]
    matches = [(points, entry) for points, entry in found if points is not None]
    matches.sort(
        key=lambda match: (
            not match[1].is_enabled,
            -match[0],
            ranks.get(match[1].key, len(ranks)),
        )
    )
    chosen = [replace(entry, positions=_positions(entry.title, words)) for _, entry in matches]
    return chosen[:_MAX_COMMANDS] if words else chosen


def _points(entry: Entry, words: Sequence[str], text: str) -> int | None:
    """Return how well an entry matches; None if it lacks a word."""
    title = entry.title.lower()
    points = _WHOLE_START if text and title.startswith(text.lower().strip()) else 0
    for word in words:
        at = _place(title, word)
        if at < 0 and word not in entry.words:
            return None
        points += _ELSEWHERE if at < 0 else _WORD_START if _starts(title, at) else _IN_TITLE
    return points


def _place(title: str, word: str) -> int:
    """Return where a title has a word, preferably as the start of one of its own; -1 if nowhere."""
    at = title.find(word)
    while at >= 0 and not _starts(title, at):
        following = title.find(word, at + 1)
        if following < 0:
            return title.find(word)
        at = following
    return at


def _starts(title: str, at: int) -> bool:
    return at == 0 or not title[at - 1].isalnum()


def _positions(title: str, words: Sequence[str]) -> tuple[int, ...]:
    places = ((_place(title.lower(), word), len(word)) for word in words)
    return tuple(sorted({at + i for at, length in places if at >= 0 for i in range(length)}))


def function_entries(
    query: ViewQuery | None, text: str, go: Callable[[FunctionId], object]
) -> list[Entry]:
    """Return the functions that match best, with their costs; without text the costliest."""
    if query is None or query.context.event is None:
        return []
    queries, event, scope = query.queries, query.context.event, query.context.scope
    labels, unit = queries.labels(scope), query.unit(event)
    weight = queries.inclusive(event, scope)[: queries.function_count]
    found = []
    for match in queries.names.fuzzy_search.best(text, weight, MAX_FUNCTIONS):
        function, name = match.function, labels.full_name(match.function)[:_LONGEST]
        shown, offsets = visible_text(name), visible_offsets(name) if match.positions else ()
        title = _without_middle(shown)
        positions = [offsets[place] for place in match.positions if place < len(name)]
        found.append(
            Entry(
                title=title,
                place=cell_text(labels.location(function)),
                run=partial(go, function),
                value=unit.text(as_number(weight[function])),
                tip=partial(labels.details, function),
                positions=tuple(elided_positions(shown, title, positions)),
                function=function,
            )
        )
    return found


# ---------------------------------------------------------------- long names


def _without_middle(name: str) -> str:
    """Return a name that is too long for any window without its middle."""
    half = _MAX_LETTERS // 2
    return name if len(name) <= _MAX_LETTERS else f"{name[:half]}{_ELLIPSIS}{name[-half:]}"


def elided_positions(text: str, shown: str, positions: Sequence[int]) -> list[int]:
    """Return where the letters of a text are in what is shown of it, if they are there."""
    if shown == text:
        return list(positions)
    before = shown.find(_ELLIPSIS)  # the text has none there, or it would be the same
    while before >= 0 and text.startswith(shown[: before + 1]):
        before = shown.find(_ELLIPSIS, before + 1)
    moved = len(shown) - len(text)
    behind = len(text) - (len(shown) - before - 1)
    return [p if p < before else p + moved for p in positions if p < before or p >= behind]
