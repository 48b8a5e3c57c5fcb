"""Rules of the architecture that no type checker knows: who imports what, and READMEs."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import qcachegrind_py
from qcachegrind_py.app.frame.docks.registry import DockRegistry

pytestmark = pytest.mark.unmeasured  # the package is read here, not run
PACKAGE = Path(qcachegrind_py.__file__).parent
LIBRARY = ("profile", "formats", "analysis", "tools", "present", "write")
MODULES = sorted(
    path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py") if "__pycache__" not in path.parts
)
# Slow or unsafe over a profile's data: sort and filter are permutations in our own models.
BANNED_CLASSES = {
    "QSortFilterProxyModel",
    "QStandardItemModel",
    "QStandardItem",
    "QTreeWidget",
    "QTableWidget",
    "QListWidget",
}
BANNED_PACKAGES = {"scipy", "pandas", "polars", "networkx", "igraph", "numba", "qtawesome"}


@cache
def parsed(module: Path) -> ast.Module:
    return ast.parse((PACKAGE / module).read_text(encoding="utf-8"))


@cache
def nodes(module: Path) -> list[ast.AST]:
    return list(ast.walk(parsed(module)))


@cache
def imports(module: Path) -> list[str]:
    """Full names of all modules and names imported by a module, at its top or inside functions."""
    found: list[str] = []
    for node in nodes(module):
        if isinstance(node, ast.Import):
            found += (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found += (f"{node.module}.{alias.name}" for alias in node.names)
    return found


@cache
def names(module: Path) -> set[str]:
    """All names and attributes used by a module."""
    used = {node.id for node in nodes(module) if isinstance(node, ast.Name)}
    used |= {node.attr for node in nodes(module) if isinstance(node, ast.Attribute)}
    return used | {name.rpartition(".")[2] for name in imports(module)}


def layer(module: Path) -> str:
    return module.parts[0]


def where(found: dict[Path, object]) -> dict[str, object]:
    return {str(module): what for module, what in found.items() if what}


_IMPORT_LIBRARY = """
import importlib, sys
for blocked in ("PySide6", "shiboken6", "pyqtgraph"):
    sys.modules[blocked] = None
for module in sys.argv[1:]:
    importlib.import_module(module)
print(len(sys.argv) - 1)
"""


def test_the_library_imports_without_qt() -> None:
    """profile, formats, analysis and tools, and the command, import no Qt."""
    modules = [
        ".".join(("qcachegrind_py", *module.with_suffix("").parts)).removesuffix(".__init__")
        for module in MODULES
        if layer(module) in (*LIBRARY, "__init__.py", "library.py") or module == Path("cli/main.py")
    ]
    ran = subprocess.run(
        [sys.executable, "-c", _IMPORT_LIBRARY, *modules],
        cwd=PACKAGE.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.stderr, ran.stdout) == ("", f"{len(modules)}\n")
    assert len(modules) > 20


def test_who_imports_qt() -> None:
    """The library uses no Qt; the session uses QtCore only."""
    allowed = {
        "session": ("PySide6.QtCore",),
        "views": ("PySide6.", "shiboken6."),
        "app": ("PySide6.", "shiboken6."),
    }
    found = {
        module: [
            name
            for name in imports(module)
            if name.startswith(("PySide6", "shiboken6"))
            and not f"{name}.".startswith(allowed.get(layer(module), ("nothing",)))
        ]
        for module in MODULES
    }
    assert where(found) == {}


def test_widgets_only_in_views_and_app() -> None:
    """`QtWidgets` is imported nowhere below the views."""
    found = {
        module: [name for name in imports(module) if "QtWidgets" in name]
        for module in MODULES
        if layer(module) not in ("views", "app")
    }
    assert where(found) == {}


def test_no_layer_imports_one_above_it() -> None:
    """No layer imports one above it or beside it, at the top of a module or inside a function."""
    height = {"profile": 0, "analysis": 1, "formats": 2, "tools": 2}
    height |= {
        "present": 3,
        "write": 4,
        "session": 5,
        "views": 6,
        "app": 7,
        "cli": 8,
    }
    found = {
        module: [
            name
            for name in imports(module)
            if name.startswith("qcachegrind_py.")
            and (other := name.split(".")[1]) in height
            and other != layer(module)
            and height[other] >= height[layer(module)]
        ]
        for module in MODULES
        if layer(module) in height
    }
    assert where(found) == {}


def test_no_item_widgets_and_no_proxy_models() -> None:
    """No Qt class that stores its own items holds a profile's data."""
    assert where({module: names(module) & BANNED_CLASSES for module in MODULES}) == {}


def test_views_of_docks_do_not_know_one_another() -> None:
    """Neither at once nor through what they import: a dock can be added and removed alone."""
    files = {f"qcachegrind_py.{str(module)[:-3].replace('/', '.')}": module for module in MODULES}
    docks = {name for spec in DockRegistry.specs() for name in spec.modules if ".views." in name}
    known: dict[str, set[str]] = {}
    for dock in docks:
        found, waiting = set[str](), {dock}
        while waiting:
            found |= waiting
            named = {name for each in waiting for name in imports(files[each])}
            named |= {name.rpartition(".")[0] for name in named}
            waiting = {name for name in named if name in files and ".views." in name} - found
        known[dock] = (found & docks) - {dock}

    assert len(docks) > 10
    assert {dock: others for dock, others in known.items() if others} == {}


def test_indexes_are_made_in_one_place() -> None:
    """Only `views/tables/item_model.py` calls `createIndex`: a numpy number would be an address."""
    found = [module for module in MODULES if "createIndex" in names(module)]
    assert [module for module in found if module != Path("views/tables/item_model.py")] == []


def test_messages_are_printed_in_one_place() -> None:
    """Only `print_message`, which escapes what cannot be seen, writes to standard error."""
    writers = [module for module in MODULES if "stderr" in sys_attributes(module)]
    assert writers == [Path("visible_text.py")]


def test_programs_are_started_in_few_places() -> None:
    """Each module that starts a program has been looked at: what it runs, where, and with what."""
    starters = {"subprocess", "QProcess", "popen", "posix_spawn"}
    assert {str(module) for module in MODULES if names(module) & starters} == {
        "app/desktop/install.py",
        "app/desktop/running_command.py",
        "app/doctor/checks.py",
        "app/doctor/probe.py",
        "session/program_control.py",
        "session/recorder.py",
        "tools/editor.py",
        "tools/git.py",
        "tools/layout/worker_process.py",
    }


def test_git_is_started_in_one_place() -> None:
    """Only `tools/git.py` names git as a program: a repository can make it run others."""
    found = [
        str(module)
        for module in MODULES
        for node in nodes(module)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str | bytes)
        and node.value in ("git", "git.exe", b"git")
    ]
    assert found == ["tools/git.py"]


def sys_attributes(module: Path) -> set[str]:
    return {
        node.attr
        for node in nodes(module)
        if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "sys"
    }


# What writes a file itself, and why it may.
WRITES_ITSELF = {
    "formats/compression.py": "the one place: the part file, and devices in place",
    "formats/loading.py": "a temporary folder of its own, not read before it is complete",
    "app/crash/report.py": "the fault handler writes when Python no longer can",
    "session/settings/file.py": "moves a file away that Qt must not read",
    "profile/files.py": "opens to read",
    "tools/git.py": "what git prints, until it is read",
    "cli/output.py": "opens the null device",
}
_WRITING_MODE = re.compile(r"[rwaxbt+]*[wax+][rwaxbt+]*")
_WRITING_METHODS = {
    *("write_text", "write_bytes", "touch", "rename", "symlink_to", "hardlink_to"),
    *("setFileName", "tofile", "savez", "mkstemp", "NamedTemporaryFile"),
    *("copyfile", "copy2", "copytree"),
}
_WRITING_NAMES = {"QSaveFile", "QFile", "QTemporaryFile"}


def _writes(node: ast.AST) -> bool:
    """Whether a call can make or change a file, as far as its text shows."""
    if not isinstance(node, ast.Call):
        return isinstance(node, ast.Name | ast.alias) and (
            (node.id if isinstance(node, ast.Name) else node.name) in _WRITING_NAMES
        )
    called, words = node.func, [each.value for each in node.args if isinstance(each, ast.Constant)]
    words += [each.value.value for each in node.keywords if isinstance(each.value, ast.Constant)]
    if isinstance(called, ast.Name):
        return called.id == "open" and any(_is_writing_mode(word) for word in words)
    if not isinstance(called, ast.Attribute):
        return False
    owner = ast.unparse(called.value)
    match called.attr:
        case "open":
            return owner == "os" or any(_is_writing_mode(word) for word in words)
        case "save":  # of a QPixmap or QImage, rather than of a painter or a command
            return owner != "self" and (len(node.args) > 1 or "save(str(" in ast.unparse(node))
        case "replace":  # of a path, rather than of a text
            return owner == "os" or (len(node.args) == 1 and not node.keywords)
        case name:
            return name in _WRITING_METHODS


def _is_writing_mode(word: object) -> bool:
    return isinstance(word, str) and _WRITING_MODE.fullmatch(word) is not None


def test_files_are_written_in_one_place() -> None:
    """Each file is complete or the old one, and a failure has its reason and remedy."""
    writing = {module.as_posix() for module in MODULES if any(map(_writes, nodes(module)))}
    assert writing <= set(WRITES_ITSELF)


@pytest.mark.parametrize(
    "line",
    [
        'path.open("wb")',
        'open(path, mode="a")',
        "path.write_text(text)",
        'pixels.save(name, "png", 60)',
        "image.save(str(path))",
        "part.replace(path)",
        "os.open(path, flags)",
        "file = QSaveFile(name)",
        "shutil.copy2(a, b)",
    ],
)
def test_what_writes_a_file_is_found(line: str) -> None:
    """The test above would notice it."""
    assert any(map(_writes, ast.walk(ast.parse(line))))


def test_no_sums_in_floating_point() -> None:
    """`np.bincount` with weights sums in float64 and loses counts above 2^53."""
    found = {
        module: [
            node.lineno
            for node in nodes(module)
            if isinstance(node, ast.Call)
            and getattr(node.func, "attr", getattr(node.func, "id", "")) == "bincount"
            and (len(node.args) > 1 or any(key.arg == "weights" for key in node.keywords))
        ]
        for module in MODULES
    }
    assert where(found) == {}


def _is_percentage(node: ast.AST) -> bool:
    """Whether an expression divides by a total, or multiplies a quotient with 100."""
    if not isinstance(node, ast.BinOp):
        return False
    inner = [each for each in ast.walk(node) if isinstance(each, ast.BinOp)]
    divides = [each for each in inner if isinstance(each.op, ast.Div | ast.FloorDiv)]
    is_times_100 = any(
        isinstance(each.op, ast.Mult)
        and 100 in (getattr(side, "value", None) for side in (each.left, each.right))
        for each in inner
    )
    divisors = [name for each in divides for name in ast.walk(each.right)]
    named = {getattr(name, "id", getattr(name, "attr", "")) for name in divisors}
    return bool(divides) and (is_times_100 or any("total" in name for name in named))


def test_costs_are_divided_by_totals_in_one_place() -> None:
    """Only `profile/numbers.py` knows that a total may be 0 or negative."""
    others = {
        "profile/numbers.py": "that place",
        "analysis/calls/frame_tree.py": "shares a cost out, and checks",
        "analysis/comparison/matching.py": "likeness of two functions",
        "app/frame/docks/layouts.py": "sizes of docks",
        "present/unit.py": "growth of a ratio",
        "present/exact.py": "growth of a ratio",
        "present/flame_graph.py": "places of boxes",
        "views/history/content.py": "a chart relative to its first value above 0",
    }
    found = {
        module: [node.lineno for node in nodes(module) if _is_percentage(node)]
        for module in MODULES
        if module.as_posix() not in others
    }
    assert where(found) == {}


def test_no_library_that_was_decided_against() -> None:
    """Libraries that are too large, too slow to import or under another licence are not used."""
    found = {
        module: {name.partition(".")[0] for name in imports(module)} & BANNED_PACKAGES
        for module in MODULES
    }
    assert where(found) == {}


def test_a_module_says_what_it_is() -> None:
    """A module begins with a sentence about itself."""
    assert [str(m) for m in MODULES if not ast.get_docstring(parsed(m))] == []


def test_every_folder_says_what_may_live_there() -> None:
    """Each folder of the package has a README of a few lines."""
    folders = {(PACKAGE / module).parent for module in MODULES} - {PACKAGE}
    assert [str(folder) for folder in sorted(folders) if not (folder / "README.md").exists()] == []


def test_files_that_pages_name_exist() -> None:
    """A page names modules by their path from its folder, the package, or a folder in that."""
    root = PACKAGE.parent
    known = [f"/{module.as_posix()}" for module in MODULES]
    pages = [root / "CONTRIBUTING.md", root / "docs/design.md", *PACKAGE.rglob("README.md")]
    missing = {
        f"{page.relative_to(root)}: {name}"
        for page in pages
        for name in re.findall(r"`([\w/]+\.py)`", page.read_text(encoding="utf-8"))
        if not (root / name).exists() and not any(each.endswith(f"/{name}") for each in known)
    }
    assert missing == set()
