"""Starts the program: the application, its window, or a picture of it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

_MISSING = """The libraries that Qt needs are not all here: {error}
On Debian or Ubuntu:  apt-get install libglib2.0-0 libgl1 libegl1 libxkbcommon0 libfontconfig1 \
libdbus-1-3 libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1 libxcb-image0 libxcb-render-util0 \
libxkbcommon-x11-0 libxcb-shape0
On Fedora:  dnf install glib2 mesa-libGL mesa-libEGL libxkbcommon-x11 fontconfig dbus-libs \
xcb-util-cursor xcb-util-wm xcb-util-keysyms xcb-util-image xcb-util-renderutil"""


def run(files: Sequence[str], screenshot: str | None, size: tuple[int, int]) -> int:
    """Show the window until it is closed, or save a picture of it; gives the exit code."""
    if screenshot and "QT_QPA_PLATFORM" not in os.environ:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"  # a picture needs no display
    try:
        from qcachegrind_py.app.application import Application
    except ImportError as error:
        print(_MISSING.format(error=error), file=sys.stderr)
        return 1
    from qcachegrind_py.app import icons, theme
    from qcachegrind_py.session.settings import OpensIn, Settings

    application = Application()
    paths = [Path(file) for file in files]
    if screenshot:
        from qcachegrind_py.app.screenshot import save_screenshot

        return save_screenshot(paths, Path(screenshot), size)
    settings = Settings()
    if settings.opens_in is OpensIn.ONE:
        from qcachegrind_py.app.one_window import hand_over

        if hand_over(paths):
            return 0
    from qcachegrind_py.app.windows import Windows

    theme.apply(settings.color_scheme)
    application.setWindowIcon(icons.application_icon())
    windows = Windows()
    application.file_opened.connect(windows.open)
    windows.add(paths)
    windows.listen_soon()
    return application.exec()
