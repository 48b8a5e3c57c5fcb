"""A small program as source and profile, and programs whose files are in `tests/data`."""

from __future__ import annotations

from pathlib import Path

from tests.profile_rows import DATA, text_bytes

PROGRAMS = DATA / "programs"
JUMPS = PROGRAMS / "callgrind.out.jumps-O1.xz"
INLINED = PROGRAMS / "annotate" / "callgrind.out.inlined-O2.xz"
LONELY = (PROGRAMS / "bin/lonely").read_bytes()

# `twice` is inlined into main and into other, which is in another file
SOURCES: dict[str, str | bytes] = {
    "prog.c": """
        #include "inl.h"

        static int helper(int x)
        {
            return x * 2;
        }

        int main(void)
        {
            int sum = 0;
            for (int i = 0; i < 10; i++)
                sum += helper(twice(i));
            if (sum > 3)
                sum--;
            return sum;
        }
        """,
    "inl.h": """
        /* put in where it is called */
        static inline int twice(int x)
        {
            return x + x;
        }
        """,
}
PROFILE = """
    events: Ir Dr

    ob=prog
    fl=prog.c
    fn=main
    0 3 1
    10 2 0
    11 30 2
    jcnd=9/10 12
    11
    12 40 4
    fi=inl.h
    4 20 0
    fe=prog.c
    13 5 1
    cfn=helper
    calls=10 3
    12 100 10
    fn=helper
    3 20 2
    5 80 8
    fl=other.c
    fn=other
    1 10 1
    fi=inl.h
    4 7 0
    """
MAIN = [  # location, self cost, inclusive cost, calls, text
    "– | 3 | 3 |  | cost without a line",
    '1 |  |  |  | #include "inl.h"',
    "2 |  |  |  | ",
    "3 |  |  |  | static int helper(int x)",
    "4 |  |  |  | {",
    "5 |  |  |  |     return x * 2;",
    "6 |  |  |  | }",
    "7 |  |  |  | ",
    "8 |  |  |  | int main(void)",
    "9 |  |  |  | {",
    "10 | 2 | 2 |  |     int sum = 0;",
    "11 | 30 | 30 |  |     for (int i = 0; i < 10; i++)",
    "12 | 40 | 140 | 10 |         sum += helper(twice(i));",
    " |  | 100 | 10 | helper  prog: prog.c",
    "inl.h:4 | 20 | 20 |  |     return x + x;",
    "13 | 5 | 5 |  |     if (sum > 3)",
    "14 |  |  |  |         sum--;",
    "15 |  |  |  |     return sum;",
    "16 |  |  |  | }",
]


def source_profile(name: str) -> str:
    """A profile of f with cost at three lines of a source file."""
    return f"events: Ir\nfl={name}\nfn=f\n1 5\n3 7\n9 8\n"


def code_profile(name: str | Path) -> str:
    """A profile of f with cost at two instructions of `lonely` and a call at a third."""
    return (
        f"positions: instr line\nevents: Ir\nob={name}\nfl=a.c\nfn=f\n0x401000 3 5\n"
        "cfn=g\ncalls=1 0x401017 4\n0x401005 4 9\n0x40100c 3 7\nfn=g\n0x401017 4 9\n"
    )


def lines_of(count: int, **texts: str) -> str:
    """A source with this many lines: `lines_of(9, l3="the third")`."""
    return "".join(f"{texts.get(f'l{n}', f'line {n}')}\n" for n in range(1, count + 1))


def write_sources(folder: Path, **texts: str | bytes) -> Path:
    """Write files; an underscore in a name is a dot."""
    for name, text in texts.items():
        (folder / name.replace("_", ".")).write_bytes(text_bytes(text))
    return folder
