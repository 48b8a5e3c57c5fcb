"""`completion`: the scripts by which shells complete the command, made from its options.

Like `cli.options`, it needs the standard library only.
"""

from __future__ import annotations

from collections.abc import Iterator

from qcachegrind_py.cli.options import TASK, TASK_NAMES, TASKS, WINDOW, Option, Options, options_of

NAMES = ("qcachegrind-py", "qcachegrind_py")
_FILES = (
    "FILE", "FILE-OR-OBJECT", "OUT", "OLD", "VIEWS", "PICTURE", "PROGRAM", "FILE.md", "FILE.xml",
)  # fmt: skip
_ORDERS = {
    **dict.fromkeys(("report", "annotate", "calls"), "inclusive self called name"),
    **dict.fromkeys(("compare", "gate"), "change growth base new calls"),
    "history": "trend step spread",
}


def run(options: Options) -> int:
    """Print the script for a shell; return the exit code."""
    from qcachegrind_py.cli.output import write_output

    text = completion_script(options.words[0])
    return write_output(lambda stream: stream.write(text))


def completion_script(shell: str) -> str:
    """Return the script that completes tasks, options, their values and files in a shell."""
    lines = {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell]()
    return "\n".join(lines) + "\n"


def _words_of(row: Option, task: str) -> str:
    """Return what a value of the option begins as; empty for files and free texts."""
    if row.value == "ORDER":
        return _ORDERS.get(task, "")
    return " ".join(row.choices.get(task, ()))


def _bash() -> Iterator[str]:
    yield "_qcachegrind_py() {"
    yield '  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}"'
    yield '  local task="${COMP_WORDS[1]}" options= words='
    yield "  # --option=value: the shell takes = for a word"
    yield '  [ "$word" = = ] && word='
    yield '  [ "$before" = = ] && before="${COMP_WORDS[COMP_CWORD-2]}"'
    yield "  COMPREPLY=()"
    yield f'  case "$task" in {"|".join(TASK_NAMES)}) ;; *) task={WINDOW} ;; esac'
    yield '  case "$task $before" in'
    for task in (WINDOW, *TASK_NAMES):
        for row in options_of(task).values():
            names = "|".join(f'"{task} {name}"' for name in row.names)
            if words := _words_of(row, task):
                yield f'    {names}) COMPREPLY=($(compgen -W "{words}" -- "$word")); return ;;'
            elif not row.is_flag:
                kind = "-d" if row.value == "DIR" else "-f"
                yield f'    {names}) COMPREPLY=($(compgen {kind} -- "$word")); return ;;'
    yield "  esac"
    yield '  case "$task" in'
    for task in (WINDOW, *TASK_NAMES):
        names = " ".join(name for row in options_of(task).values() for name in row.names)
        words = TASK[task].words.replace("|", " ") if task in ("desktop", "completion") else ""
        yield f'    {task}) options="{names} --help" words="{words}" ;;'
    yield "  esac"
    yield f'  [ "$COMP_CWORD" = 1 ] && words="{" ".join(TASK_NAMES)}"'
    yield '  case "$word" in'
    yield '    -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;'
    yield '    *) COMPREPLY=($(compgen -W "$words" -- "$word") $(compgen -f -- "$word")) ;;'
    yield "  esac"
    yield "}"
    yield f"complete -o filenames -F _qcachegrind_py {' '.join(NAMES)}"


def _zsh() -> Iterator[str]:
    yield f"#compdef {' '.join(NAMES)}"
    yield "local -a tasks"
    yield "tasks=("
    yield from (f"  '{task.name}:{_quoted(task.summary)}'" for task in TASKS)
    yield ")"
    yield 'case "$words[2]" in'
    for task in (*TASK_NAMES, WINDOW):
        yield f"  {task if task in TASK else '*'})"
        if task in TASK:
            yield "    shift words; (( CURRENT-- ))"
        yield "    _arguments -S \\"
        yield "      '(- *)'{-h,--help}'[show this help]' \\"
        for row in options_of(task).values():
            yield f"      {_zsh_option(row, task)} \\"
        if task in ("desktop", "completion"):
            yield f"      '1:word:({TASK[task].words.replace('|', ' ')})'"
        elif task == WINDOW:
            yield "      '1: :{ _describe task tasks; _files }' '*:file:_files'"
        else:
            yield "      '*:file:_files'"
        yield "    ;;"
    yield "esac"


def _zsh_option(row: Option, task: str) -> str:
    text = _quoted((row.help.get(task) or row.help.get("") or row.value).partition("\n")[0])
    star = "'*'" if row.is_repeated else ""
    is_long = len(row.names) == 1  # those are written as --option=value, too
    names = row.names[0] if is_long else "{" + ",".join(row.names) + "}"
    if row.is_flag:
        return f"{star}{names}'[{text}]'"
    names += "=" * is_long
    words = _words_of(row, task)
    action = f"({words})" if words else "_files -/" if row.value == "DIR" else "_files"
    if not (words or row.value in _FILES or row.value == "DIR"):
        action = " "
    return f"{star}{names}'[{text}]:{_quoted(row.value)}:{action}'"


def _quoted(text: str) -> str:
    for letter in "\\:[]":
        text = text.replace(letter, f"\\{letter}")
    return text.replace("'", "'\\''")


def _fish() -> Iterator[str]:
    name = NAMES[0]
    tasks = " ".join(TASK_NAMES)
    yield f"complete -c {NAMES[1]} -w {name}"
    for task in TASKS:
        summary = _fish_quoted(task.summary)
        yield f"complete -c {name} -n __fish_is_first_token -a {task.name} -d {summary}"
    for each in (WINDOW, *TASK_NAMES):
        is_window = f"not __fish_seen_subcommand_from {tasks}"
        place = is_window if each == WINDOW else f"__fish_seen_subcommand_from {each}"
        yield f"complete -c {name} -n '{place}' -s h -l help -d 'show this help'"
        if each in ("desktop", "completion"):
            yield f"complete -c {name} -n '{place}' -f -a '{TASK[each].words.replace('|', ' ')}'"
        for row in options_of(each).values():
            yield f"complete -c {name} -n '{place}' {_fish_option(row, each)}"


def _fish_option(row: Option, task: str) -> str:
    letters = {1: "-s", 2: "-l"}
    parts = [
        f"{letters[len(name) - len(name.lstrip('-'))]} {name.lstrip('-')}" for name in row.names
    ]
    text = (row.help.get(task) or row.help.get("") or row.value).partition("\n")[0]
    parts.append(f"-d {_fish_quoted(text)}")
    if words := _words_of(row, task):
        parts.append(f"-x -a '{words}'")
    elif row.value == "DIR":
        parts.append("-x -a '(__fish_complete_directories)'")
    elif not row.is_flag:
        parts.append("-r" if row.value in _FILES else "-x")
    return " ".join(parts)


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
