"""Editing a mimeapps.list: adding and removing a default application."""

from __future__ import annotations

import pytest

from qcachegrind_py.app.desktop.install import with_default, without

TYPES = ("a/b", "a/c")
CASES = {
    "": "[Default Applications]\na/b=we.desktop\na/c=we.desktop\n",
    "[Added Associations]\na/b=x.desktop": (
        "[Added Associations]\na/b=x.desktop\n"
        "\n[Default Applications]\na/b=we.desktop\na/c=we.desktop\n"
    ),
    "# mine\n[Default Applications]\na/b=x.desktop;y.desktop;\nz/z=x.desktop\n\n[Other]\na/c=x\n": (
        "# mine\n[Default Applications]\na/b=we.desktop;x.desktop;y.desktop;\nz/z=x.desktop\n"
        "a/c=we.desktop\n\n[Other]\na/c=x\n"
    ),
    "[Default Applications]\r\na/b = x.desktop\r\n\r\n": (
        "[Default Applications]\r\na/b =we.desktop;x.desktop\r\na/c=we.desktop\n\r\n"
    ),
    "[Default Applications]\na/b=x.desktop;we.desktop\na/c=we.desktop\n": (
        "[Default Applications]\na/b=we.desktop;x.desktop\na/c=we.desktop\n"
    ),
}


@pytest.mark.parametrize("before", CASES)
def test_added_application_precedes_the_previous_default(before: str) -> None:
    """The previous default stays in the list behind it; the rest of the text is untouched."""
    assert with_default(before, TYPES, "we.desktop") == CASES[before]


def test_removed_application_leaves_no_trace() -> None:
    """Lines keep other applications; other types and other lines stay."""
    text = (
        "[Added Associations]\na/b=x.desktop;we.desktop;\na/c=we.desktop;\n"
        "[Default Applications]\na/b=we.desktop;x.desktop\na/c=we.desktop\nz/z=we.desktop\n# a/b=we"
    )

    assert without(text, TYPES, "we.desktop") == (
        "[Added Associations]\na/b=x.desktop;\n"
        "[Default Applications]\na/b=x.desktop\nz/z=we.desktop\n# a/b=we"
    )
