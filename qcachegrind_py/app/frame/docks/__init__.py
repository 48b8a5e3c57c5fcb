"""The docks of the window: the table of them, where they stand, and saved layouts."""
