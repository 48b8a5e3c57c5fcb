"""The options of callgrind that a recording may use, with the benefit and the cost of each.

They are those of valgrind 3.19 and later. The slowdowns were measured on a Python program that
works with dictionaries, regular expressions and sorting: 57 times slower without any option.
"""

from __future__ import annotations

from dataclasses import dataclass

Value = bool | int | str


@dataclass(frozen=True, slots=True)
class Option:
    """An option: valgrind's switch, its title, benefit and cost as displayed, and its values."""

    name: str
    switch: str  # of valgrind, without the =
    title: str
    benefit: str
    cost: str = ""
    default: Value = False  # valgrind's default; its type is the option's type
    true_value: str = "yes"  # written for True
    maximum: int = 0  # of a number
    multiplier: int = 1  # of a number: the meaning of 1

    def accepts(self, value: object) -> bool:
        """Whether this is a valid value of the option."""
        is_in_range = not self.maximum or (isinstance(value, int) and 0 <= value <= self.maximum)
        return type(value) is type(self.default) and is_in_range

    def to_arguments(self, value: Value) -> list[str]:
        """Return the command-line arguments for a value; none for valgrind's default."""
        if not self.accepts(value) or value == self.default:
            return []
        if isinstance(value, bool):
            return [f"{self.switch}={self.true_value}"]
        return [f"{self.switch}={value * self.multiplier if isinstance(value, int) else value}"]


OPTION_GROUPS = {
    "Count": (
        Option(
            "dump_instr", "--dump-instr", "Instructions",
            "Costs of instructions, for Assembler and Control Flow.",
            "Hardly slower; the file is about four times as large.",
        ),
        Option(
            "collect_jumps", "--collect-jumps", "Jumps",
            "How often each jump was taken, drawn as arrows beside the code.",
            "Hardly slower.",
        ),
        Option(
            "cache_sim", "--cache-sim", "Caches",
            "Reads, writes and misses of simulated caches, and estimated cycles.",
            "About twice as slow.",
        ),
        Option(
            "branch_sim", "--branch-sim", "Branch prediction",
            "Branches and mispredictions of a simulated processor.",
            "A little slower.",
        ),
        Option(
            "collect_systime", "--collect-systime", "System call time",
            "System calls and the time they took, for programs that wait.",
            "Hardly slower.", true_value="nsec",
        ),
        Option(
            "collect_bus", "--collect-bus", "Locked memory accesses",
            "Atomic instructions, which are expensive when threads share data.",
            "Hardly slower.",
        ),
    ),
    "Separate": (
        Option(
            "separate_threads", "--separate-threads", "Threads",
            "A part for each thread, to look at threads separately.",
            "No slower; one file per thread.",
        ),
        Option(
            "trace_children", "--trace-children", "Child processes",
            "Also a profile for each program that this one starts.",
            "All of them run slowly.",
        ),
        Option(
            "separate_callers", "--separate-callers", "Callers",
            "Counts each function separately for this many callers: exact call trees.",
            "With 3, a third slower; the file grows fivefold or more.", 0, maximum=20,
        ),
        Option(
            "separate_recs", "--separate-recs", "Recursion levels",
            "Counts this many levels of a recursive function separately.",
            "Slightly slower.", 2, maximum=50,
        ),
    ),
    "When to count": (
        Option(
            "paused", "--instr-atstart", "Start paused",
            "Counts nothing until you choose Resume, for programs that take long to start.",
            "Three times faster while paused.", true_value="no",
        ),
        Option(
            "toggle_collect", "--toggle-collect", "Only inside the function",
            "Counts only while this function and its callees run; * matches any text.",
            "No slower. C++ functions need their parameters: work(int)*", "",
        ),
        Option(
            "dump_every", "--dump-every-bb", "A part every … million blocks",
            "A part every so many million basic blocks, for a time line in Parts.",
            "Slightly slower; one file per part.", 0, maximum=1000, multiplier=1_000_000,
        ),
    ),
}  # fmt: skip
"""By heading, in the order of display and of the command line."""

RECOMMENDED: dict[str, Value] = {"dump_instr": True, "collect_jumps": True}
"""The defaults of a first recording: no view stays empty, at low cost."""


def all_options() -> list[Option]:
    """Return all options, without their headings."""
    return [option for options in OPTION_GROUPS.values() for option in options]
