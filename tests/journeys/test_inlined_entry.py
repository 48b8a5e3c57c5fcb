"""A function of the program whose first instruction was inlined from the standard library."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pytestqt.qtbot import QtBot

from qcachegrind_py.app.window import MainWindow
from tests.columns import FUNCTIONS
from tests.profile_text import dump_rows
from tests.user_input import go_to, ignore_offscreen_warnings, settle

pytestmark = ignore_offscreen_warnings
HEADER = "/usr/include/c++/12/bits/stl_vector.h"

PROFILE = """\
events: Ir
ob=/home/me/words
fl={folder}/words.cpp
fn=main
2 1
cfi={header}
cfn=Table::grow()
calls=1 5
3 1000
fl={header}
fn=Table::grow()
987 600
fe={folder}/words.cpp
12 400
fl={header}
fn=std::vector<int>::resize(unsigned long)
900 5
"""


def test_a_function_is_my_code_and_has_my_source(
    window: MainWindow, open_file: Callable[..., None], qtbot: QtBot, tmp_path: Path
) -> None:
    """Callgrind says that it is in the header: neither the filter nor Source takes it for that."""
    source = tmp_path / "words.cpp"
    source.write_text("".join(f"line {number};\n" for number in range(1, 20)))
    file = tmp_path / "callgrind.out.1"
    file.write_text(PROFILE.format(folder=tmp_path, header=HEADER))
    window.show()
    qtbot.waitExposed(window)
    open_file(file)
    window.actions_["own_code"].trigger()
    go_to(window.session, window.navigation, "Table::grow()")
    window.docks.show("source")
    settle(window, qtbot)

    functions = window.views.function_list
    assert dump_rows(functions.model, FUNCTIONS.NAME) == ["Table::grow()", "main"]
    view = window.views.source
    assert view.editable_location(view.table.current_record()) == (source, 12)
