"""The file of a function whose first instruction was inlined from a header of the system."""

from __future__ import annotations

import pytest

from qcachegrind_py.analysis.code.function_files import file_of_function, files_of_functions
from qcachegrind_py.profile.ids import FunctionId
from tests.profile_rows import profile_from

HEADER = "/usr/include/c++/12/bits/stl_vector.h"


def files_of(text: str) -> list[str]:
    """The files of all functions; each is what `file_of_function` returns for it alone."""
    profile = profile_from(text)
    files = files_of_functions(profile).tolist()
    assert files == [file_of_function(profile, FunctionId(row)) for row in range(len(files))]
    return profile.texts.lookup(files)


def function(name: str, *inlined: tuple[str, int], recorded: str = HEADER) -> str:
    lines = [f"fl={recorded}", f"fn={name}", "1 1"]
    for file, cost in inlined:
        lines += [f"fi={file}", f"2 {cost}"]
    return "\n".join(("events: Ir", *lines, ""))


@pytest.mark.parametrize(
    ("text", "file"),
    [
        (function("Table::grow()", ("/src/words.cpp", 1)), "/src/words.cpp"),
        (function("Table::grow()", ("/src/a.cpp", 2), ("/src/b.cpp", 3)), "/src/b.cpp"),
        (function("Table::grow()", ("/src/a.cpp", 2), ("/src/b.h", 3)), "/src/a.cpp"),
        (function("Table::grow()", ("/usr/local/include/x.hpp", 9)), HEADER),
        (function("Table::grow()", ("???", 9)), HEADER),
        (function("Table::grow()"), HEADER),
        (function("take(std::string)", ("/src/a.cpp", 9)), "/src/a.cpp"),
        (function("void std::sort<Entry*>(Entry*)", ("/src/a.cpp", 9)), HEADER),
        (function("std::vector<Entry>::grow()", ("/src/a.cpp", 9)), HEADER),
        (function("_ZNSt6vectorIiSaIiEE4growEv", ("/src/a.cpp", 9)), HEADER),
        (function("f", ("/src/b.cpp", 9), recorded="/src/a.h"), "/src/a.h"),
    ],
)
def test_a_function_is_in_the_file_of_the_program_that_costs_most(text: str, file: str) -> None:
    """Sources go before headers; what is of the standard library, or recorded elsewhere, stays."""
    assert files_of(text) == [file]


def test_each_function_has_its_own_file() -> None:
    """Functions without code of the program are left where they were recorded."""
    text = function("f", ("/src/a.cpp", 1)) + function("g", ("/src/b.cpp", 1)).partition("\n")[2]
    assert files_of(text + f"fl={HEADER}\nfn=h\n1 1\n") == ["/src/a.cpp", "/src/b.cpp", HEADER]
