"""The guide: complete and correct pages, shown without external content."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QImage, QTextCursor, QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QMessageBox
from pytestqt.qtbot import QtBot

from qcachegrind_py.app.help.guide import PAGES, Guide, key_table, title_of
from qcachegrind_py.app.settings.shortcuts import MenuEntry
from qcachegrind_py.app.style import theme
from qcachegrind_py.app.style.resources import resource_path
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.version import __version__
from qcachegrind_py.views.widgets.colors import contrast
from tests.app.style.test_theme import MIN_CONTRAST
from tests.app.test_keyboard import all_menus, controls, spoken
from tests.user_input import (
    ignore_offscreen_warnings,
    menu_actions,
    process_events,
    without_mnemonic,
)

pytestmark = ignore_offscreen_warnings
FOLDER = resource_path("guide")
MANUAL = Path(__file__).parents[3] / "docs" / "manual.md"
MARKDOWN = QTextDocument.ResourceType.MarkdownResource
IMAGE = QTextDocument.ResourceType.ImageResource
KEY, CTRL, ALT = Qt.Key, Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier
MAX_BYTES = 3_150_000  # of all pictures


def text_of(page: str) -> str:
    """The Markdown source of a page."""
    return (FOLDER / f"{page}.md").read_text(encoding="utf-8")


@pytest.fixture
def guide(window: MainWindow, qtbot: QtBot) -> Iterator[Guide]:
    """The guide as the menu opens it."""
    window.actions_["guide"].trigger()
    guide = window.help_menu.guide
    assert guide is not None
    guide.activateWindow()
    qtbot.waitUntil(guide.isActiveWindow)
    process_events()
    yield guide
    guide.close()
    theme.apply_palette(dark=False)


def shown_text(guide: Guide) -> str:
    """The page's text as a reader sees it."""
    return guide.page.toPlainText()


# ------------------------------------------------------------------ text


def test_pages_and_pictures_are_those_of_the_folder() -> None:
    """All pages are in the contents, links lead to pages, and all pictures are used."""
    texts = {page: text_of(page) for page in PAGES}
    links = {
        link for text in texts.values() for link in re.findall(r"(?<!!)\[.*?\]\((.*?)\)", text)
    }
    used = {name for text in texts.values() for name in re.findall(r"!\[.+?\]\((.*?)\)", text)}
    there = {path.name for path in FOLDER.glob("*.png")}
    wanted = used | {name.replace(".png", "-dark.png") for name in used}

    assert {path.stem for path in FOLDER.glob("*.md")} == set(PAGES)
    assert links <= {f"{page}.md" for page in PAGES}
    assert there == wanted
    assert len({title_of(page) for page in PAGES}) == len(PAGES)


def test_pictures_are_small_and_alike_in_light_and_dark() -> None:
    """Light and dark versions have the same size and different grounds; all are small."""
    sizes, grounds = {}, {}
    for path in FOLDER.glob("*[!k].png"):
        both = [QImage(str(p)) for p in (path, path.with_name(f"{path.stem}-dark.png"))]
        sizes[path.name] = {(image.width(), image.height()) for image in both}
        light, dark = (image.pixelColor(2, 2).lightness() for image in both)
        grounds[path.name] = light > 160 > 96 > dark

    assert [name for name, found in sizes.items() if len(found) != 1] == []
    assert [name for name, differ in grounds.items() if not differ] == []
    assert sum(path.stat().st_size for path in FOLDER.glob("*.png")) < MAX_BYTES


@pytest.mark.parametrize(
    ("text", "menus", "keys"),
    [
        ("\n".join(map(text_of, PAGES)), 3, 20),
        (MANUAL.read_text("utf-8"), 30, 40),
        ((MANUAL.parent / "migrating.md").read_text("utf-8"), 10, 30),
    ],
    ids=["guide", "manual", "migrating"],
)
def test_named_menus_and_keys_exist(window: MainWindow, text: str, menus: int, keys: int) -> None:
    """All that the documents write as *Menu ▸ Entry* is there; bold keys belong to actions."""
    entries = set(re.findall(r"\*(\w+) ▸ (?:[^*▸]+ ▸ )*([^*▸]+)\*", text))
    there = {
        (_plain(menu.title()), _plain(action.text()).removesuffix("…"))
        for menu in all_menus(window)
        for action in (*menu_actions(menu), *(inner.menuAction() for inner in _inner_menus(menu)))
    }
    named = set(re.findall(r"\*\*((?:Ctrl|Alt|Shift|F\d)[^*]*)\*\*", text))
    known = {key.toString() for action in _all_actions(window) for key in action.shortcuts()}

    assert {(menu, entry.removesuffix("…")) for menu, entry in entries} - there == set()
    assert sorted(named - known - {"Ctrl+C"}) == []  # which lists handle themselves
    assert len(entries) >= menus
    assert len(named) > keys


def _inner_menus(menu: QMenu) -> list[QMenu]:
    """The menus in a menu, at all levels."""
    found = [QMenu.menuInAction(action) for action in menu.actions()]
    inner = [each for each in found if isinstance(each, QMenu)]
    return [*inner, *(below for each in inner for below in _inner_menus(each))]


def _plain(text: str) -> str:
    """The text without its letter and without the number before the title of a dock."""
    return without_mnemonic(text).lstrip("0123456789 ")


def _all_actions(window: MainWindow) -> list:  # type: ignore[type-arg]
    return [action for menu in all_menus(window) for action in menu_actions(menu)]


# ------------------------------------------------------------------ content


def test_guide_shows_each_page_with_its_pictures(guide: Guide) -> None:
    """A click in the contents shows the page from its heading, no wider than the window."""
    found = {}
    for row, page in enumerate(PAGES):
        guide.contents.setCurrentIndex(guide.contents.model().index(row, 0))
        process_events()
        names = re.findall(r"!\[.+?\]\((.*?)\)", text_of(page))
        images = [guide.page.loadResource(IMAGE, QUrl(name)) for name in names]
        fit = all(
            i.deviceIndependentSize().width() <= guide.page.viewport().width() for i in images
        )
        found[page] = (shown_text(guide).splitlines()[0], fit)

    assert found == {page: (title_of(page), True) for page in PAGES}


def test_table_of_keys_is_that_of_the_menus(guide: Guide, window: MainWindow) -> None:
    """Every key of every menu is listed with its action's text."""
    guide.open_page("keys")
    process_events()
    text = shown_text(guide)
    keyed = [a for a in _all_actions(window) if not a.shortcut().isEmpty()]
    missing = [a.text() for a in keyed if f"{_plain(a.text())}\n{a.statusTip()}" not in text]

    assert (missing, len(keyed) > 40) == ([], True)


def test_table_of_keys_escapes_markdown(window: MainWindow) -> None:
    """Markdown syntax in a text is shown literally."""
    action = window.actions_["open"]
    action.setText("A|B *&c* && <d>")
    document = QTextDocument()
    document.setMarkdown(key_table([MenuEntry(action, "File")]))

    assert "A|B *c* & <d>" in document.toPlainText()


@pytest.mark.parametrize(
    "link",
    [
        "https://example.org/",
        "file:///etc/passwd",
        "../example/templ.cpp",
        "/etc/passwd",
        "start.md/../../README.md",
        "nothing.md",
        "qrc:/x.md",
    ],
)
def test_guide_goes_nowhere_else(guide: Guide, link: str) -> None:
    """Only links to pages are followed, and only files of the guide's folder are read."""
    before = guide.page.source()
    guide.page.setSource(QUrl(link))
    process_events()
    found = [guide.page.loadResource(kind, QUrl(link)) for kind in (MARKDOWN, IMAGE)]

    assert (guide.page.source(), found) == (before, [None, None])
    assert not guide.page.openExternalLinks()


def test_guide_goes_back_and_forward(guide: Guide, qtbot: QtBot) -> None:
    """The keys are those of the window; the contents mark the shown page."""

    def now() -> tuple[str, str]:
        process_events()
        return guide.page.source().toString(), str(guide.contents.currentIndex().data())

    guide.page.setSource(QUrl("callers.md"))
    found = [now()]
    qtbot.keyClick(guide, KEY.Key_Left, ALT)
    found.append(now())
    qtbot.keyClick(guide, KEY.Key_Right, ALT)
    found.append(now())
    expected = [(f"{page}.md", title_of(page)) for page in ("callers", "start", "callers")]

    assert found == expected


def place(guide: Guide) -> tuple[str, int]:
    """The page and the position of the selected match, whose text is selected."""
    cursor = guide.page.textCursor()
    assert cursor.selectedText().lower() == guide.search.text().lower()
    return guide.page.source().toString(), cursor.selectionStart()


def listed_pages(guide: Guide) -> list[str]:
    """The titles that the contents show."""
    model = guide.contents.model()
    shown = (row for row in range(model.rowCount()) if not guide.contents.isRowHidden(row))
    return [str(model.index(row, 0).data()) for row in shown]


def test_all_pages_of_the_guide_are_searched(guide: Guide, qtbot: QtBot) -> None:
    """Return goes from match to match and from page to page, and begins again after the last."""
    qtbot.keyClick(guide, KEY.Key_F, CTRL)
    process_events()
    has_keyboard = QApplication.focusWidget() is guide.search
    QTest.keyClicks(guide.search, "cachegrind")
    places, expected, titles = [place(guide)], [], []
    while len(places) < 2 or places[-1] != places[0]:
        qtbot.keyClick(guide.search, KEY.Key_Return)
        places.append(place(guide))
    listed = listed_pages(guide)
    for page in PAGES:
        guide.page.show_page(page)
        found = [m.start() for m in re.finditer("cachegrind", shown_text(guide).lower())]
        expected += [(f"{page}.md", position) for position in found]
        titles += [f"{title_of(page)} ({len(found)})"] if found else []

    assert has_keyboard
    assert places == [*expected, expected[0]]
    assert len(titles) > 1
    assert listed == titles


def test_the_guide_says_that_nothing_is_found(guide: Guide) -> None:
    """A text that no page has is marked; without a search all pages are listed."""
    wrong = []
    for typed in ("callgrind", "no such words", ""):
        guide.search.setText(typed)
        wrong.append(bool(guide.search.accessibleDescription()))

    assert wrong == [False, True, False]
    assert listed_pages(guide) == [title_of(page) for page in PAGES]


def test_a_page_chosen_during_a_search_shows_its_match(guide: Guide) -> None:
    """A click in the contents goes to the first match of that page."""
    guide.search.setText("callgrind")
    row = PAGES.index("saving")
    guide.contents.setCurrentIndex(guide.contents.model().index(row, 0))

    page, position = place(guide)
    assert (page, position) == ("saving.md", shown_text(guide).lower().index("callgrind"))


def test_guide_is_worked_by_keyboard(guide: Guide, qtbot: QtBot) -> None:
    """Every control has a name; Escape closes, and F1 reopens the last page."""
    nameless = [w for w in controls(guide) if not spoken(w).strip()]
    guide.open_page("code")
    qtbot.keyClick(guide, KEY.Key_Escape)
    process_events()
    closed = not guide.isVisible()
    guide.parent().actions_["guide"].trigger()  # type: ignore[attr-defined]

    assert (nameless, closed, guide.isVisible()) == ([], True, True)
    assert guide.page.source().toString() == "code.md"


def test_guide_follows_a_change_of_colours(guide: Guide) -> None:
    """Text, headings, pictures and the arrows of back and forward follow the palette at once."""
    guide.open_page("pictures")
    for dark in (True, False):
        theme.apply_palette(dark)
        process_events()
        cursor = QTextCursor(guide.page.document().begin())
        cursor.movePosition(QTextCursor.MoveOperation.NextCharacter)
        heading = cursor.charFormat().foreground().color()
        picture = guide.page.loadResource(IMAGE, QUrl("graph.png")).pixelColor(300, 300)
        arrow = guide.back.icon().pixmap(20, 20).toImage()
        pixels = [arrow.pixelColor(x, y) for x in range(20) for y in range(20)]
        inked = max(pixels, key=lambda color: color.alpha())

        assert contrast(heading, theme.palette(dark).base().color()) >= MIN_CONTRAST
        assert (picture.lightness() < 128) is dark
        assert (inked.lightness() > 128) is dark


def test_guide_fits_its_pictures_to_the_window(guide: Guide, qtbot: QtBot) -> None:
    """In a narrow window the pictures shrink instead of being cut off."""
    guide.open_page("code")
    widths = []
    for width in (900, 560):
        guide.resize(width, 700)
        qtbot.waitUntil(lambda: not guide.page._fitting.isActive())
        process_events()
        image = guide.page.loadResource(IMAGE, QUrl("code.png"))
        widths.append(image.deviceIndependentSize().width())
        assert guide.page.document().size().width() <= guide.page.viewport().width()

    assert widths[0] > widths[1]


def test_about_says_the_version_and_the_licence(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Help ▸ About has everything a bug report needs."""
    said: list[str] = []
    monkeypatch.setattr(QMessageBox, "about", lambda _window, *texts: said.extend(texts))
    window.actions_["about"].trigger()

    assert said[0] == "QCachegrind.py"
    assert __version__ in said[1]
    assert "MIT" in said[1]
