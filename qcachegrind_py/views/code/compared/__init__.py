"""What the Source and Assembler docks show of a comparison."""
