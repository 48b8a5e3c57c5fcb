from __future__ import annotations

from tests.resources.man_page import PATH, man_page


def test_the_manual_page_has_the_options_of_the_command() -> None:
    """The manual page lists every option with its present text.

    `python -m tests.resources.man_page` writes it.
    """
    assert PATH.read_text(encoding="utf-8") == man_page()
