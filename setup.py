"""What pyproject.toml has no words for: the compiled modules come all together, or not at all.

Everything else that a build has to know stands there.
"""

from __future__ import annotations

from pathlib import Path

from setuptools import Extension, find_packages, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext
from setuptools.errors import BaseError, CCompilerError

COMPILED = (
    "qcachegrind_py.analysis.costs.components",
    "qcachegrind_py.formats.callgrind.interner",
    "qcachegrind_py.formats.callgrind.scanner",
)


class AllOrNone(build_ext):
    """Compiles all modules, or where one of them fails, none.

    They share their types: one compiled without the other cannot be imported. Without any, the same
    sources run interpreted.
    """

    def build_extensions(self) -> None:
        """Compile them, as far as there is a compiler."""
        for extension in self.extensions:
            if self.compiler.compiler_type == "unix":  # what a debugger needs is 2/3 of the size
                extension.extra_compile_args.append("-g0")
        try:
            super().build_extensions()
        except (BaseError, CCompilerError) as error:
            self.warn(f"files will open slowly, nothing is compiled: {error}")
            self._give_up()

    def copy_extensions_to_source(self) -> None:
        """Put them beside their sources, where those of an earlier build must not stay behind."""
        self._remove_built(Path())
        super().copy_extensions_to_source()

    def _give_up(self) -> None:
        self._remove_built(Path(self.build_lib))
        self.extensions = self.distribution.ext_modules = []

    def _remove_built(self, root: Path) -> None:
        for name in COMPILED:
            (root / self.get_ext_filename(name)).unlink(missing_ok=True)


class HonestWheel(bdist_wheel):
    """A wheel with nothing compiled in it is for every machine, and its name says so."""

    def run(self) -> None:
        """Compile first, as the outcome decides about the name."""
        self.run_command("build_ext")
        self.root_is_pure = not self.distribution.has_ext_modules()
        super().run()


def _folders(top: str) -> list[str]:
    """The folders of data, each of which setuptools wants to be told of as if it were a package."""
    return [".".join(path.parts) for path in sorted(Path(top).rglob("*")) if path.is_dir()]


if __name__ == "__main__":
    setup(
        packages=[
            *find_packages(include=["qcachegrind_py", "qcachegrind_py.*"]),
            "qcachegrind_py.resources",
            *(f"qcachegrind_py.{folder}" for folder in _folders("resources")),
        ],
        ext_modules=[Extension(name, [f"{name.replace('.', '/')}.py"]) for name in COMPILED],
        cmdclass={"build_ext": AllOrNone, "bdist_wheel": HonestWheel},
    )
