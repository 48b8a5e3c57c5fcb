"""The command: open the window, or print, save or install without it.

Without a window, Qt is not imported; `--version` and `--help` import next to nothing. `options`
declares the options, and each of the other modules runs one of the tasks without a window.
"""

from __future__ import annotations

import argparse
import os
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress

from qcachegrind_py.cli.arguments import parse_options
from qcachegrind_py.cli.options.report import LINE_FORMS
from qcachegrind_py.cli.options.task import annotates, checks, compares
from qcachegrind_py.cli.terminal import write_output
from qcachegrind_py.visible_text import print_message

_ENDING = ("SIGTERM", "SIGHUP")  # `kill` or logging out, a closed terminal


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code: 0; 1 if a file cannot be read; 2 for wrong usage.

    After Ctrl+C it is 130, after SIGTERM 143, and temporary files are removed. A window ends in its
    own way (`app.desktop.ending_signals`).
    """
    with suppress(ValueError):  # called in another thread than the main one
        for number in (getattr(signal, name) for name in _ENDING if hasattr(signal, name)):
            if signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, _end)
    try:
        return _run(arguments)
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


def _end(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)


def _run(arguments: Sequence[str] | None) -> int:
    # numpy's linear algebra, unused here, would start a busy thread per processor
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    options = parse_options(arguments)
    if options.max_memory is not None or options.screenshot:
        from qcachegrind_py.profile.files import REFUSING_SHARE, MemoryLimit, choose_limit

        # a screenshot has nobody to ask
        automatic = MemoryLimit.of_available(REFUSING_SHARE)
        size = options.max_memory
        choose_limit(automatic if size is None else MemoryLimit(size or None))
    base = options.base or []
    if "-" in (*options.files, *base):
        from qcachegrind_py.formats.loading import error_text, resolve_standard_input
        from qcachegrind_py.profile.errors import ProfileError

        try:
            names = resolve_standard_input([*base, *options.files])
        except ProfileError as error:
            print_message(error_text(error))
            return 1
        options.base, options.files = names[: len(base)] or None, names[len(base) :]
    try:
        if options.siblings:
            from qcachegrind_py.cli.siblings import with_siblings

            options.files = with_siblings(options.files)
        return _select_action(options)(options)
    except ImportError as error:
        return _report_import_error(error)


def _select_action(options: argparse.Namespace) -> Callable[[argparse.Namespace], int]:
    """Return the function that runs the options; imports only what it needs."""
    if options.version:
        return _print_version
    if options.doctor:
        return _print_system_report
    if options.desktop:
        return _change_desktop
    if annotates(options):
        from qcachegrind_py.cli.annotation import print_annotation

        return print_annotation
    if options.explain is not None:
        from qcachegrind_py.cli.explanation import print_explanation

        return print_explanation
    if options.calls or options.path:
        from qcachegrind_py.cli.calls import print_calls

        return print_calls
    if options.history and options.report:
        from qcachegrind_py.cli.history.run import print_history

        return print_history
    if checks(options) or (compares(options) and options.report):
        from qcachegrind_py.cli.comparison.run import print_comparison

        return print_comparison
    if options.save is not None:
        from qcachegrind_py.cli.saving import save_profile

        return save_profile
    if options.export_stacks is not None:
        from qcachegrind_py.cli.exports.stacks import export_stacks

        return export_stacks
    if options.report == "html":
        from qcachegrind_py.cli.html_page import print_html_page

        return print_html_page
    if options.report in LINE_FORMS:
        from qcachegrind_py.cli.exports.lines import print_lines

        return print_lines
    if options.report:
        from qcachegrind_py.cli.reports import print_report

        return print_report
    return _open_window


def _report_import_error(error: ImportError) -> int:
    """Print which library is missing, and return the exit code; raises errors of this package."""
    from qcachegrind_py.app.doctor.packages import program_line

    while isinstance(error.__cause__, ImportError):  # numpy wraps the reason in a page of advice
        error = error.__cause__
    library, _, inner_module = (error.name or "A library").partition(".")
    if library == "qcachegrind_py":
        raise error
    is_missing = isinstance(error, ModuleNotFoundError) and not inner_module
    text = f"{library} is not installed" if is_missing else f"{library} cannot be imported: {error}"
    doctor = program_line("--doctor")
    print_message(f"qcachegrind-py: {text}. To see what is missing and how to install it: {doctor}")
    return 1


def _print_version(_options: argparse.Namespace) -> int:
    from qcachegrind_py.version import version_text

    return write_output(lambda stream: print(version_text(), file=stream))


def _print_system_report(_options: argparse.Namespace) -> int:
    from qcachegrind_py.app.doctor.checks import system_findings
    from qcachegrind_py.app.doctor.findings import findings_text, has_problem

    findings = list(system_findings())
    code = write_output(lambda out: print(findings_text(findings, out.encoding), file=out))
    return code or int(has_problem(findings))


def _change_desktop(options: argparse.Namespace) -> int:
    from qcachegrind_py.cli.desktop import update_desktop_entry

    return update_desktop_entry(installs=options.desktop == "install")


def _open_window(options: argparse.Namespace) -> int:
    from qcachegrind_py.app.start import run
    from qcachegrind_py.cli.options.comparison import base_search

    if options.history:
        from qcachegrind_py.formats.history_files import named_revisions

        revisions = named_revisions(options.files)
        shown = {"history": revisions, "view": options.view, "debug": options.debug}
        return run((), options.screenshot, options.size, **shown)
    return run(
        options.files,
        options.screenshot,
        options.size,
        base=options.base or (),
        base_program=options.base_program or "",
        base_search=base_search(options),
        view=options.view,
        debug=options.debug,
    )
