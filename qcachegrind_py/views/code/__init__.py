"""The Source and Assembler docks."""
