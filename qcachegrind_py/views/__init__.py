"""The contents of the docks, one module for each dock."""
