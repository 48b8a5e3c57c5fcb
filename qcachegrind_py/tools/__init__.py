"""The world outside: files, binaries, disassembler, editor, valgrind."""
