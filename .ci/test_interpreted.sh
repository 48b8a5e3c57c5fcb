#!/bin/sh
# Run pytest on a copy of the checkout without compiled modules, as on a machine without a compiler.
#
#   sh .ci/test_interpreted.sh [ARG...]     by default, the tests of the modules that are compiled elsewhere
#
# Arguments are passed to pytest: `sh .ci/test_interpreted.sh tests` runs everything.
# Uses the .venv that `sh dev.sh test` makes.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
# Compiled are the reading of files (scanner, interner), the finding of cycles, and the passing on of costs to callees
# and to callers. Whatever reads a file reaches them; these tests say what they do, and tests/formats/callgrind
# compares both kinds of scanner on whole files. Of the slow tests, those marked `interpreted` are run.
[ $# -gt 0 ] || set -- -m 'interpreted or not slow' tests/formats/callgrind tests/analysis/costs tests/analysis/folding \
    tests/analysis/calls/test_transitive_calls.py

# If the locale is not UTF-8, as on a bare system, Qt warns, and tests fail on any warning.
[ "$(locale charmap 2>/dev/null)" = UTF-8 ] || export LC_ALL=C.UTF-8
export PATH="$root/.venv/bin:$PATH" QT_QPA_PLATFORM=offscreen

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
trap 'exit 1' INT TERM
tar -C "$root" -cf - --exclude=./.git --exclude=./.venv --exclude='./.*_cache' --exclude='*.so' . | tar -C "$copy" -xf -
cd "$copy"
python -m qcachegrind_py --version | grep -F '(interpreted scanner)'
pytest -n auto --dist worksteal "$@"
