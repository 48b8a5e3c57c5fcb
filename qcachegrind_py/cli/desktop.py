"""`desktop`: install the program on the user's desktop and in shells, or remove it there."""

from __future__ import annotations

import io
import shlex
import sys

from qcachegrind_py.app.desktop.install import DesktopPaths, install, uninstall
from qcachegrind_py.app.desktop.running_command import running_command, why_not_started
from qcachegrind_py.app.doctor.checks import State, library_findings
from qcachegrind_py.cli.options import Options
from qcachegrind_py.cli.output import write_output
from qcachegrind_py.cli.shared_files import shared_files
from qcachegrind_py.profile.errors import ProfileError
from qcachegrind_py.visible_text import print_message, visible_lines

_UNSUPPORTED = "This is for freedesktop.org desktops, as on Linux and BSD. Nothing was done."
_OTHER_SYSTEMS = {
    "darwin": "On macOS, choose the program for a profile in the Finder: Get Info, Open With.",
    "win32": "On Windows, choose the program for a profile in the Explorer: Open With.",
}


def run(options: Options) -> int:
    """Install or uninstall; return the exit code."""
    installs = options.words == ["install"]
    if sys.platform in _OTHER_SYSTEMS:
        print_message(f"{_UNSUPPORTED} {_OTHER_SYSTEMS[sys.platform]}")
        return 1
    if isinstance(sys.stdout, io.TextIOWrapper):  # a path may have letters unknown to a terminal
        sys.stdout.reconfigure(errors="backslashreplace")
    command = running_command()
    if installs and (problem := _start_problem(command)):
        print_message(*f"Nothing was installed. {problem}".split("\n"))
        return 1
    paths = DesktopPaths.of_user(shared_files())
    try:
        messages = (install if installs else uninstall)(paths, command)
    except ProfileError as error:
        print_message(str(error))
        return 1
    return write_output(lambda stream: print(visible_lines("\n".join(messages)), file=stream))


def _start_problem(command: tuple[str, ...]) -> str:
    """Return why the menu entry could not open a window, with the remedy; empty if it could."""
    if reason := why_not_started(command):
        return f"The menu entry would start {shlex.join(command)}, which fails: {reason}."
    for finding in library_findings():
        if finding.state is State.PROBLEM:
            remedy = "".join(f"\n    {line}" for line in finding.remedy.splitlines())
            return f"The program could not open a window: {finding.name} {finding.text}{remedy}"
    return ""
