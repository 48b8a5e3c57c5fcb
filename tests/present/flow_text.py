"""Profiles of functions with jumps: a real one, and a loop in a few lines."""

from __future__ import annotations

from tests.profile_rows import DATA

JUMPS = DATA / "programs" / "callgrind.out.jumps-O1.xz"
# `spin` comes to 22 30 times, calls g there, and goes back to it from 24 27 times
LOOP = """
    positions: instr line
    events: Ir Dr

    fl=a.c
    fn=main
    0x10 1 3 1
    cfn=spin
    calls=1 0x22 5
    0x10 1 66 8
    fn=g
    0x90 1 600 60
    fn=spin
    0x20 5 3 1
    0x22 6 30 2
    cfn=g
    calls=30 0x90 1
    0x22 6 600 60
    0x24 7 30 3
    jcnd=27/30 0x22 6
    0x24 7
    0x26 8 3 2
    """
