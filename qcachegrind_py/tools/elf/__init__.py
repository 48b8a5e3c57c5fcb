"""ELF files: sections, symbols, PLT and debug links."""
