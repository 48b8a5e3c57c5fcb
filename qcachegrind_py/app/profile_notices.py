"""What there is to say of a profile that was just opened: other files, odd lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from qcachegrind_py.app.notices import NoticeStrip
from qcachegrind_py.models.numbers import grouped
from qcachegrind_py.profile.profile import Profile


def tell_of_files(
    notices: NoticeStrip, profile: Profile, chosen: Sequence[Path], open_alone: Callable[[], None]
) -> None:
    """Say that one file brought others of its run, and offer to open it alone, if it can be."""
    paths = {str(path) for path in chosen}
    others = set(profile.paths) - paths
    if others:
        files = f"{grouped(len(others))} other file{'' if len(others) == 1 else 's'}"
        choices = [("Only This File", open_alone)] if paths & set(profile.paths) else []
        notices.show_notice("information", f"Read with {files} of the same run.", *choices)


def tell_of_oddities(notices: NoticeStrip, profile: Profile, show: Callable[[], None]) -> None:
    """Say the first odd line and how many more there are, and offer to show all."""
    if profile.diagnostic_count:
        first = profile.diagnostics[0]
        place = f"Line {grouped(first.line)}: " if first.line else ""
        more = profile.diagnostic_count - 1
        text = place + first.message + (f" And {grouped(more)} more." if more else "")
        notices.show_notice("warning", text, ("Show All", show))
