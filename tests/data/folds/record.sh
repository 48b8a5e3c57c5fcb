#!/bin/sh
# Builds the program and records it: plainly, with functions skipped, and with callers in the names.
set -e
folder=$(mktemp -d)
cp "$(dirname "$0")"/*.[ch] "$folder"
cd "$folder"
gcc -g -O0 -fPIC -shared inner.c -o libinner.so
gcc -g -O0 -fPIC -shared library.c -o liblibrary.so -L. -linner -Wl,-rpath,. -Wl,-z,now
gcc -g -O0 folds.c -o folds -L. -llibrary -linner -Wl,-rpath,. -Wl,-z,now
record() {
    name=$1
    shift
    valgrind --tool=callgrind --toggle-collect=main "$@" \
        --callgrind-out-file="callgrind.out.$name" ./folds
    sed -i "s:$folder:/corpus/folds:g" "callgrind.out.$name"
}
record plain --dump-instr=yes
record callers --separate-callers=8
record skipped --dump-instr=yes --fn-skip='library_*' --fn-skip=exchange --fn-skip=inner_mix
record skipped-sort --dump-instr=yes --fn-skip=library_sort
record skipped-inner --dump-instr=yes --fn-skip=inner_mix
xz -f callgrind.out.*
cp callgrind.out.*.xz "${1:-.}"
