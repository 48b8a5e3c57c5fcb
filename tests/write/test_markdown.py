"""Two profiles compared as Markdown, to the letter, and with names that look like markup."""

from __future__ import annotations

import io
import re

import pytest

from qcachegrind_py.present.change import ComparisonReport
from qcachegrind_py.write.markdown import code, write_markdown
from tests.write.drawn_comparisons import comparison_of, in_shares

THIN = "\N{THIN SPACE}"
WHY_SORT = "<br>inclusive +1 450: +488 by calls, +962 by cost per call"
WHY_LESS = "<br>inclusive +200: +200 by calls, 0 by cost per call"


def markdown_of(comparison: ComparisonReport, limit: int | None = None) -> str:
    """The text, with common spaces between digits."""
    stream = io.StringIO()
    write_markdown(comparison, stream, limit=limit)
    return stream.getvalue().replace(THIN, " ")


def test_a_comparison_as_markdown() -> None:
    """The verdict stands in the heading, and the facts of the profiles are folded."""
    assert markdown_of(comparison_of(rules=["self>+5%", "is:moved"]), limit=3) == (
        f"""\
## ❌ 1 of 2 rules met

- ❌ `self>+5%` is met by 3 functions
  - `sort` `app: sort.c:1`: self cost 1 000 → 2 250 Ir: +1 250 (+125.00 %)
  - `less` `app: sort.c:1`: self cost 1 000 → 1 200 Ir: +200 (+20.00 %)
  - `fresh` `app: new.c:1`: self cost 0 → 7 Ir: +7, new
- ✅ `is:moved` is not met

- **Net change** +1 157 Ir (+47.22 %): 2 450 → 3 607
- **Growth** +1 457: 2 of 3 functions make 95 % of it
  - +1 250 `sort` `app: sort.c`
  - +200 `less` `app: sort.c`
  - +7 `fresh` `app: new.c`
- **Shrinkage** -300: 1 function
  - -300 `old` `app: main.c`
- **Comparable** yes, the runs differ in nothing but their costs

| Total | Base | New | Change | % | Grown | Shrunk |
| :--- | ---: | ---: | ---: | ---: | ---: | ---: |
| `Ir` | 2 450 | 3 607 | +1 157 | +47.22 | +1 457 | -300 |
| `Dw` | 33 | 51 | +18 | +54.55 | +21 | -3 |

### Self cost in `Ir`

| Change | % | Base | New | Called | Function |
| ---: | ---: | ---: | ---: | ---: | :--- |
| +1 250 | +125.00 | 1 000 | 2 250 | 10 → 12 | `sort` `app: sort.c`{WHY_SORT} |
| -300 | gone | 300 | – | 1 → 0 | `old` `app: main.c` |
| +200 | +20.00 | 1 000 | 1 200 | 500 → 600 | `less` `app: sort.c`{WHY_LESS} |

… and 3 more functions

<details><summary>Profiles</summary>

- Base: `old.out`
- New: `new.out`
- Command: `./app -n 10`

</details>
"""
    )


@pytest.mark.parametrize(
    ("rules", "heading"),
    [
        ([], "## Change of `Ir`: +1 157 (+47.22 %)"),
        (["self<-1k"], "## ✅ No rule met"),
        (["self>+1", "total>+1"], "## ❌ 2 of 2 rules met"),
    ],
)
def test_headings(rules: list[str], heading: str) -> None:
    """The heading says whether rules are met, or how much the total changed."""
    assert markdown_of(comparison_of(rules=rules)).splitlines()[0] == heading


def test_shares_in_markdown() -> None:
    """Shares have no percentage of themselves."""
    lines = markdown_of(in_shares(comparison_of())).splitlines()
    first = lines.index("| Change | Base | New | Called | Function |")
    assert lines[first - 2] == "### Self cost in `Ir`, %"
    assert lines[first + 2] == "| +21.56 | 40.82 | 62.38 | 10 → 12 | `sort` `app: sort.c` |"


def test_markdown_fits_into_a_comment() -> None:
    """GitHub takes 65,536 characters: there are fewer functions, and long names are cut."""
    drawings = ["\n".join(f"f{n}{'<int>' * 200} {n + cost}" for n in range(300)) for cost in (1, 2)]
    text = markdown_of(comparison_of(*drawings))
    rows = text.count("| +1 |")
    assert len(text) < 60_000
    assert 0 < rows < 300
    assert f"… and {300 - rows} more functions" in text
    assert "  - … and 295 more" in text


def test_markdown_without_a_base() -> None:
    """There is nothing but the new costs, and rules about changes are open."""
    lines = markdown_of(comparison_of(None, rules=["self>+5%"])).splitlines()
    assert lines[:3] == [
        "## ✅ No rule met",
        "",
        "- ➖ `self>+5%` is not checked, as there is no base",
    ]
    assert "| 2 250 | 12 | `sort` `app: sort.c` |" in lines


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
