"""What a window keeps of the profiles that it has shown, counted in objects."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from pytestqt.qtbot import QtBot

from qcachegrind_py.analysis.queries import ProfileQueries
from qcachegrind_py.app.window import MainWindow
from qcachegrind_py.profile.profile import Profile
from tests.profile_rows import DATA
from tests.user_input import (
    DOCK_IDS,
    ignore_offscreen_warnings,
    process_events,
)

pytestmark = ignore_offscreen_warnings


def test_a_profile_and_its_caches_go_with_the_next_one(
    window: MainWindow, qtbot: QtBot, open_file: Callable[..., None], draw: Callable[..., Path]
) -> None:
    """No view, job or history holds the profile before, whichever docks were shown."""
    open_file(DATA / "programs" / "callgrind.out.jumps-O1.xz")
    for dock_id in DOCK_IDS.values():
        window.docks.show(dock_id)
        process_events()
    qtbot.waitUntil(lambda: window.jobs.is_idle)
    assert kept_of("jumps-O1") == {Profile: 1, ProfileQueries: 1}
    open_file(draw("main 1 -> f 3x60\nf 60"))

    qtbot.waitUntil(lambda: window.jobs.is_idle and kept_of("jumps-O1") == {})


def kept_of(program: str) -> dict[type, int]:
    """How many profiles of a program, and query caches of them, exist; by type."""
    gc.collect()
    objects = [
        object_ for object_ in gc.get_objects() if type(object_) in (Profile, ProfileQueries)
    ]
    return Counter(
        type(object_)
        for object_ in objects
        if program in (object_ if isinstance(object_, Profile) else object_.profile).program_name
    )
