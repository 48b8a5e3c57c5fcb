from __future__ import annotations

from tests.resources.man_page import PATH, man_page


def test_the_manual_page_has_the_options_of_the_command() -> None:
    """An option that is new, or says something else, is so in the manual page as well.

    `python -m tests.resources.man_page` writes it.
    """
    assert PATH.read_text(encoding="utf-8") == man_page()
