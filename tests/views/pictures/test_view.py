"""The common parts of picture views, tested with the call graph: table, search, export, state."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from qcachegrind_py.session.navigation import Navigation
from qcachegrind_py.session.session import Session
from qcachegrind_py.tools.layout.graphviz_engine import GraphvizLayout
from qcachegrind_py.views.pictures.call_graph_view import CallGraphView, GraphOptions
from qcachegrind_py.views.widgets.controls import FindEdit
from qcachegrind_py.views.widgets.saving import to_image, to_pdf, to_svg
from tests.columns import GRAPH_CALLS, GRAPH_NODES
from tests.patience import PATIENCE
from tests.profile_text import THIN, dump_rows
from tests.user_input import (
    active_name,
    double_click_row,
    menu_actions,
    opened_menu,
    process_events,
    without_mnemonic,
)
from tests.views.pictures.conftest import Settle

DRAWING = """
    events: Ir
    main@m.c@prog 10 -> work 2x400, leaf 1x90
    other@m.c@prog 20 -> work 6x400
    work@w.c@prog 300 -> leaf 20x300, deep 4x200
    deep@w.c@lib 120 -> leaf 8x80
    leaf@w.c@lib 470
    """
NODE_COLUMNS = (GRAPH_NODES.NAME, GRAPH_NODES.INCLUSIVE)
SVG = "{http://www.w3.org/2000/svg}"
Open = Callable[..., CallGraphView]


@pytest.fixture
def view(
    session: Session,
    draw: Callable[..., Path],
    open_profile: Callable[..., None],
    show_view: Callable[[CallGraphView], CallGraphView],
    settle: Settle,
) -> Iterator[CallGraphView]:
    """The graph around main."""
    layout = GraphvizLayout(limit=PATIENCE)
    view = show_view(CallGraphView(session, layout))
    open_profile(draw(DRAWING))
    settle(view)
    yield view
    layout.close()


# ---------------------------------------------------------------- the table


def test_the_table_beside_shows_what_the_picture_shows(
    view: CallGraphView, session: Session, navigation: Navigation, settle: Settle
) -> None:
    """A row for each box and arrow; a button opens the table, which follows the picture."""
    button = view.table_button
    assert not view.table_splitter.isVisible()
    button.click()
    assert view.table_splitter.isVisible()
    nodes, calls = view.tables
    assert [dump_rows(nodes.model(), *NODE_COLUMNS)[row].replace(THIN, "") for row in range(4)] == [
        "main | 54.35",
        "work | 43.48",
        "leaf | ≈30.43",
        "deep | ≈10.87",
    ]
    pairs = dump_rows(calls.model(), GRAPH_CALLS.CALLER, GRAPH_CALLS.CALLEE)
    assert pairs == [
        "main | work", "work | leaf", "work | deep", "main | leaf", "deep | leaf"
    ]  # fmt: skip
    assert nodes.model().rowCount() == len(view.canvas.boxes)
    assert calls.model().rowCount() == len(view.canvas.arrows)

    double_click_row(nodes, 3)
    settle(view)
    assert active_name(session, navigation) == "deep"
    assert nodes.model().rowCount() == len(view.canvas.boxes) == 5
    button.click()
    assert not view.table_splitter.isVisible()


def test_table_row_marks_its_box(view: CallGraphView) -> None:
    """The current row's box is marked in the picture; for a call, the callee."""
    view.table_button.click()
    for table, name in ((view.tables[0], "leaf"), (view.tables[1], "work")):
        table.setFocus()
        QTest.keyClick(table, Qt.Key.Key_Home, Qt.KeyboardModifier.ControlModifier)
        row = [n.box.name for n in view.canvas.boxes].index(name) if table is view.tables[0] else 0
        table.selectRow(1 if row == 0 else 0)
        table.selectRow(row)
        process_events()
        assert [n.box.name for n in view.canvas.boxes if n.is_selected] == [name]


# ---------------------------------------------------------------- search line


def test_escape_clears_the_search_and_leaves_other_escapes_alone(qtbot: QtBot) -> None:
    """The first Escape clears the line; the next one is passed on."""
    search = FindEdit("Search in picture")
    qtbot.addWidget(search)
    search.show()
    QTest.keyClicks(search, "abc")
    QTest.keyClick(search, Qt.Key.Key_Escape)
    assert search.text() == ""
    assert (search.placeholderText(), search.accessibleName()) == ("Search in picture",) * 2


def test_a_copied_table_is_not_pasted_whole(qtbot: QtBot) -> None:
    """A field takes no more than what Qt pastes at once: its time grows with the square."""
    search = FindEdit("Search in picture")
    qtbot.addWidget(search)
    QGuiApplication.clipboard().setText("1.23 %\tmain\n" * 100_000)
    search.paste()
    assert len(search.text()) == search.maxLength() == 131_072


# ---------------------------------------------------------------- exports


def test_exports_are_complete(view: CallGraphView) -> None:
    """An SVG has every name and cost as text; PNG and PDF show the whole picture."""
    root = ET.fromstring(to_svg(view.canvas))
    written = ["".join(node.itertext()).replace(THIN, "") for node in root.iter(f"{SVG}text")]
    assert {"main", "work", "leaf", "deep", "54.35%", "43.48%", "≈30.43%", "≈10.87%"} <= set(
        written
    )
    assert {"43.48% · 2×", "9.78% · 1×", "≈16.30% · ≈10×"} <= set(written)

    image, size = to_image(view.canvas), view.canvas.picture_size()
    assert (image.width(), image.height()) == (round(2 * size.width()), round(2 * size.height()))
    assert is_drawn_on(image)
    document = to_pdf(view.canvas)
    assert document.startswith(b"%PDF-")
    assert len(document) > 3000


def is_drawn_on(image: QImage) -> bool:
    """Whether the inner half of the image has more than one colour."""
    width, height = image.width(), image.height()
    places = [(x, y) for x in range(0, width, 3) for y in range(height // 4, 3 * height // 4, 3)]
    return len({image.pixel(x, y) for x, y in places}) > 5


def test_export_is_independent_of_the_view(view: CallGraphView) -> None:
    """Zoom and scroll position do not change the export; only a search fades boxes."""
    before = to_svg(view.canvas)
    view.canvas.zoom_by(0.06)
    view.canvas.center_on(QPointF(3000, 3000))
    assert to_svg(view.canvas) == before
    view.canvas.zoom_by(30.0)
    assert to_svg(view.canvas) == before


def test_the_graph_as_dot_and_csv(view: CallGraphView) -> None:
    """DOT has nodes and edges with the texts of the picture, CSV both tables with whole numbers."""
    dot = view.text_exports()["DOT"]().replace(THIN, "")
    assert dot.startswith("digraph {\nrankdir=TB;\n")
    assert r'n2 [label="leaf\n≈30.43%"' in dot
    assert 'n0 -> n1 [label="43.48% · 2×"' in dot
    nodes, calls = (
        list(csv.DictReader(part.splitlines()))
        for part in view.text_exports()["CSV"]().split("\n\n")
    )
    assert [(row["Function"], row["Incl."]) for row in nodes] == [
        ("main", "500"), ("work", "400"), ("leaf", "280"), ("deep", "100")
    ]  # fmt: skip
    assert len(calls) == 5


def test_the_export_menu_is_made_anew(view: CallGraphView) -> None:
    """The button offers pictures and texts, however often it is opened."""
    buttons = {without_mnemonic(button.text()): button for button in view.findChildren(QToolButton)}
    for _ in range(2):
        menu = opened_menu(buttons["Export"].menu())
        actions = {without_mnemonic(action.text()): action for action in menu_actions(menu)}
        assert list(actions) == ["Copy Picture", "Copy as DOT", "Copy as CSV", "Save Picture…"]
    actions["Copy as DOT"].trigger()
    assert QGuiApplication.clipboard().text() == view.text_exports()["DOT"]()


def test_a_picture_is_called_after_its_function(
    view: CallGraphView, session: Session, draw: Callable[..., Path],
    open_profile: Callable[..., None], settle: Settle,
) -> None:  # fmt: skip
    """The suggested file name contains the function's name."""
    assert view.suggested_file_name() == "call graph main"
    open_profile(draw("../x/..\\<a>:b|c?* 1", "callgrind.out.2"))
    settle(view)
    assert view.suggested_file_name() == r"call graph ../x/..\<a>:b|c?*"
    open_profile(draw("é" * 300 + " 1", "callgrind.out.3"))
    settle(view)
    assert view.suggested_file_name() == "call graph " + "é" * 300


# ---------------------------------------------------------------- note and saved state


def test_note_has_its_text_as_tip(view: CallGraphView) -> None:
    """An elided note is complete in its tooltip, thin spaces and signs included."""
    assert f"below 2.72{THIN}% hidden" in view.note.text()
    assert view.note.toolTip() == f"<qt>{view.note.text()}</qt>"


def test_state_is_restored(view: CallGraphView, session: Session, qtbot: QtBot) -> None:
    """Table, columns and options are restored; a state of another length is ignored."""
    chosen = GraphOptions(1, 5, 0.2, skipped=True, groups=True, direction="right")
    for name, value in asdict(chosen).items():
        view.options.set(name, value)
    view.table_button.click()
    view.tables[0].setColumnHidden(GRAPH_NODES.SELF, True)
    look = view.save_state()
    other = CallGraphView(session, GraphvizLayout())
    qtbot.addWidget(other)
    other.restore_state(look[:-1])
    assert not other.table_button.isChecked()
    other.restore_state(look)
    assert other.options.current == chosen
    assert other.table_button.isChecked()
    assert not other.table_splitter.isHidden()
    assert other.tables[0].isColumnHidden(GRAPH_NODES.SELF)
    assert not other.tables[1].isColumnHidden(GRAPH_CALLS.COST)


def test_buttons_have_names_and_tips(view: CallGraphView) -> None:
    """Buttons, picture, search and tables have names for screen readers, buttons also tips."""
    buttons = [b for b in view.findChildren(QToolButton) if b.parent() is not view.search]
    assert all(button.toolTip() and button.text() for button in buttons if button.isVisible())
    names = [view.canvas.accessibleName(), view.search.accessibleName()]
    names += [table.accessibleName() for table in view.tables]
    assert all(names)
    assert len(set(names)) == 4
