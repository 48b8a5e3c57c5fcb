"""The world outside, behind small protocols: source files, disassembler, layout, demangler."""
