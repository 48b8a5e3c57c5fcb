"""Finding, reading and colouring source files."""
