"""The docks of the window: their table, their default layout, and saved layouts."""
