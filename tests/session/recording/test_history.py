"""The history of recorded command lines, whatever their arguments."""

from __future__ import annotations

from qcachegrind_py.session.recorder import add_recent_recording, recent_recordings
from qcachegrind_py.session.settings.store import Settings
from qcachegrind_py.tools.valgrind.recording import Recording

SORT = Recording(
    "/usr/bin/sort",
    ("-n", "a b", "", "'\"\\", "grün, %x\x1f\n", "\udce9"),
    "/tmp",
    "~/Profiles",
    ("LANG=C",),
    {"cache_sim": True, "separate_callers": 3, "toggle_collect": "f(int)*"},
    ("--fn-skip=x",),
)


def test_recordings_are_restored(settings: Settings) -> None:
    """All fields are kept, the latest first, without duplicates of command and folder."""
    ls, again = Recording("ls"), Recording("ls", options={"branch_sim": True})
    for recording in (ls, SORT, again):
        add_recent_recording(settings, recording)

    assert recent_recordings(Settings()) == [again, SORT]


def test_as_many_as_a_menu_shows_are_kept(settings: Settings) -> None:
    """The oldest entries are dropped."""
    for number in range(20):
        add_recent_recording(settings, Recording(f"p{number}"))

    assert [r.program for r in recent_recordings(settings)] == [f"p{n}" for n in range(19, 7, -1)]


def test_invalid_entries_are_left_out(settings: Settings) -> None:
    """Settings edited by hand or by another version cause no error."""
    right = '{"program": "ok", "options": {"cache_sim": 1, "unknown": 2, "separate_recs": 99}}'
    bad = ["", "7", "{", "[]", "{}", '{"program": 3}', '{"program": "x", "arguments": "abc"}']
    settings.store("recordings", [*bad, '{"program": "x", "arguments": [1]}', right])

    assert recent_recordings(settings) == [Recording("ok", options={})]
