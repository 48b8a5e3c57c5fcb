"""Stand-ins for valgrind and vgdb, for tests that need them to be quick, or to fail.

The stand-in writes a small profile as Callgrind does; the first argument of the profiled program
selects further behaviour, see `_VALGRIND`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from qcachegrind_py.tools.valgrind.recording import RecordingTools

_VALGRIND = r"""
import os, signal, sys, time
out = next(w for w in sys.argv if w.startswith("--callgrind-out-file=")).partition("=")[2]
out = out.replace("%p", str(os.getpid())).replace("%%", "%")
program = [w for w in sys.argv[1:] if not w.startswith("--")]
todo = program[1] if len(program) > 1 else ""
TEXT = "events: Ir\nfn=main\n1 {0}\ntotals: {0}\n"

def say(text):
    print(f"=={os.getpid()}== {text}", file=sys.stderr, flush=True)

def write(name, count=7):
    text = TEXT.format(count)
    with open(name + ".new", "w") as stream:
        stream.write(text[:-12] if todo == "cut" else "" if todo == "void" else text)
    os.replace(name + ".new", name)

def end(*_):
    write(out)
    say("Collected : 7")
    os._exit(0)

if todo == "refuse":
    print("valgrind: no, thanks\nvalgrind: see the manual", file=sys.stderr)
    sys.exit(1)
say("Callgrind, not quite")
print("in", os.getcwd(), os.environ.get("COLOUR"), repr(sys.stdin.read()), *program, flush=True)
if todo == "children":
    write(out.replace(str(os.getpid()), "1"))
    write(out, 3)
elif todo in ("wait", "deaf"):
    open(out, "w").close()
    signal.signal(signal.SIGTERM, end if todo == "wait" else signal.SIG_IGN)
    signal.signal(signal.SIGUSR1, lambda *_: write(out + ".1"))
    print("ready", flush=True)
    while True:
        time.sleep(10)
elif todo == "crash":
    write(out)
    os.kill(os.getpid(), signal.SIGSEGV)
elif todo == "nothing":
    write(out, 0)
else:
    write(out)
    sys.exit(int(todo or 0) if todo.isdigit() else 0)
"""

_VGDB = r"""
import os, signal, sys, time
pid = int(sys.argv[1].partition("=")[2])
with open(sys.argv[0] + ".log", "a") as log:
    print(*sys.argv[2:], file=log)
if sys.argv[2] == "dump":
    os.kill(pid, signal.SIGUSR1)
    command = open(f"/proc/{pid}/cmdline").read()
    name = command.partition("--callgrind-out-file=")[2].partition("\0")[0].replace("%p", str(pid))
    while not os.path.exists(name + ".1"):
        time.sleep(0.005)
elif sys.argv[2] == "status":
    print("instrumentation: on\nevents: Ir\nthreads: 1\ncurrent-tid: 1\nevents-1: 12345")
    print("function-1-0: main\ncalls-1-0: 1\nfunction-1-2: work")
"""


def install(folder: Path) -> RecordingTools:
    """Write both programs to a folder."""
    folder.mkdir(exist_ok=True)
    paths = []
    for name, script in (("valgrind", _VALGRIND), ("vgdb", _VGDB)):
        path = folder / name
        path.write_text(f"#!{sys.executable} -SE\n{script}")
        path.chmod(0o755)
        paths.append(str(path))
    return RecordingTools(*paths)
