"""Find a line at which a lexer can start, so that it need not read the whole text before it.

That is a line where a declaration plausibly begins: in column 0, with a word or @ that is no label,
after an empty line, and outside of all multi-line comments, strings and `#if 0`, which a quick scan
of the preceding text determines. There, a lexer is in its initial state. For some languages, only
the form of lines is checked. Independent of the lexers.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import accumulate
from operator import itemgetter

from qcachegrind_py.profile.progress import Progress

_RUN_UP = 200  # minimum number of lines before the first requested one
_FARTHEST = 2_000  # lines before these that are tried
_MOST_SEEN = 4_000_000  # characters scanned, in a tenth of a second
_BATCH = 256  # comments and strings between two checks for cancellation

_STRING = r'"(?:[^"\\\n]++|\\[\s\S])*+"?'
_LINES_STRING = r'"(?:[^"\\]++|\\[\s\S])*+"?'
_CHARACTER = r"'(?:[^'\\\n]|\\[^\n]{1,10}?)'"
_HASH = rf"#[^\n]*|{_STRING}|'(?:[^'\\\n]++|\\[\s\S])*+'?"
_TICKS = r"`[^`]*`?"
_C = rf"//[^\n]*|(?P<comment>/\*)|{_CHARACTER}"
_C_ONLY = r'R"(?P<raw>[^\s()\\"]{0,16})\(|^[ \t]*#[ \t]*(?P<off>if)[ \t]+0\b'
# Constructs that may span lines, named, and single-line ones that might be mistaken for their
# start.
_COVERS = {
    "c": f"{_C}|{_C_ONLY}|{_STRING}",
    "rust": rf'{_C}|r(?P<raw>#{{0,8}})"|{_LINES_STRING}',
    "d": rf"{_C}|(?P<nested>/\+)|{_LINES_STRING}|{_TICKS}",
    "go": f"{_C}|{_STRING}|{_TICKS}",
    "php": rf"{_C}|#[^\n]*|{_LINES_STRING}",
    "python": rf"""(?P<double>\"{{3}})|(?P<single>'{{3}})|{_HASH}""",
    "perl": rf"^=(?P<pod>[a-z]\w*)|{_HASH}",
}
_CLOSERS = {"comment": "*/", "nested": "+/", "double": '"""', "single": "'''", "pod": "\n=cut"}
_LIKE = {
    **dict.fromkeys(("javascript", "typescript"), "go"),
    **dict.fromkeys(("cython", "nim"), "python"),
    "ruby": "perl",
    **dict.fromkeys(("fortran", "fortranfixed", "haskell", "ocaml", "delphi", "ada"), ""),
}  # the others are like C
_CONDITION = re.compile(r"^[ \t]*#[ \t]*(if|el|endif)", re.MULTILINE)
_DECLARATION = re.compile(r"[^\W\d]\w*(?!\w*\s*:(?!:))|@")  # no label


def beginning(lines: Sequence[str], first: int, language: str, progress: Progress) -> int:
    """Return the line to start at, for a language by Pygments' name: at least 200 before, or 0.

    Without a declaration, it is a line after an empty one, else any outside of comments, else the
    first line of the comment that covers them all.
    """
    latest = first - _RUN_UP
    if latest <= _RUN_UP:
        return 0
    earliest = max(0, latest - _FARTHEST)
    spans = _covered_lines(lines[: latest + 1], language, progress)
    candidates = [line for line in range(latest, earliest, -1) if _cover(line, spans) < 0]
    after_gap = [line for line in candidates if not lines[line - 1].strip()]
    for line in after_gap:
        if _DECLARATION.match(lines[line]):
            return line
    if candidates:
        return (after_gap or candidates)[0]
    cover = _cover(latest, spans)
    return spans[cover][0] - 1 if cover >= 0 else latest


def is_within_php(lines: Sequence[str], begin: int) -> bool:
    """Whether a line begins inside PHP code, rather than in the text around it."""
    for line in reversed(lines[:begin]):
        opened, closed = line.rfind("<?"), line.rfind("?>")
        if opened != closed:
            return opened > closed
    return False


@cache
def _covers(language: str) -> re.Pattern[str] | None:
    family = language if language in _COVERS else _LIKE.get(language, "c")
    return re.compile(_COVERS[family], re.MULTILINE) if family else None


def _cover(line: int, spans: Sequence[tuple[int, int]]) -> int:
    """Return the index of the span in which the line begins; -1 if none. `covered` is sorted."""
    index = bisect_right(spans, line, key=itemgetter(0)) - 1
    return index if index >= 0 and line <= spans[index][1] else -1


def _covered_lines(
    lines: Sequence[str], language: str, progress: Progress
) -> list[tuple[int, int]]:
    """Return the second and the last line of each multi-line comment, string, …"""
    covers = _covers(language)
    text = "".join(f"{line}\n" for line in lines)
    if covers is None or len(text) > _MOST_SEEN:
        return []
    ends = list(accumulate(len(line) + 1 for line in lines))
    return [
        (bisect_right(ends, start) + 1, bisect_right(ends, end - 1))
        for start, end in _covered(text, covers, progress)
    ]


def _covered(text: str, covers: re.Pattern[str], progress: Progress) -> Iterator[tuple[int, int]]:
    """Yield start and end of each multi-line comment, string, …"""
    end = seen = 0
    while match := covers.search(text, end):
        start, end = match.start(), _end(text, match)
        if text.find("\n", start, end) >= 0:
            yield start, end
        seen += 1
        if seen % _BATCH == 0:
            progress.check(0.0)


def _end(text: str, match: re.Match[str]) -> int:
    """Return the end of the construct; the end of the text if it is not closed."""
    group = match.lastgroup
    if group is None:
        return match.end()
    if group == "off":
        return _end_of_if_0(text, match.end())
    opened, raw = match[0], match[group]
    closer = _CLOSERS.get(group) or (f'){raw}"' if opened.endswith("(") else f'"{raw}')
    end = text.find(closer, match.end())
    return end + len(closer) if end >= 0 else len(text)


def _end_of_if_0(text: str, start: int) -> int:
    depth = 1
    for match in _CONDITION.finditer(text, start):
        depth += {"if": 1, "endif": -1}.get(match[1], 0)
        if depth == 0 or (depth == 1 and match[1] == "el"):
            return match.start()
    return len(text)
