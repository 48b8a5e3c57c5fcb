"""Installing on the desktop and uninstalling, whatever happens in between."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import qcachegrind_py
from qcachegrind_py.app.desktop.install import (
    ENTRY,
    DesktopPaths,
    _write_all,
    install,
    uninstall,
    with_default,
    without,
)
from qcachegrind_py.cli.main import main
from qcachegrind_py.cli.shared_files import shared_files
from qcachegrind_py.profile.errors import UnwritableFile
from tests.app.desktop.folder_snapshot import snapshot

resource = pytest.importorskip("resource")  # exists wherever freedesktop.org desktops do
ROOT = Path(qcachegrind_py.__file__).parents[1]
COMMAND = ("/opt/a b/qcachegrind-py-gui",)
ICON = "icons/hicolor/{0}x{0}/apps/qcachegrind_py.png"
INSTALLED = {
    f"applications/{ENTRY}",
    "bash-completion/completions/qcachegrind-py",
    "bash-completion/completions/qcachegrind_py",
    "fish/vendor_completions.d/qcachegrind-py.fish",
    "fish/vendor_completions.d/qcachegrind_py.fish",
    "icons/hicolor/scalable/apps/qcachegrind_py.svg",
    "man/man1/qcachegrind-py.1",
    "metainfo/io.github.qcachegrind_py.qcachegrind_py.metainfo.xml",
    "mime/packages/qcachegrind_py.xml",
    "zsh/site-functions/_qcachegrind-py",
    *(ICON.format(size) for size in (16, 22, 24, 32, 48, 64, 128, 256, 512)),
}
DEFAULTS = "[Default Applications]\napplication/x-kcachegrind=org.kde.kcachegrind.desktop\n"


@pytest.fixture
def paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DesktopPaths:
    """Empty user folders, on a system without any programs."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("PATH", str(tmp_path))
    return DesktopPaths(home / "share", home / "config", home / "state", shared_files())


def put(path: Path, text: str = "", mode: int = 0o644) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


def entry(paths: DesktopPaths) -> Path:
    return paths.data / f"applications/{ENTRY}"


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def nothing(paths: DesktopPaths) -> None:
    """Leave the user's folders empty."""


def others(paths: DesktopPaths) -> None:
    """Install other programs for the user, with their own caches."""
    put(paths.data / "applications/other.desktop", "[Desktop Entry]\n", 0o600)
    put(paths.data / "applications/mimeinfo.cache", "[MIME Cache]\n")
    put(paths.data / "mime/packages/other.xml", "<mime-info/>")
    put(paths.data / "icons/hicolor/16x16/apps/other.png").parent.chmod(0o700)
    put(paths.defaults, DEFAULTS, 0o600)
    put(paths.state / "qcachegrind_py/other", "x")


@pytest.mark.parametrize("before", [nothing, others])
def test_uninstall_restores_everything(paths: DesktopPaths, before: Callable[..., None]) -> None:
    """Names, bytes and modes are as before, folders included; installing twice changes nothing."""
    before(paths)
    home = paths.data.parent
    there, shared = snapshot(home), files(paths.data)

    install(paths, COMMAND)
    once = snapshot(home)
    theme = paths.data / "icons/hicolor"
    os.utime(theme, (1, 1))
    install(paths, COMMAND)

    assert theme.stat().st_mtime > 1, "desktops would not look at the icons again"
    assert once == snapshot(home)
    assert files(paths.data) - shared == INSTALLED
    assert 'Exec="/opt/a b/qcachegrind-py-gui" %F' in entry(paths).read_text().splitlines()
    uninstall(paths, COMMAND)
    assert snapshot(home) == there
    assert uninstall(paths, COMMAND) == ["QCachegrind.py was not installed on your desktop."]
    assert snapshot(home) == there


def test_a_cache_goes_with_the_last_file_that_it_describes(paths: DesktopPaths) -> None:
    """Where others have files, it is theirs as well."""
    install(paths, COMMAND)
    put(paths.data / "mime/globs2", "made for us")
    put(paths.data / "mime/text/x-other.xml", "made for us")
    put(paths.data / "applications/mimeinfo.cache", "made for both")
    put(paths.data / "applications/other.desktop", "[Desktop Entry]\n")

    uninstall(paths, COMMAND)

    assert files(paths.data) == {"applications/mimeinfo.cache", "applications/other.desktop"}


def test_files_of_pip_are_left_to_pip(paths: DesktopPaths, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that `pip install --user` placed in the user's folders are left alone."""
    package = paths.data.parent / "lib"
    put(package / "qcachegrind_py-9.dist-info/METADATA", "Name: qcachegrind_py\nVersion: 9\n")
    put(
        package / "qcachegrind_py-9.dist-info/RECORD",
        "".join(f"../{paths.data.name}/{name},,\n" for name in sorted(INSTALLED)),
    )
    for name in INSTALLED:
        put(paths.data / name, "put there by pip")
    monkeypatch.syspath_prepend(package)
    there = snapshot(paths.data.parent)

    install(paths, COMMAND)
    assert "=io.github.qcachegrind_py.qcachegrind_py.desktop" in paths.defaults.read_text()
    uninstall(paths, COMMAND)

    assert snapshot(paths.data.parent) == there


def test_later_changes_of_others_stay(paths: DesktopPaths) -> None:
    """Programs installed and defaults chosen later survive uninstalling."""
    put(paths.defaults, DEFAULTS)
    install(paths, COMMAND)
    put(paths.data / "applications/later.desktop", "[Desktop Entry]\n")
    put(paths.data / "mime/packages/later.xml", "<mime-info/>")
    put(paths.data / "mime/globs2", "made for both")
    paths.defaults.write_text(paths.defaults.read_text() + "text/plain=later.desktop\n")

    uninstall(paths, COMMAND)

    home = paths.data.parent
    assert files(home) == {
        "config/mimeapps.list",
        "share/applications/later.desktop",
        "share/mime/packages/later.xml",
        "share/mime/globs2",
    }
    assert paths.defaults.read_text() == DEFAULTS + "text/plain=later.desktop\n"


def test_foreign_file_is_neither_replaced_nor_deleted(paths: DesktopPaths) -> None:
    """A file with our name that we did not write stops the installation before any change."""
    path = put(entry(paths), "[Desktop Entry]\nName=Mine\n")
    there = snapshot(paths.data.parent)

    with pytest.raises(UnwritableFile) as caught:
        install(paths, COMMAND)

    assert str(caught.value) == (
        f"{path} already exists and was not written by QCachegrind.py. "
        "Move or delete it, then try again."
    )
    uninstall(paths, COMMAND)
    assert snapshot(paths.data.parent) == there


def test_edited_file_is_kept_and_reported(paths: DesktopPaths) -> None:
    """An entry edited after installing belongs to the user; everything else is removed."""
    install(paths, COMMAND)
    put(entry(paths), "[Desktop Entry]\nName=Mine\n", 0o644)

    said = uninstall(paths, COMMAND)

    assert f"{entry(paths)} has been changed since and is kept." in said
    assert files(paths.data.parent) == {f"share/applications/{ENTRY}"}


@pytest.mark.parametrize("record", [None, b"{", b"[]", b'{"version": 2}', b'{"folders": 1}'])
def test_uninstall_works_without_the_manifest(paths: DesktopPaths, record: bytes | None) -> None:
    """If the manifest is lost, broken or newer, files with our content are recognized as ours.

    That holds for any command in the entry, and if some files were deleted by hand.
    """
    install(paths, COMMAND)
    (paths.data / ICON.format(16)).unlink()
    paths.manifest.unlink()
    if record is not None:
        paths.manifest.write_bytes(record)

    said = uninstall(paths, ("python3", "-m", "qcachegrind_py"))

    assert said == ["QCachegrind.py has been removed from your desktop."]
    assert files(paths.data.parent) - {"config/mimeapps.list"} == set()
    assert "qcachegrind" not in paths.defaults.read_text()
    assert list(paths.data.iterdir()) == []


def test_reinstall_without_the_manifest_recognizes_its_files(paths: DesktopPaths) -> None:
    """Uninstalling then leaves nothing behind either."""
    install(paths, COMMAND)
    paths.manifest.unlink()

    install(paths, COMMAND)
    uninstall(paths, COMMAND)

    assert files(paths.data) == set()


def test_files_of_an_older_version_are_removed(paths: DesktopPaths) -> None:
    """Files that an older version put elsewhere are removed when a newer one is installed."""
    install(paths, COMMAND)
    old = put(paths.data / "applications/old.desktop", "of the version before")
    record = json.loads(paths.manifest.read_text())
    digest = "8e6ccab0f3d7ad3bd6ea1a1b2e58f6e2"  # another digest means that the file was edited
    record["files"][str(old)] = digest
    moved = put(paths.data / "applications/moved.desktop", "abc")
    record["files"][str(moved)] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    paths.manifest.write_text(json.dumps(record))

    install(paths, COMMAND)

    assert files(paths.data) - INSTALLED == {"applications/old.desktop"}


def test_temporary_and_unprintable_commands_are_reported(paths: DesktopPaths) -> None:
    """A program run by `uvx` will disappear; a path that is not UTF-8 cannot be in a menu."""
    said = install(paths, ("/home/x/.cache/uv/archive-v0/y/bin/qcachegrind-py",))

    assert [line for line in said if line.startswith("This program is in a temporary cache")] != []
    with pytest.raises(UnwritableFile, match="no menu can start"):
        install(paths, ("/opt/\udcff/qcachegrind-py",))


def test_zsh_needs_a_line_of_its_own(paths: DesktopPaths, tmp_path: Path) -> None:
    """Where there is zsh, it is said how it finds the completion; bash and fish find it alone."""
    without = install(paths, COMMAND)
    put(tmp_path / "zsh", mode=0o755)

    (advice,) = set(install(paths, COMMAND)) - set(without)

    folder = paths.data / "zsh/site-functions"
    assert advice == f"For zsh, put this above compinit in ~/.zshrc: fpath=({folder} $fpath)"


def run(home: Path, *options: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the command with its own home, without Qt and numpy."""
    program = (
        "import sys; sys.modules['PySide6'] = sys.modules['numpy'] = None\n"
        "from qcachegrind_py.cli.main import main\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    usual = {name: text for name, text in os.environ.items() if not name.startswith("XDG_")}
    return subprocess.run(
        [sys.executable, "-c", program, *options],
        cwd=ROOT,
        env={**usual, "PATH": "/nothing", "HOME": str(home), **variables},
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000)),
    )


def test_full_disk_leaves_everything_as_it_was(tmp_path: Path) -> None:
    """If one file does not fit, the others are undone; the message names it, and exit code is 1."""
    home = tmp_path / "home"
    put(home / ".config/mimeapps.list", DEFAULTS)
    there = snapshot(home)

    ran = run(home, "desktop", "install")

    path = home / ".local/share" / ICON.format(512)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert (
        ran.stderr
        == f"{path} cannot be written: File too large. Choose a disk that takes larger files.\n"
    )
    assert snapshot(home) == there


@pytest.mark.skipif(not os.path.ismount("/sys"), reason="no folder here where nobody may write")
def test_read_only_folder_is_reported(tmp_path: Path) -> None:
    """If a folder cannot be made, nothing changes, and the message names it."""
    ran = run(tmp_path, "desktop", "install", XDG_DATA_HOME="/sys/share")

    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr.startswith("/sys/share cannot be made: ")
    assert snapshot(tmp_path) == {}


def test_program_that_cannot_start_is_not_installed(tmp_path: Path) -> None:
    """If a library is missing, the message names it with the remedy, and no file is written."""
    stub, home = (
        put(tmp_path / "stub/numpy.py", "raise ImportError('too old')").parent,
        tmp_path / "home",
    )
    home.mkdir()

    ran = run(home, "desktop", "install", PYTHONPATH=str(stub))

    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr.startswith(
        "Nothing was installed. The program could not open a window: numpy cannot be imported: "
        "too old\n    "
    )
    assert snapshot(home) == {}


def test_other_systems_get_advice(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On macOS and Windows nothing is done, with exit code 1."""
    monkeypatch.setattr(sys, "platform", "darwin")

    assert main(["desktop", "install"]) == 1
    assert capsys.readouterr().err == (
        "This is for freedesktop.org desktops, as on Linux and BSD. Nothing was done. "
        "On macOS, choose the program for a profile in the Finder: Get Info, Open With.\n"
    )


def test_all_files_are_written_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If one file cannot be replaced, files written before it are restored or deleted."""
    old, new, busy = tmp_path / "old", tmp_path / "folder/new", tmp_path / "busy"
    for path in (old, busy):
        path.write_bytes(b"before")
        path.chmod(0o600)
    there = snapshot(tmp_path)
    replace = Path.replace

    def replace_unless_busy(part: Path, path: Path) -> Path:
        """Fail like a system on which another file is mounted over this one."""
        if path == busy:
            raise OSError(errno.EBUSY, "Device or resource busy")
        return replace(part, path)

    monkeypatch.setattr(Path, "replace", replace_unless_busy)
    with pytest.raises(UnwritableFile, match="busy cannot be written: Device or resource busy"):
        _write_all({busy: b"after", old: b"after", new: b"after"}, [new.parent])

    assert snapshot(tmp_path) == there


_TYPES = ("a/b", "a/c")
CASES = {
    "": "[Default Applications]\na/b=we.desktop\na/c=we.desktop\n",
    "[Added Associations]\na/b=x.desktop": (
        "[Added Associations]\na/b=x.desktop\n"
        "\n[Default Applications]\na/b=we.desktop\na/c=we.desktop\n"
    ),
    "# mine\n[Default Applications]\na/b=x.desktop;y.desktop;\nz/z=x.desktop\n\n[Other]\na/c=x\n": (
        "# mine\n[Default Applications]\na/b=we.desktop;x.desktop;y.desktop;\nz/z=x.desktop\n"
        "a/c=we.desktop\n\n[Other]\na/c=x\n"
    ),
    "[Default Applications]\r\na/b = x.desktop\r\n\r\n": (
        "[Default Applications]\r\na/b =we.desktop;x.desktop\r\na/c=we.desktop\n\r\n"
    ),
    "[Default Applications]\na/b=x.desktop;we.desktop\na/c=we.desktop\n": (
        "[Default Applications]\na/b=we.desktop;x.desktop\na/c=we.desktop\n"
    ),
}


@pytest.mark.parametrize("before", CASES)
def test_added_application_precedes_the_previous_default(before: str) -> None:
    """The previous default stays in the list behind it; the rest of the text is untouched."""
    assert with_default(before, _TYPES, "we.desktop") == CASES[before]


def test_removed_application_leaves_no_trace() -> None:
    """Lines keep other applications; other types and other lines stay."""
    text = (
        "[Added Associations]\na/b=x.desktop;we.desktop;\na/c=we.desktop;\n"
        "[Default Applications]\na/b=we.desktop;x.desktop\na/c=we.desktop\nz/z=we.desktop\n# a/b=we"
    )

    assert without(text, _TYPES, "we.desktop") == (
        "[Added Associations]\na/b=x.desktop;\n"
        "[Default Applications]\na/b=x.desktop\nz/z=we.desktop\n# a/b=we"
    )


def test_the_task_takes_one_word(capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing can be opened on the way."""
    for options in (["desktop", "install", "callgrind.out.1"], ["desktop"]):
        with pytest.raises(SystemExit) as caught:
            main(options)
        assert caught.value.code == 2
    assert "desktop: takes one word: install or uninstall" in capsys.readouterr().err
