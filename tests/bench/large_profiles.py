"""Generates profiles of any size for measurements, dense and laid out like callgrind's."""

from __future__ import annotations

import random
import sys
from pathlib import Path


def write_profile(path: Path, megabytes: float, functions: int = 20_000) -> None:
    """Write a profile with instruction and line positions, calls, and a correct summary."""
    chance = random.Random(1)
    body, size, total, function = [], 0, 0, 0
    while size < megabytes * 1e6 or function < functions:
        lines, cost = _function(chance, function % functions, function < functions, functions)
        text = "\n".join(lines) + "\n"
        body.append(text)
        size += len(text)
        total += cost
        function += 1
    header = "# callgrind format\nversion: 1\ncreator: made\npositions: instr line\nevents: Ir Dr\n"
    path.write_text(f"{header}summary: {total} {total // 3}\n\n" + "".join(body))


def _function(
    chance: random.Random, number: int, is_new: bool, functions: int
) -> tuple[list[str], int]:
    name = f" space::Type<int, {number}>::method_{number}(char const*)" if is_new else ""
    lines = [
        f"fl=({number % 97}){f' /src/file_{number % 97}.cpp' if is_new and number < 97 else ''}"
    ]
    lines += [f"fn=({number}){name}", f"0x{0x400000 + 4096 * number:x} {10 + number % 900} 7 1"]
    total = 7
    for _ in range(chance.randrange(5, 60)):
        cost = chance.randrange(1, 100_000)
        total += cost
        lines.append(f"+{chance.randrange(1, 9)} {chance.choice(('*', '+1', '+2', '-1'))} {cost}")
    for _ in range(chance.randrange(0, 3)):
        if number:
            callee = chance.randrange(number)
            lines += [f"cfn=({callee})", f"calls={chance.randrange(1, 99)} 0x{callee:x} 1"]
            lines += [f"+3 +1 {chance.randrange(1, 1_000_000)} 12"]
    return [*lines, ""], total


if __name__ == "__main__":
    write_profile(Path(sys.argv[1]), float(sys.argv[2]))
