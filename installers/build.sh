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

"${PYTHON:-python3}" -m venv "$work/venv"
# pip does not take less than what the wheel asks for; PyInstaller finds its modules there
"$work/venv/bin/pip" install --quiet --disable-pip-version-check 'pyinstaller>=6.22' "${1:-$root}"
"$work/venv/bin/pip" check
"$work/venv/bin/pyinstaller" --noconfirm --log-level WARN \
    --workpath "$work/build" --distpath "$work/dist" "$root/installers/$name.spec"

# These come with what a debugger needs, which is most of them
find "$work/dist" -name 'libpython*' -o -name 'backend_c*' | xargs strip --strip-debug

version=$("$work/dist/$name/$name" --version)
case $version in *'(compiled scanner)') ;; *) echo "not compiled: $version" >&2; exit 1 ;; esac
number=$(printf '%s\n' "$version" | cut -d ' ' -f 2)

mkdir -p "$root/dist"
packed=$root/dist/$name-$number-linux-$(uname -m).tar.xz
rm -rf "${root:?}/dist/$name" "$packed"
cp -R "$work/dist/$name" "$root/dist/$name"
XZ_OPT='-6 -T0' tar -C "$work/dist" --owner=0 --group=0 -cJf "$packed" "$name"
du -sh "$root/dist/$name" "$packed"
