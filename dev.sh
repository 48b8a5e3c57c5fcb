#!/bin/sh
# Set up everything and run the program or its tests. Only python3 is required.
#
#   sh dev.sh run [FILE...]     open the window, by default with the example profile; without a display, save a picture
#   sh dev.sh run TASK...       run the command with these arguments, such as doctor or report FILE
#   sh dev.sh test [ARG...]     run ruff, mypy, the import contracts, and pytest with coverage on all cores
#   sh dev.sh test quick        run the tests that need no window and take less than a second, without coverage
#
# Arguments are passed to pytest, which then measures no coverage: sh dev.sh test quick -x tests/formats.
# A quick run skips the tests that tests/conftest.py marks as `window` and those marked `slow`; -n 0 runs everything in
# one process.
#
# Missing system packages are installed with apt where that is allowed, everything else goes into .venv; later runs
# reuse both. A C compiler is optional: without one the scanner runs interpreted, and files open slowly.
# Prefix the command with PYTHON=python3.12 to choose another Python.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
venv=$root/.venv
stamp=$venv/dev-stamp
package=$root/qcachegrind_py

say() { printf 'dev.sh: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

# find_python: sets `python`, the interpreter behind any shim or activated .venv (which may be about to be removed),
# `abi`, its version and machine, and `compiler`, whether there is one.
find_python() {
    chosen=${PYTHON:-python3}
    command -v "$chosen" >/dev/null || die "there is no $chosen; PYTHON=... chooses another Python"
    # A program that is no Python, or too old for this code, prints nothing of use.
    python_info=$("$chosen" -B -c '
import os, sys, sysconfig
print(sys.version.split()[0])
if sys.version_info >= (3, 11):
    sys.path.insert(0, sys.argv[1])
    from system_packages import has_compiler
    print(os.path.realpath(sys._base_executable), sysconfig.get_config_var("SOABI"), has_compiler(), sep="\n")
' "$package/tools" 2>/dev/null </dev/null) || true
    { read -r version && read -r python && read -r abi && read -r compiler; } <<END ||
$python_info
END
        die "$chosen is not Python 3.11 or newer${version:+, but $version}; PYTHON=... chooses another"
}

# find_missing: sets `required` and `optional`, what this system lacks, the `packages` that have it, and the `line` that
# installs them.
find_missing() {
    { read -r required && read -r optional && read -r packages && read -r line; } <<END || optional=
$("$python" -I -B "$package/tools/system_packages.py")
END
}

# system_packages: installs what is missing if that is permitted; ends if the program cannot run without it.
system_packages() {
    find_missing
    [ -n "$required$optional" ] || return 0
    say "missing on this system: ${required:+$required }$optional"
    if [ -n "$packages" ] && may_install; then
        apt_install || say "apt-get could not install them: $(printf '%s\n' "$log" | tail -n 1)"
        find_missing
        find_python
    fi
    [ -z "$required$optional" ] || say "to install what is missing: $line"
    [ -z "$required" ] || exit 1
}

# may_install: whether apt-get may be used here; sets `sudo`, which is empty for root.
may_install() {
    command -v apt-get >/dev/null || return 1
    sudo=
    [ "$(id -u)" != 0 ] || return 0
    sudo=sudo
    command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; }
}

# apt_install: installs the packages after saying which, and how large they and what they need are.
apt_install() {
    # A failed update may concern an unrelated source: only the installation decides.
    $sudo apt-get -qq update >/dev/null 2>&1 </dev/null || true
    set -- apt-get install --no-install-recommends -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=120
    say "installing with apt-get: $packages"
    # shellcheck disable=SC2086 # split into words on purpose
    LC_ALL=C "$@" --assume-no $packages 2>/dev/null | grep -E '^(Need to get|After this)' | while read -r size; do
        say "$size"
    done
    # shellcheck disable=SC2086
    log=$($sudo env DEBIAN_FRONTEND=noninteractive "$@" -qq -y $packages 2>&1 </dev/null)
}

# state EXTRA: prints the expected stamp of a finished .venv; if the first line differs, .venv is created anew.
state() {
    printf '%s\n' "$abi $python $root" "compiler: $compiler" "extra: $1"
    cat "$root/pyproject.toml" "$root/setup.py" | cksum
    compiled_modules | while IFS= read -r module; do cat "$module.pxd" "$module.py"; done | cksum
}

# install EXTRA: updates .venv, or creates it if it has no stamp, as after a failed run, or belongs to another Python.
install() {
    before=$(cat "$stamp" 2>/dev/null) || true
    after=$(state "$1")
    rm -f "$stamp"
    case $before in
    "$(state '')") say 'adding what the tests need' ;;
    "$abi $python $root"*) say 'updating .venv, because its requirements or compiled modules have changed' ;;
    *)
        say "creating .venv; this downloads about $([ -z "$1" ] && echo 120 || echo 160) MB, most of it Qt"
        rm -rf "$venv"
        "$python" -m venv "$venv" || die "cannot create $venv, for the reason above"
        ;;
    esac
    # Python prefers a compiled module to its source, even one compiled from an older version.
    remove_compiled
    [ -t 2 ] || quiet="--quiet --progress-bar=off" # on a terminal pip shows its progress
    # shellcheck disable=SC2086 # split into words on purpose
    (cd "$root" && "$venv/bin/python" -m pip install ${quiet-} --disable-pip-version-check --log "$venv/pip.log" \
        --editable ".$1" >&2) ||
        die "pip failed, and the next run tries again: $(sed -n 's/^[^ ]* *ERROR: //p' "$venv/pip.log" | tail -n 1)"
    is_compiled || {
        remove_compiled
        say 'the scanner is not compiled, so files will open slowly'
    }
    printf '%s\n' "$after" >"$stamp"
}
# compiled_modules: prints the modules to compile, those with a .pxd, without suffix.
compiled_modules() { find "$package" -name '*.pxd' | sort | sed 's/[.]pxd$//'; }

remove_compiled() {
    compiled_modules | while IFS= read -r module; do rm -f "$module".*.so "$module.c"; done
}

# is_compiled: whether all modules are compiled; they share types, so one compiled alone cannot be imported.
is_compiled() {
    compiled_modules | while IFS= read -r module; do
        set -- "$module".*.so
        [ -e "$1" ] || return 1
    done
}

# prepare EXTRA: installs whatever the program or the tests need; a test environment also serves for a run.
prepare() {
    # If the locale is not UTF-8, as on a bare system, Qt warns, and tests fail on any warning.
    [ "$(locale charmap 2>/dev/null)" = UTF-8 ] || export LC_ALL=C.UTF-8
    find_python
    case $(cat "$stamp" 2>/dev/null) in
    "$(state "$1")" | "$(state '[dev]')") ;;
    *)
        system_packages
        install "$1"
        ;;
    esac
}

run() {
    [ $# -gt 0 ] || set -- "$root/resources/example/sheet/callgrind.out.sheet.xz"
    prepare ''
    display=${DISPLAY-}${WAYLAND_DISPLAY-}
    [ "$(uname -s)" = Linux ] || display=yes
    for argument; do
        # a task or an option, which may need no display; the command itself says what it lacks
        [ -e "$argument" ] || [ "$argument" = - ] || display=unknown
    done
    [ -z "$display" ] || exec "$venv/bin/qcachegrind-py" "$@"
    picture=$venv/qcachegrind-py.png
    say 'no display (DISPLAY and WAYLAND_DISPLAY are empty): rendering the window as a picture'
    QT_QPA_PLATFORM=offscreen "$venv/bin/qcachegrind-py" --screenshot "$picture" "$@"
    printf '%s\n' "$picture"
}

check() { "$@" || failed="$failed $1"; }

run_tests() {
    prepare '[dev]'
    cd "$root"
    export PATH="$venv/bin:$PATH" QT_QPA_PLATFORM=offscreen
    failed=
    if [ "${1-}" = quick ]; then
        shift
        check pytest -n auto --dist worksteal -m 'not window and not slow' "$@"
    else
        check ruff check
        check ruff format --check
        check mypy
        check lint-imports
        # the required coverage applies to the whole suite
        [ $# -gt 0 ] || set -- --cov
        check pytest -n auto --dist worksteal "$@"
    fi
    [ -z "$failed" ] || die "failed:$failed"
}

case ${1-} in
run) shift && run "$@" ;;
test) shift && run_tests "$@" ;;
*) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
