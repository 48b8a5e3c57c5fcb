"""Chromium without a window, driven through a pipe as its developer tools do; needs no package.

Commands and answers are JSON, each ended by a zero byte; the browser reads file descriptor 3 and
writes descriptor 4 (https://chromedevtools.github.io/devtools-protocol/).
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.patience import PATIENCE

_NAMES = "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"
# the browser needs the pipes as descriptors 3 and 4, which Python's subprocess cannot give it
_LAUNCHER = """
import os, sys
read, written = os.dup({read}), os.dup({written})
for own, needed in ((read, 3), (written, 4)):
    os.dup2(own, needed)
    os.set_inheritable(needed, True)
os.execv(sys.argv[1], sys.argv[1:])
"""
_COMPLAINTS = "Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"


def find_browser() -> str | None:
    """Return the path of Chromium or Chrome; None if neither is there, or no pipe can be given."""
    if os.name != "posix":
        return None
    return next(filter(None, map(shutil.which, _NAMES)), None)


class BrowserPage:
    """The only page of a browser, and what the browser has complained of on it."""

    def __init__(self, commands: int, answers: int) -> None:
        self.complaints: list[str] = []  # exceptions, and messages on the console
        self._commands, self._answers = commands, answers
        self._received = b""
        self._last = 0
        self._session: str | None = None
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        attached = self.send("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.send(f"{domain}.enable")

    def open(self, file: Path) -> None:
        """Open a file, and wait until the page and its script have been read."""
        self.complaints.clear()
        self.send("Page.navigate", url=file.resolve().as_uri())
        while self._message()["method"] != "Page.loadEventFired":
            pass

    def evaluate(self, script: str) -> Any:
        """Return the value of an expression on the page; an exception in it is a complaint."""
        answer = self.send("Runtime.evaluate", expression=script, returnByValue=True)
        if "exceptionDetails" in answer:
            self.complaints.append(json.dumps(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def type_text(self, selector: str, text: str) -> None:
        """Type into a field, whose former text is replaced."""
        self.evaluate(f"document.querySelector({json.dumps(selector)}).select()")
        self.send("Input.insertText", text=text)

    def send(self, method: str, **parameters: Any) -> Any:
        """Send a command, and return its result."""
        self._last += 1
        command = {"id": self._last, "method": method, "params": parameters}
        if self._session is not None:
            command["sessionId"] = self._session
        os.write(self._commands, json.dumps(command).encode() + b"\0")
        while (message := self._message()).get("id") != self._last:
            pass
        assert "error" not in message, f"{method}: {message['error']}"
        return message["result"]

    def close(self) -> None:
        """End the browser."""
        self._session = None
        self.send("Browser.close")

    def _message(self) -> Any:
        """Return the next message, and note what it complains of."""
        deadline = time.monotonic() + PATIENCE
        while b"\0" not in self._received:
            ready, _, _ = select.select([self._answers], [], [], deadline - time.monotonic())
            assert ready, "the browser does not answer"
            read = os.read(self._answers, 1 << 20)
            assert read, "the browser has ended"
            self._received += read
        text, _, self._received = self._received.partition(b"\0")
        message = json.loads(text)
        if message.get("method") in _COMPLAINTS:
            self.complaints.append(json.dumps(message["params"]))
        return message


@contextlib.contextmanager
def browser_page(browser: str, folder: Path) -> Iterator[BrowserPage]:
    """Start a browser, which keeps its files in the folder; it ends with the block."""
    read, commands = os.pipe()
    answers, written = os.pipe()
    launcher = _LAUNCHER.format(read=read, written=written)
    process = subprocess.Popen(
        [
            sys.executable, "-c", launcher, browser,
            "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--no-first-run", "--disable-background-networking", "--remote-debugging-pipe",
            "--window-size=1400,1000", f"--user-data-dir={folder}",
        ],
        pass_fds=(read, written),
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(read)
    os.close(written)
    try:
        page = BrowserPage(commands, answers)
        yield page
        page.close()
        process.wait(PATIENCE)
    finally:
        os.close(commands)
        os.close(answers)
        process.kill()
        process.wait(PATIENCE)
