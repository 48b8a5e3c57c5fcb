"""Assemble the report of `--doctor`.

It comes out even if Qt or numpy cannot be imported and if there is no display: both are tried in
other processes.
"""

from __future__ import annotations

from collections.abc import Iterator

from qcachegrind_py.app.doctor.environment_checks import file_findings, tool_findings
from qcachegrind_py.app.doctor.findings import Finding, findings_text
from qcachegrind_py.app.doctor.library_checks import library_findings
from qcachegrind_py.app.doctor.qt_checks import qt_findings


def system_findings() -> Iterator[Finding]:
    """Return all findings in the order of the report; takes about a second."""
    qt = qt_findings()  # starts its process at once, like the next
    libraries = library_findings()
    yield from libraries
    yield from qt
    yield from tool_findings()
    yield from file_findings()


def system_report() -> str:
    """Return the report as text."""
    return findings_text(system_findings())
