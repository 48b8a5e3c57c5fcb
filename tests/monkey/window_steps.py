"""Steps in a main window: actions, docks, profiles that change, and closing."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from qcachegrind_py.analysis.history import Revision
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.profile.ids import PartId, function_id
from qcachegrind_py.session.loading import ProfileFiles
from tests.monkey.sandbox import Sandbox

_AREAS = (
    Qt.DockWidgetArea.LeftDockWidgetArea,
    Qt.DockWidgetArea.RightDockWidgetArea,
    Qt.DockWidgetArea.TopDockWidgetArea,
    Qt.DockWidgetArea.BottomDockWidgetArea,
)
_SIZES = ((1280, 800), (1920, 1080), (900, 600), (400, 300), (3000, 2000))


class WindowSteps:
    """The steps; `sandbox` has the files to open and to change."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def trigger_action(self, chance: Random, window: MainWindow) -> str:
        """Trigger any action of the window."""
        actions = [action for action in window.actions_ if action.isEnabled()]
        action = chance.choice(actions)
        text = action.text()
        action.trigger()  # may close the window
        return f"action {text!r}"

    def open_menu(self, chance: Random, window: MainWindow) -> str:
        """Click on a title of the menu bar; the next steps choose."""
        bar = window.menuBar()
        action = chance.choice(bar.actions())
        text = action.text()
        QTest.mouseClick(bar, Qt.MouseButton.LeftButton, pos=bar.actionGeometry(action).center())
        return f"menu {text!r}"

    def select_function(self, chance: Random, window: MainWindow) -> str:
        """Make any function active."""
        queries = window.session.queries
        if queries is None or not len(queries.profile.functions):
            return self.open_profile(chance, window)
        function = function_id(chance.randrange(len(queries.profile.functions)))
        window.navigation.select_function(function)
        return f"function {function}"

    def change_dock(self, chance: Random, window: MainWindow) -> str:
        """Show, hide, float, move, raise or resize a dock."""
        dock = chance.choice(list(window.docks.by_id.values()))
        other, name = chance.choice(list(window.docks.by_id.values())), dock.objectName()
        width, height = chance.choice(_SIZES)
        change: Callable[[], object] = chance.choice(
            [
                lambda: window.docks.show(dock.objectName()),
                lambda: dock.setVisible(not dock.isVisible()),
                lambda: dock.setFloating(not dock.isFloating()),
                lambda: window.addDockWidget(chance.choice(_AREAS), dock),
                lambda: window.tabifyDockWidget(dock, other) if dock is not other else None,
                lambda: window.splitDockWidget(dock, other, Qt.Orientation.Horizontal),
                lambda: window.resizeDocks([dock], [width // 3], Qt.Orientation.Horizontal),
                lambda: dock.resize(width // 2, height // 2),
            ]
        )
        change()
        return f"dock {name}"

    def resize_window(self, chance: Random, window: MainWindow) -> str:
        """Change the size or state of the window."""
        size = chance.choice(_SIZES)
        chance.choice(
            [lambda: window.resize(*size)] * 3
            + [window.showNormal, window.showMaximized, window.showFullScreen]
        )()
        return f"window {size}"

    def open_profile(self, chance: Random, window: MainWindow) -> str:
        """Open one or several files, by the session's way or dropped on the window."""
        sandbox = self._sandbox
        paths = chance.sample(sandbox.profiles, min(len(sandbox.profiles), 1))
        if chance.random() < 0.15:
            paths = [chance.choice(sandbox.odd_files)]
        elif chance.random() < 0.15:
            paths = chance.sample(sandbox.profiles, min(len(sandbox.profiles), 2))
        if chance.random() < 0.3:
            data = QMimeData()
            data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
            copy, left = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
            keys = Qt.KeyboardModifier.NoModifier
            QApplication.sendEvent(window, QDropEvent(QPointF(9, 9), copy, data, left, keys))
        else:
            window.open(paths)
        return "open " + " ".join(path.name for path in paths)

    def compare(self, chance: Random, window: MainWindow) -> str:
        """Compare with another profile or with parts, swap the sides, or stop comparing."""
        comparing, loaded = window.session.comparing, window.session.loaded
        if loaded is None:
            return self.open_profile(chance, window)
        if comparing.is_of_files or comparing.is_of_parts:
            step = chance.choice((comparing.swap, comparing.swap, comparing.stop))
            step()
            return step.__name__
        count = len(loaded.profile.parts)
        if count > 1 and chance.random() < 0.5:
            base = chance.sample(range(count), chance.randrange(1, count))
            comparing.use_parts_as_base(map(PartId, base))
            return f"compare with parts {base}"
        path = chance.choice(self._sandbox.profiles)
        if chance.random() < 0.1:
            path = chance.choice(self._sandbox.odd_files)
        comparing.compare_with(ProfileFiles((path,)))
        return f"compare with {path.name}"

    def use_history(self, chance: Random, window: MainWindow) -> str:
        """Open a history, choose revisions, pin functions, or close it."""
        history = window.session.history
        opened = history.state.history
        if opened is None or chance.random() < 0.1:
            files = [chance.choice(self._sandbox.profiles) for _ in range(chance.randrange(1, 5))]
            if chance.random() < 0.1:
                files.append(chance.choice(self._sandbox.odd_files))
            window.file_commands.history.open([Revision(path.name, str(path)) for path in files])
            return "history of " + " ".join(path.name for path in files)
        revision = chance.randrange(len(opened.labels))
        row = chance.randrange(max(1, len(opened.functions)))
        act: Callable[[], object] = chance.choice(
            [lambda: history.choose(revision)] * 4
            + [lambda: history.toggle_pin(opened.functions[row]) if opened.functions else None] * 4
            + [lambda: history.open_revision(revision), lambda: window.docks.show("history")]
            + [history.close]
        )
        act()
        return f"history at {revision}, {row}"

    def use_benchmarks(self, chance: Random, window: MainWindow) -> str:
        """Compare two folders of profiles, open a pair of them, or show their list."""
        suite = window.session.suite
        report = suite.state.report
        if report is None or chance.random() < 0.1:
            folder = self._sandbox.profiles[0].parent.parent
            folders = [folder, folder, *(path.parent for path in self._sandbox.profiles)]
            base, new = chance.choices(folders, k=2)
            window.session.open_suites(base, new)
            return f"benchmarks of {base.name} and {new.name}"
        row = chance.randrange(len(report.rows))
        act: Callable[[], object] = chance.choice(
            [lambda: suite.open_row(row)] * 3 + [lambda: window.docks.show("benchmarks")]
        )
        act()
        return f"benchmark {row}"

    def change_file(self, chance: Random, window: MainWindow) -> str:
        """Rewrite, cut, remove, replace or restore a profile, and read it again or not."""
        sandbox = self._sandbox
        number = chance.randrange(len(sandbox.profiles))
        path, original = sandbox.profiles[number], sandbox.originals[number]
        other = sandbox.originals[chance.randrange(len(sandbox.originals))]
        share = chance.random()
        change = chance.choice(("cut", "remove", "replace", "append", "restore", "restore"))
        if change == "cut":
            path.write_bytes(original[: int(share * len(original))])
        elif change == "remove":
            path.unlink(missing_ok=True)
        elif change == "append":
            path.write_bytes(original + bytes(range(256)))
        else:
            new = path.with_suffix(".new")
            new.write_bytes(other if change == "replace" else original)
            new.replace(path)
        if chance.random() < 0.7:
            window.actions_["reload"].trigger()
        return f"{change} {path.name}"

    def rewrite_while_read(self, chance: Random, window: MainWindow) -> str:
        """Begin to read a profile, and write its second half meanwhile."""
        sandbox = self._sandbox
        number = chance.randrange(len(sandbox.profiles))
        path, original = sandbox.profiles[number], sandbox.originals[number]
        half = int(chance.random() * len(original))
        path.write_bytes(original[:half])
        window.open([path])
        with path.open("ab") as stream:
            stream.write(original[half:])
        return f"rewrite {path.name}"

    def close_window(self, _chance: Random, window: MainWindow) -> str:
        """Close the window; another one is opened if it was the last."""
        window.close()
        return "close"
