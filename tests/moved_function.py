"""A function that was moved from a.c to b.c and changed in one line, with code inlined from x.h."""

from __future__ import annotations

from pathlib import Path

A_C = """\
#include "x.h"

int other(int n) {
  return n;
}

/* how much */
int f(int n) {
  int s = 0;
  s += slow(n);
  s += twice(n);
  return s;
}

int last(void) { return 0; }
"""
B_C = """\
#include "x.h"
#include "y.h"
/* how much */
int f(int n) {
  int s = 0;
  s += fast(n);
  s += twice(n);
  return s;
}

int other(int n) {
  return n;
}
"""
X_H = "static int twice(int n) {\n  return n + n;\n}\n"
BASE = "fl=a.c\nfn=f\n8 3\n9 1\n10 20\n11 4\nfi=x.h\n2 5\nfe=a.c\n12 2\n"
NEW = "fl=b.c\nfn=f\n4 3\n5 1\n6 12\n7 4\nfi=x.h\n2 5\nfe=b.c\n8 2\n"

PAIRS = [
    # file, line of base and new, cost of base and new, text
    ("b.c", 8, 4, 3, 3, "int f(int n) {"),
    ("b.c", 9, 5, 1, 1, "  int s = 0;"),
    ("b.c", 10, 0, 20, 0, "  s += slow(n);"),
    ("b.c", 0, 6, 0, 12, "  s += fast(n);"),
    ("b.c", 11, 7, 4, 4, "  s += twice(n);"),
    ("b.c", 12, 8, 2, 2, "  return s;"),
    ("x.h", 2, 2, 5, 5, "  return n + n;"),
]


def write_moved_function(folder: Path, base: str = BASE, new: str = NEW) -> tuple[Path, Path]:
    """Write the profiles of base and new, each in a folder with its sources; return their paths."""
    texts = {"old": {"a.c": A_C, "x.h": X_H}, "new": {"b.c": B_C, "x.h": X_H}}
    paths = []
    for (side, sources), body in zip(texts.items(), (base, new), strict=True):
        (folder / side).mkdir()
        for name, text in sources.items():
            (folder / side / name).write_text(text, encoding="utf-8")
        paths.append(folder / side / "callgrind.out.1")
        paths[-1].write_text(f"events: Ir\n{body}", encoding="utf-8")
    return paths[0], paths[1]
