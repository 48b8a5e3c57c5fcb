#!/bin/sh
# Set up everything and run the program or its tests. Only python3 is required.
#
#   sh dev.sh run [FILE...]     open the window, by default with the example profile; without a display, save a picture
#   sh dev.sh run OPTION...     run the command with these arguments, such as --doctor or --report text FILE
#   sh dev.sh test [ARG...]     run ruff, mypy, the import contracts, and pytest with coverage on all cores
#   sh dev.sh test quick        run the tests that need no window and take less than a second, without coverage
#
# Arguments are passed to pytest, which then measures no coverage: sh dev.sh test quick -x tests/formats.
# A quick run skips the tests that tests/conftest.py marks as `window` and those marked `slow`; -n 0 runs everything in
# one process.
#
# Missing system packages are installed with apt, everything else into .venv; later runs reuse both. A C compiler is
# optional: without one the scanner runs interpreted, and files open slowly.
# Prefix the command with PYTHON=python3.12 to choose another Python.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
venv=$root/.venv
stamp=$venv/dev-stamp
package=$root/qcachegrind_py
libraries="qt ${DISPLAY:+x11} ${WAYLAND_DISPLAY:+wayland}" # kinds in resources/system_libraries.tsv

say() { printf 'dev.sh: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

# find_python: sets `python`, the interpreter behind any shim or activated .venv (which may be about to be removed),
# `abi`, its version and machine, and what compiles the scanner: `cc` and `header`.
find_python() {
    chosen=${PYTHON:-python3}
    command -v "$chosen" >/dev/null || die "there is no $chosen; PYTHON=... chooses another Python"
    # A program that is no Python, or too old for this code, prints nothing of use.
    python_info=$("$chosen" -c '
import os, sys, sysconfig
print(sys.version.split()[0])
if sys.version_info >= (3, 11):
    cc = (os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc").split()[0]
    header = os.path.join(sysconfig.get_path("include"), "Python.h")
    print(os.path.realpath(sys._base_executable), sysconfig.get_config_var("SOABI"), cc, header, sep="\n")
' 2>/dev/null </dev/null) || true
    { read -r version && read -r python && read -r abi && read -r cc && read -r header; } <<END ||
$python_info
END
        die "$chosen is not Python 3.11 or newer${version:+, but $version}; PYTHON=... chooses another"
}

has_compiler() { command -v "$cc" >/dev/null && [ -e "$header" ]; }

# needs: prints the system requirements: kind, name, and the packages for apt, dnf and pacman.
# Libraries have the names by which Qt loads them: trying the loader is fast, and right on every distribution.
needs() {
    printf '%s\n' "venv ensurepip ${python##*/}-venv python3 python" \
        "compiler $cc gcc,libc6-dev gcc gcc" \
        "compiler $header ${python##*/}-dev python3-devel python"
    grep -v '^#' "$root/resources/system_libraries.tsv" | tr '\t' ' '
}

# missing KIND...: prints the requirements of these kinds that this system lacks.
missing() {
    needs | "$python" -c '
import ctypes, importlib, os, shutil, sys
for line in sys.stdin:
    kind, name = line.split()[:2]
    try:
        if kind not in sys.argv[1:]:
            continue
        if kind == "venv":
            importlib.import_module(name)
        elif kind == "compiler":
            os.stat(shutil.which(name) or name)
        else:
            ctypes.CDLL(name)
    except (ImportError, OSError):
        print(line, end="")
' "$@"
}

# column NUMBER REQUIREMENTS: prints the words of a column, each once.
column() { printf '%s\n' "$2" | cut -d ' ' -f "$1" | tr ',' '\n' | sed '/^$/d' | sort -u | paste -s -d ' ' -; }

# system_packages KIND...: installs what is missing of these kinds if permitted, or prints the command that does; ends
# if it is still missing, but goes on without a compiler.
system_packages() {
    [ "$(uname -s)" = Linux ] || return 0
    lacking=$(missing "$@")
    [ -n "$lacking" ] || return 0
    required=$(printf '%s\n' "$lacking" | grep -v '^compiler ') || true
    optional=$(printf '%s\n' "$lacking" | grep '^compiler ') || true
    say "missing on this system: $(column 2 "$lacking")"
    if may_install; then
        [ -z "$required" ] || apt_install "$(column 3 "$required")" || die "apt-get could not install them: $log"
        [ -z "$optional" ] || apt_install "$(column 3 "$optional")" ||
            say "going on without a compiler: $(printf '%s\n' "$log" | tail -n 1)"
    elif [ -n "$required" ]; then
        [ -z "$optional" ] || say "optional, as they only make files open faster: $(column 3 "$optional")"
        die "$(advice)"
    else
        say "going on without a compiler; to open files faster, $(advice)"
    fi
}

# may_install: whether apt-get may be used here; sets `sudo`, which is empty for root.
may_install() {
    command -v apt-get >/dev/null || return 1
    sudo=
    [ "$(id -u)" != 0 ] || return 0
    sudo=sudo
    sudo -n true 2>/dev/null || { [ -t 0 ] && command -v sudo >/dev/null; }
}

apt_install() {
    say "installing: $1"
    # A failed update may concern an unrelated source: only the installation decides.
    log=$({
        [ -n "${is_updated-}" ] || $sudo apt-get -qq update
        # shellcheck disable=SC2086 # split into words on purpose
        $sudo env DEBIAN_FRONTEND=noninteractive \
            apt-get install -qq -y --no-install-recommends -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=120 $1
    } 2>&1 </dev/null) || return 1
    is_updated=yes
}

# advice: prints how to install all that is missing; optional packages come last, as apt may not have them.
advice() {
    if command -v apt-get >/dev/null; then
        line='run as root: apt-get update && ' install='apt-get install -y --no-install-recommends' field=3
    elif command -v dnf >/dev/null; then line='run: ' install='sudo dnf install' field=4
    elif command -v pacman >/dev/null; then line='run: ' install='sudo pacman -S --needed' field=5
    else
        printf 'install the packages with these Debian names: %s' "$(column 3 "$lacking")"
        return
    fi
    [ -z "$required" ] || line="$line$install $(column "$field" "$required")"
    [ -z "$required" ] || [ -z "$optional" ] || line="$line && "
    [ -z "$optional" ] || line="$line$install $(column "$field" "$optional")"
    printf '%s' "$line"
}

# state EXTRA: prints the expected stamp of a finished .venv; if the first line differs, .venv is created anew.
state() {
    printf '%s\n' "$abi $python $root" "compiler: $(has_compiler && echo yes)" "extra: $1"
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
        say 'creating .venv; this downloads about 110 MB, most of it Qt'
        rm -rf "$venv"
        "$python" -m venv "$venv" || die "cannot create $venv, for the reason above"
        ;;
    esac
    # Python prefers a compiled module to its source, even one compiled from an older version.
    remove_compiled
    [ -t 2 ] || quiet=--quiet # on a terminal pip shows its progress
    (cd "$root" && "$venv/bin/python" -m pip install ${quiet-} --disable-pip-version-check --editable ".$1" >&2) ||
        die 'pip failed, for the reason above; it needs the network, and the next run tries again'
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

# prepare EXTRA [KIND...]: installs whatever the program or the tests need; a finished .venv needs only these libraries.
prepare() {
    extra=$1
    shift
    # If the locale is not UTF-8, as on a bare system, Qt warns, and tests fail on any warning.
    [ "$(locale charmap 2>/dev/null)" = UTF-8 ] || export LC_ALL=C.UTF-8
    find_python
    case $(cat "$stamp" 2>/dev/null) in
    "$(state "$extra")" | "$(state '[dev]')") system_packages "$@" ;; # a test environment also serves for a run
    *)
        # shellcheck disable=SC2086 # split into words on purpose
        system_packages venv compiler $libraries
        install "$extra"
        ;;
    esac
}

run() {
    [ $# -gt 0 ] || set -- "$root/resources/example/sheet/callgrind.out.sheet.xz"
    for argument; do
        case $argument in -?*) has_option=yes ;; esac
    done
    # With an option there may be no window; the command itself says what it lacks.
    # shellcheck disable=SC2086 # split into words on purpose
    if [ -n "${has_option-}" ]; then prepare ''; else prepare '' $libraries; fi
    if [ -n "${has_option-}${DISPLAY-}${WAYLAND_DISPLAY-}" ] || [ "$(uname -s)" != Linux ]; then
        exec "$venv/bin/qcachegrind-py" "$@"
    fi
    picture=$venv/qcachegrind-py.png
    say 'no display (DISPLAY and WAYLAND_DISPLAY are empty): rendering the window as a picture'
    QT_QPA_PLATFORM=offscreen "$venv/bin/qcachegrind-py" --screenshot "$picture" "$@"
    printf '%s\n' "$picture"
}

check() { "$@" || failed="$failed $1"; }

run_tests() {
    # shellcheck disable=SC2086 # split into words on purpose
    prepare '[dev]' $libraries
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
