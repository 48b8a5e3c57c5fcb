#!/bin/sh
# From a bare system to the running program or its tests. Nothing but python3 has to be there.
#
#   sh dev.sh run [FILE...]     the window; without FILE the example profile, without a display a picture of it
#   sh dev.sh test [ARG...]     ruff, mypy, the import contracts and pytest with coverage, on all cores
#   sh dev.sh test quick        the tests that need no window and take no second; no coverage
#
# Arguments go to pytest, which then runs what they choose without coverage: sh dev.sh test quick -x tests/formats.
# A quick run leaves out what tests/conftest.py marks as `window`, and the tests marked `slow`; -n 0 runs all in one
# process.
#
# Missing system packages come through apt, everything else goes into .venv; the second time neither is asked.
# PYTHON=python3.12 in front chooses another Python.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
venv=$root/.venv
stamp=$venv/dev-stamp
package=$root/qcachegrind_py

say() { printf 'dev.sh: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

# Sets python: the real one behind a shim or an activated .venv, which may be about to be removed; abi: its version
# and machine; compiler: True where pip can compile the scanner.
find_python() {
    found=$("${PYTHON:-python3}" -c '
import os, shutil, sys, sysconfig
if sys.version_info < (3, 11):
    sys.exit("dev.sh: Python 3.11 or newer is needed, this is " + sys.version.split()[0] + "; PYTHON=... chooses one")
cc = (os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc").split()[0]
compiler = bool(shutil.which(cc)) and os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h"))
print(os.path.realpath(sys._base_executable), sysconfig.get_config_var("SOABI"), compiler, sep="\n")
') || exit 1
    { read -r python && read -r abi && read -r compiler; } <<END
$found
END
}

# What must be there: who needs it, its name, the package that has it for apt, dnf and pacman.
# Libraries go by the name Qt loads them by: asking the loader is quick, and right on every distribution.
needs() {
    printf '%s\n' "venv ensurepip ${python##*/}-venv python3 python"
    grep -v '^#' "$root/resources/system_libraries.tsv" | tr '\t' ' '
}

# system_packages KIND...: installs what is missing of these where that is allowed, otherwise says what to type.
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
    else die "install the packages that Debian calls: $(column 3)"
    fi
}

apt_install() {
    install="apt-get install -y --no-install-recommends $1"
    if [ "$(id -u)" = 0 ]; then sudo=
    elif sudo -n true 2>/dev/null || { [ -t 0 ] && command -v sudo >/dev/null; }; then sudo=sudo
    else die "run as root: apt-get update && $install"
    fi
    say "installing: $1"
    # No reason to stop if the update fails, maybe for an unrelated source: the install tells what matters.
    log=$({
        $sudo apt-get -qq update
        # shellcheck disable=SC2086 # a line of words
        $sudo env DEBIAN_FRONTEND=noninteractive $install -qq -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=120
    } 2>&1 </dev/null) || die "$install failed: $log"
}

# state EXTRA: what the stamp of a finished .venv says; the first line is what an update cannot change.
state() {
    printf '%s\n' "$abi $python $root" "compiler: $compiler" "extra: $1"
    cat "$root/pyproject.toml" "$root/setup.py" | cksum
    compiled_modules | while IFS= read -r module; do cat "$module.pxd" "$module.py"; done | cksum
}

# Whatever breaks off in here leaves no stamp, and a .venv without one, or of another Python, is made anew.
install() {
    before=$(head -n 1 "$stamp" 2>/dev/null) || true
    after=$(state "$1")
    rm -f "$stamp"
    if [ "$before" = "$abi $python $root" ]; then
        say 'installing into .venv again, as something has changed'
    else
        say 'installing into .venv; this fetches Qt, about 100 MB'
        rm -rf "$venv"
        "$python" -m venv "$venv"
    fi
    # Python takes a compiled module before its source, even one that an older source was compiled to.
    remove_compiled
    (cd "$root" && "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --editable ".$1")
    is_compiled || {
        remove_compiled
        say 'files will open slowly: nothing here compiles the scanner (Debian: gcc python3-dev)'
    }
    printf '%s\n' "$after" >"$stamp"
}

# The modules to compile, which are those with a .pxd, without their endings.
compiled_modules() { find "$package" -name '*.pxd' | sort | sed 's/[.]pxd$//'; }

remove_compiled() {
    compiled_modules | while IFS= read -r module; do rm -f "$module".*.so "$module.c"; done
}

# All of them: they share their types, one compiled without the other cannot be imported.
is_compiled() {
    compiled_modules | while IFS= read -r module; do
        set -- "$module".*.so
        [ -e "$1" ] || return 1
    done
}

# prepare EXTRA KIND...: all that has to be there before the program or the tests can start.
prepare() {
    extra=$1
    shift
    # Where the locale is not UTF-8, as on a bare system, Qt warns, and the tests take a warning for a failure.
    [ "$(locale charmap 2>/dev/null)" = UTF-8 ] || export LC_ALL=C.UTF-8
    find_python
    case $(cat "$stamp" 2>/dev/null) in
    "$(state "$extra")" | "$(state '[dev]')") system_packages "$@" ;; # what a test installed serves a run as well
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
    say 'no display (DISPLAY and WAYLAND_DISPLAY are empty): the window goes into a picture'
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
        # the floor of coverage is for all tests
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
