#!/bin/sh
# Run the fuzzer with compiled modules that check every access to memory and all arithmetic.
#
#   sh tests/fuzz/sanitized.sh [SECONDS [ARG...]]     by default for ten minutes
#
# Builds the compiled modules with the address and undefined-behaviour sanitizers of gcc, in a copy
# of the checkout that is removed at the end. Further arguments are passed to the fuzzer. The kinds that no compiled
# module reads are left out; capstone and Qt do not run under a sanitizer.
# Uses the .venv that `sh dev.sh test` makes, or PYTHON; downloads Cython.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
python=${PYTHON:-$root/.venv/bin/python}
seconds=${1:-600}
[ $# -eq 0 ] || shift

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
trap 'exit 1' INT TERM
tar -C "$root" -cf - --exclude=./.git --exclude=./.venv --exclude='./.*_cache' --exclude='*.so' . | tar -C "$copy" -xf -
cd "$copy"

"$python" -m pip install --quiet --disable-pip-version-check --target "$copy/.build" Cython setuptools
sanitizers='-fsanitize=address,undefined -fno-sanitize-recover=all'
CC=gcc CFLAGS="$sanitizers -O1 -fno-omit-frame-pointer" LDFLAGS="$sanitizers" \
    PYTHONPATH="$copy/.build" "$python" setup.py --quiet build_ext --inplace

# Python itself is not sanitized: it leaks at exit, and only its own allocator would hide overruns of what it allocates.
export LD_PRELOAD="$(gcc -print-file-name=libasan.so) $(gcc -print-file-name=libstdc++.so)"
export PYTHONMALLOC=malloc PYTHONPATH="$copy" PYTHONDONTWRITEBYTECODE=1
export ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=32:allocator_may_return_null=1
export UBSAN_OPTIONS=print_stacktrace=1
"$python" -m qcachegrind_py --version | grep -F '(compiled scanner)'
"$python" -m tests.fuzz --seconds "$seconds" --kind callgrind grammar packed python "$@"
