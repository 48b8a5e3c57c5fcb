"""Exporting pictures as SVG, PNG and PDF: their content, and complete files or none."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QGuiApplication, QImage, QPainter
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu, QMessageBox, QWidget
from pytestqt.qtbot import QtBot

from qcachegrind_py.views.widgets.saving import add_export_actions, to_image, to_pdf, to_svg
from tests.faults.program import files_of_at_most
from tests.user_input import without_mnemonic

NIGHT, BOX = QColor("#202428"), QColor("#80b0e0")
HOSTILE = ['operator<< <b>&"', "it's </text>", "&lt;"]
FILTERS = "SVG (*.svg);;PNG (*.png);;PDF (*.pdf);;DOT (*.dot);;CSV (*.csv)"
SVG = "{http://www.w3.org/2000/svg}"
KINDS = {"svg": b"<?xml", "png": b"\x89PNG\r\n", "pdf": b"%PDF-", "dot": b"digraph {}"}


class Drawn:
    """A picture of names in boxes of height 20, on a dark ground with an odd size."""

    def __init__(self, *names: str, width: float = 301, height: float = 201) -> None:
        self.names = names
        self.size = QSizeF(width, height)

    def picture_size(self) -> QSizeF:
        return self.size

    def paint_picture(self, painter: QPainter) -> None:
        painter.fillRect(QRectF(QPointF(), self.size), NIGHT)
        for place, name in enumerate(self.names):
            painter.fillRect(QRectF(10, 25 * place, 100, 20), BOX)
            painter.setFont(QFont("Sans Serif", 9))
            painter.drawText(QPointF(12, 25 * place + 15), name)


def texts(document: bytes) -> list[str]:
    """The texts of an SVG."""
    return ["".join(node.itertext()) for node in ET.fromstring(document).iter(f"{SVG}text")]


def rects(document: bytes) -> list[list[float]]:
    """Position and size of each rectangle in an SVG."""
    return [
        [float(node.attrib[key]) for key in ("x", "y", "width", "height")]
        for node in ET.fromstring(document).iter(f"{SVG}rect")
    ]


def page_size(document: bytes) -> list[float]:
    """Width and height of the page of a PDF, in points."""
    found = re.search(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", document)
    assert found is not None
    return [float(number) for number in found.groups()]


def drawing_steps(document: bytes) -> bytes:
    """The drawing operators of a PDF page."""
    for stream in re.findall(rb"stream\r?\n(.*?)endstream", document, re.DOTALL):
        try:
            steps = zlib.decompress(stream)
        except zlib.error:
            continue
        if b" re\n" in steps:
            return steps
    raise AssertionError("a PDF without a page")


def written_in(document: bytes) -> list[str]:
    """The text of a PDF with one font, by its own character map."""
    (unicode,) = re.findall(rb"<0001> <[0-9A-F]{4}> \[(.*?)\]", document)
    letters = [chr(int(code, 16)) for code in re.findall(rb"<([0-9A-F]{4})>", unicode)]
    return [
        "".join(letters[int(code, 16) - 1] for code in re.findall(rb"<([0-9A-F]{4})> Tj", text))
        for text in re.findall(rb"BT\n(.*?)ET\n", drawing_steps(document), re.DOTALL)
    ]


# ---------------------------------------------------------------- the kinds of pictures


def test_svg_has_boxes_and_text_of_the_size_they_have(qapp: QApplication) -> None:
    """An SVG has the picture's size, its rectangles, and its texts as text.

    A missing font falls back to sans serif, 9 points at 96 an inch in size.
    """
    document = to_svg(Drawn("main", "f"))
    root = ET.fromstring(document)
    fonts = {(n.get("font-family"), n.get("font-size")) for n in root.iter(f"{SVG}text")}

    assert (root.get("viewBox"), root.find(f"{SVG}title")) == ("0 0 301 201", None)
    assert float(root.attrib["width"].removesuffix("mm")) == pytest.approx(
        301 / 96 * 25.4, rel=1e-5
    )
    assert rects(document) == [[0, 0, 301, 201], [10, 0, 100, 20], [10, 25, 100, 20]]
    assert (texts(document), fonts) == (["main", "f"], {("Sans Serif, sans-serif", "12")})


def test_names_cannot_break_an_svg(qapp: QApplication) -> None:
    """Markup in a name is escaped, and characters invalid in XML are replaced."""
    assert texts(to_svg(Drawn(*HOSTILE))) == HOSTILE

    forbidden = [chr(code) for code in range(32) if chr(code) not in "\t\n\r"]
    forbidden += ["\x0b", "\ufffe", "\uffff"]
    written = texts(to_svg(Drawn(*(f"a{character}z" for character in forbidden))))
    assert written == ["a\N{REPLACEMENT CHARACTER}z"] * len(forbidden)

    assert texts(to_svg(Drawn("a\ud800z", "\U0001f600")))[-1] == "\U0001f600"


def test_what_is_clipped_is_clipped_in_an_svg(qapp: QApplication) -> None:
    """An SVG clips what the screen clips."""

    class Clipped(Drawn):
        def paint_picture(self, painter: QPainter) -> None:
            painter.setClipRect(QRectF(10, 20, 30, 40))
            super().paint_picture(painter)

    root = ET.fromstring(to_svg(Clipped("a long name")))
    (path,) = root.findall(f".//{SVG}clipPath[@id='clipPath1']/{SVG}path")
    clipped = root.findall(f".//{SVG}g[@clip-path='url(#clipPath1)']/{SVG}g/*")

    outline = path.attrib["d"].rstrip(" Z")  # newer versions of Qt close it twice
    assert outline == "M10,20 L40,20 L40,60 L10,60 L10,20"
    assert [node.tag.removeprefix(SVG) for node in clipped] == ["rect", "rect", "text"]


def test_png_has_two_pixels_a_logical_one(qapp: QApplication) -> None:
    """A PNG has two pixels for each logical pixel, in both directions."""
    image = to_image(Drawn("", ""))
    places = [(0, 0), (19, 0), (20, 0), (219, 39), (220, 39), (20, 40), (20, 50), (601, 401)]
    colors = [image.pixelColor(*place) == BOX for place in places]

    assert (image.width(), image.height(), image.devicePixelRatio()) == (602, 402, 2)
    assert colors == [False, False, True, True, False, False, True, False]
    assert image.pixelColor(*places[0]) == image.pixelColor(*places[-1]) == NIGHT
    assert image.dotsPerMeterX() == image.dotsPerMeterY() == round(2 * 96 / 0.0254)


@pytest.mark.parametrize(
    ("width", "height", "pixels"),
    [
        (100.4, 50.6, (201, 101)),
        (0, 0, (2, 2)),
        (40_000, 10_000, (20_000, 5_000)),
        (327_670, 100, (32_767, 10)),
        (1e6, 1, (32_767, 1)),
    ],
)
def test_png_is_bounded(
    qapp: QApplication, width: float, height: float, pixels: tuple[int, int]
) -> None:
    """A PNG has at most 100 million pixels, and no side longer than Qt can paint."""
    image = to_image(Drawn(width=width, height=height))

    assert (image.width(), image.height()) == pixels
    assert image.pixelColor(image.width() - 1, image.height() - 1) == (NIGHT if width else "white")


@pytest.mark.parametrize(
    ("width", "height", "points"),
    [
        (400, 200, [300, 150]),
        (301, 201, [226, 151]),
        (794, 1122, [596, 842]),
        (60_000, 80, [14_400, 20]),
    ],
)
def test_pdf_is_a_page_of_the_picture_s_size(
    qapp: QApplication, width: float, height: float, points: list[float]
) -> None:
    """The page has no margin and at most the size that readers show; the ground fills it."""
    document = to_pdf(Drawn(width=width, height=height))
    steps = drawing_steps(document)
    (origin,) = re.findall(rb"\n(\S+) 0 0 (\S+) (\S+) (\S+) cm\nq", steps)
    scales = re.findall(rb"\n(\S+) 0 0 (\S+) 0 0 cm\n0 0 ", steps) or [(1, 1)]
    filled = [
        float(scale) * side * 72 / 96
        for scale, side in zip(scales[0], (width, height), strict=True)
    ]

    assert document.startswith(b"%PDF-")
    assert page_size(document) == points
    assert [float(number) for number in origin] == [0.75, -0.75, 0, points[1]]
    assert filled == pytest.approx(points, rel=1e-6)


def test_pdf_has_text_and_lines(qapp: QApplication) -> None:
    """A PDF has no pixel images: boxes are rectangles, and names can be searched."""
    document = to_pdf(Drawn("main", "f<b>"))
    steps = drawing_steps(document)

    assert re.findall(rb"(\S+ \S+ 100 20) re\n", steps) == [b"10 0 100 20", b"10 25 100 20"]
    assert set(re.findall(rb"/F\d+ (\S+) Tf", steps)) == {b"12"}
    assert (written_in(document), b"/Subtype /Image" in document) == (["main", "f<b>"], False)


# ---------------------------------------------------------------- menu and clipboard


class Desk:
    """A picture's export menu with stubbed dialogs that record their arguments."""

    def __init__(self, parent: QWidget, monkeypatch: pytest.MonkeyPatch) -> None:
        self.parent = parent
        self.menu = QMenu(parent)
        self.name, self.filter, self.may_replace = "", "SVG (*.svg)", True
        self.starts: list[tuple[str, str]] = []
        self.messages: list[str] = []
        monkeypatch.setattr(QFileDialog, "getSaveFileName", self._name)
        monkeypatch.setattr(QMessageBox, "warning", self._message)
        monkeypatch.setattr(QMessageBox, "question", self._message)

    def offer(
        self,
        suggested: str = "Call Graph",
        dot: Callable[[], str] = str,
        picture: Drawn | None = None,
    ) -> None:
        self.menu.clear()
        exports = {"DOT": dot, "CSV": lambda: "Cost\n1\n"}
        picture = picture or Drawn(*HOSTILE)
        add_export_actions(self.menu, picture, self.parent, suggested, exports)

    def choose(self, text: str) -> None:
        (action,) = [a for a in self.menu.actions() if without_mnemonic(a.text()) == text]
        action.trigger()

    def save(self, name: Path | str, filter_: str = "SVG (*.svg)") -> None:
        self.name, self.filter = str(name), filter_
        self.choose("Save Picture…")

    def _name(self, parent: QWidget, _title: str, start: str, filters: str) -> tuple[str, str]:
        assert parent is self.parent
        self.starts.append((start, filters))
        return self.name, self.filter

    def _message(self, parent: QWidget, _title: str, text: str) -> QMessageBox.StandardButton:
        assert parent is self.parent
        self.messages.append(text)
        buttons = QMessageBox.StandardButton
        return buttons.Yes if self.may_replace else buttons.No


@pytest.fixture
def desk(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """An empty menu, and dialogs that answer."""
    parent = QWidget()
    qtbot.addWidget(parent)
    return Desk(parent, monkeypatch)


def test_picture_is_copied_in_pixels_and_as_svg(desk: Desk) -> None:
    """One copy offers both pixels and SVG."""
    desk.offer()
    desk.choose("Copy Picture")
    copied = QGuiApplication.clipboard().mimeData()
    image = copied.imageData()

    assert isinstance(image, QImage)
    assert (image.width(), image.height(), image.pixelColor(30, 3) == BOX) == (602, 402, True)
    assert texts(copied.data("image/svg+xml").data()) == HOSTILE


def test_a_large_picture_is_copied_in_fewer_pixels(desk: Desk) -> None:
    """At most 20 million pixels are copied, under a wait cursor."""
    cursors = []

    class Watched(Drawn):
        def paint_picture(self, painter: QPainter) -> None:
            cursors.append(QGuiApplication.overrideCursor().shape())

    desk.offer(picture=Watched(width=40_000, height=5_000))
    desk.choose("Copy Picture")
    image = QGuiApplication.clipboard().mimeData().imageData()

    assert (image.width(), image.height()) == (12_649, 1_581)
    assert cursors == [Qt.CursorShape.WaitCursor] * 2
    assert QGuiApplication.overrideCursor() is None


def test_texts_are_copied_as_they_are_when_chosen(desk: Desk) -> None:
    """The menu lists the formats; a text is made only when it is chosen."""
    asked: list[str] = []
    desk.offer(dot=lambda: f"digraph {{}} // {len(asked)}")
    offered = [without_mnemonic(action.text()) for action in desk.menu.actions()]
    asked.append("more")
    desk.choose("Copy as DOT")
    dot = QGuiApplication.clipboard().text()
    desk.choose("Copy as CSV")

    assert offered == ["Copy Picture", "Copy as DOT", "Copy as CSV", "Save Picture…"]
    assert (dot, QGuiApplication.clipboard().text()) == ("digraph {} // 1", "Cost\n1\n")


# ---------------------------------------------------------------- files


@pytest.mark.parametrize(
    ("typed", "filter_", "written"),
    [
        ("a.svg", "PNG (*.png)", "a.svg"),
        ("a", "PNG (*.png)", "a.png"),
        ("a.PDF", "SVG (*.svg)", "a.PDF"),
        ("a.dot", "SVG (*.svg)", "a.dot"),
        ("std::list.h", "DOT (*.dot)", "std::list.h.dot"),
        ("a.b", "", "a.b.svg"),
    ],
)
def test_suffix_decides_what_is_written(
    desk: Desk, tmp_path: Path, typed: str, filter_: str, written: str
) -> None:
    """A known typed suffix decides, else the filter's is appended."""
    folder = tmp_path / "pictures"
    folder.mkdir()
    desk.offer(dot=lambda: "digraph {}")
    desk.save(folder / typed, filter_)
    (path,) = folder.iterdir()

    assert (path.name, desk.messages) == (written, [])
    assert path.read_bytes().startswith(KINDS[written.rpartition(".")[2].lower()])
    assert desk.starts == [("Call Graph", FILTERS)]


def test_nothing_is_written_without_a_name(desk: Desk, tmp_path: Path) -> None:
    """A cancelled dialog does nothing."""
    before = sorted(tmp_path.iterdir())
    desk.offer()
    desk.save("")

    assert (sorted(tmp_path.iterdir()), desk.messages) == (before, [])


def test_dialog_starts_where_the_last_picture_went(desk: Desk, tmp_path: Path) -> None:
    """The suggestion is beside the last file; a function's name becomes a valid file name."""
    desk.offer()
    desk.save(tmp_path / "a.svg")
    for suggested in ("A::operator/<b>(*)", "\x00\n", "../x\\y\x1b", "...", "x" * 1000):
        desk.offer(suggested)
        desk.save("")

    names = ["Call Graph", "A__operator__b_(_)", "__", "_x_y_", "picture", "x" * 60]
    assert [start for start, _ in desk.starts] == [
        names[0],
        *(str(tmp_path / name) for name in names[1:]),
    ]


@pytest.mark.parametrize("may_replace", [False, True])
def test_completed_name_is_confirmed(desk: Desk, tmp_path: Path, may_replace: bool) -> None:
    """The system's dialog checks only the typed name: with an appended suffix, we ask."""
    old = tmp_path / "a.svg"
    old.write_text("old")
    desk.may_replace = may_replace
    desk.offer()
    desk.save(tmp_path / "a")

    assert desk.messages == ["<qt>a.svg exists already. Replace it?</qt>"]
    assert (old.read_text() == "old") is not may_replace


def test_file_is_replaced_after_the_dialog_asked(desk: Desk, tmp_path: Path) -> None:
    """A name with its suffix was confirmed by the dialog and is not confirmed again."""
    old = tmp_path / "a.dot"
    old.write_text("an older and longer one")
    desk.offer(dot=lambda: "digraph {}")
    desk.save(old)

    assert (old.read_text(), desk.messages) == ("digraph {}", [])


def test_write_failure_is_explained(desk: Desk, tmp_path: Path) -> None:
    """The message names path and reason as plain text, and no file is left behind."""
    (tmp_path / "file").write_text("old")
    (tmp_path / "folder.svg").mkdir()
    before = sorted(tmp_path.rglob("*"))
    desk.offer()
    for name in ("no <b>/a.svg", "file/a.svg", "folder.svg"):
        desk.save(tmp_path / name)

    reasons = [
        "No such file or directory. Choose an existing folder.",
        "Not a directory. Choose an existing folder.",
        "Is a directory. Choose a file name, not a folder.",
    ]
    names = ["no &lt;b&gt;/a.svg", "file/a.svg", "folder.svg"]
    assert desk.messages == [
        f"<qt>{tmp_path}/{name} cannot be written: {reason}</qt>"
        for name, reason in zip(names, reasons, strict=True)
    ]
    assert (sorted(tmp_path.rglob("*")), desk.parent.property("savedFolder")) == (before, None)


def test_full_disk_leaves_the_old_file(desk: Desk, tmp_path: Path) -> None:
    """If writing fails half way, the old file stays, and no other."""
    old = tmp_path / "a.dot"
    old.write_text("old")
    before = sorted(tmp_path.iterdir())
    desk.offer(dot=lambda: "digraph {}" * 100_000)
    with files_of_at_most(100_000):
        desk.save(old)

    reason = "File too large. Choose a disk that takes larger files."
    assert desk.messages == [f"<qt>{old} cannot be written: {reason}</qt>"]
    assert (sorted(tmp_path.iterdir()), old.read_text()) == (before, "old")
