"""A drawn /proc of Linux with the processes that a test needs."""

from __future__ import annotations

import os
from pathlib import Path

TOOL = "/usr/libexec/valgrind/callgrind-amd64-linux"
_UPTIME = 1000  # seconds since the start of the machine


class DrawnProc:
    """A folder `proc` to which processes are added; they run in the folder above it."""

    def __init__(self, folder: Path) -> None:
        self._home = folder
        self.folder = folder / "proc"
        self.folder.mkdir()
        (self.folder / "uptime").write_text(f"{_UPTIME}.00 3999.00\n")

    def add(
        self,
        pid: int,
        *words: str,
        tool: str = TOOL,
        shared: str = "",
        seconds: float = 10,
        **environment: str,
    ) -> None:
        """Add a process: `add(7, "valgrind", "./a")`, with a file that it shares with vgdb."""
        folder = self.folder / str(pid)
        folder.mkdir()
        (folder / "exe").symlink_to(tool)
        (folder / "cwd").symlink_to(self._home)
        (folder / "cmdline").write_text("".join(f"{word}\0" for word in words))
        variables = (f"{name}={value}\0" for name, value in environment.items())
        (folder / "environ").write_text("".join(variables))
        started = int((_UPTIME - seconds) * os.sysconf("SC_CLK_TCK"))
        (folder / "stat").write_text(f"{pid} (call) grind) S {'0 ' * 18}{started} 0")
        (folder / "maps").write_text(
            f"00400000-00401000 r-xp 00000000 fe:00 34 {tool}\n"
            f"02c90000-02c91000 rw-s 00000000 fe:00 56                  {shared}\n"
        )
