#!/bin/sh
# Set up everything and run the program or its tests. Only python3 is required.
#
#   sh dev.sh run [FILE...]     open the window, by default with the example profile; without a display, save a picture
#   sh dev.sh test [ARG...]     run ruff, mypy, the import contracts, and pytest with coverage on all cores
#   sh dev.sh test quick        run the tests that need no window and take less than a second, without coverage
#
# Arguments are passed to pytest, which then measures no coverage: sh dev.sh test quick -x tests/formats.
# A quick run skips the tests that tests/conftest.py marks as `window` and those marked `slow`; -n 0 runs everything in
# one process.
#
# Missing system packages are installed with apt, everything else into .venv; later runs reuse both.
# Prefix the command with PYTHON=python3.12 to choose another Python.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
venv=$root/.venv
stamp=$venv/dev-stamp
package=$root/qcachegrind_py

say() { printf 'dev.sh: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

# find_python: sets `python`, the interpreter behind any shim or activated .venv (which may be about to be removed),
# `abi`, its version and machine, and `compiler`, True if pip can compile the scanner.
find_python() {
    python_info=$("${PYTHON:-python3}" -c '
import os, shutil, sys, sysconfig
if sys.version_info < (3, 11):
    sys.exit("dev.sh: Python 3.11 or newer is needed, this is " + sys.version.split()[0] + "; PYTHON=... chooses one")
cc = (os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc").split()[0]
compiler = bool(shutil.which(cc)) and os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h"))
print(os.path.realpath(sys._base_executable), sysconfig.get_config_var("SOABI"), compiler, sep="\n")
') || exit 1
    { read -r python && read -r abi && read -r compiler; } <<END
$python_info
END
}

# needs: prints the system requirements: kind, name, and the packages for apt, dnf and pacman.
# Libraries have the names by which Qt loads them: trying the loader is fast, and right on every distribution.
needs() {
    printf '%s\n' "venv ensurepip ${python##*/}-venv python3 python"
    grep -v '^#' "$root/resources/system_libraries.tsv" | tr '\t' ' '
}

# system_packages KIND...: installs missing requirements of these kinds if permitted, else prints the command to run.
system_packages() {
    [ "$(uname -s)" = Linux ] || return 0
    lines=$(needs | "$python" -c '
import ctypes, importlib, sys
for line in sys.stdin:
    kind, name = line.split()[:2]
    try:
        if kind in sys.argv[1:]:
            (importlib.import_module if kind == "venv" else ctypes.CDLL)(name)
    except (ImportError, OSError):
        print(line, end="")
' "$@")
    [ -n "$lines" ] || return 0
    column() { printf '%s\n' "$lines" | cut -d ' ' -f "$1" | sort -u | paste -s -d ' ' -; }
    say "missing on this system: $(column 2)"
    if command -v apt-get >/dev/null; then apt_install "$(column 3)"
    elif command -v dnf >/dev/null; then die "run: sudo dnf install $(column 4)"
    elif command -v pacman >/dev/null; then die "run: sudo pacman -S --needed $(column 5)"
    else die "install the packages with these Debian names: $(column 3)"
    fi
}

apt_install() {
    install="apt-get install -y --no-install-recommends $1"
    if [ "$(id -u)" = 0 ]; then sudo=
    elif sudo -n true 2>/dev/null || { [ -t 0 ] && command -v sudo >/dev/null; }; then sudo=sudo
    else die "run as root: apt-get update && $install"
    fi
    say "installing: $1"
    # A failed update may concern an unrelated source: only the installation decides.
    log=$({
        $sudo apt-get -qq update
        # shellcheck disable=SC2086 # split into words on purpose
        $sudo env DEBIAN_FRONTEND=noninteractive $install -qq -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=120
    } 2>&1 </dev/null) || die "$install failed: $log"
}

# state EXTRA: prints the expected stamp of a finished .venv; if the first line differs, .venv is created anew.
state() {
    printf '%s\n' "$abi $python $root" "compiler: $compiler" "extra: $1"
    cat "$root/pyproject.toml" "$root/setup.py" | cksum
    compiled_modules | while IFS= read -r module; do cat "$module.pxd" "$module.py"; done | cksum
}

# install EXTRA: updates .venv, or creates it if it has no stamp, as after a failed run, or belongs to another Python.
install() {
    before=$(head -n 1 "$stamp" 2>/dev/null) || true
    after=$(state "$1")
    rm -f "$stamp"
    if [ "$before" = "$abi $python $root" ]; then
        say 'updating .venv, because its requirements or compiled modules have changed'
    else
        say 'creating .venv; this downloads Qt, about 100 MB'
        rm -rf "$venv"
        "$python" -m venv "$venv"
    fi
    # Python prefers a compiled module to its source, even one compiled from an older version.
    remove_compiled
    (cd "$root" && "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --editable ".$1")
    is_compiled || {
        remove_compiled
        say 'files will open slowly: the scanner could not be compiled (Debian: gcc python3-dev)'
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

# prepare EXTRA KIND...: installs whatever the program or the tests need.
prepare() {
    extra=$1
    shift
    # If the locale is not UTF-8, as on a bare system, Qt warns, and tests fail on any warning.
    [ "$(locale charmap 2>/dev/null)" = UTF-8 ] || export LC_ALL=C.UTF-8
    find_python
    case $(cat "$stamp" 2>/dev/null) in
    "$(state "$extra")" | "$(state '[dev]')") system_packages "$@" ;; # a test environment also serves for a run
    *)
        system_packages venv "$@"
        install "$extra"
        ;;
    esac
}

run() {
    [ $# -gt 0 ] || set -- "$root/resources/example/sheet/callgrind.out.sheet.xz"
    prepare '' qt ${DISPLAY:+x11} ${WAYLAND_DISPLAY:+wayland}
    if [ -n "${DISPLAY-}${WAYLAND_DISPLAY-}" ] || [ "$(uname -s)" != Linux ]; then
        exec "$venv/bin/qcachegrind-py" "$@"
    fi
    picture=$(mktemp -d)/qcachegrind-py.png
    say 'no display (DISPLAY and WAYLAND_DISPLAY are empty): rendering the window as a picture'
    QT_QPA_PLATFORM=offscreen "$venv/bin/qcachegrind-py" --screenshot "$picture" "$@"
    printf '%s\n' "$picture"
}

check() { "$@" || failed="$failed $1"; }

run_tests() {
    prepare '[dev]' qt
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
