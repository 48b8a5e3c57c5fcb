"""Run `--install-desktop` and `--uninstall-desktop`."""

from __future__ import annotations

import io
import sys

from qcachegrind_py.app.desktop.install import install, uninstall
from qcachegrind_py.app.desktop.paths import DesktopPaths
from qcachegrind_py.app.desktop.running_command import running_command
from qcachegrind_py.profile.errors import ProfileError

_UNSUPPORTED = (
    "This is for freedesktop.org's desktops, as Linux and BSD have them: nothing was done."
)
_OTHER_SYSTEMS = {
    "darwin": "On macOS choose the program for a profile in the Finder: Get Info, Open With.",
    "win32": "On Windows choose the program for a profile in the Explorer: Open With.",
}


def update_desktop_entry(*, installs: bool) -> int:
    """Install the program on the user's desktop or uninstall it; return the exit code."""
    if sys.platform in _OTHER_SYSTEMS:
        print(_UNSUPPORTED, _OTHER_SYSTEMS[sys.platform], file=sys.stderr)
        return 1
    if isinstance(sys.stdout, io.TextIOWrapper):  # a path may have undecodable bytes
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        done = (install if installs else uninstall)(DesktopPaths.of_user(), running_command())
    except ProfileError as error:
        print(str(error).encode(errors="backslashreplace").decode(), file=sys.stderr)
        return 1
    print("\n".join(done))
    return 0
