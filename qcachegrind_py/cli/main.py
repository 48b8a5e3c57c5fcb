"""The command: open the window, or run a task without it.

Without a window, Qt is not imported; `--version` and `--help` import next to nothing. The task
NAME is run by `cli.NAME`, which is imported only then, and folders are compared by `cli.suite`.
"""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import NoReturn

from qcachegrind_py.cli.command_line import HelpAsked, help_text, is_suite, parse
from qcachegrind_py.cli.options import WINDOW, Options
from qcachegrind_py.cli.output import write_output
from qcachegrind_py.visible_text import print_message

_ENDING = ("SIGTERM", "SIGHUP")  # `kill` or logging out, a closed terminal


def program() -> NoReturn:
    """Run the command as a program: the process ends with its exit code."""
    # Examining all objects again and again takes up to half the time of a large report, and finds
    # nothing. The window collects garbage on its own.
    gc.disable()
    codes: list[int] = []
    atexit.register(_end_process, codes)  # what is registered first is called last
    codes.append(main())
    sys.exit(codes[0])


def _end_process(codes: Sequence[int]) -> None:
    """End the process at once, after its threads and all other exit handlers have ended.

    Python would take every module and widget apart first, for a tenth of a screenshot's time.
    """
    with suppress(OSError, ValueError):  # Python reports what cannot be written
        if sys.stdout is not None:  # standard error is written line by line
            sys.stdout.flush()
        if codes:  # or an error ends it, whose code Python knows
            os._exit(codes[0])


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
        return _run(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


def _end(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)


def _run(arguments: Sequence[str]) -> int:
    # numpy's linear algebra, unused here, would start a busy thread per processor
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        options = parse(arguments)
    except HelpAsked as asked:
        text = help_text(asked.task)
        return write_output(lambda stream: stream.write(text))
    if options.version:
        return _print_version()
    _limit_memory(options)
    if "-" in (*options.files, *options.base) and not _read_standard_input(options):
        return 1
    try:
        if options.siblings:
            from qcachegrind_py.cli.selection import with_siblings

            options.files = with_siblings(options.files)
        if options.task == WINDOW:
            return _open_window(options)
        name = "suite" if is_suite(options) else options.task
        code: int = import_module(f"qcachegrind_py.cli.{name}").run(options)
    except ImportError as error:
        return _report_import_error(error)
    return code


def _limit_memory(options: Options) -> None:
    """Choose what a profile may take: what is said, or without a window most of what there is."""
    if options.max_memory is None and not options.screenshot:
        return
    from qcachegrind_py.profile.files import REFUSING_SHARE, MemoryLimit, choose_limit

    # a screenshot has nobody to ask
    automatic = MemoryLimit.of_available(REFUSING_SHARE)
    size = options.max_memory
    choose_limit(automatic if size is None else MemoryLimit(size or None))


def _read_standard_input(options: Options) -> bool:
    """Replace `-` by a file with what standard input has; return whether that can be read."""
    from qcachegrind_py.formats.loading import error_text, resolve_standard_input
    from qcachegrind_py.profile.errors import ProfileError

    count = len(options.base)
    try:
        names = resolve_standard_input([*options.base, *options.files])
    except ProfileError as error:
        print_message(error_text(error))
        return False
    options.base, options.files = names[:count], names[count:]
    return True


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
    doctor = program_line("doctor")
    print_message(f"qcachegrind-py: {text}. To see what is missing and how to install it: {doctor}")
    return 1


def _print_version() -> int:
    from qcachegrind_py.version import version_text

    return write_output(lambda stream: print(version_text(), file=stream))


def _open_window(options: Options) -> int:
    from qcachegrind_py.app.start import run
    from qcachegrind_py.cli.command_line import WrongUsage

    if options.history:
        from qcachegrind_py.formats.history_files import named_revisions

        revisions = named_revisions(options.files)
        return run(
            (),
            options.screenshot,
            options.size,
            history=revisions,
            view=options.view,
            debug=options.debug,
        )
    from qcachegrind_py.tools.sources.file_search import NO_BASE_SEARCH

    search = NO_BASE_SEARCH
    if options.base_map or options.base_revision is not None:
        from qcachegrind_py.cli.output import CommandError
        from qcachegrind_py.cli.selection import base_search  # 90 ms, which few starts need

        try:
            search = base_search(options)
        except CommandError as error:
            raise WrongUsage(WINDOW, str(error)) from error
    return run(
        options.files,
        options.screenshot,
        options.size,
        base=options.base,
        base_program=options.base_program or "",
        base_search=search,
        view=options.view,
        debug=options.debug,
    )
