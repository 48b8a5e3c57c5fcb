#!/bin/sh
# Builds the program with all it needs into dist/: a folder, and a packed copy of it.
#
#   sh installers/build.sh [WHEEL]     without WHEEL it is built from this checkout
#
# PYTHON=python3.13 in front chooses another Python, which has to have a shared library.
# What comes out runs where the C library is as new as here, so an old system is the one to build on.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
name=qcachegrind-py
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say() { printf 'build.sh: %s\n' "$*" >&2; }

# What would otherwise be noticed only at the end, minutes later
missing=
[ -n "${1-}" ] || compiler=${CC:-cc} # a wheel is compiled
for tool in strip xz ${compiler-}; do
    command -v "$tool" >/dev/null || missing="$missing $tool"
done
"${PYTHON:-python3}" -c 'import ensurepip' 2>/dev/null || missing="$missing venv"
[ -n "${1-}" ] || "${PYTHON:-python3}" -c '
import os, sys, sysconfig
sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))' || missing="$missing Python.h"
if [ -n "$missing" ]; then
    say "missing on this system:$missing"
    say 'Debian: apt-get install gcc python3-dev python3-venv xz-utils'
    exit 1
fi
# PyInstaller leaves out a library that it does not find here, with a warning among many, and the program then starts
# only where the library happens to be installed.
"${PYTHON:-python3}" -B -c '
import sys
sys.path.insert(0, sys.argv[1])
from system_packages import install_line, missing
if lacking := missing("qt", "x11"):
    names = " ".join(row.name for row in lacking)
    sys.exit(f"build.sh: missing on this system, and so in the program: {names}\n"
             f"build.sh: {install_line(lacking)}")' "$root/qcachegrind_py/tools"

say 'installing PyInstaller and the program'
"${PYTHON:-python3}" -m venv "$work/venv"
# pip does not take less than what the wheel asks for; PyInstaller finds its modules there
"$work/venv/bin/pip" install --quiet --disable-pip-version-check 'pyinstaller>=6.22' "${1:-$root}"
"$work/venv/bin/pip" check >&2
say 'collecting what the program needs: a minute or two; warnings of OpenGL, ole32 and shell32 mean nothing here'
"$work/venv/bin/pyinstaller" --noconfirm --log-level WARN \
    --workpath "$work/build" --distpath "$work/dist" "$root/installers/$name.spec"

# These come with what a debugger needs, which is most of them
find "$work/dist" -type f \( -name 'libpython*' -o -name 'backend_c*' \) -exec strip --strip-debug {} +

version=$("$work/dist/$name/$name" --version)
case $version in *'(compiled scanner)') ;; *) echo "not compiled: $version" >&2; exit 1 ;; esac
number=$(printf '%s\n' "$version" | cut -d ' ' -f 2)

say 'packing'
mkdir -p "$root/dist"
packed=$root/dist/$name-$number-linux-$(uname -m).tar.xz
rm -rf "${root:?}/dist/$name" "$packed"
cp -R "$work/dist/$name" "$root/dist/$name"
XZ_OPT='-6 -T0' tar -C "$work/dist" --owner=0 --group=0 -cJf "$packed" "$name"
du -sh "$root/dist/$name" "$packed"
