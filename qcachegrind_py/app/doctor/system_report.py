"""`--doctor`: what is installed here, what is missing, and the exact command to get it.

It works where Qt or numpy cannot be imported, and where there is no display: these are tried in
other processes. What each part looks at is in the modules beside.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

from qcachegrind_py.app.doctor.file_checks import place_findings
from qcachegrind_py.app.doctor.findings import Finding, findings_text, needed_is_there
from qcachegrind_py.app.doctor.library_checks import library_findings
from qcachegrind_py.app.doctor.qt_checks import qt_findings
from qcachegrind_py.app.doctor.tool_checks import tool_findings


def system_findings() -> Iterator[Finding]:
    """All findings, in the order in which they are shown; takes about a second."""
    qt = qt_findings()  # starts its trial at once
    libraries = library_findings()
    yield from libraries
    yield from qt
    yield from tool_findings()
    yield from place_findings()


def system_report() -> str:
    """The report as text."""
    return findings_text(system_findings())


def print_system_report() -> int:
    """Print the report; gives the exit code: 0 if all that is needed is there, else 1."""
    findings = list(system_findings())
    encoding = getattr(sys.stdout, "encoding", None) or "ascii"
    with contextlib.suppress(BrokenPipeError):
        print(findings_text(findings, encoding), flush=True)
    return 0 if needed_is_there(findings) else 1
