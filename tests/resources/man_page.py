"""Writes the manual page from the text here and the options of the command.

python -m tests.resources.man_page
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

from qcachegrind_py.cli.arguments import build_parser

PATH = Path(__file__).parents[2] / "resources/desktop/man/man1/qcachegrind-py.1"
_BEFORE = r"""
.TH QCACHEGRIND\-PY 1 "" qcachegrind_py "User Commands"
.SH NAME
qcachegrind\-py \- viewer for profiles in the Callgrind format
.SH SYNOPSIS
.B qcachegrind\-py
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
is standard input. Several files become the parts of one profile. Without options, a window shows
the profile; the options below print, save or install something instead, and most of them need no
display.
.PP
.B qcachegrind_py
and
.B python3 \-m qcachegrind_py
are the same command, and so is
.BR qcachegrind\-py\-gui ,
which menus start.
.SH OPTIONS
""".lstrip()
_AFTER = r"""
.SH EXIT STATUS
.TP
.B 0
Success. Where something in a file is odd, that is counted on standard error, and where files are
read slowly for want of a C compiler, it says there how to get one.
.TP
.B 1
A file could not be read or written; one line on standard error says which, and why.
.TP
.B 2
Wrong usage.
.TP
.B 3
A rule of
.B \-\-fail\-if
is met.
.TP
.B 4
The runs are not comparable, and
.B \-\-strict
was given.
.TP
.BR 130 ", " 143
Ended by Ctrl+C, by SIGTERM. Files that were being written are as they were before.
.SH ENVIRONMENT
.TP
.BR XDG_DATA_HOME ", " XDG_CONFIG_HOME ", " XDG_STATE_HOME
Where
.B \-\-install\-desktop
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
The options, for the Tab key. bash needs the package bash\-completion, and zsh the line
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
.PP
The twenty costliest functions, and the costs beside the lines of one:
.PP
.EX
  qcachegrind\-py \-\-report text \-\-limit 20 callgrind.out.1234
  qcachegrind\-py \-\-annotate main callgrind.out.1234
.EE
.PP
What changed since another run, and failure if the total grew by more than 1 %:
.PP
.EX
  qcachegrind\-py \-\-base old.out \-\-report text new.out
  qcachegrind\-py \-\-base old.out \-\-fail\-if 'total>+1%' new.out
.EE
.SH SEE ALSO
.BR valgrind (1),
.BR callgrind_annotate (1),
.BR kcachegrind (1)
""".lstrip()


def man_page() -> str:
    """The text of the page."""
    return _BEFORE + "".join(_options(build_parser())) + _AFTER


def _options(parser: argparse.ArgumentParser) -> Iterator[str]:
    for group in filter(_has_options, parser._action_groups):
        yield f".SS {_spelled(group.title or '')}\n"
        for line in (group.description or "").splitlines():
            is_example = line.startswith(" ")
            yield f".PP\n.EX\n{_spelled(line)}\n.EE\n" if is_example else f"{_spelled(line)}\n"
        for option in group._group_actions:
            if option.option_strings:
                yield f".TP\n{_title(option)}\n{_spelled(_sentence(option.help or ''))}\n"


def _has_options(group: argparse._ArgumentGroup) -> bool:
    return any(action.option_strings for action in group._group_actions)


def _title(option: argparse.Action) -> str:
    names = ", ".join(rf"\fB{_spelled(name)}\fR" for name in option.option_strings)
    if option.nargs == 0:
        return names
    if option.choices:
        return names + " " + "|".join(rf"\fB{_spelled(choice)}\fR" for choice in option.choices)
    value = option.metavar if isinstance(option.metavar, str) else option.dest.upper()
    return rf"{names} \fI{_spelled(value)}\fR"


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."


def _spelled(text: str) -> str:
    """Escape for roff: plain hyphens, and no line that begins with a request."""
    text = text.replace("\\", r"\e").replace("-", r"\-").replace("%%", "%")
    return re.sub(r"(?m)^([.'])", r"\\&\1", text)


if __name__ == "__main__":
    PATH.parent.mkdir(parents=True, exist_ok=True)
    PATH.write_text(man_page(), encoding="utf-8")
