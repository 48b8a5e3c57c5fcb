"""Render the pictures of the guide and of the README in the real window.

They show the example, its versions, and a recording by py-spy.

    python -m tests.guide_pictures [NAME…]

Without names, all pictures are rendered, light and dark, into `resources/guide`; the README shows
some of the light ones. They have two pixels per pixel of the page, and at most 256 colours. The
same fonts (DejaVu) and the same Qt give the same pictures.
"""

from __future__ import annotations

import lzma
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ["QT_SCALE_FACTOR"] = "2"

import numpy as np
from PySide6.QtCore import QRect, QSettings
from PySide6.QtGui import QFont, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDockWidget, QTabBar, QWidget

from qcachegrind_py.analysis.history import Revision
from qcachegrind_py.app.style import theme
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.session.settings.recent import Recent
from qcachegrind_py.session.settings.store import ColorScheme, Settings
from tests.user_input import VIEW_IDS

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "resources/example/sheet"
GUIDE = ROOT / "resources/guide"
VERSIONS = ROOT / "tests/data/sheet"
SAMPLED = ROOT / "tests/data/stacks/pyspy.speedscope.json"
_BUCKETS = 64, 64, 64, 64, 8, 8, 8, 8, 128, 128  # of the revisions of the history
_COMPARED = 3, 4  # base and new
_BENCHMARKS = {  # base and new of each
    "import": ("sheet/callgrind.out.buckets-64.xz", "sheet/callgrind.out.buckets-8.xz"),
    "report": ("sheet/callgrind.out.buckets-64.xz", "sheet/callgrind.out.buckets-64.xz"),
    "sort": ("comparison/callgrind.out.sort-plain.xz", "comparison/callgrind.out.sort-digits.xz"),
    "vowels": (
        "comparison/callgrind.out.words-plain.xz",
        "comparison/callgrind.out.words-scans.xz",
    ),
    "words": (
        "comparison/words/old/callgrind.out.words",
        "comparison/words/new/callgrind.out.words",
    ),
}
_MAX_COLORS = 256
_RECORDED = 1_700_000_000  # seconds since 1970, for a constant date on the welcome page
_QUIET = 120  # ms without a job after which everything is drawn


class GuideWindow:
    """A window that shows the example; each picture starts with a new one."""

    def __init__(self, folder: Path, *, dark: bool) -> None:
        theme.apply_palette(dark)
        store = QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat)
        store.clear()
        self.settings = Settings(store)
        self.settings.color_scheme = ColorScheme.DARK if dark else ColorScheme.LIGHT
        self.window = MainWindow(self.settings)
        self.profile = folder / "callgrind.out.sheet.xz"
        for path in folder.iterdir():  # copies are younger than the profile, which views report
            os.utime(path, (_RECORDED, _RECORDED))

    def show(self, width: int, height: int, function: str = "", *docks: str) -> MainWindow:
        """Show the window in this size, at a function, with these views in front."""
        self.window.resize(width, height)
        self.window.docks.reset()
        self.window.show()
        if function:
            self.window.open([self.profile])
            self.settle()
            queries = self.window.session.queries
            assert queries is not None
            self.window.navigation.select_function(queries.names.with_name(function)[0])
        for dock in docks:
            self.window.docks.show(VIEW_IDS[dock])
        self.settle()
        return self.window

    def settle(self) -> None:
        """Wait until no job is running."""
        quiet = 0
        while quiet < _QUIET:
            QTest.qWait(20)
            quiet = 0 if self.window.jobs._slots else quiet + 20

    def picture(self, *widgets: QWidget) -> QImage:
        """The part of the window that these widgets cover; without widgets, the whole window."""
        self.window.navigation.set(selected=-1)
        self.settle()
        self.window.setFocus()
        area = QRect()
        for widget in widgets:
            area |= QRect(widget.mapTo(self.window, widget.rect().topLeft()), widget.size())
        return self.window.grab(area or self.window.rect()).toImage()

    def dock(self, title: str) -> QDockWidget:
        """The dock that has the view with this title."""
        return self.window.docks.by_id[self.window.docks.dock_of(VIEW_IDS[title])]

    def maximized(self, title: str) -> QImage:
        """The view of a dock that has the window for itself."""
        self.window.docks.maximizer.toggle(self.window.docks.dock_of(VIEW_IDS[title]))
        self.settle()
        view = self.window.docks.view(VIEW_IDS[title])
        view.refresh_for(~type(view.depends_on)(0))
        return self.picture(view)

    def tabs(self, title: str) -> list[QWidget]:
        """The dock together with the tabs of its area."""
        dock = self.dock(title)
        bars = [bar for bar in self.window.findChildren(QTabBar) if bar.isVisible()]
        names = {bar: [bar.tabText(i) for i in range(bar.count())] for bar in bars}
        return [dock, *(bar for bar in bars if title in names[bar])]

    def close(self) -> None:
        """Close and delete the window."""
        self.window.close()
        self.window.deleteLater()
        QApplication.processEvents()


def window(guide: GuideWindow) -> QImage:
    """The whole window, at a function with callers and callees."""
    shown = guide.show(1366, 768, "cell_named", "Callers", "Call Graph")
    for canvas in shown.views.call_graph.shown_canvases():
        canvas.fit()
    return guide.picture()


def welcome(guide: GuideWindow) -> QImage:
    """The page shown before a profile is open."""
    os.utime(guide.profile, (_RECORDED, _RECORDED))
    for name in ("callgrind.out.4711", "callgrind.out.sheet.xz"):
        guide.settings.add_recent(Recent((guide.profile.with_name(name),)))
    guide.window.welcome.show_recent()
    guide.show(900, 480)
    return guide.picture()


def functions(guide: GuideWindow) -> QImage:
    """The list of functions."""
    guide.show(1500, 520, "cell_named")
    return guide.picture(guide.dock("Functions"))


def groups(guide: GuideWindow) -> QImage:
    """The list in groups."""
    shown = guide.show(1500, 560, "cell_named")
    grouping = shown.views.function_list.grouping_box
    grouping.setCurrentIndex(grouping.findText("Object"))
    grouping.activated.emit(grouping.currentIndex())
    guide.settle()
    return guide.picture(guide.dock("Functions"))


def callers(guide: GuideWindow) -> QImage:
    """The bar of the active function, its callers and its callees."""
    shown = guide.show(1500, 460, "cell_named", "Callers", "Callees")
    shown.views.callees.table.selectRow(0)
    central = shown.centralWidget()
    return guide.picture(central, *guide.tabs("Callers"), *guide.tabs("Callees"))


def alone(
    title: str, function: str, height: int, width: int = 860
) -> Callable[[GuideWindow], QImage]:
    """One view that has the window for itself."""

    def take(guide: GuideWindow) -> QImage:
        guide.show(width, height, function, title)
        return guide.maximized(title)

    return take


def code(guide: GuideWindow) -> QImage:
    """Source beside assembler, with a line selected."""
    shown = guide.show(1180, 620, "cell_named", "Source")
    shown.actions_["side_by_side"].trigger()
    guide.dock("Functions").hide()
    guide.settle()
    source = shown.views.source
    source.initial_focus.setFocus()
    shown.actions_["next_hot"].trigger()
    return guide.picture()


def parts(guide: GuideWindow) -> QImage:
    """The parts, the second one selected."""
    shown = guide.show(860, 480, "cell_named", "Parts")
    while shown.views.part_list.panel.timeline is None:
        guide.settle()
    shown.views.part_list.select_parts([1])
    guide.settle()
    return guide.maximized("Parts")


def events(guide: GuideWindow) -> QImage:
    """The events."""
    guide.show(860, 480, "cell_named", "Event Types")
    return guide.maximized("Event Types")


def jump(guide: GuideWindow) -> QImage:
    """The dialog that finds a function."""
    shown = guide.show(1180, 700, "cell_named")
    shown.actions_["jump"].trigger()
    dialog = shown.command_palette.dialog
    dialog.resize(520, 300)
    QTest.keyClicks(dialog.edit, "cena")
    guide.settle()
    image = dialog.grab().toImage()
    dialog.close()
    return image


def filtered(guide: GuideWindow) -> QImage:
    """A filter and its matches."""
    shown = guide.show(1180, 640, "factor")
    shown.filter_bar.set_text("lib:sheet self>1%")
    guide.settle()
    return guide.picture()


def folds(guide: GuideWindow) -> QImage:
    """The standard library folded into its callers: the bar, and the list of functions."""
    shown = guide.show(1180, 680, "cell_named")
    shown.filter_bar.set_text("fold:stdlib")
    guide.settle()
    return guide.picture()


def show_comparison(guide: GuideWindow, function: str, *docks: str) -> MainWindow:
    """Compare two revisions of the example, at a function, with these docks in front."""
    shown = guide.show(1366, 640)
    base, new = (revision(guide, number) for number in _COMPARED)
    shown.file_commands.open_here([new], with_siblings=False, base=[base])
    guide.settle()
    queries = shown.session.queries
    assert queries is not None
    shown.navigation.select_function(queries.names.with_name(function)[0])
    for dock in docks:
        shown.docks.show(VIEW_IDS[dock])
    guide.settle()
    return shown


def revision(guide: GuideWindow, number: int) -> Path:
    """The profile of a revision, under a name that may appear in a picture."""
    packed = VERSIONS / f"callgrind.out.buckets-{_BUCKETS[number]}.xz"
    path = guide.profile.with_name(f"1.{number}.out")
    path.write_bytes(lzma.decompress(packed.read_bytes()))
    os.utime(path, (_RECORDED, _RECORDED))
    return path


def compared(guide: GuideWindow) -> QImage:
    """Two revisions compared: the list of functions, and why one changed."""
    show_comparison(guide, "cell_named", "Callees", "Explain Change")
    return guide.picture()


def flame_compared(guide: GuideWindow) -> QImage:
    """The flame graph of two revisions."""
    shown = show_comparison(guide, "sort_rows", "Flame Graph")
    shown.resize(860, 470)
    return guide.maximized("Flame Graph")


def samples(guide: GuideWindow) -> QImage:
    """The flame graph of a profile of py-spy: whole stacks of all threads, with recursion."""
    path = guide.profile.with_name("run.json")
    shutil.copyfile(SAMPLED, path)
    os.utime(path, (_RECORDED, _RECORDED))
    guide.profile = path
    guide.show(860, 560, "Sheet.value", "Flame Graph")
    return guide.maximized("Flame Graph")


def benchmarks(guide: GuideWindow) -> QImage:
    """Two folders of benchmarks: what changed in each, and the functions that explain it."""
    shown = guide.show(1000, 270)
    folders = [guide.profile.with_name(f"1.{number}") for number in _COMPARED]
    for folder, names in zip(folders, zip(*_BENCHMARKS.values(), strict=True), strict=True):
        folder.mkdir(exist_ok=True)
        for benchmark, name in zip(_BENCHMARKS, names, strict=True):
            packed = VERSIONS.parent / name
            content = packed.read_bytes()
            path = folder / f"callgrind.out.{benchmark}"
            path.write_bytes(lzma.decompress(content) if packed.suffix == ".xz" else content)
            os.utime(path, (_RECORDED, _RECORDED))
    base, new = folders
    shown.file_commands.open_here([new], base=[base])
    guide.settle()
    shown.docks.show(VIEW_IDS["Benchmarks"])
    guide.settle()
    return guide.maximized("Benchmarks")


def history(guide: GuideWindow) -> QImage:
    """The chart and the list of a history."""
    shown = guide.show(860, 560)
    files = [revision(guide, number) for number in range(len(_BUCKETS))]
    shown.file_commands.history.open([Revision(path.stem, str(path)) for path in files])
    guide.settle()
    queries = shown.session.queries
    assert queries is not None
    shown.navigation.select_function(queries.names.with_name("cell_named")[0])
    shown.docks.show(VIEW_IDS["History"])
    guide.settle()
    return guide.maximized("History")


PICTURES: dict[str, Callable[[GuideWindow], QImage]] = {
    "window": window,
    "welcome": welcome,
    "functions": functions,
    "groups": groups,
    "callers": callers,
    "graph": alone("Call Graph", "cell_named", 640),
    "flame": alone("Flame Graph", "sort_rows", 480),
    "code": code,
    "flow": alone("Control Flow", "cell_named", 640),
    "parts": parts,
    "events": events,
    "jump": jump,
    "filter": filtered,
    "folds": folds,
    "compared": compared,
    "flame-compared": flame_compared,
    "samples": samples,
    "benchmarks": benchmarks,
    "history": history,
}


def few_colors(image: QImage) -> QImage:
    """Reduce the picture to its most frequent colours; replace each other one by the nearest."""
    rgb = image.convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(rgb.constBits(), np.uint32).reshape(rgb.height(), rgb.width())
    colors, index, count = np.unique(pixels, return_inverse=True, return_counts=True)
    palette = np.sort(np.argsort(-count, kind="stable")[:_MAX_COLORS])
    parts = ((colors[:, None] >> np.array([16, 8, 0], np.uint32)) & 255).astype(np.int32)
    nearest = [int(((parts[palette] - color) ** 2).sum(axis=1).argmin()) for color in parts]
    indexes = np.array(nearest, np.uint8)[index.reshape(pixels.shape)]
    result = QImage(
        np.ascontiguousarray(indexes).data,
        rgb.width(),
        rgb.height(),
        rgb.width(),
        QImage.Format.Format_Indexed8,
    )
    result.setColorTable([int(color) | 0xFF000000 for color in colors[palette]])
    return result.copy()


def main(names: list[str]) -> None:
    """Render the named pictures, or all."""
    application = QApplication(sys.argv[:1])
    application.setFont(QFont("DejaVu Sans", 9))
    folder = Path(tempfile.gettempdir()) / "sheet"  # a name that may appear in a picture
    shutil.copytree(EXAMPLE, folder)
    try:
        for name in names or PICTURES:
            for dark in (False, True):
                guide = GuideWindow(folder, dark=dark)
                image = few_colors(PICTURES[name](guide))
                guide.close()
                path = GUIDE / f"{name}{'-dark' if dark else ''}.png"
                image.save(str(path), "PNG", 0)
                print(f"{path.name}: {image.width()} × {image.height()}, {path.stat().st_size} B")
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main(sys.argv[1:])
