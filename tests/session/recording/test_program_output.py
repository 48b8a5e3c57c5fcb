"""Output of a program as lines: their source, and a limit on their number."""

from __future__ import annotations

from qcachegrind_py.session.recorder import OutputLine, ProgramOutput


def test_lines_are_whole() -> None:
    """Bytes arrive in any pieces, even within characters; a line is shown once it is complete."""
    output, seen = ProgramOutput(), []
    for byte in "grün\r\n\x1b[1;31mred\x1b[0m\tx\nlast".encode():
        output.feed(bytes([byte]))
        seen += output.lines()

    assert seen == [OutputLine("grün", False), OutputLine("red\tx", False)]
    assert output.lines(is_end=True) == [OutputLine("last", False)]
    assert output.lines(is_end=True) == []


def test_own_lines_are_told_apart() -> None:
    """Valgrind's own lines start with the process number; those of a program rarely do."""
    output = ProgramOutput()
    own = ["==12== Callgrind", "==12== ", "--12-- warning: x", "**12** now", "valgrind: no"]
    others = ["== 12 ==", "==12-- x", " ==12== x", "12", "\xff"]
    output.feed("\n".join([*own, *others, ""]).encode("latin-1"))

    assert [line.is_valgrind for line in output.lines()] == [True] * 5 + [False] * 5


def test_output_without_end_is_cut() -> None:
    """Between two reads only the end of the output is kept, and what is dropped is counted."""
    output = ProgramOutput()
    output.feed(b"".join(b"%d\n" % n for n in range(5000)))
    lines = output.lines()
    output.feed(b"y" * 10_000_000 + b"\nz\n")

    assert [line.text for line in (lines[0], lines[1], lines[-1])] == [
        "… 4500 lines omitted",
        "4500",
        "4999",
    ]
    assert [len(line.text) for line in output.lines()] == [2000, 1]
    for _ in range(9):
        output.feed(b"y" * 100_000)
    assert len(output._rest) == 2000
