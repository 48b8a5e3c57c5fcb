"""Commands to a program that runs under callgrind, and what it says about itself.

The program may have been started by the recorder, or anywhere else on this machine.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from qcachegrind_py.formats.run_files import file_versions
from qcachegrind_py.session.recording.vgdb_client import VgdbClient
from qcachegrind_py.tools.valgrind.recording import LiveState, parse_live_state

_DUMP = "Requested in the window"  # the trigger that the part states
NO_ANSWER = "The program did not respond."


class ProgramControl(QObject):
    """Dumps, resets, pauses and queries one program; its owner calls `close` at the end."""

    changed = Signal()  # is_dumping or is_counting
    status_received = Signal(object)  # a LiveState, or None if unknown
    dumped = Signal(object)  # the files of a requested part: one, or one per thread
    failed = Signal(str)  # a sentence about a request that had no effect

    def __init__(
        self, client: VgdbClient, profile: Path, parent: QObject, *, is_counting: bool = True
    ) -> None:
        """Control the client's process, the names of whose dumps begin with `profile`."""
        super().__init__(parent)
        client.setParent(self)
        self._client, self._profile = client, profile
        self.is_dumping = False
        self.is_counting = is_counting
        self.live: LiveState | None = None  # its last answer since the last part
        self.has_parts = False  # whether it has written a part on request

    def dump(self) -> None:
        """Write the costs since the last part into a new part; `dumped` reports its files."""
        if not self.is_dumping:
            self.is_dumping = True
            before = file_versions(self._profile)
            self._client.send(["dump", _DUMP], lambda is_well, _: self._on_dump(is_well, before))
            self.changed.emit()

    def dump_at_end(self, then: Callable[[], None]) -> None:
        """Write a last part, and call `then` whether or not that succeeds."""
        self._client.send(["dump", "Before it was killed"], lambda *_: then())

    def reset_counters(self) -> None:
        """Discard the costs counted since the last part."""
        self._client.send(["zero"], lambda is_well, _: self._on_reset(is_well))

    def set_counting(self, on: bool) -> None:
        """Pause or resume counting."""
        words = ["instrumentation", "on" if on else "off"]
        self._client.send(words, lambda is_well, _: self._on_count(on, is_well))

    def request_status(self) -> None:
        """Query the status, unless another request is being answered; see `status_received`."""
        if self._client.is_idle:
            self._client.send(["status", "internal"], lambda _, answer: self._on_status(answer))

    def close(self) -> None:
        """Drop what has not been answered, and wait until vgdb has stopped."""
        self._client.close()
        self.is_dumping = False

    def _on_dump(self, is_well: bool, before: dict[Path, tuple[int, int]]) -> None:
        self.is_dumping = False
        now = file_versions(self._profile)
        files = tuple(sorted(path for path in now if now[path] != before.get(path)))
        if files:
            self.live, self.has_parts = None, True
            self.dumped.emit(files)
        elif is_well:
            self.failed.emit(f"No new part was found in {self._profile.parent}.")
        else:
            self.failed.emit(f"{NO_ANSWER} No part was written.")
        self.changed.emit()

    def _on_reset(self, is_well: bool) -> None:
        if not is_well:
            self.failed.emit(NO_ANSWER)
        self.request_status()

    def _on_count(self, on: bool, is_well: bool) -> None:
        if is_well:
            self.is_counting = on
        else:
            self.failed.emit(NO_ANSWER)
        self.changed.emit()

    def _on_status(self, answer: str) -> None:
        state = parse_live_state(answer)
        if state is not None and state.is_counting is not self.is_counting:
            self.is_counting = state.is_counting
            self.changed.emit()
        self.live = state or self.live
        self.status_received.emit(state)
