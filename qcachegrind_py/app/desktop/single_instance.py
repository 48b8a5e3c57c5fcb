"""Pass files from a newly started program to the running one, if the user wants a single window.

Both use a local socket that only this user can access; messages contain nothing but paths. Without
a folder in which nobody else may put a socket, and where QtNetwork cannot be loaded, for lack of a
library of the system, each start has its own window.
"""

from __future__ import annotations

import getpass
import json
import logging
import os
import stat
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QDeadlineTimer, QObject, QStandardPaths, Signal

from qcachegrind_py.formats.loading import is_temporary

if TYPE_CHECKING:
    from PySide6.QtNetwork import QLocalServer, QLocalSocket

_SOCKET_NAME = "qcachegrind_py-window"
_TIMEOUT_MS = 500  # for an answer of the running program
_ACKNOWLEDGED = b"taken\n"
_MAX_MESSAGE_BYTES = 1 << 20
log = logging.getLogger(__name__)


def socket_name() -> str:
    """Return the name of the socket, in a folder of the user; empty if there is no such folder."""
    if sys.platform == "win32":
        return f"{_SOCKET_NAME}-{getpass.getuser()}"
    caches = QStandardPaths.StandardLocation.GenericCacheLocation
    for folder in os.environ.get("XDG_RUNTIME_DIR", ""), QStandardPaths.writableLocation(caches):
        if folder and _only_the_user_writes_to(folder):
            return str(Path(folder) / _SOCKET_NAME)
    log.info("files are not passed to a running program: others may write to the user's folders")
    return ""


def _only_the_user_writes_to(folder: str) -> bool:
    """Return whether a folder is the user's own and nobody else may put a file in it.

    `su` and `sudo -E` leave `XDG_RUNTIME_DIR` and `HOME` at the folders of the first user.
    """
    try:
        status = Path(folder).stat()
    except OSError:
        return False
    is_shared = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not is_shared


def send_to_running(paths: Sequence[Path]) -> bool:
    """Let the running program open these files; return False if none runs or can be asked.

    Temporary files from standard input are not sent: they vanish when this process ends.
    """
    if any(map(is_temporary, paths)) or not _has_network() or not (name := socket_name()):
        return False
    from PySide6.QtNetwork import QLocalSocket

    socket = QLocalSocket()
    socket.connectToServer(name)
    if not socket.waitForConnected(_TIMEOUT_MS):
        return False
    socket.write(json.dumps([str(path.absolute()) for path in paths]).encode() + b"\n")
    deadline = QDeadlineTimer(_TIMEOUT_MS)
    while not socket.canReadLine():
        if not socket.waitForReadyRead(deadline.remainingTime()):
            return False  # no answer in all that time
    return bytes(socket.readLine().data()) == _ACKNOWLEDGED


class SingleInstance(QObject):
    """Listens for later starts of the program; emits `files_received` with their paths."""

    files_received = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._server: QLocalServer | None = None

    def listen(self) -> bool:
        """Start listening; return False if another program does, or if there is no way to."""
        if not _has_network() or not (name := socket_name()):
            return False
        from PySide6.QtNetwork import QLocalServer, QLocalSocket

        probe = QLocalSocket()
        probe.connectToServer(name)  # first: listening would take over the name
        if probe.waitForConnected(_TIMEOUT_MS):
            return False
        QLocalServer.removeServer(name)  # left by a program that crashed
        server = self._server = QLocalServer(self)
        server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        server.newConnection.connect(self._accept_connections)
        return server.listen(name)

    def _accept_connections(self) -> None:
        while self._server and (socket := self._server.nextPendingConnection()):
            socket.readyRead.connect(lambda socket=socket: self._read_message(socket))
            socket.disconnected.connect(socket.deleteLater)
            self._read_message(socket)

    def _read_message(self, socket: QLocalSocket) -> None:
        if socket.bytesAvailable() > _MAX_MESSAGE_BYTES:
            socket.abort()
        elif socket.canReadLine():
            paths = _decode_paths(bytes(socket.readLine().data()))
            if paths is not None:
                socket.write(_ACKNOWLEDGED)
                socket.flush()
                self.files_received.emit(paths)


@cache
def _has_network() -> bool:
    """Return whether QtNetwork can be loaded; `doctor` names the library that it lacks."""
    try:
        import PySide6.QtNetwork  # noqa: F401 (only tried)
    except ImportError as error:
        log.info("files are not passed to a running program: %s", error)
        return False
    return True


def _decode_paths(message: bytes) -> list[Path] | None:
    """Return the paths of a message; None unless it is a list of absolute paths."""
    try:
        texts = json.loads(message)
    except (ValueError, RecursionError):  # the latter for thousands of nested lists
        return None
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        return None
    paths = [Path(text) for text in texts]
    return paths if all(path.is_absolute() for path in paths) else None
