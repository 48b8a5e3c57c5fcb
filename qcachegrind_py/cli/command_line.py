"""The command line: its task, options and words, the help, and what is said of wrong usage.

All of it is made from the table in `cli.options`.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path, PurePath
from typing import NoReturn

from qcachegrind_py.cli.options import (
    MOVED,
    OPTIONS,
    TASK,
    TASK_NAMES,
    TASKS,
    WINDOW,
    Option,
    Options,
    UsageError,
    options_of,
)
from qcachegrind_py.profile.files import local_path, path_on_disk
from qcachegrind_py.visible_text import print_message

PROGRAM = "qcachegrind-py"
_WIDTH = 80  # of the help
_LINE = 50  # of what is said of an option
_TASK_WORD = re.compile(r"\w[\w-]*")
_PACKED = (".gz", ".bz2", ".xz", ".zst", ".zstd")  # endings by which outputs are packed
_FORMS_BY_ENDING = {
    ".tsv": "tsv", ".csv": "csv", ".json": "json", ".html": "html", ".htm": "html",
    ".md": "markdown",
}  # fmt: skip
_READ = ("files", "base", "include", "further")  # options that name what is read, also by URL
_READ_ONE = ("view", "base_program")


class WrongUsage(SystemExit):
    """Ends the command with code 2, after two lines that say why and where help is."""

    def __init__(self, task: str, reason: str, advice: str = "") -> None:
        name = command_name(task)
        what = "its options" if task != WINDOW else "all tasks"
        print_message(f"{name}: {reason}", advice or f"{name} --help shows {what}.")
        super().__init__(2)


class HelpAsked(Exception):
    """The command line asks for the help of a task."""

    def __init__(self, task: str) -> None:
        super().__init__(task)
        self.task = task


def command_name(task: str) -> str:
    return PROGRAM if task == WINDOW else f"{PROGRAM} {task}"


def parse(arguments: Sequence[str]) -> Options:
    """Return what the arguments ask for; ends with code 2 if that is nothing sensible.

    Raises HelpAsked for `--help`.
    """
    task, rest = _task_of(list(arguments))
    options = Options()
    options.task = task
    before, after = _divided(rest)
    parser = _parser(task)
    _, others = parser.parse_known_args(before, options)
    if not options.format and "format" in (own := options_of(task)):
        options.format = _form_of(options.output, own["format"].choices[task])
    unknown = [word for word in others if word.startswith("-") and word != "-"]
    if unknown:
        _refuse_option(task, unknown)
    words = [*options.words, *(word for word in others if word not in unknown), *after]
    _share_out(task, options, words)
    for name in _READ:
        setattr(options, name, [local_path(path) for path in getattr(options, name)])
    for name in _READ_ONE:
        if path := getattr(options, name):
            setattr(options, name, local_path(path))
    if not options.version and (reason := _misuse(options)):
        raise WrongUsage(task, reason)
    return options


def ending_of(output: str | None) -> str:
    """Return the ending of a file that names its format, in lower case: before one of packing."""
    endings = [ending.lower() for ending in PurePath(output or "").suffixes]
    if endings and endings[-1] in _PACKED:
        endings.pop()
    return endings[-1] if endings else ""


def _form_of(output: str | None, forms: Sequence[str]) -> str:
    """Return the form that the ending of a file names; else the first."""
    form = _FORMS_BY_ENDING.get(ending_of(output), "")
    return form if form in forms else forms[0]


def _divided(words: list[str]) -> tuple[list[str], list[str]]:
    """Return what is before `--`, and what is behind it, which are no options."""
    at = words.index("--") if "--" in words else len(words)
    return words[:at], words[at + 1 :]


# ---------------------------------------------------------------- the task


def _task_of(words: list[str]) -> tuple[str, list[str]]:
    """Return the task, and the words behind its name."""
    first = words[0] if words else ""
    if first in TASK_NAMES:
        return first, words[1:]
    if _TASK_WORD.fullmatch(first) and not path_on_disk(Path(first)).exists():
        from difflib import get_close_matches

        near = get_close_matches(first, TASK_NAMES, 1, 0.6)
        hint = f"; did you mean {near[0]}?" if near else "."
        raise WrongUsage(WINDOW, f"there is no task or file {first}{hint}")
    return WINDOW, words


class _Parser(argparse.ArgumentParser):
    """Raises what it refuses, in the words of the command."""

    task = WINDOW

    def error(self, message: str) -> NoReturn:
        raise WrongUsage(self.task, message.removeprefix("argument "))


class _Help(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        assert isinstance(parser, _Parser)
        raise HelpAsked(parser.task)


def _parser(task: str) -> _Parser:
    parser = _Parser(add_help=False, allow_abbrev=False, argument_default=argparse.SUPPRESS)
    parser.task = task
    parser.add_argument("words", nargs="*", default=[])
    parser.add_argument("-h", "--help", action=_Help, nargs=0)
    for field, row in options_of(task).items():
        if row.is_flag:
            parser.add_argument(*row.names, dest=field, action="store_true")
        else:
            parser.add_argument(
                *row.names,
                dest=field,
                action="append" if row.is_repeated else "store",
                type=_typed(row, row.choices.get(task, ())),
                metavar=row.value,
            )
    return parser


def _typed(row: Option, choices: Sequence[str]) -> Callable[[str], object]:
    def convert(text: str) -> object:
        if choices and text not in choices:
            raise argparse.ArgumentTypeError(f"“{text}” is not one of {', '.join(choices)}")
        try:
            return row.parse(text)
        except UsageError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return convert


def _refuse_option(task: str, unknown: list[str]) -> NoReturn:
    """Say what to write instead of the options that the task does not have."""
    names = [word.partition("=")[0] for word in unknown]
    for name in names:
        if name in MOVED:
            raise WrongUsage(task, f"{name} is written as a task: {PROGRAM} {MOVED[name]}")
    name = names[0]
    known = {name: row for row in OPTIONS.values() for name in row.names}
    if name in known:
        tasks = [PROGRAM if each == WINDOW else each for each in known[name].tasks]
        raise WrongUsage(task, f"{name} is an option of {_listed(tasks, 'and')}")
    own = [name for row in options_of(task).values() for name in row.names]
    from difflib import get_close_matches

    near = get_close_matches(name, own, 1, 0.7)
    hint = f"; did you mean {near[0]}?" if near else ""
    raise WrongUsage(task, f"there is no option {name}{hint}")


def _listed(words: Sequence[str], word: str) -> str:
    *first, last = words
    return f"{', '.join(first)} {word} {last}" if first else last


# ---------------------------------------------------------------- words


def _share_out(task: str, options: Options, words: list[str]) -> None:
    """Set the files and what else the words of a task name."""
    if task in ("calls", "annotate", "explain"):
        options.files, options.words = [*words[:1], *options.further], words[1:]
    elif task in ("compare", "gate"):
        _share_out_sides(task, options, words)
    elif task in ("desktop", "completion"):
        choices = TASK[task].words.split("|")
        if len(words) != 1 or words[0] not in choices:
            raise WrongUsage(task, f"takes one word: {_listed(choices, 'or')}")
        options.words = words
        return
    elif task == "doctor":
        if words:
            raise WrongUsage(task, f"takes no words, such as {words[0]}")
        return
    else:
        options.files, options.words = words, []
    if task != WINDOW and not options.files:
        raise WrongUsage(task, f"needs a FILE: {command_name(task)} {TASK[task].words}")


def _share_out_sides(task: str, options: Options, words: list[str]) -> None:
    """Set the files of both sides: OLD and NEW, or those of `--base` and all others."""
    options.words = []
    if options.base:
        options.files = words
    elif task == "gate" and len(words) > 2 and re.search("[<>=]", words[-1]):
        raise WrongUsage(task, f"each rule needs its own --fail-if, also {words[-1]}")
    elif len(words) > 2:
        raise WrongUsage(task, "takes OLD and NEW; several files of the old side are --base OLD")
    elif len(words) < 2 and task == "compare" and not any(map(is_folder, words)):
        raise WrongUsage(task, f"needs two profiles: {command_name(task)} OLD NEW")
    else:
        options.base, options.files = words[:-1], words[-1:]


def is_folder(path: str) -> bool:
    """Return whether a word names a folder, which is a suite of benchmarks."""
    try:
        return Path(path).is_dir()
    except (OSError, ValueError):
        return False


def is_suite(options: Options) -> bool:
    """Return whether suites of benchmarks are compared, and not two profiles."""
    sides = (*options.files, *options.base)
    return options.task in ("compare", "gate") and any(map(is_folder, sides))


# ---------------------------------------------------------------- what does not go together


def _misuse(options: Options) -> str:
    """Return why options do not go together; empty if they do."""
    task = options.task
    for field, row in options_of(task).items():
        option, _, values = row.only.partition(" ")
        if getattr(options, field) != getattr(Options, field) and option:
            given = getattr(options, option.removeprefix("--"))
            if given not in (None, *values.split()):
                known = OPTIONS[option.removeprefix("--")].choices.get(task, values.split())
                listed = _listed([each for each in values.split() if each in known], "or")
                return f"{row.names[0]} is for {option} {listed}"
    if options.event and options.events:
        return "--event and --events exclude each other"
    check = _CHECKS.get(task)
    return check(options) if check else ""


def _misuse_of_window(options: Options) -> str:
    if options.history:
        if options.base:
            return "--history and --base exclude each other"
        return "" if options.files else "--history needs FILEs, the oldest first"
    if options.base and not options.files:
        return "--base needs a FILE to compare with it"
    for_base = {
        "--base-program": options.base_program,
        "--base-map": options.base_map,
        "--base-revision": options.base_revision,
    }
    used = [name for name, value in for_base.items() if value]
    if used and not options.base:
        return f"{used[0]} needs a --base"
    return "--view needs a FILE" if options.view and not options.files else ""


def _misuse_of_report(options: Options) -> str:
    if options.by and options.sort and options.sort.partition(":")[0] in ("inclusive", "called"):
        return f"--by has self costs alone, and is not sorted by {options.sort}"
    return ""


def _misuse_of_calls(options: Options) -> str:
    if options.tree:
        if options.words or options.path:
            return "--tree is for all functions, and takes no FUNCTION and no --path"
        return ""
    if not options.words:
        return f"needs a FUNCTION, or --tree: {command_name('calls')} FILE FUNCTION…"
    if options.sort:
        return "--sort is for --tree; callers and callees are sorted by cost"
    if options.path and options.threshold is not None:
        return "--threshold does not apply to --path, which prints all steps"
    return ""


def _misuse_of_annotate(options: Options) -> str:
    return (
        "--asm is for functions; --file prints source lines"
        if (options.asm and options.source_files)
        else ""
    )


def _misuse_of_explain(options: Options) -> str:
    if len(options.words) != 1:
        return f"needs one FUNCTION: {command_name('explain')} FILE FUNCTION"
    if options.inclusive and options.called:
        return "--inclusive and --called exclude each other"
    if options.events and "," in options.events:
        return "is about one event: name it with --event"
    return ""


def _misuse_of_sides(options: Options) -> str:
    if not options.files:
        return "--base is compared with a FILE: name it, too"
    if not (options.base or options.against or is_suite(options)):
        if used := [name for name in _OF_BASE if getattr(options, name)]:
            return f"{OPTIONS[used[0]].names[0]} needs an OLD profile"
        if options.format == "markdown":
            return "--format markdown needs an OLD profile"
    if options.repeats and options.siblings:
        return "--repeats takes each file as a run, --siblings several as one"
    if options.shares and options.per_call:
        return "--shares and --per-call exclude each other"
    if (options.shares or options.per_call) and options.format == "json":
        return "--shares and --per-call are for people; JSON has exact costs"
    return ""


def _misuse_of_gate(options: Options) -> str:
    if reason := _misuse_of_sides(options):
        return reason
    outputs = options.summary or options.junit or options.annotations
    if options.against and not options.fail_if:
        return "--against is about rules: name one, such as --fail-if 'total>+1%'"
    if options.against and options.repeats:
        return "--against takes one run, --repeats several"
    has_base = options.base or is_suite(options)
    if not (options.fail_if or options.strict or (has_base and outputs)):
        return "needs a rule, such as --fail-if 'total>+1%', or --strict"
    chooses = options.filter or options.only or options.sort or options.limit is not None
    if chooses and options.format == "rules" and not options.summary:
        return (
            "--filter, --only, --sort and --limit choose what --format and --summary list; "
            "a rule has terms of its own"
        )
    return ""


def _misuse_of_convert(options: Options) -> str:
    return "" if options.output else "needs -o OUT, the file to write; - is standard output"


_OF_BASE = (
    "only", "shares", "per_call", "mod_filename", "mod_funcname", "accept_renames", "repeats",
    "base_optional",
)  # fmt: skip
_CHECKS = {
    WINDOW: _misuse_of_window,
    "report": _misuse_of_report,
    "calls": _misuse_of_calls,
    "annotate": _misuse_of_annotate,
    "explain": _misuse_of_explain,
    "compare": _misuse_of_sides,
    "gate": _misuse_of_gate,
    "convert": _misuse_of_convert,
}

# ---------------------------------------------------------------- help


def help_text(task: str) -> str:
    """Return the help of a task, which fits a screen."""
    lines = _window_help() if task == WINDOW else _task_help(task)
    return "\n".join(lines) + "\n"


def _window_help() -> Iterator[str]:
    yield f"usage: {PROGRAM} [OPTION…] [FILE…]    view profiles in a window"
    yield f"       {PROGRAM} TASK [OPTION…] …     do one of these; TASK --help says how"
    yield ""
    width = max(map(len, TASK_NAMES)) + 2
    for task in TASKS:
        yield f"  {task.name:{width}}{task.summary}"
    yield ""
    yield "The window opens profiles of Callgrind and many others; - is standard input."
    yield from _option_lines(WINDOW, options_of(WINDOW).values())


def _task_help(name: str) -> Iterator[str]:
    import textwrap

    task = TASK[name]
    yield f"usage: {' '.join(filter(None, (PROGRAM, name, '[OPTION…]', task.words)))}"
    yield f"{task.summary[0].upper()}{task.summary[1:]}."
    yield from task.notes.splitlines()
    rows = options_of(name).values()
    if explained := [row for row in rows if name in row.explaining()]:
        yield ""
        yield from _option_lines(name, explained)
    for home in dict.fromkeys(_home(row, task.like) for row in rows if row not in explained):
        named = [row for row in rows if row not in explained and _home(row, task.like) == home]
        text = " ".join(f"[{_spelled(row, name)}]".replace(" ", "\0") for row in named)
        first = f"As in {command_name(home)} --help: "
        for line in textwrap.wrap(
            first + text, _WIDTH, break_on_hyphens=False, break_long_words=False
        ):
            yield line.replace("\0", " ")
    yield ""
    for example in task.examples:
        yield f"  {command_name(name)} {example}".rstrip()


def _home(row: Option, like: str) -> str:
    homes = row.explaining()
    return like if like in homes else homes[0]


def _option_lines(task: str, rows: Iterable[Option]) -> Iterator[str]:
    rows = list(rows)
    width = min(max(len(_spelled(row, task)) for row in rows), 27) + 4
    for row in rows:
        first, *others = _help_of(row, task).splitlines()
        yield f"  {_spelled(row, task):{width - 2}}{first}"
        yield from (f"{'':{width}}{line}" for line in others)


def _spelled(row: Option, task: str) -> str:
    return " ".join(filter(None, (", ".join(row.names), row.value)))


def _help_of(row: Option, task: str) -> str:
    text = row.help.get(task) or row.help.get("") or ""
    if not (choices := row.choices.get(task)):
        return text
    first, *others = choices
    is_default = row.value == "FORM"
    words = _listed([f"{first} (default)" if is_default else first, *others], "or")
    if not text:
        return words
    return f"{text}: {words}" if len(text) + len(words) < _LINE else f"{text}:\n{words}"
