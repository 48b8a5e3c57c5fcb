"""`doctor`: what is installed, what is missing, and how to get it."""

from __future__ import annotations

from qcachegrind_py.app.doctor.checks import findings_text, has_problem, system_findings
from qcachegrind_py.cli.options import Options
from qcachegrind_py.cli.output import write_output


def run(_options: Options) -> int:
    """Print the findings; return 1 if something is missing that the program needs."""
    findings = list(system_findings())
    code = write_output(lambda out: print(findings_text(findings, out.encoding), file=out))
    return code or int(has_problem(findings))
