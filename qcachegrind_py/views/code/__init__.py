"""Source and assembler: code with its costs, calls and jumps."""
