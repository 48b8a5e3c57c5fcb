"""Waiting for conditions: as long as a busy machine may take, and no longer than needed."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partialmethod
from typing import TypeVar

from pytestqt.qtbot import QtBot

# Seconds until a wait fails: a hundred times what any takes on an idle machine, and less than
# `faulthandler_timeout`, which shows where a test hangs.
PATIENCE = 60.0
_MILLISECONDS = round(PATIENCE * 1000)

Value = TypeVar("Value")


class PatientQtBot(QtBot):
    """The `qtbot` of pytest-qt, whose own waits fail after five seconds."""

    waitUntil = partialmethod(QtBot.waitUntil, timeout=_MILLISECONDS)  # noqa: N815 – pytest-qt's
    waitSignal = partialmethod(QtBot.waitSignal, timeout=_MILLISECONDS)  # noqa: N815 – names
    waitSignals = partialmethod(QtBot.waitSignals, timeout=_MILLISECONDS)  # noqa: N815


def wait_until(value_of: Callable[[], Value], missing: str) -> Value:
    """Return the first true value, without an event loop; fail with `missing` if none comes."""
    deadline = time.monotonic() + PATIENCE
    while not (value := value_of()):
        assert time.monotonic() < deadline, missing
        time.sleep(0.005)
    return value
