"""Build of the compiled modules, all or none, and of the files made from the table of options.

All other settings of the build are in pyproject.toml.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory

from setuptools import Extension, find_packages, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext
from setuptools.errors import BaseError, CCompilerError

from distutils.command.install_data import install_data  # isort: skip # of setuptools

COMPILED = (
    "qcachegrind_py.analysis.calls.propagation",
    "qcachegrind_py.analysis.costs.components",
    "qcachegrind_py.analysis.folding.charging",
    "qcachegrind_py.formats.callgrind.interner",
    "qcachegrind_py.formats.callgrind.scanner",
)


class AllOrNone(build_ext):
    """Compiles all modules, or none of them if one fails.

    Compiled modules share types and cannot be imported without each other. Uncompiled, the same
    sources run interpreted.
    """

    def initialize_options(self) -> None:
        """Let Cython write C among the files of the build, instead of beside the sources."""
        super().initialize_options()
        self.cython_c_in_temp = True

    def build_extension(self, ext: Extension) -> None:
        """Compile one module; Cython replaces its source by C, which wheels would then contain."""
        sources = ext.sources
        super().build_extension(ext)
        ext.sources = sources

    def build_extensions(self) -> None:
        """Compile the modules if there is a compiler."""
        for extension in self.extensions:
            if self.compiler.compiler_type == "unix":
                # debug information is 2/3 of the size; counters wrap at 2^63, as elsewhere
                extension.extra_compile_args += ["-g0", "-fwrapv"]
        try:
            super().build_extensions()
        except (BaseError, CCompilerError) as error:
            self.warn(f"files will open slowly, nothing is compiled: {error}")
            self._give_up()

    def copy_extensions_to_source(self) -> None:
        """Copy the modules beside their sources and remove those of an earlier build."""
        self._remove_built(Path())
        super().copy_extensions_to_source()

    def _give_up(self) -> None:
        self._remove_built(Path(self.build_lib))
        self.extensions = self.distribution.ext_modules = []

    def _remove_built(self, root: Path) -> None:
        for name in COMPILED:
            (root / self.get_ext_filename(name)).unlink(missing_ok=True)


class HonestWheel(bdist_wheel):
    """Builds a wheel that is tagged as platform-independent if nothing was compiled."""

    def run(self) -> None:
        """Compile first, since the result determines the name of the wheel."""
        self.run_command("build_ext")
        self.root_is_pure = not self.distribution.has_ext_modules()
        super().run()


class SharedFiles(install_data):
    """Adds the manual page and the completion of shells, made from the command's own table."""

    def run(self) -> None:
        """Write them into the folder of the build, and install them with the others."""
        before = sys.path[:], sys.dont_write_bytecode
        sys.path.insert(0, str(Path(__file__).parent))
        sys.dont_write_bytecode = True  # the checkout stays as it is
        try:
            from qcachegrind_py.cli.shared_files import shared_files
        finally:
            sys.path[:], sys.dont_write_bytecode = before
        made = Path(self.get_finalized_command("build").build_base, "shared")
        for name, text in shared_files().items():
            path = made / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            self.data_files.append((f"share/{Path(name).parent.as_posix()}", [str(path)]))
        super().run()


def _folders(top: str) -> list[str]:
    """Return the data folders, which setuptools requires to be listed as packages.

    A folder with a dot in its name can be no package; its files belong to the one above it.
    """
    folders = (path for path in sorted(Path(top).rglob("*")) if path.is_dir())
    return [".".join(path.parts) for path in folders if "." not in path.name]


def _description() -> str:
    """Return README.md for package indexes, which have only its text and not the files beside it.

    Links and pictures refer to the repository, at the tag of this version.
    """
    source = tomllib.loads(Path("pyproject.toml").read_text("utf-8"))["project"]["urls"]["Source"]
    lines = Path("qcachegrind_py/version.py").read_text("utf-8")
    version = re.findall(r'^__version__ = "(.+)"$', lines, re.M)[0]
    text = Path("README.md").read_text("utf-8")
    for kind, link in (("raw", r"(!\[[^]]*\]\()(?!https:)"), ("blob", r"(\[[^]]*\]\()(?!https:)")):
        text = re.sub(link, rf"\1{source}/{kind}/v{version}/", text)
    return text


def _options_outside(folder: str) -> dict[str, dict[str, str]]:
    """Return options by which `pip install .` leaves no files in the checkout.

    A source archive contains its `.egg-info`, so `sdist` can only create that in the checkout.
    """
    options = {"build": {"build_base": folder}}
    if "sdist" not in sys.argv:
        options["egg_info"] = {"egg_base": folder}
    return options


if __name__ == "__main__":
    build_folder = TemporaryDirectory(prefix="qcachegrind_py-")  # removed at exit
    setup(
        long_description=_description(),
        long_description_content_type="text/markdown",
        options=_options_outside(build_folder.name),
        packages=[
            *find_packages(include=["qcachegrind_py", "qcachegrind_py.*"]),
            "qcachegrind_py.resources",
            *(f"qcachegrind_py.{folder}" for folder in _folders("resources")),
        ],
        ext_modules=[Extension(name, [f"{name.replace('.', '/')}.py"]) for name in COMPILED],
        cmdclass={
            "build_ext": AllOrNone,
            "bdist_wheel": HonestWheel,
            "install_data": SharedFiles,
        },
    )
