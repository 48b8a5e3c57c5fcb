"""The contents of the docks, one file a dock."""
