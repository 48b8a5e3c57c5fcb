"""Where a file that is made of a profile is proposed to go."""

from __future__ import annotations

import os
from pathlib import Path

from qcachegrind_py.app.resources import EXAMPLE, resource
from qcachegrind_py.formats.standard_input import is_kept


def place_beside(profile: Path, name: str) -> Path:
    """A file of that name beside the profile, or at home where it would not last or fit in.

    What came through standard input goes with the program, and the example is a part of it.
    """
    folder = profile.parent
    stays = not is_kept(profile) and profile != resource(EXAMPLE)
    return (folder if stays and os.access(folder, os.W_OK) else Path.home()) / name
