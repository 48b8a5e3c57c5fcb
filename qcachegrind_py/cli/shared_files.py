"""The manual page, and all files that are made from the table of options for a system or a user.

`setup.py` installs them below share/, `desktop install` below the user's folder of the same kind.
Like the table, this needs the standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from qcachegrind_py.app.style.resources import resource_path
from qcachegrind_py.cli.completion import NAMES, completion_script
from qcachegrind_py.cli.options import TASKS, WINDOW, Option, Task, options_of

METAINFO = "desktop/metainfo/io.github.qcachegrind_py.qcachegrind_py.metainfo.xml"


def shared_files() -> dict[str, str]:
    """Return the texts of the files by their paths below share/."""
    name, other = NAMES
    bash = completion_script("bash")
    return {
        f"bash-completion/completions/{name}": bash,
        f"bash-completion/completions/{other}": bash,
        f"zsh/site-functions/_{name}": completion_script("zsh"),
        f"fish/vendor_completions.d/{name}.fish": completion_script("fish"),
        f"fish/vendor_completions.d/{other}.fish": f"complete -c {other} -w {name}\n",
        f"man/man1/{name}.1": manual_page(),
    }


def manual_page() -> str:
    """Return the manual page, with the version and date of the release."""
    release = re.findall(
        r'<release version="(.+?)" date="(.+?)"', resource_path(METAINFO).read_text("utf-8")
    )
    version, date = release[0]
    heading = f'.TH QCACHEGRIND\\-PY 1 "{date}" "qcachegrind_py {version}" "User Commands"\n'
    return "".join((heading, _BEFORE, *_tasks(), _AFTER))


_BEFORE = r"""
.SH NAME
qcachegrind\-py \- viewer for profiles of Callgrind and other profilers
.SH SYNOPSIS
.B qcachegrind\-py
.RI [ OPTION ...]
.RI [ FILE ...]
.br
.B qcachegrind\-py
.I TASK
.RI [ OPTION ...]
.RI [ FILE ...]
.SH DESCRIPTION
Shows profiles as Callgrind, Cachegrind, Xdebug, pprof and many converters write them:
which functions of a program are costly, who calls them and whom they call, down to lines and
instructions.
.PP
Each
.I FILE
is a profile, plain or packed by gzip, bzip2, xz or zstd, and is known by its content, whatever its
name;
.B \-
is standard input. Without a task, a window shows the profile. Tasks print, save or install
something, and need no display. The first word is a task if it is one of those below;
.I ./report
is a file.
.PP
.B qcachegrind_py
and
.B python3 \-m qcachegrind_py
are the same command, and so is
.BR qcachegrind\-py\-gui ,
which menus start.
""".lstrip()
_AFTER = r"""
.SH EXIT STATUS
.TP
.B 0
Success. Where something in a file is odd, that is counted on standard error, and where files are
read slowly for want of a C compiler, it says there how to get one.
.TP
.B 1
A file is missing, or could not be read or written; one line on standard error says which, and why.
.TP
.B 2
Wrong usage: an unknown task, option or name.
.TP
.B 3
A rule of
.B \-\-fail\-if
is met.
.TP
.B 4
The runs are damaged or not comparable, and
.B \-\-strict
was given.
.TP
.BR 130 ", " 143
Ended by Ctrl+C, by SIGTERM. Files that were being written are as they were before.
.SH ENVIRONMENT
.TP
.BR XDG_DATA_HOME ", " XDG_CONFIG_HOME ", " XDG_STATE_HOME
Where
.B desktop install
puts files: below
.IR ~/.local/share ,
.I ~/.config
and
.I ~/.local/state
where these are not set.
.TP
.B QT_QPA_PLATFORM
How Qt shows windows;
.B offscreen
where there is no display.
.TP
.B NO_COLOR
If it is set and not empty, text has no bold costs.
.SH FILES
.TP
.I ~/.local/share/bash\-completion/completions/qcachegrind\-py
.TQ
.I ~/.local/share/fish/vendor_completions.d/qcachegrind\-py.fish
.TQ
.I ~/.local/share/zsh/site\-functions/_qcachegrind\-py
Tasks and options, for the Tab key. bash needs the package bash\-completion, and zsh the line
.I fpath=(~/.local/share/zsh/site\-functions $fpath)
above
.I compinit
in
.IR ~/.zshrc .
.SH EXAMPLES
Record a program, and look at it:
.PP
.EX
  valgrind \-\-tool=callgrind ./program
  qcachegrind\-py callgrind.out.1234
.EE
.SH SEE ALSO
.BR valgrind (1),
.BR callgrind_annotate (1),
.BR kcachegrind (1)
""".lstrip()


def _tasks() -> Iterator[str]:
    yield ".SH TASKS\n"
    for task in TASKS:
        yield f".SS {NAMES[0]} {task.name} {task.words}\n".replace("-", r"\-")
        yield f"{_sentence(task.summary)}\n"
        if task.notes:
            yield f".br\n{_escaped(task.notes)}\n"
        yield from _entries(task.name)
        yield ".PP\n.EX\n"
        yield from (f"  {_escaped(line)}\n" for line in _examples(task))
        yield ".EE\n"
    yield ".SH OPTIONS OF THE WINDOW\n"
    yield from _entries(WINDOW)


def _examples(task: Task) -> Iterator[str]:
    for words in task.examples:
        yield f"{NAMES[0]} {task.name} {words}".rstrip()


def _entries(task: str) -> Iterator[str]:
    for row in options_of(task).values():
        text = (row.help.get(task) or row.help.get("") or "").replace("\n", " ")
        choices = ", ".join(row.choices.get(task, ()))
        said = f"{text}: {choices}" if text and choices else text or f"One of {choices}"
        yield f".TP\n{_title(row)}\n{_sentence(said)}\n"


def _title(row: Option) -> str:
    names = ", ".join(rf"\fB{_escaped(name)}\fR" for name in row.names)
    return rf"{names} \fI{_escaped(row.value)}\fR" if row.value else names


def _sentence(text: str) -> str:
    return _escaped(f"{text[:1].upper()}{text[1:]}.")


def _escaped(text: str) -> str:
    """Escape for roff: plain hyphens, and no line that begins with a request."""
    text = text.replace("\\", r"\e").replace("-", r"\-")
    return re.sub(r"(?m)^([.'])", r"\\&\1", text)
