"""Two profiles compared as Markdown, to the letter, and with names that look like markup."""

from __future__ import annotations

import io
import re

import pytest

from qcachegrind_py.present.change import ComparisonReport
from qcachegrind_py.write.markdown import code, write_markdown
from tests.write.drawn_comparisons import comparison_of

THIN = "\N{THIN SPACE}"


def markdown_of(comparison: ComparisonReport, limit: int | None = None) -> str:
    """The text, with common spaces between digits."""
    stream = io.StringIO()
    write_markdown(comparison, stream, limit=limit)
    return stream.getvalue().replace(THIN, " ")


def test_markdown_fits_into_a_comment() -> None:
    """GitHub takes 65,536 characters: there are fewer functions, and long names are cut."""
    drawings = [
        "\n".join(f"f{n}{'<int>' * 200} {n + cost}" for n in range(1000)) for cost in (1, 2)
    ]
    text = markdown_of(comparison_of(*drawings))
    rows = text.count("| +1 |")
    assert len(text) < 60_000
    assert 0 < rows < 1000
    assert f"… and {1000 - rows} more functions" in text
    assert "  - … and 995 more" in text


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("plain", "`plain`"),
        ("a`b", "``a`b``"),
        ("`a``", "``` `a`` ```"),
        ("a|b", "`a|b`"),
        ("a\nb\x1b[1m", "`a\\nb\\x1b[1m`".replace("\\n", "\\x0a")),
        ("", "` `"),
    ],
)
def test_code(name: str, wanted: str) -> None:
    """The fence is longer than any in the name, and the name ends no line."""
    assert code(name) == wanted


def test_names_with_bars_are_shown_as_they_are() -> None:
    """A bar in code is escaped in tables only: elsewhere, the backslash would be shown."""
    text = markdown_of(comparison_of("a|b\\|c@f.c@app 5", "a|b\\|c@f.c@app 7"))
    lines = [line for line in text.splitlines() if "f.c" in line]

    assert [line[:15] for line in lines] == ["  - +2 `a|b\\|c`", "| +2 | +40.00 |"]
    assert "| `a\\|b\\\\|c` `app: f.c` |" in lines[1]


def test_names_are_no_markup() -> None:
    """Rows have as many cells as the heading, whatever names look like."""
    hostile = "<img/src=x>@a|b.c@|app"
    text = markdown_of(comparison_of(f"{hostile} 5", f"{hostile} 7\n @user@b.c@x 5", ["self>+1"]))
    rows = [line for line in text.splitlines() if line.startswith("|")]
    cells = [len(re.findall(r"(?<!\\)\|", row)) for row in rows]
    assert set(cells) == {8, 7}
    outside = re.sub(r"(`+).*?\1", "", text)
    assert "<img" not in outside
    assert "@" not in outside
