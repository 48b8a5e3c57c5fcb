"""The cache."""

from __future__ import annotations

import threading

import pytest

from qcachegrind_py.profile.errors import Cancelled, CodeNotFound
from qcachegrind_py.profile.progress import NoProgress, WeightedCache
from tests.reports import Reports


def test_the_most_recently_used_values_stay() -> None:
    """The most recently used values up to the capacity are retained, and always the newest."""
    cache = WeightedCache[str, str](5, lambda _key, value: len(value))
    computed: list[str] = []

    def ask(key: str) -> None:
        def compute() -> str:
            computed.append(key)
            return key

        assert cache.get(key, compute, NoProgress()) == key

    for key in ("aa", "bb", "aa", "cc", "aa", "bb", "heavier", "heavier", "aa", "heavier"):
        ask(key)
    assert computed == ["aa", "bb", "cc", "bb", "heavier", "aa", "heavier"]


def test_errors_are_not_cached() -> None:
    """A failed computation is tried again."""
    cache = WeightedCache[int, str](1, lambda _key, _value: 1)

    def fail() -> str:
        raise CodeNotFound("p", "has none.")

    with pytest.raises(CodeNotFound):
        cache.get(1, fail, NoProgress())
    assert cache.get(1, lambda: "computed", NoProgress()) == "computed"


def test_two_threads_compute_a_value_once() -> None:
    """A thread that requests a value being computed gets the result, and may cancel its wait."""
    cache = WeightedCache[int, object](1, lambda _key, _value: 1)
    begun, go_on = threading.Event(), threading.Event()
    found: list[object] = []

    def compute() -> object:
        begun.set()
        assert go_on.wait(20)
        return object()

    def ask() -> None:
        found.append(cache.get(1, compute, NoProgress()))

    threads = [threading.Thread(target=ask) for _ in range(2)]
    threads[0].start()
    assert begun.wait(20)
    threads[1].start()
    with pytest.raises(Cancelled):
        cache.get(1, compute, Reports(stop_at=1))
    go_on.set()
    for thread in threads:
        thread.join(20)
    assert found[0] is found[1]
