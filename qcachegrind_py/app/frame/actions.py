"""The window's actions and menus, each declared once: name, text, tip, icon, keys and place.

Menus, the tips of buttons, What's This, the page of keys in the settings and the table of keys in
the guide follow from the declaration; so does the switch of a setting. A name never changes, as the
user's keys are stored with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from PySide6.QtGui import QAction, QActionGroup, QKeySequence, QPalette
from PySide6.QtWidgets import QMenu, QMenuBar, QWidget

from qcachegrind_py.app.style.icons import icon
from qcachegrind_py.app.style.tips import set_keys
from qcachegrind_py.frozen import frozen
from qcachegrind_py.present.context import CostUnit
from qcachegrind_py.session.settings.store import ColorScheme

_KEY = QKeySequence.StandardKey
SEPARATOR = None
BESIDES = "besides"  # the menu that is never shown: of what the palette, keys and buttons have


@frozen(eq=True)
class Action:
    """One action. Its place in a menu is where it stands in `MENU_BAR`.

    Those of the last menu are in no menu: the command palette, keys and buttons have them.
    """

    name: str
    text: str
    tip: str  # in the status bar, in tooltips, and as What's This
    icon: str = ""
    keys: str | tuple[str | QKeySequence.StandardKey, ...] = ()
    button: str = ""  # the text of its button in the toolbar, where that of the menu is too long
    needs_profile: bool = False  # disabled until one is open
    checkable: bool = False
    setting: str = ""  # the name of a setting, of which the action is the switch
    value: object = True  # of that setting while the action is checked


@frozen(eq=True)
class Menu:
    """A menu; what its items lack, such as recent files, is filled in by those who know it."""

    name: str
    title: str
    items: tuple[Action | Menu | None, ...] = ()
    tip: str = ""  # of its button in the toolbar
    icon: str = ""
    button: str = ""


MENU_BAR = (
    Menu("file", "&File", (
        Action("new_window", "&New Window", "Open another window", keys=(_KEY.New,)),
        Action("open", "&Open…", "Open one or several profiles", icon="open", keys=(_KEY.Open,)),
        Menu("recent", "Open Re&cent"),
        Action(
            "record", "&Record Program…", "Run a program and open its profile", icon="record",
            keys="Ctrl+Alt+R",
        ),
        Action(
            "running", "R&unning Programs…",
            "Show what a program under Callgrind has counted so far", keys="Ctrl+Shift+D",
        ),
        SEPARATOR,
        Menu("comparing", "Co&mpare", (
            Action(
                "compare", "Compare &With…", "Show what changed from another profile to this one",
                icon="compare", keys="Ctrl+K",
            ),
            Action(
                "compare_two", "Compare &Two Profiles…",
                "Choose a base and a new profile, and see what changed", icon="compare",
            ),
            Action(
                "compare_folders", "Compare Two &Folders…",
                "Choose two folders of benchmarks, and see what changed in each and why",
                keys="Ctrl+Alt+K",
            ),
            Action(
                "open_history", "Open &History…",
                "Open the profiles of several revisions, and see how costs changed",
                keys="Ctrl+Shift+H",
            ),
        )),
        Menu("profile", "&Profile", (
            Action(
                "reload", "&Reload", "Read the open files again", icon="reload",
                keys=(_KEY.Refresh, "Ctrl+R"),
            ),
            Action(
                "add", "&Add Files…", "Add further files to this profile as parts", keys="Ctrl+D",
            ),
            Menu("open_files", "Remove &Files"),
            SEPARATOR,
            Action(
                "properties", "&Properties", "Show command, creator, parts and totals",
                icon="information", keys="Alt+Return", needs_profile=True,
            ),
        )),
        SEPARATOR,
        Action(
            "save", "&Save As…", "Save the profile or the part of it that is shown", keys="Ctrl+S",
        ),
        Menu("export", "&Export", (
            Action("report", "&Report…", "Save tables, flame graph and sources as one HTML file"),
            Action("stacks", "&Stacks…", "Save stacks of calls for speedscope and flame graphs"),
        )),
        SEPARATOR,
        Action("settings", "Se&ttings…", "Change how the program works and looks", icon="settings",
               keys="Ctrl+,"),
        SEPARATOR,
        Action("close", "Close &Window", "Close this window", keys=(_KEY.Close,)),
        Action("quit", "&Quit", "Close all windows", icon="quit", keys=(_KEY.Quit, "Ctrl+Q")),
    )),
    Menu("view", "&View", (
        Menu("event", "&Event", (
            Action("next_event", "&Next Event", "Show the next event", keys="Ctrl+E"),
            Action(
                "new_event", "&Add Event…", "Define an event by a formula", keys="Ctrl+Shift+N",
                needs_profile=True,
            ),
            Menu("second_event", "&Second Event", (
                Action(
                    "no_second_event", "&Hide Second Event", "Show the costs of one event only",
                    keys="Ctrl+Shift+E",
                ),
            )),
        )),
        Menu("units", "&Costs As", (
            Action(
                "percent", "&Percent of Total", "Show costs as a percentage of the total",
                keys="Ctrl+1", setting="unit", value=CostUnit.PERCENT,
            ),
            Action(
                "parent", "Percent of P&arent",
                "Show costs as a percentage of their caller or group", keys="Ctrl+2",
                setting="unit", value=CostUnit.PERCENT_OF_PARENT,
            ),
            Action(
                "absolute", "A&bsolute", "Show costs as numbers of events", keys="Ctrl+3",
                setting="unit", value=CostUnit.ABSOLUTE,
            ),
            Action(
                "shares", "S&hares of Both Totals",
                "Compare shares of the totals, in percentage points", keys="Ctrl+6",
                setting="unit", value=CostUnit.SHARES,
            ),
            Action(
                "per_call", "Per &Call of Function",
                "Compare costs per call of the active function", keys="Ctrl+7",
                setting="unit", value=CostUnit.PER_CALL,
            ),
            SEPARATOR,
            Action(
                "percent_of_function", "Percent of F&unction in Code",
                "Show percentages of the active function in Source and Assembler",
                icon="percent-function", keys="Ctrl+5", button="% of Function",
                setting="percent_of_function",
            ),
            Action(
                "si", "&Short Numbers", "Show 1.234 M instead of all digits", keys="Ctrl+4",
                setting="si",
            ),
        ), "Show costs as percentages or absolute numbers", icon="percent", button="Costs"),
        Menu("grouping", "&Group By"),
        Menu("folds", "&Fold", (
            Action(
                "fold_function", "&Fold into Callers",
                "Count the cost of this function as self cost of its callers",
                keys="Ctrl+Shift+Up",
            ),
            Action(
                "only_object", "Show Only Inside &Object",
                "Fold all functions of other objects into their callers", keys="Ctrl+Shift+Down",
            ),
            SEPARATOR,
            Action(
                "fold_library", "Fold the &Standard Library",
                "Fold functions of standard libraries into their callers", keys="Ctrl+Shift+G",
                checkable=True,
            ),
            Action(
                "fold_others", "Fold &Everything Outside My Code",
                "Fold all functions that “Only My Code” hides into their callers",
                keys="Ctrl+Shift+Y", checkable=True,
            ),
            SEPARATOR,
            Action(
                "no_folds", "&Unfold All", "Show all folded functions again", keys="Ctrl+Shift+U",
            ),
            SEPARATOR,
            Action(
                "fold_levels", "Fold &Recursion Levels", "Count f'2, f'3, … as f",
                keys="Ctrl+Shift+R", setting="fold_levels",
            ),
            Action(
                "cycles", "Detect &Cycles", "Treat functions that call each other as one",
                icon="cycles", keys="Ctrl+Shift+C", button="Cycles", setting="cycles",
            ),
        )),
        Action(
            "short_names", "Shorten &Templates", "Hide template arguments in names",
            icon="templates", keys="Ctrl+T", button="Templates", setting="short_names",
        ),
        SEPARATOR,
        Menu("docks", "&Views"),
        Menu("layouts", "&Layouts", (
            Action(
                "maximize", "Ma&ximize View", "Show one view alone, or all views again",
                keys="Ctrl+Shift+Return",
            ),
            Action(
                "split", "Spl&it", "Show a second set of views with its own active function",
                keys="Ctrl+Alt+S", needs_profile=True, checkable=True,
            ),
            Action(
                "side_by_side", "Source &Beside Assembler",
                "Show source and assembler side by side", icon="side-by-side",
                keys="Ctrl+Shift+B", button="Side by Side", needs_profile=True, checkable=True,
            ),
            SEPARATOR,
            Action("save_layout", "&Save Layout…", "Save this arrangement of views under a name"),
            Action("reset_layout", "&Reset Layout", "Arrange the views as at the first start"),
        )),
        Menu("saved_views", "&Saved Views", (
            Action(
                "save_view", "&Save View…", "Save function, events, filter and layout under a name",
                keys="Ctrl+Shift+V",
            ),
            Action(
                "manage_views", "&Manage Saved Views…",
                "Go to a saved view, rename, delete, export or import views", keys="Ctrl+Alt+V",
            ),
            Action(
                "open_view", "&Open Saved View File…", "Show a view that somebody else has saved",
            ),
            Action(
                "export_views", "&Export Saved Views…",
                "Save all views of this program as a file for others",
            ),
        )),
        SEPARATOR,
        Menu("code", "C&ode", (
            Action(
                "fold_source", "Hide Lines Without &Cost", "Show only source lines with cost",
                icon="fold", keys="Ctrl+Shift+S", button="Costs Only", setting="fold_source",
            ),
            Action(
                "hide_inlined", "Hide In&lined",
                "Count inlined code as cost of the line that it was inlined into", icon="inlined",
                keys="Ctrl+Shift+I", setting="hide_inlined",
            ),
            Action(
                "syntax_colors", "Synta&x Colours", "Colour the words of source lines",
                keys="Ctrl+Shift+X", setting="syntax_colors",
            ),
            SEPARATOR,
            Action(
                "fold_code", "Hide Instructions &Without Cost", "Show only instructions with cost",
                icon="fold", keys="Ctrl+Shift+M", button="Costs Only", setting="fold_code",
            ),
            Action(
                "source_rows", "Source Lines in Asse&mbler",
                "Show source lines above their instructions", icon="source-lines",
                keys="Ctrl+Shift+T", button="Source Lines", setting="source_rows",
            ),
            Action(
                "intel_syntax", "&Intel Syntax",
                "Show x86 instructions in Intel instead of AT&T syntax", keys="Ctrl+I",
                setting="intel_syntax",
            ),
            Action(
                "code_bytes", "Instruction &Bytes", "Show the bytes of each instruction",
                keys="Ctrl+B", setting="code_bytes",
            ),
            SEPARATOR,
            Action(
                "paths", "Source &Paths…",
                "Set where sources and programs of profiles from other machines are",
            ),
        )),
        Menu("colors", "&Appearance", (
            Action(
                "system", "Follow &System", "Light or dark, as the desktop is",
                setting="color_scheme", value=ColorScheme.SYSTEM,
            ),
            Action(
                "light", "&Light", "Dark text on a light window",
                setting="color_scheme", value=ColorScheme.LIGHT,
            ),
            Action(
                "dark", "&Dark", "Light text on a dark window",
                setting="color_scheme", value=ColorScheme.DARK,
            ),
            SEPARATOR,
            Action(
                "summary", "Su&mmary",
                "Show what is hottest, and where, in a line below the toolbar",
                setting="summary",
            ),
        )),
    )),
    Menu("find", "F&ind", (
        Action(
            "palette", "Command &Palette…", "Find commands, functions, views and settings",
            keys="Ctrl+Shift+P",
        ),
        Action(
            "jump", "&Jump to Function…", "Find a function by a few letters of its name",
            icon="jump-to", keys="Ctrl+P", button="Jump", needs_profile=True,
        ),
        Action(
            "search", "&Search Functions", "Search the list of functions", icon="search",
            keys=(_KEY.Find,), needs_profile=True,
        ),
        SEPARATOR,
        Action(
            "filter", "&Filter…", "Show only matching functions in all views", icon="filter",
            keys="Ctrl+L", button="Filter", needs_profile=True,
        ),
        Action(
            "own_code", "Only &My Code", "Hide functions of system libraries", icon="own-code",
            keys="Ctrl+M", button="My Code", needs_profile=True, checkable=True,
        ),
        SEPARATOR,
        Action(
            "find_code", "Find in &Code", "Find text in Source or Assembler", keys="Ctrl+Shift+F",
            needs_profile=True,
        ),
        Action("find_next", "Find Ne&xt", "Go to the next match", keys="F3", needs_profile=True),
        Action(
            "find_previous", "Find Pre&vious", "Go to the previous match", keys="Shift+F3",
            needs_profile=True,
        ),
    )),
    Menu("go", "&Go", (
        Action("back", "&Back", "Go back in the history", icon="back", keys="Alt+Left"),
        Action(
            "forward", "&Forward", "Go forward in the history", icon="forward", keys="Alt+Right",
        ),
        Action(
            "up", "&Up", "Go to the caller you came from, or the costliest", icon="up",
            keys="Alt+Up",
        ),
        Action(
            "hottest", "Ho&ttest Function", "Go to the function with the highest self cost",
            keys="Ctrl+H", needs_profile=True,
        ),
        Action(
            "explain_number", "Explain This &Number",
            "Show what the number under the cursor consists of", keys="Ctrl+U", needs_profile=True,
        ),
        Action(
            "show_call", "Show &Call in Source",
            "Show the line that makes the call under the cursor", keys="Ctrl+J", needs_profile=True,
        ),
        SEPARATOR,
        Action(
            "next_hot", "Next &Hot Line", "Go to the next line by cost", keys="F4",
            needs_profile=True,
        ),
        Action(
            "previous_hot", "&Previous Hot Line", "Go to the previous line by cost",
            keys="Shift+F4", needs_profile=True,
        ),
        Action(
            "editor", "Open in &Editor", "Open this source line in your editor", icon="editor",
            keys="Ctrl+Shift+O", button="Editor", needs_profile=True,
        ),
        SEPARATOR,
        Menu("go_to", "&View"),
    )),
    Menu("help", "&Help", (
        Action(
            "guide", "&Guide", "Learn how to record and read profiles", icon="guide",
            keys=(_KEY.HelpContents,),
        ),
        Action(
            "whats_this", "What's &This?", "Click any part of the window for an explanation",
            keys="Shift+F1",
        ),
        Action("example", "Open &Example", "Explore a small profile", icon="example"),
        SEPARATOR,
        Action(
            "system_report", "&System Report…",
            "Show what is installed, what is missing, and how to install it",
        ),
        Action("about", "&About", "Version and licence", icon="information"),
    )),
    Menu(BESIDES, "Command Palette", (
        Action("swap_sides", "Swap Base and New", "Compare the two profiles the other way round",
               keys="Ctrl+Shift+K"),
        Action("stop_comparing", "Stop Comparing", "Show the open profile alone"),
        Action("cancel", "Stop", "Stop opening or saving", icon="cancel", keys="Esc"),
        Action("no_filter", "Clear Filter", "Show all functions", keys="Ctrl+Shift+L"),
        Action(
            "regular_expression", "Regular Expression", "Use regular expressions in the search",
            icon="regex", keys="Alt+R", needs_profile=True, checkable=True,
        ),
        Action("all_parts", "All Parts", "Select all parts of the profile", keys="Ctrl+Shift+A"),
        Action("next_layout", "Next Layout", "Go to the next layout", keys="Ctrl+Alt+Right"),
        Action("previous_layout", "Previous Layout", "Go to the previous layout",
               keys="Ctrl+Alt+Left"),
        Action(
            "pin", "Pin in History", "Keep the line of the active function in the history's chart",
            keys="Ctrl+Alt+P", checkable=True,
        ),
        Action(
            "context_menu", "Show Context Menu", "Open the menu of the current row, box or text",
            keys="Shift+F10",
        ),
        Action(
            "other_panel", "Other Panel", "Move the keyboard focus between the two sets of views",
            keys="F10",
        ),
    )),
)  # fmt: skip
_WHATS_THIS_MENUS = "All commands of the program, with their shortcuts."


def declared_actions(items: tuple[Action | Menu | None, ...] = MENU_BAR) -> Iterator[Action]:
    for item in items:
        if isinstance(item, Menu):
            yield from declared_actions(item.items)
        elif item is not None:
            yield item


class Actions:
    """The actions of a window by name, `actions["open"]`, and its menus, `actions.menus["go"]`."""

    def __init__(self, window: QWidget) -> None:
        self._window = window
        self._groups: dict[str, QActionGroup] = {}  # by the setting of which they are the values
        self._icons: dict[str, str] = {}
        self._needing_profile: list[QAction] = []
        self._actions: dict[str, QAction] = {}
        self.menus: dict[str, QMenu] = {}
        for menu in MENU_BAR:
            self._create_menu(menu)
        self.recolor(window.palette())

    def __getitem__(self, name: str) -> QAction:
        return self._actions[name]

    def __iter__(self) -> Iterator[QAction]:
        return iter(self._actions.values())

    def connect(self, slots: Mapping[str, Callable[[], object]]) -> None:
        """Call each slot, without arguments, when the action of its name is triggered.

        Raises `KeyError` with all unknown names, without connecting anything.
        """
        unknown = sorted(slots.keys() - self._actions.keys())
        if unknown:
            raise KeyError(f"no such action: {', '.join(unknown)}")
        for name, slot in slots.items():
            self._actions[name].triggered.connect(lambda _checked=False, slot=slot: slot())

    def enable_for_profile(self) -> None:
        """Enable the actions that need an open profile and nothing else."""
        for action in self._needing_profile:
            action.setEnabled(True)

    def recolor(self, palette: QPalette) -> None:
        for name, picture in self._icons.items():
            self._actions[name].setIcon(icon(picture, palette))

    def fill_menu_bar(self, bar: QMenuBar) -> None:
        """Put the menus into the bar; the hidden one is for those who list all actions."""
        bar.setWhatsThis(_WHATS_THIS_MENUS)
        for menu in MENU_BAR:
            bar.addMenu(self.menus[menu.name])
        self.menus[BESIDES].menuAction().setVisible(False)

    # ---------------------------------------------------------------- from declarations

    def _create_menu(self, declared: Menu) -> QMenu:
        menu = self.menus[declared.name] = QMenu(declared.title, self._window)
        menu.setToolTipsVisible(True)
        if declared.tip:
            action = self._actions[declared.name] = menu.menuAction()
            self._describe(action, declared)
            action.setToolTip(declared.tip)
        for item in declared.items:
            if isinstance(item, Action):
                menu.addAction(self._create_action(item))
            elif item is not SEPARATOR:
                menu.addMenu(self._create_menu(item))
            else:
                menu.addSeparator()
        return menu

    def _create_action(self, declared: Action) -> QAction:
        action = self._actions[declared.name] = QAction(declared.text, self._window)
        self._describe(action, declared)
        action.setCheckable(declared.checkable or bool(declared.setting))
        action.setIconVisibleInMenu(not action.isCheckable())  # or its check mark is a frame
        action.setEnabled(not declared.needs_profile)
        if declared.needs_profile:
            self._needing_profile.append(action)
        if declared.value is not True:
            if declared.setting not in self._groups:
                self._groups[declared.setting] = QActionGroup(self._window)
            self._groups[declared.setting].addAction(action)
        keys = (declared.keys,) if isinstance(declared.keys, str) else declared.keys
        found = [QKeySequence(key) for key in keys]
        set_keys(action, list(dict.fromkeys(key for key in found if not key.isEmpty())))
        self._window.addAction(action)
        return action

    def _describe(self, action: QAction, declared: Action | Menu) -> None:
        action.setObjectName(declared.name)
        action.setStatusTip(declared.tip)
        if declared.button:
            action.setIconText(declared.button)
        if declared.icon:
            self._icons[declared.name] = declared.icon
