from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import xml.etree.ElementTree as ET
from importlib.metadata import packages_distributions
from pathlib import Path
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement

from qcachegrind_py.cli.shared_files import shared_files
from qcachegrind_py.tools.layout.worker import PLACED, READY
from qcachegrind_py.tools.layout.worker_process import LayoutProcess
from qcachegrind_py.version import __version__
from tests.patience import PATIENCE

ROOT = Path(__file__).parents[1]
PACKAGE = "qcachegrind_py"
EXAMPLE = "resources/example/sheet"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
METAINFO = ROOT / "resources/desktop/metainfo/io.github.qcachegrind_py.qcachegrind_py.metainfo.xml"


def has_compiler() -> bool:
    """Whether setuptools finds Python's headers and a compiler, which on Windows is on no path."""
    compiler = (os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc").split()[0]
    headers = Path(sysconfig.get_path("include"), "Python.h")
    return headers.exists() and (sys.platform == "win32" or shutil.which(compiler) is not None)


def tracked() -> set[str]:
    """The files tracked by git; skips the test where git cannot tell them."""
    if not (ROOT / ".git").exists():
        pytest.skip("only a checkout tells which files belong to it")
    try:
        listed = subprocess.run(
            ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
        )
    except FileNotFoundError:
        pytest.skip("git is not installed")
    except subprocess.CalledProcessError as error:
        pytest.skip(f"git does not trust this checkout: {error.stderr}")
    return set(listed.stdout.splitlines())


def run_setup(folder: Path, *arguments: object) -> str:
    """The output of `setup.py`; needs the setuptools that build this package."""
    pytest.importorskip("setuptools.command.bdist_wheel")
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "setup.py", *map(str, arguments)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stderr


def test_release_is_the_same_everywhere() -> None:
    """Package, changelog and AppStream data name one version; the last two also one date."""
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    version, date = re.findall(r"^## (.+), (\d{4}-\d\d-\d\d)$", changelog, re.M)[0]
    release = next(ET.parse(METAINFO).iter("release"))

    assert changelog.index(f"## {version}") == changelog.index("## ")
    assert (version, version, date) == (__version__, release.get("version"), release.get("date"))


def test_project_is_the_same_everywhere() -> None:
    """Package, licence and AppStream data name the same authors and addresses."""
    metainfo, urls = ET.parse(METAINFO), PROJECT["project"]["urls"]
    author = PROJECT["project"]["authors"][0]["name"]

    assert metainfo.findtext("developer/name") == author
    assert f"Copyright (c) 2026 {author}\n" in (ROOT / "LICENSE").read_text("utf-8")
    assert {url.get("type"): url.text for url in metainfo.findall("url")} == {
        "homepage": urls["Homepage"],
        "bugtracker": urls["Issues"],
        "vcs-browser": urls["Source"],
        "help": urls["Documentation"],
    }


def test_screenshots_are_pictures_of_this_version() -> None:
    """Software centres show files that are in the repository at the tag of the release."""
    start = f"{PROJECT['project']['urls']['Source']}/raw/v{__version__}/"
    images = [image.text or "" for image in ET.parse(METAINFO).iter("image")]

    assert len(images) > 2
    assert [path for path in images if not (ROOT / path.removeprefix(start)).is_file()] == []


def test_description_has_absolute_links(tmp_path: Path) -> None:
    """On a package index, links and pictures of the README lead to this version in the source."""
    run_setup(ROOT, "dist_info", "--output-dir", tmp_path)
    (metadata,) = tmp_path.glob("*.dist-info/METADATA")
    text = metadata.read_text("utf-8")
    links = re.findall(r"(!?)\[[^]]*\]\((.*?)\)", text)
    source = f"{PROJECT['project']['urls']['Source']}/{{}}/v{__version__}/"

    assert "Description-Content-Type: text/markdown\n" in text
    assert len(links) > 8
    for picture, link in links:
        path = link.removeprefix(source.format("raw" if picture else "blob"))
        assert (ROOT / path).is_file(), link


def supported_versions() -> list[str]:
    """The versions of Python named by the classifiers."""
    return re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["project"]["classifiers"]))


def test_wheels_are_built_for_what_is_promised() -> None:
    """Wheels are built for every supported version of Python."""
    named = supported_versions()
    built = re.findall(r"cp3(\d+)-", PROJECT["tool"]["cibuildwheel"]["build"])
    assert [f"3.{minor}" for minor in built] == named
    assert PROJECT["project"]["requires-python"] == f">={named[0]}"


def test_suite_runs_on_what_is_promised() -> None:
    """The workflow runs the tests on every supported version of Python."""
    workflow = (ROOT / ".github" / "workflows" / "tests.yml").read_text("utf-8")
    (tested,) = re.findall(r"^ +python: (\[.*\])$", workflow, re.M)
    assert json.loads(tested) == supported_versions()


def test_oldest_versions_are_the_least_that_are_allowed() -> None:
    """Every requirement has one constraint: the version from which on it is allowed."""
    ran = subprocess.run(
        [sys.executable, ROOT / ".ci" / "oldest_versions.py"],
        capture_output=True,
        text=True,
        check=True,
    )
    project = PROJECT["project"]
    texts = (*project["dependencies"], *project["optional-dependencies"]["test"])
    wanted = [Requirement(text) for text in texts]
    oldest = [Requirement(line) for line in ran.stdout.splitlines()]
    starts = [
        [f"=={bound.version}" for bound in each.specifier if bound.operator == ">="]
        for each in wanted
    ]

    assert [(each.name, [str(each.specifier)], each.marker) for each in oldest] == [
        (each.name, start, each.marker) for each, start in zip(wanted, starts, strict=True)
    ]


def test_command_needs_no_more_than_is_listed(tmp_path: Path) -> None:
    """Without a window, as on a CI server, the two packages of `without_qt.txt` suffice."""
    listed = (ROOT / "installers" / "without_qt.txt").read_text("utf-8").splitlines()
    wanted = [line for line in listed if not line.startswith("#")]
    assert set(wanted) < set(PROJECT["project"]["dependencies"])

    there = {Requirement(line).name for line in wanted}
    installed = packages_distributions()
    others = [name for name, owners in installed.items() if not there & set(owners)]
    profile = str(ROOT / EXAMPLE / "callgrind.out.sheet.xz")
    rule = ["--fail-if", "self>+1%", "--junit", "rules.xml", "--summary", "summary.md"]
    for command in (
        ["gate", profile, profile, *rule, "-o", "comparison.html"],
        ["compare", profile, profile],
        ["report", profile, "-o", "report.html"],
        ["annotate", profile, "main"],
        ["history", profile, profile, profile],
        ["convert", profile, "-o", "stacks.folded"],
    ):
        blocked = "; ".join(f"sys.modules[{name!r}] = None" for name in others if name != PACKAGE)
        start = (
            f"import sys; {blocked}; from {PACKAGE}.cli.main import main; sys.exit(main({command}))"
        )
        ran = subprocess.run(
            [sys.executable, "-c", start],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr


@pytest.mark.slow
def test_sources_and_wheel_are_complete(tmp_path: Path) -> None:
    """The source archive contains the whole project, the wheel all modules and data.

    The program of the example is no source of anything, which packagers do not take.
    """
    files = tracked() - {".gitignore"}
    run_setup(ROOT, "egg_info", "-e", tmp_path, "build_py", "-d", tmp_path)
    (sources,) = tmp_path.glob("*.egg-info/SOURCES.txt")
    package = {
        path.relative_to(tmp_path).as_posix() for path in tmp_path.glob("qcachegrind_py/**/*")
    }

    assert set() == files - set(sources.read_text(encoding="utf-8").splitlines())
    wanted = {name for name in files if name.startswith("qcachegrind_py/")}
    wanted |= {f"qcachegrind_py/{name}" for name in files if name.startswith("resources/")}
    assert {f"qcachegrind_py/{EXAMPLE}/sheet"} == wanted - package


@pytest.mark.slow
def test_installation_leaves_nothing_in_the_checkout(tmp_path: Path) -> None:
    """The commands that `pip install .` runs create no files beside the sources."""
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    for name in ("LICENSE", "MANIFEST.in", "README.md", "pyproject.toml", "setup.py"):
        shutil.copy(ROOT / name, checkout)
    for name in ("qcachegrind_py", "resources"):
        shutil.copytree(
            ROOT / name, checkout / name, ignore=shutil.ignore_patterns("__pycache__", "*.so")
        )
    before = sorted(checkout.rglob("*"))

    run_setup(checkout, "egg_info")
    run_setup(checkout, "dist_info", "--output-dir", tmp_path)
    run_setup(checkout, "bdist_wheel", "--dist-dir", tmp_path)

    assert sorted(checkout.rglob("*")) == before
    (wheel,) = tmp_path.glob("*.whl")
    with ZipFile(wheel) as archive:
        c_files = [name for name in archive.namelist() if name.endswith(".c")]
        shared = {
            name.partition("/data/share/")[2]: archive.read(name).decode()
            for name in archive.namelist()
            if "/data/share/" in name and not name.endswith(".png")
        }
    example = f"qcachegrind_py/{EXAMPLE}"
    assert sorted(c_files) == [f"{example}/{name}.c" for name in ("cells", "formula", "main")]
    assert shared_files().items() <= shared.items()


TOY = """
from setuptools import Extension, setup
from setup_of_ours import AllOrNone
import setup_of_ours
setup_of_ours.COMPILED = ("good", "bad")
setup(
    name="toy", py_modules=[], cmdclass={"build_ext": AllOrNone},
    ext_modules=[Extension(name, [name + ".c"]) for name in setup_of_ours.COMPILED],
)
"""
GOOD = "int nothing;"


@pytest.mark.skipif(not has_compiler(), reason="nothing can be compiled here")
@pytest.mark.parametrize(("bad", "built"), [(GOOD, ["bad", "good"]), ("#error no", [])])
def test_compiled_modules_come_together(tmp_path: Path, bad: str, built: list[str]) -> None:
    """If one module fails to compile, none is installed, not even one of an earlier build."""
    (tmp_path / "setup.py").write_text(TOY)
    (tmp_path / "setup_of_ours.py").write_text((ROOT / "setup.py").read_text())
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    (tmp_path / f"bad{suffix}").touch()
    (tmp_path / "good.c").write_text(GOOD)
    (tmp_path / "bad.c").write_text(bad)

    said = run_setup(tmp_path, "build_ext", "--inplace")

    found = sorted(path.name for path in tmp_path.rglob(f"*{suffix}") if "build" not in path.parts)
    assert found == [f"{name}{suffix}" for name in built]
    assert ("nothing is compiled" in said) == (not built)


def test_standalone_program_includes_what_is_imported() -> None:
    """No module that the package imports is excluded from the program that contains Python."""
    recipe = (ROOT / "installers" / "qcachegrind-py.spec").read_text("utf-8")
    excluded = set(re.findall(r'"([\w.]+)",', re.findall(r"EXCLUDED = \[(.*?)\]", recipe, re.S)[0]))
    imported = {
        name
        for path in (ROOT / "qcachegrind_py").rglob("*.py")
        for name in re.findall(r"^\s*(?:from|import) ([\w.]+)", path.read_text("utf-8"), re.M)
    }

    assert "PySide6.QtDBus" in excluded
    assert excluded & imported == set()


@pytest.mark.skipif(sys.platform == "win32", reason="a script cannot stand for the program")
def test_a_program_without_python_lays_out_graphs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bundled program that contains Python starts itself again to lay out graphs."""
    program = tmp_path / "qcachegrind-py"
    start = ROOT / "installers" / "program.py"
    program.write_text(f"#!/bin/sh\nPYTHONPATH='{ROOT}' exec '{sys.executable}' '{start}' \"$@\"\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", str(program))

    process = LayoutProcess()
    try:
        ready = process.answer(PATIENCE)
        process.ask(b"digraph { a -> b }")
        placed = process.answer(PATIENCE)
    finally:
        process.kill()

    assert ready is not None
    assert placed is not None
    assert (ready.kind, placed.kind) == (READY, PLACED)
    assert re.findall(r"^(?:node|edge) \w+", placed.text, re.M) == ["node a", "node b", "edge a"]
