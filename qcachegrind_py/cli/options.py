"""The tasks of the command and their options: the one table from which all else follows.

Parsers, help, manual page, completion in shells and the check of docs/command.md are made from it.
It imports the standard library only, as building the package does so without any other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from fractions import Fraction

WINDOW = "window"  # what is done without a task


class Task(NamedTuple):
    """A task: what it takes, what it is for, two examples of it."""

    name: str
    words: str
    summary: str
    examples: tuple[str, ...]
    notes: str = ""
    like: str = "report"  # the task whose help explains what this one only names


class Option(NamedTuple):
    """An option, and the tasks that have it; a flag if it has neither a value nor choices."""

    names: tuple[str, ...]
    tasks: tuple[str, ...]
    help: Mapping[str, str]  # by task; that of "" in any other
    value: str = ""  # the name of its value
    choices: Mapping[str, tuple[str, ...]] = {}  # by task; the first is the default
    parse: Callable[[str], object] = str
    default: object = None
    only: str = ""  # what it belongs to, such as "--format tsv csv"
    is_explained: bool = False  # in the help of each task

    @property
    def is_flag(self) -> bool:
        return not self.value and not self.choices

    @property
    def is_repeated(self) -> bool:
        return isinstance(self.default, list)

    def explaining(self) -> tuple[str, ...]:
        """Return the tasks whose help explains the option; others name it."""
        own = [task for task in self.tasks if task in self.help]
        return self.tasks if self.is_explained else (self.tasks[0], *own)


class UsageError(ValueError):
    """A value that an option does not take; says why."""


TASKS = (
    Task(
        "report",
        "FILE…",
        "the functions of a profile, with its facts and totals",
        ("callgrind.out.1234 --limit 20", "callgrind.out.1234 --format html -o report.html"),
        "All FILEs are parts of one profile; - is standard input.",
    ),
    Task(
        "calls",
        "FILE [FUNCTION…]",
        "functions with their callers and callees, or the paths to them",
        ("callgrind.out.1234 main", "callgrind.out.1234 hash --path"),
        "'<cycle 1>' names a recursion cycle.",
    ),
    Task(
        "annotate",
        "FILE [FUNCTION…]",
        "source lines or instructions, with their costs",
        ("callgrind.out.1234 main --map /build/x=~/x", "callgrind.out.1234 'cell*' --asm"),
        "A FUNCTION may be a pattern; without any, every costly source file is.",
    ),
    Task(
        "explain",
        "FILE FUNCTION",
        "how a number of a function comes about, line by line",
        (
            "callgrind.out.1234 main --inclusive",
            "callgrind.out.1234 hash --event Dw --limit 20",
        ),
        "It is the self cost unless another number is chosen. The callers and callees\n"
        "among which an inclusive cost is divided: qcachegrind-py calls FILE FUNCTION.",
    ),
    Task(
        "compare",
        "OLD NEW",
        "what changed from one profile to another",
        ("old.out new.out --limit 20", "--base a1 --base a2 b1 b2 b3 --repeats"),
        "A change with + is growth. OLD and NEW may be folders: suites of benchmarks. One\n"
        "folder is compared with what gungraun kept in it: .old, or .base@main if OLD is\n"
        "@main.",
    ),
    Task(
        "gate",
        "[OLD] NEW",
        "rules for CI: fail where costs have grown",
        ("old.out new.out --fail-if 'total>+1%'", "new.out --fail-if 'Dw.total>10m'"),
        "Exit code 3: a rule is met; 4: --strict, and damaged or not comparable. A rule\n"
        "has terms, which must all hold: [EVENT.]total, or self, incl or called of one\n"
        "function; then > or <; then a number. With a sign it is a change: +5000, +5% of\n"
        "the value in OLD, +5%t of OLD's total. Without a sign it is the value in NEW,\n"
        "and 10% is a share of NEW's total. name:X, lib:X, file:X and is:new choose\n"
        "functions. Folders are suites of benchmarks, of which each is checked.",
        "compare",
    ),
    Task(
        "history",
        "FILE…",
        "how functions changed over many revisions",
        ("a1 a2 b1 b2 b3", "v1=old.out v2=new.out --format html -o history.html"),
        "Each FILE, or LABEL=FILE, is the profile of a revision, the oldest first. A\n"
        "folder stands for the runs in it that convert has stored, or else its profiles.",
        "compare",
    ),
    Task(
        "convert",
        "FILE… -o OUT",
        "the profile, or a part of it, in another format",
        ("callgrind.out.1234 --parts 1,3 -o small.gz", "callgrind.out.1234 -o sheet.json"),
        "All FILEs are parts of one profile. The format follows from the ending of OUT:\n"
        ".json is speedscope, .folded and .txt are folded stacks, .info is lcov, .parquet\n"
        "is a table for DuckDB, all others are callgrind. .gz, .bz2, .xz and .zst are\n"
        "packed; - is standard output.",
    ),
    Task(
        "desktop",
        "install|uninstall",
        "menu entry, file types, and completion in shells",
        ("install", "uninstall"),
        "For this user: profiles open with a double click, and Tab completes options.",
    ),
    Task("doctor", "", "what is installed, what is missing, and how to get it", ("", "> me.txt")),
    Task(
        "completion",
        "bash|zsh|fish",
        "a script that lets the shell complete this command",
        ("bash > ~/.qcachegrind-py.bash", "fish | source"),
        "desktop install sets this up for good. To load it in one shell alone:\n"
        ". <(qcachegrind-py completion bash), in zsh: source <(… completion zsh).",
    ),
)
TASK_NAMES = tuple(task.name for task in TASKS)
TASK = {task.name: task for task in TASKS}

# ---------------------------------------------------------------- values


def _number_of(what: str, example: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not text.isdecimal():
            raise UsageError(f"“{text}” is not a number of {what}, such as {example}")
        return int(text)

    return parse


_PERCENTAGE = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,9})?%?")
_UNITS = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}
_PICTURES = (".png", ".jpg", ".jpeg", ".webp")
_SHORTEST_SIDE, _LONGEST_SIDE = 100, 16384  # pixels of a picture


def _percentage(text: str) -> Fraction:
    from fractions import Fraction  # 3 ms of each start, which few options need

    share = Fraction(text.removesuffix("%")) if _PERCENTAGE.fullmatch(text) else Fraction(-1)
    if not 0 <= share <= 100:
        raise UsageError(f"“{text}” is not a percentage from 0 to 100, such as 99")
    return share


def _memory(text: str) -> int:
    """Return a number of bytes; 0 for any."""
    if text == "none":
        return 0
    if not (match := re.fullmatch(r"([1-9][0-9]{0,14})([kMGT]?)", text)):
        raise UsageError(f"“{text}” is no size, such as 2G or 500M, and not none")
    return int(match[1]) * _UNITS[match[2]]


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.lower().partition("x")
    if not (_is_side(width) and _is_side(height)):
        sides = f"{_SHORTEST_SIDE} to {_LONGEST_SIDE} pixels"
        raise UsageError(f"“{text}” is not a size such as 1280x800, with sides of {sides}")
    return int(width), int(height)


def _is_side(text: str) -> bool:
    return text.isdecimal() and _SHORTEST_SIDE <= int(text) <= _LONGEST_SIDE


def _picture(path: str) -> str:
    ending = PurePath(path).suffix
    if ending.lower() not in ("", *_PICTURES):
        raise UsageError(f"pictures are written as {', '.join(_PICTURES)}, not as {ending}")
    return path


# ---------------------------------------------------------------- options

_ALL = "report calls annotate compare gate history"  # tasks that print tables


def _option(tasks: str, help_: str | dict[str, str], value: str = "", **more: Any) -> Any:
    """Declare an option; its name is that of the field unless `names` gives another."""
    texts = help_ if isinstance(help_, dict) else {"": help_}
    names = tuple(more.pop("names", "").split())
    choices = more.pop("choices", {})
    if isinstance(choices, str):
        choices = dict.fromkeys(tasks.split(), choices)
    by_task = {task: tuple(words.split()) for task, words in choices.items()}
    return Option(names, tuple(tasks.split()), texts, value, by_task, **more)


class Options:
    """What a command line asks for: the words of its task, and every option.

    An option that is not given, or that the task does not have, is None, False, an empty list or
    its default.
    """

    task: str = WINDOW
    files: list[str] = []  # noqa: RUF012 (a default, which is never changed)
    words: list[str] = []  # noqa: RUF012 (what follows the file, or the word of a task without)

    format: str = _option(
        _ALL, "", "FORM", is_explained=True,
        choices={
            "report": "text tsv csv json html",
            "calls": "text tsv csv json",
            "annotate": "text tsv csv json",
            "compare": "text tsv csv json html markdown",
            "gate": "rules text tsv csv json html markdown",
            "history": "text tsv csv json html",
        },
    )  # fmt: skip
    to: str | None = _option(
        "convert", "the format, whatever the ending", "FORMAT",
        choices="callgrind folded speedscope lines-json lcov parquet",
    )  # fmt: skip
    output: str | None = _option(
        "report calls annotate compare gate history convert",
        {"": "write to OUT, in the form of its ending", "convert": "where to write to"},
        "OUT", names="-o --output", is_explained=True,
    )  # fmt: skip
    by: Literal["file", "object", "class"] | None = _option(
        "report", "totals instead, by", "WHAT",
        choices="file object class", only="--format text tsv csv json",
    )  # fmt: skip
    path: bool = _option("calls", "the costliest path to each function")
    tree: Literal["callers", "callees", "both"] | None = _option(
        "calls", "without FUNCTION: all of them, with their", "WHICH",
        choices="callers callees both", only="--format text",
    )  # fmt: skip
    asm: bool = _option("annotate", "instructions instead of source lines")
    source_files: list[str] = _option(
        "annotate", "a whole source file, by its path or the end of it", "SOURCE",
        names="--file", default=[],
    )  # fmt: skip
    context: int | None = _option(
        "annotate", "N lines around each that has costs (default: 3)", "N",
        parse=_number_of("lines", 8), only="--format text",
    )  # fmt: skip
    inclusive: bool = _option("explain", "explain the inclusive cost")
    called: bool = _option("explain", "explain how often the function was called")
    fail_if: list[str] = _option(
        "gate", "fail if all terms of the rule hold, for one function", "RULE", default=[]
    )
    against: str | None = _option(
        "gate", "also compare with the best and the median in DIR",
        "DIR",
    )  # fmt: skip
    strict: bool = _option("gate", "fail if a file is damaged, or runs are not comparable")
    summary: str | None = _option(
        "gate", "write rules, totals and top changes as Markdown", "FILE.md"
    )
    junit: str | None = _option("gate", "write the rules as tests in JUnit's XML", "FILE.xml")
    annotations: str | None = _option(
        "gate", "mark functions that meet a rule in their source", "SERVICE", choices="github"
    )
    merge: bool = _option("convert", "merge all parts into one", only="--to callgrind")
    further: list[str] = _option(
        "calls annotate explain", "a further FILE of the same profile", "FILE",
        names="--with", default=[],
    )  # fmt: skip
    within: list[str] = _option(
        "calls annotate explain compare gate", "where the function is, if several have its name",
        "FILE-OR-OBJECT", names="--in", default=[],
    )  # fmt: skip

    base: list[str] = _option(
        "window compare gate",
        {
            "window": "compare with the profile OLD; may be repeated",
            "compare": "a file of the old side, if there are several;\n"
            "all other files are new then",
        },
        "OLD", default=[],
    )  # fmt: skip
    base_program: str | None = _option(
        "window", "the program of OLD, to compare instructions", "PROGRAM"
    )
    base_map: list[str] = _option(
        "window compare gate",
        "look in TO for sources that OLD has below FROM",
        "FROM=TO",
        default=[],
    )
    base_revision: str | None = _option(
        "window compare gate", "read sources of OLD from this commit", "REV"
    )
    history: bool = _option("window", "open FILEs as revisions, the oldest first")
    view: str | None = _option("window", "show the first of a file of saved views", "VIEWS")
    screenshot: str | None = _option(
        "window", "save a picture of the window as .png, .jpg or .webp", "PICTURE", parse=_picture
    )
    size: tuple[int, int] = _option(
        "window", "of the picture (default: 1280x800)", "WxH", parse=_size, default=(1280, 800)
    )

    event: str | None = _option(
        "report calls annotate explain compare gate history convert",
        "the event to show and to sort by", "NAME",
    )  # fmt: skip
    events: str | None = _option(
        "report calls annotate explain compare gate convert",
        "several events, or all; NAME=FORMULA defines one: IPD=Ir/Dr", "A,B,C",
    )  # fmt: skip
    sort: str | None = _option(
        "report annotate calls compare gate history",
        {
            "report": "inclusive (default), self, called or name; an event, such\n"
            "as Dw, for its self cost, or Dw:inclusive; Ir:80,Dw:95\n"
            "lists what has 80 % of Ir, and what has 95 % of Dw",
            "compare": "change (default), growth, base, new or calls;\n"
            "change:inclusive and so on",
            "history": "trend (default), step or spread; trend:inclusive",
        },
        "ORDER",
    )  # fmt: skip
    threshold: Fraction | None = _option(
        "report calls annotate", "leave out cheap ones: 99 leaves out what is below 1 %", "N",
        parse=_percentage,
    )  # fmt: skip
    limit: int | None = _option(
        "report calls annotate explain compare gate history",
        {
            "": "only the first N functions (html: 1000)",
            "explain": "print N lines of the profile (default: 200)",
        },
        "N", parse=_number_of("functions", 20),
    )  # fmt: skip
    filter: str | None = _option(
        "report calls annotate compare gate convert",
        "only functions that match, such as 'self>1% lib:Qt'", "TERMS",
    )  # fmt: skip
    fold: list[str] = _option(
        "report calls annotate explain compare gate convert",
        "fold functions into their callers: libc, stdlib, lib:Qt,\n"
        "only:lib:app for all others, collapse:parse for recursion",
        "TERM", default=[],
    )  # fmt: skip
    parts: str | None = _option(
        "report calls annotate explain convert", "only these parts, counted from 1", "1,3-5"
    )
    siblings: bool = _option(
        "report calls annotate explain compare gate convert",
        "also read the other files of the same run",
    )
    no_cycles: bool = _option(
        "report calls annotate explain compare gate history convert",
        "do not detect recursion cycles",
    )
    percent: bool = _option(
        "report calls", "percentages beside the costs of tsv, csv and json",
        only="--format tsv csv json",
    )  # fmt: skip
    map: list[str] = _option(
        "report annotate compare gate convert", "look in TO for sources recorded below FROM",
        "FROM=TO", default=[],
    )  # fmt: skip
    include: list[str] = _option(
        "report annotate compare gate convert", "look for sources in DIR; they may be written",
        "DIR", names="-I --include", default=[],
    )  # fmt: skip
    width: int | None = _option(
        _ALL, "fit text into N columns; 0 for whole names", "N",
        parse=_number_of("columns", 120), only="--format text rules",
    )  # fmt: skip
    mangled: bool = _option(
        _ALL + " explain", "names as they are recorded, also where they are mangled",
        only="--format text rules",
    )  # fmt: skip
    color: str = _option(_ALL, "bold costs", "WHEN", choices="auto always never", default="auto")

    only: Literal["grown", "shrunk", "new", "gone"] | None = _option(
        "compare gate", "only such functions", "WHICH", choices="grown shrunk new gone"
    )
    unchanged: bool = _option("compare gate", "list functions without a change, too")
    shares: bool = _option("compare gate", "compare shares of the totals, in percentage points")
    per_call: str | None = _option("compare gate", "compare costs per call of a function", "NAME")
    repeats: bool = _option("compare gate", "each file is a run of its own: compare the medians")
    base_optional: bool = _option("compare gate", "go on without a base if OLD is not there")
    mod_filename: list[str] = _option(
        "compare gate history", "rename files before functions are paired", "s/OLD/NEW/",
        default=[],
    )  # fmt: skip
    mod_funcname: list[str] = _option(
        "compare gate history", "rename functions before they are paired", "s/OLD/NEW/",
        default=[],
    )  # fmt: skip
    accept_renames: bool = _option(
        "compare gate history", "pair functions that call the same by other names"
    )

    max_memory: int | None = _option(
        "window report calls annotate explain compare gate history convert",
        "memory a profile may take: 2G, or none for no limit", "SIZE", parse=_memory,
    )  # fmt: skip
    debug: bool = _option("window", "log more, and to standard error")
    version: bool = _option("window", "show the version")


OPTIONS: dict[str, Option] = {}  # by field, in the order of the help
for _field, _row in list(vars(Options).items()):
    if isinstance(_row, Option):
        _names = _row.names or (f"--{_field.replace('_', '-')}",)
        OPTIONS[_field] = _row._replace(names=_names)
        setattr(Options, _field, False if _row.is_flag else _row.default)


def options_of(task: str) -> dict[str, Option]:
    """Return the options that a task has, by field."""
    return {field: row for field, row in OPTIONS.items() if task in row.tasks}


# options of a time before tasks, and what to write now
MOVED = {
    "--report": "report FILE --format FORM, or compare OLD NEW --format FORM",
    "--tree": "calls FILE --tree WHICH",
    "--calls": "calls FILE FUNCTION",
    "--path": "calls FILE FUNCTION --path",
    "--explain": "explain FILE FUNCTION",
    "--annotate": "annotate FILE FUNCTION",
    "--annotate-all": "annotate FILE",
    "--annotate-file": "annotate FILE --file SOURCE",
    "--source": "annotate FILE FUNCTION",
    "--base": "compare OLD NEW",
    "--fail-if": "gate [OLD] NEW --fail-if RULE",
    "--history": "history FILE…",
    "--save": "convert FILE -o OUT",
    "--export-stacks": "convert FILE -o OUT.json",
    "--install-desktop": "desktop install",
    "--uninstall-desktop": "desktop uninstall",
    "--doctor": "doctor",
}
