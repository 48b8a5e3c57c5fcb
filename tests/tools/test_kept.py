"""What is kept between questions, and what several threads get that ask at once."""

from __future__ import annotations

import threading

import pytest

from qcachegrind_py.profile.errors import Cancelled, CodeNotFound
from qcachegrind_py.profile.progress import NoProgress
from qcachegrind_py.tools.kept import Kept


class Stop:
    def check(self, fraction: float, text: str = "") -> None:
        raise Cancelled


def test_what_was_asked_for_last_is_kept() -> None:
    """Values are kept up to a weight, those asked for last, and the newest however heavy it is."""
    kept = Kept[str, str](5, lambda _key, value: len(value))
    made: list[str] = []

    def ask(key: str) -> None:
        def make() -> str:
            made.append(key)
            return key

        assert kept.value(key, make, NoProgress()) == key

    for key in ("aa", "bb", "aa", "cc", "aa", "bb", "heavier", "heavier", "aa", "heavier"):
        ask(key)
    assert made == ["aa", "bb", "cc", "bb", "heavier", "aa", "heavier"]


def test_an_error_is_not_kept() -> None:
    """What failed is tried again."""
    kept = Kept[int, str](1, lambda _key, _value: 1)

    def fail() -> str:
        raise CodeNotFound("p", "has none.")

    with pytest.raises(CodeNotFound):
        kept.value(1, fail, NoProgress())
    assert kept.value(1, lambda: "made", NoProgress()) == "made"


def test_two_threads_work_it_out_once() -> None:
    """Who asks while another works it out gets the same, and may stop waiting."""
    kept = Kept[int, object](1, lambda _key, _value: 1)
    begun, go_on = threading.Event(), threading.Event()
    found: list[object] = []

    def make() -> object:
        begun.set()
        assert go_on.wait(20)
        return object()

    def ask() -> None:
        found.append(kept.value(1, make, NoProgress()))

    threads = [threading.Thread(target=ask) for _ in range(2)]
    threads[0].start()
    assert begun.wait(20)
    threads[1].start()
    with pytest.raises(Cancelled):
        kept.value(1, make, Stop())
    go_on.set()
    for thread in threads:
        thread.join(20)
    assert found[0] is found[1]
