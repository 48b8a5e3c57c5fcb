"""The outside world: files, binaries, disassembler, editor, valgrind."""
